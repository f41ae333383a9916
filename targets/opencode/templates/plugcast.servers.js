// MCP and LSP servers of a plugin, registered in OpenCode's configuration (1.18.33). The user's settings
// of a server of the same name win, field by field.
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"

// The variables of the source host (Claude Code 2.1.330) that hooks and servers get.
export function variablesOf(root, plugin, directory) {
  const data = process.env.XDG_DATA_HOME || path.join(homedir(), ".local", "share")
  return { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: directory, CLAUDE_PLUGIN_DATA: path.join(data, "opencode", "plugcast", plugin) }
}

// Fills `${NAME}` and `${NAME:-default}`; a default may name our own variables. A name without a value stays unchanged,
// as in the source host.
function filled(text, variables, missing) {
  const own = text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name) => variables[name] ?? whole)
  return own.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (whole, name, other) => {
    const value = variables[name] ?? process.env[name] ?? other
    if (value === undefined) missing.add(name)
    return value ?? whole
  })
}

// Every string inside a value.
function filledDeep(value, fill) {
  if (Array.isArray(value)) return value.map((item) => filledDeep(item, fill))
  if (value === null || typeof value !== "object") return fill(value)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledDeep(item, fill)]))
}

const filledAll = (map, fill) => Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, fill(value)]))

// A relative path to a file of the bundle starts at the bundle; the host would start it at the project.
function absolute(word, root) {
  const inside = path.join(root, word)
  return /^\.\.?[\\/]/.test(word) && existsSync(inside) ? inside : word
}

const merged = (ours, theirs) => (ours || theirs ? { ...ours, ...theirs } : undefined)

// Registers the servers of `data` in `config`; `say` takes (level, message).
export function registerServers(config, data, { root, variables, say }) {
  const missing = new Set()
  const fill = (value) => (typeof value === "string" ? filled(value, variables, missing) : value)
  const words = (command) => command.map((word) => absolute(fill(word), root))
  const entries = Object.entries(data.mcp ?? {})
  if (entries.length) config.mcp ??= {}
  for (const [name, { command, environment, headers, url, ...rest }] of entries) {
    const theirs = config.mcp[name]
    const ours = url === undefined
      ? { ...rest, command: words(command), environment: { ...variables, ...filledAll(environment, fill) } }
      : { ...rest, url: fill(url), ...(headers && { headers: filledAll(headers, fill) }) }
    config.mcp[name] = { ...ours, ...theirs }
    for (const key of ["environment", "headers"]) {
      const both = merged(ours[key], theirs?.[key])
      if (both) config.mcp[name][key] = both
    }
  }
  registerLanguageServers(config, data.lsp, { words, fill, variables })
  if (missing.size) say("warn", `servers name variables that are not set: ${[...missing].join(", ")}`)
}

// The host's own language servers are off until `lsp` is set. A server of ours must not turn them on.
const HOST_SERVERS = [
  "astro", "bash", "biome", "clangd", "clojure-lsp", "csharp", "dart", "deno", "dockerfile", "elixir-ls", "eslint", "fsharp",
  "gleam", "gopls", "haskell-language-server", "jdtls", "julials", "kotlin-ls", "lua-ls", "nixd", "ocaml-lsp", "oxlint",
  "php intelephense", "prisma", "pyright", "razor", "ruby-lsp", "rust", "sourcekit-lsp", "svelte", "terraform", "texlab",
  "tinymist", "ty", "typescript", "vue", "yaml-ls", "zls",
]

function registerLanguageServers(config, servers, { words, fill, variables }) {
  const entries = Object.entries(servers ?? {})
  if (!entries.length || config.lsp === false) return // the user wants none
  if (config.lsp === undefined) config.lsp = Object.fromEntries(HOST_SERVERS.map((name) => [name, { disabled: true }]))
  if (config.lsp === true) config.lsp = {}
  for (const [name, { command, env, ...rest }] of entries)
    config.lsp[name] = { ...filledDeep(rest, fill), command: words(command), env: { ...variables, ...filledAll(env, fill) }, ...config.lsp[name] }
}
