//! Overrides for configuration keys with arbitrary names, such as those of filters, in a repository's configuration.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;

use super::settings::{UPLOAD_PACK, numbered, words};
use crate::order;
use crate::process::ChildCommand;

/// Overrides for keys with arbitrary names in a repository's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitOverrides {
    settings: Vec<(String, String)>,
    filters: BTreeSet<String>,
}

/// A key of the configuration that is not UTF-8, in a printable form. It cannot be overridden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableKey(pub String);

impl UnreadableKey {
    /// How to fix it.
    pub const HELP: &str = "rename it, or remove it";
}

impl fmt::Display for UnreadableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key `{}` of git's configuration is not UTF-8", self.0)
    }
}

impl GitOverrides {
    /// Parses git's list of its configuration, with the scope of each key if `scoped`. The user's own programs for
    /// connections and credentials are kept; those of a repository are not.
    ///
    /// # Errors
    /// When a key is not UTF-8.
    pub fn parse(answer: &[u8], scoped: bool) -> Result<Self, UnreadableKey> {
        let (mut own, mut foreign) = (Vec::new(), Vec::new());
        let mut fields = answer.split(|byte| *byte == 0);
        while let Some(field) = fields.next() {
            let (scope, entry) =
                if scoped { (field, fields.next().unwrap_or_default()) } else { (&b""[..], field) };
            let end = entry.iter().position(|byte| *byte == b'\n').unwrap_or(entry.len());
            let (key, value) = (&entry[..end], entry.get(end + 1..).unwrap_or_default());
            let Ok(key) = std::str::from_utf8(key) else {
                return Err(UnreadableKey(String::from_utf8_lossy(key).into_owned()));
            };
            let list = if matches!(scope, b"system" | b"global") { &mut own } else { &mut foreign };
            list.push((key.to_owned(), String::from_utf8_lossy(value).into_owned()));
        }
        let mut found = Self::default();
        let mut names = BTreeSet::new();
        for (key, _) in own.iter().chain(&foreign) {
            let Some((section, rest)) = key.split_once('.') else { continue };
            let Some((name, last)) = rest.rsplit_once('.') else { continue };
            match (section, last) {
                ("filter", _) => drop(found.filters.insert(name.to_owned())),
                ("hook", _) => drop(names.insert((format!("hook.{name}.enabled"), "false"))),
                // They can keep a merge from being committed, or have it discard one side.
                ("branch", "mergeoptions") => drop(names.insert((key.clone(), ""))),
                ("merge", "driver") => drop(names.insert((key.clone(), "false"))),
                ("remote", "uploadpack") => drop(names.insert((key.clone(), UPLOAD_PACK))),
                ("remote", "proxy") => drop(names.insert((key.clone(), ""))),
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
        found.transfer(&own, &foreign);
        found.sign(&own, &foreign);
        for key in FILES.iter().filter(|key| foreign.iter().any(|(named, _)| named == *key)) {
            let value = own.iter().rfind(|(named, _)| named == key).map_or("/dev/null", |(_, value)| value);
            found.settings.push(((*key).to_owned(), value.to_owned()));
        }
        Ok(found)
    }

    /// Connections and credentials: the user's settings apply, not those of the repository.
    fn connect(&mut self, own: &[(String, String)], foreign: &[(String, String)]) {
        const SSH: &str = "core.sshcommand";
        if foreign.iter().any(|(key, _)| key == SSH) {
            let ssh = own.iter().rfind(|(key, _)| key == SSH).map_or("ssh", |(_, value)| value);
            self.settings.push((SSH.to_owned(), ssh.to_owned()));
        }
        let is_helper = |key: &str| key.starts_with("credential.") && key.ends_with(".helper");
        let helpers = foreign.iter().filter(|(key, _)| is_helper(key));
        // An empty value resets the list.
        let mut resets: Vec<_> = helpers.map(|(key, _)| (key.clone(), String::new())).collect();
        if !resets.is_empty() {
            resets.insert(0, ("credential.helper".to_owned(), String::new()));
            self.settings.append(&mut resets);
            self.settings.extend(own.iter().filter(|(key, _)| is_helper(key)).cloned());
        }
    }

    /// Commits are signed by the user's programs, not by those of a repository.
    fn sign(&mut self, own: &[(String, String)], foreign: &[(String, String)]) {
        for (key, usual) in SIGNING.iter().filter(|(key, _)| foreign.iter().any(|(named, _)| named == key)) {
            let value = own.iter().rfind(|(named, _)| named == key).map_or(*usual, |(_, value)| value);
            self.settings.push(((*key).to_owned(), value.to_owned()));
        }
    }

    /// Network transfers use the certificates, cookies and proxies of the user: a key in the repository's configuration
    /// may name a file to read, send or write, for one URL or for all.
    fn transfer(&mut self, own: &[(String, String)], foreign: &[(String, String)]) {
        let of_user =
            |key: &str| own.iter().rfind(|(named, _)| named == key).map(|(_, value)| value.as_str());
        let http = foreign.iter().filter_map(|(key, _)| {
            let (_, last) = key.strip_prefix("http.").map(|_| key.rsplit_once('.'))??;
            let (_, neutral) = HTTP.iter().find(|(name, _)| *name == last)?;
            let value = of_user(key).or_else(|| of_user(&format!("http.{last}"))).unwrap_or(neutral);
            Some((key.clone(), value.to_owned()))
        });
        let mut http: Vec<_> = http.collect();
        order::sort(&mut http);
        http.dedup();
        self.settings.append(&mut http);
        // Git reads the file that this key names, and prints its first line in an error.
        if foreign.iter().any(|(key, _)| key == "fetch.fsck.skiplist") {
            for key in ["fetch.fsckobjects", "transfer.fsckobjects"] {
                self.settings.push((key.to_owned(), "false".to_owned()));
            }
        }
    }

    /// The filters that the configuration names, which are disabled.
    pub fn filters(&self) -> impl Iterator<Item = &str> {
        self.filters.iter().map(String::as_str)
    }

    /// The arguments between `git` and its command.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let plain = self.settings.iter().filter(|(key, _)| !key.contains('='));
        plain.flat_map(|(key, value)| ["-c".to_owned(), format!("{key}={value}")])
    }

    /// The environment variables for settings that cannot be passed as arguments.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let settings = self.settings.iter().filter(|(key, _)| key.contains('='));
        numbered(settings.map(|(key, value)| (key.as_str(), value.as_str())))
    }

