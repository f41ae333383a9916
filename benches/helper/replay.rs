//! Programs whose output is recorded once and replayed: `git` and `gh`, so that what they cost themselves is the
//! same for every caller, and can be taken off.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::spend::{Call, ResourceUse};

/// Runs the real program, and numbers the call, and keeps its output and exit code.
const RECORDER: &str = r#"#!/bin/sh
number=$(ls "$REPLAY" | grep -c '\.code$')
code=0
"$REAL_GIT" "$@" > "$REPLAY/$number.out" || code=$?
printf '%s\n' "$code" > "$REPLAY/$number.code"
for word in "$@"; do printf '%s\n' "$word"; done > "$REPLAY/$number.words"
cat "$REPLAY/$number.out"
exit "$code"
"#;

/// A pull request, to both ways of asking for it.
const GH: &str = r#"#!/bin/sh
case "$1" in
  pr) printf '%s\n' '{"baseRefName":"main","url":"https://github.com/owner/tool/pull/7"}' ;;
  *) printf '%s\n' '{"data":{"repository":{"defaultBranchRef":{"name":"main"},"pullRequests":{"nodes":[{"number":7,"url":"https://github.com/owner/tool/pull/7","title":"t","body":"","state":"OPEN","baseRefName":"main","baseRepository":{"url":"https://github.com/owner/tool"},"headRefName":"feat","headRefOid":"0000000000000000000000000000000000000000"}]}}}}' ;;
esac
"#;

/// A folder with `git` and `gh`, to stand first on the search path.
pub struct Replay {
    /// The folder.
    pub folder: PathBuf,
    /// The calls that were recorded: their words.
    calls: Vec<Vec<String>>,
}

impl Replay {
    /// Records what `call` asks the real `git` at `real`.
    ///
    /// # Errors
    /// When `call` fails.
    pub fn record(folder: PathBuf, real: &Path, call: &Call) -> io::Result<Self> {
        let kept = folder.join("kept");
        fs::create_dir_all(&kept)?;
        program(&folder.join("git"), RECORDER)?;
        program(&folder.join("gh"), GH)?;
        let variables = [("REAL_GIT", real.display().to_string()), ("REPLAY", kept.display().to_string())];
        call.first_on_path(&folder).with_variables(variables).run()?;
        let mut calls = Vec::new();
        let mut known = BTreeMap::new();
        let mut script = String::from("#!/bin/sh\nwords=\"$*\"\ncase \"$words\" in\n");
        for number in 0.. {
            let part = |ending: &str| fs::read_to_string(kept.join(format!("{number}.{ending}")));
            let Ok(code) = part("code") else { break };
            let words: Vec<String> = part("words")?.lines().map(str::to_owned).collect();
            let line = words.join(" ");
            if known.insert(line.clone(), number).is_none() {
                let out = kept.join(format!("{number}.out")).display().to_string();
                let answer = match fs::metadata(&out)?.len() {
                    0 => format!("exit {}", code.trim()),
                    _ if code.trim() == "0" => format!("exec cat '{out}'"),
                    _ => format!("cat '{out}'; exit {}", code.trim()),
                };
                script.push_str(&format!("'{}') {answer} ;;\n", line.replace('\'', r"'\''")));
            }
            calls.push(words);
        }
        script.push_str("*) printf 'not recorded: %s\\n' \"$words\" >&2; exit 99 ;;\nesac\n");
        program(&folder.join("git"), &script)?;
        Ok(Self { folder, calls })
    }

    /// How many calls there are in one run.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// What all recorded calls cost by themselves.
    ///
    /// # Errors
    /// When one cannot be started.
    pub fn cost(&self, top: &Path) -> io::Result<ResourceUse> {
        let mut spent = ResourceUse::default();
        let git = self.folder.join("git").display().to_string();
        for words in &self.calls {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ended = Call::new(&git, &words, top).first_on_path(&self.folder).any_end()?;
            spent.cpu += ended.cpu;
            spent.wall += ended.wall;
        }
        Ok(spent)
    }
}

/// Writes a program.
fn program(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}
