export const meta = { name: "first", description: "The first." }
