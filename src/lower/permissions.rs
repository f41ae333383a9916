//! Tool limits in the host's own form: a list of allowed or denied tools. Limits that the host can only enforce more
//! loosely are losses with a class.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::ledger::{LossClass, RowOutcome};
use crate::model::component::{tool_list, tool_parts};
use crate::read::tree::MappingEntry;
use crate::target::{PermissionFacts, Target};

/// Tool limits in the host's own form.
#[derive(Debug, Default, PartialEq)]
pub struct HostLimits {
    /// Permission key to `true`, or to the allowed patterns; `None` without an allow-list.
    pub allow: Option<BTreeMap<String, Json>>,
    /// Denied permission keys.
    pub deny: Vec<String>,
}

/// The outcome of a limit.
pub struct LimitVerdict {
    /// The outcome.
    pub outcome: RowOutcome,
    /// Why.
    pub reason: String,
    /// The class of the loss, if there is one.
    pub class: Option<LossClass>,
}

/// The source host's shell tool.
const SHELL: &str = "Bash";

impl LimitVerdict {
    fn mapped(reason: &str) -> Self {
        Self { outcome: RowOutcome::Mapped, reason: reason.to_owned(), class: None }
    }
}

/// Adds the limit in `entry` to `limits`. `is_lost` tells whether a tool's server is not carried.
pub fn limit(
    target: &Target,
    entry: &MappingEntry,
    unknown: &str,
    is_lost: &dyn Fn(&str) -> bool,
    limits: &mut HostLimits,
) -> LimitVerdict {
    let tools = tool_list(&entry.node);
    let denies = entry.key.starts_with("disallowed");
    // An unrestricted shell can do everything that other tools do.
    let open_shell = !denies && tools.iter().any(|tool| tool == SHELL);
    if let Some(reason) = without_effect(&tools, denies) {
        return LimitVerdict::mapped(reason);
    }
    let Some(facts) = &target.permissions else {
        let class = if open_shell { LossClass::Behavior } else { LossClass::Security };
        return LimitVerdict { outcome: RowOutcome::Dropped, reason: unknown.to_owned(), class: Some(class) };
    };
    let mut losses = if denies {
        let (mut denied, losses) = denied_keys(facts, &tools, unknown);
        limits.deny.append(&mut denied);
        limits.deny.sort();
        limits.deny.dedup();
        losses
    } else {
        let allowed = AllowedTools { facts, tools: &tools, unknown, is_lost };
        allowed.add_to(limits.allow.get_or_insert_default())
    };
    // In one order, whatever the order of the tools: equal losses are reported together.
    losses.sort();
    losses.dedup();
    if losses.is_empty() {
        return LimitVerdict::mapped("the host narrows the agent's permissions to it");
    }
    let wider = losses.iter().any(|loss| loss == &facts.pattern_loss || loss == &facts.shared_loss);
    let class = if wider && !open_shell || denies { LossClass::Security } else { LossClass::Behavior };
    LimitVerdict { outcome: RowOutcome::Degraded, reason: losses.join("; "), class: Some(class) }
}

/// Why a list limits nothing, if it does not.
fn without_effect(tools: &[String], denies: bool) -> Option<&'static str> {
    let has_star = tools.iter().any(|tool| tool == "*");
    match (has_star, denies) {
        (true, true) => Some("a star denies no tool, neither on the source host nor on this one"),
        (true, false) => Some("every tool is allowed, as on the host"),
        (false, true) if tools.is_empty() => Some("it denies no tool"),
        _ => None,
    }
}

/// The permission keys that a list of denied tools removes, and the tools that the host cannot remove.
fn denied_keys(facts: &PermissionFacts, tools: &[String], unknown: &str) -> (Vec<String>, Vec<String>) {
    let (mut keys, mut losses) = (Vec::new(), Vec::new());
    // The source host also denies the whole tool, regardless of the text in parentheses.
    for (name, _) in tools.iter().filter_map(|tool| tool_parts(tool)) {
        if facts.no_grant.iter().any(|tool| tool == name) {
            continue;
        }
        match key(facts, name) {
            Some(key) => keys.push(key),
            None => losses.push(format!("`{name}`: {unknown}")),
        }
    }
    (keys, losses)
}

