//! A repository whose own configuration, attributes and hooks name programs: none of them is run by any command of
//! either program that asks git, and the index stays as it is. Each program would leave a marker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::runtime::fixture::{self, HELPER, WORDS};
use crate::support::run::Plugcast;

/// A plugin in `work` with two commits on `main` and one on `feat`, then a configuration that names a program for
/// everything that git can run, and an uncommitted change of each file.
const ARMED: &str = r##"
mkdir work && cd work
git init -q -b main .
put .gitattributes '*.f filter=one' '*.p filter=two' '*.md diff=three' '*.e filter=a=b'
put .claude-plugin/plugin.json '{"name": "demo", "version": "0.1.0", "description": "d"}'
put skills/a/SKILL.md '---' 'name: a' 'description: Does a thing when asked for it.' '---' 'Text.'
put skills/a/x.f one; put skills/a/x.p one; put skills/a/x.e one
put bare/HEAD 'ref: refs/heads/main'; put bare/objects/keep; put bare/refs/heads/keep
put bare/config '[core]' 'repositoryformatversion = 0' 'bare = false' "fsmonitor = $FIXTURE/.bin/evil bare-fsmonitor" \
  "worktree = .." '[filter "one"]' "clean = $FIXTURE/.bin/evil bare-clean"
commit start
git switch -q -c feat; put skills/a/y.f feat; put skills/a/SKILL.md '---' 'name: a' 'description: Does it.' '---'; commit feat
git switch -q main; put skills/a/x.f two; put skills/a/new.f new; commit second
git clone -q --bare . ../origin.git
program evil <<'END'
#!/bin/sh
touch "$(dirname "$0")/../marker-$1"
cat
END
evil="$FIXTURE/.bin/evil"
git remote add origin ../origin.git
git fetch -q origin
for name in post-checkout post-index-change post-merge reference-transaction pre-auto-gc fsmonitor-watchman; do
  printf '#!/bin/sh\nexec %s hook-%s\n' "$evil" "$name" > .git/hooks/$name; chmod +x .git/hooks/$name
done
git config core.fsmonitor "$evil fsmonitor"
git config filter.one.clean "$evil clean"; git config filter.one.smudge "$evil smudge"
git config filter.two.process "$evil process"; git config filter.two.required true
git config filter.a=b.clean "$evil clean-equals"
git config diff.external "$evil external"; git config diff.three.textconv "$evil textconv"
git config diff.three.command "$evil command"
git config core.pager "$evil pager"; git config pager.diff "$evil pager"; git config core.editor "$evil editor"
git config core.askPass "$evil askpass"; git config core.sshCommand "$evil ssh"
git config credential.helper "!$evil credential"; git config core.alternateRefsCommand "$evil alternates"
git config remote.origin.uploadpack "$evil uploadpack"; git config log.showSignature true
git config gpg.program "$evil gpg"; git config merge.x.driver "$evil merge"; git config hook.h.command "$evil hook"
git config hook.h.event post-checkout
"##;

/// Every file has another time, so that git compares what it holds.
const TOUCHED: &str = "find work -name 'x.*' -exec touch -d '2027-01-01' {} +";

struct Repository {
    folder: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Repository {
    fn armed() -> Self {
        let repository = Self {
            folder: tempfile::tempdir().expect("a folder"),
            home: tempfile::tempdir().expect("a home"),
        };
        repository.shell(ARMED);
        repository.disarm();
        repository.shell(TOUCHED);
        repository
    }

    fn top(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).expect("it is there")
    }

    fn variables(&self) -> BTreeMap<String, String> {
        fixture::environment(&self.top(), self.home.path())
    }

    fn shell(&self, script: &str) {
        fixture::shell(&format!("{WORDS}\n{script}"), &self.top(), &self.variables()).expect("the fixture");
    }

    /// What making the fixture left.
    fn disarm(&self) {
        for marker in self.markers() {
            std::fs::remove_file(self.top().join(marker)).expect("a marker");
        }
    }

    fn markers(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.top()).expect("a folder").flatten();
        let mut names: Vec<String> =
            names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name.starts_with("marker-"));
        names.sort();
        names
    }

    fn index(&self) -> Vec<u8> {
        std::fs::read(self.top().join("work/.git/index")).expect("an index")
    }

    fn helper(&self, folder: &str, words: &[&str]) -> serde_json::Value {
        let output = Command::new(HELPER)
            .args(words)
            .current_dir(self.top().join(folder))
            .env_clear()
            .envs(self.variables())
            .stdin(Stdio::null())
            .output()
            .expect("the helper");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"))
    }

    fn compiler(&self, folder: &str, words: &[&str]) -> String {
        let run = Plugcast::with_program(
            Path::new(env!("CARGO_BIN_EXE_plugcast")),
            &self.top().join(folder),
            words,
        );
        let finished = run.run();
        assert!(matches!(finished.code, Some(0 | 1)), "{words:?}: {finished:?}");
        finished.stdout
    }

    fn untouched(&self, index: &[u8], what: &str) {
        assert_eq!(self.markers(), [""; 0], "{what} ran programs of the repository");
        assert_eq!(self.index(), index, "{what} wrote the index");
    }
}

