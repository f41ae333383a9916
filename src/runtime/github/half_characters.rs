//! Escapes for half of a character in JSON, which a comment may have and no text can hold.

/// The same JSON with U+FFFD in their place.
pub(super) fn replaced(json: &[u8]) -> Vec<u8> {
    let half = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut out, mut at) = (Vec::with_capacity(json.len()), 0);
    while at < json.len() {
        let length = match (half(at), json[at]) {
            (Some(0xd800..=0xdbff), _) if matches!(half(at + 6), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.extend(b"\\ufffd");
                at += 6;
                continue;
            }
            (None, b'\\') => 2,
            (Some(_), _) => 6,
            _ => 1,
        };
        let end = json.len().min(at + length);
        out.extend(&json[at..end]);
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn halves_alone_are_replaced() {
        for (given, wanted) in [
            (r#""a \ud800 b""#, r#""a \ufffd b""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\udc00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\\ud800 \u00e9 é""#, r#""\\ud800 \u00e9 é""#),
            (r#""\ud8"#, r#""\ud8"#),
        ] {
            assert_eq!(String::from_utf8(replaced(given.as_bytes())).unwrap(), wanted, "{given}");
        }
    }
}
