// The OpenCode side of a plugin that plugcast built. This module is static: it is the same file in
// every plugin, and all that differs between plugins is data in `plugcast.plugin.json` beside it,
// which plugcast checked when it wrote it. OpenCode does not check what a plugin registers, and one
// wrong type there takes the agents and commands of every plugin down, so keep both files as built.
//
// It makes a Claude-Code-style plugin work unchanged: skills and commands under `plugin:name`, agents
// under `plugin:folder:name`, their text filled in at run time by the rules of the source host
// (Claude Code 2.1.330), and agents held to their tools without loosening what the user decided.
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(fileURLToPath(import.meta.url))
const data = JSON.parse(readFileSync(path.join(root, "plugcast.plugin.json"), "utf8"))
if (data.schema !== "plugcast.opencode-module/1") throw new Error(`unknown schema ${data.schema}`)

// ---- text of a body: frontmatter, arguments, variables ----

// The frontmatter ends at the first `---` wherever it stands, and takes the white space after it along.
const FRONTMATTER = /^\uFEFF?(?:---\s*\n[\s\S]*?---\s*)?/
const BLOCK = /^<!-- plugcast:on-this-host -->[ \t]*\r?\n([\s\S]*?)^<!-- \/plugcast:on-this-host -->[ \t]*(?:\r?\n|$)/m

// The text of a file of this plugin. A file that cannot be read says so to whoever asked for it.
function textOf(file) {
  try {
    return readFileSync(path.join(root, file), "utf8").replace(FRONTMATTER, "")
  } catch (error) {
    return `The file \`${file}\` of the plugin \`${data.plugin}\` cannot be read (${error.code}). ` +
      `Do nothing else; say that the plugin has to be installed again in \`${root}\`.`
  }
}

function withVariables(text, skillFolder) {
  const known = { CLAUDE_PLUGIN_ROOT: root, CLAUDE_SKILL_DIR: skillFolder }
  return text.replace(/\$\{(CLAUDE_PLUGIN_ROOT|CLAUDE_SKILL_DIR)\}/g, (whole, name) => known[name] ?? whole)
}

// Puts the arguments into `text`, in one pass, so that nothing in an argument is taken for a placeholder.
// What plugcast wrote (the block) stays as it is; only its two marker lines go.
function withArguments(text, names, given) {
  const list = words(given)
  const declared = names.map((name) => name.replace(/[^\w\s]/g, "\\$&")).sort((a, b) => b.length - a.length).join("|") || "(?!)"
  const name = `(?:${declared})(?![\\w[])`
  const escaped = `(?<!\\\\)\\\\(?=\\$(?:\\d|ARGUMENTS|${name}))(\\$)`
  const placeholder = new RegExp(`${escaped}|\\$(?:(${name})|ARGUMENTS(?:\\[(\\d+)\\])?|(\\d+)(?!\\w))`, "g")
  let used = false
  const fill = (whole, dollar, named, index, position) => {
    if (dollar) return dollar
    const number = index ?? position
    const value = named ? (list[names.indexOf(named)] ?? "") : number ? list[Number(number)] : given
    if (value === undefined) return whole
    used = true
    return value
  }
  const filled = text.split(BLOCK).map((part, n) => (n % 2 ? part : part.replace(placeholder, fill))).join("")
  return given && !used ? `${filled}\n\nARGUMENTS: ${given}` : filled
}

// What the source host shows its model when `body` is called with the arguments `input`.
function expand(body, text, input) {
  const folder = body.kind === "skill" ? path.dirname(path.join(root, body.file)) : undefined
  return withVariables(withArguments(text, body.arguments ?? [], (input ?? "").trim()), folder)
}

// ---- words of the arguments: those of the first simple command in them, as a shell reads it ----

