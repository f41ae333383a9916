//! A bad source in a fresh folder, built for every embedded host, and what came of it.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::run::{FinishedRun, Plugcast};
use crate::support::tree::Tree;

/// The hosts that every source is built for.
pub const EVERY_HOST: [&str; 3] = ["claude-code", "codex", "opencode"];

/// A source that is about to be built.
pub struct BadSource {
    source: Tree,
    beside: Tree,
    options: Vec<String>,
}

/// What a build answered and left.
pub struct BuildResult {
    folder: TempDir,
    options: Vec<String>,
    finished: FinishedRun,
    answer: Value,
}

/// A skill file with some frontmatter.
pub fn skill(fields: &str) -> String {
    format!("---\n{fields}\n---\nBody.\n")
}

impl BadSource {
    /// A plugin `bad` with the sound skill `ok`, and `more`.
    pub fn plugin(more: Tree) -> Self {
        let sound = Tree::new()
            .file(".claude-plugin/plugin.json", "{ \"name\": \"bad\", \"version\": \"1.0.0\" }\n")
            .file("skills/ok/SKILL.md", skill("name: ok\ndescription: Works."));
        Self::bare(sound.and(more))
    }

    /// A source as it is.
    pub fn bare(source: Tree) -> Self {
        Self { source, beside: Tree::new(), options: Vec::new() }
    }

    /// The same with files beside the source.
    pub fn beside(mut self, tree: Tree) -> Self {
        self.beside = tree;
        self
    }

    /// The same with more options.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.options.extend([name.to_owned(), value.to_owned()]);
        self
    }

    /// Writes the source to a fresh folder.
    pub fn written(&self) -> TempDir {
        let folder = self.beside.temporary();
        self.source.write(&folder.path().join("src"));
        folder
    }

    /// Builds it.
    pub fn build(self) -> BuildResult {
        BuildResult::run(self.written(), self.options)
    }

    /// Builds it after `change` did something to the folder `src`.
    pub fn build_after(self, change: impl FnOnce(&std::path::Path)) -> BuildResult {
        let folder = self.written();
        change(&folder.path().join("src"));
        BuildResult::run(folder, self.options)
    }
}

impl BuildResult {
    fn run(folder: TempDir, options: Vec<String>) -> Self {
        let before = outside(&folder);
        let mut arguments = vec!["build", "src", "--out", "out", "--format", "json"];
        if !options.iter().any(|option| option == "--to") {
            arguments.extend(["--to", "claude-code,codex,opencode"]);
        }
        arguments.extend(options.iter().map(String::as_str));
        let finished = Plugcast::new(folder.path(), &arguments).run();
        assert_eq!(outside(&folder), before, "something was written outside the output folder");
        assert_eq!(finished.stderr, "", "with `--format json` everything is on standard output");
        let answer = serde_json::from_str(&finished.stdout)
            .unwrap_or_else(|error| panic!("one JSON object: {error}\n{}", finished.stdout));
        Self { folder, options, finished, answer }
    }

    /// Builds the same folder again.
    pub fn again(self) -> Self {
        Self::run(self.folder, self.options)
    }

    /// A path in the folder above `src` and `out`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// The whole answer.
    pub fn answer(&self) -> &Value {
        &self.answer
    }

    /// Checks the exit code and every finding, and that the sound skill is in every bundle.
    #[track_caller]
    pub fn expect(&self, code: i32, findings: &[&str]) {
        assert_eq!(self.findings(), findings, "findings");
        assert_eq!(self.finished.code, Some(code), "exit code");
        assert_eq!(self.answer["schema"], "plugcast.build/1");
        if self.path("src/skills/ok/SKILL.md").is_file() {
            for target in self.answer["targets"].as_array().into_iter().flatten() {
                let host = target["host"].as_str().unwrap_or_default();
                let plugins = self.path(&format!("out/{host}/plugins"));
                let mut there = fs::read_dir(plugins).into_iter().flatten().flatten();
                assert!(
                    there.any(|plugin| plugin.path().join("skills/ok/SKILL.md").is_file()),
                    "{host}: `ok` is missing"
                );
            }
        }
    }

    /// Checks that the tool gave up with one error.
    #[track_caller]
    pub fn expect_error(&self, code: &str, message: &str, help: &str) {
        assert_eq!(self.finished.code, Some(2), "exit code\n{}", self.finished.stdout);
        assert_eq!(self.answer["schema"], "plugcast.error/1");
        let error = &self.answer["error"];
        let found = ["code", "message", "help"].map(|key| error[key].as_str().unwrap_or_default());
        assert_eq!(found, [code, message, help]);
    }

    /// One line a finding: severity, rule, place, message, help, and the hosts it is for, where it is
    /// not for all. Findings that differ in the host alone are one.
    pub fn findings(&self) -> Vec<String> {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for finding in self.answer["diagnostics"].as_array().into_iter().flatten() {
            let text = |key: &str| finding[key].as_str().unwrap_or_default();
            let line = format!(
                "{} {} {}:{}:{} {} | {}",
                text("severity"),
                text("rule"),
                text("path"),
                finding["line"],
                finding["column"],
                text("message"),
                text("help")
            );
            let hosts = finding["hosts"].as_array().into_iter().flatten();
            let hosts: Vec<String> = hosts.filter_map(|host| host.as_str().map(str::to_owned)).collect();
            match lines.last_mut() {
                Some((last, for_hosts)) if *last == line && !hosts.is_empty() => for_hosts.extend(hosts),
                _ => lines.push((line, hosts)),
            }
        }
        let shown = |(line, hosts): (String, Vec<String>)| match hosts.as_slice() {
            [] => line,
            hosts if EVERY_HOST.iter().all(|host| hosts.iter().any(|other| other == host)) => line,
            hosts => format!("{line} [{}]", hosts.join(",")),
        };
        lines.into_iter().map(shown).collect()
    }

    /// A count of the plugin in the answer, for a host.
    pub fn count(&self, host: &str, kind: &str) -> u64 {
        let targets = self.answer["targets"].as_array().into_iter().flatten();
        let target = targets.into_iter().find(|target| target["host"] == host).expect("the host was built");
        let plugins = target["plugins"].as_array().into_iter().flatten();
        plugins.map(|plugin| plugin[kind].as_u64().expect("a count")).sum()
    }

    /// The text of an emitted file of the plugin.
    #[track_caller]
    pub fn emitted(&self, host: &str, file: &str) -> String {
        let path = self.path(&format!("out/{host}/plugins/bad/{file}"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The one row of a host's ledger that `wanted` accepts.
    #[track_caller]
    pub fn row(&self, host: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let text =
            fs::read_to_string(self.path(&format!("out/{host}/.plugcast/ledger.json"))).expect("a ledger");
        let ledger: Value = serde_json::from_str(&text).expect("the ledger is JSON");
        let mut rows: Vec<Value> =
            ledger["rows"].as_array().into_iter().flatten().filter(|row| wanted(row)).cloned().collect();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        rows.remove(0)
    }
}

/// Every path of the folder but those below `out`, with links as they are.
fn outside(folder: &TempDir) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut open = vec![folder.path().to_owned()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let path = entry.path();
            let inner =
                path.strip_prefix(folder.path()).expect("below the folder").to_string_lossy().into_owned();
            if inner == "out" {
                continue;
            }
            let meta = fs::symlink_metadata(&path).expect("an entry of a folder");
            if meta.is_dir() {
                open.push(path);
            }
            found.push((inner, if meta.is_dir() { 0 } else { meta.len() }));
        }
    }
    found.sort();
    found
}
