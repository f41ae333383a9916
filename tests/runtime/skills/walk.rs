//! The fenced calls of each skill are run, in their order, in a repository whose path holds a space, an apostrophe, a
//! quotation mark and a dollar sign, with the helper below another path like that. Values take the place of
//! capital words by the skill's own rule for quoting, and the walk writes the files that the skill tells a model to
//! write.

mod feedback;
mod polish;
mod resumption;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hosts::review::obedient_model::put;
use crate::runtime::fixture::{HELPER, WORDS, environment, shell};
use crate::support::root;

/// One fenced call: the file of the skill, the section and the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fence {
    file: String,
    section: String,
    text: String,
}

/// A walk through one skill.
struct Walk {
    _fixture: TempDir,
    /// Where the helper and the skill's own files are.
    plugin: PathBuf,
    /// The repository.
    project: PathBuf,
    variables: BTreeMap<String, String>,
    fences: Vec<Fence>,
    made: BTreeSet<Fence>,
}

/// What a call printed.
struct PrintedAnswer {
    code: Option<i32>,
    text: String,
}

impl PrintedAnswer {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    #[track_caller]
    fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.text);
        self
    }
}

impl Walk {
    fn new(plugin: &str, skill: &str, made: &str) -> Self {
        let fixture = tempfile::tempdir().expect("a temporary folder");
        let at = std::fs::canonicalize(fixture.path()).expect("it is there");
        let (own, project) = (at.join("it's a plugin"), at.join("it's a \"$project\""));
        let source = root().join("plugins").join(plugin);
        for folder in [own.join("bin"), project.clone(), at.join(".bin"), at.join("home")] {
            std::fs::create_dir_all(folder).expect("a folder can be made");
        }
        std::os::unix::fs::symlink(HELPER, own.join("bin/plugcast-run")).expect("a link can be made");
        std::os::unix::fs::symlink(source.join("skills"), own.join("skills")).expect("a link can be made");
        let variables = environment(&at, &at.join("home"));
        shell(&format!("{WORDS}\n{made}"), &project, &variables)
            .unwrap_or_else(|error| panic!("the fixture: {error}"));
        let fences = fences(&source.join("skills").join(skill));
        Self { _fixture: fixture, plugin: own, project, variables, fences, made: BTreeSet::new() }
    }

    /// Runs a call of a section with these values, `more` options and this input of a heredoc.
    #[track_caller]
    fn call(&mut self, section: &str, number: usize, values: &[(&str, &str)], more: &str) -> PrintedAnswer {
        let mut own = self.fences.iter().filter(|fence| fence.section.starts_with(section));
        let fence = own.nth(number).unwrap_or_else(|| panic!("no call {number} in `{section}`")).clone();
        let helper = format!("\"{}\"", self.plugin.join("bin/plugcast-run").display());
        let mut text = fence.text.replacen("HELPER", &helper, 1);
        let (plugin, skill) =
            (self.plugin.display().to_string(), self.plugin.join("skills/loops").display().to_string());
        text = text.replace("${CLAUDE_PLUGIN_ROOT}", &plugin).replace("${CLAUDE_SKILL_DIR}", &skill);
        for (word, value) in values {
            let inside = text.contains(&format!("\"{word}\""));
            let value = if inside { quoted(value) } else { (*value).to_owned() };
            text = if *word == "$ARGUMENTS" { text.replace(word, &value) } else { put(&text, word, &value) };
        }
        if !more.is_empty() {
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            text = match first.split_once(" <<") {
                Some((call, heredoc)) => format!("{call} {more} <<{heredoc}\n{rest}"),
                None => format!("{first} {more}\n{rest}"),
            };
        }
        self.made.insert(fence);
        self.run(&text)
    }

    fn run(&self, script: &str) -> PrintedAnswer {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).current_dir(&self.project).env_clear().envs(&self.variables);
        let output = command.stdin(Stdio::null()).output().expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        PrintedAnswer {
            code: output.status.code(),
            text: if text.is_empty() { errors.into_owned() } else { text },
        }
    }

    /// Every call was made.
    #[track_caller]
    fn ends(&self) {
        let left: Vec<&Fence> = self.fences.iter().filter(|fence| !self.made.contains(fence)).collect();
        assert!(left.is_empty(), "nothing makes these calls: {left:#?}");
    }
}

