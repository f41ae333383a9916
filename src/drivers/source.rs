//! The unmodified source in the host for which it was written: every bundle must carry what that host lists, or count
//! it as a loss.

mod compare;
mod layout;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::installation::MissingHost;
use super::observation::{Installation, ObservationScope};
use super::{DRIVERS, Driver, loaded_bundle, version};
use crate::bundle::source_verification::{SourceComparison, SourcePlugin, SourceVerification};
use crate::bundle::verification::{HostVerdict, NamesByKind};
use crate::diagnostic::HostId;
use crate::ledger::{ComponentKind, Ledger, RowOutcome};
use crate::model::project::Project;
use crate::model::qualified_name::qualify;

pub use layout::SourceLayout;

/// What the source host lists of a source.
#[derive(Debug, Clone, Default)]
pub struct SourceListing {
    /// The plugins, in any order.
    pub plugins: Vec<ListedPlugin>,
    /// Remarks that are not failures.
    pub notes: Vec<String>,
    /// Whether some plugins were loaded by their folders, without their marketplace entries.
    pub lacks_entries: bool,
}

/// What the source host lists of one plugin.
#[derive(Debug, Clone, Default)]
pub struct ListedPlugin {
    /// The name before the colon.
    pub name: String,
    /// Its folder relative to the source, empty for the source itself; `None` if skills of several folders were loaded
    /// as one plugin.
    pub root: Option<String>,
    /// Its components.
    pub components: BTreeSet<ListedComponent>,
    /// Why the host refuses the plugin or a part of it.
    pub refused: Vec<String>,
}

/// A component that the source host lists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedComponent {
    /// [`ComponentKind::Skill`] for skills, commands and workflows, which the host lists as one.
    pub kind: ComponentKind,
    /// The local name.
    pub name: String,
}

/// Kinds that the host always lists if it loads them.
const LISTED_KINDS: [ComponentKind; 4] =
    [ComponentKind::Skill, ComponentKind::Command, ComponentKind::Agent, ComponentKind::McpServer];

/// Renames by the author's settings per host: kind, and qualified name before and after.
pub type HostRenames = BTreeMap<HostId, BTreeSet<(ComponentKind, String, String)>>;

/// The renames in the settings of a source.
pub fn renames(project: &Project) -> HostRenames {
    let mut renames = HostRenames::new();
    for (host, overrides) in &project.overrides {
        let of_host = renames.entry(host.clone()).or_default();
        for ((kind, from), renamed) in &overrides.renames {
            let plugin = from.plugin();
            of_host.insert((*kind, from.to_string(), qualify(plugin, &renamed.to)));
        }
    }
    renames
}

/// A source that bundles are compared with.
#[derive(Debug, Clone)]
pub struct ComparisonSource {
    /// Its folder.
    pub folder: PathBuf,
    /// Per-host renames.
    pub renames: HostRenames,
}

impl ComparisonSource {
    /// The source in `folder`.
    pub fn new(folder: &Path, renames: HostRenames) -> Self {
        Self { folder: folder.to_owned(), renames }
    }
}

/// The driver of the host for which sources are written.
///
/// # Errors
/// When `host` has no driver that can load a source.
pub fn driver_for(host: &str) -> Result<&'static dyn Driver> {
    let driver = DRIVERS.iter().copied().find(|driver| driver.host() == host);
    driver.ok_or_else(|| {
        let message = format!("no driver for the source host `{host}`");
        MissingHost { message, help: "leave `--against` out".to_owned() }.into()
    })
}

/// Loads a source in its host once, and compares the listing with each bundle.
///
/// # Errors
/// When the host cannot be started, or a bundle cannot be read.
pub fn verify(
    against: &ComparisonSource,
    bundles: &[PathBuf],
    driver: &dyn Driver,
    installation: &Installation,
    scope: ObservationScope,
) -> Result<SourceVerification> {
    let mut ledgers = Vec::new();
    for bundle in bundles {
        ledgers.push((loaded_bundle::manifest(bundle)?.target, loaded_bundle::ledger(bundle)?));
    }
    let mut layout = SourceLayout::find(&against.folder)?;
    let mut rows = ledgers.iter().flat_map(|(_, ledger)| &ledger.rows);
    let whole = rows.find(|row| row.kind == ComponentKind::Plugin && row.path == ".");
    layout.name = whole.map(|row| row.name.clone());
    let version = version(installation)?;
    let mut listing = driver
        .list_source(&layout, installation, scope)
        .with_context(|| format!("the driver could not finish with `{}` {version}", driver.host()))?;
    // If the host loads nothing, nothing is proven, unless the host gives a reason and the bundles carry nothing.
    let is_there = !layout.plugins.is_empty() || !layout.skills.is_empty();
    let rows = ledgers.iter().flat_map(|(_, ledger)| &ledger.rows);
    let carried =
        rows.filter(|row| row.outcome != RowOutcome::Dropped).any(|row| LISTED_KINDS.contains(&row.kind));
    let is_empty = listing.plugins.iter().all(|plugin| plugin.components.is_empty());
    let is_silent = is_there && listing.plugins.is_empty() && listing.notes.is_empty();
    let unseen = is_empty && ((is_there || layout.marketplace) && carried || is_silent);
    if unseen && carried {
        listing.notes.push(
            "the host loads nothing of the source, but the bundles carry parts of it: nothing was compared"
                .to_owned(),
        );
    } else if unseen {
        listing.notes.push(
            "the host loads nothing of the source and does not say why: nothing was compared".to_owned(),
        );
    }
    let listed = compare::with_bundle_names(listing.plugins, ledgers.first().map(|(_, ledger)| ledger));
    let none = BTreeSet::new();
    let compared = ledgers.iter().map(|(host, ledger)| {
        let renames = against.renames.get(host).unwrap_or(&none);
        let renames = compare::renames_in(ledger, renames, layout.name.as_deref());
        let mut compared = compare::bundle(host, &listed, ledger, &renames);
        compared.unlisted.retain(|component| !listing.lacks_entries && !layout.has_link(&component.path));
        compared
    });
    let compared: Vec<_> = compared.collect();
    let is_same = |bundle: &SourceComparison| bundle.missing.is_empty() && bundle.unlisted.is_empty();
    let passes = !unseen && compared.iter().all(is_same);
    Ok(SourceVerification {
        path: against.folder.display().to_string(),
        host: HostId::new(driver.host()),
        version,
        result: if passes { HostVerdict::Pass } else { HostVerdict::Fail },
        plugins: listed
            .iter()
            .map(|plugin| source_plugin(plugin, ledgers.first().map(|(_, ledger)| ledger)))
            .collect(),
        bundles: compared,
        notes: listing.notes,
    })
}

/// The names of one plugin by kind; the ledger distinguishes commands from skills.
fn source_plugin(plugin: &ListedPlugin, ledger: Option<&Ledger>) -> SourcePlugin {
    let mut listed = NamesByKind::default();
    for component in &plugin.components {
        let qualified = match component.kind {
            ComponentKind::Hook | ComponentKind::McpServer => component.name.clone(),
            _ => qualify(&plugin.name, &component.name),
        };
        let is_command = component.kind == ComponentKind::Skill
            && ledger.is_some_and(|ledger| {
                ledger.rows.iter().any(|row| row.kind == ComponentKind::Command && row.name == qualified)
            });
        listed.add(if is_command { ComponentKind::Command } else { component.kind }, &qualified);
    }
    SourcePlugin { name: plugin.name.clone(), listed, refused: plugin.refused.clone() }
}
