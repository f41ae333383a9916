//! Settings and environment of every call of `git` and `gh`: with them, neither starts another program.

use std::ffi::{OsStr, OsString};

/// Settings of every call, in the form of `-c`.
const SETTINGS: [&str; 29] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "safe.bareRepository=explicit",
    "diff.autoRefreshIndex=false",
    "core.pager=cat",
    "core.askPass=",
    "core.editor=false",
    "sequence.editor=false",
    "core.alternateRefsCommand=true",
    "core.quotePath=false",
    "color.ui=never",
    "color.diff=never",
    "log.showSignature=false",
    "merge.verifySignatures=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "diff.ignoreSubmodules=dirty",
    "diff.submodule=short",
    "status.submoduleSummary=false",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "protocol.file.allow=always",
    "core.bigFileThreshold=512m",
    // A file's times do not prove that it is unchanged.
    "core.checkStat=default",
    "core.trustctime=true",
];

/// The query whose output [`GitOverrides::parse`](super::GitOverrides::parse) reads.
pub(super) const QUESTION: [&str; 5] = ["config", "-z", "--show-scope", "--get-regexp", SECTIONS];
/// The same for a git that does not support `--show-scope`.
pub(super) const OLD_QUESTION: [&str; 4] = ["config", "-z", "--get-regexp", SECTIONS];
const SECTIONS: &str =
    r"^((core|credential|diff|fetch|filter|gpg|hook|http|mailmap|merge|remote)\.|branch\..*\.mergeoptions$)";

/// Variables of git that the user may set; all others are removed.
const KEPT_VARIABLES: [&str; 9] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
];
const KEPT_BEGINNINGS: [&str; 4] = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_HTTP_"];

/// Other variables that would start a program, prompt, or print more.
const REMOVED_VARIABLES: [&str; 11] = [
    "CLICOLOR_FORCE",
    "SSH_ASKPASS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "GH_BROWSER",
    "GH_DEBUG",
    "GH_EDITOR",
    "GH_FORCE_TTY",
    "GH_PAGER",
];

const FIXED_SETTINGS: [(&str, &str); 23] = [
    ("LC_ALL", "C"),
    // Do not fetch missing objects of a partial clone, which could run a program named in the configuration.
    ("GIT_NO_LAZY_FETCH", "1"),
    // Show the real content of commits.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("BROWSER", "false"),
    ("GH_BROWSER", "false"),
    ("GH_EDITOR", "false"),
    ("GH_PAGER", "cat"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
    ("GH_SPINNER_DISABLED", "1"),
    ("NO_COLOR", "1"),
];
const PROTOCOLS: [&str; 3] = ["https", "ssh", "file"];

/// The environment of a child, derived from the user's.
pub(super) fn environment(own: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let mut allowed: Vec<&str> = PROTOCOLS.to_vec();
    let mut kept = Vec::new();
    for (key, value) in own {
        if key == "GIT_ALLOW_PROTOCOL" {
            // The user may only restrict the protocols further.
            let wanted = value.to_string_lossy();
            allowed.retain(|protocol| wanted.split(':').any(|word| word == *protocol));
        } else if passes(&key) {
            kept.push((key, value));
        }
    }
    kept.extend(FIXED_SETTINGS.map(|(key, value)| (key.into(), value.into())));
    kept.push(("GIT_ALLOW_PROTOCOL".into(), allowed.join(":").into()));
    kept
}

fn passes(key: &OsStr) -> bool {
    let Some(key) = key.to_str() else { return true };
    if REMOVED_VARIABLES.contains(&key) {
        return false;
    }
    !key.starts_with("GIT_")
        || KEPT_VARIABLES.contains(&key)
        || KEPT_BEGINNINGS.iter().any(|beginning| key.starts_with(beginning))
}

/// The arguments between `git` and its command.
pub fn words() -> impl Iterator<Item = &'static str> {
    let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
    settings.chain(["--no-pager", "--no-optional-locks", "--no-replace-objects"])
}

/// The settings as variables, for a program that starts git itself.
pub fn variables() -> Vec<(OsString, OsString)> {
    numbered(SETTINGS.iter().filter_map(|setting| setting.split_once('=')))
}

pub(super) fn numbered<'a>(settings: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(OsString, OsString)> {
    let mut pairs: Vec<(OsString, OsString)> = Vec::new();
    let mut count = 0;
    for (key, value) in settings {
        pairs.push((format!("GIT_CONFIG_KEY_{count}").into(), key.into()));
        pairs.push((format!("GIT_CONFIG_VALUE_{count}").into(), value.into()));
        count += 1;
    }
    if count > 0 {
        pairs.push(("GIT_CONFIG_COUNT".into(), count.to_string().into()));
    }
    pairs
}

/// The program at the other end of a fetch.
pub const UPLOAD_PACK: &str = "git-upload-pack";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_file_alone_never_proves_that_it_is_as_it_was() {
        let words: Vec<&str> = words().collect();
        for setting in ["core.checkStat=default", "core.trustctime=true"] {
            assert!(words.windows(2).any(|pair| pair == ["-c", setting]), "{setting}");
        }
    }

    #[test]
    fn of_the_environment_only_what_runs_nothing_is_left() {
        let own = [
            ("GIT_DIR", "/x"),
            ("GIT_EXTERNAL_DIFF", "evil"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("HOME", "/home"),
            ("GIT_ALLOW_PROTOCOL", "file:ext"),
            ("EDITOR", "evil"),
        ];
        let found = environment(own.map(|(key, value)| (key.into(), value.into())));
        let value =
            |name: &str| found.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy());
        assert_eq!(value("GIT_DIR").or(value("GIT_EXTERNAL_DIFF")).or(value("GIT_CONFIG_COUNT")), None);
        assert_eq!(
            (value("GIT_AUTHOR_NAME").as_deref(), value("HOME").as_deref()),
            (Some("Ann"), Some("/home"))
        );
        assert_eq!(value("GIT_ALLOW_PROTOCOL").as_deref(), Some("file"));
        assert_eq!(value("EDITOR").as_deref(), Some("false"));
    }
}