/// The skill's rule: in double quotes, with a backslash before what a shell would read there.
fn quoted(value: &str) -> String {
    value.chars().fold(String::new(), |out, c| match c {
        '"' | '$' | '`' | '\\' => format!("{out}\\{c}"),
        _ => format!("{out}{c}"),
    })
}

/// The fenced calls of a skill and of its references, in their order.
fn fences(skill: &Path) -> Vec<Fence> {
    let mut files = vec!["SKILL.md".to_owned()];
    let entries = std::fs::read_dir(skill.join("references")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| format!("references/{}", entry.file_name().to_string_lossy())).collect();
    names.sort();
    files.extend(names);
    let mut fences = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(skill.join(&file)).expect("a text");
        for section in text.split("\n## ").skip(1) {
            let name = section.lines().next().unwrap_or_default().to_owned();
            for block in section.split("```sh\n").skip(1) {
                let text = block.split("```").next().unwrap_or_default().to_owned();
                fences.push(Fence { file: file.clone(), section: name.clone(), text });
            }
        }
    }
    fences
}

fn write(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    std::fs::write(path, text).expect("it can be written");
}

fn finding(title: &str, severity: &str, line: u32, class: &str, owner: &str) -> Value {
    json!({
        "title": title, "severity": severity, "file": "src/price.py", "line": line,
        "why_it_matters": "A buyer doesn't pay for the last item", "autofix_class": class, "owner": owner,
        "requires_verification": false, "confidence": 0.9, "evidence": ["range(count - 1)"], "pre_existing": false,
        "suggested_fix": "for place in range(count):\n    total += prices[place]",
    })
}

fn reply(name: &str, findings: &[Value], rechecked: &Value) -> String {
    let value = json!({
        "reviewer": name, "findings": findings, "residual_risks": [], "testing_gaps": [], "rechecked": rechecked,
    });
    format!("Here is what I found:\n\n```json\n{value}\n```\n")
}

/// A branch with a change and a new file, a remote, and a `gh` that notes how it is called.
const SETUP: &str = r#"
put src/price.py 'def price(prices):' '    return sum(prices)'
repo
put src/price.py 'def price(prices):' '    totl = 0' '    count = len(prices)' '    for place in range(count - 1):' '        totl += prices[place]' '    return totl'
git switch -q -c feature && commit 'Add up prices one by one'
put "it's new.py" 'print(1)'
git init -q --bare ../origin.git && git remote add origin ../origin.git
program gh <<'END'
#!/bin/sh
printf '%s\n' "$@" > "$FIXTURE/gh.words"; cat > "$FIXTURE/gh.body"; echo https://github.com/owner/tool/pull/8
END
"#;

/// The always-on reviewers' replies, with what two of them found.
fn write_replies(begun: &Value) {
    let lost = finding("The last price is lost", "P1", 6, "gated_auto", "downstream-resolver");
    let missed = finding("Loop ends one item too early", "P1", 6, "gated_auto", "downstream-resolver");
    let name = finding("The name of the sum is misspelt", "P3", 2, "safe_auto", "review-fixer");
    for one in begun["reviewers"].as_array().expect("reviewers").iter().filter(|one| one["always"] == true) {
        let own = one["name"].as_str().expect("a name");
        let found = match own {
            "correctness" => vec![lost.clone(), name.clone()],
            "testing" => vec![missed.clone()],
            _ => Vec::new(),
        };
        write(one["reply"].as_str().expect("a run has replies"), &reply(own, &found, &json!([])));
    }
}

