// What a command line runs, read as the source host (Claude Code 2.1.330) reads it for its rules: the words of each
// command, without quotes, assignments and redirections. Where that host gives up, this reader does, too.

class Unclear extends Error {}

const unclear = () => {
  throw new Unclear()
}

const NAME = /[A-Za-z_]\w*/y
// What a shell sets by itself: a sign or one digit.
const PARAMETER = /[?$@*#!\-0-9](?!\d)/y
const ASSIGNMENT = /([A-Za-z_]\w*)(\+?)=/y
const REDIRECTION = /\d*(?:&>>|&>|>>|>\||>&|<<<|<<-|<<|<&|<>|>|<)/y
const RESERVED = new Set([
  "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac", "function",
])
const DECLARING = new Set(["export", "declare", "typeset", "local", "readonly"])
// Commands that may change any variable.
const CHANGING = new Set(["read", "readarray", "mapfile", "getopts", "unset", "let", "set", "shift"])
// Commands that run the command after them.
const RUNNING = new Set(["[", "[[", "xargs", "sudo", "doas", "timeout", "env", "nice", "nohup", "time", "stdbuf", "command", "builtin", "exec", "eval", "watch"])
// The placeholder for unknown text.
const SOMETHING = "_"

// The commands of `text`, each a list of words; undefined where it is unclear what runs. with `open`, only the names
// of the commands are certain.
export function commandsOf(text, home) {
  // Blanks that a shell takes for letters, and words that continue on the next line.
  if (/[^\S \t\n]|[^ \t\n]\\\n/.test(text)) return undefined
  for (const open of [false, true]) {
    try {
      const reader = new Reader(text, { open, home })
      if (open) reader.one()
      else reader.list(() => reader.at >= text.length)
      return { commands: reader.commands, open }
    } catch (error) {
      // Parentheses in parentheses, deeper than this can follow.
      if (!(error instanceof Unclear || error instanceof RangeError)) throw error
    }
  }
  return undefined
}

// With `open`, the words of the one command may be unknown.
class Reader {
  commands = []
  at = 0
  values = new Map() // variable -> its value, or undefined if it is unknown
  sure = true // whether the text being read runs once, in this shell

  constructor(text, { open, home }) {
    Object.assign(this, { text, open, home })
  }

  // ---- the parts of a text ----

  get next() {
    return this.text[this.at] ?? ""
  }

  get ended() {
    return this.at >= this.text.length
  }

  ahead(text) {
    return this.text.startsWith(text, this.at)
  }

  take(pattern) {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at += found[0].length
    return found
  }

  // Blanks, comments and continued lines; with `lines` also line ends.
  skip(lines = false) {
    const blank = lines ? /(?:[ \t\n]|\\\n)+/y : /(?:[ \t]|\\\n)+/y
    const comment = () => (this.at === 0 || /[\s;&|()]/.test(this.text[this.at - 1])) && this.take(/#[^\n]*/y)
    while (this.take(blank) || comment());
  }

  // Takes a whole word without quotes.
  word(word) {
    if (!this.ahead(word) || !/^(?:[\s;&|()<>]|$)/.test(this.text.slice(this.at + word.length))) return false
    this.at += word.length
    return true
  }

  // No value is known from here on.
  forget() {
    for (const name of this.values.keys()) this.values.set(name, undefined)
  }

  // Reads what may not run, or runs elsewhere.
  aside(read) {
    const { sure } = this
    this.sure = false
    read()
    this.sure = sure
  }

  // ---- lists of commands ----

  one() {
    this.skip(true)
    this.simple()
    this.skip(true)
    if (!this.ended) unclear()
  }

  // Statements up to where `ends` holds. In parentheses only `&&`, `||`, `|` and line ends separate them.
  list(ends, parentheses = false) {
    for (this.skip(true); !ends(); this.skip(true)) {
      this.statement()
      if (ends()) return
      if (this.take(/\n/y)) continue
      if (parentheses) unclear()
      if (this.take(/;;?/y)) continue
      if (!this.take(/&/y)) unclear()
      this.forget()
    }
  }

  statement() {
    this.pipeline()
    while (this.ahead("&&") || this.ahead("||")) {
      const other = this.ahead("||")
      if (other) this.forget()
      this.at += 2
      this.skip(true)
      this.aside(() => this.pipeline())
    }
  }

  pipeline() {
    let denied = false
    while (this.word("!")) {
      denied = true
      this.skip()
    }
    if (denied && (this.ended || /[;&|\n]/.test(this.next))) return
    this.command()
    while (/^\|(?!\|)/.test(this.text.slice(this.at, this.at + 2))) {
      this.forget()
      this.at += this.ahead("|&") ? 2 : 1
      this.skip(true)
      this.aside(() => this.command())
    }
  }

  command() {
    if (this.ahead("((")) unclear()
    const compound = this.take(/\(/y)
      ? () => {
          this.list(() => this.ahead(")"), true)
          this.at++
        }
      : this.word("if") ? () => this.branches()
      : this.word("while") || this.word("until") ? () => (this.until("do"), this.until("done"))
      : this.word("for") ? () => this.loop()
      : undefined
    if (!compound) return this.simple()
    this.aside(compound)
    this.skip()
    if (/^(?:[<>]|&>)/.test(this.text.slice(this.at, this.at + 2))) unclear()
  }

  // Statements up to one of `words`, which is returned.
  until(...words) {
    let end
    this.list(() => {
      if (this.ended) unclear()
      end = words.find((word) => this.word(word))
      return end
    })
    this.skip()
    return end
  }

  branches() {
    this.until("then")
    const end = this.until("elif", "else", "fi")
    if (end === "elif") this.branches()
    if (end === "else") this.until("fi")
  }

  loop() {
    this.skip()
    const name = this.take(NAME)?.[0] ?? unclear()
    this.skip()
    if (this.word("in")) for (this.skip(); !/^[;\n]?$/.test(this.next); this.skip()) this.read({ filled: true })
    this.values.set(name, undefined)
    this.take(/;/y)
    this.skip(true)
    if (!this.word("do")) unclear()
    this.until("done")
  }

  // ---- one command ----

  simple() {
    const words = [], assigned = []
    let behind = false, redirected = false, prefixed = false
    for (this.skip(); !this.ended && !/[;&|\n)]/.test(this.next) || this.ahead("&>"); this.skip()) {
      const sign = this.take(REDIRECTION)?.[0].replace(/^\d+/, "")
      if (sign) {
        redirected = true
        behind = this.redirect(sign) && words.length > 0 || behind
        continue
      }
      if (behind) unclear()
      const start = this.at
      const [, name, more] = ((!words.length || DECLARING.has(words[0])) && this.take(ASSIGNMENT)) || []
      if (name) {
        const value = this.value(name, words.length > 0)
        assigned.push([name, more ? undefined : value])
        prefixed ||= !words.length
        if (words.length) words.push(`${this.text.slice(start, this.at).split("=", 1)[0]}=${value ?? SOMETHING}`)
      } else if (words.length === 1 && words[0] === "[[") {
        this.test(words)
      } else {
        const { text, open } = this.read()
        if (!words.length && (open || RESERVED.has(this.text.slice(start, this.at)))) unclear()
        words.push(text)
      }
    }
    const [name] = words
    if (!words.length && !assigned.length && !redirected) unclear()
    if (this.open && (assigned.length || redirected || RUNNING.has(name))) unclear()
    if (DECLARING.has(name) && prefixed) unclear()
    if (!words.length && assigned.length && (assigned.length > 1 || redirected)) unclear()
    if (name === "[" && (words.at(-1) !== "]" || words.includes("-a") || words.includes("-o"))) unclear()
    if (DECLARING.has(name) && name !== "export" && words.some((word) => /^-\w*[aAnilu]/.test(word))) unclear()
    if (!words.length || name === "export") for (const [name, value] of assigned) {
      this.values.set(name, this.sure && !this.values.has(name) ? value : undefined)
    }
    if (!words.length) return
    if (DECLARING.has(name) && name !== "export" || CHANGING.has(name) || name === "printf" && words.includes("-v")) this.forget()
    this.commands.push(name === "[" ? ["[[", ...words.slice(1)] : words)
    if (name === "xargs" && words.length > 1 && !words[1].startsWith("-")) this.commands.push(words.slice(1))
  }

  // The text after `[[`, with its end.
  test(words) {
    for (this.skip(true); !this.word("]]"); this.skip(true)) {
      if (this.ended) unclear()
      const sign = this.take(/&&|\|\||[()<>|^]+|\$(?=\s)/y)
      words.push(sign ? sign[0] : this.read().text)
    }
    words.push("]]")
  }

  // A redirection; whether a word after it would be unclear.
  redirect(sign) {
    if (sign === "<>" || sign === "<&") unclear()
    if (sign === "<<" || sign === "<<-") {
      this.document(sign === "<<-")
      return true
    }
    this.skip()
    const start = this.at
    const inner = this.commands.length
    this.read()
    if (this.commands.length > inner || /\$|^-$/.test(this.text.slice(start, this.at))) unclear()
    return sign !== "<<<"
  }

  // A here-document whose text is literal, since its end is quoted; nothing else follows on its first line.
  document(tabs) {
    this.skip()
    const end = this.take(/'([^'\n]+)'|"([^"\n$`\\]+)"|\\(\w+)/y)
    if (!end || !this.take(/[ \t]*(?:\n|$)/y)) unclear()
    const word = end[1] ?? end[2] ?? end[3]
    const lines = this.text.slice(this.at).split("\n")
    const last = lines.findIndex((line) => (tabs ? line.replace(/^\t+/, "") : line) === word)
    const body = last < 0 ? lines : lines.slice(0, last)
    this.at += (last < 0 ? body : [...body, word]).join("\n").length
    return body.join("\n")
  }

  // ---- one word ----

  // The value that a variable gets; undefined if it is unknown.
  value(name, declared) {
    if (this.ahead("~")) unclear()
    if (this.ended || /[\s;&|)]/.test(this.next)) return undefined
    const start = this.at
    const { text, known } = this.read({ filled: true, path: name === "PATH" })
    // A search path may be extended where it is declared, and for one command.
    const alone = !declared && /^[ \t]*(?:$|[;&|\n])/.test(this.text.slice(this.at))
    if (alone && this.text.slice(start, this.at).includes("$PATH")) unclear()
    return known && !/\s/.test(text) ? text : undefined
  }

  // A word without its quotes. With `filled`, the output of a command may be its text.
  read({ filled = false, path = false } = {}) {
    const start = this.at
    let text = "", raw = "", parts = 0, unknown = false, known = true, open = false
    for (; !this.ended && !/[\s;&|<>)]/.test(this.next); parts++) {
      const c = this.next
      if (c === "(") unclear()
      if (c === "'") {
        const end = this.text.indexOf("'", this.at + 1)
        if (end < 0) unclear()
        text += this.text.slice(this.at + 1, end)
        raw += "x"
        this.at = end + 1
      } else if (c === '"') {
        const quoted = this.quoted(path)
        if (quoted.output && filled) unclear()
        open ||= quoted.output
        known &&= quoted.known
        text += quoted.text
        raw += "x"
      } else if (c === "\\") {
        const next = this.text[this.at + 1]
        if (next === undefined || /\s/.test(next)) unclear()
        text += next
        raw += next
        this.at += 2
      } else if (c === "$" || c === "`") {
        const part = this.fill(false)
        open ||= part.unknown || part.output && !filled
        unknown ||= part.unknown
        known &&= !part.unknown && !part.output
        text += part.text
        raw += "x"
      } else {
        text += c
        raw += c
        this.at++
      }
    }
    if (this.at === start) unclear()
    // Braces that a shell would expand, commands by their place, and lists.
    const brace = raw.indexOf("{")
    if (brace >= 0 && /,|\.\./.test(raw.slice(brace)) || /^=[^=~]/.test(raw) || /^\w+\[.*\]\+?=/.test(raw)) unclear()
    if (/^\{.*\}$/.test(raw) && /[<>]/.test(this.next)) unclear()
    if (open && (!this.open || filled) || unknown && parts > 1) unclear()
    return { text, open, known }
  }

  // The text between double quotes; `output` if it is only the output of a command.
  quoted(path) {
    let text = "", output = false, known = true
    const start = ++this.at
    while (this.next !== '"') {
      const c = this.next
      if (!c) unclear()
      const rest = this.text.slice(this.at)
      if (c === "\\") {
        const next = rest[1]
        if (next === undefined || next === "\n") unclear()
        text += /[$`"\\]/.test(next) ? next : c + next
        this.at += 2
      } else if (this.at === start && /^\$\(cat[ \t]*<</.test(rest)) {
        text += this.shown()
      } else if (path && this.take(/\$PATH(?!\w)/y)) {
        text += SOMETHING
        known = false
      } else if (c === "`" || /^\$[\w({[?$@*#!'-]/.test(rest)) {
        const whole = this.at === start
        const part = this.fill(true)
        text += part.text
        known &&= !part.output
        output ||= whole && part.output && this.next === '"'
      } else {
        text += c
        this.at++
      }
    }
    this.at++
    return { text, output, known }
  }

  // `$(cat <<'END' … )` as a whole quoted text: the one line of the document.
  shown() {
    this.take(/\$\(cat[ \t]*<</y)
    const text = this.document(false)
    if (!this.take(/\s*\)(?=")/y)) unclear()
    const line = text.replace(/\n+$/, "")
    return line.includes("\n") ? SOMETHING : line
  }

  // A variable, a sum or the output of a command.
  fill(quoted) {
    if (this.take(/`/y)) {
      const end = this.text.indexOf("`", this.at)
      if (end < 0) unclear()
      const inner = Object.assign(new Reader(this.text.slice(this.at, end), this), { values: new Map(this.values) })
      inner.one()
      return this.filled(inner, end + 1)
    }
    this.at++
    if (this.ahead("((")) {
      if (quoted || !this.take(/\(\([\d\s+\-*/%]*\)\)/y)) unclear()
      return { text: SOMETHING, output: false, unknown: false }
    }
    if (this.take(/\(/y)) {
      const inner = Object.assign(new Reader(this.text, this), { at: this.at, values: new Map(this.values) })
      inner.simple()
      inner.skip(true)
      if (!inner.ahead(")")) unclear()
      return this.filled(inner, inner.at + 1)
    }
    const name = this.take(NAME)?.[0]
    // A folder with a blank in its name is more than one word without quotes.
    const home = quoted || !/\s/.test(this.home) ? this.home : undefined
    const value = name === "HOME" ? home : this.values.get(name)
    if (value !== undefined) return { text: value, output: false, unknown: false }
    if (quoted || !this.open || !name && !this.take(PARAMETER)) unclear()
    return { text: SOMETHING, output: false, unknown: true }
  }

  filled({ commands }, end) {
    if (!commands.length) unclear()
    this.commands.push(...commands)
    this.at = end
    return { text: SOMETHING, output: true, unknown: false }
  }
}
