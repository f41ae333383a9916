// Hooks of a plugin on OpenCode: real handlers, called through the places where the host would call them.
import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { test } from "node:test"
import { load, recorder, scratch } from "./load.mjs"

process.env.XDG_DATA_HOME = path.join(scratch, "data")
const project = path.join(scratch, "a project")
mkdirSync(project)

const command = (text, more = {}) => ({ type: "command", command: text, timeout: 20, ...more })
const group = (matcher, ...handlers) => ({ matcher, hooks: handlers })
const block = (reason) => command(`echo "${reason}" >&2; exit 2`)
const say = (json) => command(`echo '${JSON.stringify(json)}'`)
const specific = (hookEventName, more) => say({ hookSpecificOutput: { hookEventName, ...more } })

async function plugin(hooks, { parents, ...more } = {}) {
  const host = recorder(parents)
  const loaded = await load({ data: { hooks }, host: { client: host.client, directory: project }, ...more })
  await loaded.hooks.config(more.config ?? {})
  return { ...loaded, ...host }
}

// What becomes of one call: its arguments, or the message that refuses it.
async function before(hooks, tool, args) {
  const output = { args }
  try {
    await hooks["tool.execute.before"]({ tool, sessionID: "s", callID: "c" }, output)
    return output.args
  } catch (error) {
    return error.message
  }
}

async function toldTo(event, fire, matcher) {
  const { hooks } = await plugin({ [event]: [group(matcher, command("cat >> told.json"))] })
  writeFileSync(path.join(project, "told.json"), "")
  await fire(hooks)
  return readFileSync(path.join(project, "told.json"), "utf8").split(/(?<=\})(?=\{)/).filter(Boolean).map((text) => JSON.parse(text))
}

test("a call is told to handlers as the source host tells it", async () => {
  const calls = [
    ["bash", { command: "ls" }, "Bash", { command: "ls" }],
    ["edit", { filePath: "a.txt", oldString: "x", newString: "y", replaceAll: true }, "Edit", { file_path: `${project}/a.txt`, old_string: "x", new_string: "y", replace_all: true }],
    ["write", { filePath: "/b.txt", content: "x" }, "Write", { file_path: "/b.txt", content: "x" }],
    ["grep", { pattern: "x", include: "*.md" }, "Grep", { pattern: "x", glob: "*.md" }],
    ["task", { prompt: "p", subagent_type: "p:x" }, "Agent", { prompt: "p", subagent_type: "p:x" }],
    ["skill", { name: "p:s" }, "Skill", { skill: "p:s" }],
    ["constructor", {}, "constructor", {}],
  ]
  for (const [tool, args, tool_name, tool_input] of calls) {
    const [told] = await toldTo("PreToolUse", (hooks) => before(hooks, tool, args))
    assert.deepEqual(told, {
      transcript_path: "", cwd: project, permission_mode: "default", hook_event_name: "PreToolUse",
      session_id: "s", tool_name, tool_input, tool_use_id: "c",
    })
  }
  assert.equal((await toldTo("PreToolUse", (hooks) => before(hooks, "invalid", {}))).length, 0)
})

test("matchers can match: names are exact, patterns need not be whole, and former names still mean their tool", async () => {
  const cases = [
    [undefined, "Bash", "bash"], ["", "Bash", "bash"], ["*", "Bash", "bash"], ["Bash", "Bash", "bash"], ["Edit|Bash", "Bash", "bash"],
    ["Edit, Bash", "Bash", "bash"], ["B.sh", "Bash", "bash"], ["^Ba", "Bash", "bash"], ["Bas", undefined, "bash"], ["bash", undefined, "bash"],
    ["Task", "Task", "task"], ["Agent", "Agent", "task"], ["Agent|Task", "Agent", "task"], ["mcp__.*", "mcp__plugin_demo_srv__echo", "plugin_demo_srv_echo"],
    ["mcp__plugin_demo_srv__echo", "mcp__plugin_demo_srv__echo", "plugin_demo_srv_echo"], ["mcp__git__hub_x", "mcp__git__hub_x", "git_hub_x"],
  ]
  for (const [matcher, want, tool] of cases) {
    const { hooks } = await plugin({ PreToolUse: [group(matcher, command("cat >&2; exit 2"))] }, { config: { mcp: { "plugin:demo:srv": {}, git: {}, gi: {} } } })
    const told = await before(hooks, tool, {})
    assert.equal(typeof told === "string" ? JSON.parse(told).tool_name : undefined, want, `${matcher} ${tool}`)
  }
})

