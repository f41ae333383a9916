//! A change in words, as reports and findings say it.

use super::difference::{ChangedItem, ItemChange};
use crate::source::ComponentKind;

/// One change without its values, such as ``removed skill `demo:plan` ``.
pub fn line(change: &ChangedItem) -> String {
    let verb = match change.change {
        ItemChange::Removed => "removed",
        ItemChange::Renamed => "renamed",
        ItemChange::Promoted => "promoted",
        ItemChange::Added => "added",
        ItemChange::Changed => "changed",
    };
    format!("{verb} {}", title(change, "`", " to ", false))
}

/// What changed: its kind and its name, names between `quote`; of one that was renamed both with `arrow`
/// between them, and how alike they are if that is asked for.
pub fn title(change: &ChangedItem, quote: &str, arrow: &str, alike: bool) -> String {
    let kind = noun(change.kind);
    let name = &change.name;
    // What is not called by its plugin's name needs it said.
    let of = match name.starts_with(&format!("{}:", change.plugin)) || change.kind == ComponentKind::Plugin {
        true => String::new(),
        false => format!(" of {quote}{}{quote}", change.plugin),
    };
    let percent = change.alike.filter(|_| alike).map_or(String::new(), |alike| format!(" ({alike} % alike)"));
    match &change.before {
        Some(before) => format!("{kind} {quote}{before}{quote}{arrow}{quote}{name}{quote}{of}{percent}"),
        None => format!("{kind} {quote}{name}{quote}{of}"),
    }
}

fn noun(kind: ComponentKind) -> String {
    match kind {
        ComponentKind::McpServer => "server".to_owned(),
        kind => kind.id().replace('-', " "),
    }
}
