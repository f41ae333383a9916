//! What the verbs of the helper cost themselves, against scripts of a shell and jq that do the same in the usual
//! manner (`benches/helper/shell`). What `git` and `gh` answer is recorded once for each side and replayed, and what
//! the replay costs is taken off on both sides.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::replay::Replay;
use crate::row;
use crate::spend::Call;
use crate::table::{Row, median};

/// How often each side is measured; ratios are taken in a round.
const ROUNDS: usize = 15;
/// How often it runs in a round.
const RUNS: usize = 5;
/// The script may cost so many times what the helper costs, at least: the ratio of the helper to it is measured.
const BUDGET: f64 = 0.2;

/// Name, words of the helper, script with its arguments, standard input.
const VERBS: [(&str, &[&str], &[&str], &str); 8] = [
    ("repo base", &["repo", "base"], &["base.sh"], ""),
    ("repo surfaces", &["repo", "surfaces", "--base", "main"], &["surfaces.sh", "main"], ""),
    ("repo size item", &["repo", "size", "item", "--base", "main"], &["size.sh", "main"], ITEM),
    ("repo project", &["repo", "project"], &["project.sh"], ""),
    ("repo package-manager", &["repo", "package-manager"], &["package-manager.sh"], ""),
    ("repo port", &["repo", "port"], &["port.sh"], ""),
    ("launch read", &["launch", "read", "web"], &["launch.sh", "web"], ""),
    (
        "polish checklist parse",
        &["polish", "checklist", "parse", "--run", "run"],
        &["checklist.sh", "run/checklist.md", "main"],
        "",
    ),
];
const ITEM: &str = r#"{"id":"1","files":["app/models/m1.rb","app/views/v1.erb","config/c1.yml"]}"#;

/// A project with a branch on which forty files changed.
const PROJECT: &str = r#"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main project && cd project
mkdir -p app/models app/views app/controllers config spec apps/web
printf 'import x from "y";\n// port: 1234\nexport default { server: { port: 4100 } };\n' > apps/web/vite.config.ts
printf '{"name":"web","scripts":{"build":"vite build","dev":"vite --port 4200"}}\n' > package.json
printf 'lockfileVersion: 9\n' > pnpm-lock.yaml
printf '# Notes\n\nRun the tests with `make`.\n' > AGENTS.md
printf 'services:\n  db:\n    image: postgres\n' > compose.yml
for n in 1 2 3 4 5 6 7 8; do
  for file in app/models/m$n.rb app/views/v$n.erb app/controllers/c$n.rb config/c$n.yml spec/s${n}_spec.rb; do
    printf 'one\ntwo\nthree\n' > $file
  done
done
git add -A && git commit -q -m start
git clone -q --bare . ../origin.git
git config url."$PWD/../origin.git".insteadOf https://github.com/owner/tool
git remote add origin https://github.com/owner/tool
git fetch -q && git remote set-head origin main
git switch -q -c feat
for file in app/*/* config/* spec/*; do printf 'four\nfive\n' >> $file; done
git commit -q -a -m change
mkdir .claude
printf '{"version":"0.2.0","configurations":[{"name":"web","runtimeExecutable":"pnpm","runtimeArgs":["dev"],"port":4200},{"name":"worker","runtimeExecutable":"make"}]}\n' > .claude/launch.json
"#;

/// A polish with a checklist of fifty items, at `run`; its base is the local one.
const POLISH: &str = concat!(
    include_str!("../../tests/runtime/passed.sh"),
    r#"
git remote remove origin
ln -s "$("$HELPER" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/')" run
RUN=$HELPER; passed run
items=
for n in $(seq 50); do
  file=$(git diff --name-only main HEAD | sed -n "$((n % 40 + 1))p")
  items="$items${items:+,}{\"title\":\"Look at item $n\",\"files\":[\"$file\"],\"notes\":\"it jumps when item $n is added\"}"
done
echo "{\"items\":[$items]}" | "$HELPER" polish checklist write --run run > /dev/null
"#
);

/// The rows of all verbs; `jq` is the folder that holds jq, and `libraries` what it needs.
///
/// # Errors
/// When a side fails.
pub fn rows(folder: &Path, helper: &Path, jq: &Path, libraries: Option<&str>) -> io::Result<Vec<Row>> {
    Call::new("/bin/sh", &["-eu", "-c", PROJECT], folder).run()?;
    let top = folder.join("project");
    // Where the key lies by which the helper knows what it wrote.
    let state = || [("XDG_STATE_HOME", folder.join("state").display().to_string())];
    let polish = Call::new("/bin/sh", &["-eu", "-c", POLISH], &top).with_variables(state());
    let real = program("git")?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/helper/shell");
    let mut rows = Vec::new();
    for (name, words, script, input) in VERBS {
        if words[0] == "polish" {
            // Last: without the remote `repo base` would have less to do.
            polish.clone().with_variables([("HELPER", helper.display().to_string())]).run()?;
        }
        let ours = Call::new(&helper.display().to_string(), words, &top).input(input).with_variables(state());
        let path = scripts.join(script[0]).display().to_string();
        let mut words = vec![path.as_str()];
        words.extend(&script[1..]);
        let theirs = Call::new("/bin/bash", &words, &top).input(input).first_on_path(jq);
        let theirs = match libraries {
            Some(path) => theirs.with_variables([("LD_LIBRARY_PATH", path.to_owned())]),
            None => theirs,
        };
        let at = |side: &str| folder.join("replay").join(name.replace(' ', "-")).join(side);
        let ours = Side::new(at("helper"), &real, &top, ours)?;
        let theirs = Side::new(at("script"), &real, &top, theirs)?;
        let (mut own, mut other, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (one, two) = (ours.own()?, theirs.own()?);
            ratios.push(one / two);
            own.push(one);
            other.push(two);
        }
        let calls = (ours.replay.calls(), theirs.replay.calls());
        let note = format!(
            "{:.2} ms to {:.2} ms, without {} and {} replayed calls of git",
            median(own) / 1000.0,
            median(other) / 1000.0,
            calls.0,
            calls.1
        );
        rows.push(row(&format!("`{name}`, to shell and jq"), BUDGET, median(ratios), "x", note));
    }
    Ok(rows)
}

/// One side: what is run, with its recorded children.
struct Side {
    call: Call,
    replay: Replay,
    top: PathBuf,
}

impl Side {
    fn new(folder: PathBuf, real: &Path, top: &Path, call: Call) -> io::Result<Self> {
        let replay = Replay::record(folder, real, &call)?;
        let call = call.first_on_path(&replay.folder);
        Ok(Self { call, replay, top: top.to_owned() })
    }

    /// Microseconds of processor time of one run, without the replayed children.
    fn own(&self) -> io::Result<f64> {
        let (mut all, mut children) = (0.0, 0.0);
        for _ in 0..RUNS {
            all += self.call.run()?.cpu;
            children += self.replay.cost(&self.top)?.cpu;
        }
        Ok((all - children).max(1.0) / RUNS as f64)
    }
}

/// Where a program is.
///
/// # Errors
/// When it is not on the search path.
pub fn program(name: &str) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    let found =
        found.ok_or_else(|| io::Error::other(format!("`{name}` was not found on the search path")))?;
    fs::canonicalize(found)
}
