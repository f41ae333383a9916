// The OpenCode module as the host loads it: a copy in a separate plugin folder.
import assert from "node:assert/strict"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { after } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"

const TEMPLATES = fileURLToPath(new URL("../../targets/opencode/templates", import.meta.url))
export const scratch = mkdtempSync(path.join(tmpdir(), "plugcast-module-"))
after(() => rmSync(scratch, { recursive: true, force: true }))
let count = 0

// A plugin with this data and these files beside the module; `host` is what the host hands over.
export async function load({ data = {}, files = {}, folder = `${++count}`, host = {} }) {
  const root = path.join(scratch, folder)
  const base = { schema: "plugcast.opencode-module/1", plugin: `p${count}`, root_variable: "P_ROOT" }
  const all = {
    "package.json": '{"type":"module"}',
    "plugcast.plugin.json": JSON.stringify({ ...base, skill_folders: ["skills"], bodies: {}, agents: {}, ...data }),
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
    chmodSync(path.join(root, name), 0o755)
  }
  for (const file of readdirSync(TEMPLATES)) copyFileSync(path.join(TEMPLATES, file), path.join(root, file))
  const module = await import(pathToFileURL(path.join(root, "plugcast.plugin.js")))
  for (const exported of Object.values(module)) assert.equal(typeof exported, "function", "the host refuses other exports")
  return { root, module, hooks: await module.Plugin(host) }
}

// A host that keeps what the module logs, shows and says to sessions.
export function recorder(parents = {}) {
  const said = [], shown = [], prompts = []
  const client = {
    app: { log: async ({ body }) => void said.push(body) },
    tui: { showToast: async ({ body }) => void shown.push(body) },
    session: {
      get: async ({ path: { id } }) => ({ data: { id, parentID: parents[id] } }),
      prompt: async (call) => void prompts.push(call),
    },
  }
  return { client, said, shown, prompts }
}
