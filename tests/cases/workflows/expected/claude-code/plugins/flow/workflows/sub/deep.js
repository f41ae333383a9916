export const meta = { name: "deep", description: "Lies too deep." }
