// Reads texts as the hosts do. Standard input holds one JSON object a line, `{"reader": …, "text": …}`, and each gets a
// line: what was read, or `null` where the host reads nothing. Runs in Bun, whose reader of YAML is that of Claude Code;
// OpenCode's is gray-matter, in the folder that the first argument names.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"

const matter = createRequire(`${process.argv[2]}/x.js`)("gray-matter")

// ---- Claude Code: fields between the first two marks, and a second attempt with lines in quotes ----

const escaped = (value) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')

function quoted(line) {
  const found = line.match(/^([a-zA-Z_-]+):\s+(\S.*)$/)
  if (!found) return line
  const [, key, value] = found
  const closed = (sign) => value.startsWith(sign) && value.endsWith(sign)
  if (closed('"') || closed("'")) return line
  if (value.startsWith("[") && value.endsWith("]")) {
    try {
      if (Array.isArray(Bun.YAML.parse(value))) return line
    } catch {}
  }
  return /[{}[\]*&#!|>%@`]|: /.test(value) ? `${key}: "${escaped(value)}"` : line
}

function claude(text) {
  const plain = text.replace(/^\uFEFF/, "")
  const found = plain.indexOf("---", 3) < 0 ? null : plain.match(/^---\s*\n([\s\S]*?)---\s*\n?/)
  if (!found) return { fields: {}, strict: true, found: false }
  let value = null
  let strict = true
  try {
    value = Bun.YAML.parse(found[1] ?? "")
  } catch {
    strict = false
    try {
      const lines = found[1].split("\n").map(quoted).join("\n")
      value = Bun.YAML.parse(lines.replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length)))
    } catch {}
  }
  const table = value && typeof value === "object" && !Array.isArray(value)
  return { fields: table ? value : {}, strict: strict && (table || value == null), found: true }
}

// ---- OpenCode: gray-matter, and a second attempt with values as blocks ----

function blocks(text) {
  const found = text.match(/^---\r?\n([\s\S]*?)\r?\n---/)
  if (!found) return text
  const lines = found[1].split(/\r?\n/).flatMap((line) => {
    if (line.trim() === "" || line.trim().startsWith("#") || /^\s+/.test(line)) return [line]
    const entry = line.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\s*:\s*(.*)$/)
    const value = entry?.[2].trim() ?? ""
    const left = value === "" || value === ">" || value === "|" || /^["']/.test(value) || !value.includes(":")
    return left ? [line] : [`${entry[1]}: |-`, `  ${value}`]
  })
  return text.replace(found[1], () => lines.join("\n"))
}

function opencode(text) {
  let read
  try {
    read = matter(text)
  } catch {
    read = matter(blocks(text))
  }
  const plain = ([key, value]) => [key, value instanceof Date ? { date: String(value) } : value]
  return { fields: Object.fromEntries(Object.entries(read.data).map(plain)) }
}

/// A value that contains itself is empty there, as JSON cannot say it.
function withoutCycles(value, above) {
  if (value === null || typeof value !== "object" || value instanceof Date) return value
  if (above.includes(value)) return null
  const inner = (one) => withoutCycles(one, [...above, value])
  if (Array.isArray(value)) return value.map(inner)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]))
}

const readers = { claude, opencode, json: (text) => ({ value: JSON.parse(text) }) }

const out = []
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue
  const { reader, text } = JSON.parse(line)
  let answer = null
  try {
    answer = readers[reader](text)
  } catch {}
  // JSON has no numbers such as these.
  const names = { Infinity: ".inf", "-Infinity": "-.inf", NaN: ".nan" }
  const whole = (_, value) => (typeof value === "number" ? (names[String(value)] ?? value) : value)
  out.push(JSON.stringify(withoutCycles(answer, []), whole))
}
process.stdout.write(out.join("\n") + "\n")
