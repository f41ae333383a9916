//! The independent walk over a bundle: line by line, without the program's own ideas of what a path is.

use serde_json::Value;

use crate::support::tree::Tree;

/// Something that an emitted file names and the bundle does not hold.
pub struct Open {
    /// The emitted file.
    pub file: String,
    /// What it says.
    pub written: String,
}

/// Everything open in `bundle`. A path in a text counts where the source has a file of that name: what
/// no source ever had is an example, or is told by the build.
pub fn open(bundle: &Tree, source: &Tree) -> Vec<Open> {
    let mut found = Vec::new();
    let known = |path: &str| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        name.contains('.') && source.entries().any(|(path, _)| path.rsplit('/').next() == Some(name))
    };
    for (file, entry) in bundle.entries().filter(|(file, _)| !file.starts_with(".plugcast/")) {
        let text = entry.text();
        let root = match file.strip_prefix("plugins/") {
            Some(rest) => format!("plugins/{}", rest.split('/').next().unwrap_or_default()),
            None => String::new(),
        };
        let mut add = |written: &str| found.push(Open { file: file.to_owned(), written: written.to_owned() });
        if file.ends_with(".json") {
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            declared(file, &root, &value, "", &mut |path, written| {
                if !is_present(bundle, path) {
                    add(written);
                }
            });
        }
        if !file.ends_with(".md") || root.is_empty() || !in_component(file) {
            continue;
        }
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let skill = skill_folder(file);
        let reaches = |path: &str| [folder, skill].iter().any(|base| is_present(bundle, &join(base, path)));
        let mut fence = false;
        let mut block = false;
        for line in text.lines() {
            block =
                line.contains("<!-- plugcast:on-this-host") || (block && !line.contains("<!-- /plugcast"));
            fence ^= line.trim_start().starts_with("```");
            if block {
                let spans = line.split('`').skip(1).step_by(2);
                // `NAME` stands for any name.
                let paths = spans.filter(|path| path.starts_with("./") || path.starts_with("../"));
                for path in paths.filter(|path| !path.contains("/NAME")) {
                    if !is_present(bundle, &join(folder, path)) && known(path) {
                        add(path);
                    }
                }
                continue;
            }
            for path in links(line).filter(|_| !fence) {
                if !reaches(path) && known(path) {
                    add(path);
                }
            }
            for (at, variable) in line.match_indices("${CLAUDE_PLUGIN_ROOT}/") {
                let rest = &line[at + variable.len()..];
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "._-/".contains(c)));
                let path = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                if !path.is_empty() && !is_present(bundle, &join(&root, path)) && known(path) {
                    add(path);
                }
            }
        }
    }
    found
}

/// Paths that documents declare: `./x` in manifests and marketplaces, files in the data of a module,
/// and what is behind the variable of the plugin's folder.
fn declared(file: &str, root: &str, value: &Value, key: &str, each: &mut dyn FnMut(&str, &str)) {
    let manifest = file.ends_with("plugin.json") || file.ends_with("marketplace.json");
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| declared(file, root, value, key, each)),
        Value::Array(items) => items.iter().for_each(|value| declared(file, root, value, key, each)),
        Value::String(text) => {
            let looked_up = !matches!(key, "command" | "args");
            if manifest
                && looked_up
                && (text.starts_with("./") || (key == "main" && file.ends_with("package.json")))
            {
                each(&join(root, text), text);
            }
            if file.ends_with("plugcast.plugin.json") && matches!(key, "file" | "skill_folders") {
                each(&join(root, text), text);
            }
            for (at, variable) in text.match_indices("${CLAUDE_PLUGIN_ROOT}/") {
                let rest = &text[at + variable.len()..];
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "._-/".contains(c)));
                let path = &rest[..end.unwrap_or(rest.len())];
                let host_reads =
                    ["hooks.json", ".mcp.json", ".lsp.json"].iter().any(|name| file.ends_with(name));
                if (host_reads || manifest) && !path.is_empty() {
                    each(&join(root, path), path);
                }
            }
        }
        _ => {}
    }
}

/// Whether the file lies where a plugin's components do; deeper folders of such a name hold plain files.
fn in_component(file: &str) -> bool {
    matches!(file.split('/').nth(2), Some("skills" | "agents" | "commands"))
}

/// `plugins/p/skills/name` for every file below it.
fn skill_folder(file: &str) -> &str {
    let at = file.find("/skills/").map(|at| at + "/skills/".len());
    let end = at.and_then(|at| file[at..].find('/').map(|end| at + end));
    end.map_or("", |end| &file[..end])
}

/// Destinations of inline links outside code that lead to a file beside the text.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let code = |at: usize| line[..at].matches('`').count() % 2 == 1;
    let found = line.match_indices("](").filter(move |(at, _)| !code(*at));
    let inner = found.filter_map(|(at, _)| line[at + 2..].split(')').next());
    let path = inner.map(|inner| inner.split(['#', ' ']).next().unwrap_or_default());
    path.filter(|path| {
        path.contains('.')
            && !path.contains(':')
            && path.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c))
    })
}

fn is_present(bundle: &Tree, path: &str) -> bool {
    bundle.get(path).is_some() || !bundle.below(path).top().is_empty()
}

/// `base/path` without dots.
fn join(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
