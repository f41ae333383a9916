//! The list of skills that Codex shows its model: what fits by the compiler's count is shown in full,
//! and what does not fit is not. And the folders of skills that the host reads.

use std::fs;
use std::path::Path;

use plugcast::drivers;
use plugcast::drivers::script::ModelScript;
use plugcast::drivers::session::{Session, SessionOpening};

use super::model::{between, done, main};
use super::stage::installation;
use crate::support::hosts::{Hosts, real_hosts};
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// 82 skills fill 4,920 of the 4,950 tokens that one plugin has: 12 + 200 + 27 bytes and a line feed
/// are 60 tokens of four bytes. 80 characters of a command's description fill the other 30.
fn source(tail: usize) -> Tree {
    let skill = format!("---\ndescription: {}\n---\n\nMeasure.\n", "x".repeat(200));
    let command =
        format!("---\ndescription: {}\nargument-hint: \"[pier]\"\n---\n\nGo to $1.\n", "y".repeat(tail));
    let tree = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("in/commands/sail1.md", command)
        .file("the project/notes.txt", "gull\n");
    (0..82).fold(tree, |tree, at| tree.file(&format!("in/skills/s{at:03}/SKILL.md"), &skill))
}

fn build(folder: &Path) -> String {
    let arguments = ["build", "in", "--to", "codex", "--out", "out", "--format", "json"];
    Plugcast::new(folder, &arguments).run().expect_code(0).stdout
}

/// The lines of the list, without the path behind each.
fn listed(hosts: &Hosts, folder: &Path) -> Vec<String> {
    let script = ModelScript::default().with_conversation(main().then(done()));
    let opening = SessionOpening::Prompt("sail".to_owned());
    let session =
        Session::from_bundle(&folder.join("out/codex"), &folder.join("the project"), opening, script);
    let transcript =
        drivers::run("codex", session, &installation(hosts, "codex")).expect("the host can be run");
    assert_eq!((transcript.code, transcript.faults()), (Some(0), Vec::new()));
    let text = transcript.requests("main").next().expect("a request").all_text();
    let list = between(&text, "### Available skills\n", "\n</skills_instructions>").expect("a list");
    list.lines().map(|line| line.split(" (file: ").next().unwrap_or(line).to_owned()).collect()
}

/// What the host shows of our skills when nothing is shortened.
fn skills() -> Vec<String> {
    (0..82).map(|at| format!("- kit:s{at:03}: {}", "x".repeat(200))).collect()
}

fn ours(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| line.starts_with("- kit:")).cloned().collect()
}

/// The host's own skills, as it lists them when no plugin is there.
fn own(hosts: &Hosts) -> Vec<String> {
    let one = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n")
        .file("in/skills/s/SKILL.md", "---\ndescription: d\n---\n")
        .file("the project/notes.txt", "gull\n")
        .temporary();
    build(one.path());
    let mut lines = listed(hosts, one.path());
    lines.retain(|line| !line.starts_with("- kit:"));
    lines
}

#[test]
fn codex_lists_in_full_what_just_fits() {
    let hosts = real_hosts!();
    let folder = source(80).temporary();
    build(folder.path());
    let lines = listed(&hosts, folder.path());
    let mut expected = skills();
    expected.push(format!("- kit:sail1: {}", "y".repeat(80)));
    assert_eq!(ours(&lines), expected);
    assert!(own(&hosts).iter().all(|line| lines.contains(line)), "{lines:#?}");
    assert!(!folder.path().join("out/codex/plugins/kit/skills/sail1/agents").exists());
}

#[test]
fn codex_lists_every_skill_in_full_when_a_command_that_takes_arguments_waits() {
    let hosts = real_hosts!();
    let folder = source(81).temporary();
    build(folder.path());
    assert_eq!(ours(&listed(&hosts, folder.path())), skills());

    // Without the file that makes a long one wait, the host shortens what it shows.
    let folder = source(1000).temporary();
    build(folder.path());
    let (lines, own) = (listed(&hosts, folder.path()), own(&hosts));
    assert_eq!(ours(&lines), skills());
    assert!(own.len() > 2 && own.iter().all(|line| lines.contains(line)), "{lines:#?}");
    fs::remove_dir_all(folder.path().join("out/codex/plugins/kit/skills/sail1/agents")).expect("it is there");
    let lines = listed(&hosts, folder.path());
    assert_eq!(ours(&lines).len(), 83);
    let whole = format!("- kit:sail1: {}", "y".repeat(1000));
    assert!(!lines.contains(&whole) && !own.iter().all(|line| lines.contains(line)), "{lines:#?}");
}

