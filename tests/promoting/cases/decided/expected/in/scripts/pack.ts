const skills = ["plan"]
const path = "skills/plan/SKILL.md"
