//! Runs `git diff` once for both the list and the diff, and reads them as they arrive. Git compares one file after
//! another, so for a large change further calls start in the middle of the list in parallel, up to one per processor.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::ChangeRequest;
use super::file_list::{FileListEntry, FileListReader};
use super::lines::{DiffReader, LineCount, PieceOutcome};
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::git::Repository;

/// The number of files that is worth a separate call of git.
const FILES_PER_CALL: usize = 4096;
/// More parallel calls than this gain nothing.
const MOST_CALLS: usize = 8;
/// How many pieces (64 KiB at most) of a later part are buffered while earlier parts are delivered.
const BUFFERED_PIECES: usize = 512;
/// The first version of git with `--skip-to`.
const SKIP_TO_VERSION: (u32, u32) = (2, 31);

/// Receives the diff in order; the header of a file is never split.
pub type DiffSink<'a> = dyn FnMut(&[u8]) -> Result<(), CallFailure> + 'a;

/// Reads git's output piece by piece, and breaks when it has enough.
type PieceReader<'a> = dyn FnMut(&[u8]) -> Result<ControlFlow<()>, CallFailure> + 'a;

/// What was read.
#[derive(Debug, Default)]
pub(super) struct ReadChange {
    pub(super) listed: Vec<FileListEntry>,
    pub(super) counts: Vec<LineCount>,
    /// The size of the diff.
    pub(super) bytes: u64,
}

/// A change that is read in parts.
struct PartReading<'a> {
    repository: &'a Repository,
    question: &'a ChangeRequest<'a>,
    /// The files, as soon as the first call has listed them.
    listed: OnceLock<Vec<FileListEntry>>,
    /// Whether the result is no longer needed.
    given_up: AtomicBool,
}

/// A part that is read from another call of git.
struct LaterPart<'scope> {
    thread: ScopedJoinHandle<'scope, Result<(Vec<LineCount>, u64), CallFailure>>,
    /// Its diff, if a sink receives it.
    pieces: Option<Receiver<Vec<u8>>>,
}

/// Reads the list and the diff; the diff also goes to `sink`. Once the list is complete, `wanted` decides whether to
/// read the rest; `None` if not.
///
/// # Errors
/// When git fails, or `sink`.
pub(super) fn read(
    repository: &Repository,
    question: &ChangeRequest<'_>,
    sink: Option<&mut DiffSink<'_>>,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Option<ReadChange>, CallFailure> {
    let reading =
        PartReading { repository, question, listed: OnceLock::new(), given_up: AtomicBool::new(false) };
    let read = thread::scope(|scope| {
        let read = reading.all(scope, sink, wanted);
        reading.given_up.store(!matches!(read, Ok(Some(_))), Ordering::SeqCst);
        read
    });
    let listed = reading.listed.into_inner().unwrap_or_default();
    Ok(read?.map(|(counts, bytes)| ReadChange { listed, counts, bytes }))
}

