//! The sources of replies: one file per reviewer in the folder of the run; sections of standard input without a run;
//! and, for other callers, files with one or several replies, or a list on standard input.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Options;
use super::context::MergeContext;
use crate::disk::{self, FileKind};
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::environment::Environment;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::review::reply::{self, AskedSentence, ReplyTerms, ReviewerReply};
use crate::runtime::review::reviewers;
use crate::runtime::review::run_folder::{REPLIES, RunFolder};
use crate::runtime::store::Store;

/// The return of one reviewer: its round, its name if known separately, and the reply or why there is none.
pub(super) struct ReplySource {
    pub(super) round: u32,
    pub(super) name: Option<String>,
    pub(super) reply: Result<ReviewerReply, String>,
    /// The note on a reply of no known reviewer, which no reviewer is blamed for.
    pub(super) stray: Option<String>,
    /// The text of an unreadable reply, which its writer is asked about.
    pub(super) words: Option<AskedSentence>,
    /// The follow-up of its writer.
    pub(super) again: Option<Result<ReviewerReply, String>>,
    /// The text of the follow-up, if it is unreadable.
    pub(super) again_words: Option<AskedSentence>,
    /// The file of the follow-up, absolute.
    pub(super) again_path: String,
}

impl ReplySource {
    fn new(name: Option<String>, reply: Result<ReviewerReply, String>) -> Self {
        Self {
            round: 1,
            name,
            reply,
            stray: None,
            words: None,
            again: None,
            again_words: None,
            again_path: String::new(),
        }
    }

    /// The reply of a reviewer from its text.
    fn from_reply_text(name: &str, text: &str, terms: ReplyTerms<'_>) -> Self {
        let reply = reply::read(name, text, terms);
        let words = unread_text(&reply, text);
        Self { words, ..Self::new(Some(name.to_owned()), reply) }
    }

    /// Reads the follow-up of its writer.
    fn read_again(&mut self, name: &str, text: Result<String, String>, terms: ReplyTerms<'_>) {
        let summary = |first: &ReviewerReply| {
            first.asked.iter().fold(first.prose.clone(), |all, asked| format!("{all}\n{}", asked.text))
        };
        let before = self.reply.as_ref().ok().map(summary);
        let terms = ReplyTerms { before: before.as_deref(), ..terms };
        self.again = Some(text.and_then(|text| {
            let reply = reply::read(name, &text, terms);
            self.again_words = unread_text(&reply, &text);
            reply
        }));
    }
}

/// The text of an unreadable reply.
fn unread_text(reply: &Result<ReviewerReply, String>, text: &str) -> Option<AskedSentence> {
    (reply.is_err() && !text.trim().is_empty()).then(|| AskedSentence::unreadable(text))
}

/// The suffix of the reviewer's name in the file of its follow-up.
const FOLLOW_UP_SUFFIX: &str = "again";

/// The reviewer of a follow-up file: `security.again`.
fn meant_again(stem: &str) -> Option<&'static str> {
    let first = stem.trim_end().strip_suffix(FOLLOW_UP_SUFFIX)?;
    let first = first.strip_suffix(['.', '-', '_', ' '])?;
    reviewers::resolve_name(first)
}

/// The reviewer of a reply or follow-up file, whose name may be spelled differently.
pub(in crate::runtime::review) fn reviewer_of(file: &str) -> Option<&'static str> {
    let stem = stem(file);
    reviewers::resolve_name(stem).or_else(|| meant_again(stem))
}

/// The name of a file without its extension.
fn stem(file: &str) -> &str {
    ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file)
}

/// Files other than the replies of reviewers.
const OTHER_FILES: [&str; 2] = ["fixer.txt", super::context::NAME];
const UNKNOWN_REVIEWER: &str = "unknown reviewer";
/// The extensions of a reply.
const ENDINGS: [&str; 3] = [".txt", ".md", ".json"];

