//! `plugcast.toml`: what an author decides about builds. A file at SRC (or the nearest folder above
//! it) speaks for all plugins, one in a plugin's folder for that plugin.

use std::collections::BTreeMap;

use globset::Glob;
use serde::Deserialize;
use toml::Table;

use crate::diagnostic::Severity;
use crate::source::Span;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// `[build]`
    #[serde(default)]
    pub build: BuildConfig,
    /// `[check]`, read by `plugcast check`.
    #[serde(default)]
    pub check: CheckConfig,
    /// `[runtime]`: refused until a plugin can ship a helper.
    #[serde(default)]
    pub runtime: Table,
    /// `[targets.<host>]`: refused until a source can override a host.
    #[serde(default)]
    pub targets: BTreeMap<String, Table>,
    /// `[[accept-loss]]`
    #[serde(default)]
    pub accept_loss: Vec<AcceptLoss>,
}

/// `[build]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BuildConfig {
    /// Hosts to build for when `--to` is absent.
    #[serde(default)]
    pub to: Vec<String>,
    /// The output folder when `--out` is absent, relative to the folder of this file.
    pub out: Option<String>,
    /// The plugin's name, where neither manifest nor folder gives one.
    pub name: Option<String>,
    /// The marketplace's name, where the source has none.
    pub marketplace: Option<String>,
    /// Globs of files that take no part, relative to SRC.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Loss classes that fail a build.
    #[serde(default)]
    pub deny_loss: Vec<String>,
}

/// `[check]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckConfig {
    /// Rules and groups that are on besides those that are on by default.
    #[serde(default)]
    pub select: Vec<String>,
    /// Rules and groups that are off.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Rules that weigh more or less than by default.
    #[serde(default)]
    pub severity: BTreeMap<String, Severity>,
    /// Rules and groups that are ignored in files that match a glob.
    #[serde(default)]
    pub per_path: BTreeMap<String, Vec<String>>,
    /// A named set of rules to add.
    pub profile: Option<String>,
    /// Thresholds of the rules about size.
    #[serde(default)]
    pub limits: Limits,
}

/// `[check.limits]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Lines of a skill's text, without frontmatter.
    pub skill_lines: usize,
    /// Tokens of a skill's text: its bytes divided by four, rounded up.
    pub skill_tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { skill_lines: 500, skill_tokens: 5_000 }
    }
}

/// `[[accept-loss]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcceptLoss {
    /// A glob over loss ids.
    pub id: String,
    /// The hosts it holds for; empty for all.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Why the author accepts it.
    pub reason: String,
}

/// A file that does not parse: where and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// The offending bytes.
    pub span: Span,
    /// The reason.
    pub message: String,
}

/// Reads the text of a `plugcast.toml`.
///
/// # Errors
/// The place and reason when it is no TOML or holds an unknown key or a wrong type.
pub fn parse(text: &str) -> Result<Config, ConfigFault> {
    let config: Config = toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        ConfigFault { span: Span::new(range.start, range.end), message }
    })?;
    // A section that would be passed over in silence is refused instead.
    let without_effect = [("runtime", config.runtime.is_empty()), ("targets", config.targets.is_empty())];
    if let Some((section, _)) = without_effect.into_iter().find(|(_, empty)| !empty) {
        let start = text.find(&format!("[{section}")).unwrap_or(0);
        let span = Span::new(start, start + section.len() + 1);
        let message =
            format!("`[{section}]` has no effect in plugcast {}: take it out", env!("CARGO_PKG_VERSION"));
        return Err(ConfigFault { span, message });
    }
    let globs = config.build.exclude.iter().chain(config.accept_loss.iter().map(|accept| &accept.id));
    for pattern in globs.chain(config.check.per_path.keys()) {
        if let Err(error) = Glob::new(pattern) {
            let start = text.find(&format!("\"{pattern}\"")).unwrap_or(0);
            let span = Span::new(start, start + pattern.len() + 2);
            return Err(ConfigFault { span, message: format!("`{pattern}` is no glob: {}", error.kind()) });
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_place_of_a_mistake() {
        let text = "[build]\nto = [\"a\"]\nnmae = \"x\"\n";
        let fault = parse(text).unwrap_err();
        assert_eq!(fault.span.of(text), "nmae");
        assert!(fault.message.contains("unknown field"), "{fault:?}");
        let early = "[build]\n[runtime]\nhelper = true\n";
        assert_eq!(parse(early).unwrap_err().span.of(early), "[runtime");
        let glob = "[build]\nexclude = [\"docs\", \"a[\"]\n";
        assert_eq!(parse(glob).unwrap_err().span.of(glob), "\"a[\"");
        assert_eq!(parse("[build]\nto = [\"a\"]\n").unwrap().build.to, ["a"]);
    }
}
