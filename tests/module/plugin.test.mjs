// The OpenCode module, loaded the way the host loads it: a copy in a separate plugin folder, and its hooks called.
// The expected texts of bodies were measured in the source host (Claude Code 2.1.330). Run: node --test tests/module
import assert from "node:assert/strict"
import { homedir } from "node:os"
import path from "node:path"
import { test } from "node:test"
import { load } from "./load.mjs"

// What the model gets when the user calls the command `name`, with the host's part for it.
async function call(hooks, name, args, part = { type: "text", text: `plugcast:${name}` }) {
  const output = { parts: [part] }
  await hooks["command.execute.before"]({ command: name, sessionID: "s", arguments: args }, output)
  return output.parts[0].text ?? output.parts[0].prompt
}

async function skill(text, extra = {}) {
  const bodies = { "p:s": { kind: "skill", file: "skills/s/SKILL.md", ...extra } }
  const plugin = await load({ data: { bodies }, files: { "skills/s/SKILL.md": text } })
  const prefix = `Base directory for this skill: ${plugin.root}/skills/s\n\n`
  return { ...plugin, prefix, run: async (args) => (await call(plugin.hooks, "p:s", args)).slice(prefix.length) }
}

test("frontmatter ends where the source host ends it", async () => {
  const head = "---\ndescription: d\n---\n"
  const cases = [
    [head + "T\nbody\n", "T\nbody\n"],
    [head + "\n\n  T\n\n\n", "T\n\n\n"],
    ["\uFEFF" + head + "T\n", "T\n"],
    [head.replaceAll("\n", "\r\n") + "T\r\n", "T\r\n"],
    ["\n" + head + "T\n", "\n" + head + "T\n"],
    ["---  \nd: d\n---\t\nT\n", "T\n"],
    ["---\nd: |\n  a\n  ---\n  b\n---\nT\n", "b\n---\nT\n"],
    ["---\nd: a --- b\n---\nT\n", "b\n---\nT\n"],
    ["---\nd: d\n----\nT\n", "-\nT\n"],
    ["---\nd: d\n---T\n", "T\n"],
    ["---\nd: d\n...\nT\n", "---\nd: d\n...\nT\n"],
    ["----\nd: d\n---\nT\n", "----\nd: d\n---\nT\n"],
    ["--- x\nd: d\n---\nT\n", "--- x\nd: d\n---\nT\n"],
    ["---\nd: d\nT\n", "---\nd: d\nT\n"],
    ["---\n---\nT\n", "T\n"],
    ["---\n\n---\n\n\tT\n", "T\n"],
    [head + "T\n---\nmore\n---\n", "T\n---\nmore\n---\n"],
    ["---\rd: d\r---\rT\r", "---\rd: d\r---\rT\r"],
    ["---\nd: d\n---", ""],
    ["T only", "T only"],
  ]
  for (const [text, want] of cases) assert.equal(await (await skill(text)).run(""), want, JSON.stringify(text))
})

