export const old = ["plan-beta", "plan-beta.md"]
