//! `plugcast.toml`: the author's settings. A file at SRC (or the nearest folder above
//! it) applies to all plugins, one in a plugin's folder for that plugin.

mod denied_losses;
mod hosts;
mod house;
mod release;

use std::collections::BTreeMap;
use std::path::PathBuf;

use camino::Utf8PathBuf;
use globset::Glob;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

pub use denied_losses::{DeniedLosses, UnknownLossClass};
pub use hosts::{HostConfig, PlacedWords};
pub use house::HouseConfig;
pub use release::{ChangelogForm, OwnedFiles, RECORDS, ReleaseConfig};

use super::runtime::RuntimeConfig;
use super::{names, similar_names};
use crate::diagnostic::{HostId, HostSelection, Severity};
use crate::source::Span;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Config {
    /// `[build]`
    #[serde(default)]
    pub build: BuildConfig,
    /// `[check]`, read by `plugcast check`.
    #[serde(default)]
    pub check: CheckConfig,
    /// `[runtime]`
    #[serde(default)]
    pub runtime: RuntimeConfig,
    /// `[release]`, read by `plugcast release check`.
    #[serde(default)]
    pub release: ReleaseConfig,
    /// `[targets.<host>]`
    #[serde(default)]
    pub targets: BTreeMap<Spanned<String>, HostConfig>,
    /// `[[accept-loss]]`
    #[serde(default)]
    pub accept_loss: Vec<AcceptLoss>,
    /// The whole text.
    #[serde(skip)]
    pub text: String,
    /// The file; set when it is read.
    #[serde(skip)]
    pub path: PathBuf,
}

/// `[build]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BuildConfig {
    /// Hosts to build for when `--to` is absent.
    #[serde(default)]
    pub to: HostSelection,
    /// The output folder when `--out` is absent, relative to the folder of this file.
    pub out: Option<String>,
    /// The plugin's name, if neither manifest nor folder has one.
    pub name: Option<String>,
    /// The marketplace's name, if the source has none.
    #[serde(default, deserialize_with = "marketplace_name")]
    pub marketplace: Option<String>,
    /// Globs of excluded files, relative to SRC.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Globs of files, relative to SRC, that are included although a `.gitignore` ignores them or they are in the
    /// output folder, such as results of the author's own build.
    #[serde(default)]
    pub include: Vec<String>,
    /// Loss classes that fail a build.
    #[serde(default)]
    pub deny_loss: Vec<DeniedLosses>,
}

/// A marketplace's name that the source host accepts.
fn marketplace_name<'de, D: Deserializer<'de>>(given: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(given)?;
    let refused = |why| D::Error::custom(format!("the marketplace name `{name}` {why}"));
    names::check_installable(&name).map_err(refused)?;
    Ok(Some(name))
}

/// `[check]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckConfig {
    /// Rules and groups that are on in addition to the defaults.
    #[serde(default)]
    pub select: Vec<String>,
    /// Rules and groups that are off.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Rules whose severity differs from the default.
    #[serde(default)]
    pub severity: BTreeMap<String, Severity>,
    /// Rules and groups that are ignored in files that match a glob.
    #[serde(default)]
    pub per_path: BTreeMap<String, Vec<String>>,
    /// The baseline file of accepted findings, relative to the folder of this file.
    pub baseline: Option<String>,
    /// A named set of rules to add.
    pub profile: Option<String>,
    /// Limits of the size rules.
    #[serde(default)]
    pub limits: CheckLimits,
    /// Settings of the rules of the profile `house`.
    #[serde(default)]
    pub house: HouseConfig,
}

/// `[check.limits]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckLimits {
    /// Maximum lines of a skill's text, without frontmatter.
    pub skill_lines: usize,
    /// Tokens of a skill's text: its bytes divided by four, rounded up.
    pub skill_tokens: usize,
    /// Tokens of a Markdown file beside a skill's own.
    pub reference_tokens: usize,
    /// Skill files that may exceed the limit for now, relative to SRC.
    pub oversize: Vec<Utf8PathBuf>,
    /// Tokens of a file that a command includes.
    pub include_tokens: usize,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self {
            skill_lines: 1_000,
            skill_tokens: 10_000,
            reference_tokens: 10_000,
            include_tokens: 5_000,
            oversize: Vec::new(),
        }
    }
}

/// `[[accept-loss]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcceptLoss {
    /// A glob over loss ids.
    pub id: String,
    /// The hosts that it applies to; empty for all.
    #[serde(default)]
    pub hosts: Vec<HostId>,
    /// Why the author accepts it.
    pub reason: String,
}

impl AcceptLoss {
    /// The `id` as TOML that accepts the loss `id` and no other: glob characters in it are escaped.
    pub fn exact_loss(id: &str) -> String {
        Self::matching([id])
    }

    /// The `id` as TOML that accepts every loss whose id has `parts` in this order, with anything between them.
    pub fn matching<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
        let escaped: Vec<String> =
            parts.into_iter().map(|part| globset::escape(part).replace('\\', r"[\\]")).collect();
        toml::Value::from(escaped.join("*")).to_string()
    }
}