/// The replies in the folder of a run, round by round.
pub(super) fn read_run(folder: &RunFolder, terms: ReplyTerms<'_>) -> Result<Vec<ReplySource>, CallFailure> {
    let mut sources = Vec::new();
    let rounds = folder.reply_folders()?;
    for (round, replies) in &rounds {
        sources.extend(read_folder(&folder.store, replies, *round, &rounds, terms)?);
    }
    Ok(sources)
}

fn read_folder(
    store: &Store,
    folder: &Path,
    round: u32,
    rounds: &[(u32, PathBuf)],
    terms: ReplyTerms<'_>,
) -> Result<Vec<ReplySource>, CallFailure> {
    let is_round = |name: &str| round == 1 && rounds.iter().any(|(of, path)| *of > 1 && path.ends_with(name));
    let mut listed = store.list(folder)?;
    listed.retain(|(name, _)| !is_hidden(name) && !OTHER_FILES.contains(&name.as_str()) && !is_round(name));
    let path = |file: &str| if round == 1 { file.to_owned() } else { format!("round-{round}/{file}") };
    let (again, listed): (Vec<_>, Vec<_>) = listed
        .into_iter()
        .partition(|(name, kind)| *kind != FileKind::Folder && meant_again(stem(name)).is_some());
    let meant = |(name, kind): &(String, FileKind)| {
        reviewers::resolve_name(stem(name)).filter(|_| *kind != FileKind::Folder)
    };
    let meant: Vec<Option<&str>> = listed.iter().map(meant).collect();
    let count = |name: &str| meant.iter().filter(|other| **other == Some(name)).take(2).count();
    let mut sources = Vec::new();
    for ((file, _), meant) in listed.iter().zip(&meant) {
        let is_exact = file.strip_suffix(".txt") == *meant;
        let reason = match meant {
            None => UNKNOWN_REVIEWER.to_owned(),
            Some(name) if is_exact || count(name) == 1 => {
                let mut source = match stored(store, &folder.join(file)) {
                    Ok(text) => ReplySource::from_reply_text(name, &text, terms),
                    Err(reason) => ReplySource::new(Some((*name).to_owned()), Err(reason)),
                };
                if let (Ok(reply), false) = (&mut source.reply, is_exact) {
                    reply.repaired.push(format!("the reply `{file}` read as that of `{name}`"));
                }
                source.again_path =
                    folder.join(format!("{name}.{FOLLOW_UP_SUFFIX}.txt")).display().to_string();
                sources.push(ReplySource { round, ..source });
                continue;
            }
            Some(name) => format!("more than one reply of `{name}`"),
        };
        let at = path(file);
        let stray = match meant {
            None => format!("`{REPLIES}/{at}` is not the reply of a known reviewer"),
            Some(_) => format!("`{REPLIES}/{at}` was not read: {reason}"),
        };
        let name = Some(file.strip_suffix(".txt").unwrap_or(file).to_owned());
        sources.push(ReplySource { round, stray: Some(stray), ..ReplySource::new(name, Err(reason)) });
    }
    for (file, _) in &again {
        let Some(name) = meant_again(stem(file)) else { continue };
        let text = stored(store, &folder.join(file));
        let first =
            sources.iter_mut().find(|source| source.stray.is_none() && source.name.as_deref() == Some(name));
        match first {
            Some(first) if first.again.is_none() => {
                first.read_again(name, text, terms);
            }
            other => {
                let reason = match other {
                    Some(_) => format!("`{name}` replied more than twice"),
                    None => format!("no first reply of `{name}`"),
                };
                let stray = Some(format!("`{REPLIES}/{}` was not read: {reason}", path(file)));
                sources.push(ReplySource {
                    round,
                    stray,
                    ..ReplySource::new(Some((*stem(file)).to_owned()), Err(reason))
                });
            }
        }
    }
    Ok(sources)
}

