//! Finds the balanced JSON values of a text: in prose, in fences, with comments, trailing commas, raw line feeds in
//! strings or duplicate keys. The work is bounded for any text.

use serde_json::{Map, Number, Value};

/// The maximum nesting depth.
const DEPTH: usize = 64;
/// The work limit: bytes examined per byte of the text.
const WORK: usize = 64;
/// The maximum number of repairs reported per value.
const REPAIRS: usize = 20;

/// The result of scanning a text for values.
pub(super) struct ScannedReply {
    /// The text around the values that were used.
    pub(super) rest: String,
    /// Why values may have been missed.
    pub(super) broken: Option<&'static str>,
}

/// Why parsing a value stopped.
enum JsonBreak {
    /// The text ends inside of the value.
    End,
    /// Not valid JSON.
    Syntax,
}

struct ReplyScanner<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    work: usize,
    repairs: Vec<String>,
    /// The text of comments.
    comments: String,
    /// Whether the outermost object has the wanted key.
    keyed: bool,
    key: &'a str,
}

impl<'a> ReplyScanner<'a> {
    fn new(text: &'a str, key: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            text,
            at: 0,
            work: text.len().saturating_mul(WORK).saturating_add(4096),
            repairs: Vec::new(),
            comments: String::new(),
            keyed: false,
            key,
        }
    }
}

/// Passes each value with its repairs to `take`, which returns whether it uses it. If a value cannot be parsed, the
/// search continues inside of it. `key` distinguishes a truncated value from other text.
pub(super) fn scan(text: &str, key: &str, take: &mut dyn FnMut(Value, Vec<String>) -> bool) -> ScannedReply {
    let mut reader = ReplyScanner::new(text, key);
    let (mut scan, mut start, mut taken) = (ScannedReply { rest: String::new(), broken: None }, 0, 0);
    while let Some(next) = memchr::memchr2(b'{', b'[', &reader.bytes[start..]) {
        start += next;
        (reader.at, reader.keyed) = (start, false);
        reader.repairs.clear();
        reader.comments.clear();
        match reader.value(0) {
            Ok(value) => {
                if take(value, std::mem::take(&mut reader.repairs)) {
                    scan.rest.push_str(&text[taken..start]);
                    scan.rest.push_str(&reader.comments);
                    // A separator, so that text is not joined across a value.
                    scan.rest.push('\0');
                    taken = reader.at;
                }
                start = reader.at;
            }
            Err(broken) => {
                if matches!(broken, JsonBreak::End) && reader.keyed {
                    scan.broken = Some("it is cut off");
                }
                start += 1;
            }
        }
        if reader.work == 0 {
            scan.broken = Some("it has too many unmatched braces");
            break;
        }
    }
    scan.rest.push_str(&text[taken..]);
    scan
}

/// Parses a text that is exactly one value.
pub(super) fn parse_exact(text: &str) -> Option<Value> {
    let mut reader = ReplyScanner::new(text.trim(), "");
    let value = reader.value(0).ok()?;
    (reader.at == reader.bytes.len()).then_some(value)
}

/// Combines both values of a duplicate key: two lists are concatenated, other values become a list, so that none is
/// lost.
fn combine(first: Value, second: Value) -> Value {
    match (first, second) {
        (first, second) if first == second => first,
        (Value::Array(mut items), Value::Array(more)) => {
            items.extend(more);
            Value::Array(items)
        }
        (Value::Array(mut items), one) | (one, Value::Array(mut items)) => {
            items.push(one);
            Value::Array(items)
        }
        (first, second) => Value::Array(vec![first, second]),
    }
}