#[test]
fn the_programs_of_this_repository_are_run_by_plain_git() {
    let repository = Repository::armed();
    repository.shell("cd work; git status --porcelain >/dev/null || :; git diff >/dev/null || :; cd bare; git status >/dev/null 2>&1 || :");
    let markers = repository.markers();
    for marker in ["marker-clean", "marker-fsmonitor", "marker-process", "marker-bare-fsmonitor"] {
        assert!(markers.iter().any(|found| found == marker), "{marker}: {markers:?}");
    }
}

#[test]
fn no_verb_of_the_helper_runs_a_program_that_the_repository_names() {
    let repository = Repository::armed();
    let index = repository.index();
    for words in [
        &["repo", "base"][..],
        &["repo", "base", "--base", "origin/main", "--require-fresh"],
        &["repo", "surfaces", "--base", "HEAD~1", "--worktree"],
        &["review", "scope", "--mode", "report-only", "--base", "HEAD~1"],
        &["review", "start", "--mode", "autofix"],
    ] {
        let answer = repository.helper("work", words);
        assert_ne!(answer["status"], "error", "{words:?}: {answer}");
        repository.untouched(&index, &words.join(" "));
    }
    let run = repository.helper("work", &["review", "start", "--mode", "autofix", "--take-over"]);
    let run = run["run_dir"].as_str().expect("a run").to_owned();
    let scope = repository.helper("work", &["review", "scope", "--run", &run, "--base", "HEAD~1"]);
    assert_eq!(scope["status"], "ok", "{scope}");
    repository.untouched(&index, "review scope --run");
    for words in [&["repo", "base"][..], &["review", "scope", "--mode", "report-only", "--base", "HEAD"]] {
        repository.helper("work/bare", words);
        repository.untouched(&index, "a command inside an embedded bare repository");
    }
}

#[test]
fn the_call_that_reviewers_make_runs_no_program_either() {
    let repository = Repository::armed();
    let scope = repository.helper("work", &["review", "scope", "--mode", "report-only", "--base", "HEAD~1"]);
    let argv: Vec<&str> =
        scope["diff_argv"].as_array().expect("a call").iter().filter_map(|word| word.as_str()).collect();
    let output = Command::new(argv[0])
        .args(&argv[1..])
        .current_dir(repository.top().join("work"))
        .env_clear()
        .envs(repository.variables())
        .output()
        .expect("git");
    let diff = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && diff.contains("skills/a/new.f"), "{output:?}");
    assert_eq!(repository.markers(), [""; 0], "{argv:?}");
}

#[test]
fn a_checkout_runs_no_filter_and_no_hook_and_says_so() {
    let repository = Repository::armed();
    let scope = repository.helper("work", &["review", "scope", "--mode", "interactive", "--target", "feat"]);
    assert_eq!(scope["branch"], "feat", "{scope}");
    assert_eq!(repository.markers(), [""; 0]);
    let notes = scope["notes"].to_string();
    assert!(notes.contains("the filter `one` was not run: `skills/a/x.f`, `skills/a/y.f`"), "{notes}");
}

/// What a configuration names after a checkout alone was once run: it was asked before.
#[test]
fn a_configuration_that_a_checkout_brings_is_asked_for_again() {
    for (included, place) in [("include.path", "../more"), ("includeIf.onbranch:feat.path", "more")] {
        let repository = Repository::armed();
        let folder = if place == "more" { ".git" } else { "." };
        repository.shell(&format!(
            r##"cd work; git config --remove-section filter.two; git reset -q --hard; git switch -q feat; evil="$FIXTURE/.bin/evil"
git config --file {folder}/more filter.late.clean "$evil late"; git config --file {folder}/more core.sshCommand "$evil late-ssh"
git add -A; git commit -q --allow-empty -m more; git switch -q main; git config {included} {place}
echo '*.md filter=late' > .git/info/attributes; git config remote.origin.url ssh://localhost/x"##
        ));
        repository.disarm();
        let scope =
            repository.helper("work", &["review", "scope", "--mode", "interactive", "--target", "feat"]);
        assert_eq!(repository.markers(), [""; 0], "{included}: {scope}");
        assert_eq!(scope["branch"], "feat", "{included}: {scope}");
    }
}

#[test]
fn no_command_of_the_compiler_runs_a_program_that_the_repository_names() {
    let repository = Repository::armed();
    let index = repository.index();
    for words in [
        &["check", "--since", "HEAD~1"][..],
        &["release", "check"],
        &["release", "check", "--base", "HEAD~1"],
        &["diff", "HEAD~1", "HEAD"],
        &["diff", "HEAD~1", "."],
        &["build", "--to", "codex", "--out", "../out"],
    ] {
        repository.compiler("work", words);
        repository.untouched(&index, &words.join(" "));
    }
    let run = Plugcast::with_program(
        Path::new(env!("CARGO_BIN_EXE_plugcast")),
        &repository.top().join("work/bare"),
        &["check", "--since", "HEAD"],
    );
    assert_eq!(run.run().code, Some(2), "a bare repository inside is none that was named");
    repository.untouched(&index, "check --since inside an embedded bare repository");
}