/// Whether a file is hidden; a hidden file with the name of a reviewer still counts as a reply.
fn is_hidden(name: &str) -> bool {
    let stem = |name: &str| name.split('.').next().map(str::to_owned);
    name.strip_prefix('.')
        .is_some_and(|rest| stem(rest).is_none_or(|stem| reviewers::resolve_name(&stem).is_none()))
}

/// The hidden files in the folders of replies, by their paths there.
pub(super) fn hidden_files(folder: &RunFolder) -> Result<Vec<String>, CallFailure> {
    let mut found = Vec::new();
    for (round, replies) in folder.reply_folders()? {
        let names =
            folder.store.list(&replies)?.into_iter().map(|(name, _)| name).filter(|name| is_hidden(name));
        let path = |name: String| if round == 1 { name } else { format!("round-{round}/{name}") };
        found.extend(names.map(path).map(|path| format!("`{REPLIES}/{path}`, a hidden file")));
    }
    Ok(found)
}

/// The text of one stored reply, or why there is none: an unreadable file only affects its own agent.
pub(in crate::runtime::review) fn stored(store: &Store, path: &Path) -> Result<String, String> {
    readable(store.text(path))
}

fn readable(text: Result<Option<String>, CallFailure>) -> Result<String, String> {
    match text {
        Ok(Some(text)) => Ok(text),
        Ok(None) => Err("it does not exist".to_owned()),
        Err(failure) if failure.error.code == ErrorCode::NotUtf8 => Err("it is not valid UTF-8".to_owned()),
        Err(failure) => Err(failure.error.message),
    }
}

/// Sections `=== reply NAME ===`, each with the raw reply, and `=== context ===`. If a mark is given, only lines with
/// it count, since no reply can contain it.
pub(super) fn read_sections(
    text: &str,
    mark: Option<&str>,
    terms: ReplyTerms<'_>,
) -> Result<(Vec<ReplySource>, MergeContext), CallFailure> {
    let (mut sources, mut context) = (Vec::new(), MergeContext::default());
    let mut sections: Vec<(Option<&str>, String)> = Vec::new();
    let (mut before, mut has_context) = (String::new(), false);
    for line in text.trim_start_matches('\u{feff}').split_inclusive('\n') {
        match (head(line, mark), sections.last_mut()) {
            (Some(head), _) => sections.push((head, String::new())),
            (None, Some((_, body))) => body.push_str(line),
            (None, None) => before.push_str(line),
        }
    }
    if !before.trim().is_empty() {
        let stray =
            "the text before the first line `=== reply NAME ===` does not belong to a reply".to_owned();
        let reply = Err("no line with a name above it".to_owned());
        sources.push(ReplySource {
            stray: Some(stray),
            ..ReplySource::new(Some("no reviewer".to_owned()), reply)
        });
    }
    if sections.is_empty() {
        let line = match mark {
            Some(mark) => format!("=== reply NAME {mark} ==="),
            None => "=== reply NAME ===".to_owned(),
        };
        let hint = format!("write `{line}` before each reply");
        return Err(CallFailure::new(MALFORMED, ErrorCode::NoReplies, "standard input has no reply", hint));
    }
    for (head, body) in sections {
        match head {
            Some(name) => {
                if let Some(name) = meant_again(name)
                    && let Some(first) =
                        sources.iter_mut().find(|source| source.name.as_deref() == Some(name))
                    && first.again.is_none()
                {
                    first.read_again(name, Ok(body), terms);
                    continue;
                }
                sources.push(match reviewers::resolve_name(name) {
                    Some(name) => ReplySource::from_reply_text(name, &body, terms),
                    None => {
                        let reply = Err(UNKNOWN_REVIEWER.to_owned());
                        let name = plain_name(name);
                        let stray = Some(format!("`{name}` is not a known reviewer"));
                        ReplySource { stray, ..ReplySource::new(Some(name), reply) }
                    }
                });
            }
            None => {
                let more = MergeContext::parse(&body);
                if has_context {
                    context.unread.push("more than one section with it".to_owned());
                }
                context = context.merged_with(more);
                has_context = true;
            }
        }
    }
    Ok((sources, context))
}

