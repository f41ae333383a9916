// The OpenCode side of a plugin that plugcast built. This module is static: it is the same file in
// every plugin, and everything that differs between plugins is in `plugcast.plugin.json` next to it,
// which plugcast checked when it wrote it. OpenCode does not check what a plugin registers, and one
// wrong type there disables the agents and commands of every plugin, so do not edit either file.
//
// It makes a Claude-Code-style plugin work unchanged: skills and commands under `plugin:name`, agents
// under `plugin:folder:name`, their text filled in at run time by the rules of the source host
// (Claude Code 2.1.330), agents limited to their tools without loosening what the user decided, and hooks and servers as
// the source host runs them.
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { eventsOf } from "./plugcast.events.js"
import { registerServers, variablesOf } from "./plugcast.servers.js"

const root = path.dirname(fileURLToPath(import.meta.url))
const data = JSON.parse(readFileSync(path.join(root, "plugcast.plugin.json"), "utf8"))
if (data.schema !== "plugcast.opencode-module/1") throw new Error(`unknown schema ${data.schema}`)
const bodies = new Map(Object.entries(data.bodies)) // a Map: a command may be named `constructor`
const folderOf = (body) => path.dirname(path.join(root, body.file))

// ---- text of a body: frontmatter, arguments, variables ----

// The frontmatter ends at the first `---`, wherever it is, including the white space after it.
const FRONTMATTER = /^\uFEFF?(?:---\s*\n[\s\S]*?---\s*)?/
const BLOCK = /^<!-- plugcast:on-this-host -->[ \t]*\r?\n([\s\S]*?)^<!-- \/plugcast:on-this-host -->[ \t]*(?:\r?\n|$)/m

// The text of a file of this plugin. If a file cannot be read, its reader gets the error as text.
function textOf(file) {
  try {
    return readFileSync(path.join(root, file), "utf8").replace(FRONTMATTER, "")
  } catch (error) {
    return `The file \`${file}\` of the plugin \`${data.plugin}\` cannot be read (${error.code}). ` +
      `Do nothing else; tell the user to reinstall the plugin in \`\${CLAUDE_PLUGIN_ROOT}\`.`
  }
}

function withVariables(text, skillFolder) {
  const expanded = text.replaceAll("${CLAUDE_PLUGIN_ROOT}", () => root)
  return skillFolder ? expanded.replaceAll("${CLAUDE_SKILL_DIR}", () => skillFolder) : expanded
}

// Puts the arguments into `text`, in one pass, so that nothing in an argument is taken for a placeholder.
// plugcast's own text (the block) stays unchanged; only its two marker lines are removed.
function withArguments(text, names, given) {
  const list = words(given)
  const longestFirst = names.toSorted((a, b) => b.length - a.length).map((name) => name.replace(/[^\w\s]/g, "\\$&"))
  const name = `(?:${longestFirst.join("|") || "(?!)"})(?![\\w[])`
  const escaped = `(?<!\\\\)\\\\(?=\\$(?:\\d|ARGUMENTS|${name}))(\\$)`
  const placeholder = new RegExp(`${escaped}|\\$(?:(${name})|ARGUMENTS(?:\\[(\\d+)\\])?|(\\d+)(?!\\w))`, "g")
  let used = false
  const fill = (whole, dollar, named, index, position) => {
    if (dollar) return dollar
    const number = index ?? position
    const value = named ? (list[names.indexOf(named)] ?? "") : number ? list[Number(number)] : given
    if (value === undefined) return whole
    used = true
    return defused(value)
  }
  const filled = text.split(BLOCK).map((part, n) => (n % 2 ? part : part.replace(placeholder, fill))).join("")
  return given && !used ? `${filled}\n\nARGUMENTS: ${defused(given)}` : filled
}

// A command inside an argument is not run; the source host breaks it up in the same way.
function defused(value) {
  return value.replaceAll("!`", "\\! `")
}

