// Handlers of hooks, run as the source host (Claude Code 2.1.330) runs them: JSON on standard input, exit code 2 or
// JSON on standard output decides, all handlers of an event run at once, identical ones once.
import { spawn } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import path from "node:path"
import { gateOf } from "./plugcast.gates.js"

// Seconds until a handler without a `timeout` is ended.
const LIMIT = 600
const LIMITS = { UserPromptSubmit: 30, SessionEnd: 1.5 }
// Milliseconds that a handler's output may stay open after its end: a background child may keep it open for ever.
const GRACE = 500

// Whether `matcher` matches a name. A list of names is exact; anything else is a pattern that may match a part.
function matcherOf(matcher, complain) {
  if (!matcher || matcher === "*") return () => true
  if (/^[\w|, -]+$/.test(matcher)) {
    const names = matcher.split(/[|,]/).map((name) => name.trim())
    return (name) => names.includes(name)
  }
  try {
    const pattern = new RegExp(matcher)
    return (name) => pattern.test(name)
  } catch {
    complain(`the matcher \`${matcher}\` is not a regular expression: its hooks never run`)
    return () => false
  }
}

// The handlers of a plugin. `variables` are those of the source host; `say` takes (level, message).
// The result fires an event: `names` are the names of its subject, or absent when the event has no matcher.
export function handlersOf(hooks, { variables, directory, say }) {
  const complain = (message) => say("warn", message)
  const groupsOf = new Map(Object.entries(hooks ?? {}).map(([event, groups]) => [event, groups.map((group) => ({
    matches: matcherOf(group.matcher, complain),
    handlers: group.hooks.filter((handler) => handler.type === "command").map((handler) => ({ handler, gate: gateOf(handler.if, { directory }) })),
  }))]))
  return {
    has: (...events) => events.some((event) => groupsOf.has(event)),
    // `environment` returns further variables for one handler.
    fire: async (event, names, input, environment) => {
      const told = { transcript_path: "", cwd: directory, permission_mode: "default", hook_event_name: event, ...input }
      const [meant, started] = [new Map(), new Map()]
      for (const { matches, handlers } of groupsOf.get(event) ?? []) {
        const name = names?.find(matches)
        if (names && name === undefined) continue
        // Of identical handlers the last one counts. A rule tests a tool: a handler with a rule never runs for an event
        // without a tool.
        for (const { handler, gate } of handlers)
          if (!gate || (told.tool_name && gate({ names, input: told.tool_input })))
            meant.set(JSON.stringify([handler.shell, handler.command, handler.args, handler.if]), { handler, name })
      }
      for (const [key, { handler, name }] of meant) {
        const own = told.tool_name ? { ...told, tool_name: name } : told
        const ended = run(handler, event, own, { variables, directory, more: environment?.() })
        started.set(key, handler.async === true ? undefined : ended)
        ended.then(({ failure, stderr }) => failure && complain(`a hook of ${event} ${failure}: ${stderr.trim() || handler.command}`))
      }
      return verdictOf(event, (await Promise.all(started.values())).filter(Boolean))
    },
  }
}

// ---- one process ----

// The text of a command with its variables filled in. Values that a shell would parse are left to the shell, which
// has the same variables in its environment.
function filled(text, variables, bare) {
  let out = text
  for (const [name, value] of Object.entries(variables))
    if (bare || !/["$`\\]/.test(value)) out = out.replaceAll(`\${${name}}`, () => value)
  // Options of the user, where no shell parses them.
  if (bare) out = out.replace(/\$\{(CLAUDE_PLUGIN_OPTION_\w+)(?::-([^}]*))?\}/g, (whole, name, other) => process.env[name] ?? other ?? whole)
  return out
}

export function shellFor(command) {
  if (process.platform !== "win32") return ["/bin/sh", ["-c", command], {}]
  const folders = ["ProgramFiles", "ProgramW6432", "LocalAppData"].map((name) => process.env[name]).filter(Boolean)
  const bash = folders.flatMap((folder) => ["Git", "Programs/Git"].map((git) => path.join(folder, git, "bin/bash.exe"))).find(existsSync)
  return bash ? [bash, ["-c", command], {}] : [command, [], { shell: true }]
}

// Ends the process with all of its children: on POSIX it leads its own process group.
function end(child) {
  try {
    if (process.platform === "win32") spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { windowsHide: true }).on("error", () => {})
    else process.kill(-child.pid, "SIGKILL")
  } catch {
    // it has already ended
  }
}