const SINGLE = `'[^']*'`
const DOUBLE = `"(?:[^"\\\\]|\\\\[^])*"`
const VERBATIM = "\\$'(?:[^'\\\\]|\\\\[^])*'|\\$\\(\\([^)]*\\)\\)|\\$\\([^)]*\\)|\\$\\{[^}]*\\}|`[^`]*`"
const WORD = new RegExp(`(?:${VERBATIM}|${SINGLE}|${DOUBLE}|\\\\(?!\\r?\\n)[^]?|\\$(?![({'])|[^ \\t\\f\\v\\r\\n;|&<>()'"\\\\\`$])+`, "y")
const QUOTED = new RegExp(`(${VERBATIM})|(${SINGLE})|(${DOUBLE})|\\\\([^]?)`, "g")
const BLANK = /(?:[ \t\f\v]|\\\r?\n)+/y
const REDIRECTION = /\d*(?:&>>?|[<>]+[&|]?)[ \t]*/y
const GROUP = /\((?:[^()]|\([^()]*\))*\)?/y
// Before the command's name: reserved words, assignments, tests. After it: a bare expansion is no word.
const SKIPPED_FIRST = /^(?:(?:if|then|else|elif|fi|while|until|do|done|esac|[!{}])$|[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=|\[)/
const DECLARATION = /^(?:export|declare|typeset|local|readonly)$/
const SKIPPED_LATER = /^\$(?:\w+|[?$!#@*-]?|\{[^}]*\}|\(\([^)]*\)\)|'[^']*')$/
const SUBSTITUTION = /`|\$\((?!\()/

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
    if (take(REDIRECTION)) {
      if (!first) break
      take(WORD)
    } else if (/[;|&)\r\n]/.test(line[at]) || (first && /[(`]/.test(line[at]))) {
      if (!first) break
      at++
    } else if (line[at] === "(") take(GROUP)
    else if (line[at] === "#") break
    else {
      const start = at
      const raw = take(WORD) ?? ""
      const bare = raw.replace(/'[^']*'|"(?:[^"\\]|\\[^])*"/g, "")
      const open = /['"`$]/.test(line[at] ?? "")
      if (!first && (SUBSTITUTION.test(bare) || /[`$]/.test(line[at] ?? ""))) break
      if (line.startsWith("()", at)) continue // `name()` is no word
      if (open) {
        // an unclosed quote or expansion: its word is the rest of the line, as it stands
        found.push(line.slice(start))
        break
      }
      if (!(first ? SKIPPED_FIRST : SKIPPED_LATER).test(raw))
        found.push(raw.replace(QUOTED, (_, kept, single, double, char) => kept ?? (single ?? double)?.slice(1, -1) ?? char))
    }
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

// Patterns of the host: `*`, `?`, and a final ` *` that may be absent. `covers`: all that `inner` matches, `outer`
// matches too. `meets`: something might match both (false only if their literal beginnings differ).
function covers(outer, inner) {
  const source = outer.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^]*").replaceAll("?", "[^*]")
  return new RegExp(`^${source.replace(/ \[\^\]\*$/, "( [^]*)?")}$`).test(inner)
}

function meets(a, b) {
  const [first, second] = [a, b].map((pattern) => pattern.replace(/ ?[*?][^]*$/, ""))
  return first.startsWith(second) || second.startsWith(first)
}

// All rules of `permission` for one tool, as [pattern, action]; of those that match, the last one decides.
const rulesFor = (permission, tool) => Object.entries(permission).flatMap(([key, value]) =>
  covers(key, tool) ? Object.entries(asObject(value)) : [])

// The same rules as a configuration value; a pattern that comes again moves to the end, where it decides.
function toValue(rules) {
  const last = new Map()
  for (const [pattern, action] of rules) {
    if (pattern === "*") last.clear()
    last.delete(pattern)
    last.set(pattern, action)
  }
  return last.size === 1 && last.has("*") ? last.get("*") : Object.fromEntries(last)
}

// `rules`, restricted to `patterns`. A rule that only overlaps a pattern can be kept no other way than as "deny".
function within(patterns, rules) {
  const limits = patterns.map((pattern) => ({ pattern, from: rules.findLastIndex(([rule]) => covers(rule, pattern)) }))
  const kept = rules.flatMap(([rule, action], n) => {
    const near = limits.filter(({ pattern, from }) => n > from && meets(pattern, rule))
    if (near.some(({ pattern }) => covers(pattern, rule))) return [[rule, action]]
    return near.length && action !== "allow" ? [[rule, "deny"]] : []
  })
  return [["*", "deny"], ...limits.map(({ pattern, from }) => [pattern, rules[from][1]]), ...kept]
}

// The permission of an agent that may use `allow` (tool: true or patterns) and must not use `deny`.
function limitsOf({ allow, deny = [] }, user) {
  const out = {}
  if (allow) {
    out["*"] = "deny"
    for (const [tool, patterns] of Object.entries({ doom_loop: true, external_directory: true, ...allow })) {
      const rules = [...rulesFor(HOST_RULES, tool), ...rulesFor(user, tool)]
      out[tool] = toValue(patterns === true ? rules : within(patterns, rules))
    }
    // an allowed set of tools (`server_*`): the user's later rules for some of them
    const keys = Object.keys(user)
    for (const set of Object.keys(allow).filter((tool) => tool.includes("*")))
      for (const key of keys.slice(keys.findLastIndex((key) => covers(key, set)) + 1))
        if (!(key in allow) && meets(set, key)) out[key] = covers(set, key) ? user[key] : "deny"
  }
  for (const tool of deny) {
    delete out[tool]
    out[tool] = "deny"
  }
  return out
}

// ---- what OpenCode calls ----

const pick = (from, keys) => Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]))

function register(config) {
  config.skills ??= {}
  config.skills.paths = [...(config.skills.paths ?? []), ...data.skill_folders.map((folder) => path.join(root, folder))]

  // Skills that only a person may start; before the agents, whose rules repeat these.
  const personal = Object.keys(data.bodies).filter((name) => data.bodies[name].kind === "skill" && data.bodies[name].user_only)
  if (personal.length) {
    const { skill, ...others } = asObject(config.permission)
    const decided = Object.keys(asObject(skill))
    const hidden = personal.filter((name) => !decided.includes(name)).map((name) => [name, "deny"])
    config.permission = { ...others, skill: asObject(toValue([...rulesFor(asObject(config.permission), "skill"), ...hidden])) }
  }

  const user = asObject(config.permission)
  config.agent ??= {}
  for (const [name, agent] of Object.entries(data.agents)) {
    const ours = { ...pick(agent, ["description", "mode", "model", "color", "steps"]), prompt: withVariables(textOf(agent.file).split(BLOCK).join("").trim()) }
    const theirs = config.agent[name]
    const permission = { ...(agent.allow || agent.deny ? limitsOf(agent, user) : {}), ...asObject(theirs?.permission) }
    config.agent[name] = { ...ours, ...theirs, ...(Object.keys(permission).length ? { permission } : {}) }
  }

  // An inert template: OpenCode expands `$1`, runs !`cmd` and attaches @file in templates, so the text
  // comes later, in `command.execute.before`. `$9999` keeps the host from appending the arguments.
  const commands = Object.entries(data.bodies).map(([name, body]) => [name, { ...pick(body, ["description", "agent", "model", "subtask"]), template: `plugcast:${name}$9999` }])
  config.command = { ...Object.fromEntries(commands), ...config.command }
}

export const Plugin = async () => {
  // Loaded twice (a `plugin` entry and a re-export)? Both see the same configuration: the second one stays silent.
  const seen = (globalThis[Symbol.for(`plugcast:${data.plugin}`)] ??= new WeakSet())
  const bin = path.join(root, "bin")
  let silent = false

  return {
    config: async (config) => {
      silent = seen.has(config)
      if (silent) return
      seen.add(config)
      register(config)
    },

    "command.execute.before": async (input, output) => {
      const body = data.bodies[input.command]
      if (silent || !body) return
      const key = { text: "text", subtask: "prompt" }
      const part = output.parts.find((part) => part[key[part.type]] === `plugcast:${input.command}`)
      if (!part) return // the user's own command of this name
      const text = body.kind === "skill" ? `Base directory for this skill: ${path.dirname(path.join(root, body.file))}\n\n` : ""
      part[key[part.type]] = text + expand(body, textOf(body.file), input.arguments)
    },

    "tool.execute.after": async (input, output) => {
      const body = input.tool === "skill" && data.bodies[input.args?.name]
      if (silent || !body || typeof output.output !== "string") return
      if (output.metadata?.dir !== path.dirname(path.join(root, body.file))) return // another skill of this name won
      const end = output.output.lastIndexOf("\n\nBase directory for this skill:")
      const at = end < 0 ? output.output.length : end
      output.output = expand(body, output.output.slice(0, at), "") + output.output.slice(at)
    },

    "shell.env": async (_input, output) => {
      if (silent) return
      output.env[data.root_variable] = root
      // another plugin may have set PATH already: add to it
      if (existsSync(bin)) output.env.PATH = [output.env.PATH ?? process.env.PATH, bin].filter(Boolean).join(path.delimiter)
    },
  }
}
