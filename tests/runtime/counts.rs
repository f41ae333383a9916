//! What the helper counts out of a diff that passes by is what git counts, file by file, in a repository with every
//! kind of change; and a change that is large enough to be read in several parts comes out as one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::fixture::{HELPER, environment, shell};

/// Every kind of change, some of it not committed.
const ODD: &str = r#"
git init -q -b main . && git config core.autocrlf false
put() { printf "$2" > "$1"; }
put conflict 'a\nb\nc\n'; put 'q"uo te' 'x\n'; put mode.sh 'x\ny\n'; put type target; put bin '\000\001'; put bin2 '\000\002'
put binmode '\000\003'; put tricky 'd\n-- x\n++ y\ndiff --git a/z b/z\n'; : > empty; put crlf 'a\r\nb\r\n'; put end 'a\nb'
awk 'BEGIN { for (i = 0; i < 40; i++) print i, "long enough" }' > long; put old.png 'text\n'; printf '*.png binary\n' > .gitattributes
put 'n
ew' 'x\n'
git add -A && git commit -q -m one
git switch -q -c other && put conflict 'a\nB\nc\n' && git commit -q -a -m other
git switch -q main && put conflict 'a\nX\nc\n' && git commit -q -a -m main && git switch -q -c work
git mv long 'long er' && echo more >> 'long er'; chmod +x mode.sh binmode; rm type && ln -s target type
git mv bin moved && rm bin2 && git mv empty empty.png; put tricky 'd\n-- z\n++ w\n'; put end 'a\nb\nc'; put crlf 'a\nb\n'
git mv 'q"uo te' 'q"uo te2'; put "ta	b" '1\n2\n'; put "$(printf '\351.txt')" 1; put new.png 'text\n'; git rm -q old.png
put 'n
ew' 'y\n'
git add -A && git commit -q -m work
git merge -q other > /dev/null || :
put long 'back\n'; git add long; put tricky 'd\nlast\n'; : > empty2; git add -N empty2; put untracked x
"#;

/// A change of many files of which some are renamed.
const MANY: &str = r#"
git init -q -b main .
awk 'BEGIN {
  for (branch = 0; branch < 2; branch++) {
    print "commit refs/heads/" (branch ? "work" : "main") "\ncommitter a <a@example.com> 1700000000 +0000\ndata 1\nx"
    if (branch) print "from refs/heads/main"
    for (i = 0; i < 9000; i++) {
      text = "file " i "\nstays\n" (branch ? "is\nmore" : "was")
      name = "p" (i % 50) "/f" i
      if (branch && i % 1000 == 7) print "R " name " " name "-renamed"
      else print "M 100644 inline " name "\ndata " length(text) "\n" text
    }
    print ""
  }
}' < /dev/null > stream
git fast-import --quiet < stream && rm stream && git checkout -q work
"#;

fn run(program: &str, words: &[&str], folder: &Path, variables: &BTreeMap<String, String>) -> Vec<u8> {
    let output = Command::new(program).args(words).current_dir(folder).env_clear().envs(variables).output();
    let output = output.expect("it can be started");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Lines added and deleted by path, as git says it.
fn by_git(
    words: &[&str],
    folder: &Path,
    variables: &BTreeMap<String, String>,
) -> BTreeMap<String, (String, String)> {
    let words = [&["diff", "--numstat", "-z", "-M"][..], words, &["--"]].concat();
    let out = run("git", &words, folder, variables);
    let text = String::from_utf8_lossy(&out).into_owned();
    let mut fields = text.split('\0');
    let mut found = BTreeMap::new();
    while let Some(field) = fields.next().filter(|field| !field.is_empty()) {
        let parts: Vec<&str> = field.splitn(3, '\t').collect();
        let name = if parts[2].is_empty() { fields.nth(1).unwrap_or_default() } else { parts[2] };
        found.insert(name.to_owned(), (parts[0].to_owned(), parts[1].to_owned()));
    }
    found
}

/// The same, as the helper says it.
fn by_helper(files: &Value, key: &str) -> BTreeMap<String, (String, String)> {
    let count = |file: &Value, side: &str| match file["binary"] == true {
        true => "-".to_owned(),
        false => file[side].to_string(),
    };
    let files = files.as_array().expect("files");
    let name = |file: &Value| file[key].as_str().expect("a name").to_owned();
    files.iter().map(|file| (name(file), (count(file, "added"), count(file, "deleted")))).collect()
}

fn answer(words: &[&str], folder: &Path, variables: &BTreeMap<String, String>) -> Value {
    serde_json::from_slice(&run(HELPER, words, folder, variables)).expect("JSON")
}

#[test]
fn lines_are_counted_as_git_counts_them() {
    let (fixture, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a home"));
    let (folder, variables) = (fixture.path(), environment(fixture.path(), home.path()));
    shell(ODD, folder, &variables).expect("the fixture");
    for (words, git) in [
        (&["repo", "surfaces", "--base", "main~1"][..], &["main~1", "HEAD"][..]),
        (&["repo", "surfaces", "--base", "main~1", "--worktree"], &["main~1"]),
    ] {
        let found = answer(words, folder, &variables);
        let wanted = by_git(git, folder, &variables);
        assert!(wanted.len() > 12, "{wanted:?}");
        assert_eq!(by_helper(&found["files"], "file"), wanted, "{words:?}");
    }
    let scope = answer(&["review", "scope", "--base", "main~1"], folder, &variables);
    assert_eq!(scope["untracked"], serde_json::json!(["untracked"]));
    let argv: Vec<&str> =
        scope["diff_argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let diff = run(argv[0], &argv[1..], folder, &variables);
    assert_eq!(scope["diff_bytes"], diff.len(), "the size of what the call prints");
}

#[test]
fn a_change_of_many_files_comes_out_whole() {
    let (fixture, home) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a home"));
    let (folder, variables) = (fixture.path(), environment(fixture.path(), home.path()));
    shell(MANY, folder, &variables).expect("the fixture");
    let wanted = by_git(&["main", "HEAD"], folder, &variables);
    assert_eq!(wanted.len(), 9000);
    let found = answer(&["repo", "surfaces", "--base", "main"], folder, &variables);
    assert_eq!(by_helper(&found["files"], "file"), wanted);
    let started = answer(&["review", "start"], folder, &variables);
    let run_dir = started["run_dir"].as_str().expect("a run");
    // Clean first, then with a change that is not committed.
    for change in ["", "echo new >> p1/f1"] {
        shell(change, folder, &variables).expect("a change");
        let scope = answer(&["review", "scope", "--base", "main", "--run", run_dir], folder, &variables);
        let diff = run("git", &["diff", "-U10", "--abbrev=12", "-M", "main", "--"], folder, &variables);
        let kept = std::fs::read(scope["diff_path"].as_str().expect("a path")).expect("the diff");
        assert!(kept == diff, "{} bytes for {}", kept.len(), diff.len());
        assert_eq!(scope["diff_bytes"], diff.len());
        assert_eq!(by_helper(&scope["files"], "path"), by_git(&["main"], folder, &variables));
    }
}