// placeholder: [no arguments, `one "two three"`]
const PLACEHOLDERS = {
  $0: ["$0", "one"], $1: ["$1", "two three"], $2: ["$2", "$2"], $10: ["$10", "$10"], $01: ["$01", "two three"],
  $ARGUMENTS: ["", 'one "two three"'], "$ARGUMENTS[0]": ["$ARGUMENTS[0]", "one"], "$ARGUMENTS[01]": ["$ARGUMENTS[01]", "two three"],
  "$ARGUMENTS[5]": ["$ARGUMENTS[5]", "$ARGUMENTS[5]"], "$ARGUMENTS[-1]": ["[-1]", 'one "two three"[-1]'],
  "$ARGUMENTS[x]": ["[x]", 'one "two three"[x]'], "$ARGUMENTS[]": ["[]", 'one "two three"[]'], $ARGUMENTSX: ["X", 'one "two three"X'],
  $ARGUMENTS1: ["1", 'one "two three"1'], "${ARGUMENTS}": ["${ARGUMENTS}", "${ARGUMENTS}"], "${0}": ["${0}", "${0}"],
  $0x: ["$0x", "$0x"], $0_: ["$0_", "$0_"], "$0-": ["$0-", "one-"], x$0: ["x$0", "xone"], $$0: ["$$0", "$one"], $0é: ["$0é", "oneé"],
  "$0[1]": ["$0[1]", "one[1]"], "$1.00": ["$1.00", "two three.00"], "$5.00": ["$5.00", "$5.00"],
  $name: ["", "one"], $branch: ["", "two three"], $issue: ["", ""], $named: ["$named", "$named"], $name_: ["$name_", "$name_"],
  "$name-x": ["-x", "one-x"], "$name.x": [".x", "one.x"], $nameé: ["é", "oneé"], "$name[0]": ["$name[0]", "$name[0]"],
  "${name}": ["${name}", "${name}"], $nAme: ["$nAme", "$nAme"], "$name:$branch/$name": [":/", "one:two three/one"],
  "\\$5": ["$5", "$5"], "\\$5x": ["$5x", "$5x"], "\\$0\\$1": ["$0$1", "$0$1"], "\\$ARGUMENTS": ["$ARGUMENTS", "$ARGUMENTS"],
  "\\$ARGUMENTS[0]": ["$ARGUMENTS[0]", "$ARGUMENTS[0]"], "\\$ARGUMENTSX": ["$ARGUMENTSX", "$ARGUMENTSX"], "\\$name": ["$name", "$name"],
  "\\$name-x": ["$name-x", "$name-x"], "\\$namex": ["\\$namex", "\\$namex"], "\\$name[0]": ["\\$name[0]", "\\$name[0]"],
  "\\\\$0": ["\\\\$0", "\\\\one"], "\\\\\\$0": ["\\\\\\$0", "\\\\\\one"], "\\$x": ["\\$x", "\\$x"], "\\${0}": ["\\${0}", "\\${0}"],
  $HOME: ["$HOME", "$HOME"], "$*": ["$*", "$*"], "$@": ["$@", "$@"], $nope: ["$nope", "$nope"], "!`id` @file": ["!`id` @file", "!`id` @file"],
}

test("placeholders are filled as in the source host", async () => {
  const keys = Object.keys(PLACEHOLDERS)
  const { run } = await skill("---\nd: d\n---\n" + keys.join("\n|"), { arguments: ["name", "branch", "issue"] })
  for (const [n, args] of ["", 'one "two three"'].entries()) {
    const got = (await run(args)).split("\n|")
    keys.forEach((key, i) => assert.equal(got[i], PLACEHOLDERS[key][n], `${key} with ${JSON.stringify(args)}`))
  }
})

test("declared names: the longest wins, special characters are literal, `ARGUMENTS` may be one", async () => {
  const first = await skill("$name $name-x $named $a.b $axb", { arguments: ["named", "name", "name-x", "a.b"] })
  assert.equal(await first.run("1 2 3 4"), "2 3 1 4 $axb")
  assert.equal(await (await skill("$ARGUMENTS", { arguments: ["ARGUMENTS", "x"] })).run("1 2"), "1")
  assert.equal(await (await skill("$x|$y", { arguments: ["x", "x", "y"] })).run("1 2 3"), "1|3")
})

test("arguments that nothing used are appended", async () => {
  for (const text of ["none", "cost \\$5", "$5.00", "$nope", "$ARGUMENTS[5]", "${CLAUDE_PLUGIN_ROOT}", "\\$ARGUMENTS"])
    assert.match(await (await skill(text)).run("  one  "), /\n\nARGUMENTS: one$/, text)
  for (const text of ["$ARGUMENTS", "$0", "$ARGUMENTSX"])
    assert.doesNotMatch(await (await skill(text)).run("one"), /ARGUMENTS:/, text)
  assert.doesNotMatch(await (await skill("$issue", { arguments: ["name", "issue"] })).run("one"), /ARGUMENTS:/)
  assert.equal(await (await skill("$0")).run("$0"), "$0")
  assert.equal(await (await skill("none")).run(undefined), "none")
  assert.equal(await (await skill("none")).run("a\nb"), "none\n\nARGUMENTS: a\nb")
})