test("an invalid matcher never matches, and is reported once", async () => {
  const { hooks, said } = await plugin({ PreToolUse: [group("(", block("no")), group("Bash", command("true"))] })
  assert.deepEqual(await before(hooks, "bash", { command: "x" }), { command: "x" })
  await before(hooks, "bash", {})
  assert.equal(said.filter(({ level, message }) => level === "warn" && message.includes("`(`")).length, 1)
})

test("every form of refusal refuses, and nothing else does", async () => {
  const pre = (more) => specific("PreToolUse", more)
  const cases = [
    [block("no"), "no"],
    [command("exit 2"), "blocked by a hook that gave no reason"],
    [say({ decision: "block", reason: "r" }), "r"],
    [say({ continue: false, stopReason: "s" }), "s"],
    [pre({ permissionDecision: "deny", permissionDecisionReason: "d" }), "d"],
    [pre({ permissionDecision: "deny" }), "denied by a hook that gave no reason"],
    [say({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "d" } }), "d"],
    [command(`echo '{"decision":"block","reason":"r"}'; exit 1`), "r"],
    [pre({ permissionDecision: "allow" })],
    [say({ decision: "approve" })],
    [specific("PostToolUse", { permissionDecision: "deny" })],
    [command("echo no")], [command("exit 1")], [command("no-such-command")], [command("echo '{broken'; exit 0")], [command("kill -9 $$")],
    [command("/no/such/file", { args: [] })], [command("cat", { type: "prompt" })], [command("echo '{\"hookSpecificOutput\":null}'")],
  ]
  for (const [handler, want] of cases) {
    const { hooks } = await plugin({ PreToolUse: [group("Bash", handler)] })
    assert.deepEqual(await before(hooks, "bash", { command: "x" }), want ?? { command: "x" }, JSON.stringify(handler))
  }
  for (const permissionDecision of ["ask", "defer", "anything"]) {
    const { hooks } = await plugin({ PreToolUse: [group("Bash", pre({ permissionDecision, permissionDecisionReason: "check it" }))] })
    assert.match(await before(hooks, "bash", {}), /^check it\nA hook wants the user to approve this call/)
  }
})

test("all handlers of an event run at once, the same one once, and every verdict counts", async () => {
  const { hooks } = await plugin({
    PreToolUse: [
      // each waits for the other: one after the other they would not end
      group("Bash", command("touch one; until [ -e two ]; do sleep 0.05; done; echo first >&2; exit 2")),
      group("*", command("touch two; until [ -e one ]; do sleep 0.05; done; echo second >&2; exit 2"), command("echo x >> count")),
      group("Bash", command("echo x >> count"), command("echo", { args: ["x"] })),
    ],
  })
  assert.equal(await before(hooks, "bash", {}), "first\nsecond")
  assert.equal(readFileSync(path.join(project, "count"), "utf8"), "x\n")
})

test("of a handler that is given twice the last one counts", async () => {
  const block = "echo no >&2; exit 2"
  const twice = async (first, last) => {
    const { hooks } = await plugin({ PreToolUse: [group("Bash", command(block, first)), group("*", command(block, last))] })
    return before(hooks, "bash", { command: "x" })
  }
  assert.equal(await twice({ async: true }, {}), "no")
  assert.deepEqual(await twice({}, { async: true }), { command: "x" })
})

test("two events do not take each other's place", async () => {
  const { hooks } = await plugin({ PreToolUse: [group("Bash", block("before"))], PostToolUse: [group("Read", block("after"))] })
  assert.equal(await before(hooks, "bash", {}), "before")
  const output = { output: "text" }
  await hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "c", args: { filePath: "x" } }, output)
  assert.equal(output.output, "text\n\nafter")
})

