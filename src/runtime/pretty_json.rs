//! JSON on lines, made from its compact text: serializers for both forms would be in the helper twice for every type.

use serde::Serialize;

/// A value as JSON on lines, indented by two spaces, as `serde_json` lays it out.
pub fn text(value: &impl Serialize) -> String {
    layout(&serde_json::to_string(value).unwrap_or_default())
}

/// Compact JSON on lines.
fn layout(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() + compact.len() / 4);
    let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
    let mut signs = compact.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(sign) = signs.next() {
        if in_string {
            in_string = is_escaped || sign != '"';
            is_escaped = !is_escaped && sign == '\\';
            out.push(sign);
            continue;
        }
        match sign {
            '{' | '[' => {
                out.push(sign);
                match signs.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(sign);
            }
            ',' => {
                out.push(sign);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = sign == '"';
                out.push(sign);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_laid_out_as_the_library_does() {
        let values = [
            json!({}),
            json!([]),
            json!({ "a": [], "b": {}, "c": [1, [2, {}], { "d": null }], "e:,{[": "}],:\\\"\\\\ \u{e9}\n" }),
            json!("a"),
            json!(-1.5e30),
            json!([[[]], "\\", "", { "k": "\"" }]),
            Value::Null,
        ];
        for value in values {
            assert_eq!(Some(text(&value)), serde_json::to_string_pretty(&value).ok(), "{value}");
        }
    }
}
