//! One source, checked out twice under everything that may differ between machines, gives equal bytes:
//! path, umask, time zone, locale, user, home, order of the folder's entries, times of the files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::tree::{Entry, Tree};
use crate::support::{helper, root};

/// Where and how a checkout is made and built.
struct Machine {
    /// The folder of the checkout.
    place: &'static str,
    umask: &'static str,
    variables: [(&'static str, &'static str); 2],
    /// Whether there is a home.
    home: bool,
    /// Whether files are made in reverse order.
    reverse: bool,
    /// Another user, where the test runs as root.
    other_user: bool,
}

const MACHINES: [Machine; 2] = [
    Machine {
        place: "a",
        umask: "022",
        variables: [("TZ", "UTC"), ("LC_ALL", "C")],
        home: false,
        reverse: false,
        other_user: false,
    },
    Machine {
        place: "a rather/longer path/ü",
        umask: "077",
        variables: [("TZ", "Pacific/Kiritimati"), ("LC_ALL", "tr_TR.UTF-8")],
        home: true,
        reverse: true,
        other_user: true,
    },
];

/// Writes the source in the machine's order and modes, builds it there, and reads the bundles.
fn built(machine: &Machine, source: &Tree, name: Option<&str>) -> Tree {
    let folder = Tree::new().temporary();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("a mode can be set");
    let place = folder.path().join(machine.place);
    let mut entries: Vec<_> = source.entries().collect();
    if machine.reverse {
        entries.reverse();
    }
    let private = machine.umask == "077";
    for (path, entry) in entries {
        let one = match entry {
            Entry::File { content, mode } if mode & 0o100 == 0 => Tree::new().file(path, content),
            Entry::File { content, .. } => Tree::new().script(path, content),
            Entry::Link(target) => Tree::new().link(path, target),
        };
        one.write(&place.join("src"));
        if let (true, Entry::File { mode, .. }) = (private, entry) {
            let mode = if mode & 0o100 == 0 { 0o600 } else { 0o700 };
            fs::set_permissions(place.join("src").join(path), fs::Permissions::from_mode(mode))
                .expect("a mode can be set");
        }
    }
    // The other user may not reach the build folder: the program comes along.
    let program = folder.path().join("plugcast");
    helper::install(Path::new(env!("CARGO_BIN_EXE_plugcast")), &program);
    helper::install(helper::binary(), &folder.path().join("plugcast-run"));
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let mut command = if machine.other_user && root {
        let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(folder.path()).status();
        assert!(owned.expect("`chown`").success());
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    let name = name.map(|name| format!("--name {name}")).unwrap_or_default();
    let script = format!(
        "umask {} && exec \"$0\" build src --to claude-code,codex,opencode --out out {name}",
        machine.umask
    );
    command.arg("-c").arg(script).arg(&program).current_dir(&place).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).envs(machine.variables);
    command.env("HOME", if machine.home { folder.path() } else { Path::new("/nonexistent") });
    let output = command.output().expect("a shell");
    assert!(output.status.code() == Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    Tree::read(&place.join("out"))
}

/// Lines of the two texts side by side would be long: the first path that differs is enough.
#[track_caller]
fn same(source: &Tree, name: Option<&str>) {
    let [one, other] = MACHINES.map(|machine| built(&machine, source, name));
    for (path, entry) in one.entries() {
        assert_eq!(other.get(path), Some(entry), "{path}");
    }
    assert_eq!(one.entries().count(), other.entries().count());
    assert!(one.entries().count() > 10);
}

fn case(name: &str) -> Tree {
    Tree::read(&root().join("tests/cases").join(name).join("in"))
}

#[test]
fn two_checkouts_of_one_source_give_equal_bytes() {
    for name in ["block", "frontmatter", "limits", "marketplace", "source-paths", "fourth-host"] {
        same(&case(name), None);
    }
    same(&case("skill-folder"), Some("tools"));
}

#[test]
fn two_checkouts_of_our_own_plugins_give_equal_bytes() {
    for plugin in fs::read_dir(root().join("plugins")).expect("plugins").flatten() {
        same(&Tree::read(&plugin.path()), None);
    }
}

/// Nothing in a bundle names the machine that built it.
#[test]
fn no_path_of_the_machine_is_in_a_bundle() {
    let out = built(&MACHINES[1], &case("block"), None);
    for (path, entry) in out.entries() {
        let text = entry.text();
        for part in ["a rather", "/tmp/", env!("CARGO_MANIFEST_DIR"), "nonexistent"] {
            assert!(!text.contains(part), "{path} names `{part}`");
        }
    }
}
