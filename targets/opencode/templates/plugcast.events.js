// Events of hooks: which hook of OpenCode (1.18.33) serves an event of the source host (Claude Code 2.1.330).
import { environmentFiles } from "./plugcast.environment.js"
import { handlersOf } from "./plugcast.handlers.js"
import { hostArguments, sourceCalls } from "./plugcast.tools.js"

// How often hooks of `Stop` may keep one turn going.
const STOP_LIMIT = 8
// The host asks for a title of each session in the session's own name.
const TITLE = /^You are a title generator\b/
// What ends a call before it begins: the user or a rule refuses it.
const REFUSED = /^The user (?:rejected permission|has specified a rule)/

// The hooks of OpenCode that run a plugin's handlers. `servers()` are the keys of all MCP servers.
export function eventsOf(hooks, { variables, directory, client, say, servers }) {
  const { fire, has } = handlersOf(hooks, { variables, directory, say })
  const parents = new Map() // session -> its parent, or null
  const fresh = new Set() // sessions that began after the module was loaded
  const begun = new Map() // session -> the promise of what SessionStart or SubagentStart adds
  const speakers = new Map() // session -> the agent and model of its last message
  const typed = new Map() // session -> the command that the user has just typed
  const last = new Map() // session -> the last text of the model
  const stops = new Map() // session -> how often Stop kept its turn going
  const aborted = new Set()
  const compacting = new Map() // session -> "auto" or "manual"
  const notes = new Map() // call -> what PreToolUse adds to the result
  const ended = new Set() // calls that failed, or that a hook refused
  const environment = environmentFiles(say)

  async function parentOf(session) {
    if (!parents.has(session)) {
      const found = await Promise.resolve(client?.session?.get({ path: { id: session } })).catch(() => undefined)
      parents.set(session, found?.data?.parentID ?? null)
    }
    return parents.get(session)
  }

  const agentOf = (session) => ({ agent_id: session, agent_type: speakers.get(session)?.agent ?? "" })

  function begin(session, event, subject, input) {
    const file = event === "SessionStart" ? () => ({ CLAUDE_ENV_FILE: environment.add(session) }) : undefined
    begun.set(session, fire(event, [subject], { session_id: session, ...input }, file).then((verdict) => {
      tell(verdict.message)
      return [verdict.plain, verdict.context].filter(Boolean).join("\n")
    }))
    return begun.get(session)
  }

  const start = (session, source) => begin(session, "SessionStart", source, { source })

  // A line for the user; without a terminal, only the log has it.
  function tell(message) {
    if (!message) return
    say("info", message)
    const body = { message, variant: "warning" }
    Promise.resolve(client?.tui?.showToast?.({ body })).catch(() => {})
  }

  async function idle(session) {
    if (aborted.delete(session)) return
    const below = await parentOf(session)
    const event = below ? "SubagentStop" : "Stop"
    if (!has(event)) return
    const times = stops.get(session) ?? 0
    const input = { session_id: session, stop_hook_active: times > 0, last_assistant_message: last.get(session) }
    const agent = below ? agentOf(session) : undefined
    const { refusal, halt, message } = await fire(event, agent && [agent.agent_type], { ...input, ...agent })
    tell(message)
    // The caller of a sub-agent already has its answer.
    if (!refusal || halt || below) return stops.delete(session)
    if (times >= STOP_LIMIT) {
      stops.delete(session)
      return say("warn", `hooks of Stop have continued a turn ${STOP_LIMIT} times: the limit is reached`)
    }
    stops.set(session, times + 1)
    const parts = [{ type: "text", text: `Stop hook feedback:\n${refusal}`, synthetic: true }]
    await client.session.prompt({ path: { id: session }, body: { ...speakers.get(session), parts } })
  }

  const ending = (session, reason) => {
    for (const map of [parents, begun, speakers, typed, last, stops, compacting]) map.delete(session)
    fresh.delete(session)
    environment.forget(session)
    return fire("SessionEnd", [reason], { session_id: session, reason })
  }

  // A failed call, known by the event of its part: the model already has its result.
  async function failed({ sessionID, callID, tool, state: { input, error } }) {
    if (ended.has(callID) || tool === "invalid") return
    ended.add(callID)
    if (!has("PostToolUseFailure") || REFUSED.test(error)) return
    const is_interrupt = aborted.has(sessionID) || error === "Tool execution aborted"
    const verdicts = await fireCalls("PostToolUseFailure", tool, input, { session_id: sessionID, error, is_interrupt, tool_use_id: callID })
    verdicts.forEach(({ message }) => tell(message))
  }

  // Fires `event` for each call of the source host that a call corresponds to.
  const fireCalls = (event, tool, args, more) =>
    Promise.all(sourceCalls(tool, args, directory, servers()).map(({ names, input }) =>
      fire(event, names, { tool_name: names[0], tool_input: input, ...more })))

  // The session that the user began, from one below it.
  async function topOf(session) {
    const above = await parentOf(session)
    return above ? topOf(above) : session
  }

  async function happened({ type, properties = {} }) {
    const session = properties.sessionID ?? properties.info?.id
    if (type === "session.created") {
      parents.set(session, properties.info?.parentID ?? null)
      fresh.add(session)
      if (!properties.info?.parentID && has("SessionStart")) await start(session, "startup")
    }
    if (type === "session.error" && properties.error?.name === "MessageAbortedError") aborted.add(session)
    if (type === "session.idle") await idle(session)
    if (type === "session.deleted") await ending(session, "other")
    if (type === "permission.asked" && has("Notification")) {
      const notification_type = "permission_prompt"
      const message = `OpenCode asks for permission: ${properties.permission} ${(properties.patterns ?? []).join(" ")}`.trim()
      await fire("Notification", [notification_type], { session_id: session, notification_type, message })
    }
    const part = properties.part
    if (part?.type === "tool" && part.state?.status === "error") await failed(part)
    if (type === "message.part.updated" && part?.type === "compaction") compacting.set(part.sessionID, part.auto === false ? "manual" : "auto")
    if (type === "session.compacted") {
      const trigger = compacting.get(session) ?? "auto"
      await fire("PostCompact", [trigger], { session_id: session, trigger })
      if (!(await parentOf(session)) && has("SessionStart")) await start(session, "compact")
    }
  }

  return {
    // The host does not wait here.
    event: async ({ event }) => {
      try {
        await happened(event)
      } catch (error) {
        say("error", `${event.type}: ${error}`)
      }
    },

    "command.execute.before": async (input) => {
      typed.set(input.sessionID, `/${input.command} ${input.arguments ?? ""}`.trim())
    },

    "chat.message": async (input, output) => {
      const session = input.sessionID
      const command = typed.get(session)
      typed.delete(session)
      const { agent, model } = output.message ?? {}
      speakers.set(session, { agent: agent ?? input.agent, model: model ?? input.model })
      if (await parentOf(session)) {
        if (has("SubagentStart") && !begun.has(session))
          await begin(session, "SubagentStart", speakers.get(session).agent ?? "", agentOf(session))
        return
      }
      const spoken = output.parts.filter((part) => part.type !== "text" || !part.synthetic)
      if (!spoken.length) return // nobody typed this
      stops.delete(session)
      if (!has("UserPromptSubmit")) return
      const prompt = command ?? spoken.filter((part) => part.type === "text").map((part) => part.text).join("\n")
      const { refusal, halt, plain, context, message } = await fire("UserPromptSubmit", undefined, { session_id: session, prompt })
      tell(refusal ?? halt ?? message)
      if (refusal ?? halt) throw new Error(refusal ?? halt)
      const text = [plain, context].filter(Boolean).join("\n")
      const id = `prt_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 12)}`
      if (text) output.parts.push({ id, sessionID: session, messageID: output.message.id, type: "text", text, synthetic: true })
    },

    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID
      if (!session || !has("SessionStart", "SubagentStart") || TITLE.test(output.system[0])) return
      if (!begun.has(session) && has("SessionStart") && !(await parentOf(session))) start(session, fresh.has(session) ? "startup" : "resume")
      const text = await begun.get(session)
      if (text) output.system.push(text)
    },

    "experimental.text.complete": async (input, output) => {
      last.set(input.sessionID, output.text)
    },

    "experimental.session.compacting": async (input, output) => {
      const trigger = compacting.get(input.sessionID) ?? "auto"
      const verdict = await fire("PreCompact", [trigger], { session_id: input.sessionID, trigger, custom_instructions: "" })
      // A refusal would end the whole turn here, so it is only logged.
      if (verdict.refusal) say("warn", `a hook of PreCompact refuses, which has no effect on this host: ${verdict.refusal}`)
      output.context?.push(...[verdict.plain, verdict.context].filter(Boolean))
    },

    "tool.execute.before": async (input, output) => {
      if (!has("PreToolUse") || input.tool === "invalid") return
      const calls = sourceCalls(input.tool, output.args, directory, servers())
      const verdicts = await Promise.all(calls.map(({ names, input: tool_input }) =>
        fire("PreToolUse", names, { session_id: input.sessionID, tool_name: names[0], tool_input, tool_use_id: input.callID })))
      const refusals = new Set(verdicts.flatMap(({ refusal, halt }) => refusal ?? halt ?? []))
      verdicts.forEach(({ message }) => tell(message))
      const refuse = (message) => {
        ended.add(input.callID)
        throw new Error(message)
      }
      if (refusals.size) refuse([...refusals].join("\n"))
      const changed = verdicts.map(({ input }) => input).find(Boolean)
      if (changed && input.tool === "apply_patch")
        refuse("A hook wants to change the input of this edit, which is not possible for a patch, so the call is refused.")
      // In place: the host keeps its own reference.
      if (changed) Object.assign(output.args, hostArguments(input.tool, changed))
      const beside = verdicts.flatMap(({ context }) => context ?? []).join("\n")
      if (beside) notes.set(input.callID, beside)
    },

    "tool.execute.after": async (input, output) => {
      const beside = notes.get(input.callID)
      notes.delete(input.callID)
      // For the source host, a command that exits with a code other than 0 is a failed call.
      const code = input.tool === "bash" ? output?.metadata?.exit : 0
      const [event, result] = code
        ? ["PostToolUseFailure", { error: `Exit code ${code}\n${output.output ?? ""}`.trim(), is_interrupt: false }]
        : ["PostToolUse", { tool_response: responseOf(input.tool, output) }]
      const about = { session_id: input.sessionID, ...result, tool_use_id: input.callID }
      const verdicts = has(event) && input.tool !== "invalid" ? await fireCalls(event, input.tool, input.args, about) : []
      verdicts.forEach(({ message }) => tell(message))
      const told = new Set([beside, ...verdicts.flatMap(({ refusal, halt, context }) => [refusal, halt, context])].filter(Boolean))
      const text = [...told].join("\n")
      if (!text || !output) return
      if (Array.isArray(output.content)) output.content.push({ type: "text", text })
      else output.output = `${output.output ?? ""}\n\n${text}`
    },

    // The host waits here before each command.
    "shell.env": async (input, output) => {
      if (!has("SessionStart") || !input.sessionID) return
      const session = await topOf(input.sessionID)
      await begun.get(session)
      Object.assign(output.env, await environment.variables(session, { ...process.env, ...output.env }))
    },

    dispose: async () => {
      const open = [...speakers.keys()].filter((session) => parents.get(session) === null)
      await Promise.all(open.map((session) => ending(session, "other")))
      environment.remove()
    },
  }
}

function responseOf(tool, output) {
  if (Array.isArray(output?.content)) return output.content
  if (tool === "bash") return { stdout: output?.output ?? "", stderr: "", interrupted: false, isImage: false }
  return output?.output ?? ""
}
