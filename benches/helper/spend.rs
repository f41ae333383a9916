//! Runs a program in a folder with a clean environment, and says what it cost with all its children.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::child;

/// The argument that makes this program run another one, and print the peak of its memory in KiB.
pub const PEAK: &str = "--peak";

/// What something cost.
#[derive(Clone, Copy, Default)]
pub struct ResourceUse {
    /// User and system time together, in microseconds.
    pub cpu: f64,
    /// Time that passed, in seconds.
    pub wall: f64,
}

/// A program to run.
#[derive(Clone)]
pub struct Call {
    program: String,
    arguments: Vec<String>,
    folder: String,
    input: String,
    variables: BTreeMap<String, String>,
}

impl Call {
    /// A program with arguments, in a folder.
    pub fn new(program: &str, arguments: &[&str], folder: &Path) -> Self {
        let mut variables = BTreeMap::new();
        variables.insert("PATH".to_owned(), std::env::var("PATH").unwrap_or_default());
        let nowhere = folder.join(".none").display().to_string();
        for (key, value) in [
            ("HOME", &*nowhere),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", &*nowhere),
            ("LC_ALL", "C"),
        ] {
            variables.insert(key.to_owned(), value.to_owned());
        }
        Self {
            program: program.to_owned(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            folder: folder.display().to_string(),
            input: String::new(),
            variables,
        }
    }

    /// The same with standard input.
    pub fn input(mut self, text: &str) -> Self {
        text.clone_into(&mut self.input);
        self
    }

    /// The same with more variables.
    pub fn with_variables<const N: usize>(mut self, more: [(&str, String); N]) -> Self {
        self.variables.extend(more.map(|(key, value)| (key.to_owned(), value)));
        self
    }

    /// The same with a folder before all others on the search path.
    pub fn first_on_path(&self, folder: &Path) -> Self {
        let path = format!("{}:{}", folder.display(), self.variables["PATH"]);
        self.clone().with_variables([("PATH", path)])
    }

    /// Runs it; it must end well.
    ///
    /// # Errors
    /// When it cannot be started, or ends with another code than 0.
    pub fn run(&self) -> io::Result<ResourceUse> {
        let (spent, code, stderr) = self.ended()?;
        if code == Some(0) {
            return Ok(spent);
        }
        let words = self.arguments.join(" ");
        Err(io::Error::other(format!("`{} {words}` ended with {code:?}: {stderr}", self.program)))
    }

    /// Runs it, however it ends.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn any_end(&self) -> io::Result<ResourceUse> {
        self.ended().map(|(spent, ..)| spent)
    }

    /// The peak of its memory, in MiB: this program runs it from a small process, since a child starts with the peak
    /// of its parent.
    ///
    /// # Errors
    /// When it cannot be started, or ends with another code than 0.
    pub fn peak(&self) -> io::Result<f64> {
        let own = std::env::current_exe()?;
        let out = self
            .command(&own, [&[PEAK.to_owned(), self.program.clone()], &*self.arguments].concat())
            .output()?;
        let kibibytes: Option<f64> =
            std::str::from_utf8(&out.stdout).ok().and_then(|text| text.trim().parse().ok());
        let kibibytes = kibibytes.filter(|_| out.status.success());
        let unknown = || io::Error::other(String::from_utf8_lossy(&out.stderr).into_owned());
        Ok(kibibytes.ok_or_else(unknown)? / 1024.0)
    }

    fn command(&self, program: &Path, arguments: Vec<String>) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder).env_clear().envs(&self.variables);
        command
    }

    fn ended(&self) -> io::Result<(ResourceUse, Option<i32>, String)> {
        let (before, began) = (child::cpu()?, Instant::now());
        let mut child = self
            .command(Path::new(&self.program), self.arguments.clone())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        // A program that reads nothing closes its input.
        let _ = child.stdin.take().map(|mut input| input.write_all(self.input.as_bytes()));
        let out = child.wait_with_output()?;
        let wall = began.elapsed().as_secs_f64();
        let cpu = (child::cpu()? - before) as f64;
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        Ok((ResourceUse { cpu, wall }, out.status.code(), stderr))
    }
}