// What the source host shows its model when `body` is called with the arguments `input`.
function expand(body, text, input) {
  const filled = withArguments(text, body.arguments ?? [], (input ?? "").trim())
  return withVariables(filled, body.kind === "skill" ? folderOf(body) : undefined)
}

// ---- words of the arguments: those of the first simple command in them, as a shell reads it ----

const SINGLE = `'[^']*'`
const DOUBLE = `"(?:[^"\\\\]|\\\\[^])*"`
const VERBATIM = "\\$'(?:[^'\\\\]|\\\\[^])*'|\\$\\(\\([^)]*\\)\\)|\\$\\([^)]*\\)|\\$\\{[^}]*\\}|`[^`]*`"
const PLAIN = "\\\\(?!\\r?\\n)[^]?|\\$(?![({'])|[^ \\t\\f\\v\\r\\n;|&<>()'\"\\\\`$]"
const WORD = new RegExp(`(?:${VERBATIM}|${SINGLE}|${DOUBLE}|${PLAIN})+`, "y")
const QUOTED = new RegExp(`(${VERBATIM})|(${SINGLE}|${DOUBLE})|\\\\([^]?)`, "g")
const BLANK = /(?:[ \t\f\v]|\\\r?\n)+/y
const REDIRECTION = /\d*(?:&>>?|[<>]+[&|]?)[ \t]*/y
const GROUP = /\((?:[^()]|\([^()]*\))*\)?/y
// Skipped before the name of a command: reserved words, assignments, tests; after it: a bare expansion.
const SKIPPED_FIRST = /^(?:(?:if|then|else|elif|fi|while|until|do|done|esac|[!{}])$|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=|\[)/
const SKIPPED_LATER = /^\$(?:\w+|[?$!#@*-]?|\{[^}]*\}|\(\([^)]*\)\)|'[^']*')$/
// A command substitution ends the words, and these commands keep no operands.
const SUBSTITUTION = /`|\$\((?!\()/
const DECLARATION = /^(?:export|declare|typeset|local|readonly)$/

function words(line) {
  const found = []
  let at = 0
  const take = (pattern) => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match) at = pattern.lastIndex
    return match?.[0]
  }
  while (at < line.length && !DECLARATION.test(found[0])) {
    if (take(BLANK)) continue
    const first = found.length === 0
    if (line[at] === "#") break
    if (line[at] === "(" && !first) {
      take(GROUP)
      continue
    }
    const redirection = take(REDIRECTION)
    if (redirection || /[;|&()\r\n]/.test(line[at]) || (first && line[at] === "`")) {
      if (!first) break // the end of the command; before its name, continue
      if (redirection) take(WORD)
      else at++
      continue
    }
    const start = at
    const raw = take(WORD) ?? ""
    const next = line[at] ?? ""
    if (line.startsWith("()", at)) continue // `name()` is not a word
    if (!first && (SUBSTITUTION.test(raw.replace(QUOTED, (_, kept) => kept ?? "")) || /[`$]/.test(next))) break
    if (/['"`$]/.test(next)) {
      found.push(line.slice(start)) // an unclosed quote or expansion: the rest of the line, unchanged
      break
    }
    if ((first ? SKIPPED_FIRST : SKIPPED_LATER).test(raw)) continue
    found.push(raw.replace(QUOTED, (_, kept, quoted, escaped) => kept ?? quoted?.slice(1, -1) ?? escaped))
  }
  return found.length ? found : line.split(/\s+/).filter(Boolean)
}

// ---- permissions: an agent's limits, never looser than the user's own rules ----

// What OpenCode asks or refuses by itself; a `"*": "deny"` of ours would hide these rules.
const HOST_RULES = {
  "*": "allow", doom_loop: "ask", question: "deny",
  external_directory: { "*": "ask", [path.join(root, "*")]: "allow" },
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
}

const asObject = (permission) => (typeof permission === "string" ? { "*": permission } : permission ?? {})

// Patterns of the host: `*`, `?`, an optional final ` *`, and the home folder as a prefix.
const withHome = (pattern) => pattern.replace(/^(?:~(?=\/|$)|\$HOME)/, () => homedir())

// Whether `outer` matches all that `inner` matches.
function covers(outer, inner) {
  const escaped = withHome(outer).replace(/[.+^${}()|[\]\\]/g, "\\$&")
  const source = escaped.replaceAll("*", "[^]*").replaceAll("?", "[^*]").replace(/ \[\^\]\*$/, "( [^]*)?")
  return new RegExp(`^${source}$`).test(withHome(inner))
}

// Whether something might match both; false only if their literal beginnings differ.
function meets(one, other) {
  const [a, b] = [one, other].map((pattern) => withHome(pattern).replace(/ ?[*?][^]*$/, ""))
  return a.startsWith(b) || b.startsWith(a)
}

// All rules of `permission` for one tool, as [pattern, action]; of those that match, the last one decides.
const rulesFor = (permission, tool) => Object.entries(permission).flatMap(([key, value]) =>
  covers(key, tool) ? Object.entries(asObject(value)) : [])

// The same rules as a configuration value; a repeated pattern moves to the end, where it decides.
function toValue(rules) {
  const last = new Map()
  for (const [pattern, action] of rules) {
    if (pattern === "*") last.clear()
    last.delete(pattern)
    last.set(pattern, action)
  }
  const actions = new Set(last.values())
  return last.has("*") && actions.size === 1 ? last.get("*") : Object.fromEntries(last)
}

// `rules`, restricted to `patterns`. A rule that only overlaps a pattern can be kept only as "deny".
function within(patterns, rules) {
  const lastFor = (pattern) => rules.findLastIndex(([rule]) => covers(rule, pattern))
  const limits = patterns.map((pattern) => ({ pattern, from: lastFor(pattern) }))
  const kept = rules.flatMap(([rule, action], n) => {
    const near = limits.filter(({ pattern, from }) => n > from && meets(pattern, rule))
    if (near.some(({ pattern }) => covers(pattern, rule))) return [[rule, action]]
    return near.length && action !== "allow" ? [[rule, "deny"]] : []
  })
  return [["*", "deny"], ...limits.map(({ pattern, from }) => [pattern, rules[from][1]]), ...kept]
}

// Kept for every agent: `invalid` answers a call of an unknown tool; without it such a call ends the agent.
const ALWAYS = { invalid: true, doom_loop: true, external_directory: true }

// The permission of an agent that may use `allow` (tool: true or patterns) and must not use `deny`.
function limitsOf({ allow, deny = [] }, user) {
  const out = {}
  if (allow) {
    const rulesOf = (tool) => [...rulesFor(HOST_RULES, tool), ...rulesFor(user, tool)]
    out["*"] = "deny"
    // Of keys that match, the last decides: a set such as `external_*` must not decide about `external_directory`.
    const named = Object.entries(allow)
    const [sets, single] = [named.filter(([tool]) => tool.includes("*")), named.filter(([tool]) => !tool.includes("*"))]
    for (const [tool, patterns] of [...sets, ...Object.entries(ALWAYS), ...single])
      out[tool] = toValue(patterns === true ? rulesOf(tool) : within(patterns, rulesOf(tool)))
    // The user's own rules for a part of an allowed set of tools (`server_*`); a pattern can only be kept as "deny".
    for (const set of Object.keys(allow).filter((tool) => tool.includes("*")))
      for (const key of Object.keys(user).filter((key) => !(key in allow) && !covers(key, set) && meets(key, set))) {
        const restricts = Object.values(asObject(user[key])).some((action) => action !== "allow")
        if (!/[*?]/.test(key)) {
          if (covers(set, key)) out[key] = toValue(rulesOf(key))
        } else if (restricts) out[key] = "deny"
      }
  }
  for (const tool of deny) {
    delete out[tool]
    out[tool] = "deny"
  }
  // Denying the tools of servers denies none of the host's own.
  for (const tool of Object.keys(ALWAYS).filter((tool) => !deny.includes(tool) && deny.some((set) => covers(set, tool)))) {
    delete out[tool]
    out[tool] = toValue([...rulesFor(HOST_RULES, tool), ...rulesFor(user, tool)])
  }
  return out
}

// ---- what OpenCode calls ----

function pick(from, keys) {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))
}

