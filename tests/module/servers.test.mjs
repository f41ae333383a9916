// Servers of a plugin in OpenCode's configuration.
import assert from "node:assert/strict"
import path from "node:path"
import { test } from "node:test"
import { load, recorder, scratch } from "./load.mjs"

process.env.XDG_DATA_HOME = path.join(scratch, "data")
process.env.SHORE = "north"
delete process.env.NOWHERE

async function configured(data, config = {}, more = {}) {
  const host = recorder()
  const { hooks, root } = await load({ data, host: { client: host.client, directory: "/project" }, ...more })
  await hooks.config(config)
  return { config, root, ...host }
}

const variables = (root, plugin) => ({
  CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: "/project", CLAUDE_PLUGIN_DATA: `${process.env.XDG_DATA_HOME}/opencode/plugcast/${plugin}`,
})

test("a local server gets its files, its variables and the user's word", async () => {
  const command = ["./bin/it's", "./not-there", "${CLAUDE_PLUGIN_ROOT}/x", "${SHORE}-${OTHER:-south}", "${NOWHERE}", "${CLAUDE_PROJECT_DIR}", "$SHORE"]
  const data = { plugin: "tide", mcp: { "plugin:tide:srv": { type: "local", command, environment: { A: "${SHORE}", B: "b" } } } }
  const files = { "bin/it's": "" }
  const { config, root, said } = await configured(data, { mcp: { other: { enabled: true } } }, { files, folder: "a 'b' \"c\" $& é" })
  assert.deepEqual(config.mcp, {
    other: { enabled: true },
    "plugin:tide:srv": {
      type: "local",
      command: [`${root}/bin/it's`, "./not-there", `${root}/x`, "north-south", "${NOWHERE}", "/project", "$SHORE"],
      environment: { ...variables(root, "tide"), A: "north", B: "b" },
    },
  })
  assert.deepEqual(said.map(({ level, message }) => [level, message]), [["warn", "tide: servers name variables that are not set: NOWHERE"]])
  const user = { enabled: false, environment: { B: "mine" } }
  const { config: own } = await configured(data, { mcp: { "plugin:tide:srv": user } })
  assert.equal(own.mcp["plugin:tide:srv"].enabled, false)
  assert.deepEqual([own.mcp["plugin:tide:srv"].type, own.mcp["plugin:tide:srv"].environment.A, own.mcp["plugin:tide:srv"].environment.B], ["local", "north", "mine"])
})

test("a remote server gets its variables", async () => {
  const server = { type: "remote", url: "https://${SHORE}.example/${NOWHERE:-}", headers: { Authorization: "Bearer ${SHORE}" } }
  const { config } = await configured({ mcp: { "plugin:tide:far": server } })
  assert.deepEqual(config.mcp, { "plugin:tide:far": { type: "remote", url: "https://north.example/", headers: { Authorization: "Bearer north" } } })
})

test("a language server is added without turning the host's own on, unless the user wants none", async () => {
  const data = { plugin: "tide", lsp: { "plugin:tide:notes": { command: ["${CLAUDE_PLUGIN_ROOT}/ls"], extensions: [".txt"], initialization: { a: 1, b: ["${CLAUDE_PLUGIN_ROOT}/c"] } } } }
  const ours = (root) => ({ command: [`${root}/ls`], extensions: [".txt"], initialization: { a: 1, b: [`${root}/c`] }, env: variables(root, "tide") })
  const { config, root } = await configured(data)
  const { "plugin:tide:notes": added, ...others } = config.lsp
  assert.deepEqual(added, ours(root))
  assert.ok(others.typescript && Object.values(others).every((server) => server.disabled === true && Object.keys(server).length === 1))
  const all = await configured(data, { lsp: true })
  assert.deepEqual(all.config.lsp, { "plugin:tide:notes": ours(all.root) })
  const some = await configured(data, { lsp: { gopls: { disabled: true }, "plugin:tide:notes": { disabled: true } } })
  assert.deepEqual(some.config.lsp, { gopls: { disabled: true }, "plugin:tide:notes": { ...ours(some.root), disabled: true } })
  assert.deepEqual((await configured(data, { lsp: false })).config.lsp, false)
})

test("without servers the configuration stays as it is", async () => {
  const { config } = await configured({})
  assert.deepEqual([config.mcp, config.lsp], [undefined, undefined])
})
