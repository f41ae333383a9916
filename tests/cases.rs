//! Case folders: `tests/cases/<name>/` holds a tree (`in`), command lines (`cmd`) and the whole tree
//! that they leave, per host (`expected/<host>`, with the executables in `expected/<host>.modes`).
//!
//! A line of `cmd` is one command line, `?1 ` in front expects exit code 1, `{root}` stands for the
//! checkout. Output goes to `out`. A command that changes its source has `expected/in`.
//! `expected/stdout` and `expected/stderr` are compared where they are. Every bundle is also read by
//! the independent reader of `conservation`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::conservation;
use crate::support::command;
use crate::support::expected::{EXPECTATIONS, ExpectedTree};
use crate::support::run::Plugcast;
use crate::support::tree::{Entry, Tree};
use crate::support::{bless, none_left, root};

/// Lines of one file's difference that are shown.
const SHOWN: usize = 80;

#[test]
fn every_case_leaves_the_expected_tree() {
    hold(&root().join("tests/cases"));
}

/// Holds every case of a folder to what it expects.
#[track_caller]
pub fn hold(folder: &Path) {
    let cases = case_folders(folder);
    assert!(!cases.is_empty(), "{} holds no case", folder.display());
    let mut findings = Vec::new();
    let _rewriting = bless().then(|| EXPECTATIONS.write());
    for case in cases {
        let found = check(&case, bless());
        let name = case.strip_prefix(root()).unwrap_or(&case).display().to_string();
        findings.extend(found.into_iter().map(|finding| format!("{name}: {finding}")));
    }
    none_left("cases that differ (PLUGCAST_BLESS=1 rewrites what is expected)", &findings);
}

fn case_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    cases.sort();
    cases
}

/// Runs one case; what differs is returned, or rewritten.
fn check(case: &Path, rewrite: bool) -> Vec<String> {
    let source = Tree::read(&case.join("in")).with_plain_modes();
    let script = match fs::read_to_string(case.join("cmd")) {
        Ok(script) => script,
        Err(error) => return vec![format!("`cmd` cannot be read: {error}")],
    };
    let folder = Tree::new().temporary();
    source.write(&folder.path().join("in"));

    let mut findings = Vec::new();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let commands = match command::parse(&script) {
        Ok(commands) => commands,
        Err(error) => return vec![error],
    };
    for command in &commands {
        let place = |argument: &String| argument.replace("{root}", &root().display().to_string());
        let arguments: Vec<String> = command.arguments.iter().map(place).collect();
        let finished = Plugcast::new(folder.path(), &arguments).run();
        if finished.code != Some(command.code) {
            findings.push(format!(
                "`{}` ended with {:?} instead of {}\n{}{}",
                command.arguments.join(" "),
                finished.code,
                command.code,
                finished.stdout,
                finished.stderr
            ));
        }
        stdout.push_str(&finished.stdout);
        stderr.push_str(&finished.stderr);
    }

    let trees = left_behind(folder.path(), &source);
    for host in trees.keys().filter(|host| *host != "in") {
        let bundle = folder.path().join("out").join(host);
        if bundle.join(".plugcast/manifest.json").is_file() {
            let source = folder.path().join(command::source(&commands));
            let lost = conservation::violations(&source, &bundle);
            findings.extend(lost.into_iter().map(|lost| format!("{host}: {lost}")));
        }
    }
    let plain = |text: &str| {
        text.replace(&folder.path().display().to_string(), "<case>").replace(VERSION, "<version>")
    };
    let actual = ExpectedTree { trees, stdout: Some(plain(&stdout)), stderr: Some(plain(&stderr)) };
    findings.extend(compare(&case.join("expected"), actual, rewrite));
    findings
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The tree of every host below `out`, and the source where the commands changed it.
fn left_behind(folder: &Path, source: &Tree) -> BTreeMap<String, Tree> {
    let mut trees = BTreeMap::new();
    if folder.join("out").is_dir() {
        let out = Tree::read(&folder.join("out"));
        for host in out.top().into_iter().filter(|host| folder.join("out").join(host).is_dir()) {
            trees.insert(host.clone(), without_templates(without_version(out.below(&host)), &host));
        }
    }
    let after = Tree::read(&folder.join("in"));
    if after != *source {
        trees.insert("in".to_owned(), after);
    }
    trees
}

/// Takes our own version out of a manifest, so that a release changes no expected tree.
fn without_version(mut tree: Tree) -> Tree {
    if let Some(content) = tree.content_mut(".plugcast/manifest.json") {
        let text = String::from_utf8_lossy(content);
        let line = |version: &str| format!("\"plugcast\": \"{version}\"");
        *content = text.replace(&line(VERSION), &line("<version>")).into_bytes();
    }
    tree
}

/// Names the template of a target instead of repeating it in every case.
fn without_templates(mut tree: Tree, host: &str) -> Tree {
    let place = format!("targets/{host}/templates");
    for template in fs::read_dir(root().join(&place)).into_iter().flatten().flatten() {
        let name = template.file_name().to_string_lossy().into_owned();
        let text = fs::read(template.path()).unwrap_or_default();
        let same = |entry: &Entry| matches!(entry, Entry::File { content, .. } if *content == text);
        let copies: Vec<String> =
            tree.entries().filter(|(_, entry)| same(entry)).map(|(path, _)| path.to_owned()).collect();
        for copy in copies {
            if let Some(content) = tree.content_mut(&copy) {
                *content = format!("<{place}/{name}>\n").into_bytes();
            }
        }
    }
    tree
}

fn compare(folder: &Path, mut actual: ExpectedTree, rewrite: bool) -> Vec<String> {
    let expected = ExpectedTree::read(folder);
    if expected.stdout.is_none() {
        actual.stdout = None;
    }
    if expected.stderr.is_none() {
        actual.stderr = None;
    }
    if rewrite {
        if expected != actual {
            actual.write(folder);
        }
        return Vec::new();
    }
    let mut findings = Vec::new();
    for host in expected.trees.keys().filter(|host| !actual.trees.contains_key(*host)) {
        findings.push(format!("`expected/{host}` is there but no command wrote that tree; remove it"));
    }
    for (host, tree) in &actual.trees {
        match expected.trees.get(host) {
            None => findings.push(format!("the commands wrote `{host}` but there is no `expected/{host}`")),
            Some(expected) => findings.extend(differences(host, expected, tree)),
        }
    }
    for (name, expected, actual) in
        [("stdout", &expected.stdout, &actual.stdout), ("stderr", &expected.stderr, &actual.stderr)]
    {
        if let (Some(expected), Some(actual)) = (expected, actual)
            && expected != actual
        {
            findings.push(format!("{name} differs\n{}", difference(expected, actual)));
        }
    }
    findings
}

fn differences(host: &str, expected: &Tree, actual: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, _) in expected.entries().filter(|(path, _)| actual.get(path).is_none()) {
        findings.push(format!("{host}/{path}: expected, but not written"));
    }
    for (path, entry) in actual.entries() {
        match expected.get(path) {
            None => findings.push(format!("{host}/{path}: written, but not expected")),
            Some(other) if other.mode() != entry.mode() => {
                findings.push(format!("{host}/{path}: mode {} instead of {}", entry.mode(), other.mode()));
            }
            Some(other) if other != entry => {
                let shown = difference(&other.text(), &entry.text());
                findings.push(format!("{host}/{path}: differs\n{shown}"));
            }
            Some(_) => {}
        }
    }
    findings
}

