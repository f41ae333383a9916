//! Whether the YAML readers of all hosts read frontmatter in the same way. Any form that is not recognised here is
//! rewritten, one field per line with its value in JSON: readers disagree about rare constructs.

use crate::bundle::draft::{DraftField, MarkdownDraft};
use crate::model::component::Component;
use crate::read::dialect;
use crate::read::tags::TaggedNode;
use crate::read::tree::{FaultKind, MappingEntry, Node, Style, Value};
use crate::read::yaml;
use crate::source::{Span, line_start};
use crate::target::Target;

use super::safe_yaml::{has_unsafe_characters, is_unnamed};

/// Whether the host can read the final frontmatter of `draft`, with the same values as the source host.
pub(super) fn is_read(target: &Target, component: &Component, draft: &MarkdownDraft) -> bool {
    let (Some(span), Some(fields)) = (component.document.yaml, &component.document.fields) else {
        return true;
    };
    let is_changed = !draft.changes.is_empty()
        || draft.edits.iter().any(|edit| edit.span.start < component.document.body.start);
    let is_rescued = component.document.faults.iter().any(|fault| fault.kind == FaultKind::YamlDialect);
    if !is_changed && !is_rescued {
        return is_plain(span.slice(&draft.text), fields, span.start);
    }
    let Ok(head) = draft.head() else { return false };
    let Some(end) = dialect::end(&head, target.yaml.dialect.closing) else { return false };
    let Some(start) = head.find('\n').map(|at| at + 1).filter(|start| *start <= end) else { return false };
    if head[end..].trim() != "---" {
        return false;
    }
    let yaml = &head[start..end];
    let node = match yaml::strict(yaml) {
        Some((node, _)) => node,
        // No field is left.
        None if yaml.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) => {
            return !has_unsafe_characters(yaml);
        }
        None => return false,
    };
    let facts = &target.yaml;
    let loses = |tagged: &TaggedNode| {
        facts.dialect.tags.drops_file(tagged, dialect::is_read(tagged, yaml, &facts.text_fields))
    };
    if yaml::tagged(yaml, Span::new(0, yaml.len())).iter().any(loses) {
        return false;
    }
    is_plain(yaml, &node, 0) && fields.entries().iter().all(|entry| is_carried(entry, fields, &node, draft))
}

/// Whether the text between the delimiters is neither a mapping nor a comment, so that the source host ignores it.
pub(super) fn is_nothing(component: &Component, text: &str) -> bool {
    let (Some(yaml), Some(fields)) = (component.document.yaml, &component.document.fields) else {
        return false;
    };
    fields.entries().is_empty()
        && yaml
            .slice(text)
            .lines()
            .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '{']))
}

/// Whether an entry that is not changed has its value in `node`, and a changed one is there or removed as planned.
fn is_carried(entry: &MappingEntry, fields: &Node, node: &Node, draft: &MarkdownDraft) -> bool {
    let counts = fields.entry(&entry.key).is_some_and(|last| last == entry);
    let is_edited = || {
        draft
            .edits
            .iter()
            .any(|edit| edit.span.start < entry.span().end && entry.key_span.start < edit.span.end)
    };
    match draft.change(entry) {
        _ if !counts => true,
        Some(DraftField { value: None, .. }) => node.get(&entry.key).is_none(),
        Some(_) => node.get(&entry.key).is_some(),
        None => {
            is_edited() || node.get(&entry.key).is_some_and(|read| read.to_json() == entry.node.to_json())
        }
    }
}

/// Whether every reader accepts `yaml`, which was parsed as `node` with spans that begin at `base`.
fn is_plain(yaml: &str, node: &Node, base: usize) -> bool {
    let bytes = yaml.as_bytes();
    let mut returns = memchr::memchr_iter(b'\r', bytes);
    if has_unsafe_characters(yaml)
        || returns.any(|at| bytes.get(at + 1) != Some(&b'\n'))
        || holds_surrogate(yaml)
    {
        return false;
    }
    let mut scalars = Vec::new();
    let keys_are_plain = node.entries().iter().all(|entry| is_plain_key(yaml, entry, base))
        && collect_scalars(yaml, node, base, &mut scalars);
    keys_are_plain && lines_are_plain(yaml, node, base, &scalars) && !holds_sign(yaml, &scalars)
}

/// A scalar's span in the YAML, and whether it is a block.
type Scalar = (Span, bool);

