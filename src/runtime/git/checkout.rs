//! Checkouts in the user's working tree, which is clean: no untracked file is lost, no filter runs, and a checkout that
//! fails half-way is rolled back.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{ChildOutput, Repository, line, path, records, short_commit};
use crate::disk::{self, FileKind};
use crate::process::interrupt;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::child;
use crate::runtime::error_code::ErrorCode;

/// How many names a note lists.
const MOST_NAMED: usize = 5;

/// The maximum number of paths per call.
const AT_ONCE: usize = 500;

/// What a switch to another commit changes.
#[derive(Default)]
struct CheckoutChanges {
    /// Paths that only the other commit has.
    added: Vec<PathBuf>,
    /// Paths that only this commit has.
    removed: BTreeSet<PathBuf>,
    /// The paths of this commit that match the index, each followed by a NUL.
    clean: Vec<u8>,
    /// The paths that the other commit has and that differ there: a switch writes all of them, also those whose times
    /// differ from the index.
    written: BTreeSet<PathBuf>,
}

/// The outcome of a merge.
pub enum MergeOutcome {
    /// It succeeded; the notes are those of a checkout.
    Merged(Vec<String>),
    /// It had conflicts.
    Conflict {
        /// In these files.
        names: Vec<String>,
        /// Whether the merge was rolled back.
        is_taken_back: bool,
    },
}

impl Repository {
    /// Checks `target` out by `git switch` with these words. The notes list the files that it wrote as git stores them,
    /// since no filter runs.
    ///
    /// # Errors
    /// `untracked_in_the_way`, or as [`Repository::must`].
    pub fn check_out(&self, words: &[&str], target: &str) -> Result<Vec<String>, CallFailure> {
        let changes = self.changes_to(target)?;
        self.must_overwrite_nothing(&changes, target)?;
        if let Err(failure) = self.move_by("switch", words) {
            self.put_back(&changes);
            return Err(failure);
        }
        self.must_be_complete(&changes)?;
        self.unfiltered(|name| changes.written.contains(&path(name)))
    }

