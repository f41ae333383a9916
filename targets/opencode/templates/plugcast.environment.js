// What hooks of SessionStart write to `CLAUDE_ENV_FILE`: the source host (Claude Code 2.1.330) sources it in the shell of
// every later command of the session. Here each command gets the variables that a shell has after sourcing it.
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { shellFor } from "./plugcast.handlers.js"

// Milliseconds that reading the files may take.
const LIMIT = 10_000
// What every shell changes by itself.
const OWN = new Set(["_", "SHLVL", "PWD", "OLDPWD"])

// The files of this process; `say` takes (level, message).
export function environmentFiles(say) {
  const files = new Map() // session -> the files of its hooks, in the order in which they were started
  let folder

  const remove = () => folder && rmSync(folder, { recursive: true, force: true })

  // A new file for one hook of `session`; only this user can read it.
  function add(session) {
    if (!folder) {
      folder = mkdtempSync(path.join(tmpdir(), "plugcast-"))
      process.once("exit", remove)
    }
    const all = files.get(session) ?? []
    const file = path.join(folder, `${files.size}-${all.length}.sh`)
    files.set(session, [...all, file])
    return file
  }

  // The variables that the files of `session` add to `before`, or change in it.
  async function variables(session, before) {
    const written = (files.get(session) ?? []).filter((file) => existsSync(file) && statSync(file).size > 0)
    if (!written.length) return {}
    const read = written.map((file) => `. '${file.replaceAll("\\", "/").replaceAll("'", "'\\''")}'\n`).join("")
    const [shell, args, more] = shellFor(`set -a\n{\n${read}} >/dev/null 2>&1 </dev/null\nenv -0 2>/dev/null || env`)
    if (more.shell) return {} // no POSIX shell on this machine
    const options = { env: before, timeout: LIMIT, maxBuffer: 2 ** 26, windowsHide: true }
    const { error, stdout } = await new Promise((resolve) =>
      execFile(shell, args, options, (error, stdout) => resolve({ error, stdout })))
    if (error) say("warn", `cannot read what hooks of SessionStart wrote to CLAUDE_ENV_FILE: ${error.message}`)
    const lines = error ? [] : stdout.split(stdout.includes("\0") ? "\0" : "\n")
    const found = lines.map((line) => /^([A-Za-z_]\w*)=([^]*)$/.exec(line)).filter(Boolean)
    const changed = found.filter(([, name, value]) => !OWN.has(name) && before[name] !== value)
    return Object.fromEntries(changed.map(([, name, value]) => [name, value]))
  }

  return { add, variables, forget: (session) => files.set(session, []), remove }
}
