//! A checkout of this package in which cargo runs the program: builds the helper to ship, static and small, there,
//! since neither `cargo build` nor `cargo test` builds it like that.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build::BuildError;
use crate::disk;
use crate::model::runtime::HELPER;
use crate::process::{ChildCommand, ChildOutput};
use crate::progress::Progress;

/// How long cargo may take, waiting for another build included.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The checkout, and what cargo needs to build in it.
#[derive(Debug, Clone)]
pub struct HelperCheckout {
    cargo: String,
    package: PathBuf,
    folder: PathBuf,
    environment: Vec<(String, String)>,
    progress: Progress,
}

impl HelperCheckout {
    /// Finds the checkout by the variables that cargo sets for programs it runs; `None` when cargo does not run this
    /// program, or runs it for another package. `folder` is the working directory, for relative paths in variables.
    pub fn from_environment(
        environment: Vec<(String, String)>,
        folder: PathBuf,
        progress: &Progress,
    ) -> Option<Self> {
        let (cargo, package) = {
            let value = |name: &str| Some(&environment.iter().find(|(key, _)| key == name)?.1);
            (value("CARGO")?.clone(), PathBuf::from(value("CARGO_MANIFEST_DIR")?))
        };
        let text = disk::read_text(&package.join("Cargo.toml")).ok()??;
        let manifest: toml::Table = text.parse().ok()?;
        let name = manifest.get("package")?.get("name")?.as_str()?;
        (name == env!("CARGO_PKG_NAME")).then_some(Self {
            cargo,
            package,
            folder,
            environment,
            progress: progress.clone(),
        })
    }

    /// The helper for this machine, rebuilt if it is stale; with `only_existing`, the existing one, if any.
    pub(super) fn helper(&self, only_existing: bool) -> Result<Option<PathBuf>, BuildError> {
        let triple = self.triple()?;
        let target = self.target_folder()?.join("helper");
        let name = format!("{HELPER}{}", std::env::consts::EXE_SUFFIX);
        let path = target.join(&triple).join("helper").join(name);
        let there = disk::is_file(&path);
        if only_existing {
            return Ok(there.then_some(path));
        }
        if !there {
            self.progress.set(format!("building `{HELPER}` with cargo, once, for about a minute"));
        }
        let target = target.display().to_string();
        let flags = ["--quiet", "--bin", HELPER, "--no-default-features", "--profile", "helper", "--locked"];
        let build = self
            .command(&self.cargo, &["build", "--manifest-path", &self.manifest()])
            .arguments(flags)
            .arguments(["--target", &triple, "--target-dir", &target])
            .environment([("RUSTC", self.rustc().display().to_string())])
            .environment([("CARGO_ENCODED_RUSTFLAGS", self.flags(&triple))]);
        self.run(&build, "the helper cannot be built")?;
        Ok(Some(path))
    }

    /// The flags for a static binary without paths of this machine. The user's own flags do not apply: they are for the
    /// user's own builds.
    fn flags(&self, triple: &str) -> String {
        let home = |name: &str| self.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let cargo_home = home("CARGO_HOME").cloned().or_else(|| Some(format!("{}/.cargo", home("HOME")?)));
        let mut flags = vec![format!("--remap-path-prefix={}=plugcast", self.package.display())];
        flags.extend(cargo_home.map(|folder| format!("--remap-path-prefix={folder}=cargo")));
        // macOS has no static system library.
        if !triple.contains("apple") {
            flags.push("-Ctarget-feature=+crt-static".to_owned());
        }
        if triple.contains("linux") {
            let script = self.package.join("src/bin/plugcast-run.ld");
            flags.extend(["-Clink-arg=-T".to_owned(), format!("-Clink-arg={}", script.display())]);
            // Where a C library keeps other functions beside those that the helper replaces, the first one counts.
            flags.push("-Clink-arg=-Wl,-z,muldefs".to_owned());
        }
        // For this target the compiler ships its own linker, which merges identical functions. The program is not
        // relocatable: the list of addresses for that would be a twenty-fifth of its size, and applying it takes time
        // at each start.
        if triple == "x86_64-unknown-linux-gnu" {
            flags.extend(["-Crelocation-model=static", "-Clink-arg=-Wl,--icf=all"].map(str::to_owned));
            // Repeated instruction sequences become functions, which saves a fortieth of the size.
            flags.push("-Cllvm-args=-enable-machine-outliner=always".to_owned());
        }
        flags.join("\u{1f}")
    }

    /// The compiler: the user's choice, else the one beside cargo. A `rustc` on the search path may resolve to a
    /// different toolchain in each crate's folder.
    fn rustc(&self) -> PathBuf {
        let chosen = self.environment.iter().find(|(key, _)| key == "RUSTC");
        let beside = Path::new(&self.cargo).with_file_name(format!("rustc{}", std::env::consts::EXE_SUFFIX));
        match chosen {
            Some((_, path)) => PathBuf::from(path),
            None if disk::is_file(&beside) => beside,
            None => PathBuf::from("rustc"),
        }
    }

    /// The target triple of the platform that the compiler itself runs on.
    fn triple(&self) -> Result<String, BuildError> {
        let ended = self
            .run(&self.command(self.rustc(), &["-vV"]), "cannot read the host platform from `rustc -vV`")?;
        let text = ended.stdout_text();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        host.map(str::to_owned).ok_or_else(|| fault("cannot read the host platform from `rustc -vV`", &text))
    }

    fn target_folder(&self) -> Result<PathBuf, BuildError> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1", "--manifest-path"];
        let command = self.command(&self.cargo, &arguments).argument(self.manifest());
        let what = "cannot read the target folder from `cargo metadata`";
        let ended = self.run(&command, what)?;
        let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
        let folder = answer["target_directory"].as_str();
        folder.map(PathBuf::from).ok_or_else(|| fault(what, &ended.stdout_text()))
    }

    fn manifest(&self) -> String {
        self.package.join("Cargo.toml").display().to_string()
    }

    fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> ChildCommand {
        let own = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"];
        let inherited = self.environment.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        ChildCommand::new(program.as_ref(), &self.folder)
            .arguments(arguments.iter().copied())
            .environment(inherited.cloned())
            .limit(LIMIT)
            .killed_with_parent()
    }

    fn run(&self, command: &ChildCommand, what: &str) -> Result<ChildOutput, BuildError> {
        let ended = command.run().map_err(|error| fault(what, &error.to_string()))?;
        if ended.succeeded() { Ok(ended) } else { Err(fault(what, &ended.stderr_text())) }
    }
}

/// An error with the output of the failed program.
fn fault(what: &str, output: &str) -> BuildError {
    BuildError::Helper {
        message: format!("{what}: {}", output.trim_end()),
        help: "fix the errors above, pass `--helper PLATFORM=PATH`, or build without one: `--helper none`"
            .to_owned(),
    }
}
