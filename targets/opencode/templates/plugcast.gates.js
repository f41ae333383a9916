// The rules in `if` of hooks, applied as the source host (Claude Code 2.1.330) applies them: `Bash(git push:*)`,
// `Edit(src/**)`. If it is unclear what a command line runs, every rule about command lines matches.
import { homedir } from "node:os"
import path from "node:path"
import { commandsOf } from "./plugcast.shell.js"

// The field of a tool's input that a rule tests. For other tools only the name counts.
const SUBJECTS = new Map(Object.entries({
  Bash: ["command", commandGate],
  Read: ["file_path", fileGate],
  Edit: ["file_path", fileGate],
  Write: ["file_path", fileGate],
  Glob: ["pattern", textGate],
  Grep: ["pattern", textGate],
}))

// Whether a rule matches a call of the source host, by the names of its tool and its input. `undefined` without
// a rule: the hook always runs.
export function gateOf(rule, { directory, home = homedir() }) {
  if (!rule) return undefined
  const [, tool, text] = /^([^()]*)\(([^]*)(?<!\\)\)$/.exec(rule) ?? [undefined, rule]
  if (text === undefined || text === "" || text === "*") return ({ names }) => names.includes(tool)
  const [key, gate] = SUBJECTS.get(tool) ?? []
  if (!gate) return () => false
  const holds = gate(text.replace(/\\([()\\])/g, "$1"), { directory, home })
  return ({ names, input }) => names.includes(tool) && typeof input?.[key] === "string" && holds(input[key])
}

const plain = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
const single = (text) => text.trim().replace(/[ \t]+/g, " ")

// A text in which `*` matches anything; a final ` *` also matches nothing.
function wildcard(text) {
  const stars = text.match(/(?<!\\)\*/g)?.length ?? 0
  if (!stars) {
    const whole = text.replaceAll("\\*", "*")
    return (subject) => subject === whole
  }
  const written = (part) => part.replace(/\\\*|\*|[^*\\]+|\\/g, (sign) => (sign === "*" ? "[^]*" : sign === "\\*" ? sign : plain(sign)))
  const pattern = stars === 1 && text.endsWith(" *") ? `${written(text.slice(0, -2))}(?: [^]*)?` : written(text)
  const expression = new RegExp(`^${pattern}$`)
  return (subject) => expression.test(subject)
}

function textGate(text) {
  return wildcard(text)
}

function commandGate(written, { home }) {
  const text = single(written)
  const [, begin] = /^(.+):\*$/.exec(text) ?? []
  const holds = begin === undefined ? wildcard(text) : (command) => command === begin || command.startsWith(`${begin} `)
  // A rule that names only a command.
  const named = /^[^\s*]+(?::\*| ?\*)$/.test(text)
  return (line) => {
    const read = commandsOf(line, home)
    if (!read || (read.open && !named)) return true
    return read.commands.some((words) => holds(single((read.open ? words.slice(0, 1) : words).join(" "))))
  }
}

// Patterns as in a `.gitignore`: from the folder of the project, from the user's (`~/`) or from the root (`//`).
function fileGate(written, { directory, home }) {
  const [root, pattern] = written.startsWith("//") ? ["/", written.slice(1)]
    : written.startsWith("~/") ? [home, written.slice(1)]
    : written.startsWith("/") ? [directory, written]
    : [directory, written.replace(/^\.\//, "")]
  const expression = ignored(pattern.replaceAll("\\*", "*").replace(/\/{2,}/g, "/").replace(/(?<!\\) +$/, ""))
  // A leading star also matches the folders above.
  const anywhere = written.startsWith("*") ? wildcard(written) : () => false
  return (file) => {
    const whole = path.resolve(directory, file)
    if (anywhere(whole.split(path.sep).join("/"))) return true
    const inner = path.relative(root, whole).split(path.sep).join("/")
    return inner !== "" && !/^\.\.(?:\/|$)/.test(inner) && !path.isAbsolute(inner) && expression.test(inner)
  }
}

const NEVER = /(?!)/

// The pattern of one line of a `.gitignore` as that host reads it, over a path from its folder.
function ignored(line) {
  if (/^[#!]/.test(line)) return NEVER
  // A folder includes everything below it.
  const whole = line.endsWith("/**") ? line.slice(0, -3) : line
  if (!whole && line !== "/**") return NEVER
  const folder = whole.endsWith("/")
  const named = folder ? whole.slice(0, -1) : whole
  if (!named && line !== "/**") return NEVER
  const anchored = line.slice(0, folder ? -1 : undefined).includes("/")
  let pattern = ""
  const text = named.replace(/^\//, "")
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const [sign] = /^(?:\*\*\/|\/\*\*(?=\/)|\*+|\?|\[[^\]/]+\]|\\?[^])/.exec(rest)
    if (sign === "**/" && (at === 0 || text[at - 1] === "/")) pattern += "(?:.*/)?"
    else if (sign === "/**") pattern += "(?:/.*)?"
    else if (sign[0] === "*") pattern += sign === "**/" ? "[^/]*/" : "[^/]*"
    else if (sign === "?") pattern += "[^/]"
    else if (sign[0] === "[" && sign.length > 1) pattern += `[${sign.slice(1, -1).replace(/[\\^[]/g, "\\$&")}]`
    else pattern += plain(sign.at(-1))
    at += sign.length
  }
  if (!text) return /^/
  try {
    return new RegExp(`^${anchored ? "" : "(?:.*/)?"}${pattern}${folder ? "/" : "(?:/|$)"}`, "iu")
  } catch {
    return NEVER
  }
}