fn difference(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let text = diff.unified_diff().header("expected", "actual").to_string();
    let mut shown: Vec<&str> = text.lines().take(SHOWN).collect();
    if text.lines().count() > SHOWN {
        shown.push("…");
    }
    shown.join("\n")
}

#[test]
fn a_tree_that_differs_in_any_way_is_found() {
    let expected = Tree::new().file("a", "1").file("b", "1").script("c", "1");
    let actual = Tree::new().file("a", "2").file("c", "1").link("d", "a");
    let found = differences("host", &expected, &actual).join("\n");
    for part in
        ["host/a: differs", "host/b: expected", "host/c: mode 0644 instead of 0755", "host/d: written"]
    {
        assert!(found.contains(part), "`{part}` is missing in {found}");
    }
    assert!(differences("host", &actual, &actual).is_empty());
    assert!(matches!(actual.get("d"), Some(Entry::Link(_))));
}

#[test]
fn missing_and_extra_expected_folders_are_found_and_bless_mends_them() {
    let folder = Tree::new().file("expected/gone/a", "1").file("expected/gone.modes", "").temporary();
    let expected = folder.path().join("expected");
    let actual = || {
        let trees = BTreeMap::from([("new".to_owned(), Tree::new().script("x", "1"))]);
        ExpectedTree { trees, stdout: Some("said\n".to_owned()), stderr: None }
    };
    let found = compare(&expected, actual(), false).join("\n");
    assert!(found.contains("`expected/gone` is there") && found.contains("no `expected/new`"), "{found}");
    assert!(compare(&expected, actual(), true).is_empty());
    assert!(compare(&expected, actual(), false).is_empty());
    assert!(!expected.join("stdout").exists() && !expected.join("gone.modes").exists());
    fs::write(expected.join("stdout"), "other\n").unwrap();
    assert!(compare(&expected, actual(), false)[0].contains("stdout differs"));
}
