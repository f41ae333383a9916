export const meta = { name: 'sweep', description: 'Sweeps the tree.' }
await agent('sweep')
