export const meta = { name: 'rest', description: 'Has nothing to do, and no text names it' }
return await agent('Rest.')