/// Collects the spans of scalars, and returns whether all keys are text and none is a merge key.
fn collect_scalars(yaml: &str, node: &Node, base: usize, scalars: &mut Vec<Scalar>) -> bool {
    let place = |span: Span| Span::new(span.start.saturating_sub(base), span.end.saturating_sub(base));
    match &node.value {
        Value::Map(entries) => entries.iter().all(|entry| {
            scalars.push((place(entry.key_span), false));
            let written = yaml.get(place(entry.key_span).start..place(entry.key_span).end);
            let is_text = written.is_some_and(|written| {
                let merges = written.trim_matches(['"', '\'']) == "<<";
                !merges && !written.starts_with(['[', '!', '&', '*'])
            });
            // A tag may precede it.
            let before = yaml.get(..place(entry.key_span).start).unwrap_or_default();
            let word = before.trim_end_matches(' ').rsplit([' ', '\n', '{', ',']).next();
            let is_text = is_text && !word.is_some_and(|word| word.starts_with('!'));
            let is_text = is_text && !is_named_by_nothing(entry, yaml, base);
            is_text && collect_scalars(yaml, &entry.node, base, scalars)
        }),
        Value::List(items) => items.iter().all(|item| collect_scalars(yaml, item, base, scalars)),
        _ => {
            scalars.push((place(node.span), node.style == Style::Block));
            true
        }
    }
}

fn is_named_by_nothing(entry: &MappingEntry, yaml: &str, base: usize) -> bool {
    let (start, end) = (entry.key_span.start.saturating_sub(base), entry.key_span.end.saturating_sub(base));
    is_unnamed(&MappingEntry { key_span: Span::new(start, end), ..entry.clone() }, yaml)
}

/// Whether a key of the frontmatter is at the start of its line, followed by its colon.
fn is_plain_key(yaml: &str, entry: &MappingEntry, base: usize) -> bool {
    let (start, end) = (entry.key_span.start.saturating_sub(base), entry.key_span.end.saturating_sub(base));
    let (Some(before), Some(after)) = (yaml.get(..start), yaml.get(end..)) else { return false };
    (before.is_empty() || before.ends_with('\n')) && after.trim_start_matches(' ').starts_with(':')
}

/// Whether every line belongs to a key at the start of a line, and no tab indents one.
fn lines_are_plain(yaml: &str, node: &Node, base: usize, scalars: &[Scalar]) -> bool {
    let mut at = 0;
    yaml.split_inclusive('\n').all(|line| {
        let start = at;
        at += line.len();
        let in_block =
            || scalars.iter().any(|(span, block)| *block && span.start <= start && start < span.end);
        let indentation = &line[..line.len() - line.trim_start().len()];
        if indentation.contains('\t') {
            return in_block();
        }
        let is_key = || node.entries().iter().any(|entry| entry.key_span.start.saturating_sub(base) == start);
        line.trim().is_empty() || line.starts_with([' ', '-', '#']) && !line.starts_with("--") || is_key()
    })
}

/// Whether a character outside of scalars has a special meaning: an anchor, an alias, or a key after a question mark.
fn holds_sign(yaml: &str, scalars: &[Scalar]) -> bool {
    let bytes = yaml.as_bytes();
    memchr::memchr3_iter(b'&', b'*', b'?', bytes).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b'\n');
        let after = bytes.get(at + 1).copied().unwrap_or(b'\n');
        let begins = before.is_ascii_whitespace() || b"[{,:-".contains(&before);
        let means =
            if bytes[at] == b'?' { after.is_ascii_whitespace() } else { !after.is_ascii_whitespace() };
        let line = line_start(yaml, at);
        let in_comment = || yaml[line..at].starts_with('#') || yaml[line..at].contains(" #");
        let in_scalar = || {
            // An alias begins with its sign.
            scalars.iter().any(|(span, _)| span.start < at && at < span.end)
        };
        begins && means && !in_scalar() && !in_comment()
    })
}

/// Whether an escape encodes half of a surrogate pair.
fn holds_surrogate(yaml: &str) -> bool {
    yaml.match_indices("\\u").any(|(at, _)| {
        yaml.get(at + 2..at + 4).is_some_and(|digits| {
            let digits = digits.to_ascii_lowercase();
            digits.starts_with('d') && digits.ends_with(['8', '9', 'a', 'b', 'c', 'd', 'e', 'f'])
        })
    })
}