test("nothing in an argument is expanded again, but for the two folders", async () => {
  const { run, root } = await skill("$ARGUMENTS / $0 / $name", { arguments: ["name"] })
  for (const value of ["$1", "$0", "$ARGUMENTS", "$name", "\\$0", "$&", "$$", "$`", "$ARGUMENTS[1]"])
    assert.equal(await run(`'${value}' two`), `'${value}' two / ${value} / ${value}`)
  assert.equal(await run("${CLAUDE_PLUGIN_ROOT}"), `${root} / ${root} / ${root}`)
  assert.equal(await (await skill("none")).run("$0 \\$0"), "none\n\nARGUMENTS: $0 \\$0")
})

test("a command in an argument is broken up, as in the source host", async () => {
  assert.equal(await (await skill("$ARGUMENTS")).run("!`echo hi`"), "\\! `echo hi`")
  assert.equal(await (await skill("!`date` none")).run("!`echo hi`"), "!`date` none\n\nARGUMENTS: \\! `echo hi`")
})

// arguments: words, all as measured
const WORDS = [
  ["a  b\tc", ["a", "b", "c"]], ["'a b' c", ["a b", "c"]], ["\"a'b\" c", ["a'b", "c"]], ['a"b c"d e', ["ab cd", "e"]],
  ["'' x", ["", "x"]], ['"" \'\'', ["", ""]], ["a\\ b c", ["a b", "c"]], ['"a\\"b" c', ['a\\"b', "c"]], ["'a\\b' \"c\\d\" e\\f", ["a\\b", "c\\d", "ef"]],
  ["'a'\\''b' c", ["a'b", "c"]], ["a\\", ["a"]], ["C:\\dir\\x y", ["C:dirx", "y"]], ["a \\\nb", ["a", "b"]], ["a\\\nb", ["a", "b"]],
  ["it's fine", ["it's fine"]], ["don't won't x", ["dont wont", "x"]], ['He said "hi there', ["He", "said", '"hi there']], ["'", ["'"]], ['"a\' b', ['"a\' b']],
  ["x y' z w", ["x", "y' z w"]], ["the user's name", ["the", "user's name"]], ["a b'c d' e\"f g", ["a", "bc d", 'e"f g']],
  ["a;b c", ["a"]], ["a | b", ["a"]], ["a && b", ["a"]], ["R&D budget", ["R"]], ["a\nb c", ["a"]], ["a\r\nb", ["a"]], [";a b", ["a", "b"]], ["| a b", ["a", "b"]], ["|", ["|"]],
  ["a > b", ["a"]], ["why does a -> b fail?", ["why", "does", "a", "-"]], ["a 2>&1 b", ["a"]], ["a 12 >b", ["a", "12"]], [">a b", ["b"]], ["&>a b", ["b"]], ["Use <name> here", ["Use"]], ["<file> fix", ["<file>", "fix"]],
  ["(optional) x y", ["optional"]], ["e.g. foo (bar) baz", ["e.g.", "foo", "baz"]], ["(a (b) c) d", ["a", "c"]], ["fix bug in foo() please", ["fix", "bug", "in", "please"]], ["a(b) c", ["a", "c"]], ["a ) b", ["a"]],
  ["PR #5: it's done", ["PR"]], ["#12 x", ["#12", "x"]], ["a#b c", ["a#b", "c"]], ['"a #b" c', ["a #b", "c"]],
  ["$HOME x", ["$HOME", "x"]], ["a $b c", ["a", "c"]], ['a "$b" c', ["a", "$b", "c"]], ["a b$c d", ["a", "b$c", "d"]], ["cost is $5 ok", ["cost", "is", "ok"]], ["a $5.00 b", ["a", "$5.00", "b"]],
  ["$(a b) c", ["$(a b)", "c"]], ["a $(b c) d", ["a"]], ['a "$(b c)" d', ["a", "$(b c)", "d"]], ["`ls` x", ["ls` x"]], ["x `a b` c", ["x"]], ["a`b` c", ["a`b`", "c"]], ["${ x", ["${ x"]], ["x ${a", ["x"]], ["$& x", ["$"]],
  ["x=1 y=2 z w", ["z", "w"]], ["x=1 y=2", ["x=1", "y=2"]], ["a b=c d", ["a", "b=c", "d"]], ["a-b=c d", ["a-b=c", "d"]], ["if you can, fix it", ["you", "can,", "fix", "it"]], ["[WIP] fix", ["fix"]], ["[WIP]", ["[WIP]"]], ["declare war", ["declare"]],
  ["*.md ~/x {a,b} a!", ["*.md", "~/x", "{a,b}", "a!"]], ["é 日本 🎉", ["é", "日本", "🎉"]], ['--flag="x y" -z', ["--flag=x y", "-z"]],
]

