//! Every key under `[checks]` of every target matters: each leaf is changed in memory, and what is found
//! in some labelled tree changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use plugcast::build::{self, SourceRequest};
use plugcast::check;
use plugcast::check::context::RuleContext;
use plugcast::check::scope::CheckScope;
use plugcast::check::settings::Settings;
use plugcast::compile::Source;
use plugcast::diagnostic::{Diagnostic, HostId};
use plugcast::model::project::Project;
use plugcast::target::{Target, Targets};
use toml::Value;

use super::flip::{Outcome, changed, files, others};
use super::targets::leaves;
use crate::labelled;
use crate::support::none_left;

/// Trees whose findings depend on `[checks]`: those of these rules.
const CHECKED: [&str; 15] = [
    "agent-field",
    "broad-tool-grant",
    "command-placeholder",
    "description-missing",
    "hook-matcher",
    "hook-script-missing",
    "mcp-path",
    "mcp-reserved-name",
    "mcp-transport",
    "project-agent",
    "project-config",
    "project-file",
    "refused-command",
    "reserved-plugin-name",
    "unknown-tool",
];

/// Labelled trees, read with the targets as they are: but that of folders of projects.
struct LabelledTrees {
    /// Where they lie, each below the name of its rule.
    folder: tempfile::TempDir,
    trees: Vec<(Project, Vec<Diagnostic>, Vec<String>, Settings)>,
}

impl LabelledTrees {
    fn new(targets: &Targets) -> Self {
        let mut trees = Vec::new();
        let written = tempfile::tempdir().expect("a folder");
        for rule in CHECKED {
            let folder = written.path().join(rule);
            labelled::write(rule, &folder);
            let mut names: Vec<PathBuf> = std::fs::read_dir(folder)
                .expect("trees")
                .flatten()
                .map(|entry| entry.path().join("in"))
                .collect();
            names.sort();
            for src in names {
                let config =
                    build::read_config(&src).expect("a configuration that reads").unwrap_or_default();
                let hosts = config.build.to.clone();
                let settings = check::settings(&config.check).expect("rules that are there");
                let mut request = SourceRequest::new(src);
                (request.config, request.everything) = (config, true);
                let Source { project, findings: found, .. } =
                    Source::read(&request, targets).expect("a tree can be read");
                trees.push((project, found, hosts, settings));
            }
        }
        Self { folder: written, trees }
    }

    /// What is found in every tree with `targets`.
    fn picture(&self, targets: &Targets) -> String {
        let mut out = String::new();
        let trees = [
            "refused-command/project-folders",
            "project-file/agents-to-be-copied",
            "project-file/codex",
            "project-file/opencode",
            "project-config/faults",
        ];
        for tree in trees {
            let src = self.folder.path().join(tree).join("in");
            let mut request = SourceRequest::new(src);
            request.everything = true;
            let projects = Source::read(&request, targets).expect("a tree can be read").project;
            out += &format!("{:?}\n{:?}\n", projects.plugins, projects.left_out);
        }
        for (project, found, hosts, settings) in &self.trees {
            let own = |target: &&Target| match hosts.as_slice() {
                [] => true,
                named => named.iter().any(|name| **name == *target.name),
            };
            let context = RuleContext::new(project, targets, targets.iter().filter(own).collect(), settings);
            out +=
                &format!("{:?}\n", check::run(&context, found.clone(), &CheckScope::default()).diagnostics);
        }
        out
    }

    /// Whether anything is found otherwise with `text` as the target file of `host`.
    fn differs(&self, host: &str, text: String) -> Outcome {
        let with = |text: String| {
            let mut folder = files(host);
            folder.insert("target.toml".to_owned(), text);
            Targets::with_added(BTreeMap::from([(HostId::new(host), folder)]))
        };
        let before = Targets::embedded().expect("the embedded targets load");
        match with(text) {
            Err(_) => Outcome::Refused,
            Ok(targets) if self.picture(&targets) != self.picture(&before) => Outcome::Differs,
            Ok(_) => Outcome::Same,
        }
    }
}

/// Leaves of `[checks]` that change no finding; a list counts as a whole, since it only says what is
/// right.
fn unheeded(host: &str, labelled: &LabelledTrees) -> Vec<String> {
    let text = files(host).remove("target.toml").expect("a target");
    let document = Value::Table(text.parse().expect("a target is TOML"));
    let mut found = Vec::new();
    for (keys, value) in leaves(&document).into_iter().filter(|(keys, _)| keys[0] == "checks") {
        let other = match &value {
            Value::Array(_) => Value::Array(Vec::new()),
            value => others(value).remove(0),
        };
        let set = |place: &mut Value| *place = other.clone();
        if labelled.differs(host, changed(&document, &keys, &set)) == Outcome::Same {
            let path = keys.join(".");
            found.push(format!("targets/{host}/target.toml: `{path}` changes no finding in a labelled tree"));
        }
    }
    found
}

#[test]
fn every_key_that_checks_use_matters_to_a_labelled_tree() {
    let targets = Targets::embedded().expect("the embedded targets load");
    let labelled = LabelledTrees::new(&targets);
    let found: Vec<String> = targets.names().iter().flat_map(|host| unheeded(host, &labelled)).collect();
    none_left("keys under `[checks]` (use them, or add a labelled tree that shows their use)", &found);
}
