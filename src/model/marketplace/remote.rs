//! Values of a marketplace entry with a remote source that the source host refuses.

use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::names;
use crate::model::server::is_absolute_url;
use crate::read::tree::Node;
use crate::source::SourceFile;

/// The number of digits of a commit id.
const COMMIT_LENGTH: usize = 40;
/// The same for a digest of an archive.
const DIGEST_LENGTH: usize = 64;

/// The kinds of remote sources with the texts that each must and can have (Claude Code 2.1.330; it ignores other keys).
const KINDS: [(&str, &[&str], &[&str]); 5] = [
    ("github", &["repo"], &["ref"]),
    ("url", &["url"], &["ref"]),
    ("git-subdir", &["url", "path"], &["ref"]),
    ("npm", &["package"], &["version", "registry"]),
    ("archive", &["url"], &["sha256"]),
];

/// Values of an entry with a remote source with which the source host cannot install it (Claude Code 2.1.330).
pub(super) fn faults(file: &SourceFile, item: &Node, name: &str) -> Vec<Diagnostic> {
    let fault =
        |node: &Node, rule, message| Diagnostic::in_file(file, node.span, Severity::Error, rule, message);
    let mut faults = Vec::new();
    if let (Err(why), Some(node)) = (names::check_installable(name), item.get("name")) {
        let found = fault(node, RuleId::NAME_FORMAT, format!("the plugin name `{name}` {why}"));
        faults.push(found.help("use letters, digits and `-`, such as `my-plugin`"));
    }
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_commit = |sha: &str| sha.len() == COMMIT_LENGTH && sha.bytes().all(is_digit);
    let commit = item.get("source").and_then(|source| source.get("sha"));
    if let Some(node) = commit.filter(|node| !node.as_str().is_some_and(is_commit)) {
        let message = "`sha` is not a whole commit id, and the host drops the entry".to_owned();
        faults.push(
            fault(node, RuleId::MANIFEST_FIELD, message).help("write the 40 lowercase digits of the commit"),
        );
    }
    faults.extend(item.get("source").and_then(|source| object_fault(file, source)));
    faults
}

/// The first field of a source object that the host refuses.
fn object_fault(file: &SourceFile, source: &Node) -> Option<Diagnostic> {
    let kind = source.get("source").and_then(Node::as_str)?;
    let (_, needed, optional) = KINDS.iter().find(|(known, ..)| *known == kind)?;
    let fault = |node: &Node, message: String, help: String| {
        let found = Diagnostic::in_file(file, node.span, Severity::Error, RuleId::MANIFEST_FIELD, message);
        Some(found.help(help))
    };
    if let Some(key) = needed.iter().find(|key| source.get(key).is_none()) {
        let message =
            format!("a source of the kind `{kind}` needs `{key}`, and the host cannot install the plugin");
        return fault(source, message, format!("add `\"{key}\": \"…\"`"));
    }
    let mut values = needed.iter().chain(*optional).filter_map(|key| Some((*key, source.get(key)?)));
    values.find_map(|(key, node)| {
        let Some(text) = node.as_str() else {
            let message = format!("`{key}` of a source must be text, found {}", node.kind());
            return fault(node, message, format!("write `\"{key}\": \"…\"`"));
        };
        let (why, help) = value_fault(kind, key, text)?;
        fault(node, format!("`{key}` of a source of the kind `{kind}` {why}"), help.to_owned())
    })
}

/// What is wrong with a text of a source object, and what to write.
fn value_fault(kind: &str, key: &str, text: &str) -> Option<(&'static str, &'static str)> {
    let is_web = text.starts_with("https://") || kind == "npm" && text.starts_with("http://");
    let is_digest = || text.len() == DIGEST_LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let leaves = || text.split('/').any(|part| part == "..");
    match (kind, key) {
        ("git-subdir", "path") if text.is_empty() => Some(("is empty", "write the folder of the plugin")),
        ("git-subdir", "path") | ("npm", "package") if leaves() => {
            Some(("contains `..`", "write it without `..`"))
        }
        ("npm", "registry") | ("archive", "url") if !is_web || !is_absolute_url(text) => {
            Some(("is not a URL that the host uses", "write the whole URL, such as `https://example.org`"))
        }
        ("archive", "sha256") if !is_digest() => Some(("is not a digest", "write its 64 hexadecimal digits")),
        _ => None,
    }
}