test("an input is changed in place, under the host's names", async () => {
  const { hooks } = await plugin({ PreToolUse: [group("Edit", specific("PreToolUse", { updatedInput: { file_path: "/x", new_string: "z" } }))] })
  const args = { filePath: "a", oldString: "o", newString: "n" }
  assert.equal(await before(hooks, "edit", args), args)
  assert.deepEqual(args, { filePath: "/x", oldString: "o", newString: "z" })
  assert.match(await before(hooks, "apply_patch", { patchText: "*** Update File: a" }), /is not possible for a patch/)
})

test("a patch is told as one call per file", async () => {
  const patchText = [
    "*** Begin Patch", "*** Add File: new file.txt ", "+one", "+two", "*** Update File: /old.txt", "*** Move to: moved.txt", "@@ head", " same", "-gone", "+come",
    "*** Delete File: dead.txt", "*** End Patch",
  ].join("\n")
  const told = await toldTo("PreToolUse", (hooks) => before(hooks, "apply_patch", { patchText }))
  const by = (a, b) => (a.tool_input.file_path < b.tool_input.file_path ? -1 : 1)
  assert.deepEqual(told.sort(by).map(({ tool_name, tool_input }) => [tool_name, tool_input]), [
    ["Write", { file_path: `${project}/new file.txt`, content: "one\ntwo" }],
    ["Edit", { file_path: "/old.txt", old_string: "same\ngone", new_string: "same\ncome" }],
    ["Write", { file_path: `${project}/moved.txt`, content: "same\ncome" }],
    ["Edit", { file_path: `${project}/dead.txt`, old_string: "", new_string: "" }],
  ].sort((a, b) => by({ tool_input: a[1] }, { tool_input: b[1] })))
  const { hooks } = await plugin({ PreToolUse: [group("Write", command("grep -q moved.txt && exit 2; exit 0"))] })
  assert.equal(typeof (await before(hooks, "apply_patch", { patchText })), "string")
})

test("a result is told, and what handlers say is added to it", async () => {
  const { hooks } = await plugin({
    PreToolUse: [group("*", specific("PreToolUse", { additionalContext: "beside" }))],
    PostToolUse: [group("*", command("echo not for the model"), block("wrong"), specific("PostToolUse", { additionalContext: "more" }), say({ decision: "block", reason: "again" }))],
  })
  await before(hooks, "bash", {})
  const text = { output: "out" }
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, text)
  assert.equal(text.output, "out\n\nbeside\nwrong\nagain\nmore")
  const server = { content: [{ type: "text", text: "out" }] }
  await hooks["tool.execute.after"]({ tool: "srv_x", sessionID: "s", callID: "d", args: {} }, server)
  assert.deepEqual(server.content[1], { type: "text", text: "wrong\nagain\nmore" })
  const after = (hooks) => hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: { command: "x" } }, { output: "out" })
  assert.deepEqual((await toldTo("PostToolUse", after))[0].tool_response, { stdout: "out", stderr: "", interrupted: false, isImage: false })
})

test("a handler's process: variables, folders, no shell for arguments, time and children", async () => {
  const folder = "it's \"a\" $HOME `folder`"
  const { hooks, root } = await plugin({
    PreToolUse: [
      group("Bash", command('printf "%s|" "${CLAUDE_PLUGIN_ROOT}" "$CLAUDE_PROJECT_DIR" "$CLAUDE_PLUGIN_DATA" "$PWD" >&2; test -d "$CLAUDE_PLUGIN_DATA" && exit 2')),
      group("Read", command("${CLAUDE_PLUGIN_ROOT}/run", { args: ["${CLAUDE_PLUGIN_ROOT}", "$HOME"] })),
      group("Glob", command("sleep 300 & sleep 300", { timeout: 0.3 })),
      group("Grep", command("sleep 300 & echo '{\"decision\":\"block\",\"reason\":\"quick\"}'")),
      group("Write", command("sleep 2", { async: true })),
    ],
  }, { folder, files: { run: '#!/bin/sh\nprintf "%s|" "$@" >&2\nexit 2\n' } })
  const data = `${process.env.XDG_DATA_HOME}/opencode/plugcast/`
  const [first, second, third, fourth] = (await before(hooks, "bash", {})).split("|")
  assert.deepEqual([first, second, path.dirname(third) + "/", fourth], [root, project, data, project])
  assert.equal(await before(hooks, "read", {}), `${root}|$HOME|`)
  for (const [tool, want] of [["glob", {}], ["grep", "quick"], ["write", {}]]) assert.deepEqual(await before(hooks, tool, {}), want)
})

