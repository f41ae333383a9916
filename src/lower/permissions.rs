//! Tool limits in the host's own form: a list of allowed tools, or of denied ones. What the host can
//! bound less tightly is said with its class.

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

/// What became of a limit.
pub struct LimitVerdict {
    /// The outcome.
    pub outcome: RowOutcome,
    /// Why.
    pub reason: String,
    /// How grave the loss is, if there is one.
    pub class: Option<LossClass>,
}

/// The source host's shell.
const SHELL: &str = "Bash";

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
    // A shell without bounds can do what every other tool does.
    let open_shell = !denies && tools.iter().any(|tool| tool == SHELL);
    if tools.iter().any(|tool| tool == "*") {
        let reason = match denies {
            true => "the source host denies no tool with a star, and so does the host",
            false => "every tool is allowed, as on the host",
        };
        return LimitVerdict { outcome: RowOutcome::Mapped, reason: reason.to_owned(), class: None };
    }
    if denies && tools.is_empty() {
        let reason = "it denies no tool".to_owned();
        return LimitVerdict { outcome: RowOutcome::Mapped, reason, class: None };
    }
    let Some(facts) = &target.permissions else {
        let class = if open_shell { LossClass::Behavior } else { LossClass::Security };
        return LimitVerdict { outcome: RowOutcome::Dropped, reason: unknown.to_owned(), class: Some(class) };
    };
    let mut losses = Vec::new();
    let mut allow = if denies { BTreeMap::new() } else { limits.allow.take().unwrap_or_default() };
    for tool in &tools {
        // What is no tool to the source host is none here.
        let Some((name, pattern)) = tool_parts(tool).filter(|(name, _)| denies || is_one(name)) else {
            continue;
        };
        if facts.no_grant.iter().any(|tool| tool == name) {
            continue;
        }
        let Some(key) = key(facts, name).filter(|_| denies || !is_lost(name)) else {
            losses.push(format!("`{name}`: {unknown}"));
            continue;
        };
        if denies {
            // The source host, too, takes the whole tool away, whatever stands in parentheses.
            limits.deny.push(key);
            continue;
        }
        match pattern.map(str::trim).filter(|pattern| !matches!(*pattern, "" | "*")) {
            None => {
                allow.insert(key.clone(), json!(true));
            }
            Some(patterns) => {
                if name == SHELL {
                    losses.push(facts.pattern_loss.clone());
                }
                for pattern in patterns.split(',').map(str::trim) {
                    let Some(written) = host_patterns(facts, name, pattern) else {
                        losses.push(format!("`{name}({pattern})`: {}", facts.subject_loss));
                        continue;
                    };
                    let list = allow.entry(key.clone()).or_insert_with(|| json!([]));
                    if let Json::Array(list) = list {
                        list.extend(written.into_iter().map(Json::from));
                        list.dedup();
                    }
                }
            }
        }
        let named = |other: &String| tools.iter().any(|tool| tool.split('(').next() == Some(other.as_str()));
        let shared = facts.shared.get(&key).filter(|_| allow.contains_key(&key));
        if shared.is_some_and(|group| !group.iter().all(named)) {
            losses.push(facts.shared_loss.clone());
        }
    }
    if denies {
        limits.deny.sort();
        limits.deny.dedup();
    } else {
        limits.allow = Some(allow);
    }
    losses.dedup();
    if losses.is_empty() {
        LimitVerdict {
            outcome: RowOutcome::Mapped,
            reason: "the host narrows the agent's permissions to it".to_owned(),
            class: None,
        }
    } else {
        let wider = losses.iter().any(|loss| loss == &facts.pattern_loss || loss == &facts.shared_loss);
        let class = if wider && !open_shell || denies { LossClass::Security } else { LossClass::Behavior };
        LimitVerdict { outcome: RowOutcome::Degraded, reason: losses.join("; "), class: Some(class) }
    }
}

/// Whether an allowed tool is one, or all of one server: of other patterns the source host takes none.
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

/// What stands for the text in a tool's parentheses; `None` where the host has nothing for it.
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

/// Whether a text is one domain: a pattern of several could be met by the path of another one's address.
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