    /// Whether a merge is in progress.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn is_merging(&self) -> Result<bool, CallFailure> {
        Ok(self.line(&["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])?.is_some())
    }

    /// The operation of git that was begun and not concluded, such as a rebase.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn operation(&self) -> Result<Option<&'static str>, CallFailure> {
        const REFS: [(&str, &str); 3] =
            [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")];
        const FILES: [(&str, &str); 5] = [
            ("rebase-merge", "rebase"),
            ("rebase-apply/applying", "`git am`"),
            ("rebase-apply", "rebase"),
            ("sequencer/todo", "cherry-pick or revert"),
            ("BISECT_LOG", "bisect"),
        ];
        let folder = self.top.join(path(line(&self.must(&["rev-parse", "--git-dir"])?)));
        if let Some((_, operation)) = FILES.iter().find(|(file, _)| disk::kind(&folder.join(file)).is_some())
        {
            return Ok(Some(operation));
        }
        for (name, operation) in REFS {
            if self.line(&["rev-parse", "--verify", "--quiet", name])?.is_some() {
                return Ok(Some(operation));
            }
        }
        Ok(None)
    }

    /// Merges the commit `target` by `git merge` with these words; `shared` is the merge base. A failed merge is rolled
    /// back, unless the user had already started one.
    ///
    /// # Errors
    /// As [`Repository::check_out`].
    pub fn merge(&self, words: &[&str], target: &str, shared: &str) -> Result<MergeOutcome, CallFailure> {
        let mut changes = self.changes_to(target)?;
        let listed = self.differences(shared, target, "--name-only")?;
        let theirs: BTreeSet<PathBuf> = records(&listed).map(path).collect();
        changes.added.retain(|added| theirs.contains(added));
        self.must_overwrite_nothing(&changes, target)?;
        let is_users = self.is_merging()?;
        let aside = self.set_aside_files()?;
        let Err(failure) = self.move_by("merge", words) else {
            let written = self
                .unfiltered(|name| theirs.contains(&path(name)) && changes.written.contains(&path(name)))?;
            return Ok(MergeOutcome::Merged(written));
        };
        if is_users {
            return Err(failure);
        }
        interrupt::set_aside(|| {
            let unmerged = self.ask(&["diff", "--name-only", "--diff-filter=U", "-z"]);
            let is_taken_back =
                self.ask_uninterrupted(&["merge", "--abort"]).is_ok_and(|ended| ended.succeeded());
            // Where one side has a folder, git keeps the other side's file under such a name.
            let left = self.set_aside_files().unwrap_or_default();
            let left = left.into_iter().filter(|name| is_taken_back && !aside.contains(name)).collect();
            self.put_back(&CheckoutChanges { added: left, ..CheckoutChanges::default() });
            let names: Vec<String> =
                unmerged.map(|all| records(&all.stdout).map(lossy).collect()).unwrap_or_default();
            if names.is_empty() {
                self.put_back(&changes);
                return Err(failure);
            }
            Ok(MergeOutcome::Conflict { names, is_taken_back })
        })
    }

    /// The untracked files with names such as `a~HEAD`.
    fn set_aside_files(&self) -> Result<BTreeSet<PathBuf>, CallFailure> {
        let listed = self.must(&[
            "ls-files",
            "-z",
            "--full-name",
            "--others",
            "--exclude-standard",
            "--",
            ":(top)*~*",
        ])?;
        Ok(records(&listed).map(path).collect())
    }

    /// Refuses a switch that left files behind, as where one cannot be written: git reports that as success.
    fn must_be_complete(&self, changes: &CheckoutChanges) -> Result<(), CallFailure> {
        let differing = self.must(&["diff-files", "-z", "--name-only", "--ignore-submodules"])?;
        let clean: BTreeSet<&[u8]> = records(&changes.clean).collect();
        let mut left: Vec<PathBuf> = records(&differing)
            .filter(|name| clean.contains(name) || changes.added.contains(&path(name)))
            .map(path)
            .collect();
        let is_there =
            |name: &&PathBuf| !matches!(disk::kind(&self.top.join(name)), None | Some(FileKind::Folder));
        // Where names differ in case alone, one file may have both.
        let lower = |name: &Path| name.to_string_lossy().to_lowercase();
        let added: BTreeSet<String> = changes.added.iter().map(|name| lower(name)).collect();
        left.extend(
            changes.removed.iter().filter(is_there).filter(|name| !added.contains(&lower(name))).cloned(),
        );
        if left.is_empty() {
            return Ok(());
        }
        let names = name_list(&left.iter().map(|path| path.display().to_string()).collect::<Vec<_>>());
        let message = format!("`git switch` could not write or remove these files: {names}");
        let hint = "make them and their folders writable, then run `git switch -` and `git status`";
        Err(CallFailure::environment(ErrorCode::GitFailed, message, hint))
    }

    /// Runs a command that changes the working tree, uninterrupted: a kill half-way would leave a part of the target,
    /// and a lock.
    fn move_by(&self, verb: &str, words: &[&str]) -> Result<(), CallFailure> {
        let ended = self.ask_uninterrupted(&[&[verb, "--quiet"][..], words].concat());
        self.command.forget_overrides();
        let ended = ended?;
        if ended.succeeded() {
            return Ok(());
        }
        let failure = self.failed(verb, &ended);
        let is_filtered = ended.stderr_text().contains("local changes") && !self.filters()?.is_empty();
        let hint = "a file with a filter, which is not run here, may count as changed: run `git status`, and begin again";
        Err(if is_filtered { failure.with_hint(hint) } else { failure })
    }

    /// The output of a command that an interrupt does not end.
    ///
    /// # Errors
    /// As [`Repository::ask`].
    pub fn ask_uninterrupted(&self, words: &[&str]) -> Result<ChildOutput, CallFailure> {
        child::run(&self.environment, "git", &self.git(words.iter().copied())?.uninterrupted())
    }

    fn differences(&self, from: &str, to: &str, format: &str) -> Result<Vec<u8>, CallFailure> {
        self.must(&["diff-tree", "-r", "-z", "--no-renames", format, from, to, "--"])
    }

    fn changes_to(&self, target: &str) -> Result<CheckoutChanges, CallFailure> {
        let commit = self.must_commit(target)?;
        let listed = self.differences("HEAD", &commit, "--name-status")?;
        let edited = self.must(&["diff-files", "-z", "--name-only"])?;
        let edited: BTreeSet<&[u8]> = records(&edited).collect();
        let mut changes = CheckoutChanges::default();
        let mut fields = records(&listed);
        while let (Some(status), Some(name)) = (fields.next(), fields.next()) {
            if status != b"D" {
                changes.written.insert(path(name));
            }
            match status {
                b"A" => changes.added.push(path(name)),
                _ => {
                    if status == b"D" {
                        changes.removed.insert(path(name));
                    }
                    if !edited.contains(name) {
                        changes.clean.extend_from_slice(name);
                        changes.clean.push(0);
                    }
                }
            }
        }
        Ok(changes)
    }

    /// Refuses a checkout of `target` over files that git does not track.
    ///
    /// # Errors
    /// `untracked_in_the_way`, or as [`Repository::must`].
    pub fn must_lose_nothing(&self, target: &str) -> Result<(), CallFailure> {
        self.must_overwrite_nothing(&self.changes_to(target)?, target)
    }

    /// Refuses a checkout over untracked files: git silently overwrites ignored files and removes folders of them.
    fn must_overwrite_nothing(&self, changes: &CheckoutChanges, target: &str) -> Result<(), CallFailure> {
        let mut lost = BTreeSet::new();
        for added in &changes.added {
            let mut above: Vec<&Path> =
                added.ancestors().skip(1).filter(|path| *path != Path::new("")).collect();
            above.reverse();
            let untracked = |path: &&Path| {
                let kind = disk::kind(&self.top.join(path));
                !matches!(kind, None | Some(FileKind::Folder)) && !changes.removed.contains(*path)
            };
            let found = match disk::kind(&self.top.join(added)) {
                None => above.into_iter().find(untracked).map(Path::to_owned),
                Some(FileKind::Folder) => self.untracked_below(added)?,
                Some(_) => Some(added.clone()),
            };
            lost.extend(found);
        }
        let target = short_commit(target);
        self.must_change_no_hidden(changes, target)?;
        if lost.is_empty() {
            return Ok(());
        }
        let names = name_list(&lost.iter().map(|path| path.display().to_string()).collect::<Vec<_>>());
        let message = format!("`{target}` would overwrite files that git does not track here: {names}");
        let hint = "move them out of the working tree, or check the target out in a separate worktree and begin there";
        Err(CallFailure::new(REFUSED, ErrorCode::UntrackedInTheWay, message, hint))
    }

    /// Refuses a checkout over files that git was told not to look at: it overwrites their edits, or a rollback would.
    fn must_change_no_hidden(&self, changes: &CheckoutChanges, target: &str) -> Result<(), CallFailure> {
        let listed = self.must(&["ls-files", "-v", "-z", "--cached", "--full-name", "--", ":(top)"])?;
        let is_assumed = |record: &&[u8]| record.first().is_some_and(u8::is_ascii_lowercase);
        let assumed = records(&listed).filter(is_assumed).filter_map(|record| record.get(2..));
        let touched: BTreeSet<&[u8]> = records(&changes.clean).collect();
        let hidden: Vec<String> = assumed
            .filter(|name| touched.contains(name))
            .map(|name| path(name).display().to_string())
            .collect();
        if hidden.is_empty() {
            return Ok(());
        }
        let message =
            format!("`{target}` changes files that git assumes unchanged here: {}", name_list(&hidden));
        let hint =
            "run `git update-index --no-assume-unchanged` for them, then commit or stash their changes";
        Err(CallFailure::new(REFUSED, ErrorCode::Dirty, message, hint))
    }

    /// The first untracked file in a folder.
    fn untracked_below(&self, folder: &Path) -> Result<Option<PathBuf>, CallFailure> {
        let of_folder = format!(":(top,literal){}", folder.display());
        let listed = self.must(&["ls-files", "-z", "--full-name", "--others", "--", &of_folder])?;
        Ok(records(&listed).next().map(path))
    }

    /// Rolls back a failed checkout: restores this commit's files, and removes those that only the target has.
    fn put_back(&self, changes: &CheckoutChanges) {
        // The original failure is the one to report.
        for some in changes.added.chunks(AT_ONCE) {
            let words =
                ["--literal-pathspecs", "clean", "--quiet", "--force", "-x", "--"].map(OsString::from);
            let paths = some.iter().map(|path| path.clone().into_os_string());
            let _ = self
                .git(words.into_iter().chain(paths))
                .map(|call| child::run(&self.environment, "git", &call.uninterrupted()));
        }
        let words =
            ["--literal-pathspecs", "restore", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"];
        if !changes.clean.is_empty() {
            let call = self.git(words).map(|call| call.input(changes.clean.clone()).uninterrupted());
            let _ = call.map(|call| child::run(&self.environment, "git", &call));
        }
    }

    /// Notes of the filtered files that were just written.
    fn unfiltered(&self, is_written: impl Fn(&[u8]) -> bool) -> Result<Vec<String>, CallFailure> {
        let mut notes = Vec::new();
        for filter in self.overrides()?.filters() {
            let listed = self.ask(&["ls-files", "-z", "--", &format!(":(top,attr:filter={filter})")])?;
            let names: Vec<String> =
                records(&listed.stdout).filter(|name| is_written(name)).map(lossy).collect();
            if names.is_empty() {
                continue;
            }
            notes.push(format!(
                "the filter `{filter}` was not run: {} as git stores them. To have their content, remove \
                 them, and run `git checkout -- .`",
                name_list(&names)
            ));
        }
        Ok(notes)
    }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// The first names, and how many more there are.
fn name_list(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{}`{more}", names[..names.len().min(MOST_NAMED)].join("`, `"))
}
