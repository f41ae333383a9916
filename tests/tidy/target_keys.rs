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
use plugcast::diagnostic::{Diagnostic, HostId, HostSelection};
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
    trees: Vec<(Project, Vec<Diagnostic>, HostSelection, Settings)>,
    /// What is found with the targets as they are, in the order of the parts.
    before: Vec<String>,
}

/// Trees of projects, which are read again with each target.
const PROJECTS: [&str; 5] = [
    "refused-command/project-folders",
    "project-file/agents-to-be-copied",
    "project-file/codex",
    "project-file/opencode",
    "project-config/faults",
];

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
        let mut labelled = Self { folder: written, trees, before: Vec::new() };
        labelled.before = labelled.parts().map(|part| labelled.picture(part, targets)).collect();
        labelled
    }

    /// The trees of projects, then the others.
    fn parts(&self) -> std::ops::Range<usize> {
        0..PROJECTS.len() + self.trees.len()
    }

    /// What is found in one tree with `targets`.
    fn picture(&self, part: usize, targets: &Targets) -> String {
        let Some(tree) = part.checked_sub(PROJECTS.len()) else {
            let src = self.folder.path().join(PROJECTS[part]).join("in");
            let mut request = SourceRequest::new(src);
            request.everything = true;
            let projects = Source::read(&request, targets).expect("a tree can be read").project;
            return format!("{:?}\n{:?}\n", projects.plugins, projects.left_out);
        };
        let (project, found, hosts, settings) = &self.trees[tree];
        let selection = hosts.or(HostSelection::every());
        let own = |target: &&Target| selection.includes(&target.name);
        let context = RuleContext::new(project, targets, targets.iter().filter(own).collect(), settings);
        format!("{:?}\n", check::run(&context, found.clone(), &CheckScope::default()).diagnostics)
    }

    /// Whether anything is found otherwise with `text` as the target file of `host`. A tree that shows a difference comes
    /// first in `order` from then on: it often shows the next key, too.
    fn differs(&self, host: &str, text: String, order: &mut [usize]) -> Outcome {
        let mut folder = files(host);
        folder.insert("target.toml".to_owned(), text);
        let Ok(targets) = Targets::with_added(BTreeMap::from([(HostId::new(host), folder)])) else {
            return Outcome::Refused;
        };
        let shows = |part: &usize| self.picture(*part, &targets) != self.before[*part];
        let Some(place) = order.iter().position(shows) else { return Outcome::Same };
        order[..=place].rotate_right(1);
        Outcome::Differs
    }
}

/// Leaves of `[checks]` that change no finding; a list counts as a whole, since it only says what is
/// right.
fn unheeded(host: &str, labelled: &LabelledTrees) -> Vec<String> {
    let text = files(host).remove("target.toml").expect("a target");
    let document = Value::Table(text.parse().expect("a target is TOML"));
    let mut found = Vec::new();
    let mut order: Vec<usize> = labelled.parts().collect();
    for (keys, value) in leaves(&document).into_iter().filter(|(keys, _)| keys[0] == "checks") {
        let other = match &value {
            Value::Array(_) => Value::Array(Vec::new()),
            value => others(value).remove(0),
        };
        let set = |place: &mut Value| *place = other.clone();
        if labelled.differs(host, changed(&document, &keys, &set), &mut order) == Outcome::Same {
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
