//! The wording of changes in reports and findings.

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

/// The kind and the name of a changed item, names quoted by `quote`; for a renamed one both names with `arrow` between
/// them, and the similarity if `alike`.
pub fn title(change: &ChangedItem, quote: &str, arrow: &str, alike: bool) -> String {
    let kind = noun(change.kind);
    let name = &change.name;
    // If the name does not contain the plugin, it is added.
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
