//! Reports texts with invisible characters during a build: the build carries them to every host, so they are reported
//! even without `check`. Those in JSON are found when it is read.

use camino::Utf8PathBuf;

use crate::check;
use crate::check::context::RuleContext;
use crate::check::scope::CheckScope;
use crate::check::settings::Settings;
use crate::diagnostic::{Diagnostic, RuleId};
use crate::model::config::CheckConfig;
use crate::model::project::Project;
use crate::parallel;
use crate::read::hidden_chars;
use crate::source::is_markdown;
use crate::target::Targets;

const RULE: RuleId = RuleId::HIDDEN_UNICODE;

/// The findings of the rule, with the settings and suppressions that apply to `check`. If there is nothing to find,
/// this is one search in each text.
pub fn hidden_text_findings(project: &Project, targets: &Targets, config: &CheckConfig) -> Vec<Diagnostic> {
    let is_suspect = |path: &Utf8PathBuf| {
        let Some((file, text)) = project.tree.get(path).and_then(|file| Some((file, file.text()?))) else {
            return false;
        };
        !hidden_chars::find_in_code(text).is_empty() || is_markdown(&file.path) && escapes(text)
    };
    let kept: Vec<&Utf8PathBuf> = project.plugins.iter().flat_map(|plugin| &plugin.files.kept).collect();
    let files = kept.len();
    if !parallel::map(kept, files, is_suspect).contains(&true) {
        return Vec::new();
    }
    // Faults in the settings are reported by `check`.
    let settings = Settings::new(config).unwrap_or_else(|_| Settings::quiet()).with_only(RULE.as_str());
    let context = RuleContext::new(project, targets, vec![targets.source_host()], &settings);
    check::run(&context, Vec::new(), &CheckScope::default()).diagnostics
}

/// Whether frontmatter holds an escape, which may encode a hidden character.
fn escapes(text: &str) -> bool {
    let inner = text.strip_prefix("---").unwrap_or_default();
    inner.split("\n---").next().is_some_and(|inner| inner.contains('\\'))
}
