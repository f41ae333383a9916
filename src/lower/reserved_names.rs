//! Names of marketplaces that a host reserves: it refuses to add a bundle with one, unless its vendor owns it.

use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::model::project::Project;
use crate::read::tree::Node;
use crate::target::{MarketplaceFacts, Target};

/// Whether the host reserves `name`, and the marketplace of the source, if there is one, is not its vendor's.
pub fn is_reserved(facts: &MarketplaceFacts, name: &str, project: &Project) -> bool {
    let owner = project.marketplace.as_ref().and_then(|marketplace| marketplace.node.get("owner"));
    let email = owner.and_then(|owner| owner.get("email")).and_then(Node::as_str);
    let keeper = facts.reserved_for.as_deref();
    let is_own = email.is_some_and(|email| keeper.is_some_and(|keeper| email.ends_with(keeper)));
    !is_own && facts.reserved_names.iter().any(|reserved| reserved.eq_ignore_ascii_case(name))
}

/// Why the host refuses such a name, and what to do.
pub fn wording(target: &Target, name: &str) -> (String, &'static str) {
    let message = format!("{} reserves the marketplace name `{name}`", target.host.title);
    (message, "choose another name; the host refuses third-party marketplaces with this one")
}

/// Reports that the host refuses `name`, which the bundle's marketplace gets there.
pub(super) fn report(project: &Project, target: &Target, name: &str) -> Option<Diagnostic> {
    target.marketplace.as_ref().filter(|facts| is_reserved(facts, name, project))?;
    let (message, help) = wording(target, name);
    let declared = project.marketplace.as_ref().and_then(|marketplace| {
        let node = marketplace.node.get("name").filter(|node| node.as_str() == Some(name))?;
        Some((project.tree.get(&marketplace.path)?, node.span))
    });
    let found = match declared {
        Some((file, span)) => {
            Diagnostic::in_file(file, span, Severity::Error, RuleId::MARKETPLACE_RESERVED_NAME, message)
                .help(help)
        }
        // It is the name of the only plugin, of a folder, or of an option.
        None => Diagnostic::for_file(".", Severity::Error, RuleId::MARKETPLACE_RESERVED_NAME, message).help(
            "pass another one as `--marketplace`, or set `marketplace` under `[build]` in `plugcast.toml`",
        ),
    };
    Some(found.host(&target.name))
}
