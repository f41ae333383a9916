//! TOML documents from JSON values, written by the serializer, which escapes strings. A long text is inserted as a
//! literal string if TOML allows it.

use serde_json::Value;

/// The text of `document`, an object, with every string equal to `mark` replaced by `body`.
///
/// # Errors
/// When it contains null, which TOML does not have.
pub fn to_string(document: &Value, mark: &str, body: &str) -> Result<String, toml::ser::Error> {
    if !is_plain(body) || document.to_string().contains(PLACE) {
        return toml::to_string(&replace_mark(document, mark, body));
    }
    let written = toml::to_string(&replace_mark(document, mark, PLACE))?;
    Ok(written.replace(&format!("\"{PLACE}\""), &format!("'''\n{body}'''")))
}

/// Placeholder for the body until it is inserted.
const PLACE: &str = "plugcast:body";

/// Whether `body` has several lines and can be a literal string of TOML, which the user can read without escapes and
/// parsers need not unescape.
fn is_plain(body: &str) -> bool {
    let allowed = |byte: u8| !matches!(byte, 0..=8 | 11..=31 | 127);
    memchr::memchr(b'\n', body.as_bytes()).is_some()
        && !body.ends_with('\'')
        // Without an early exit the loop is vectorized.
        && body.bytes().fold(true, |all, byte| all & allowed(byte))
        && memchr::memmem::find(body.as_bytes(), b"'''").is_none()
}

/// `document` with every string equal to `mark` replaced by `body`.
fn replace_mark(document: &Value, mark: &str, body: &str) -> Value {
    match document {
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, value)| (key.clone(), replace_mark(value, mark, body))).collect(),
        ),
        Value::String(text) if text == mark => body.into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_what_reads_as_it_was_given() {
        let document = json!({ "name": "a \"b\"", "text": "\0", "inner": { "text": "\0", "n": 1 } });
        for body in [
            "one\n",
            "one\ntwo \"\" 'x' é\n",
            "\n\nlead\n",
            "end\"\n\"",
            "\"\"\"\n",
            "'''\n",
            "end\n'",
            "two '' in a line\n",
            "a\\b\n",
            "a\r\nb",
            "\u{7f}\n",
            "one",
            "\ttab\n",
            "",
        ] {
            let written = to_string(&document, "\0", body).unwrap();
            assert_eq!(written.contains(&format!("'''\n{body}'''")), is_plain(body), "{body:?}");
            let read: toml::Table = written.parse().unwrap();
            assert_eq!((read["text"].as_str(), read["inner"]["text"].as_str()), (Some(body), Some(body)));
        }
        let document = json!({ "name": format!("'\n\"{PLACE}\"\n"), "text": "\0" });
        let read: toml::Table = to_string(&document, "\0", "a\nb\n").unwrap().parse().unwrap();
        assert_eq!(
            (read["name"].as_str(), read["text"].as_str()),
            (document["name"].as_str(), Some("a\nb\n"))
        );
    }
}
