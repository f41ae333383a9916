//! Documents of a target as data: a table whose text leaves are templates, filled from a plugin or a
//! marketplace. A leaf that names something absent is left out.

use serde_json::{Map, Value as Json};
use toml::{Table, Value};

/// Returns the value of a name in braces: a JSON pointer such as `/author/name`, or a word such as `plugin`.
pub type ValueLookup<'a> = dyn Fn(&str) -> Option<Json> + 'a;

/// Fills `table`. Each pointer that was used is reported to `used`.
pub fn fill_table(table: &Table, lookup: &ValueLookup<'_>, used: &mut Vec<String>) -> Json {
    let mut out = Map::new();
    for (key, value) in table {
        if let Some(value) = leaf(value, lookup, used) {
            out.insert(key.clone(), value);
        }
    }
    Json::Object(out)
}

fn leaf(value: &Value, lookup: &ValueLookup<'_>, used: &mut Vec<String>) -> Option<Json> {
    match value {
        Value::String(text) => template(text, lookup, used),
        Value::Integer(number) => Some((*number).into()),
        Value::Float(number) => Some((*number).into()),
        Value::Boolean(flag) => Some((*flag).into()),
        Value::Array(items) => Some(items.iter().filter_map(|item| leaf(item, lookup, used)).collect()),
        Value::Table(table) => Some(fill_table(table, lookup, used))
            .filter(|filled| table.is_empty() || filled.as_object().is_some_and(|map| !map.is_empty())),
        Value::Datetime(when) => Some(when.to_string().into()),
    }
}

/// `"{name}"` alone copies a whole value; inside other text the value must be a scalar. `{a|b}` uses the first one that
/// exists.
fn template(text: &str, lookup: &ValueLookup<'_>, used: &mut Vec<String>) -> Option<Json> {
    let mut find = |names: &str| {
        names.split('|').find_map(|name| {
            let value = lookup(name).filter(|value| !value.is_null())?;
            used.push(name.to_owned());
            Some(value)
        })
    };
    if let Some(names) = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .filter(|names| !names.contains(['{', '}']))
    {
        return find(names);
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('{') {
        let (names, after) = tail.split_once('}')?;
        out.push_str(before);
        match find(names)? {
            Json::String(value) => out.push_str(&value),
            value => out.push_str(&value.to_string()),
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fills_copies_and_leaves_out() {
        let table: Table = toml::from_str("a = \"{plugin}\"\nb = \"./x/{plugin}\"\nc = { d = \"{/author}\", e = \"{/none}\" }\nf = { g = \"{/none}\" }\nh = \"{/none|plugin}\"\ni = true\n").unwrap();
        let lookup = |name: &str| match name {
            "plugin" => Some(json!("p")),
            "/author" => Some(json!({ "name": "n" })),
            _ => None,
        };
        let mut used = Vec::new();
        let filled = fill_table(&table, &lookup, &mut used);
        assert_eq!(
            filled,
            json!({ "a": "p", "b": "./x/p", "c": { "d": { "name": "n" } }, "h": "p", "i": true })
        );
        assert_eq!(used, ["plugin", "plugin", "/author", "plugin"]);
    }
}
