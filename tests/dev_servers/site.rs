//! A small site of ours in a separate repository, below the packages that it needs, and the helper called in it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::runtime::fixture::{HELPER, WORDS, environment, shell};
use crate::support::git::{commit, git, write};
use crate::support::tree::Tree;
use crate::support::{fetch, root};

/// The variable by which the test finds everything that its server started, whatever group or session it went to.
const MARK: &str = "PLUGCAST_TEST_SITE";

/// What Next starts when it ends, in a separate session, and what ends by itself.
const FAREWELL: &str = "next/dist/telemetry/detached-flush.js";

/// A site whose change is polished.
pub struct Site {
    folder: TempDir,
    home: TempDir,
    /// Folders in front of the search path.
    programs: Vec<PathBuf>,
    /// The run of the polish.
    pub run: String,
    /// A port that nobody has.
    pub port: u16,
    /// A program of the user's, in the same folder.
    users: Child,
}

impl Site {
    /// The site of `tests/dev_servers/sites/<name>`, with the polish of a change begun.
    ///
    /// # Panics
    /// With one line that says how to get what is missing.
    pub fn begin(name: &str, programs: Vec<PathBuf>) -> Self {
        let modules = fetch::modules("dev_servers").unwrap_or_else(|missing| panic!("{missing}"));
        let above = modules.parent().expect("the packages lie in a folder");
        let folder = tempfile::tempdir_in(above).expect("a temporary folder");
        Tree::read(&root().join("tests/dev_servers/sites").join(name)).write(folder.path());
        git(folder.path(), &["init", "-q"]);
        commit(folder.path(), "start");
        git(folder.path(), &["switch", "-q", "-c", "feature"]);
        write(folder.path(), "notes.txt", "a change\n");
        commit(folder.path(), "change");
        let users = Command::new("sleep").arg("600").current_dir(folder.path()).spawn().expect("`sleep`");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let (home, port) = (tempfile::tempdir().expect("a home"), port.expect("a free port").port());
        let mut site = Self { folder, home, programs, run: String::new(), port, users };
        let acquired = site.call(&["polish", "acquire", "--apply"], 0);
        site.run = acquired["run"].as_str().expect("a run").to_owned();
        let variables = environment(site.path(), site.home.path());
        shell(&format!("{WORDS}\npassed '{}'", site.run), site.path(), &variables).expect("the gate");
        site
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What a program of the site gets.
    fn command(&self, program: &str) -> Command {
        let mut variables = environment(self.path(), self.home.path());
        let path = self.programs.iter().map(|folder| folder.display().to_string());
        let path = path.chain([variables["PATH"].clone()]).collect::<Vec<_>>().join(":");
        variables.insert("PATH".to_owned(), path);
        for (name, value) in [
            (MARK, self.path().display().to_string().as_str()),
            // Servers that would ask or tell somebody.
            ("NEXT_TELEMETRY_DISABLED", "1"),
            ("ASTRO_TELEMETRY_DISABLED", "1"),
            ("ASTRO_DISABLE_UPDATE_CHECK", "true"),
        ] {
            variables.insert(name.to_owned(), value.to_owned());
        }
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear().envs(variables).stdin(Stdio::null());
        command
    }

    /// What the helper answers, with this exit code.
    ///
    /// # Panics
    /// When it ends with another one.
    pub fn call(&self, words: &[&str], code: i32) -> Value {
        let done = self.command(HELPER).args(words).output().expect("the helper can be started");
        let text = String::from_utf8_lossy(&done.stdout);
        assert_eq!(done.status.code(), Some(code), "{words:?}: {text}\n{}", self.log());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?}: {error}: {text}"))
    }

    /// The program of a package, as a script of the site would start it.
    pub fn program(&self, name: &str) -> Command {
        let folder = self.path().parent().expect("it lies below the packages");
        self.command(&folder.join("node_modules/.bin").join(name).display().to_string())
    }

    /// What its server printed.
    pub fn log(&self) -> String {
        std::fs::read_to_string(Path::new(&self.run).join("server.log")).unwrap_or_default()
    }

    /// The processes that its server started, itself among them.
    pub fn processes(&self) -> Vec<String> {
        self.marked().into_iter().map(|(_, words)| words).collect()
    }

    /// The same with their numbers.
    fn marked(&self) -> Vec<(String, String)> {
        let mark = format!("{MARK}={}", self.path().display());
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let own = entries.filter_map(|entry| {
            let variables = std::fs::read(entry.path().join("environ")).ok()?;
            variables.split(|byte| *byte == 0).any(|one| one == mark.as_bytes()).then_some(())?;
            let words = std::fs::read(entry.path().join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            Some((entry.file_name().to_string_lossy().into_owned(), words))
        });
        own.filter(|(_, words)| !words.is_empty()).collect()
    }

    /// Ends its server by what is on record, and sees that all of it is gone, and nothing else.
    ///
    /// # Panics
    /// When something is left, or something of the user's is not.
    pub fn stop(&mut self) {
        let server = self.call(&["server", "status", "--run", &self.run], 0)["server"].clone();
        let (pid, time, port) =
            (server["pid"].to_string(), server["start_time"].to_string(), self.port.to_string());
        assert!(self.processes().len() > 1, "a script and its server: {:?}", self.processes());
        let stop = ["server", "stop", "--run", &self.run, "--port", &port, "--confirm-pid", &pid];
        let stop = [&stop[..], &["--start-time", &time]].concat();
        assert_eq!(self.call(&stop, 0)["status"], "stopped");
        assert_eq!(self.call(&["server", "owner", "--port", &port], 0)["status"], "none");
        assert!(TcpListener::bind(("0.0.0.0", self.port)).is_ok(), "the port is free");
        let mut left = self.processes();
        left.retain(|words| !words.contains(FAREWELL));
        assert_eq!(left, [""; 0], "what it started has ended");
        assert!(self.users.try_wait().is_ok_and(|ended| ended.is_none()), "the user's own program goes on");
    }

    /// What git tells of the working tree.
    pub fn status(&self) -> String {
        git(self.path(), &["status", "--porcelain", "--untracked-files=all"])
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // A test that failed leaves what it started.
        for (number, _) in self.marked() {
            let _ = Command::new("kill").args(["-KILL", &number]).status();
        }
        let _ = self.users.kill();
        let _ = self.users.wait();
    }
}
