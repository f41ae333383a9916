//! Frontmatter in a form that every host's reader of YAML takes: keys at the start of their lines and of plain text, no
//! characters that break lines for some readers alone.

use super::fields::Repairs;
use crate::bundle::draft::{Draft, escaped};
use crate::ledger::Outcome;
use crate::model::component::Component;
use crate::read::dialect;
use crate::read::tags::Tags;
use crate::read::tree::{Entry, Node};
use crate::read::yaml;
use crate::source::Span;
use crate::sourcemap::EditKind;
use crate::target::Target;

/// Characters that break lines for readers of YAML 1.1, and for no others.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Whether `text` holds one of them, or a control character, which YAML has not.
pub(super) fn broken(text: &str) -> bool {
    text.contains(BREAKS) || text.contains(|c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r'))
}

/// The value in JSON, which is YAML, with escapes in place of such characters.
pub(super) fn quoted(node: &Node) -> String {
    escaped(&node.to_json().to_string())
}

/// Whether the key is nothing, a list or a mapping.
pub(super) fn is_unnamed(entry: &Entry, text: &str) -> bool {
    entry.key.is_empty() && !entry.key_span.of(text).starts_with(['"', '\''])
}

/// Whether a mapping within `node` has such a key.
pub(super) fn holds_unnamed(node: &Node, text: &str) -> bool {
    let inner = |entry: &Entry| is_unnamed(entry, text) || holds_unnamed(&entry.node, text);
    let items = node.items().unwrap_or_default();
    node.entries().iter().any(inner) || items.iter().any(|item| holds_unnamed(item, text))
}

/// Takes characters out of comments at which they would end.
pub(super) fn comments(component: &Component, draft: &mut Draft) {
    let (Some(yaml), Some(fields)) = (component.document.yaml, &component.document.fields) else { return };
    let all = yaml.of(&draft.text).match_indices(BREAKS);
    let spans = all.map(|(at, sign)| Span::new(yaml.start + at, yaml.start + at + sign.len()));
    let outside = |span: &Span| !fields.entries().iter().any(|entry| entry.span().contains(span.start));
    for span in spans.filter(outside).collect::<Vec<_>>() {
        draft.replace(span, " ", EditKind::Frontmatter, "the host would end the comment at this character");
    }
}

/// Writes the mark at the end of frontmatter, and the keys, where every reader takes them: at the start of their lines.
pub(super) fn marks(target: &Target, component: &Component, draft: &mut Draft) {
    let Some(yaml) = component.document.yaml else { return };
    let text = draft.text.clone();
    let line = text[yaml.end..].split_inclusive('\n').next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    if indent > 0
        && dialect::end(&text, target.yaml.dialect.closing).is_none_or(|end| end > yaml.end + indent)
    {
        let span = Span::new(yaml.end, yaml.end + indent);
        draft.replace(
            span,
            "",
            EditKind::Frontmatter,
            "the host finds no end of the frontmatter at an indented mark",
        );
    }
    if !target.yaml.rescue_refused {
        return;
    }
    let mut at = yaml.start;
    for line in yaml.of(&text).split_inclusive('\n') {
        let tabs = line.len() - line.trim_start_matches('\t').len();
        let key = component.document.fields.iter().flat_map(|fields| fields.entries());
        if tabs > 0 && key.into_iter().any(|entry| entry.key_span.start == at + tabs) {
            draft.replace(Span::new(at, at + tabs), "", EditKind::Frontmatter, "tabs do not indent YAML");
        }
        at += line.len();
    }
}

/// Takes away tags for which the host would refuse the file; the value stays, as the source host reads it.
pub(super) fn tags(target: &Target, component: &Component, draft: &mut Draft, repairs: &mut Repairs) {
    let (Some(yaml), Some(fields)) = (component.document.yaml, &component.document.fields) else { return };
    let facts = &target.yaml;
    if facts.dialect.tags == Tags::Ignored {
        return;
    }
    let text = draft.text.clone();
    for tagged in yaml::tagged(&text, yaml) {
        if !facts.dialect.tags.lose(&tagged, dialect::is_read(&tagged, &text, &facts.text_fields)) {
            continue;
        }
        let reason = "the host refuses the frontmatter with this tag";
        let owner = fields.entries().iter().rfind(|entry| entry.key_span.start <= tagged.span.start);
        let Some(entry) = owner.or_else(|| fields.entries().first()) else { continue };
        let line = text[..entry.key_span.start].rfind('\n').map_or(0, |end| end + 1);
        if let Some(at) = text[line..entry.key_span.start].find('!') {
            draft.replace(Span::new(line + at, entry.key_span.start), "", EditKind::Frontmatter, reason);
        }
        let colon = text[entry.key_span.end..].find(':').map_or(0, |at| at + 1) + entry.key_span.end;
        let end = entry.span().trimmed(&text).end.max(colon);
        let is_text = facts.text_fields.contains(&entry.key);
        let value = match entry.node.scalar().filter(|_| is_text) {
            Some(scalar) => crate::bundle::draft::quoted(&scalar),
            None => quoted(&entry.node),
        };
        let span = Span::new(colon, end);
        if !draft.edits.iter().any(|edit| edit.span == span) {
            draft.replace(span, format!(" {value}"), EditKind::Frontmatter, reason);
        }
        let why = "it is written without its tag, as the source host reads it";
        repairs.insert(entry.key_span.start, (Outcome::Mapped, why.to_owned()));
    }
}
