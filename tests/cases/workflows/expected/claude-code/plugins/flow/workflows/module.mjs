export const meta = { name: "module", description: "Ends otherwise." }