impl ReplyScanner<'_> {
    fn repair(&mut self, what: &str) {
        if self.repairs.len() < REPAIRS && !self.repairs.iter().any(|known| known == what) {
            self.repairs.push(what.to_owned());
        }
    }

    /// The current byte; counts as a step of work.
    fn peek(&mut self) -> Result<u8, JsonBreak> {
        self.work = self.work.saturating_sub(1);
        if self.work == 0 {
            return Err(JsonBreak::Syntax);
        }
        self.bytes.get(self.at).copied().ok_or(JsonBreak::End)
    }

    /// Skips space and comments.
    fn space(&mut self) -> Result<u8, JsonBreak> {
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' => {
                    let rest = &self.bytes[self.at..];
                    let length = match rest.get(1) {
                        Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                        Some(b'*') => {
                            memchr::memmem::find(rest, b"*/").map(|end| end + 2).ok_or(JsonBreak::End)?
                        }
                        _ => return Err(JsonBreak::Syntax),
                    };
                    self.work = self.work.saturating_sub(length);
                    let digits = self.text.get(self.at..self.at + length).unwrap_or_default();
                    self.comments.extend(["\0", digits.trim_matches(['/', '*', ' ', '\t']), "\n"]);
                    self.at += length;
                    self.repair("comments");
                }
                byte => return Ok(byte),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonBreak> {
        if depth > DEPTH {
            return Err(JsonBreak::Syntax);
        }
        match self.space()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonBreak> {
        self.at += 1;
        let mut object = Map::new();
        loop {
            match self.space()? {
                b'}' => break,
                b'"' => {}
                _ => return Err(JsonBreak::Syntax),
            }
            let name = self.string()?;
            if self.space()? != b':' {
                return Err(JsonBreak::Syntax);
            }
            self.at += 1;
            self.keyed |= depth == 0 && name == self.key;
            let value = self.value(depth + 1)?;
            match object.get_mut(&name) {
                Some(known) => {
                    let shown: String = name.chars().take(40).collect();
                    self.repair(&format!("`{shown}` is there twice: both count"));
                    *known = combine(std::mem::take(known), value);
                }
                None => {
                    object.insert(name, value);
                }
            }
            if !self.comma(b'}')? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Object(object))
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonBreak> {
        self.at += 1;
        let mut items = Vec::new();
        while self.space()? != b']' {
            items.push(self.value(depth + 1)?);
            if !self.comma(b']')? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    /// Whether another item may follow: consumes a comma, but not the end.
    fn comma(&mut self, end: u8) -> Result<bool, JsonBreak> {
        match self.space()? {
            b',' => {
                self.at += 1;
                if self.space()? == end {
                    self.repair("a trailing comma");
                }
                Ok(true)
            }
            byte if byte == end => Ok(false),
            _ => Err(JsonBreak::Syntax),
        }
    }

    /// A string; raw line feeds and tabs in it are accepted.
    fn string(&mut self) -> Result<String, JsonBreak> {
        let begin = self.at + 1;
        self.at = begin;
        let mut raw = false;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 1,
                0..=31 => raw = true,
                _ => {}
            }
            self.at += 1;
        }
        let inner = self.text.get(begin..self.at).ok_or(JsonBreak::Syntax)?;
        self.at += 1;
        let quoted = match raw {
            true => {
                self.repair("raw control characters in a text");
                let escape = |c: char| match c {
                    c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
                    c => c.to_string(),
                };
                inner.chars().map(escape).collect::<String>()
            }
            false => inner.to_owned(),
        };
        let read = serde_json::from_str(&format!("\"{quoted}\""));
        Ok(read.unwrap_or_else(|_| {
            self.repair("escapes that are none in a text");
            unescaped(&quoted)
        }))
    }

    /// A number, `true`, `false` or `null`; any other word, such as `NaN`, becomes a string.
    fn word(&mut self) -> Result<Value, JsonBreak> {
        let begin = self.at;
        while self.peek().is_ok_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        if self.at == self.bytes.len() {
            return Err(JsonBreak::End);
        }
        match &self.text[begin..self.at] {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            "" => Err(JsonBreak::Syntax),
            word => Ok(serde_json::from_str::<Number>(word).map(Value::Number).unwrap_or_else(|_| {
                self.repairs
                    .push(format!("the word `{}` without quotes", word.chars().take(20).collect::<String>()));
                Value::from(word)
            })),
        }
    }
}

/// A string with invalid escapes: an invalid escape stands for itself, and half of a surrogate pair becomes U+FFFD.
fn unescaped(quoted: &str) -> String {
    let mut out = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        out += &rest[..at];
        rest = &rest[at..];
        // A surrogate pair is two escapes.
        let read = [12, 6, 2].iter().find_map(|length| {
            let escape = rest.get(..*length)?;
            let text: String = serde_json::from_str(&format!("\"{escape}\"")).ok()?;
            (text.chars().count() == 1).then_some((text, *length))
        });
        let is_half = rest.get(2..6).is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let (text, length) = match read {
            Some(read) => read,
            None if rest.starts_with("\\u") && is_half => ("\u{fffd}".to_owned(), 6),
            None => ("\\".to_owned(), 1),
        };
        out += &text;
        rest = &rest[length..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_json_in_a_value_costs_only_that_value() {
        let read = |text: &str| parse_exact(text).map(|value| value.to_string());
        for (text, wanted) in [
            (r#"{"k":[NaN,-Infinity,.9,None]}"#, r#"{"k":["NaN","-Infinity",".9","None"]}"#),
            (r#"{"k":["lone \ud800 x"]}"#, "{\"k\":[\"lone \u{fffd} x\"]}"),
            (r#"{"k":["\d+ \' \u00e9 \ud83d\ude00 \\d \n"]}"#, r#"{"k":["\\d+ \\' é 😀 \\d \n"]}"#),
        ] {
            assert_eq!(read(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(read("{\"k\":[,]}"), None);
    }

    fn found(text: &str) -> (Vec<String>, Vec<String>, ScannedReply) {
        let (mut values, mut all) = (Vec::new(), Vec::new());
        let scan = scan(text, "k", &mut |value, repairs| {
            let fits = value.get("k").is_some_and(Value::is_array);
            if fits {
                values.push(value.to_string());
                all.extend(repairs);
            }
            fits
        });
        (values, all, scan)
    }

    #[test]
    fn values_that_fit_are_found_wherever_they_stand() {
        for text in [
            r#"{"k":[1]}"#,
            "\u{feff}{\"k\":[1]}",
            "I looked at {a} and fn x() { [ } here:\n```json\n{\"k\":[1]}\n```\nDone {}.",
        ] {
            assert_eq!(found(text).0, [r#"{"k":[1]}"#], "{text}");
        }
        let (values, _, scan) = found(r#"{"k":[0]} no, rather: {"k":[1]} and {"other":2}"#);
        assert_eq!(values, [r#"{"k":[0]}"#, r#"{"k":[1]}"#]);
        assert_eq!(scan.rest, "\0 no, rather: \0 and {\"other\":2}");
        let (values, repairs, _) = found("{\"k\":[\"a\nb\",],/* x */\"k\":[2], // y\n}");
        assert_eq!(values, [r#"{"k":["a\nb",2]}"#]);
        assert_eq!(repairs.len(), 4, "{repairs:?}");
    }

    #[test]
    fn of_a_key_that_is_there_twice_nothing_is_lost() {
        for (text, wanted) in [
            (r#"{"k":[1],"k":{}}"#, r#"{"k":[1,{}]}"#),
            (r#"{"k":null,"k":[1]}"#, r#"{"k":[1,null]}"#),
            (r#"{"s":"P0","s":"P3","s":"P3","k":[]}"#, r#"{"s":["P0","P3","P3"],"k":[]}"#),
            (r#"{"k":[1],"k":[1]}"#, r#"{"k":[1]}"#),
        ] {
            assert_eq!(parse_exact(text), serde_json::from_str(wanted).ok(), "{text}");
        }
        assert_eq!(parse_exact("{} {}"), None);
    }

    #[test]
    fn what_is_cut_off_is_said() {
        let (values, _, scan) = found(r#"as {"k":[]} says: {"k":[{"a":{"k":[]}},{"b":"#);
        assert_eq!((values.len(), scan.broken), (1, Some("it is cut off")));
        for text in ["", "no", "{", r#"{"k":1}"#, r#"{"k" [1]}"#] {
            assert!(found(text).0.is_empty(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_cost_little() {
        for text in
            ["{\"a\":".repeat(50_000), "[".repeat(200_000), "{/*".repeat(50_000), "{\"".repeat(50_000)]
        {
            assert!(found(&text).0.is_empty());
        }
    }
}
