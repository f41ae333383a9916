//! The hosts' own readers in one process, from npm: the version of Bun in which Claude Code runs, whose reader of YAML is
//! its own, and the gray-matter of OpenCode.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{fetch, root};

/// Whose reader is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// Frontmatter, Claude Code.
    Claude,
    /// Frontmatter, OpenCode.
    OpenCode,
    /// JSON, as JavaScript reads it.
    Json,
}

/// The readers, ready to be asked.
pub struct Readers {
    runtime: PathBuf,
    modules: PathBuf,
}

impl Readers {
    /// Those of `tests/oracles`, fetched on first use.
    pub fn fetch() -> Self {
        let modules = fetch::modules("oracles").unwrap_or_else(|line| panic!("{line}"));
        let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
        let processor = if cfg!(target_arch = "x86_64") { "x64" } else { std::env::consts::ARCH };
        let named = |libc: &str| modules.join(format!("@oven/bun-{system}-{processor}{libc}/bin/bun"));
        let runtime = ["", "-musl"].into_iter().map(named).find(|path| path.is_file());
        Self { runtime: runtime.expect("tests/oracles has Bun for this platform"), modules }
    }

    /// What each reader has of its text; `Null` where it reads nothing.
    pub fn read(&self, questions: &[(Reader, &str)]) -> Vec<Value> {
        let home = tempfile::tempdir().expect("a temporary home can be made");
        let name = |reader: Reader| match reader {
            Reader::Claude => "claude",
            Reader::OpenCode => "opencode",
            Reader::Json => "json",
        };
        let mut input = home.path().join("questions");
        let lines: Vec<String> = questions
            .iter()
            .map(|(reader, text)| json!({ "reader": name(*reader), "text": text }).to_string())
            .collect();
        let mut file = std::fs::File::create(&input).expect("a file");
        file.write_all(lines.join("\n").as_bytes()).expect("a file");
        input = home.path().join("questions");
        let output = Command::new(&self.runtime)
            .arg("run")
            .arg(root().join("tests/mutants/readers.mjs"))
            .arg(self.modules.parent().expect("a folder"))
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .stdin(Stdio::from(std::fs::File::open(&input).expect("a file")))
            .output()
            .expect("the runtime starts");
        let stdout_text = String::from_utf8_lossy(&output.stdout);
        let answers: Vec<Value> =
            stdout_text.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect();
        assert_eq!(answers.len(), questions.len(), "{}", String::from_utf8_lossy(&output.stderr));
        answers
    }
}