#[test]
fn codex_shows_as_many_skills_as_the_row_of_the_plugin_says() {
    let hosts = real_hosts!();
    let skill = format!("---\ndescription: {}\n---\n\nMeasure.\n", "x".repeat(200));
    let tree = Tree::new()
        .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
        .file("the project/notes.txt", "gull\n");
    let tree = (0..560).fold(tree, |tree, at| tree.file(&format!("in/skills/s{at:04}/SKILL.md"), &skill));
    let folder = tree.temporary();
    build(folder.path());
    let ledger = fs::read_to_string(folder.path().join("out/codex/.plugcast/ledger.json")).expect("a ledger");
    let ours = ours(&listed(&hosts, folder.path()));
    assert!(ours.iter().all(|line| line.ends_with(':')), "{ours:#?}");
    assert!(ledger.contains(&format!("it removes all descriptions and shows {} of 560 skills", ours.len())));
    assert!(ledger.contains("limit/kit/plugin/kit/listing"), "the loss has a row");
}

/// Long descriptions share what is left, one character each in turn, and short ones stay whole.
#[test]
fn codex_cuts_as_many_descriptions_as_the_row_of_the_plugin_says() {
    let hosts = real_hosts!();
    for (long, short) in [(300, 0), (40, 60)] {
        let tree = Tree::new()
            .file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\", \"version\": \"1.0.0\" }\n")
            .file("the project/notes.txt", "gull\n");
        let skill = |length: usize| format!("---\ndescription: {}\n---\n\nMeasure.\n", "x".repeat(length));
        let long_one = skill(800);
        let tree =
            (0..long).fold(tree, |tree, at| tree.file(&format!("in/skills/a{at:03}/SKILL.md"), &long_one));
        let tree =
            (0..short).fold(tree, |tree, at| tree.file(&format!("in/skills/b{at:03}/SKILL.md"), skill(20)));
        let folder = tree.temporary();
        build(folder.path());
        let ours = ours(&listed(&hosts, folder.path()));
        let shown: Vec<usize> = ours.iter().map(|line| line.matches('x').count()).collect();
        let cut: Vec<usize> = shown.iter().copied().filter(|length| ![20, 800].contains(length)).collect();
        assert_eq!((shown.len(), cut.len()), (long + short, long), "{ours:#?}");
        let ledger =
            fs::read_to_string(folder.path().join("out/codex/.plugcast/ledger.json")).expect("a ledger");
        let stated = between(
            &ledger,
            &format!("it cuts {long} of {} descriptions to about ", long + short),
            " characters",
        );
        let stated: usize = stated.expect("a row").parse().expect("a number");
        assert!(cut.iter().all(|length| length.abs_diff(stated) <= 4), "{stated}: {cut:?}");
    }
}

#[test]
fn codex_shows_1999_skills_and_the_next_one_is_refused() {
    let hosts = real_hosts!();
    let tree = Tree::new().file("in/.claude-plugin/plugin.json", "{ \"name\": \"kit\" }\n");
    let skill = "---\ndescription: d\n---\n";
    let tree = (0..2000).fold(tree, |tree, at| tree.file(&format!("in/skills/s{at:04}/SKILL.md"), skill));
    let folder = tree.temporary();
    let arguments = ["build", "in", "--to", "codex", "--out", "out"];
    let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(1);
    let refused =
        "`kit:s1999` cannot be carried: Codex reads 1999 folders of skills, and this plugin has 2000";
    assert!(finished.stderr.contains(refused), "{}", finished.stderr);
    let binary = format!("codex={}", hosts.codex.display());
    let arguments = ["verify", "out", "--host-bin", &binary, "--format", "json"];
    let finished = Plugcast::new(folder.path(), &arguments).run().expect_code(0);
    let shown: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    let skills = shown["hosts"][0]["plugins"][0]["observed"]["skills"].as_array().expect("a list");
    let expected: Vec<String> = (0..1999).map(|at| format!("kit:s{at:04}")).collect();
    assert_eq!(skills.iter().filter_map(|name| name.as_str()).collect::<Vec<_>>(), expected);
}