impl<'a> PartReading<'a> {
    /// Reads the first part, then the others in order.
    fn all<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut sink: Option<&mut DiffSink<'_>>,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<(Vec<LineCount>, u64)>, CallFailure> {
        let taken = sink.is_some();
        let mut bytes = 0;
        let mut out = |piece: &[u8]| {
            bytes += piece.len() as u64;
            sink.as_mut().map_or(Ok(()), |sink| sink(piece))
        };
        let (mut list, mut later, mut first, mut asked) = (FileListReader::default(), Vec::new(), None, None);
        self.stream(None, &mut |piece| {
            let Some(rest) = list.feed(piece).map_err(unexpected)? else {
                return Ok(ControlFlow::Continue(()));
            };
            let listed = self.listed.get_or_init(|| std::mem::take(&mut list.files));
            let lines = first.get_or_insert_with(|| {
                let begins = part_starts(self.repository, listed);
                let ends = begins.iter().skip(1).copied().chain([listed.len()]);
                later = begins
                    .iter()
                    .zip(ends)
                    .map(|(begin, end)| self.read_later_part(scope, *begin, end, taken))
                    .collect();
                DiffReader::new(0, begins.first().copied().unwrap_or(listed.len()))
            });
            // `wanted` is called only once.
            if *asked.get_or_insert_with(&mut *wanted) {
                pass(lines, listed, rest, &mut out)
            } else {
                Ok(ControlFlow::Break(()))
            }
        })?;
        if !asked.unwrap_or_else(&mut *wanted) {
            return Ok(None);
        }
        let Some(lines) = first else {
            return if list.is_empty() {
                Ok(Some((Vec::new(), 0)))
            } else {
                Err(unexpected(b"half a list".to_vec()))
            };
        };
        check_complete(&lines)?;
        let mut counts = lines.counts();
        let mut sizes = 0;
        for part in later {
            for piece in part.pieces.iter().flatten() {
                out(&piece)?;
            }
            let (more, size) = part.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            counts.extend(more);
            sizes += if taken { 0 } else { size };
        }
        Ok(Some((counts, bytes + sizes)))
    }

    /// Reads the files `begin..end` on a separate thread.
    fn read_later_part<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        begin: usize,
        end: usize,
        taken: bool,
    ) -> LaterPart<'scope> {
        let (send, pieces) = sync_channel(BUFFERED_PIECES);
        let send = taken.then_some(send);
        let thread = scope.spawn(move || self.read_part(begin, end, send.as_ref()));
        LaterPart { thread, pieces: taken.then_some(pieces) }
    }

    fn read_part(
        &self,
        begin: usize,
        end: usize,
        send: Option<&SyncSender<Vec<u8>>>,
    ) -> Result<(Vec<LineCount>, u64), CallFailure> {
        let listed = self.listed.get().map(Vec::as_slice).unwrap_or_default();
        let mut lines = DiffReader::new(begin, end);
        let mut bytes = 0;
        let mut out = |piece: &[u8]| {
            bytes += piece.len() as u64;
            // A closed channel means that the receiver failed; it reports why itself.
            send.map_or(Ok(()), |send| send.send(piece.to_vec()).map_err(|_| CallFailure::interrupted()))
        };
        self.stream(listed[begin].argument(), &mut |piece| {
            if self.given_up.load(Ordering::SeqCst) {
                return Ok(ControlFlow::Break(()));
            }
            pass(&mut lines, listed, piece, &mut out)
        })?;
        check_complete(&lines)?;
        Ok((lines.counts(), bytes))
    }

    /// Runs git, starting at the file `begin` if given; the list is only printed without it.
    fn stream(&self, begin: Option<String>, sink: &mut PieceReader<'_>) -> Result<(), CallFailure> {
        let command = self.repository.git(self.question.arguments(begin.as_deref()))?;
        let mut failed = None;
        self.repository.stream(&command, "diff", &mut |piece| {
            Ok(sink(piece).unwrap_or_else(|failure| {
                failed = Some(failure);
                ControlFlow::Break(())
            }))
        })?;
        failed.map_or(Ok(()), Err)
    }
}

/// Reads a piece of a part's diff, and forwards the complete lines that belong to it.
fn pass(
    lines: &mut DiffReader,
    listed: &[FileListEntry],
    piece: &[u8],
    out: &mut DiffSink<'_>,
) -> Result<ControlFlow<()>, CallFailure> {
    let mut all = lines.kept_bytes().to_vec();
    let (whole, flow) = match lines.feed(listed, piece) {
        PieceOutcome::All => (all.len() + piece.len() - lines.kept_bytes().len(), ControlFlow::Continue(())),
        PieceOutcome::EndsAfter(whole) => (whole, ControlFlow::Break(())),
        PieceOutcome::Unknown(line) => return Err(unexpected(line)),
    };
    if all.is_empty() {
        out(&piece[..whole])?;
    } else {
        all.extend_from_slice(piece);
        out(&all[..whole])?;
    }
    Ok(flow)
}

/// Checks that a part is complete: git may exit with 0 after a truncated write.
fn check_complete(lines: &DiffReader) -> Result<(), CallFailure> {
    if lines.is_whole() { Ok(()) } else { Err(unexpected(b"half a diff".to_vec())) }
}

fn unexpected(line: Vec<u8>) -> CallFailure {
    let message = format!("`git diff` gave an unexpected answer: {}", String::from_utf8_lossy(&line));
    CallFailure::environment(
        ErrorCode::GitUnexpected,
        message,
        "run it again when nothing else changes the files",
    )
}

/// The first file of each later part; none for a small change, one processor, or an old git.
fn part_starts(repository: &Repository, listed: &[FileListEntry]) -> Vec<usize> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let parts = processors.min(MOST_CALLS).min(listed.len() / FILES_PER_CALL);
    if parts < 2 || repository.version().is_none_or(|version| version < SKIP_TO_VERSION) {
        return Vec::new();
    }
    // The first part is larger, since every other call first walks all names again.
    let share = listed.len() * 20 / (parts * 20 + 3);
    let mut found: Vec<usize> = Vec::new();
    for part in 1..parts {
        let wanted = listed.len() - (parts - part) * share;
        let fits = |at: &usize| {
            matches!(listed[*at].status, 'A' | 'C' | 'D' | 'M' | 'R') && listed[*at].argument().is_some()
        };
        found.extend((wanted..listed.len()).find(fits).filter(|at| found.last() < Some(at)));
    }
    found
}