// Skills that only the user may start are denied to the model, unless the user's settings name them.
function hidePersonalSkills(config) {
  const personal = [...bodies].filter(([, body]) => body.kind === "skill" && body.user_only).map(([name]) => name)
  if (!personal.length) return
  const { skill, ...others } = asObject(config.permission)
  const decided = Object.keys(asObject(skill))
  const hidden = personal.filter((name) => !decided.includes(name)).map((name) => [name, "deny"])
  const rules = [...rulesFor(asObject(config.permission), "skill"), ...hidden]
  config.permission = { ...others, skill: asObject(toValue(rules)) }
}

// The user's settings of an agent win field by field, and in its permission tool by tool.
function registerAgent(config, name, agent, placed) {
  const prompt = withVariables(textOf(agent.file).split(BLOCK).join("").trim())
  const { deny, allow = undefined } = agent
  const edit = Array.isArray(allow?.edit) ? { edit: allow.edit.map(placed) } : {}
  const limits = allow || deny ? limitsOf({ deny, allow: allow && { ...allow, ...edit } }, asObject(config.permission)) : {}
  const theirs = config.agent[name]
  const permission = { ...limits, ...asObject(theirs?.permission) }
  config.agent[name] = { ...pick(agent, ["description", "mode", "model", "color", "steps"]), prompt, ...theirs }
  if (Object.keys(permission).length) config.agent[name].permission = permission
}

