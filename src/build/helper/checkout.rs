//! A checkout of this package that cargo runs the program in: there cargo builds the helper that is
//! shipped, static and small, which neither `cargo build` nor `cargo test` does.

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
    /// By the variables that cargo sets for what it runs; `None` when cargo does not run this program, or
    /// runs it for another package. `folder` is the working directory, for relative paths in variables.
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

    /// The helper for this machine, built where it is not fresh; with `only_existing`, the one that is there.
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
            self.progress.set(format!("cargo builds `{HELPER}`, once, in about a minute"));
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

    /// The flags of a static binary that names no folder of the machine. The user's own flags are for the
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
        }
        // There the compiler brings its own linker, which joins equal functions. The program stays where it was linked: what
        // moves needs a list of all its addresses, a twenty-fifth of it, and time to correct them at each start.
        if triple == "x86_64-unknown-linux-gnu" {
            flags.extend(["-Crelocation-model=static", "-Clink-arg=-Wl,--icf=all"].map(str::to_owned));
            // Sequences that occur several times become functions: a fortieth less.
            flags.push("-Cllvm-args=-enable-machine-outliner=always".to_owned());
        }
        flags.join("\u{1f}")
    }

    /// The compiler: the user's choice, else the one beside cargo. A `rustc` on the search path may stand
    /// for another toolchain in the folder of every crate.
    fn rustc(&self) -> PathBuf {
        let chosen = self.environment.iter().find(|(key, _)| key == "RUSTC");
        let beside = Path::new(&self.cargo).with_file_name(format!("rustc{}", std::env::consts::EXE_SUFFIX));
        match chosen {
            Some((_, path)) => PathBuf::from(path),
            None if disk::is_file(&beside) => beside,
            None => PathBuf::from("rustc"),
        }
    }

    /// The platform that the compiler itself runs on, in its own words.
    fn triple(&self) -> Result<String, BuildError> {
        let ended =
            self.run(&self.command(self.rustc(), &["-vV"]), "the compiler does not say what it is")?;
        let text = ended.stdout_text();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        host.map(str::to_owned).ok_or_else(|| fault("the compiler does not say what it is", &text))
    }

    fn target_folder(&self) -> Result<PathBuf, BuildError> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1", "--manifest-path"];
        let command = self.command(&self.cargo, &arguments).argument(self.manifest());
        let what = "cargo does not say where it builds";
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
            .guarded()
    }

    fn run(&self, command: &ChildCommand, what: &str) -> Result<ChildOutput, BuildError> {
        let ended = command.run().map_err(|error| fault(what, &error.to_string()))?;
        if ended.succeeded() { Ok(ended) } else { Err(fault(what, &ended.stderr_text())) }
    }
}

/// An error with the words of the failed program.
fn fault(what: &str, output: &str) -> BuildError {
    BuildError::Helper {
        message: format!("{what}: {}", output.trim_end()),
        help: "fix the errors above, pass `--helper PLATFORM=PATH`, or build without one: `--helper none`"
            .to_owned(),
    }
}
