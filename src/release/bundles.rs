//! Committed bundles must be up to date and verified in a real host.

use camino::{Utf8Path, Utf8PathBuf};

use super::context::ReleaseContext;
use super::error::ReleaseError;
use super::finding::file_finding;
use crate::build::{self, HostBundle, PluginCounts};
use crate::bundle::verification::VerificationRecord;
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::disk::folder::Folder;
use crate::disk::lock::OutputFolder;
use crate::disk::replace::OWN_FOLDER;
use crate::schema;
use crate::target::Target;
use crate::{compare, compile};

pub(super) fn check(context: &ReleaseContext<'_>, out: &mut Vec<Diagnostic>) -> Result<(), ReleaseError> {
    let configured = context.config.release.bundles.as_ref();
    let usual = vec![context.config.build.out.clone().unwrap_or_else(|| "dist".to_owned())];
    for name in configured.unwrap_or(&usual) {
        let folder = context.config_place.join(name);
        let at = context.top.join(&folder);
        build::must_be_finished(&at)?;
        let bundles = compare::bundles(&at)?;
        if bundles.is_empty() && configured.is_some() {
            let message = format!("`{folder}` contains no bundle");
            let help = format!("run `plugcast build --out {folder}` and commit the result");
            out.push(file_finding(&folder, Severity::Error, RuleId::BUNDLE_MISSING, message).help(help));
        }
        for (host, place) in bundles {
            let inner = place.strip_prefix(&context.top).ok().and_then(|inner| inner.to_str());
            let Some(inner) = inner.map(Utf8PathBuf::from) else { continue };
            let listed = inner.join(OWN_FOLDER).join("manifest.json");
            let tracked = context.git.answer(&["ls-files", "-z", "--", &at.display().to_string()])?;
            if configured.is_none() && tracked.is_empty() {
                continue;
            }
            build::must_be_plain(&OutputFolder::below(&context.top, folder.as_std_path()))?;
            let Some(target) = context.targets.get(&host) else {
                let message = format!("`{inner}` is a bundle for `{host}`, which is not a known host");
                let help = "pass its target with `--targets-dir`, or remove the bundle";
                out.push(file_finding(&listed, Severity::Error, RuleId::BUNDLE_STALE, message).help(help));
                continue;
            };
            let bundle = compile::bundle(context.project, target, context.targets)?;
            let unlisted = build::unlisted_there(&place, inner.as_std_path(), Severity::Error)?;
            out.extend(unlisted.into_iter().map(|finding| finding.host(&host)));
            let mut changes = build::plan_changes(&bundle, &place)?;
            // A verification record is not part of the build and is checked separately.
            changes.retain(|change| !change.path().ends_with("verified.json"));
            if !changes.is_empty() {
                let named: Vec<String> =
                    changes.iter().take(3).map(|change| format!("`{}`", change.path())).collect();
                let more = changes.len().saturating_sub(3);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let message =
                    format!("the bundle `{inner}` is stale: {}{more} would change", named.join(", "));
                let help = format!("run `plugcast build --to {host} --out {folder}` and commit the result");
                out.push(
                    file_finding(&listed, Severity::Error, RuleId::BUNDLE_STALE, message)
                        .help(help)
                        .host(&host),
                );
                continue;
            }
            if context.config.release.verified != Some(false) {
                let why = unverified(&inner, target, &bundle, context)?;
                out.extend(why.map(|why| {
                    let message = format!("the bundle `{inner}` {why}");
                    let help = format!(
                        "run `plugcast verify {folder}` and commit `{OWN_FOLDER}/verified.json`, or set `verified = false` under `[release]`"
                    );
                    file_finding(&listed, Severity::Error, RuleId::BUNDLE_UNVERIFIED, message).help(help).host(&host)
                }));
            }
        }
    }
    Ok(())
}

/// Why this bundle has no valid verification record.
fn unverified(
    folder: &Utf8Path,
    target: &Target,
    bundle: &HostBundle,
    context: &ReleaseContext<'_>,
) -> Result<Option<String>, ReleaseError> {
    let path = folder.join(OWN_FOLDER).join("verified.json");
    let Some(text) = Folder::open(&context.top)?.read_text(&path)? else {
        return Ok(Some("has not been verified".to_owned()));
    };
    let verified: VerificationRecord = match serde_json::from_str(&text) {
        Ok(verified) => verified,
        Err(error) => return Ok(Some(format!("has an invalid verification record: {error}"))),
    };
    let version = &target.host.version;
    Ok(if let Err(why) = schema::VERIFIED.accept(&verified.schema) {
        Some(format!("has an unreadable verification record: {why}"))
    } else if verified.digest != bundle.record.manifest.digest {
        Some("has changed since it was verified: its digest differs".to_owned())
    } else if let Some(plugin) = unseen_plugin(&verified, &bundle.record.plugins) {
        Some(format!("has an incomplete verification of `{plugin}`"))
    } else if verified.version != *version {
        Some(format!(
            "was verified with version {} of the host, but the facts are of {version}",
            verified.version
        ))
    } else {
        None
    })
}

/// The first plugin with a component that the record does not contain, or lists as not seen.
fn unseen_plugin<'a>(verified: &VerificationRecord, plugins: &'a [PluginCounts]) -> Option<&'a str> {
    let shown = |plugin: &PluginCounts| {
        let of_plugin = verified.plugins.iter().find(|shown| shown.name == plugin.name);
        of_plugin.is_some_and(|shown| shown.missing.is_empty() && shown.errors.is_empty())
    };
    let brings = |plugin: &&PluginCounts| plugin.counts.values().any(|count| *count > 0);
    plugins.iter().filter(brings).find(|plugin| !shown(plugin)).map(|plugin| plugin.name.as_str())
}
