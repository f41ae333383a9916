// Looks at every folder, then asks again about what was found.
export const meta = {
  name: 'clean-up',
  description: 'Finds leftovers and checks each finding',
  phases: [{ title: 'Find' }, { title: 'Check' }],
}

const found = await parallel(args.folders.map(folder => () =>
  agent(`List leftovers in ${folder}.`, { agentType: 'flow:finder', phase: 'Find' })))
return await pipeline(found, one => agent(`Is this a leftover? ${one}`, { phase: 'Check' }))
