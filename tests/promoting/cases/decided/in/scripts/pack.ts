const skills = ["plan-beta"]
const path = "skills/plan-beta/SKILL.md"