test("a script's path stands in a plain text, not in code: nothing of it is evaluated", async () => {
  const { hooks, root } = await plugin({ PreToolUse: [group("Bash", command('"${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh" `echo 1` ${PATH:+2}'))] },
    { files: { "scripts/guard.sh": '#!/bin/sh\necho "$0 $*" >&2\nexit 2\n' } })
  assert.equal(await before(hooks, "bash", {}), `${root}/scripts/guard.sh 1 2`)
})

// One message of the user or of the host, as {text of the parts, error}.
async function message(hooks, text, { session = "s", synthetic } = {}) {
  const output = { message: { id: "m", agent: "build" }, parts: [{ type: "text", text, synthetic }] }
  try {
    await hooks["chat.message"]({ sessionID: session }, output)
    return output.parts.map((part) => part.text)
  } catch (error) {
    return error.message
  }
}

test("a prompt is refused or added to, once and only if the user typed it", async () => {
  const told = 'grep -q \'"prompt":"/p:c a b"\' && echo command; exit 0'
  const { hooks, shown } = await plugin({ UserPromptSubmit: [group("ignored", command("grep -q stop && { echo halt >&2; exit 2; }; echo plain"), specific("UserPromptSubmit", { additionalContext: "more" }), command(told))] }, { parents: { child: "s" } })
  assert.deepEqual(await message(hooks, "go"), ["go", "plain\nmore"])
  assert.deepEqual(await message(hooks, "go", { session: "child" }), ["go"])
  assert.deepEqual(await message(hooks, "go", { synthetic: true }), ["go"])
  assert.equal(await message(hooks, "stop"), "halt")
  assert.deepEqual(shown.map(({ message }) => message), ["halt"])
  await hooks["command.execute.before"]({ command: "p:c", sessionID: "s", arguments: "a b" }, { parts: [] })
  assert.deepEqual(await message(hooks, "the expanded text"), ["the expanded text", "plain\ncommand\nmore"])
  assert.deepEqual(await message(hooks, "go"), ["go", "plain\nmore"])
})

async function systemOf(hooks, sessionID, prompt = "base") {
  const output = { system: [prompt] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system.slice(1)
}

test("SessionStart speaks once a session, in every request of it but the title's", async () => {
  const count = command("echo x >> starts; echo said")
  const { hooks } = await plugin({ SessionStart: [group("startup", count), group("resume", command("echo resumed")), group("compact", command("echo compacted"))], SubagentStart: [group("p:x", command("echo child"))] }, { parents: { child: "s", other: "s" } })
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "s" } } } })
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s" } } } })
  assert.deepEqual(await systemOf(hooks, "s"), ["said"])
  assert.deepEqual(await systemOf(hooks, "s"), ["said"])
  assert.deepEqual(await systemOf(hooks, "s", "You are a title generator. x"), [])
  assert.deepEqual(await systemOf(hooks, undefined), [])
  assert.equal(readFileSync(path.join(project, "starts"), "utf8"), "x\n")
  assert.deepEqual(await systemOf(hooks, "older"), ["resumed"])
  for (const [session, agent] of [["child", "p:x"], ["other", "p:y"]])
    await hooks["chat.message"]({ sessionID: session }, { message: { id: "m", agent }, parts: [{ type: "text", text: "task" }] })
  assert.deepEqual(await systemOf(hooks, "child"), ["child"])
  assert.deepEqual(await systemOf(hooks, "other"), [])
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } })
  assert.deepEqual(await systemOf(hooks, "s"), ["compacted"])
})

