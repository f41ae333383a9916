//! Public plugins as their authors published them, pinned by `tests/corpus` and fetched on first use.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::fetch;

/// One public source.
#[derive(Debug, Clone)]
pub struct Public {
    /// Short name for messages.
    pub name: &'static str,
    /// What `plugcast` is given as SRC.
    pub source: PathBuf,
    /// The name to give with `--name`, where the source carries none.
    pub plugin: Option<&'static str>,
    /// Faults of the source itself, which make a build end with 1: file and rule.
    pub faults: &'static [(&'static str, &'static str)],
    /// Files of components that a fault takes away.
    pub lost: &'static [&'static str],
}

/// Every public source.
///
/// # Panics
/// With one line when the packages cannot be had.
pub fn public() -> Vec<Public> {
    static MODULES: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let modules = MODULES.get_or_init(|| fetch::modules("corpus"));
    let modules = modules.as_ref().unwrap_or_else(|line| panic!("{line}"));
    let one = |name, path: &str, plugin| Public {
        name,
        source: modules.join(path),
        plugin,
        faults: &[],
        lost: &[],
    };
    let ecc = Public {
        faults: &[("commands/security-scan.md", "command-skill-collision")],
        lost: &["skills/security-scan/SKILL.md"],
        ..one("ecc", "ecc-universal", None)
    };
    vec![
        one("ai-labs", "ai-labs-claude-skills/dist", Some("ai-labs")),
        one("scrum", "@houseofwolvesllc/claude-scrum-skill", None),
        one("cc-sdd-skills", "cc-sdd/templates/agents/claude-code-skills", Some("cc-sdd")),
        one("cc-sdd-agents", "cc-sdd/templates/agents/claude-code-agent", Some("cc-sdd-agent")),
        ecc,
        one("selfish", "selfish-pipeline", None),
        one("context-mode", "context-mode", None),
    ]
}
