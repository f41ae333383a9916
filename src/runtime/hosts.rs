//! What the helper knows of the hosts that run it: one embedded table, `hosts.toml`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::surroundings::Surroundings;

/// The table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    host: Vec<Host>,
}

/// One host, or another program that may surround the helper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its name in answers.
    pub id: String,
    any: Vec<Variable>,
    /// What to do with an address.
    pub handoff: Handoff,
    #[serde(default)]
    sandbox: Vec<Variable>,
    #[serde(default)]
    write: String,
    #[serde(default)]
    git_write: String,
    #[serde(default)]
    network: String,
    #[serde(default)]
    fetch: String,
}

/// What becomes of an address that a person should look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Handoff {
    /// The host opens it in its own browser; it is printed, too.
    Open,
    /// It is printed.
    Print,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    equals: Option<String>,
}

impl Variable {
    fn holds(&self, surroundings: &Surroundings) -> bool {
        surroundings
            .variable(&self.name)
            .is_some_and(|value| self.equals.as_ref().is_none_or(|wanted| *wanted == value))
    }
}

/// What a sandbox can refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Writing below the repository or the state root.
    Write,
    /// Writing below `.git`.
    GitWrite,
    /// Reaching the network.
    Network,
    /// Reaching the network, and writing below `.git` what comes from there.
    Fetch,
}

fn table() -> Vec<Host> {
    // The text is a part of the program, and a test reads it.
    toml::from_str::<Table>(include_str!("hosts.toml")).unwrap_or_default().host
}

/// The first host of the table whose variables are set.
pub fn detect(surroundings: &Surroundings) -> Option<Host> {
    table().into_iter().find(|host| host.any.iter().any(|variable| variable.holds(surroundings)))
}

/// The host whose sandbox this process runs in, by its variables.
pub fn sandbox(surroundings: &Surroundings) -> Option<Host> {
    table().into_iter().find(|host| host.sandbox.iter().any(|variable| variable.holds(surroundings)))
}

/// The host that surrounds this process, where it has a sandbox: its variables may be silent about what its sandbox
/// still refuses, such as a part of the file system when the network is open.
pub fn confining(surroundings: &Surroundings) -> Option<Host> {
    sandbox(surroundings).or_else(|| detect(surroundings).filter(|host| !host.sandbox.is_empty()))
}

impl Host {
    /// The setting that allows what its sandbox refuses.
    pub fn allowing(&self, access: Access) -> &str {
        match access {
            Access::Write => &self.write,
            Access::GitWrite => &self.git_write,
            Access::Network => &self.network,
            Access::Fetch => &self.fetch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_every_sandbox_has_its_settings() {
        let table = toml::from_str::<Table>(include_str!("hosts.toml")).unwrap();
        assert!(table.host.len() >= 5);
        for host in table.host.iter().filter(|host| !host.sandbox.is_empty()) {
            for access in [Access::Write, Access::GitWrite, Access::Network, Access::Fetch] {
                assert!(!host.allowing(access).is_empty(), "{}", host.id);
            }
        }
    }
}
