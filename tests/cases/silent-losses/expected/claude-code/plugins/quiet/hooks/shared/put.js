const { appendFileSync } = require("node:fs")

exports.put = (pair) => appendFileSync(process.env.CLAUDE_ENV_FILE, `export ${pair}\n`)
