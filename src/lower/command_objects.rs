//! The fields of commands in manifests: the decision about such a field replaces the one about where the manifest's
//! field itself goes.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::context::LoweringContext;
use super::decision::Decision;
use crate::ledger::{ComponentKind, RowOutcome};

/// The fields of commands in manifests.
#[derive(Debug, Default)]
pub(super) struct CommandFields<'a> {
    /// The fields decided here or with the command's own file, by file and pointer.
    decided: BTreeSet<(&'a str, &'a str)>,
    /// The fields without an equivalent on the host; carried ones are decided where they are written.
    pub(super) dropped: Vec<Decision>,
}

impl<'a> CommandFields<'a> {
    /// The fields of commands of the plugin.
    pub(super) fn new(context: &LoweringContext<'a>) -> Self {
        let plugin = context.plugin;
        let files = plugin.components.iter().map(|own| (&own.qualified, &own.declared, true));
        let inline = plugin.inline.iter().map(|own| (&own.qualified, &own.declared, false));
        let mut out = Self::default();
        for (owner, fields, has_file) in files.chain(inline) {
            for (key, value) in fields {
                if context.target.manifest.passthrough && plugin.has_kept(&value.at.path) {
                    continue;
                }
                let rule = context.target.dropped_field(ComponentKind::Command, key);
                if rule.is_some() || has_file {
                    out.decided.insert((value.at.path.as_str(), value.at.pointer.as_str()));
                }
                let Some(rule) = rule else { continue };
                let reason = rule.reason.as_deref().unwrap_or("the host takes no such field");
                let field = Decision::new_kept(&plugin.name, ComponentKind::Field, key, &value.at.path);
                let field = field.at_place(&value.at).with_outcome(RowOutcome::Dropped, reason);
                out.dropped.push(match rule.axis {
                    Some(axis) => {
                        let class = rule.class.unwrap_or(axis.minimum_class());
                        field.loss_as(axis, class, (ComponentKind::Command, owner), key)
                    }
                    None => field,
                });
            }
        }
        out
    }

    /// Whether the field at `pointer` of the file at `path` is one of them.
    pub(super) fn contains(&self, path: &Utf8Path, pointer: &str) -> bool {
        self.decided.contains(&(path.as_str(), pointer))
    }
}
