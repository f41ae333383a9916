//! What a session in a real host stands on: a bundle made by the built program from a source of this
//! repository, the host's binary, and a project whose paths hold blanks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use plugcast::drivers;
use plugcast::drivers::observation::Installation;
use plugcast::drivers::script::{ModelRequest, ModelScript};
use plugcast::drivers::session::{Session, SessionOpening, Transcript};
use plugcast::progress::Progress;
use tempfile::TempDir;

use crate::support::hosts::Hosts;
use crate::support::root;
use crate::support::run::Plugcast;
use crate::support::tree::Tree;

/// The fixture's source.
pub const DEMO: &str = "tests/fixtures/e2e/demo";
/// The fixture with hooks and a server.
pub const HARBOUR: &str = "tests/fixtures/e2e/harbour";
/// The plugins of this repository.
pub const OWN: &str = "plugins";
/// The fixture's agent.
pub const CHECKER: &str = "tests/fixtures/e2e/demo/agents/review/checker.md";
/// An agent of this repository that the skill `refine:robot-mode` dispatches.
pub const DESIGNER: &str = "plugins/refine/agents/robot-mode-designer.md";

/// The folder that holds one bundle a host, made once a process from a source of this repository.
///
/// # Panics
/// When the built program does not build it.
pub fn bundles(source: &str) -> PathBuf {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    // The blank in the path has to come through to every script that a session runs.
    let name = source.rsplit('/').next().unwrap_or(source);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e bundles").join(name);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains(source) {
        let out = out.to_str().expect("the build folder is UTF-8");
        Plugcast::new(root(), &["build", source, "--to", "all", "--out", out]).run().expect_code(0);
        built.insert(source.to_owned());
    }
    out
}

/// What the project's folder is called, unless a test says otherwise.
const PROJECT: &str = "the project";

/// One host with one source's bundle.
pub struct Stage {
    host: &'static str,
    /// The bundle's folder.
    pub bundle: PathBuf,
    /// The host's binary.
    pub installation: Installation,
    folder: TempDir,
    /// What the project's folder is called.
    project: &'static str,
}

/// The host's binary with a search path that has ripgrep.
pub fn installation(hosts: &Hosts, host: &str) -> Installation {
    let binary = match host {
        "claude-code" => &hosts.claude_code,
        "codex" => &hosts.codex,
        _ => &hosts.opencode,
    };
    let search_path =
        format!("{}:{}", hosts.ripgrep.display(), std::env::var("PATH").expect("a search path"));
    Installation { binary: binary.clone(), search_path, progress: Progress::default() }
}

impl Stage {
    /// A host with the bundle of a source, and a project with field notes in two places.
    pub fn new(hosts: &Hosts, host: &'static str, source: &str) -> Self {
        let folder = Tree::new()
            .file("the project/field notes.txt", "gull\nheron\ngull and tern\n")
            .file("the project/logs/field notes.txt", "gull\ngull\nheron\ngull\n")
            .file(
                "the project/.plugcast/runs/refine/high-tide/state.md",
                "# High tide\n\n- status: running\n",
            )
            .temporary();
        let bundle = bundles(source).join(host);
        Self { host, bundle, installation: installation(hosts, host), folder, project: PROJECT }
    }

    /// A host with a bundle of a source that one test writes, in a folder whose name a shell would read.
    pub fn of_source(hosts: &Hosts, host: &'static str, source: &Tree) -> Self {
        let folder = Tree::new().file("the project/field notes.txt", "gull\n").temporary();
        let (from, out) = (folder.path().join("source"), folder.path().join("it's a \"$bundle\""));
        source.write(&from);
        let paths = [&from, &out].map(|path| path.to_str().expect("the folder is UTF-8"));
        let arguments = ["build", paths[0], "--to", host, "--out", paths[1]];
        Plugcast::new(root(), &arguments).run().expect_code(0);
        Self {
            host,
            bundle: out.join(host),
            installation: installation(hosts, host),
            folder,
            project: PROJECT,
        }
    }

    /// The same with another name of the project's folder.
    pub fn in_project(mut self, name: &'static str) -> Self {
        fs::rename(self.project(), self.folder.path().join(name)).expect("it can be renamed");
        self.project = name;
        self
    }

    /// The same with a copy of the bundle that lacks one of its folders.
    pub fn without(mut self, folder: &str) -> Self {
        let copy = self.folder.path().join("bundle");
        Tree::read(&self.bundle).write(&copy);
        fs::remove_dir_all(copy.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        self.bundle = copy;
        self
    }

    /// The same with the bundle as another build makes it.
    pub fn built_with(mut self, source: &str, options: &[&str]) -> Self {
        let out = self.folder.path().join("another build");
        let out = out.to_str().expect("temporary folders are UTF-8");
        let arguments = ["build", source, "--to", self.host, "--out", out];
        let arguments: Vec<&str> = arguments.iter().chain(options).copied().collect();
        Plugcast::new(root(), &arguments).run().expect_code(0);
        self.bundle = Path::new(out).join(self.host);
        self
    }

    /// The project's folder.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join(self.project)
    }

    /// A session in the project with everything of the bundle.
    pub fn session(&self, opening: SessionOpening, script: ModelScript) -> Session {
        Session::from_bundle(&self.bundle, &self.project(), opening, script)
    }

    /// Runs a session to its end, whatever comes of it.
    pub fn run(&self, session: Session) -> Transcript {
        drivers::run(self.host, session, &self.installation)
            .unwrap_or_else(|error| panic!("{}: {error:#}", self.host))
    }

    /// Runs a session that must go as scripted, to the last step, with exit code 0.
    ///
    /// # Panics
    /// When it does not, with what the last request held.
    #[track_caller]
    pub fn play(&self, session: Session) -> Transcript {
        let transcript = self.run(session);
        let faults = transcript.faults();
        assert!(faults.is_empty() && transcript.code == Some(0), "{}", self.account(&transcript));
        transcript
    }

    fn account(&self, transcript: &Transcript) -> String {
        let last = transcript.exchange.received.last();
        format!(
            "{}: exit code {:?}, faults {:#?}\n--- latest request (`{}`)\n{}\n--- standard error\n{}",
            self.host,
            transcript.code,
            transcript.faults(),
            last.and_then(|received| received.conversation.clone()).unwrap_or_default(),
            last.map(|received| end_of(&received.request.latest_text())).unwrap_or_default(),
            transcript.stderr,
        )
    }
}

/// The end of a text that may be long.
fn end_of(text: &str) -> String {
    let from = text.char_indices().rev().nth(4000).map_or(0, |(place, _)| place);
    text[from..].to_owned()
}

/// What the user types to start a skill or command.
pub fn invoke(name: &str, arguments: &str) -> SessionOpening {
    SessionOpening::Invoke { name: name.to_owned(), arguments: arguments.to_owned() }
}

/// The names of the tools that a request offers, sorted.
pub fn tools(request: &ModelRequest) -> Vec<&str> {
    let mut names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    names
}

/// What an agent of this repository is told: the lines of its source below the frontmatter.
pub fn instructions(source: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
    let body = text.splitn(3, "---\n").nth(2).expect("the file has frontmatter");
    body.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