// Runs one handler. `failure` says why its outcome does not count; `code` is undefined when it did not end by itself.
function run(handler, event, input, { variables, directory, more: further }) {
  const seconds = handler.timeout > 0 ? handler.timeout : (LIMITS[event] ?? LIMIT)
  return new Promise((resolve) => {
    const out = { code: undefined, stdout: "", stderr: "", failure: undefined }
    let timer, child
    const finish = (more) => {
      clearTimeout(timer)
      // its children keep running, but their output is ignored
      child?.stdout?.destroy()
      child?.stderr?.destroy()
      resolve({ ...out, ...more })
    }
    try {
      mkdirSync(variables.CLAUDE_PLUGIN_DATA, { recursive: true })
    } catch {
      // a handler that needs the folder reports it itself
    }
    try {
      const [file, args, more] = Array.isArray(handler.args)
        ? [filled(handler.command, variables, true), handler.args.map((arg) => filled(arg, variables, true)), {}]
        : shellFor(filled(handler.command, variables, false))
      const env = { ...process.env, ...variables, ...further }
      child = spawn(file, args, { cwd: directory, detached: process.platform !== "win32", windowsHide: true, env, ...more })
    } catch (error) {
      return finish({ failure: "could not be started", stderr: String(error) })
    }
    timer = setTimeout(() => {
      end(child)
      finish({ failure: `was ended after ${seconds} seconds` })
    }, Math.min(seconds * 1000, 2 ** 31 - 1))
    child.stdout.setEncoding("utf8").on("data", (text) => (out.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (out.stderr += text))
    child.stdin.on("error", () => {}) // a handler may ignore its input
    child.stdin.end(JSON.stringify(input))
    child.on("error", (error) => finish({ failure: "could not be started", stderr: String(error) }))
    child.on("exit", (code, signal) => {
      const failure = code === 0 || code === 2 ? undefined : signal ? `was ended by ${signal}` : `failed with exit code ${code}`
      const done = () => finish({ code: code ?? undefined, failure })
      child.on("close", done)
      setTimeout(done, GRACE).unref()
    })
  })
}

// ---- what handlers decided ----

function jsonOf(stdout) {
  const text = stdout.trim()
  if (!text.startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const text = (...values) => values.find((value) => typeof value === "string" && value.trim())?.trim()

// Why one handler refuses; undefined when it does not. A hook that asks is refused, since hooks cannot ask the user here.
function refusal(event, { code, stderr }, json, own) {
  const decision = event === "PreToolUse" ? own.permissionDecision : undefined
  if (json.decision === "block") return text(json.reason, stderr) ?? "blocked by a hook that gave no reason"
  if (decision === "deny") return text(own.permissionDecisionReason, json.reason) ?? "denied by a hook that gave no reason"
  if (decision !== undefined && decision !== "allow") {
    const reason = text(own.permissionDecisionReason, json.reason)
    return `${reason ? `${reason}\n` : ""}A hook wants the user to approve this call, and hooks cannot ask here, so the call is refused. Ask the user how to continue.`
  }
  if (code === 2) return text(stderr) ?? "blocked by a hook that gave no reason"
}

// All verdicts of one event: {refusal, halt, context, plain, input, message}, each undefined when no handler gave it.
// A failed handler can only refuse, by its JSON.
export function verdictOf(event, runs) {
  const found = { refusal: [], halt: [], context: [], plain: [], message: [] }
  let input
  for (const ended of runs) {
    const json = jsonOf(ended.stdout)
    const specific = json?.hookSpecificOutput
    const own = specific && [event, undefined].includes(specific.hookEventName) ? specific : {}
    found.refusal.push(refusal(event, ended, json ?? {}, own))
    if (ended.failure || ended.code === undefined) continue
    if (json?.continue === false) found.halt.push(text(json.stopReason) ?? "a hook stopped the work")
    found.context.push(text(own.additionalContext))
    found.message.push(text(json?.systemMessage))
    if (!json && ended.code === 0) found.plain.push(text(ended.stdout))
    if (own.updatedInput && typeof own.updatedInput === "object") input = own.updatedInput
  }
  const joined = Object.entries(found).map(([key, texts]) => [key, texts.filter(Boolean).join("\n") || undefined])
  return { ...Object.fromEntries(joined), input }
}
