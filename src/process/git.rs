//! How `git` and `gh` are started, by both programs. A repository is not trusted: nothing that its configuration, its
//! attributes or its files name is run, nothing is asked, and its index stays as it is.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use super::Command;

/// Settings that hold for every call, as `-c` takes them.
pub const SETTINGS: [&str; 28] = [
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
    // What a file says of its time is no proof that it is as it was.
    "core.checkStat=default",
    "core.trustctime=true",
];

/// Options of every comparison: no program of the user's takes part.
pub const DIFF: [&str; 2] = ["--no-ext-diff", "--no-textconv"];

/// The question that [`Overrides::parse`] reads the answer of.
pub const QUESTION: [&str; 5] = ["config", "-z", "--show-scope", "--get-regexp", SECTIONS];
/// The same for a git that cannot tell where a setting stands.
pub const OLD_QUESTION: [&str; 4] = ["config", "-z", "--get-regexp", SECTIONS];
const SECTIONS: &str = r"^(core|credential|diff|filter|hook|merge|remote)\.";

/// Variables of git that are the user's own to set; every other one is left out.
const KEPT: [&str; 9] = [
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

/// Variables of others that would start a program, ask, or print more.
const LEFT_OUT: [&str; 10] = [
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

const FIXED: [(&str, &str); 23] = [
    ("LC_ALL", "C"),
    // What is missing in a partial clone is not fetched with a program that the configuration names.
    ("GIT_NO_LAZY_FETCH", "1"),
    // What is shown is what a commit holds.
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

/// The environment of a child, out of the user's own.
pub fn environment(own: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let mut allowed: Vec<&str> = PROTOCOLS.to_vec();
    let mut kept = Vec::new();
    for (key, value) in own {
        if key == "GIT_ALLOW_PROTOCOL" {
            // The user may allow less, never more.
            let wanted = value.to_string_lossy();
            allowed.retain(|protocol| wanted.split(':').any(|word| word == *protocol));
        } else if passes(&key) {
            kept.push((key, value));
        }
    }
    kept.extend(FIXED.map(|(key, value)| (key.into(), value.into())));
    kept.push(("GIT_ALLOW_PROTOCOL".into(), allowed.join(":").into()));
    kept
}

fn passes(key: &OsStr) -> bool {
    let Some(key) = key.to_str() else { return true };
    if LEFT_OUT.contains(&key) {
        return false;
    }
    !key.starts_with("GIT_")
        || KEPT.contains(&key)
        || KEPT_BEGINNINGS.iter().any(|beginning| key.starts_with(beginning))
}

/// The words between `git` and its command.
pub fn words() -> impl Iterator<Item = &'static str> {
    let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
    settings.chain(["--no-pager", "--no-optional-locks", "--no-replace-objects"])
}

/// The settings as variables, for a program that starts git itself.
pub fn variables() -> Vec<(OsString, OsString)> {
    numbered(SETTINGS.iter().filter_map(|setting| setting.split_once('=')))
}

fn numbered<'a>(settings: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(OsString, OsString)> {
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

/// Settings against what a repository's configuration names by a name of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    settings: Vec<(String, String)>,
    filters: BTreeSet<String>,
}

impl Overrides {
    /// By the answer to [`QUESTION`], or to [`OLD_QUESTION`] if not `scoped`. The user's own choice of a program that
    /// connects or signs in stays; that of a repository does not count.
    pub fn parse(answer: &[u8], scoped: bool) -> Self {
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        let mut fields = answer.split(|byte| *byte == 0);
        while let Some(field) = fields.next() {
            let (scope, entry) =
                if scoped { (field, fields.next().unwrap_or_default()) } else { (&b""[..], field) };
            let entry = String::from_utf8_lossy(entry);
            let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
            let list = if matches!(scope, b"system" | b"global") { &mut own } else { &mut foreign };
            list.push((key.to_owned(), value.to_owned()));
        }
        let mut found = Self::default();
        let mut names = BTreeSet::new();
        for (key, _) in own.iter().chain(&foreign) {
            let Some((section, rest)) = key.split_once('.') else { continue };
            let Some((name, last)) = rest.rsplit_once('.') else { continue };
            match (section, last) {
                ("filter", _) => drop(found.filters.insert(name.to_owned())),
                ("hook", _) => drop(names.insert((format!("hook.{name}.enabled"), "false"))),
                ("merge", "driver") => drop(names.insert((key.clone(), "false"))),
                ("remote", "uploadpack") => drop(names.insert((key.clone(), UPLOAD_PACK))),
                _ => {}
            }
        }
        for name in &found.filters {
            for (last, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                found.settings.push((format!("filter.{name}.{last}"), value.to_owned()));
            }
        }
        found.settings.extend(names.into_iter().map(|(key, value)| (key, value.to_owned())));
        found.connect(&own, &foreign);
        for key in FILES.iter().filter(|key| foreign.iter().any(|(named, _)| named == *key)) {
            let value = own.iter().rfind(|(named, _)| named == key).map_or("/dev/null", |(_, value)| value);
            found.settings.push(((*key).to_owned(), value.to_owned()));
        }
        found
    }

    /// How to connect and to sign in: as the user says, whatever the repository does.
    fn connect(&mut self, own: &[(String, String)], foreign: &[(String, String)]) {
        const SSH: &str = "core.sshcommand";
        if foreign.iter().any(|(key, _)| key == SSH) {
            let ssh = own.iter().rfind(|(key, _)| key == SSH).map_or("ssh", |(_, value)| value);
            self.settings.push((SSH.to_owned(), ssh.to_owned()));
        }
        let is_helper = |key: &str| key.starts_with("credential.") && key.ends_with(".helper");
        let helpers = foreign.iter().filter(|(key, _)| is_helper(key));
        // An empty value ends the list that was gathered before.
        let mut resets: Vec<_> = helpers.map(|(key, _)| (key.clone(), String::new())).collect();
        if !resets.is_empty() {
            resets.insert(0, ("credential.helper".to_owned(), String::new()));
            self.settings.append(&mut resets);
            self.settings.extend(own.iter().filter(|(key, _)| is_helper(key)).cloned());
        }
    }

    /// The filters that the configuration names, which are off.
    pub fn filters(&self) -> impl Iterator<Item = &str> {
        self.filters.iter().map(String::as_str)
    }

    /// The words between `git` and its command.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let plain = self.settings.iter().filter(|(key, _)| !key.contains('='));
        plain.flat_map(|(key, value)| ["-c".to_owned(), format!("{key}={value}")])
    }

    /// The same for names that words cannot say.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let settings = self.settings.iter().filter(|(key, _)| key.contains('='));
        numbered(settings.map(|(key, value)| (key.as_str(), value.as_str())))
    }

    /// The program for a call that is printed, with the settings that words cannot say.
    pub fn program(&self) -> impl Iterator<Item = String> {
        let variables = self.variables();
        let environment = if variables.is_empty() { None } else { Some("env".to_owned()) };
        let pair = |(key, value): (OsString, OsString)| {
            format!("{}={}", key.to_string_lossy(), value.to_string_lossy())
        };
        environment.into_iter().chain(variables.into_iter().map(pair)).chain(["git".to_owned()])
    }

    /// A call of git with the settings before its command.
    pub fn apply(&self, command: Command) -> Command {
        command.environment(self.variables()).arguments(words()).arguments(self.words())
    }
}