/// A list of allowed tools.
struct AllowedTools<'a> {
    facts: &'a PermissionFacts,
    tools: &'a [String],
    unknown: &'a str,
    is_lost: &'a dyn Fn(&str) -> bool,
}

impl AllowedTools<'_> {
    /// Adds the tools that the host can allow to `allow`, and returns the limits that it enforces more loosely or not
    /// at all.
    fn add_to(&self, allow: &mut BTreeMap<String, Json>) -> Vec<String> {
        let mut losses = Vec::new();
        for tool in self.tools {
            // A name that is not a tool of the source host is ignored.
            let Some((name, pattern)) = tool_parts(tool).filter(|(name, _)| is_one(name)) else { continue };
            if self.facts.no_grant.iter().any(|tool| tool == name) {
                continue;
            }
            let Some(key) = key(self.facts, name).filter(|_| !(self.is_lost)(name)) else {
                losses.push(format!("`{name}`: {}", self.unknown));
                continue;
            };
            match pattern.map(str::trim).filter(|pattern| !matches!(*pattern, "" | "*")) {
                None => drop(allow.insert(key.clone(), json!(true))),
                Some(patterns) => self.add_patterns(&key, name, patterns, allow, &mut losses),
            }
            let shared = self.facts.shared.get(&key).filter(|_| allow.contains_key(&key));
            if shared.is_some_and(|group| !group.iter().all(|other| self.names(other))) {
                losses.push(self.facts.shared_loss.clone());
            }
        }
        losses
    }

    /// Adds the patterns in the parentheses of the tool `name`.
    fn add_patterns(
        &self,
        key: &str,
        name: &str,
        patterns: &str,
        allow: &mut BTreeMap<String, Json>,
        losses: &mut Vec<String>,
    ) {
        if name == SHELL {
            losses.push(self.facts.pattern_loss.clone());
        }
        for pattern in patterns.split(',').map(str::trim) {
            let Some(written) = host_patterns(self.facts, name, pattern) else {
                losses.push(format!("`{name}({pattern})`: {}", self.facts.subject_loss));
                continue;
            };
            let list = allow.entry(key.to_owned()).or_insert_with(|| json!([]));
            if let Json::Array(list) = list {
                list.extend(written.into_iter().map(Json::from));
                list.dedup();
            }
        }
    }

    /// Whether the list names a tool, with parentheses or without.
    fn names(&self, other: &str) -> bool {
        self.tools.iter().any(|tool| tool.split('(').next() == Some(other))
    }
}

/// Whether a name is one tool, or all tools of one server; the source host ignores other patterns.
fn is_one(name: &str) -> bool {
    let name = name.strip_prefix("mcp__").map_or(name, |rest| rest.strip_suffix("__*").unwrap_or(rest));
    !name.contains(['*', '?'])
}

fn key(facts: &PermissionFacts, tool: &str) -> Option<String> {
    if let Some(rest) = tool.strip_prefix("mcp__") {
        let (server, tool) = rest.split_once("__").unwrap_or((rest, "*"));
        return Some(facts.server_key.replace("{server}", server).replace("{tool}", tool));
    }
    facts.keys.get(tool).cloned()
}

/// The host's patterns for the text in a tool's parentheses; `None` if the host has no equivalent.
fn host_patterns(facts: &PermissionFacts, tool: &str, pattern: &str) -> Option<Vec<String>> {
    if let Some(addresses) = facts.domains.get(tool) {
        let domain = pattern.strip_prefix("domain:").map(str::trim).filter(|domain| is_domain(domain))?;
        return Some(addresses.iter().map(|address| address.replace("{domain}", domain)).collect());
    }
    if facts.files.iter().any(|name| name == tool) {
        let inner = pattern.strip_prefix("./").unwrap_or(pattern);
        let outside = inner.starts_with("//") || inner.starts_with("~/") || inner.starts_with("..");
        return (!outside).then(|| vec![inner.trim_start_matches('/').to_owned()]);
    }
    Some(vec![shell_pattern(facts, pattern)])
}

/// Whether a text is a single domain: a pattern could also match the path of another domain's address.
fn is_domain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
}

/// `git:*` and `git *` allow the command with any arguments; anything else is exact.
fn shell_pattern(facts: &PermissionFacts, pattern: &str) -> String {
    match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
        Some(prefix) => facts.pattern.replace("{prefix}", prefix),
        None => pattern.to_owned(),
    }
}
