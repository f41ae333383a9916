//! What the helper knows of the hosts that run it: one embedded table, `hosts.toml`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use toml::de::{DeTable, DeValue};

use super::environment::Environment;
use crate::disk;

/// One host, or another program that may run the helper.
#[derive(Debug, Clone)]
pub struct Host {
    /// Its name in answers.
    pub id: String,
    any: Vec<Variable>,
    /// What to do with an address.
    pub handoff: AddressHandoff,
    sandbox: Vec<Variable>,
    write: String,
    git_write: String,
    network: String,
    fetch: String,
    /// The first process of a sandbox that kills every process when the call that started it ends.
    keeper: String,
    /// What to do about that.
    pub background: String,
}

/// How an address is shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressHandoff {
    /// The host opens it in its own browser; it is also printed.
    Open,
    /// It is printed.
    Print,
}

#[derive(Debug, Clone)]
struct Variable {
    name: String,
    equals: Option<String>,
}

impl Variable {
    fn matches(&self, environment: &Environment) -> bool {
        environment
            .variable(&self.name)
            .is_some_and(|value| self.equals.as_ref().is_none_or(|wanted| *wanted == value))
    }
}

/// What a sandbox can refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxAccess {
    /// Writing below the repository or the state root.
    Write,
    /// Writing below `.git`.
    GitWrite,
    /// Reaching the network.
    Network,
    /// Reaching the network, and writing what was fetched below `.git`.
    Fetch,
}

/// The embedded table; a test checks that it parses.
static TABLE: &str = include_str!("hosts.toml");

fn table() -> Vec<Host> {
    let table = DeTable::parse(TABLE);
    let hosts = table.as_ref().ok().and_then(|table| table.get_ref().get("host")?.get_ref().as_array());
    hosts.into_iter().flatten().map(|host| Host::read(host.get_ref())).collect()
}

/// A text of the table, empty if it is missing.
fn text(value: &DeValue<'_>, key: &str) -> String {
    value.get(key).and_then(|text| text.get_ref().as_str()).unwrap_or_default().to_owned()
}

/// The first host of the table whose variables are set.
pub fn detect(environment: &Environment) -> Option<Host> {
    table().into_iter().find(|host| host.any.iter().any(|variable| variable.matches(environment)))
}

/// The host whose sandbox this process runs in, by its variables.
pub fn sandbox(environment: &Environment) -> Option<Host> {
    table().into_iter().find(|host| host.sandbox.iter().any(|variable| variable.matches(environment)))
}

/// The host that runs this process, if it has a sandbox: its variables may not reveal all that the sandbox refuses,
/// such as writes while the network is open.
pub fn sandboxing_host(environment: &Environment) -> Option<Host> {
    sandbox(environment).or_else(|| detect(environment).filter(|host| !host.sandbox.is_empty()))
}

/// The host whose sandbox kills every process when the call that started it ends, if this process runs in such a
/// sandbox.
pub fn sandbox_reaping_host(environment: &Environment) -> Option<Host> {
    let host = sandboxing_host(environment).filter(|host| !host.keeper.is_empty())?;
    let first = disk::read_bytes(Path::new("/proc/1/cmdline")).ok().flatten()?;
    let name =
        first.split(|byte| *byte == 0).next().and_then(|word| word.rsplit(|byte| *byte == b'/').next());
    (name == Some(host.keeper.as_bytes())).then_some(host)
}

impl Host {
    fn read(host: &DeValue<'_>) -> Self {
        let variables = |key: &str| {
            let list = host.get(key).and_then(|list| list.get_ref().as_array());
            let read = |one: &DeValue<'_>| Variable {
                name: text(one, "name"),
                equals: Some(text(one, "equals")).filter(|wanted| !wanted.is_empty()),
            };
            list.into_iter().flatten().map(|one| read(one.get_ref())).collect()
        };
        Self {
            id: text(host, "id"),
            any: variables("any"),
            handoff: if text(host, "handoff") == "open" {
                AddressHandoff::Open
            } else {
                AddressHandoff::Print
            },
            sandbox: variables("sandbox"),
            write: text(host, "write"),
            git_write: text(host, "git_write"),
            network: text(host, "network"),
            fetch: text(host, "fetch"),
            keeper: text(host, "keeper"),
            background: text(host, "background"),
        }
    }

    /// The setting that allows what its sandbox refuses.
    pub fn setting_for(&self, access: SandboxAccess) -> &str {
        match access {
            SandboxAccess::Write => &self.write,
            SandboxAccess::GitWrite => &self.git_write,
            SandboxAccess::Network => &self.network,
            SandboxAccess::Fetch => &self.fetch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_every_sandbox_has_its_settings() {
        let hosts = table();
        assert!(hosts.len() >= 5);
        for host in &hosts {
            assert!(!host.id.is_empty() && !host.any.is_empty(), "{host:?}");
            assert!(
                host.any.iter().chain(&host.sandbox).all(|variable| !variable.name.is_empty()),
                "{host:?}"
            );
        }
        for host in hosts.iter().filter(|host| !host.sandbox.is_empty()) {
            assert_eq!(host.keeper.is_empty(), host.background.is_empty(), "{}", host.id);
            for access in
                [SandboxAccess::Write, SandboxAccess::GitWrite, SandboxAccess::Network, SandboxAccess::Fetch]
            {
                assert!(!host.setting_for(access).is_empty(), "{}", host.id);
            }
        }
    }

    #[test]
    fn the_table_has_no_key_that_is_not_read() {
        let known = [
            "id",
            "any",
            "handoff",
            "sandbox",
            "write",
            "git_write",
            "network",
            "fetch",
            "keeper",
            "background",
        ];
        let table: toml::Table = TABLE.parse().unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ["host"]);
        for host in table["host"].as_array().unwrap().iter().map(|host| host.as_table().unwrap()) {
            assert!(host.keys().all(|key| known.contains(&key.as_str())), "{host}");
            assert!(["open", "print"].contains(&host["handoff"].as_str().unwrap()), "{host}");
            let variables = ["any", "sandbox"].iter().filter_map(|key| host.get(*key)?.as_array()).flatten();
            for variable in variables.map(|variable| variable.as_table().unwrap()) {
                assert!(variable.keys().all(|key| ["name", "equals"].contains(&key.as_str())), "{host}");
            }
        }
    }
}
