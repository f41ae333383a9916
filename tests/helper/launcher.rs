//! The launcher, by every shell that is here and every way that a caller may name it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{ended, run, says_how_to_get_one};
use crate::support::helper::platform;
use crate::support::root;
use crate::support::tree::Tree;

const FOLDER: &str = "a \"b\" 'c' $d ünï";

/// A `bin` with a launcher named `tool` for a program that prints its arguments.
fn bin() -> (TempDir, PathBuf) {
    let launcher = fs::read(root().join("src/lower/launcher/launcher.sh")).expect("the launcher");
    let program = "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n";
    let folder = Tree::new()
        .script(&format!("{FOLDER}/bin/tool"), launcher)
        .script(&format!("{FOLDER}/bin/{}/tool", platform()), program)
        .temporary();
    let bin = folder.path().join(FOLDER).join("bin");
    (folder, bin)
}

#[track_caller]
fn starts(command: &mut Command) {
    let printed = ended(command.args(["a b", "", "*", "-x"])).expect_code(7);
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("<a b><><*><-x>", ""));
}

/// The shells of this machine, each with its first arguments.
fn shells() -> Vec<Vec<PathBuf>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        |name: &str| std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    let mut shells: Vec<Vec<PathBuf>> =
        ["sh", "dash", "bash", "ksh", "zsh"].into_iter().filter_map(found).map(|shell| vec![shell]).collect();
    shells.extend(found("busybox").map(|busybox| vec![busybox, "sh".into()]));
    shells
}

#[test]
fn every_shell_starts_the_program() {
    let (_folder, bin) = bin();
    starts(&mut Command::new(bin.join("tool")));
    let shells = shells();
    assert!(!shells.is_empty());
    for shell in shells {
        let mut command = Command::new(&shell[0]);
        starts(command.args(&shell[1..]).arg(bin.join("tool")));
    }
}

/// Issue 16, case 12: a program that Rust starts cannot tell a closed output from a null device.
#[test]
fn a_closed_output_is_a_failure() {
    let (_folder, bin) = bin();
    let (launcher, program) = (bin.join("plugcast-run"), bin.join(platform()).join("plugcast-run"));
    fs::copy(bin.join("tool"), &launcher).unwrap();
    fs::copy(bin.join(platform()).join("tool"), program).unwrap();
    for shell in shells() {
        for (output, code) in [(">&-", 5), (">/dev/null", 7)] {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec \"$@\" {output}"), "sh"]).args(&shell).arg(&launcher);
            let printed = ended(&mut command).expect_code(code);
            assert_eq!(printed.stderr.contains("standard output is closed"), code == 5, "{shell:?}");
        }
    }
}

#[test]
fn it_is_found_by_every_name() {
    let (folder, bin) = bin();
    starts(Command::new("sh").current_dir(&bin).arg("tool"));
    starts(Command::new("sh").current_dir(&bin).arg("./tool"));
    starts(Command::new("sh").current_dir(bin.parent().unwrap()).arg("bin/tool"));
    // Links, one through another, absolute and relative, a linked folder, a name with a dash in front.
    let linked = folder.path().join("-links");
    fs::create_dir(&linked).unwrap();
    symlink(bin.join("tool"), linked.join("absolute")).unwrap();
    symlink(format!("../{FOLDER}/bin/tool"), linked.join("relative")).unwrap();
    symlink("relative", linked.join("-chain")).unwrap();
    symlink(&bin, linked.join("bin")).unwrap();
    for name in ["absolute", "relative", "-chain", "bin/tool"] {
        starts(&mut Command::new(linked.join(name)));
        starts(Command::new("sh").current_dir(folder.path()).arg("--").arg(Path::new("-links").join(name)));
    }
}

#[test]
fn another_machine_is_told_how_to_get_one() {
    let (folder, bin) = bin();
    for (machine, platform) in [
        ("Linux riscv64", "linux-other"),
        ("Darwin arm64", "macos-aarch64"),
        ("MINGW64_NT-10.0 x86_64", "windows-x86_64"),
        ("SunOS \"x\"", "other-other"),
        ("", "other-other"),
    ] {
        let tools = folder.path().join("tools");
        Tree::new().script("uname", format!("#!/bin/sh\necho '{machine}'\n")).write(&tools);
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
        let script = format!("PATH='{path}'; export PATH; exec \"$0\" --version");
        let printed = ended(Command::new("sh").args(["-c", &script]).arg(bin.join("tool")));
        let error = says_how_to_get_one(printed);
        assert!(error.message.contains(&format!("for {platform}")), "{machine}: {error:?}");
        assert!(error.hint.contains("[runtime.bin.tool]"), "{error:?}");
    }
}

#[test]
fn a_program_that_lost_its_mode_is_told_apart() {
    let (_folder, bin) = bin();
    let program = bin.join(platform()).join("tool");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let error = says_how_to_get_one(run(&bin.join("tool"), &[]));
    assert!(error.message.contains("not executable"), "{error:?}");
    assert!(error.hint.contains(&format!("bin/{}/tool", platform())), "{error:?}");
}