test("Stop keeps a turn going, says that it did, and ends after a while", async () => {
  const idle = (sessionID) => ({ event: { type: "session.idle", properties: { sessionID } } })
  const active = 'grep -q \'"stop_hook_active":true,"last_assistant_message":"bye"\' && echo again >&2 || echo first >&2; exit 2'
  const { hooks, prompts, said } = await plugin({ Stop: [group(undefined, command(active))], SubagentStop: [group(undefined, block("never"))] }, { parents: { child: "s" } })
  await message(hooks, "go")
  await hooks["experimental.text.complete"]({ sessionID: "s" }, { text: "bye" })
  for (let n = 0; n < 9; n++) await hooks.event(idle("s"))
  assert.equal(prompts.length, 8)
  assert.deepEqual(prompts[0], { path: { id: "s" }, body: { agent: "build", model: undefined, parts: [{ type: "text", text: "Stop hook feedback:\nfirst", synthetic: true }] } })
  assert.equal(prompts[1].body.parts[0].text, "Stop hook feedback:\nagain")
  assert.equal(said.filter(({ message }) => message.includes("8 times")).length, 1)
  await hooks.event(idle("child"))
  await hooks.event({ event: { type: "session.error", properties: { sessionID: "s", error: { name: "MessageAbortedError" } } } })
  await hooks.event(idle("s"))
  assert.equal(prompts.length, 8)
})

test("a compaction, a question for permission and the end of a session are told", async () => {
  const compacting = async (hooks) => {
    await hooks.event({ event: { type: "message.part.updated", properties: { part: { type: "compaction", sessionID: "s", auto: false } } } })
    await hooks["experimental.session.compacting"]({ sessionID: "s" }, { context: [] })
  }
  assert.equal((await toldTo("PreCompact", compacting, "manual"))[0].trigger, "manual")
  const { hooks } = await plugin({ PreCompact: [group("auto", command("echo keep the names"), block("no"))] })
  const output = { context: [] }
  await hooks["experimental.session.compacting"]({ sessionID: "s" }, output)
  assert.deepEqual(output.context, ["keep the names"])
  const asked = (hooks) => hooks.event({ event: { type: "permission.asked", properties: { sessionID: "s", permission: "bash", patterns: ["ls"] } } })
  assert.match((await toldTo("Notification", asked, "permission_prompt"))[0].message, /bash ls$/)
  const ended = (hooks) => hooks.event({ event: { type: "session.deleted", properties: { info: { id: "s" } } } })
  assert.equal((await toldTo("SessionEnd", ended))[0].reason, "other")
  const closed = async (hooks) => {
    await message(hooks, "go")
    await hooks.dispose()
  }
  assert.equal((await toldTo("SessionEnd", closed)).length, 1)
})

test("loaded twice, hooks fire once", async () => {
  const { hooks, module, client } = await plugin({ PreToolUse: [group("Bash", command("echo x >> fired"))] })
  const config = {}
  const pair = [await module.Plugin({ client, directory: project }), await module.Plugin({ client, directory: project })]
  for (const each of pair) await each.config(config)
  for (const each of pair) await before(each, "bash", {})
  assert.equal(readFileSync(path.join(project, "fired"), "utf8"), "x\n")
  assert.ok(hooks)
})

test("a host without a client, and data without hooks, cause no error", async () => {
  const bare = await load({ data: { hooks: { Stop: [group(undefined, block("x"))], PreToolUse: [group("(", block("x"))] } } })
  await bare.hooks.config({})
  await bare.hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
  await bare.hooks.event({ event: { type: "server.connected" } })
  const none = await plugin(undefined)
  assert.deepEqual(await before(none.hooks, "bash", { command: "x" }), { command: "x" })
  await none.hooks.dispose()
})

