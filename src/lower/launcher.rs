//! The programs that a plugin ships: for each, a launcher that a text can name by one path on every machine, and the
//! binary of each platform beside it. Binaries are inputs, so they are kept separate from the files that a build
//! generates.

use camino::{Utf8Path, Utf8PathBuf};

use super::context::LoweringContext;
use super::decision::Decision;
use super::part::LoweredPart;
use crate::bundle::{BundleNode, HelperFile, NodeContent};
use crate::diagnostic::{Diagnostic, RuleId, Severity};
use crate::ledger::RowOutcome;
use crate::model::runtime::{HELPER, place};

/// The launchers by their extensions. Each runs the program with its own name, so their texts are all the same.
const LAUNCHERS: [(&str, &str, bool); 2] = [
    ("", include_str!("launcher/launcher.sh"), true),
    (".cmd", include_str!("launcher/launcher.cmd"), false),
];

/// Launchers and binaries; a source file at the same path is an error.
pub(super) fn lower(context: &LoweringContext<'_>) -> LoweredPart {
    let mut part = LoweredPart::default();
    let runtime = &context.plugin.runtime;
    for name in runtime.names() {
        for (ending, text, executable) in LAUNCHERS {
            let content = NodeContent::Text(text.to_owned());
            let launcher = context.generated_file(format!("bin/{name}{ending}"), content);
            part.nodes.push(BundleNode { executable, ..launcher });
        }
    }
    part.helpers = binaries(context);
    for path in &context.plugin.files.kept {
        if let Some(emitted) = program(context, path) {
            let reason = "it is a program that the plugin ships, placed where its launcher looks for it";
            let file = Decision::for_file(&context.plugin.name, path)
                .placed_at(context.root().join(emitted).as_str());
            part.decisions.push(file.with_outcome(RowOutcome::Mapped, reason));
        } else if runtime.claims(context.plugin.relative_path(path)) {
            decide_obstacle(context, path, &mut part);
        }
    }
    part
}

/// The binaries of every platform: of our own helper, and of the plugin's programs.
fn binaries(context: &LoweringContext<'_>) -> Vec<HelperFile> {
    let runtime = &context.plugin.runtime;
    let binary = |name: &str, platform: &str, origin: &std::path::Path| HelperFile {
        plugin: context.plugin.name.clone(),
        path: context.root().join(place(platform, name)),
        platform: platform.to_owned(),
        version: None,
        origin: origin.to_owned(),
        fingerprint: None,
    };
    let helpers = context.project.helpers.iter().filter(|_| runtime.wants_helper());
    let helpers = helpers.map(|helper| HelperFile {
        version: Some(helper.version.clone()),
        fingerprint: Some(helper.fingerprint.clone()),
        ..binary(HELPER, &helper.platform, &helper.origin)
    });
    let programs = runtime.programs.iter().flat_map(|(name, paths)| {
        paths.iter().map(move |(platform, program)| (name, platform, &program.origin))
    });
    helpers.chain(programs.map(|(name, platform, origin)| binary(name, platform, origin))).collect()
}

/// Where the source file at `path` goes in the plugin's folder, if `[runtime]` names it as a program.
pub(super) fn program(context: &LoweringContext<'_>, path: &Utf8Path) -> Option<Utf8PathBuf> {
    context.plugin.runtime.programs_in_source().find(|(source, _)| *source == path).map(|(_, place)| place)
}

fn decide_obstacle(context: &LoweringContext<'_>, path: &Utf8PathBuf, part: &mut LoweredPart) {
    let message = format!("`{path}` is at the path of a launcher or a program of `[runtime]`");
    let help = "rename the file in the source, or change `[runtime]` in `plugcast.toml`";
    part.diagnostics
        .push(Diagnostic::for_file(path, Severity::Error, RuleId::GENERATED_NAME, message).help(help));
    let row = Decision::for_file(&context.plugin.name, path);
    part.decisions
        .push(row.with_outcome(RowOutcome::Dropped, "a launcher or a program of `[runtime]` is there"));
}
