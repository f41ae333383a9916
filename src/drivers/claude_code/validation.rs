//! Runs `claude plugin validate` for one plugin: the errors for which the host refuses the plugin, and the components
//! in its folder. Its checks for a catalogue of submitted plugins do not affect the exit code and are left out.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::conversation::environment;
use super::inventory::InstalledInventory;
use crate::disk::plain_files;
use crate::drivers::observation::Installation;
use crate::drivers::text;
use crate::drivers::workspace::HostWorkspace;
use crate::temp_dir::TempFolder;

/// The host's report about a plugin's folder, made without starting anything.
#[derive(Debug, Default)]
pub struct PluginValidation {
    /// Why the host refuses the plugin; empty if it does not.
    pub refusals: Vec<String>,
    /// The components found; `None` if it refuses the plugin.
    pub inventory: Option<InstalledInventory>,
}

/// Validates the plugin of this name in `folder`. A plugin with a reserved name is validated again under another name,
/// since the host stops at the name (2.1.330).
pub fn examine(name: &str, folder: &Path, installation: &Installation) -> Result<PluginValidation> {
    let output = validate(folder, installation)?;
    if output.errors.is_empty() || !output.errors.iter().all(|error| is_noise(error)) {
        let refusals = output
            .errors
            .into_iter()
            .filter(|error| !is_noise(error))
            .map(|error| format!("`claude plugin validate` refuses the plugin: {error}"));
        return Ok(PluginValidation {
            refusals: refusals.chain(output.ending).collect(),
            inventory: output.inventory,
        });
    }
    let other = format!("shown-{name}");
    let copies = TempFolder::new()?;
    let copy = copies.path().join(&other);
    plain_files::copy_tree(folder, &copy)?;
    let path = copy.join(MANIFEST);
    let mut manifest: Value = serde_json::from_str(&plain_files::read(&path)?)
        .with_context(|| format!("`{}` is not valid JSON", path.display()))?;
    manifest["name"] = other.as_str().into();
    plain_files::write(&path, manifest.to_string().as_bytes(), false)?;
    let inventory = validate(&copy, installation)?.inventory;
    Ok(PluginValidation {
        refusals: Vec::new(),
        inventory: inventory.map(|inventory| inventory.renamed(&other, name)),
    })
}

/// The manifest that the host reads.
pub const MANIFEST: &str = ".claude-plugin/plugin.json";

/// One run of the host's validation.
struct ValidationRun {
    errors: Vec<String>,
    /// The exit status, if it is not 0 although no error was reported.
    ending: Option<String>,
    inventory: Option<InstalledInventory>,
}

fn validate(plugin: &Path, installation: &Installation) -> Result<ValidationRun> {
    let workspace = HostWorkspace::new(None, installation)?;
    let command = workspace
        .command(workspace.project())
        .arguments(["plugin", "validate", "--json", &text(plugin)])
        .environment(environment(None));
    let ended = command.run().with_context(|| workspace.not_started())?;
    let report: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let inventory = InstalledInventory::from_report(&report);
    if ended.succeeded() {
        return Ok(ValidationRun { errors: Vec::new(), ending: None, inventory });
    }
    let errors = errors(&report);
    let ending = errors.is_empty().then(|| {
        let output = ended.stdout_text() + &ended.stderr_text();
        format!("`claude plugin validate` ends with {}: {}", ended.status_text(), output.trim())
    });
    Ok(ValidationRun { errors, ending, inventory })
}

/// The message of 2.1.330 about a name that third parties may not publish in its catalogue, before and after the name.
/// Such a plugin can still be installed from any marketplace.
const RESERVED_NAME: (&str, &str) = (
    "name: Plugin name \"",
    "\" is reserved: it passes as one of Anthropic's own. A third party's plugin name cannot start with \"claude-\", \"anthropic-\", \"anthropics-\", or \"cc-plugin-\", be \"claude\", \"anthropic\", \"anthropics\", \"claude-code\", or \"claude-mods\", or put \"official\" beside \"claude\" or \"anthropic\". Name it for what it does. If this is one of Anthropic's own plugins, validate the marketplace that lists it.",
);

/// Whether an error, with its file and place, is about the catalogue and not about loading.
fn is_noise(error: &str) -> bool {
    let (before, after) = RESERVED_NAME;
    error
        .split_once(": ")
        .and_then(|(_, output)| output.strip_prefix(before))
        .is_some_and(|output| output.ends_with(after))
}

/// The errors of a report, each with its file and place.
fn errors(report: &Value) -> Vec<String> {
    let contents = report["contents"].as_array().into_iter().flatten();
    let parts = std::iter::once(&report["manifest"]).chain(contents);
    parts
        .flat_map(|part| {
            let file = part["file"].as_str().unwrap_or_default();
            part["errors"].as_array().into_iter().flatten().map(move |error| {
                let field = |key: &str| error[key].as_str().unwrap_or_default();
                format!("{file}: {}: {}", field("path"), field("message"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserved_name_is_noise_and_nothing_else_is() {
        let output = format!("p/plugin.json: {}x{}", RESERVED_NAME.0, RESERVED_NAME.1);
        assert!(is_noise(&output));
        assert!(!is_noise(&format!("{output} more")));
        assert!(!is_noise("p/plugin.json: name: Plugin name cannot be empty"));
    }

    #[test]
    fn keeps_errors_and_leaves_catalogue_findings_out() {
        let report = serde_json::json!({
            "manifest": { "file": "p/plugin.json", "errors": [] },
            "contents": [{ "file": "p/hooks.json", "errors": [{ "path": "json", "message": "bad" }] }],
            "directory": { "findings": [{ "code": "README_MISSING" }] }
        });
        assert_eq!(errors(&report), ["p/hooks.json: json: bad"]);
    }
}