test("arguments are split as in the source host", async () => {
  const { run } = await skill([0, 1, 2, 3, 4, 5].map((n) => `<$ARGUMENTS[${n}]>`).join(""))
  for (const [args, want] of WORDS)
    assert.equal(await run(args), [0, 1, 2, 3, 4, 5].map((n) => `<${want[n] ?? `$ARGUMENTS[${n}]`}>`).join(""), JSON.stringify(args))
})

test("splitting ends and stays literal on any input", async () => {
  const { run } = await skill("$0")
  const parts = ["'", '"', "`", "$", "(", ")", "{", "\\", "\n", "\r", " ", "\u00a0", "\u2028", ";", "<", ">", "&", "#", "=", "!", "[", "a", "1", "$(", "${", "$'"]
  let seed = 1
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n
  for (let n = 0; n < 5000; n++) await run(Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)]).join(""))
})

const BLOCK = "<!-- plugcast:on-this-host -->\n$ARGUMENTS $0 \\$5 $name ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIR}\n<!-- /plugcast:on-this-host -->\n"

test("in the generated block only the two folders are expanded, and its marks go", async () => {
  const { run, root } = await skill(`---\nd: d\n---\n${BLOCK}\nbody\n`, { arguments: ["name"] })
  const block = `$ARGUMENTS $0 \\$5 $name ${root} ${root}/skills/s\n`
  assert.equal(await run("one"), `${block}\nbody\n\n\nARGUMENTS: one`)
  const last = await skill(`a $ARGUMENTS\n${BLOCK.trimEnd()}`)
  assert.equal(await last.run("one"), `a one\n$ARGUMENTS $0 \\$5 $name ${last.root} ${last.root}/skills/s\n`)
  assert.match(await last.run(BLOCK), /<!-- plugcast/, "an argument that looks like a block is text")
})

test("a command has no base directory and no skill folder; a subtask's prompt is filled", async () => {
  const bodies = { "p:c": { kind: "command", file: "commands/c.md" }, "p:gone": { kind: "command", file: "commands/gone.md" } }
  const { hooks, root } = await load({ data: { bodies }, files: { "commands/c.md": "${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIR} $0\n" } })
  assert.equal(await call(hooks, "p:c", "x"), `${root} \${CLAUDE_SKILL_DIR} x\n`)
  assert.equal(await call(hooks, "p:c", "x", { type: "subtask", prompt: "plugcast:p:c" }), `${root} \${CLAUDE_SKILL_DIR} x\n`)
  assert.equal(await call(hooks, "p:c", "x", { type: "text", text: "the user's own" }), "the user's own")
  assert.equal(await call(hooks, "constructor", "x", { type: "text", text: "other" }), "other")
  const missing = await call(hooks, "p:gone", "")
  assert.ok(missing.includes("`commands/gone.md`") && missing.includes(root) && missing.includes("ENOENT"), missing)
})

test("the text of the skill tool is filled without arguments, for our skill only", async () => {
  const { hooks, root } = await skill("", { arguments: ["name"] })
  const dir = `${root}/skills/s`
  const frame = (text) => `<skill_content name="p:s">\n# Skill: p:s\n\n${text}\n\nBase directory for this skill: ${dir}/$ARGUMENTS\n</skill_content>`
  const after = async (input, metadata, text) => {
    const output = { output: frame(text), metadata }
    await hooks["tool.execute.after"](input, output)
    return output.output
  }
  const body = `a [$ARGUMENTS] $0 [$name] \\$5 \${CLAUDE_SKILL_DIR}\n${BLOCK.trimEnd()}`
  const want = frame(`a [] $0 [] $5 ${dir}\n$ARGUMENTS $0 \\$5 $name ${root} ${dir}\n`)
  assert.equal(await after({ tool: "skill", args: { name: "p:s" } }, { dir }, body), want)
  assert.equal(await after({ tool: "skill", args: { name: "p:s" } }, { dir: "/elsewhere" }, body), frame(body))
  assert.equal(await after({ tool: "skill", args: { name: "toString" } }, { dir }, body), frame(body))
  assert.equal(await after({ tool: "bash", args: { name: "p:s" } }, { dir }, body), frame(body))
  await hooks["tool.execute.after"]({ tool: "skill", args: { name: "p:s" } }, undefined)
})

