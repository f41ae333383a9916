//! Writes frontmatter in a form that the YAML readers of all hosts accept: plain keys at the start of their lines, and
//! no characters that only some readers treat as line breaks.

use std::collections::BTreeMap;

use crate::bundle::draft::{MarkdownDraft, escaped};
use crate::ledger::RowOutcome;
use crate::model::component::Component;
use crate::read::blanks::is_blank;
use crate::read::dialect::{self, ClosingRule};
use crate::read::tags::TagRule;
use crate::read::tree::{MAPPING, MappingEntry, Node, Style};
use crate::read::yaml;
use crate::source::{Span, line_start};
use crate::sourcemap::EditKind;
use crate::target::Target;

/// The repairs of fields, by the start of the key: the outcome and the reason.
pub type Repairs = BTreeMap<usize, (RowOutcome, String)>;

/// Characters that are line breaks only for readers of YAML 1.1.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Whether `text` contains one of them, or a control character, which YAML forbids.
pub(super) fn has_unsafe_characters(text: &str) -> bool {
    let strange = |c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\r')
            || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    text.contains(BREAKS) || text.contains(strange)
}

/// The value as JSON, which is also YAML, with such characters escaped.
pub(super) fn quote(node: &Node) -> String {
    escaped(&node.to_json().to_string())
}

/// The same for a mapping, without those of `keys` whose value is not text.
pub(super) fn quoted_but(node: &Node, keys: &[String]) -> String {
    let mut json = node.to_json();
    if let Some(entries) = json.as_object_mut() {
        entries.retain(|key, value| !keys.contains(key) || !(value.is_array() || value.is_object()));
    }
    escaped(&json.to_string())
}

/// Whether tabs may indent a part of the value, which strict readers refuse.
pub(super) fn has_tabs(entry: &MappingEntry, text: &str) -> bool {
    let written = entry.span().trimmed(text).slice(text);
    let is_collection = entry.node.items().is_some() || !entry.node.entries().is_empty();
    written.contains('\t') && (is_collection || written.contains('\n') && entry.node.style != Style::Block)
}

/// Whether the value has an anchor that nothing refers to: readers disagree about the names of anchors.
pub(super) fn is_anchored(entry: &MappingEntry, text: &str) -> bool {
    has_anchor(entry, text) && !text.contains("*")
}

/// Whether the value has an anchor that an alias in the frontmatter may refer to.
pub(super) fn is_repeated(component: &Component, entry: &MappingEntry, text: &str) -> bool {
    let yaml = component.document.yaml.map(|yaml| yaml.slice(text));
    has_anchor(entry, text) && yaml.is_some_and(|yaml| yaml.contains('*'))
}

fn has_anchor(entry: &MappingEntry, text: &str) -> bool {
    let before = text.get(entry.key_span.end..entry.node.span.start).unwrap_or_default();
    before.trim_start_matches([':', ' ', '\t', '"', '\'']).starts_with('&')
}

/// Whether a mapping within `node` has a key twice.
pub(super) fn repeats(node: &Node) -> bool {
    let entries = node.entries();
    let twice =
        |(at, entry): (usize, &MappingEntry)| entries[..at].iter().any(|earlier| earlier.key == entry.key);
    entries.iter().enumerate().any(twice)
        || entries.iter().any(|entry| repeats(&entry.node))
        || node.items().unwrap_or_default().iter().any(repeats)
}

/// Whether the key is empty, a list or a mapping.
pub(super) fn is_unnamed(entry: &MappingEntry, text: &str) -> bool {
    let written = entry.key_span.slice(text);
    match entry.key.as_str() {
        "" | MAPPING => !written.starts_with(['"', '\'']),
        "null" => matches!(written, "" | "~" | "null" | "Null" | "NULL"),
        _ => false,
    }
}

/// Whether a mapping within `node` has such a key.
pub(super) fn holds_unnamed(node: &Node, text: &str) -> bool {
    let inner = |entry: &MappingEntry| is_unnamed(entry, text) || holds_unnamed(&entry.node, text);
    let items = node.items().unwrap_or_default();
    node.entries().iter().any(inner) || items.iter().any(|item| holds_unnamed(item, text))
}

/// Replaces characters in comments at which some readers would end the comment.
pub(super) fn comments(component: &Component, draft: &mut MarkdownDraft) {
    let (Some(yaml), Some(fields)) = (component.document.yaml, &component.document.fields) else { return };
    let all = yaml.slice(&draft.text).match_indices(BREAKS);
    let spans = all.map(|(at, sign)| Span::new(yaml.start + at, yaml.start + at + sign.len()));
    let outside = |span: &Span| !fields.entries().iter().any(|entry| entry.span().contains(span.start));
    for span in spans.filter(outside).collect::<Vec<_>>() {
        draft.replace(span, " ", EditKind::Frontmatter, "the host would end the comment at this character");
    }
}

