import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env.CLAUDE_PLUGIN_ROOT;
console.log(readFileSync(join(root, "commands", "plan.md"), "utf8"));
