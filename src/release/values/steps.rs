//! Resolves a path such as `$.plugins[0].version`: keys, indices, everything below, and entries that match a condition.

use crate::read::tree::Node;

/// One step.
#[derive(Debug, PartialEq, Eq)]
enum ValueStep<'a> {
    Key(&'a str),
    Place(usize),
    Each,
    /// That key at any depth.
    Deep(&'a str),
    /// The entries in which a key, perhaps a nested one, has that value.
    Where(Vec<&'a str>, &'a str),
}

/// The nodes to which `path` leads from `node`.
///
/// # Errors
/// A message about the unsupported part of the path.
pub(super) fn resolve<'n>(node: &'n Node, path: &str) -> Result<Vec<&'n Node>, String> {
    let mut here = vec![node];
    for step in steps(path).ok_or_else(|| {
        format!(
            "unsupported path `{path}`: supported are keys, `[0]`, `[*]`, `..key` and `[?(@.key=='value')]`"
        )
    })? {
        here = here.into_iter().flat_map(|node| take_step(node, &step)).collect();
    }
    Ok(here)
}

fn take_step<'n>(node: &'n Node, step: &ValueStep<'_>) -> Vec<&'n Node> {
    let inner = || node.entries().iter().map(|entry| &entry.node).chain(node.items().unwrap_or_default());
    match step {
        ValueStep::Key(key) => node.get(key).into_iter().collect(),
        ValueStep::Place(place) => node.items().and_then(|items| items.get(*place)).into_iter().collect(),
        ValueStep::Each => inner().collect(),
        ValueStep::Deep(key) => {
            node.get(key).into_iter().chain(inner().flat_map(|below| take_step(below, step))).collect()
        }
        ValueStep::Where(keys, value) => inner()
            .filter(|entry| {
                let child = keys.iter().try_fold(*entry, |node: &Node, key| match node.get(key) {
                    // Some TOML parsers expose the value of a key as `value`.
                    None if *key == "value" => Some(node),
                    inner => inner,
                });
                child.and_then(Node::scalar).as_deref() == Some(*value)
            })
            .collect(),
    }
}

fn steps(path: &str) -> Option<Vec<ValueStep<'_>>> {
    let mut rest = path.trim().strip_prefix('$').unwrap_or(path.trim());
    let mut out = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quoted = inner.starts_with(['\'', '"']);
            let close = if inner.starts_with('?') {
                ")]"
            } else if quoted {
                &format!("{}]", &inner[..1])
            } else {
                "]"
            };
            let (inside, after) = inner.split_once(close)?;
            out.push(match inside.trim() {
                "*" => ValueStep::Each,
                inside if quoted => ValueStep::Key(&inside[1..]),
                inside if inside.starts_with("?(") => condition(&inside[2..])?,
                inside => ValueStep::Place(inside.parse().ok()?),
            });
            rest = after;
            continue;
        }
        let deep = rest.strip_prefix("..");
        let word = deep.or_else(|| rest.strip_prefix('.')).or(out.is_empty().then_some(rest))?;
        let end = word.find(['.', '[']).unwrap_or(word.len());
        let (key, after) = word.split_at(end);
        let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-$@/".contains(c));
        out.push(match (key, deep) {
            ("*", None) => ValueStep::Each,
            (key, None) if plain => ValueStep::Key(key),
            (key, Some(_)) if plain => ValueStep::Deep(key),
            _ => return None,
        });
        rest = after;
    }
    Some(out)
}

/// `@.key.key == 'value'`
fn condition(text: &str) -> Option<ValueStep<'_>> {
    let (keys, value) = text.split_once("===").or_else(|| text.split_once("=="))?;
    let keys = keys.trim().strip_prefix("@.")?.split('.').collect();
    Some(ValueStep::Where(keys, value.trim().trim_matches(['\'', '"'])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::json;

    #[test]
    fn paths_lead_where_they_say() {
        let text = "{ \"a\": [ { \"n\": \"x\", \"v\": \"1\" }, { \"n\": \"y\", \"v\": \"2\" } ], \"b.c\": { \"v\": \"3\" } }";
        let node = json::parse(text).0.unwrap();
        let at = |path: &str| {
            resolve(&node, path).map(|found| found.into_iter().filter_map(Node::scalar).collect::<Vec<_>>())
        };
        for (path, wanted) in [
            ("$.a[1].v", &["2"][..]),
            ("a[0].v", &["1"]),
            ("$['a'][0]['v']", &["1"]),
            ("$[\"b.c\"].v", &["3"]),
            ("$.a[*].v", &["1", "2"]),
            ("$.a.*.v", &["1", "2"]),
            ("$..v", &["1", "2", "3"]),
            ("$.a[?(@.n=='y')].v", &["2"]),
            ("$.a[?(@.n.value === \"x\")].v", &["1"]),
            ("$.a[7].v", &[]),
        ] {
            assert_eq!(at(path).unwrap(), wanted, "{path}");
        }
        for path in ["$.a[0", "$.a[1:2]", "$.a[?(@.v > 1)].v", "$.a.", "$.a b"] {
            assert!(at(path).unwrap_err().contains("unsupported path"), "{path}");
        }
    }
}