    /// The program for a printed command line, with the settings that cannot be passed as arguments.
    pub fn program(&self) -> impl Iterator<Item = String> {
        let variables = self.variables();
        let environment = if variables.is_empty() { None } else { Some("env".to_owned()) };
        let pair = |(key, value): (OsString, OsString)| {
            format!("{}={}", key.to_string_lossy(), value.to_string_lossy())
        };
        environment.into_iter().chain(variables.into_iter().map(pair)).chain(["git".to_owned()])
    }

    /// A call of git with the settings before its command.
    pub fn apply(&self, command: ChildCommand) -> ChildCommand {
        command.environment(self.variables()).arguments(words()).arguments(self.words())
    }
}

/// Settings for files that git reads from any path: a repository may name a pipe or a device.
const FILES: [&str; 4] = ["core.attributesfile", "core.excludesfile", "diff.orderfile", "mailmap.file"];

/// Settings for programs that sign, with the usual ones.
const SIGNING: [(&str, &str); 5] = [
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultkeycommand", ""),
];

/// Settings for what a transfer reads, writes, contacts or trusts, with neutral values.
const HTTP: [(&str, &str); 18] = [
    ("cookiefile", ""),
    ("curloptresolve", ""),
    ("delegation", "none"),
    ("emptyauth", "false"),
    ("pinnedpubkey", ""),
    ("proxy", ""),
    ("proxyauthmethod", "anyauth"),
    ("proxysslcainfo", ""),
    ("proxysslcert", ""),
    ("proxysslcertpasswordprotected", "false"),
    ("proxysslkey", ""),
    ("savecookies", "false"),
    ("sslcainfo", ""),
    ("sslcapath", ""),
    ("sslcert", ""),
    ("sslcertpasswordprotected", "false"),
    ("sslkey", ""),
    ("sslverify", "true"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_hooks_and_drivers_are_off_by_name() {
        let answer = b"global\0filter.lfs.clean\ngit-lfs\0local\0filter.a.b=c.process\nevil\0local\0core.bare\nfalse\0\
            local\0remote.o.uploadpack\nevil\0local\0merge.x.driver\nevil\0local\0hook.h.command\nevil\0local\0branch.f/x.mergeoptions\n-s ours\0";
        let found = GitOverrides::parse(answer, true).unwrap();
        let words: Vec<String> = found.words().filter(|word| word != "-c").collect();
        assert_eq!(found.filters().collect::<Vec<_>>(), ["a.b=c", "lfs"]);
        for word in
            ["filter.lfs.clean=", "filter.lfs.process=", "filter.lfs.required=false", "hook.h.enabled=false"]
        {
            assert!(words.iter().any(|found| found == word), "{word}: {words:?}");
        }
        assert!(words.contains(&"remote.o.uploadpack=git-upload-pack".to_owned()));
        assert!(words.contains(&"merge.x.driver=false".to_owned()));
        assert!(words.contains(&"branch.f/x.mergeoptions=".to_owned()));
        assert!(!words.iter().any(|word| word.contains("b=c")), "{words:?}");
        assert!(found.variables().contains(&("GIT_CONFIG_KEY_2".into(), "filter.a.b=c.process".into())));
        assert!(found.variables().contains(&("GIT_CONFIG_COUNT".into(), "4".into())));
    }

    #[test]
    fn the_users_own_way_to_connect_stays_and_the_repositorys_goes() {
        let answer = b"global\0core.sshcommand\nssh -i key\0global\0credential.https://a.helper\nstore\0\
            local\0core.sshcommand\nevil\0local\0credential.helper\n!evil\0";
        let found = GitOverrides::parse(answer, true).unwrap();
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
        assert_eq!(
            GitOverrides::parse(b"global\0credential.helper\nstore\0", true),
            Ok(GitOverrides::default())
        );
        assert_eq!(
            GitOverrides::parse(b"core.sshcommand\nevil\0", false).unwrap().words().last().unwrap(),
            "core.sshcommand=ssh"
        );
    }

    #[test]
    fn a_key_that_is_not_utf_8_is_none_that_can_be_answered() {
        let answer = b"local\0filter.\xff.clean\nevil\0";
        assert_eq!(GitOverrides::parse(answer, true), Err(UnreadableKey("filter.\u{fffd}.clean".to_owned())));
        assert!(GitOverrides::parse(b"local\0core.editor\n\xff\0", true).is_ok());
    }

    #[test]
    fn files_that_a_repository_names_are_not_read() {
        let answer = b"global\0core.excludesfile\n~/own\0local\0core.excludesfile\n/pipe\0local\0diff.orderfile\n/dev/zero\0";
        let words: Vec<String> =
            GitOverrides::parse(answer, true).unwrap().words().filter(|word| word != "-c").collect();
        assert_eq!(words, ["core.excludesfile=~/own", "diff.orderfile=/dev/null"]);
    }

    #[test]
    fn a_repository_names_no_program_that_signs() {
        let answer =
            b"global\0gpg.program\n/own/gpg\0local\0gpg.program\nevil\0local\0gpg.ssh.program\nevil\0";
        let words: Vec<String> =
            GitOverrides::parse(answer, true).unwrap().words().filter(|word| word != "-c").collect();
        assert_eq!(words, ["gpg.program=/own/gpg", "gpg.ssh.program=ssh-keygen"]);
        assert_eq!(
            GitOverrides::parse(b"global\0gpg.program\n/own/gpg\0", true),
            Ok(GitOverrides::default())
        );
    }

    #[test]
    fn a_transfer_reads_writes_and_sends_no_file_that_a_repository_names() {
        let answer = b"global\0http.sslcainfo\n/corp/ca\0local\0http.savecookies\ntrue\0local\0http.cookiefile\n~/.bashrc\0\
            local\0http.https://A.example/x.y/.cookiefile\n/etc/passwd\0local\0http.https://a/.sslcainfo\n/evil\0\
            local\0http.sslverify\nfalse\0local\0http.https://github.com/.extraheader\nAUTHORIZATION: basic x\0\
            worktree\0http.proxy\nevil\0local\0remote.o.proxy\nevil\0local\0fetch.fsck.skiplist\n/etc/passwd\0";
        let words: Vec<String> =
            GitOverrides::parse(answer, true).unwrap().words().filter(|word| word != "-c").collect();
        assert_eq!(
            words,
            [
                "remote.o.proxy=",
                "http.cookiefile=",
                "http.https://A.example/x.y/.cookiefile=",
                "http.https://a/.sslcainfo=/corp/ca",
                "http.proxy=",
                "http.savecookies=false",
                "http.sslverify=true",
                "fetch.fsckobjects=false",
                "transfer.fsckobjects=false"
            ]
        );
        assert_eq!(
            GitOverrides::parse(b"global\0http.cookiefile\n~/own\0", true),
            Ok(GitOverrides::default())
        );
    }
}
