// Rules in `if` of hooks, against what the source host itself answers: `gates.json`, which `hosts::gates` holds to it.
import assert from "node:assert/strict"
import { mkdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { test } from "node:test"
import { load, recorder, scratch } from "./load.mjs"

const { rules, calls } = JSON.parse(readFileSync(new URL("gates.json", import.meta.url), "utf8"))
const project = path.join(scratch, "a project")
mkdirSync(project)
const home = path.join(scratch, "home")
const { root } = await load({})
const { gateOf } = await import(path.join(root, "plugcast.gates.js"))
const { commandsOf } = await import(path.join(root, "plugcast.shell.js"))

const placed = (value) => JSON.parse(JSON.stringify(value).replaceAll("{project}", project).replaceAll("{home}", home))

test("every rule holds for the calls for which it holds on the source host, and for no others", () => {
  assert.equal(commandsOf("git $HOME", "/a home").open, true)
  const gates = rules.map((rule) => [rule, gateOf(rule, { directory: project, home })])
  for (const { tool, input, holds } of calls) {
    const call = { names: tool === "Agent" ? ["Agent", "Task"] : [tool], input: placed(input) }
    assert.deepEqual(gates.filter(([, gate]) => gate(call)).map(([rule]) => rule), holds, `${tool} ${JSON.stringify(input)}`)
  }
})

test("an empty rule is none", () => {
  assert.equal(gateOf("", { directory: project }), undefined)
  assert.equal(gateOf(undefined, { directory: project }), undefined)
})

test("a long command line is read in a moment, and one that nests too deep is unclear", () => {
  const begun = Date.now()
  const lines = [`git commit -m '${"a \\\" b ".repeat(100_000)}'`, "a{".repeat(100_000), "a;".repeat(50_000), `"${"$(a) ".repeat(20_000)}"`]
  for (const line of lines) commandsOf(line, home)
  assert.ok(Date.now() - begun < 5_000)
  for (const line of ["( ".repeat(100_000), "if ".repeat(50_000), `"${"$(echo ".repeat(50_000)}`]) assert.equal(commandsOf(line, home), undefined)
})

test("a handler runs where its rule holds; handlers with the same command count each for themselves", async () => {
  const handler = (rule) => ({ type: "command", command: "echo no >&2; exit 2", timeout: 20, if: rule })
  const host = recorder()
  const hooks = {
    PreToolUse: [{ hooks: [handler("Edit(src/**)"), handler("Bash(git push:*)")] }],
    PostToolUse: [{ matcher: "Bash", hooks: [handler("Bash(ls)")] }],
    UserPromptSubmit: [{ hooks: [handler("Bash")] }],
  }
  const loaded = await load({ data: { hooks }, host: { client: host.client, directory: project } })
  await loaded.hooks.config({})
  const refused = (tool, args) =>
    loaded.hooks["tool.execute.before"]({ tool, sessionID: "s", callID: "c" }, { args }).then(() => false, () => true)
  assert.equal(await refused("bash", { command: "git status" }), false)
  assert.equal(await refused("bash", { command: "cd src && git push" }), true)
  assert.equal(await refused("edit", { filePath: "lib/a.ts", oldString: "a", newString: "b" }), false)
  assert.equal(await refused("edit", { filePath: "src/a.ts", oldString: "a", newString: "b" }), true)
  assert.equal(await refused("apply_patch", { patchText: "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch" }), true)
  for (const [command, told] of [["ls", "out\n\nno"], ["ls -l", "out"]]) {
    const output = { output: "out" }
    await loaded.hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: { command } }, output)
    assert.equal(output.output, told)
  }
  // A rule about tools never holds for an event without one.
  const message = { message: { id: "m", agent: "build" }, parts: [{ type: "text", text: "go" }] }
  await loaded.hooks["chat.message"]({ sessionID: "s" }, message)
  assert.equal(message.parts.length, 1)
})
