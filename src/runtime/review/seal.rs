//! What this program wrote of a run, and which replies it merged, by hash, in a file of the store that no agent is told
//! to write and that bears this user's mark: a document of a run that something else changed is refused, and a reply that changed after it was merged is
//! in the way of the best verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::merge::{self, CONTEXT};
use super::reviewers;
use super::run_folder::{OWN, REPLIES, RunFolder, WORKFLOW, text};
use crate::disk::{self, Kind};
use crate::runtime::answer::{Failure, REFUSED};
use crate::runtime::store::{Mark, Step, Store, seal_path};

const SCHEMA: &str = "plugcast.review-seal/1";

/// What to do with a run that this machine's key does not vouch for.
pub(super) const OTHER_KEY: &str = "it was begun with another key (another home, or a sandbox) or changed since: to clear it, run `plugcast-run review begin --stdin --take-over`";

/// What this program wrote of a run, and what it merged.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seal {
    schema: String,
    /// Documents by name, with the sha256 of their text.
    documents: BTreeMap<String, String>,
    /// Replies by their path below the run, as they were merged last.
    replies: BTreeMap<String, Reply>,
    /// Replies that were merged once and are not there any more as they were.
    lost: BTreeSet<String>,
    /// The sha256 of what the caller wrote beside the replies, as it was merged last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    /// By which it is known again.
    #[serde(default)]
    mark: Mark,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    sha256: String,
    /// Whether it could be read.
    read: bool,
}

impl Seal {
    /// The seal of a run; an empty one where there is none that this user wrote here.
    pub(super) fn stored(store: &Store, run: &str) -> Result<Self, Failure> {
        let text = store.text(&seal_path(WORKFLOW, run))?;
        let Some(mut seal) = text.and_then(|text| serde_json::from_str::<Self>(&text).ok()) else {
            return Ok(Self::default());
        };
        let mark = std::mem::take(&mut seal.mark);
        let own = store.has_marked(SCHEMA, &seal.marked(run), &mark)?;
        Ok(if own { seal } else { Self::default() })
    }

    /// What the mark is of.
    fn marked(&self, run: &str) -> String {
        format!("{run}\n{}", text(self))
    }

    /// The same with the documents that are there now.
    pub(super) fn beside(self, now: Self) -> Self {
        Self { documents: now.documents, ..self }
    }

    /// The steps that write documents of a run and note them here.
    ///
    /// # Errors
    /// As [`Store::mark`].
    pub(super) fn steps(
        mut self,
        store: &Store,
        run: &str,
        documents: Vec<(&str, String)>,
    ) -> Result<Vec<Step>, Failure> {
        let folder = Path::new("runs").join(WORKFLOW).join(run);
        SCHEMA.clone_into(&mut self.schema);
        let mut steps = Vec::new();
        for (name, text) in documents {
            self.documents.insert(name.to_owned(), disk::sha256(text.as_bytes()));
            steps.push(Step::Write { path: folder.join(name), text });
        }
        self.mark = Mark::default();
        self.mark = store.mark(SCHEMA, &self.marked(run))?;
        // Before the documents: after a kill between two steps the journal writes the rest.
        steps.insert(0, Step::Write { path: seal_path(WORKFLOW, run), text: text(&self) });
        Ok(steps)
    }

    /// Refuses a document that is not as this program wrote it.
    pub(super) fn must_hold(&self, name: &str, path: &Path, text: &str) -> Result<(), Failure> {
        if self.documents.get(name) == Some(&disk::sha256(text.as_bytes())) {
            return Ok(());
        }
        let message = format!("`{}` is not as this program wrote it", path.display());
        let hint = match name {
            "run.json" => OTHER_KEY,
            _ => "run `plugcast-run review merge --run DIR` again, or begin again",
        };
        let failure = Failure::new(REFUSED, "untrusted_state", message, hint);
        Err(failure.at(path.display().to_string(), None, None))
    }

    /// The failure of a document that this program wrote and that is not there.
    pub(super) fn gone(&self, name: &str, path: &Path) -> Option<Failure> {
        self.documents.get(name)?;
        let message = format!("this program wrote `{}`, and it is gone", path.display());
        let failure = Failure::new(REFUSED, "untrusted_state", message, "begin again");
        Some(failure.at(path.display().to_string(), None, None))
    }

    /// Whether a reply of a round was merged and could be read.
    pub(super) fn has_replies(&self, round: u32) -> bool {
        self.of_round(round).any(|(_, reply)| reply.read)
    }

    /// Whether a reviewer replied in a round. Words that could not be read are in the way of the best verdict themselves.
    pub(super) fn has_reply(&self, reviewer: &str, round: u32) -> bool {
        self.of_round(round).any(|(path, _)| whose(path).is_some_and(|(_, name)| name == reviewer))
    }

    /// The replies of a round that were merged, by their paths.
    fn of_round(&self, round: u32) -> impl Iterator<Item = (&String, &Reply)> {
        let folder = if round == 1 { REPLIES.to_owned() } else { format!("{REPLIES}/round-{round}") };
        let is_own = move |path: &str| path.rsplit_once('/').is_some_and(|(own, _)| own == folder);
        self.replies.iter().filter(move |(path, _)| is_own(path))
    }