test("what is registered: inert commands, agents without unknown or empty keys, the user's entries first", async () => {
  const bodies = {
    "p:a": { kind: "skill", file: "skills/a/SKILL.md", description: "d", user_only: true, arguments: ["x"] },
    "p:b": { kind: "command", file: "commands/b.md", description: "e", agent: "p:x:y", model: "m/n", subtask: true },
    "p:c": { kind: "command", file: "commands/c.md", user_only: true },
  }
  const agents = {
    "p:x:y": { file: "agents/x/y.md", description: "f", mode: "subagent", model: "m/n", color: "#00ff00", steps: 3, deny: ["edit"] },
    "p:z": { file: "agents/z.md" },
  }
  const files = { "agents/x/y.md": "\uFEFF---\nname: y\n---\n\n  Root ${CLAUDE_PLUGIN_ROOT} $ARGUMENTS ${CLAUDE_SKILL_DIR}\n" + BLOCK, "agents/z.md": "Z" }
  const { hooks, root } = await load({ data: { bodies, agents }, files })
  const config = {
    skills: { paths: ["/mine"] }, permission: { "*": "ask", skill: "allow", bash: "deny" },
    command: { "p:c": { template: "own" } }, agent: { "p:z": { temperature: 1, permission: {} }, other: { prompt: "o" } },
  }
  await hooks.config(config)
  const block = `$ARGUMENTS $0 \\$5 $name ${root} \${CLAUDE_SKILL_DIR}`
  assert.deepEqual(config, {
    skills: { paths: ["/mine", `${root}/skills`] },
    permission: { "*": "ask", bash: "deny", skill: { "*": "allow", "p:a": "deny" } },
    command: {
      "p:a": { description: "d", template: "plugcast:p:a$9999" },
      "p:b": { description: "e", agent: "p:x:y", model: "m/n", subtask: true, template: "plugcast:p:b$9999" },
      "p:c": { template: "own" },
    },
    agent: {
      other: { prompt: "o" },
      "p:x:y": {
        description: "f", mode: "subagent", model: "m/n", color: "#00ff00", steps: 3, permission: { edit: "deny" },
        prompt: `Root ${root} $ARGUMENTS \${CLAUDE_SKILL_DIR}\n${block}`,
      },
      "p:z": { prompt: "Z", temperature: 1, permission: {} },
    },
  })
})

test("a personal skill is denied under every form of the user's permission, unless allowed by name", async () => {
  const bodies = { "p:a": { kind: "skill", file: "skills/a/SKILL.md", user_only: true } }
  const cases = [
    [undefined, { skill: { "p:a": "deny" } }],
    ["allow", { "*": "allow", skill: { "*": "allow", "p:a": "deny" } }],
    [{ skill: { "x:*": "deny" } }, { skill: { "x:*": "deny", "p:a": "deny" } }],
    [{ skill: { "p:a": "ask" } }, { skill: { "p:a": "ask" } }],
    [{ skill: { "x:*": "deny" }, "*": "allow" }, { "*": "allow", skill: { "*": "allow", "p:a": "deny" } }],
  ]
  for (const [permission, want] of cases) {
    const { hooks } = await load({ data: { bodies } })
    const config = { permission }
    await hooks.config(config)
    assert.deepEqual(config.permission, want)
  }
})