test("a call that fails is told as one, and no other", async () => {
  const after = (hooks, tool, output, args = {}) =>
    hooks["tool.execute.after"]({ tool, sessionID: "s", callID: "c", args }, output)
  const failed = { output: "no such file", metadata: { exit: 3 } }
  const both = async (fire) => [await toldTo("PostToolUse", fire), await toldTo("PostToolUseFailure", fire)]
  const [plain, failure] = await both((hooks) => after(hooks, "bash", { ...failed }, { command: "cat x" }))
  assert.deepEqual(plain, [])
  assert.deepEqual(failure, [{
    transcript_path: "", cwd: project, permission_mode: "default", hook_event_name: "PostToolUseFailure", session_id: "s",
    tool_name: "Bash", tool_input: { command: "cat x" }, error: "Exit code 3\nno such file", is_interrupt: false, tool_use_id: "c",
  }])
  const [fine, none] = await both((hooks) => after(hooks, "bash", { output: "", metadata: { exit: 0 } }))
  assert.deepEqual([fine.length, none.length], [1, 0])

  const part = (error, callID = "d") =>
    ({ event: { type: "message.part.updated", properties: { part: { type: "tool", tool: "read", callID, sessionID: "s", state: { status: "error", input: { filePath: "/x" }, error } } } } })
  const told = await toldTo("PostToolUseFailure", async (hooks) => {
    await hooks.event(part("File not found"))
    await hooks.event(part("File not found"))
    await hooks.event(part("The user rejected permission to use this specific tool call.", "e"))
  })
  assert.deepEqual(told.map(({ tool_name, tool_input, error }) => [tool_name, tool_input, error]), [["Read", { file_path: "/x" }, "File not found"]])
  assert.equal((await toldTo("PostToolUseFailure", (hooks) => hooks.event(part("Tool execution aborted"))))[0].is_interrupt, true)

  const { hooks } = await plugin({ PostToolUseFailure: [group("Bash", block("mind the code"))] })
  const output = { ...failed }
  await after(hooks, "bash", output)
  assert.equal(output.output, "no such file\n\nmind the code")
})

test("a call that a hook refuses does not count as failed", async () => {
  const { hooks } = await plugin({
    PreToolUse: [group("Read", block("no"))],
    PostToolUseFailure: [group("", command("echo failed >> refused.txt"))],
  })
  await before(hooks, "read", { filePath: "/x" })
  const state = { status: "error", input: { filePath: "/x" }, error: "no" }
  const part = { type: "tool", tool: "read", callID: "c", sessionID: "s", state }
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } })
  assert.equal(existsSync(path.join(project, "refused.txt")), false)
})

test("what a hook of SessionStart writes to its CLAUDE_ENV_FILE reaches later commands of that session", async () => {
  const write = (line) => command(`echo '${line}' >> "$CLAUDE_ENV_FILE"`)
  const { hooks } = await plugin({
    SessionStart: [group("startup", write("PLAIN=plain"), write(`export PATH="/own/bin:$PATH" TEXT="its two
lines"`), command("true"))],
    PreToolUse: [group("Bash", command('echo "[$CLAUDE_ENV_FILE]" >> seen.txt'))],
  }, { parents: { child: "s" } })
  const environment = async (sessionID) => {
    const output = { env: { PATH: "/bin:/usr/bin" } }
    await hooks["shell.env"]({ cwd: project, sessionID }, output)
    const { PATH, PLAIN, TEXT } = output.env
    return { PATH, PLAIN, TEXT }
  }
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "s" } } } })
  const all = { PATH: "/own/bin:/bin:/usr/bin", PLAIN: "plain", TEXT: "its two\nlines" }
  assert.deepEqual(await environment("s"), all)
  assert.deepEqual(await environment("child"), all)
  assert.deepEqual(await environment("other"), { PATH: "/bin:/usr/bin", PLAIN: undefined, TEXT: undefined })
  await before(hooks, "bash", { command: "ls" })
  assert.equal(readFileSync(path.join(project, "seen.txt"), "utf8"), "[]\n")
})

test("a list of arguments holds what the user was asked for", async () => {
  process.env.CLAUDE_PLUGIN_OPTION_SEA = "calm"
  const args = ["${CLAUDE_PLUGIN_OPTION_SEA:-high}", "${CLAUDE_PLUGIN_OPTION_PORT:-north}", "${CLAUDE_PLUGIN_OPTION_SHIP}"]
  const { hooks } = await plugin({ PreToolUse: [group("", command("sh", { args: ["-c", 'printf "%s," "$@" > args.txt', "x", ...args] }))] })
  await before(hooks, "read", {})
  delete process.env.CLAUDE_PLUGIN_OPTION_SEA
  assert.equal(readFileSync(path.join(project, "args.txt"), "utf8"), "calm,north,${CLAUDE_PLUGIN_OPTION_SHIP},")
})
