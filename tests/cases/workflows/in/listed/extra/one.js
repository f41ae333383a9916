export const meta = { name: "one", description: "Another one." }
