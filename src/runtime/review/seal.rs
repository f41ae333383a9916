//! Records the hashes of merged replies in the seal of the run: a reply that changed after it was merged prevents the
//! best verdict.

use std::collections::BTreeMap;

use super::merge::{self, CONTEXT};
use super::reviewers;
use super::run_folder::{REPLIES, RESERVED_NAMES, RunFolder};
use crate::disk::{self, FileKind};
use crate::runtime::answer::CallFailure;
use crate::runtime::run::{RunSeal, SealedReply};

impl RunSeal {
    /// Whether a reply of a round was merged and could be read.
    pub(super) fn has_replies(&self, round: u32) -> bool {
        self.replies_of_round(round).any(|(_, reply)| reply.read)
    }

    /// Whether a reviewer replied in a round. An unreadable reply counts here; it is an obstacle by itself.
    pub(super) fn has_reply(&self, reviewer: &str, round: u32) -> bool {
        self.replies_of_round(round)
            .any(|(path, _)| folder_and_reviewer(path).is_some_and(|(_, name)| name == reviewer))
    }

    /// The merged replies of a round, by path.
    fn replies_of_round(&self, round: u32) -> impl Iterator<Item = (&String, &SealedReply)> {
        let folder = if round == 1 { REPLIES.to_owned() } else { format!("{REPLIES}/round-{round}") };
        let is_own = move |path: &str| path.rsplit_once('/').is_some_and(|(own, _)| own == folder);
        self.replies.iter().filter(move |(path, _)| is_own(path))
    }

    /// Records the replies that are merged now; `unread` are the unreadable ones, by round and name. A reply is never
    /// overwritten: a follow-up has a separate file.
    pub(super) fn merged(
        &mut self,
        folder: &RunFolder,
        unread: &[(u32, Option<String>)],
    ) -> Result<(), CallFailure> {
        let now = replies(folder, unread)?;
        for (path, before) in std::mem::take(&mut self.replies) {
            match now.get(&path) {
                Some(reply) if reply.sha256 == before.sha256 => {}
                // A file of no reviewer, or one that was renamed, may disappear.
                None if !before.read && (!is_of_reviewer(&path) || has_other(&now, &path)) => {}
                _ => drop(self.lost.insert(path)),
            }
        }
        self.replies = now;
        self.context = context(folder)?;
        Ok(())
    }

    /// The obstacles: replies that changed after they were merged, or were added later.
    pub(super) fn obstacles(&self, folder: &RunFolder) -> Result<Vec<String>, CallFailure> {
        let mut obstacles = self.replaced_replies();
        let now = replies(folder, &[])?;
        for (path, reply) in &now {
            match self.replies.get(path) {
                Some(before) if before.sha256 == reply.sha256 => {}
                Some(_) => obstacles.push(format!("`{path}` was changed after it was merged")),
                None => obstacles.push(format!("`{path}` was written after the replies were merged")),
            }
        }
        if self.context != context(folder)? {
            obstacles.push(format!("`{REPLIES}/{CONTEXT}` has changed since it was merged: merge again"));
        }
        obstacles.extend(self.unsealed_files(folder)?);
        let gone = self.replies.keys().filter(|path| !now.contains_key(*path));
        obstacles.extend(gone.map(|path| format!("`{path}` was removed after it was merged")));
        Ok(obstacles)
    }

    /// Files in the folder of the run that this program did not write and that no merge reads.
    pub(super) fn unsealed_files(&self, folder: &RunFolder) -> Result<Vec<String>, CallFailure> {
        let is_own = |name: &str| match name.rsplit_once('.') {
            _ if name == REPLIES || self.has_written(name) => true,
            Some((stem, "json")) => RESERVED_NAMES.contains(&stem),
            Some((stem, "patch")) => stem.starts_with("diff"),
            _ => name == "report.md" || name.starts_with('.'),
        };
        let listed = folder.store.list(&folder.path)?.into_iter().map(|(name, _)| name);
        let say = |name| {
            format!(
                "`{name}` is in the folder of the run, where replies are not read: move it to `{REPLIES}/`"
            )
        };
        Ok(listed.filter(|name| !is_own(name)).map(say).collect())
    }

    /// The obstacles for replies that earlier merges read and later ones did not.
    pub(super) fn replaced_replies(&self) -> Vec<String> {
        let say = |path: &String| format!("`{path}` is not the reply that was merged before");
        self.lost.iter().map(say).collect()
    }
}

/// The sha256 of the context file next to the replies; none if there is no such file.
fn context(folder: &RunFolder) -> Result<Option<String>, CallFailure> {
    let bytes = folder.store.bytes(&folder.path.join(REPLIES).join(CONTEXT))?;
    Ok(bytes.map(|bytes| disk::sha256(&bytes)))
}

/// The folder and the reviewer of a reply, by its path.
fn folder_and_reviewer(path: &str) -> Option<(&str, &'static str)> {
    let (folder, name) = path.rsplit_once('/')?;
    Some((folder, merge::reviewer_of(name.trim_start_matches('.'))?))
}

fn is_of_reviewer(path: &str) -> bool {
    folder_and_reviewer(path).is_some()
}

/// Whether a reviewer's name is that of a file, which may be spelled differently.
fn is_same(name: &str, stem: &str) -> bool {
    name == stem || reviewers::resolve_name(stem).is_some_and(|meant| meant == name)
}

/// Whether there is another reply of the same reviewer in the same round.
fn has_other(replies: &BTreeMap<String, SealedReply>, path: &str) -> bool {
    replies.keys().any(|other| folder_and_reviewer(other) == folder_and_reviewer(path))
}

/// Every file that may be a reply, by its path below the run.
fn replies(
    folder: &RunFolder,
    unread: &[(u32, Option<String>)],
) -> Result<BTreeMap<String, SealedReply>, CallFailure> {
    let mut found = BTreeMap::new();
    for (round, replies) in folder.reply_folders()? {
        for (name, kind) in folder.store.list(&replies)? {
            let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
            if name.starts_with('.') && reviewers::resolve_name(stem).is_none() {
                continue;
            }
            // The fixer replies after the merge, and the context is stored with the run.
            if kind == FileKind::Folder || stem.is_empty() || matches!(stem, "fixer" | "context") {
                continue;
            }
            let file = replies.join(&name);
            // An unreadable file only affects its own agent.
            let bytes = match folder.store.bytes(&file) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(failure) => failure.error.message.into_bytes(),
            };
            let is_own = |(at, of): &(u32, Option<String>)| {
                *at == round && of.as_deref().is_some_and(|of| is_same(of, stem))
            };
            let path = file.strip_prefix(&folder.path).unwrap_or(&file).display().to_string();
            found
                .insert(path, SealedReply { sha256: disk::sha256(&bytes), read: !unread.iter().any(is_own) });
        }
    }
    Ok(found)
}
