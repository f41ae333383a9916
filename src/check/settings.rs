//! Which rules are on, their severities, and how strict they are: the section `[check]` of `plugcast.toml` resolved
//! against the table of rules.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobMatcher};

use super::rule::{Rule, RuleGroup};
use super::rules::{self, RULES};
use crate::diagnostic::Severity;
use crate::model::config::{CheckConfig, CheckLimits, HouseConfig};

/// The settings of one run.
#[derive(Debug)]
pub struct Settings {
    on: BTreeSet<&'static str>,
    severities: BTreeMap<&'static str, Severity>,
    per_path: Vec<(GlobMatcher, BTreeSet<&'static str>)>,
    /// Thresholds of the rules about size.
    pub limits: CheckLimits,
    /// The configuration of the rules of the profile `house`.
    pub house: HouseConfig,
}

/// An unknown name in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// The nearest known name.
    pub near: Option<&'static str>,
}

impl Settings {
    /// The defaults without any configuration.
    pub fn quiet() -> Self {
        let on = RULES.iter().filter(|rule| rule.group.is_default()).map(|rule| rule.name).collect();
        Self {
            on,
            severities: BTreeMap::new(),
            per_path: Vec::new(),
            limits: CheckLimits::default(),
            house: HouseConfig::default(),
        }
    }

    /// Applies `config`: its profile and `select` are added to the defaults, `ignore` is removed; the name of a rule
    /// takes precedence over its group.
    ///
    /// # Errors
    /// The first unknown rule, group or profile.
    pub fn new(config: &CheckConfig) -> Result<Self, UnknownWord> {
        let mut settings = Self::quiet();
        settings.limits = config.limits.clone();
        settings.house = config.house.clone();
        match config.profile.as_deref() {
            None => {}
            Some("house") => settings.on.extend(of_group(RuleGroup::House)),
            Some(other) => return Err(UnknownWord { word: other.to_owned(), near: Some("house") }),
        }
        let (selected, ignored) = (words(&config.select)?, words(&config.ignore)?);
        settings.on.extend(selected.groups.iter().flat_map(|group| of_group(*group)));
        for group in &ignored.groups {
            for rule in of_group(*group) {
                settings.on.remove(rule);
            }
        }
        settings.on.extend(&selected.rules);
        for rule in &ignored.rules {
            settings.on.remove(rule);
        }
        for (name, severity) in &config.severity {
            settings.severities.insert(known_rule(name)?.name, *severity);
        }
        for (glob, names) in &config.per_path {
            let matcher = Glob::new(glob).map_err(|_| UnknownWord { word: glob.clone(), near: None })?;
            let words = words(names)?;
            let mut rules = words.rules;
            rules.extend(words.groups.iter().flat_map(|group| of_group(*group)));
            settings.per_path.push((matcher.compile_matcher(), rules));
        }
        Ok(settings)
    }

    /// The same settings for one run: only the rules and groups of `select`, if it has any, and none of `ignore`. The
    /// name of a rule takes precedence over its group.
    ///
    /// # Errors
    /// The first unknown rule or group.
    pub fn narrowed(mut self, select: &[String], ignore: &[String]) -> Result<Self, UnknownWord> {
        let (selected, ignored) = (words(select)?, words(ignore)?);
        if !select.is_empty() {
            self.on = selected.groups.iter().flat_map(|group| of_group(*group)).collect();
        }
        let groups: BTreeSet<_> = ignored.groups.iter().flat_map(|group| of_group(*group)).collect();
        self.on.retain(|rule| !groups.contains(rule));
        self.on.extend(&selected.rules);
        self.on.retain(|rule| !ignored.rules.contains(rule));
        Ok(self)
    }

    /// The same settings with every other rule off.
    pub fn with_only(mut self, rule: &str) -> Self {
        self.on.retain(|name| *name == rule);
        self
    }

    /// Whether `rule` is on.
    pub fn is_enabled(&self, rule: &Rule) -> bool {
        self.on.contains(rule.name)
    }

    /// The severity that the configuration gives to a rule.
    pub fn severity(&self, rule: &str) -> Option<Severity> {
        self.severities.get(rule).copied()
    }

    /// Whether the configuration ignores `rule` at `path`.
    pub fn ignores(&self, rule: &str, path: &str) -> bool {
        self.per_path.iter().any(|(glob, rules)| rules.contains(rule) && glob.is_match(path))
    }
}

struct WordList {
    rules: BTreeSet<&'static str>,
    groups: Vec<RuleGroup>,
}

fn words(names: &[String]) -> Result<WordList, UnknownWord> {
    let mut out = WordList { rules: BTreeSet::new(), groups: Vec::new() };
    for name in names {
        match RuleGroup::ALL.into_iter().find(|group| group.id() == name) {
            Some(group) => out.groups.push(group),
            None if name == "all" => out.groups.extend(RuleGroup::ALL),
            None => {
                out.rules.insert(known_rule(name)?.name);
            }
        }
    }
    Ok(out)
}

fn known_rule(name: &str) -> Result<&'static Rule, UnknownWord> {
    rules::find(name).ok_or_else(|| UnknownWord { word: name.to_owned(), near: super::nearest_rule(name) })
}

fn of_group(group: RuleGroup) -> impl Iterator<Item = &'static str> {
    RULES.iter().filter(move |rule| rule.group == group).map(|rule| rule.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> CheckConfig {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_named_rule_counts_more_than_its_group() {
        let rule = rules::find("skill-size").unwrap();
        assert!(Settings::quiet().is_enabled(rule));
        let ignoring = Settings::new(&config("ignore = [\"suspicious\"]")).unwrap();
        assert!(!ignoring.is_enabled(rule));
        let both = Settings::new(&config("ignore = [\"suspicious\"]\nselect = [\"skill-size\"]")).unwrap();
        assert!(both.is_enabled(rule));
        let path = Settings::new(&config("per-path = { \"old/**\" = [\"skill-size\"] }")).unwrap();
        assert!(path.ignores("skill-size", "old/x/SKILL.md") && !path.ignores("skill-size", "new/SKILL.md"));
    }

    #[test]
    fn a_run_is_narrowed_to_what_its_command_line_names() {
        let names = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (size, link) = (rules::find("skill-size").unwrap(), rules::find("broken-link").unwrap());
        let on = |select: &[&str], ignore: &[&str]| {
            let settings = Settings::quiet().narrowed(&names(select), &names(ignore)).unwrap();
            (settings.is_enabled(size), settings.is_enabled(link))
        };
        assert_eq!(on(&[], &[]), (true, true));
        assert_eq!(on(&["skill-size"], &[]), (true, false));
        assert_eq!(on(&["skill-size"], &["suspicious"]), (true, false));
        assert_eq!(on(&["all"], &["skill-size"]), (false, true));
        assert!(Settings::quiet().narrowed(&[], &names(&["skil-size"])).is_err());
    }

    #[test]
    fn an_unknown_word_comes_with_the_one_that_was_meant() {
        let unknown = Settings::new(&config("select = [\"skil-size\"]")).unwrap_err();
        assert_eq!(unknown, UnknownWord { word: "skil-size".into(), near: Some("skill-size") });
    }
}
