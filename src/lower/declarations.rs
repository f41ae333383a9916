//! Components that a file declares, by their pointer: their outcome decides the outcome of the fields that declare
//! them. A manifest may declare thousands, so they are looked up by pointer.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::context::LoweringContext;
use super::decision::Decision;
use crate::ledger::ComponentKind;
use crate::model::plugin::{self, OtherComponent};

/// The kinds that a manifest can declare completely.
const KINDS: [ComponentKind; 4] =
    [ComponentKind::Hook, ComponentKind::McpServer, ComponentKind::LspServer, ComponentKind::Command];

/// The outcomes of the components that one file declares.
#[derive(Debug)]
pub(super) struct Declarations {
    path: Utf8PathBuf,
    /// The number of declarations.
    count: usize,
    /// By pointer: the first component that is carried, with its destination, and the first component, with its reason.
    places: BTreeMap<String, (Option<Destination>, Destination)>,
}

/// The number of a declaration, and the destination of the component or the reason for which it was dropped.
type Destination = (usize, String);

impl Declarations {
    /// The declarations in the file at `path` among `decisions`.
    pub(super) fn new<'a>(path: &Utf8Path, decisions: impl IntoIterator<Item = &'a Decision>) -> Self {
        let mut declarations = Self { path: path.to_owned(), count: 0, places: BTreeMap::new() };
        declarations.add(decisions);
        declarations
    }

    /// Adds the decisions about components that the file declares.
    pub(super) fn add<'a>(&mut self, decisions: impl IntoIterator<Item = &'a Decision>) {
        let is_here = |decision: &&Decision| KINDS.contains(&decision.kind()) && self.path == decision.path();
        for decision in decisions.into_iter().filter(is_here) {
            let Some(pointer) = decision.field() else { continue };
            let (number, destination) = (self.count, decision.destination());
            self.count += 1;
            let first = || (None, (number, decision.reason().to_owned()));
            let place = self.places.entry(pointer.to_owned()).or_insert_with(first);
            if let (None, Ok(to)) = (&place.0, destination) {
                place.0 = Some((number, to.to_owned()));
            }
        }
    }

    /// The destination of the first component that is declared at, around or below `pointer`, or why none is carried.
    /// `None` if no component that is lowered is declared there.
    pub(super) fn destination(&self, pointer: &str) -> Option<Result<String, String>> {
        let above = enclosing_pointers(pointer).filter_map(|above| self.places.get(above));
        let inner = format!("{pointer}/");
        let below = self.places.range(inner.clone()..).take_while(|(found, _)| found.starts_with(&inner));
        let (mut carried, mut first): (Option<&Destination>, Option<&Destination>) = (None, None);
        for (to, any) in above.chain(below.map(|(_, place)| place)) {
            carried = carried.into_iter().chain(to).min_by_key(|told| told.0);
            first = first.into_iter().chain([any]).min_by_key(|told| told.0);
        }
        carried.map(|(_, to)| Ok(to.clone())).or_else(|| first.map(|(_, why)| Err(why.clone())))
    }
}

/// `pointer` and every pointer around it, the outermost first.
pub(super) fn enclosing_pointers(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.match_indices('/').map(|(at, _)| &pointer[..at]).chain([pointer])
}

/// A component of another kind than skills, agents and commands, before anything is decided about it.
pub(super) fn component(context: &LoweringContext<'_>, other: &OtherComponent) -> Decision {
    let mut decision = Decision::new_kept(&context.plugin.name, other.kind, &other.name, &other.path);
    if let Some(file) = context.project.tree.get(&other.path) {
        let place = other.span.unwrap_or_else(|| plugin::whole_span(&context.project.tree, &file.path));
        decision = decision.in_file(file, place);
    }
    if other.pointer.is_empty() { decision } else { decision.pointer(&other.pointer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_hold_what_lies_below() {
        assert_eq!(enclosing_pointers("/a/b").collect::<Vec<_>>(), ["", "/a", "/a/b"]);
        assert_eq!(enclosing_pointers("").collect::<Vec<_>>(), [""]);
    }
}