    /// Notes the replies that are merged now; `unread` are those that cannot be read, by round and name. A reply is
    /// never written again: what its writer says when asked stands in a file of its own.
    pub(super) fn merged(
        &mut self,
        folder: &RunFolder,
        unread: &[(u32, Option<String>)],
    ) -> Result<(), Failure> {
        let now = replies(folder, unread)?;
        for (path, before) in std::mem::take(&mut self.replies) {
            match now.get(&path) {
                Some(reply) if reply.sha256 == before.sha256 => {}
                // What was of nobody, or stands under another name, may go.
                None if !before.read && (!is_of_reviewer(&path) || has_other(&now, &path)) => {}
                _ => drop(self.lost.insert(path)),
            }
        }
        self.replies = now;
        self.context = context(folder)?;
        Ok(())
    }

    /// What stands in the way of the best verdict: replies that were merged and have changed since, or came later.
    pub(super) fn obstacles(&self, folder: &RunFolder) -> Result<Vec<String>, Failure> {
        let mut obstacles = self.lost();
        let now = replies(folder, &[])?;
        for (path, reply) in &now {
            match self.replies.get(path) {
                Some(before) if before.sha256 == reply.sha256 => {}
                Some(_) => obstacles.push(format!("`{path}` was changed after it was merged")),
                None => obstacles.push(format!("`{path}` was written after the replies were merged")),
            }
        }
        if self.context != context(folder)? {
            obstacles.push(format!("`{REPLIES}/{CONTEXT}` is not as it was merged: merge again"));
        }
        obstacles.extend(self.strangers(folder)?);
        let gone = self.replies.keys().filter(|path| !now.contains_key(*path));
        obstacles.extend(gone.map(|path| format!("`{path}` was removed after it was merged")));
        Ok(obstacles)
    }

    /// Files in the folder of the run that this program did not write and that no merge reads.
    pub(super) fn strangers(&self, folder: &RunFolder) -> Result<Vec<String>, Failure> {
        let is_own = |name: &str| match name.rsplit_once('.') {
            _ if name == REPLIES || self.wrote(name) => true,
            Some((stem, "json")) => OWN.contains(&stem),
            Some((stem, "patch")) => stem.starts_with("diff"),
            _ => name == "report.md" || name.starts_with('.'),
        };
        let listed = folder.store.list(&folder.path)?.into_iter().map(|(name, _)| name);
        let say = |name| {
            format!("`{name}` lies in the folder of the run, where no reply is read: move it to `{REPLIES}/`")
        };
        Ok(listed.filter(|name| !is_own(name)).map(say).collect())
    }

    /// Whether this program wrote a file of this name in the folder of the run.
    pub(super) fn wrote(&self, name: &str) -> bool {
        self.documents.contains_key(name)
    }

    /// What earlier merges read and later ones did not.
    pub(super) fn lost(&self) -> Vec<String> {
        let say = |path: &String| format!("`{path}` is not the reply that was merged before");
        self.lost.iter().map(say).collect()
    }
}

/// The sha256 of what the caller wrote beside the replies; none where there is nothing.
fn context(folder: &RunFolder) -> Result<Option<String>, Failure> {
    let bytes = folder.store.bytes(&folder.path.join(REPLIES).join(CONTEXT))?;
    Ok(bytes.map(|bytes| disk::sha256(&bytes)))
}

/// The folder and the reviewer of a reply, by its path.
fn whose(path: &str) -> Option<(&str, &'static str)> {
    let (folder, name) = path.rsplit_once('/')?;
    Some((folder, merge::whose(name.trim_start_matches('.'))?))
}

fn is_of_reviewer(path: &str) -> bool {
    whose(path).is_some()
}

/// Whether a name is that of a file, which may be written in another way.
fn is_same(name: &str, stem: &str) -> bool {
    name == stem || reviewers::meant(stem).is_some_and(|meant| meant == name)
}

/// Whether there is another reply of the same reviewer in the same round.
fn has_other(replies: &BTreeMap<String, Reply>, path: &str) -> bool {
    replies.keys().any(|other| whose(other) == whose(path))
}

/// Every file that may be a reply, by its path below the run.
fn replies(folder: &RunFolder, unread: &[(u32, Option<String>)]) -> Result<BTreeMap<String, Reply>, Failure> {
    let mut found = BTreeMap::new();
    for (round, replies) in folder.reply_folders()? {
        for (name, kind) in folder.store.list(&replies)? {
            let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
            if name.starts_with('.') && reviewers::meant(stem).is_none() {
                continue;
            }
            // The fixer answers after the merge, and the context is kept with the run.
            if kind == Kind::Folder || stem.is_empty() || matches!(stem, "fixer" | "context") {
                continue;
            }
            let file = replies.join(&name);
            // One that no reader takes costs its agent only.
            let bytes = match folder.store.bytes(&file) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(failure) => failure.error.message.into_bytes(),
            };
            let is_own = |(at, of): &(u32, Option<String>)| {
                *at == round && of.as_deref().is_some_and(|of| is_same(of, stem))
            };
            let path = file.strip_prefix(&folder.path).unwrap_or(&file).display().to_string();
            found.insert(path, Reply { sha256: disk::sha256(&bytes), read: !unread.iter().any(is_own) });
        }
    }
    Ok(found)
}