// An inert template: OpenCode expands `$1`, runs !`cmd` and attaches @file in templates, so it holds no character that
// begins one of these, and the text comes later, in `command.execute.before`. `$9999` keeps the host from appending the arguments. Behind it stand the commands that
// the source host runs without asking: no argument is in them, and the host itself runs them.
function commandFor(name, body) {
  const native = (body.runs ?? []).map((written, n) => `${markOf(n)}${withVariables(written)}`)
  return { ...pick(body, ["description", "agent", "model", "subtask"]), template: [`${templateOf(name)}$9999`, ...native].join("") }
}

const templateOf = (name) => `plugcast:${name.replace(/[`$@]/g, "-")}`

const markOf = (n) => `\n\nplugcast:${n}:\n`

// What the host put in place of each command after our mark in `given`.
function outputsOf(body, given) {
  const outputs = []
  let at = 0
  for (let n = 0; n < (body.runs?.length ?? 0); n++) {
    const start = given.indexOf(markOf(n), at)
    if (start < 0) break
    at = start + markOf(n).length
    const end = given.indexOf(markOf(n + 1), at)
    outputs.push(given.slice(at, end < 0 ? undefined : end).trimEnd())
  }
  return outputs
}

// `text` expanded, with the outputs of the commands that the host has run.
function withOutputs(body, text, input, given) {
  const outputs = outputsOf(body, given)
  const marked = (body.runs ?? []).reduce((text, written, n) => text.replace(written, () => `\0${n}\0`), text)
  return expand(body, marked, input).replace(/\0(\d+)\0/g, (_, n) => outputs[n] ?? body.runs[n])
}

// The files that a text includes, as the host attaches them. It takes a path from the repository's top, the source
// host from the working directory.
function attached(body, directory) {
  const files = (body.includes ?? []).map((written) => path.resolve(directory, written.slice(1))).filter(existsSync)
  return files.map((file) => ({ type: "file", mime: "text/plain", filename: path.basename(file), url: pathToFileURL(file).href }))
}

// Where the plugin's own hooks may run.
const EVENTS = [
  "event", "dispose", "chat.message", "command.execute.before", "tool.execute.before", "tool.execute.after",
  "experimental.chat.system.transform", "experimental.text.complete", "experimental.session.compacting", "shell.env",
]

function register(config, placed) {
  config.skills ??= {}
  config.skills.paths = [...(config.skills.paths ?? []), ...data.skill_folders.map((folder) => path.join(root, folder))]
  hidePersonalSkills(config) // before the agents, whose permissions repeat these rules
  config.agent ??= {}
  for (const [name, agent] of Object.entries(data.agents)) registerAgent(config, name, agent, placed)
  config.command ??= {}
  for (const [name, body] of bodies) config.command[name] ??= commandFor(name, body)
}

export const Plugin = async ({ client, directory = process.cwd(), worktree = directory }) => {
  // Loaded twice (a `plugin` entry and a re-export)? Both see the same configuration object: the first one owns it.
  const owners = (globalThis[Symbol.for(`plugcast:${data.plugin}`)] ??= new WeakMap())
  const bin = path.join(root, "bin")
  const variables = variablesOf(root, data.plugin, directory)
  let silent = false
  let events = {}

  // Only the host's log takes messages outside of an answer.
  const say = (level, message) => {
    const body = { service: "plugcast", level, message: `${data.plugin}: ${message}` }
    Promise.resolve(client?.app?.log?.({ body })).catch(() => {})
  }

  const hooks = {
    config: async (config) => {
      if (!owners.has(config)) {
        owners.set(config, hooks)
        const servers = () => Object.keys(config.mcp ?? {})
        if (data.hooks) events = eventsOf(data.hooks, { variables, directory, client, say, servers })
        // The host's rules for files count from the top of the repository, or from the root outside a repository.
        const placed = (pattern) => path.relative(worktree, path.join(directory, pattern)).split(path.sep).join("/")
        register(config, placed)
        registerServers(config, data, { root, variables, say })
      }
      silent = owners.get(config) !== hooks
    },

    "command.execute.before": async (input, output) => {
      const body = bodies.get(input.command)
      if (silent || !body) return
      const field = { text: "text", subtask: "prompt" }
      const begins = (text) => text === ours || text?.startsWith(`${ours}\n\nplugcast:0:`)
      const ours = templateOf(input.command)
      const part = output.parts.find((part) => begins(part[field[part.type]]))
      if (!part) return // the user has a command of this name
      const base = body.kind === "skill" ? `Base directory for this skill: ${folderOf(body)}\n\n` : ""
      const given = part[field[part.type]]
      if (part.type === "text") output.parts.push(...attached(body, directory))
      part[field[part.type]] = base + withOutputs(body, textOf(body.file), input.arguments, given)
    },

    "tool.execute.after": async (input, output) => {
      const body = input.tool === "skill" ? bodies.get(input.args?.name) : undefined
      if (silent || !body || typeof output?.output !== "string") return
      if (output.metadata?.dir !== folderOf(body)) return // another skill of this name won
      const text = output.output
      const end = text.lastIndexOf("\n\nBase directory for this skill:")
      const at = end < 0 ? text.length : end
      output.output = expand(body, text.slice(0, at)) + text.slice(at)
    },

    "shell.env": async (_input, output) => {
      if (silent) return
      output.env[data.root_variable] = root
      // another plugin may have set PATH already: add to it
      const before = output.env.PATH ?? process.env.PATH
      if (existsSync(bin)) output.env.PATH = before ? before + path.delimiter + bin : bin
    },
  }
  // The plugin's own hooks run after the module's in the same event.
  for (const name of EVENTS) {
    const first = hooks[name]
    hooks[name] = async (input, output) => {
      await first?.(input, output)
      if (!silent) await events[name]?.(input, output)
    }
  }
  return hooks
}