fn ids(found: &Value, with: &str) -> Vec<String> {
    let all = found["findings"].as_array().into_iter().flatten();
    let own = all.filter(|one| one["autofix_class"] == with);
    own.filter_map(|one| one["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn every_call_of_the_review_skill_runs() {
    let mut walk = Walk::new("review", "review", SETUP);
    let begun = begins(&mut walk);
    let run = begun["run"].as_str().expect("a run").to_owned();
    let run_value = [("RUN", run.as_str())];

    write_replies(&begun);
    let context = json!({ "intent": "Add up prices one by one", "unmet": [], "reasons": {} });
    write(Path::new(&run).join("replies/context.json"), &context.to_string());
    let merged = walk.call("4. Merge", 0, &run_value, "").ok().json();
    assert_eq!(merged["status"], "ok", "{merged}");
    let near = merged["near"][0]["ids"].as_array().expect("two titles of one fault are near").clone();
    let near: Vec<&str> = near.iter().filter_map(Value::as_str).collect();
    let joined = walk.call("4. Merge", 1, &[run_value[0], ("IDS", &near.join(","))], "").ok().json();
    let count = |found: &Value| found["findings"].as_array().map(Vec::len);
    assert_eq!((count(&merged), count(&joined)), (Some(3), Some(2)), "{joined}");

    let report = walk.call("8. Report", 1, &run_value, "").ok().text;
    assert!(
        report.starts_with("# Code review\n") && report.contains("Intent: Add up prices one by one\n"),
        "{report}"
    );
    walk.call("5. Approve", 0, &run_value, "").ok();
    let gated = ids(&joined, "gated_auto");
    let approved = walk.call("5. Approve", 1, &[run_value[0], ("IDS", &gated.join(","))], "").ok().json();
    assert_eq!(approved["skipped"], json!([]), "{approved}");
    let fixed = [gated.as_slice(), &ids(&joined, "safe_auto")].concat();
    walk.run("sed -i 's/totl/total/; s/count - 1/count/' src/price.py").ok();
    write(Path::new(&run).join("replies/fixer.txt"), &json!({ "applied": fixed, "skipped": [] }).to_string());

    let shown = walk.call("7. Re-review", 0, &[run_value[0], ("N", "2")], "").ok().json();
    let diff = std::fs::read_to_string(shown["diff_path"].as_str().expect("a diff")).expect("it is there");
    assert!(diff.contains("total +="), "the reviewers are shown the fix: {diff}");

    // A second look finds a new fault, and that one fix does not hold; the third finds that all of them do.
    let open = json!([{ "id": gated[0], "holds": false, "reason": "the loop still ends early" }]);
    let new = finding("The sum of nothing is not shown", "P3", 1, "advisory", "human");
    write(Path::new(&run).join("replies/round-2/correctness.txt"), &reply("correctness", &[new], &open));
    let second = walk.call("7. Re-review", 1, &[run_value[0], ("N", "2")], "").ok().json();
    assert_eq!(count(&second), Some(3), "a round may find new faults: {second}");
    write(
        Path::new(&run).join("replies/round-2/fixer.txt"),
        &json!({ "applied": gated, "skipped": [] }).to_string(),
    );
    walk.run("sed -i 's/range(count)/range(count):  # all/' src/price.py").ok();
    walk.call("7. Re-review", 0, &[run_value[0], ("N", "3")], "").ok();
    let holds: Vec<Value> =
        fixed.iter().map(|id| json!({ "id": id, "holds": true, "reason": "the last item counts" })).collect();
    let holds = Value::from(holds);
    write(Path::new(&run).join("replies/round-3/correctness.txt"), &reply("correctness", &[], &holds));
    walk.call("7. Re-review", 1, &[run_value[0], ("N", "3")], "").ok();

    let finished = walk.call("8. Report", 0, &run_value, "").ok().json();
    assert_eq!(
        (&finished["status"], &finished["verdict"]),
        (&json!("done"), &json!("Ready with fixes")),
        "{finished}"
    );
    let report = walk.call("8. Report", 1, &run_value, "").ok().text;
    let file = std::fs::read_to_string(finished["report"].as_str().expect("a report")).expect("it is there");
    assert_eq!(report, file, "what is printed is the file that the end of the run names");
    for part in
        ["| fixed |", "A buyer doesn't pay", "  for place in range(count):\n      total += prices[place]\n"]
    {
        assert!(report.contains(part), "`{part}` is missing in {report}");
    }

    hands_over(&mut walk);
    reports_without_a_run(&mut walk);
    walk.ends();
}

/// New files are asked for: the run is given up and begun again with them, and then taken over.
fn begins(walk: &mut Walk) -> Value {
    let arguments = "look at the buyer's \"prices\" and $totals";
    let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", arguments)], "").ok().json();
    assert_eq!((&begun["status"], &begun["focus"]), (&json!("started"), &json!(arguments)), "{begun}");
    assert_eq!(begun["untracked"], json!(["it's new.py"]));
    let taken = walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "");
    assert_eq!((taken.code, &taken.json()["error"]["code"]), (Some(6), &json!("taken")));
    let run = begun["run"].as_str().expect("a run");
    walk.call("10. Give up", 0, &[("RUN", run)], "").ok();
    let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", arguments)], "--include-untracked").ok().json();
    assert!(begun["files"].to_string().contains("it's new.py"), "{begun}");
    let taken = walk.call("1. Begin", 0, &[("$ARGUMENTS", arguments)], "--include-untracked --take-over");
    let begun = taken.ok().json();
    assert!(begun["abandoned"].is_string(), "{begun}");
    begun
}

/// Commit, push and pull request, as `references/hand-over.md` says.
fn hands_over(walk: &mut Walk) {
    let files = format!("\"{}\"", quoted("it's new.py")) + " \"src/price.py\"";
    walk.call("1. Commit", 0, &[("FILES", &files)], "").ok();
    // What the user had staged before stays out of the commit.
    walk.run("echo own > own.txt; git add own.txt").ok();
    let message = [("FILES", files.as_str()), ("MESSAGE", "Count the buyer's last price")];
    walk.call("1. Commit", 1, &message, "").ok();
    let staged = walk.run("git status --porcelain own.txt; git rm -q -f --cached own.txt; rm own.txt");
    assert_eq!(staged.text, "A  own.txt\n");
    walk.call("2. Push", 0, &[], "").ok();
    // `hand-over-pushes-pr-42`: a branch of the helper's own goes to that of the pull request.
    walk.call("2. Push", 1, &[("REMOTE", "origin"), ("HEAD_BRANCH", "of-the-request")], "").ok();
    walk.call("3. Pull request", 0, &[("BRANCH", "main"), ("BODY", "It's what was asked for.")], "").ok();
    let told = walk.run(
        "git log -1 --format=%s; git status --porcelain; git ls-remote origin; cat ../gh.words ../gh.body",
    );
    assert!(told.text.starts_with("Count the buyer's last price\n"), "{}", told.text);
    for part in [
        "\trefs/heads/feature\n",
        "\trefs/heads/of-the-request\n",
        "create\n--base\nmain\n",
        "It's what was asked for.\n",
    ] {
        assert!(told.text.contains(part), "`{part}` is missing in {}", told.text);
    }
}

fn reports_without_a_run(walk: &mut Walk) {
    let before = walk.run("find . -type f -not -path './.git/*' | sort | xargs -d '\\n' cksum").text;
    let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", "mode:report-only")], "").ok().json();
    assert_eq!((&begun["status"], &begun["run"]), (&json!("untraced"), &Value::Null));
    let lost = finding("The last price is lost", "P1", 4, "manual", "human");
    let ticket = begun["ticket"].as_str().expect("a ticket").to_owned();
    let mark = begun["mark"].as_str().expect("a mark").to_owned();
    let values = [
        ("TICKET", ticket.as_str()),
        ("MARK", mark.as_str()),
        ("NAME", "correctness"),
        ("REPLY", &reply("correctness", &[lost], &json!([]))),
        ("CONTEXT", r#"{"intent": "Add up the buyer's prices"}"#),
    ];
    let report = walk.call("4b. Report", 0, &values, "--format text").ok().text;
    for part in ["# Code review\n", "Intent: Add up the buyer's prices\n", "- Evidence: range(count - 1)\n"] {
        assert!(report.contains(part), "`{part}` is missing in {report}");
    }
    let after = walk.run("find . -type f -not -path './.git/*' | sort | xargs -d '\\n' cksum").text;
    assert_eq!(before, after, "a trace is left");
}

#[test]
fn every_call_of_the_loops_skill_runs() {
    let fixture = "repo; put .plugcast/runs/refine/high-tide/state.md '# High tide' '' '- status: running'";
    let mut walk = Walk::new("refine", "loops", fixture);
    let sections: Vec<(String, usize)> = walk.fences.iter().map(|fence| (fence.section.clone(), 0)).collect();
    for (section, number) in sections {
        let printed = walk.call(&section, number, &[("NAME", "high-tide")], "").ok();
        assert!(!printed.text.is_empty(), "{section}");
    }
    walk.ends();
}

#[test]
fn every_skill_with_calls_is_walked() {
    let plugins = root().join("plugins");
    let mut walked = BTreeSet::new();
    for plugin in std::fs::read_dir(plugins).expect("plugins").flatten() {
        let skills = std::fs::read_dir(plugin.path().join("skills")).into_iter().flatten().flatten();
        let with_calls = skills.filter(|skill| !fences(&skill.path()).is_empty());
        walked.extend(with_calls.map(|skill| skill.file_name().to_string_lossy().into_owned()));
    }
    let walks = ["loops", "polish-beta", "resolve-feedback", "review"];
    assert_eq!(walked.into_iter().collect::<Vec<_>>(), walks, "a walk for each, here or below");
}