/// Files that git reads, wherever they lie: a repository may name a pipe or a device.
const FILES: [&str; 3] = ["core.attributesfile", "core.excludesfile", "diff.orderfile"];

/// The program at the other end of a fetch.
pub const UPLOAD_PACK: &str = "git-upload-pack";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_hooks_and_drivers_are_off_by_name() {
        let answer = b"global\0filter.lfs.clean\ngit-lfs\0local\0filter.a.b=c.process\nevil\0local\0core.bare\nfalse\0\
            local\0remote.o.uploadpack\nevil\0local\0merge.x.driver\nevil\0local\0hook.h.command\nevil\0";
        let found = Overrides::parse(answer, true);
        let words: Vec<String> = found.words().filter(|word| word != "-c").collect();
        assert_eq!(found.filters().collect::<Vec<_>>(), ["a.b=c", "lfs"]);
        for word in
            ["filter.lfs.clean=", "filter.lfs.process=", "filter.lfs.required=false", "hook.h.enabled=false"]
        {
            assert!(words.iter().any(|found| found == word), "{word}: {words:?}");
        }
        assert!(words.contains(&"remote.o.uploadpack=git-upload-pack".to_owned()));
        assert!(words.contains(&"merge.x.driver=false".to_owned()));
        assert!(!words.iter().any(|word| word.contains("b=c")), "{words:?}");
        assert!(found.variables().contains(&("GIT_CONFIG_KEY_2".into(), "filter.a.b=c.process".into())));
        assert!(found.variables().contains(&("GIT_CONFIG_COUNT".into(), "4".into())));
    }

    #[test]
    fn the_users_own_way_to_connect_stays_and_the_repositorys_goes() {
        let answer = b"global\0core.sshcommand\nssh -i key\0global\0credential.https://a.helper\nstore\0\
            local\0core.sshcommand\nevil\0local\0credential.helper\n!evil\0";
        let found = Overrides::parse(answer, true);
        let words: Vec<String> = found.words().filter(|word| word != "-c").collect();
        assert_eq!(
            words,
            [
                "core.sshcommand=ssh -i key",
                "credential.helper=",
                "credential.helper=",
                "credential.https://a.helper=store"
            ]
        );
        assert_eq!(Overrides::parse(b"global\0credential.helper\nstore\0", true), Overrides::default());
        assert_eq!(
            Overrides::parse(b"core.sshcommand\nevil\0", false).words().last().unwrap(),
            "core.sshcommand=ssh"
        );
    }

    #[test]
    fn files_that_a_repository_names_are_not_read() {
        let answer = b"global\0core.excludesfile\n~/own\0local\0core.excludesfile\n/pipe\0local\0diff.orderfile\n/dev/zero\0";
        let words: Vec<String> = Overrides::parse(answer, true).words().filter(|word| word != "-c").collect();
        assert_eq!(words, ["core.excludesfile=~/own", "diff.orderfile=/dev/null"]);
    }

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
