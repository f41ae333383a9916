//! `check --fix`: a source in, one command, the whole source out. The cases stand in `tests/fixing/cases`, in the form
//! of `tests/cases`: each has a place that a fix would harm, and beside it one that it mends. `tests/fixing/judged.toml`
//! judges every fix that is applied to public sources.

use std::collections::BTreeSet;
use std::fs;

use serde::Deserialize;
use serde_json::Value;

use crate::support::corpus;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;
use crate::support::{none_left, places, root};

#[test]
fn every_fix_leaves_the_expected_source() {
    crate::cases::hold(&root().join("tests/fixing/cases"));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgementTable {
    source: Vec<JudgedSource>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedSource {
    name: String,
    version: String,
    #[serde(default)]
    fix: Vec<JudgedFix>,
    #[serde(default)]
    withdrawn: Vec<WithdrawnFix>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedFix {
    rule: String,
    path: String,
    lines: Vec<u64>,
    kind: String,
    judgement: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WithdrawnFix {
    rule: String,
    kind: String,
    count: usize,
    reason: String,
}

/// `path:line rule kind` of every fix that a public package is offered.
fn offered(folder: &std::path::Path) -> BTreeSet<String> {
    let finished = Plugcast::new(folder, &["check", "--to", "all", "--format", "json"]).run();
    let shown: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    let findings = shown["diagnostics"].as_array().expect("a list of findings");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = |found: &Value| text(&found["fix"]["applicability"]);
    let fixes = findings.iter().filter(|found| ["safe", "unsafe"].contains(&kind(found).as_str()));
    let mut offered = BTreeSet::new();
    for found in fixes {
        // A fix changes the other places of its finding, too.
        offered.extend(places(found).map(|place| {
            format!("{}:{} {} {}", text(&place["path"]), place["line"], text(&found["rule"]), kind(found))
        }));
    }
    offered
}

#[test]
fn every_fix_of_a_public_source_is_judged_right() {
    let text = fs::read_to_string(root().join("tests/fixing/judged.toml")).expect("the judgements");
    let judged: JudgementTable = toml::from_str(&text).expect("judgements in their form");
    let modules =
        corpus::public().into_iter().find(|public| public.name == "selfish").expect("a package").source;
    let modules = modules.parent().expect("the folder of all packages").to_owned();
    let mut wrong = Vec::new();
    for source in &judged.source {
        let name = &source.name;
        for fix in &source.fix {
            if fix.judgement != "right" || fix.reason.len() < 20 {
                wrong.push(format!("{name}: {} {} is judged `{}`", fix.path, fix.rule, fix.judgement));
            }
        }
        let few = |one: &&WithdrawnFix| one.count == 0 || one.reason.len() < 20 || one.kind == "display";
        wrong.extend(source.withdrawn.iter().filter(few).map(|one| format!("{name}: {}", one.rule)));
        if !source.version.starts_with("npm ") {
            continue;
        }
        let known: BTreeSet<String> = source
            .fix
            .iter()
            .flat_map(|fix| {
                fix.lines.iter().map(move |line| format!("{}:{line} {} {}", fix.path, fix.rule, fix.kind))
            })
            .collect();
        let folder = Tree::read(&modules.join(name)).temporary();
        let now = offered(folder.path());
        wrong.extend(now.difference(&known).map(|fix| format!("{name}: {fix} has no judgement")));
        wrong.extend(known.difference(&now).map(|fix| format!("{name}: {fix} is no longer offered")));
    }
    none_left("fixes that differ from tests/fixing/judged.toml", &wrong);
}
