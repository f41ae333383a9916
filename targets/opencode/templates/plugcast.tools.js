// Names and inputs of tools: those of OpenCode (1.18.33) as hooks of the source host (Claude Code 2.1.330) know them.
import path from "node:path"

// OpenCode's tool: the source host's tool, and the arguments that it names differently.
const TOOLS = new Map(Object.entries({
  bash: ["Bash", {}],
  read: ["Read", { filePath: "file_path" }],
  write: ["Write", { filePath: "file_path" }],
  edit: ["Edit", { filePath: "file_path", oldString: "old_string", newString: "new_string", replaceAll: "replace_all" }],
  grep: ["Grep", { include: "glob" }],
  glob: ["Glob", {}],
  list: ["LS", {}],
  lsp: ["LSP", {}],
  task: ["Agent", {}],
  skill: ["Skill", { name: "skill" }],
  webfetch: ["WebFetch", {}],
  websearch: ["WebSearch", {}],
  todowrite: ["TodoWrite", {}],
  todoread: ["TodoRead", {}],
  question: ["AskUserQuestion", {}],
  list_mcp_resources: ["ListMcpResourcesTool", {}],
  read_mcp_resource: ["ReadMcpResourceTool", {}],
}))
// A matcher may use a name from before a tool was renamed; its handler then gets that name.
const FORMER = new Map([["Agent", ["Task"]]])

const renamed = (input, keys) => Object.fromEntries(Object.entries(input ?? {}).map(([key, value]) => [keys[key] ?? key, value]))

// The calls of the source host that one call of OpenCode corresponds to, as {names, input}; `names` begins with the
// current name. `servers` are the keys of all MCP servers in the configuration.
export function sourceCalls(tool, args, directory, servers) {
  if (tool === "apply_patch") return patchedFiles(args?.patchText, directory)
  const [name, keys] = TOOLS.get(tool) ?? [serverTool(tool, servers), {}]
  const input = renamed(args, keys)
  if (typeof input.file_path === "string") input.file_path = path.resolve(directory, input.file_path)
  return [{ names: [name, ...(FORMER.get(name) ?? [])], input }]
}

// The input that a hook returned, under OpenCode's names.
export function hostArguments(tool, input) {
  const keys = TOOLS.get(tool)?.[1] ?? {}
  return renamed(input, Object.fromEntries(Object.entries(keys).map(([ours, theirs]) => [theirs, ours])))
}

// `plugin_demo_srv_echo` of the server `plugin:demo:srv` is `mcp__plugin_demo_srv__echo`.
function serverTool(tool, servers) {
  const stems = servers.map((server) => server.replace(/[^a-zA-Z0-9_-]/g, "_"))
  const own = stems.filter((stem) => tool.startsWith(`${stem}_`)).sort((a, b) => b.length - a.length)[0]
  return own === undefined ? tool : `mcp__${own}__${tool.slice(own.length + 1)}`
}

// Some models get `apply_patch` instead of `edit` and `write`: a hook sees each file that the patch touches.
function patchedFiles(patch, directory) {
  const calls = []
  let before = [], after = []
  const add = (name, file) => {
    ;[before, after] = [[], []]
    calls.push({ name, file: path.resolve(directory, file), before, after })
  }
  for (const line of String(patch ?? "").split(/\r?\n/)) {
    const [, verb, file] = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):\s*(.*?)\s*$/.exec(line) ?? []
    if (verb === "Move to") {
      calls.push({ name: "Write", file: path.resolve(directory, file), before: [], after })
    } else if (verb) {
      add(verb === "Add File" ? "Write" : "Edit", file)
    } else {
      if (/^[ -]/.test(line)) before.push(line.slice(1))
      if (/^[ +]/.test(line)) after.push(line.slice(1))
    }
  }
  const input = ({ name, file, before, after }) => name === "Write"
    ? { file_path: file, content: after.join("\n") }
    : { file_path: file, old_string: before.join("\n"), new_string: after.join("\n") }
  if (!calls.length) return [{ names: ["Edit"], input: { file_path: "", old_string: "", new_string: String(patch ?? "") } }]
  return calls.map((call) => ({ names: [call.name], input: input(call) }))
}