/// A parse error of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// The offending bytes.
    pub span: Span,
    /// The reason.
    pub message: String,
    /// What to do, if naming the sections is not enough.
    pub help: Option<String>,
}

/// Reads the text of a `plugcast.toml`.
///
/// # Errors
/// The position and reason when it is not valid TOML or contains an unknown key or a wrong type.
pub fn parse(text: &str) -> Result<Config, ConfigFault> {
    let mut config: Config = toml::from_str(text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        let help = suggestion(&message);
        ConfigFault { span: Span::new(range.start, range.end), message, help }
    })?;
    if let Some(fault) = config.runtime.fault() {
        return Err(fault);
    }
    let globs = config
        .build
        .exclude
        .iter()
        .chain(&config.build.include)
        .chain(config.accept_loss.iter().map(|accept| &accept.id));
    for pattern in globs.chain(config.check.per_path.keys()) {
        if let Err(error) = Glob::new(pattern) {
            let start = text.find(&format!("\"{pattern}\"")).unwrap_or(0);
            let span = Span::new(start, start + pattern.len() + 2);
            let message = format!("invalid glob `{pattern}`: {}", error.kind());
            return Err(ConfigFault { span, message, help: None });
        }
    }
    text.clone_into(&mut config.text);
    Ok(config)
}

/// A suggestion: the known word that an unknown one resembles, or the text as a list.
fn suggestion(message: &str) -> Option<String> {
    if let Some(rest) = message.strip_prefix("invalid type: string ")
        && let Some(text) = rest.strip_suffix(", expected a sequence")
    {
        return Some(format!("write `[{text}]`"));
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next().filter(|_| message.starts_with("unknown "))?;
    similar_names::nearest(wrong, quoted).map(|known| format!("did you mean `{known}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_id_is_itself_and_nothing_else() {
        let ids = [
            "a/*/1",
            "a/Bash/1",
            "a/[Bb]ash/1",
            r"a/Bash\b/1",
            "a/{a,b}/1",
            "a/b/1",
            "a/say \"x\"/1",
            "a/?/1",
            r"a/\\/1",
        ];
        for id in ids {
            let text = format!("[[accept-loss]]\nid = {}\nreason = \"x\"\n", AcceptLoss::exact_loss(id));
            let glob = Glob::new(&parse(&text).unwrap().accept_loss[0].id).unwrap().compile_matcher();
            assert_eq!(ids.iter().filter(|one| glob.is_match(one)).collect::<Vec<_>>(), [&id], "{text}");
        }
        assert_eq!(AcceptLoss::matching(["tools/kit/agent/", "/x"]), "\"tools/kit/agent/*/x\"");
    }

    #[test]
    fn names_the_place_of_a_mistake() {
        let text = "[build]\nto = [\"a\"]\nnmae = \"x\"\n";
        let fault = parse(text).unwrap_err();
        assert_eq!(fault.span.slice(text), "nmae");
        assert!(fault.message.contains("unknown field"), "{fault:?}");
        assert_eq!(fault.help.as_deref(), Some("did you mean `name`?"));
        let early = "[build]\n[targets.x]\nrenmae = { a = \"b\" }\n";
        assert_eq!(parse(early).unwrap_err().span.slice(early), "renmae");
        assert_eq!(parse(early).unwrap_err().help.as_deref(), Some("did you mean `rename`?"));
        let glob = "[build]\nexclude = [\"docs\", \"a[\"]\n";
        assert_eq!(parse(glob).unwrap_err().span.slice(glob), "\"a[\"");
        let denied = "[build]\ndeny-loss = [\"security\", \"securty\"]\n";
        assert_eq!(parse(denied).unwrap_err().help.as_deref(), Some("did you mean `security`?"));
        assert_eq!(parse("[build]\nto = [\"a\"]\n").unwrap().build.to, ["a"].iter().collect());
    }

    #[test]
    fn names_the_place_of_a_mistake_in_what_is_shipped() {
        let bin = |name: &str, platform: &str| {
            format!("[runtime]\nhelper = true\n[runtime.bin.{name}]\n{platform} = \"x\"\n")
        };
        for (text, place, part) in [
            (bin("lint", "linux-riscv"), "linux-riscv", "linux-x86_64"),
            (bin("plugcast-run", "linux-x86_64"), "plugcast-run", "letters"),
            (bin("linux-x86_64", "linux-x86_64"), "linux-x86_64", "letters"),
            (bin("\"a/b\"", "linux-x86_64"), "\"a/b\"", "letters"),
            ("[runtime.bin.lint]\nlinux-x86_64 = \"\"\n".to_owned(), "\"\"", "relative"),
            ("[runtime.bin.lint]\n".to_owned(), "lint", "section"),
        ] {
            let fault = parse(&text).unwrap_err();
            assert_eq!(fault.span.slice(&text), place, "{fault:?}");
            assert!(fault.help.as_deref().unwrap_or_default().contains(part), "{fault:?}");
        }
        let wrong = "[runtime]\nhelper = \"yes\"\n";
        assert_eq!(parse(wrong).unwrap_err().span.slice(wrong), "\"yes\"");
        assert!(parse(&bin("lint", "linux-x86_64")).is_ok());
    }
}
