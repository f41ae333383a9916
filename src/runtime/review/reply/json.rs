//! The last balanced JSON value of a text that fits: in prose, in fences, with comments, trailing commas, raw line
//! feeds in strings or a key twice. The work is bounded, whatever the text is.

use serde_json::{Map, Number, Value};

/// How deep values may nest.
const DEPTH: usize = 64;
/// How many bytes may be looked at, for each byte of the text.
const WORK: usize = 64;

/// What was found.
pub(super) struct Found {
    pub(super) value: Value,
    /// What is no plain JSON in it.
    pub(super) repairs: Vec<String>,
}

/// Why a value ends early.
enum Broken {
    /// The text ends inside.
    End,
    /// It is no JSON.
    Syntax,
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    work: usize,
    repairs: Vec<String>,
    /// Whether the outermost object has the key that is looked for.
    keyed: bool,
    key: &'a str,
}

/// Finds the last value that fits. `key` tells a value that was cut off from one that is none.
///
/// # Errors
/// Why there is none.
pub(super) fn last(text: &str, key: &str, fits: &dyn Fn(&Value) -> bool) -> Result<Found, String> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        text,
        at: 0,
        work: text.len().saturating_mul(WORK).saturating_add(4096),
        repairs: Vec::new(),
        keyed: false,
        key,
    };
    let (mut found, mut cut, mut start) = (None, false, 0);
    while let Some(next) = memchr::memchr2(b'{', b'[', &reader.bytes[start..]) {
        start += next;
        (reader.at, reader.keyed) = (start, false);
        reader.repairs.clear();
        match reader.value(0) {
            Ok(value) => {
                start = reader.at;
                let repairs = std::mem::take(&mut reader.repairs);
                if let Some(value) = fitting(value, fits) {
                    found = Some(Found { value, repairs });
                }
            }
            Err(broken) => {
                // What follows the beginning of a reply that was cut off is a part of it.
                cut |= matches!(broken, Broken::End) && reader.keyed;
                start += 1;
            }
        }
        if reader.work == 0 {
            return Err("it holds too many braces that do not match".to_owned());
        }
    }
    match found {
        _ if cut => Err("no JSON: it is cut off".to_owned()),
        Some(found) => Ok(found),
        None => Err(format!("no JSON object with `{key}`")),
    }
}

/// The value, or one right inside it, that fits.
fn fitting(value: Value, fits: &dyn Fn(&Value) -> bool) -> Option<Value> {
    if fits(&value) {
        return Some(value);
    }
    match value {
        Value::Object(object) => object.into_iter().map(|(_, value)| value).rfind(fits),
        _ => None,
    }
}

impl Reader<'_> {
    fn repair(&mut self, what: &str) {
        if !self.repairs.iter().any(|known| known == what) {
            self.repairs.push(what.to_owned());
        }
    }

    /// The byte at hand, as a step of work.
    fn peek(&mut self) -> Result<u8, Broken> {
        self.work = self.work.saturating_sub(1);
        if self.work == 0 {
            return Err(Broken::Syntax);
        }
        self.bytes.get(self.at).copied().ok_or(Broken::End)
    }

    /// Skips space and comments.
    fn space(&mut self) -> Result<u8, Broken> {
        loop {
            match self.peek()? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' => {
                    let rest = &self.bytes[self.at..];
                    let length = match rest.get(1) {
                        Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                        Some(b'*') => {
                            memchr::memmem::find(rest, b"*/").map(|end| end + 2).ok_or(Broken::End)?
                        }
                        _ => return Err(Broken::Syntax),
                    };
                    self.work = self.work.saturating_sub(length);
                    self.at += length;
                    self.repair("comments");
                }
                byte => return Ok(byte),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Broken> {
        if depth > DEPTH {
            return Err(Broken::Syntax);
        }
        match self.space()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Broken> {
        self.at += 1;
        let mut object = Map::new();
        loop {
            match self.space()? {
                b'}' => break,
                b'"' => {}
                _ => return Err(Broken::Syntax),
            }
            let name = self.string()?;
            if self.space()? != b':' {
                return Err(Broken::Syntax);
            }
            self.at += 1;
            self.keyed |= depth == 0 && name == self.key;
            let value = self.value(depth + 1)?;
            if object.insert(name.clone(), value).is_some() {
                self.repair(&format!("`{name}` is there twice: the last one counts"));
            }
            if !self.comma(b'}')? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Object(object))
    }

    fn array(&mut self, depth: usize) -> Result<Value, Broken> {
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

    /// Whether more may follow: a comma, or the end, which stays.
    fn comma(&mut self, end: u8) -> Result<bool, Broken> {
        match self.space()? {
            b',' => {
                self.at += 1;
                if self.space()? == end {
                    self.repair("a trailing comma");
                }
                Ok(true)
            }
            byte if byte == end => Ok(false),
            _ => Err(Broken::Syntax),
        }
    }

    /// A string; raw line feeds and tabs in it are taken as they are.
    fn string(&mut self) -> Result<String, Broken> {
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
        let inner = self.text.get(begin..self.at).ok_or(Broken::Syntax)?;
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
        serde_json::from_str(&format!("\"{quoted}\"")).map_err(|_| Broken::Syntax)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Value, Broken> {
        let begin = self.at;
        while self.peek().is_ok_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        {
            self.at += 1;
        }
        if self.at == self.bytes.len() {
            return Err(Broken::End);
        }
        match &self.text[begin..self.at] {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            word => serde_json::from_str::<Number>(word).map(Value::Number).map_err(|_| Broken::Syntax),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<(String, Vec<String>), String> {
        let fits = |value: &Value| value.get("k").is_some_and(Value::is_array);
        last(text, "k", &fits).map(|found| (found.value.to_string(), found.repairs))
    }

    #[test]
    fn the_last_value_that_fits_is_found_wherever_it_stands() {
        for text in [
            r#"{"k":[1]}"#,
            "\u{feff}{\"k\":[1]}",
            "I looked at {a} and fn x() { [ } here:\n```json\n{\"k\":[1]}\n```\nDone {}.",
            r#"{"k":[0]} no, rather: {"k":[1]} and {"other":2}"#,
            r#"{"result":{"k":[1]}}"#,
        ] {
            assert_eq!(found(text).unwrap().0, r#"{"k":[1]}"#, "{text}");
        }
        let (value, repairs) = found("{\"k\":[\"a\nb\",],/* x */\"k\":[2], // y\n}").unwrap();
        assert_eq!(value, r#"{"k":[2]}"#);
        assert_eq!(repairs.len(), 4, "{repairs:?}");
    }

    #[test]
    fn what_is_cut_off_or_none_is_not_taken_for_something() {
        assert!(found(r#"as {"k":[]} says: {"k":[{"a":{"k":[]}},{"b":"#).unwrap_err().contains("cut off"));
        for text in ["", "no", "{", r#"{"k":1}"#, r#"{"k" [1]}"#] {
            assert!(found(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_cost_little() {
        for text in
            ["{\"a\":".repeat(50_000), "[".repeat(200_000), "{/*".repeat(50_000), "{\"".repeat(50_000)]
        {
            assert!(found(&text).is_err());
        }
    }
}
