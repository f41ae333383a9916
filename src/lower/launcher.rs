//! What a plugin ships to be run: for each program a launcher that a text can name by one path on every
//! machine, and beside it the binary of each platform. Binaries are inputs, so they stay apart from the
//! files that a build makes.

use camino::{Utf8Path, Utf8PathBuf};

use super::component::root;
use super::{LoweredBundle, LoweringContext};
use crate::bundle::{BundleNode, HelperFile, NodeContent};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ledger::{ComponentKind, LedgerRow, RowOutcome};
use crate::model::runtime::{HELPER, place};

/// The launchers by their endings. They take their own name for the program's, so all are alike.
const LAUNCHERS: [(&str, &str, bool); 2] = [
    ("", include_str!("launcher/launcher.sh"), true),
    (".cmd", include_str!("launcher/launcher.cmd"), false),
];

/// Emits launchers and binaries; a source file in their way is an error.
pub(super) fn emit(scene: &LoweringContext<'_>, cast: &mut LoweredBundle) {
    let runtime = &scene.plugin.runtime;
    for name in runtime.names() {
        for (ending, text, executable) in LAUNCHERS {
            let path = root(scene).join(format!("bin/{name}{ending}"));
            cast.nodes.push(BundleNode {
                path,
                executable,
                content: NodeContent::Text(text.to_owned()),
                from: None,
            });
        }
    }
    let binary = |name: &str, platform: &str, origin: &std::path::Path| HelperFile {
        plugin: scene.plugin.name.clone(),
        path: root(scene).join(place(platform, name)),
        platform: platform.to_owned(),
        version: None,
        origin: origin.to_owned(),
        fingerprint: None,
    };
    for helper in scene.project.helpers.iter().filter(|_| runtime.wants_helper()) {
        cast.helpers.push(HelperFile {
            version: Some(helper.version.clone()),
            fingerprint: Some(helper.fingerprint.clone()),
            ..binary(HELPER, &helper.platform, &helper.origin)
        });
    }
    for (name, paths) in &runtime.programs {
        let programs = paths.iter().map(|(platform, program)| binary(name, platform, &program.origin));
        cast.helpers.extend(programs);
    }
    for path in &scene.plugin.files.kept {
        if let Some(emitted) = program(scene, path) {
            let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, path.as_str(), path);
            let reason = "it is a program that the plugin ships, placed where its launcher looks for it";
            cast.rows.push(row.to(root(scene).join(emitted).as_str()).became(RowOutcome::Mapped, reason));
        } else if runtime.claims(scene.plugin.inner(path)) {
            in_the_way(scene, path, cast);
        }
    }
}

/// Where the source file at `path` goes in the plugin's folder, if `[runtime]` names it as a program.
pub(super) fn program(scene: &LoweringContext<'_>, path: &Utf8Path) -> Option<Utf8PathBuf> {
    scene.plugin.runtime.placed().find(|(source, _)| *source == path).map(|(_, place)| place)
}

fn in_the_way(scene: &LoweringContext<'_>, path: &Utf8PathBuf, cast: &mut LoweredBundle) {
    let message = format!("`{path}` is in the place of a launcher or a program of `[runtime]`");
    let help = "rename the file in the source, or change `[runtime]` in `plugcast.toml`";
    cast.diagnostics.push(Diagnostic::whole(path, Severity::Error, "generated-name", message).help(help));
    let row = LedgerRow::kept(&scene.plugin.name, ComponentKind::File, path.as_str(), path);
    cast.rows.push(row.became(RowOutcome::Dropped, "a launcher or a program of `[runtime]` is there"));
}