// The host's own evaluation: the last rule that matches decides.
function matches(text, pattern) {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".").replace(/ \.\*$/, "( .*)?")
  return new RegExp(`^${source}$`, "s").test(text)
}
function decide(tool, text, ...permissions) {
  const rules = permissions.flatMap((permission) => Object.entries(permission).flatMap(([key, value]) =>
    typeof value === "string" ? [[key, "*", value]] : Object.entries(value).map(([pattern, action]) => [key, pattern, action])))
  return rules.findLast(([key, pattern]) => matches(tool, key) && matches(text, pattern))?.[2] ?? "ask"
}
const RANK = { deny: 0, ask: 1, allow: 2 }
const HOST = { "*": "allow", doom_loop: "ask", external_directory: "ask", question: "deny", read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" } }

async function permissionOf(agent, permission) {
  const { hooks, root } = await load({ data: { agents: { "p:x": { file: "x.md", ...agent } } } })
  const config = { permission }
  await hooks.config(config)
  return { root, of: config.agent["p:x"].permission }
}

test("files that an agent may write count from the project, whatever the host counts from", async () => {
  for (const [worktree, pattern] of [["/a b", "logs/**"], ["/", "a b/logs/**"], [undefined, "logs/**"]]) {
    const host = { directory: "/a b", worktree }
    const { hooks } = await load({ data: { agents: { "p:x": { file: "x.md", allow: { edit: ["logs/**"] } } } }, host, files: { "x.md": "X" } })
    const config = {}
    await hooks.config(config)
    assert.deepEqual(config.agent["p:x"].permission.edit, { "*": "deny", [pattern]: "allow" })
  }
})

test("an agent's limits", async () => {
  const allow = { read: true, bash: ["git *"], skill: ["p:*"] }
  const { root, of } = await permissionOf({ allow, deny: ["edit"] })
  assert.deepEqual(Object.entries(of), Object.entries({
    "*": "deny", invalid: "allow", doom_loop: "ask", external_directory: { "*": "ask", [`${root}/*`]: "allow" },
    read: HOST.read, bash: { "*": "deny", "git *": "allow" }, skill: { "*": "deny", "p:*": "allow" }, edit: "deny",
  }))
  const bash = async (user) => (await permissionOf({ allow: { bash: ["git *"] } }, { bash: user })).of.bash
  assert.deepEqual(await bash("ask"), { "*": "deny", "git *": "ask" })
  assert.equal(await bash("deny"), "deny")
  assert.deepEqual(await bash({ "*": "ask", "git log*": "allow", "rm *": "ask" }), { "*": "deny", "git *": "ask", "git log*": "allow" })
  assert.deepEqual(await bash({ "git push*": "deny" }), { "*": "deny", "git *": "allow", "git push*": "deny" })
  assert.deepEqual(await bash({ "git push*": "deny", "*": "allow" }), { "*": "deny", "git *": "allow" })
  assert.deepEqual(await bash({ "*--force*": "ask" }), { "*": "deny", "git *": "allow", "*--force*": "deny" })
  assert.equal((await permissionOf({ allow: { read: true } }, "ask")).of.read, "ask")
  assert.equal((await permissionOf({ allow: { read: true } }, { external_directory: "deny" })).of.external_directory, "deny")
  assert.equal((await permissionOf({}, "ask")).of, undefined)
  for (const agent of [{ allow: { "external_*": true, read: true } }, { deny: ["*_*"] }, { allow: { "doom_*": true } }]) {
    const { of } = await permissionOf(agent, "allow")
    assert.equal(decide("external_directory", "/etc/passwd", HOST, of), "allow")
    const asked = (await permissionOf(agent, { external_directory: "ask", doom_loop: "deny" })).of
    assert.equal(decide("external_directory", "/etc/passwd", HOST, asked), "ask")
    assert.equal(decide("doom_loop", "x", HOST, asked), "deny")
    const own = (await permissionOf(agent, {})).of
    assert.equal(decide("external_directory", "/etc/passwd", HOST, own), "ask")
    assert.equal(decide("doom_loop", "x", HOST, own), "ask")
  }
  const home = await permissionOf({ allow: { read: ["~/x/*"] } }, { read: { [`${homedir()}/x/*`]: "deny" } })
  assert.equal(home.of.read, "deny")
})

test("no limits of ours loosen what the user decided, nor go beyond the agent's own", async () => {
  let seed = 7
  const pick = (list) => list[(seed = (seed * 48271) % 2147483647) % list.length]
  const some = (counts, make) => Array.from({ length: pick(counts) }, make)
  const patterns = ["*", "a *", "a b*", "a", "a?", "*b*", "* c", "b *", "*c*", "a b c", "a*"]
  const texts = ["a", "b", "a b", "a c", "a b c", "ab", "b c", "x", "a bc", "ac b"]
  const tools = ["bash", "read", "s_one", "s_two", "s", "edit", "external_directory"]
  const keys = ["*", "bash", "read", "s_*", "s_one", "s", "s_o*", "s_??e", "*_two", "b*", "edit", "external_directory"]
  const actions = ["allow", "ask", "deny"]
  const rules = () => (pick([true, false]) ? pick(actions) : Object.fromEntries(some([1, 2, 3, 4], () => [pick(patterns), pick(actions)])))
  const limit = () => pick([true, some([1], () => pick(patterns)), some([2], () => pick(patterns))])
  const agents = Object.fromEntries(Array.from({ length: 30 }, (_, n) =>
    [`p:${n}`, { file: "x.md", allow: { [pick(["bash", "read"])]: limit(), [pick(["s_*", "s_one"])]: true } }]))
  const { hooks } = await load({ data: { agents } })
  for (let n = 0; n < 60; n++) {
    const user = Object.fromEntries(some([0, 1, 2, 3, 4], () => [pick(keys), rules()]))
    const config = { permission: user }
    await hooks.config(config)
    for (const [name, { allow }] of Object.entries(agents)) {
      const ours = config.agent[name].permission
      for (const tool of tools)
        for (const text of texts) {
          const got = decide(tool, text, HOST, user, ours)
          const bound = decide(tool, text, HOST, user)
          const set = Object.keys(allow).find((key) => matches(tool, key))
          const inside = tool === "external_directory" || (set && (allow[set] === true || allow[set].some((pattern) => matches(text, pattern))))
          if (RANK[got] > RANK[bound] || (!inside && got !== "deny")) assert.fail(JSON.stringify({ user, allow, ours, tool, text, got, bound }))
        }
    }
  }
})

test("PATH and the root variable are chained with what other plugins set", async () => {
  const { hooks, root } = await load({ files: { "bin/tool": "" } })
  const env = { PATH: "/one", OTHER: "x" }
  await hooks["shell.env"]({}, { env })
  assert.deepEqual(env, { PATH: `/one${path.delimiter}${root}/bin`, OTHER: "x", P_ROOT: root })
  const fresh = {}
  await hooks["shell.env"]({}, { env: fresh })
  assert.equal(fresh.PATH, `${process.env.PATH}${path.delimiter}${root}/bin`)
  const bare = await load({})
  const none = {}
  await bare.hooks["shell.env"]({}, { env: none })
  assert.deepEqual(none, { P_ROOT: bare.root })
})

test("loaded twice, one instance works and the other stays silent", async () => {
  const bodies = { "p:c": { kind: "command", file: "c.md" } }
  const { hooks, module, root } = await load({ data: { bodies }, files: { "c.md": "C", "bin/x": "" } })
  const twin = await module.Plugin({})
  const config = {}
  await hooks.config(config)
  await twin.config(config)
  await hooks.config(config)
  assert.deepEqual(config.skills.paths, [`${root}/skills`])
  const env = { PATH: "" }
  for (const each of [hooks, twin]) await each["shell.env"]({}, { env })
  assert.equal(env.PATH, `${root}/bin`)
  assert.equal(await call(twin, "p:c", ""), "plugcast:p:c")
  assert.equal(await call(hooks, "p:c", ""), "C")
  await twin.config({}) // another project of the same server
  assert.equal(await call(twin, "p:c", ""), "C")
})

test("a folder with any character in its name", async () => {
  const folder = "a b 'q' \"d\" é 日本 $0 $& $ARGUMENTS `x`"
  const { hooks, root } = await load({
    folder, data: { bodies: { "p:s": { kind: "skill", file: "skills/s/SKILL.md" }, "p:n": { kind: "command", file: "n.md" } } },
    files: { "skills/s/SKILL.md": "${CLAUDE_PLUGIN_ROOT} $0 ${CLAUDE_SKILL_DIR}" },
  })
  assert.equal(await call(hooks, "p:s", "x"), `Base directory for this skill: ${root}/skills/s\n\n${root} x ${root}/skills/s`)
  assert.ok((await call(hooks, "p:n", "x")).includes(root))
})

test("data of another version is refused", async () => {
  await assert.rejects(load({ data: { schema: "plugcast.opencode-module/2" } }), /plugcast.opencode-module\/2/)
})