/// Moves the closing delimiter of the frontmatter, and the keys, to the start of their lines, where every reader
/// accepts them.
pub(super) fn marks(target: &Target, component: &Component, draft: &mut MarkdownDraft) {
    let Some(yaml) = component.document.yaml else { return };
    let text = draft.text.clone();
    let line = text[yaml.end..].split_inclusive('\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let mark = yaml.end + indent;
    let reason = "the host does not accept this delimiter as the end of the frontmatter";
    let newline = draft.newline();
    let opening = text[..yaml.start].trim_end_matches(['\n', '\r']);
    let blanks = Span::new(opening.trim_end_matches(is_blank).len(), opening.len());
    let is_strange = |c: char| !matches!(c, ' ' | '\t' | '\r' | '\n');
    let are_lines = target.yaml.dialect.closing != ClosingRule::Anywhere;
    let below = blanks.slice(&text).split_once('\n').map_or("", |(_, below)| below);
    if blanks.slice(&text).contains(is_strange) || are_lines && below.contains('\t') {
        let reason = "hosts read such white space after the delimiter as a part of the frontmatter";
        draft.replace(blanks, "", EditKind::Frontmatter, reason);
    }
    let closes = dialect::end(&text, target.yaml.dialect.closing).is_some_and(|end| end <= mark);
    if !closes && !text[..yaml.end].ends_with('\n') {
        draft.replace(Span::new(yaml.end, mark), newline, EditKind::Frontmatter, reason);
    } else if indent > 0 && (!closes || line[..indent].contains('\t')) {
        draft.replace(Span::new(yaml.end, mark), "", EditKind::Frontmatter, reason);
    }
    if !closes && !line[indent + 3..].trim().is_empty() {
        draft.replace(Span::new(mark + 3, mark + 3), newline, EditKind::Frontmatter, reason);
    }
    if !target.yaml.rescue_refused {
        return;
    }
    let entries = || component.document.fields.iter().flat_map(|fields| fields.entries());
    let mut at = yaml.start;
    for line in yaml.slice(&text).split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let is_blank =
            line.trim().is_empty() && !entries().any(|entry| entry.span().trimmed(&text).contains(at));
        let on_line =
            |entry: &MappingEntry| entry.key_span.start >= at && entry.key_span.start < at + line.len();
        if line[..indent].contains('\t') && (is_blank || entries().any(on_line)) {
            let indentation = Span::new(at, at + indent);
            draft.replace(indentation, "", EditKind::Frontmatter, "tabs do not indent YAML");
        }
        if line.starts_with('&') && !yaml.slice(&text).contains('*') {
            let on_line =
                |entry: &&MappingEntry| entry.key_span.start > at && entry.key_span.start < at + line.len();
            if let Some(entry) = entries().find(on_line) {
                let anchor = Span::new(at, entry.key_span.start);
                let reason = "readers apply this anchor to the whole mapping";
                draft.replace(anchor, "", EditKind::Frontmatter, reason);
            }
        }
        at += line.len();
    }
}

/// Removes tags for which the host would refuse the file; the value stays as the source host reads it.
pub(super) fn tags(target: &Target, component: &Component, draft: &mut MarkdownDraft, repairs: &mut Repairs) {
    let (Some(yaml), Some(fields)) = (component.document.yaml, &component.document.fields) else { return };
    let facts = &target.yaml;
    let text = draft.text.clone();
    if facts.dialect.tags == TagRule::Ignored || !yaml.slice(&text).contains('!') {
        return;
    }
    // Control characters would keep the tags from being found.
    let plain = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        _ if c.is_ascii_control() => '_',
        _ if c.is_control() => 'é',
        '\u{feff}' | '\u{fffe}' | '\u{ffff}' => '…',
        _ => c,
    };
    let readable: String = text.chars().map(plain).collect();
    for tagged in yaml::tagged(&readable, yaml) {
        // A tag before the first key would apply to the whole mapping.
        let is_key = fields.entries().iter().any(|entry| entry.key_span == tagged.span);
        let is_read = dialect::is_read(&tagged, &text, &facts.text_fields);
        let is_wrong = facts.dialect.tags.drops_file(&tagged, is_read)
            || is_key && facts.dialect.tags == TagRule::MustFit;
        if !is_wrong {
            continue;
        }
        let reason = "the host refuses the frontmatter with this tag";
        let owner = fields.entries().iter().rfind(|entry| entry.key_span.start <= tagged.span.start);
        let Some(entry) = owner.or_else(|| fields.entries().first()) else { continue };
        let line = line_start(&text, entry.key_span.start);
        let mark = text[line..entry.key_span.start].find('!');
        if let Some(at) = mark.filter(|at| !draft.edits.iter().any(|edit| edit.span.start == line + at)) {
            draft.replace(Span::new(line + at, entry.key_span.start), "", EditKind::Frontmatter, reason);
        }
        let is_text = facts.text_fields.contains(&entry.key);
        match entry.node.scalar().filter(|_| is_text) {
            Some(scalar) => draft.replace_value(entry, &crate::bundle::draft::quoted(&scalar), reason),
            // The host also refuses an empty value.
            None if is_text => draft.remove(entry, reason),
            None => draft.replace_value(entry, &quote(&entry.node), reason),
        }
        let why = "it is written without its tag, as the source host reads it";
        repairs.insert(entry.key_span.start, (RowOutcome::Mapped, why.to_owned()));
    }
}
