//! Small YAML documents from JSON values: block mappings with JSON scalars, which every YAML parser reads the same way.

use serde_json::Value;

/// The text of `value`, an object; nested objects are indented by two spaces.
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn write(value: &Value, indent: usize, out: &mut String) {
    for (key, value) in value.as_object().into_iter().flatten() {
        out.push_str(&" ".repeat(indent));
        out.push_str(key);
        if value.as_object().is_some_and(|object| !object.is_empty()) {
            out.push_str(":\n");
            write(value, indent + 2, out);
        } else {
            out.push_str(&format!(": {value}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nests_by_indentation() {
        let value = serde_json::json!({ "policy": { "allow": false }, "name": "a: b" });
        assert_eq!(super::to_string(&value), "policy:\n  allow: false\nname: \"a: b\"\n");
    }
}
