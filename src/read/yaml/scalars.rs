//! The values of plain scalars: the YAML 1.2 core schema, and how the source host treats a tag before one (Bun 1.4.4).

use crate::read::tree::Value;

/// A plain scalar without a tag.
pub(super) fn plain_scalar(text: &str) -> Value {
    match text {
        _ if is_null(text) => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::String(text.to_owned()),
    }
}

/// A plain scalar after a tag: it has the type that the tag names if it can, and is text otherwise. A verbatim tag
/// (`!<…>`) names no type.
pub(super) fn tagged(text: &str, handle: &str, suffix: &str) -> Value {
    let name = if handle.is_empty() { "" } else { suffix };
    let is_text =
        matches!(name, "str") || handle == "!" && suffix.is_empty() || handle.is_empty() && suffix == "!";
    match (name, plain_scalar(text)) {
        (_, Value::Null) if text.is_empty() && !is_text => Value::Null,
        ("null", value @ Value::Null) | ("bool", value @ Value::Bool(_)) => value,
        ("int" | "float", value @ Value::Number(_)) => value,
        _ => Value::String(text.to_owned()),
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let of_base = |digits: &str, base| {
        digits.chars().all(|digit| digit.is_digit(base)) && u64::from_str_radix(digits, base).is_ok()
    };
    if let Some(hex) = digits.strip_prefix("0x") {
        return of_base(hex, 16);
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return of_base(octal, 8);
    }
    digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && digits.parse::<f64>().is_ok()
}