/// The name in a line `=== reply NAME ===`, or none for `=== context ===`; with any number of `=` and in any case.
fn head<'a>(line: &'a str, mark: Option<&str>) -> Option<Option<&'a str>> {
    let line = line.trim();
    let inner = line.strip_prefix("==")?.strip_suffix("==")?.trim_matches('=').trim();
    let inner = match mark {
        Some(mark) => inner.strip_suffix(mark)?.trim_end(),
        None => inner,
    };
    let (first, name) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    match first.to_ascii_lowercase().as_str() {
        "context" if name.is_empty() => Some(None),
        "reply" => Some(Some(name.trim())),
        _ => None,
    }
}

/// Replies for other callers, in their order.
pub(super) fn read_files(
    options: &Options,
    environment: &Environment,
    terms: ReplyTerms<'_>,
) -> Result<Vec<ReplySource>, CallFailure> {
    if options.files.is_empty() {
        let text = environment.input_text()?;
        let text = text.trim_start_matches('\u{feff}');
        let list: Value = serde_json::from_str(text)
            .map_err(|error| document::no_json(&error, "<stdin>", "give a JSON list of returns"))?;
        return Ok(list_sources(reply::document(text).unwrap_or(list), terms).collect());
    }
    let mut sources = Vec::new();
    for file in &options.files {
        let stem = file.file_stem().map(|stem| plain_name(&stem.to_string_lossy()));
        let path = environment.path(file);
        if disk::kind(&path).is_none() {
            let message = format!("file not found: `{}`", file.display());
            return Err(CallFailure::environment(ErrorCode::FileUnreadable, message, "check the path"));
        }
        let failed = |reason: String| ReplySource::new(stem.clone(), Err(reason));
        match readable(document::text(&path)) {
            // An unreadable reply does not affect the other reviewers.
            Err(reason) => sources.push(failed(reason)),
            Ok(text) => match reply::document(text.trim_start_matches('\u{feff}')) {
                Some(list @ Value::Array(_)) => sources.extend(list_sources(list, terms)),
                _ => sources.push(from_text(&text, stem, terms)),
            },
        }
    }
    Ok(sources)
}

/// The returns of a list.
fn list_sources(list: Value, terms: ReplyTerms<'_>) -> impl Iterator<Item = ReplySource> + use<'_> {
    let items = match list {
        Value::Array(items) => items,
        one => vec![one],
    };
    items.into_iter().map(move |item| match item {
        Value::String(text) => from_text(&text, None, terms),
        other => document(other, None, terms),
    })
}

/// A reply that names its own reviewer.
fn document(value: Value, stem: Option<String>, terms: ReplyTerms<'_>) -> ReplySource {
    let own = value["reviewer"].as_str().map(plain_name).filter(|name| !name.is_empty());
    let name = own.or(stem);
    let reply = match &name {
        Some(name) => reply::read_value(name, value, terms),
        None => Err("`reviewer` is missing".to_owned()),
    };
    ReplySource::new(name, reply)
}

fn from_text(text: &str, stem: Option<String>, terms: ReplyTerms<'_>) -> ReplySource {
    let own = reply::read("", text, terms).ok().and_then(|reply| reply.named);
    let name = own.map(|name| plain_name(&name)).filter(|name| !name.is_empty()).or(stem);
    let reply = reply::read(name.as_deref().unwrap_or_default(), text, terms);
    let reply =
        reply.and_then(|reply| name.is_some().then_some(reply).ok_or("`reviewer` is missing".to_owned()));
    ReplySource::new(name, reply)
}

/// A reviewer's name from outside, reduced to one word of plain characters.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_:./".contains(c) { c } else { '-' };
    name.trim().chars().map(plain).take(64).collect()
}
