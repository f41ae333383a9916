//! Replies as they come in: gated, placed, and counted with what was wrong with them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{AskedAgain, Coverage, Merged, Sentence, Unclear};
use super::protection::{Loss, loss};
use super::rounds::passes;
use super::sources::Source;
use crate::order;
use crate::runtime::answer::Failure;
use crate::runtime::changes;
use crate::runtime::git::Repository;
use crate::runtime::place::PlaceResolver;
use crate::runtime::review::findings::{Class, Finding, NO_LINE, Owner, Severity};
use crate::runtime::review::reply::{Answered, Asked, Recheck, Reply, Unread, doubtful};
use crate::runtime::review::run_folder::RunFolder;
use crate::runtime::review::scope::Plan;

/// How many sentences of one reply are asked about, one by one.
const MOST_ASKED: usize = 20;
/// What may stand around a sentence that is quoted.
const SIGNS: [char; 6] = ['"', '\'', '`', '.', '*', ' '];
/// How much of a sentence is kept, in characters.
const SENTENCE: usize = 1000;

/// Checks the place of a finding, and notes what is wrong with it.
pub(super) type Places<'a> = Box<dyn Fn(&mut Finding) -> Result<(), Failure> + 'a>;

/// What came in.
pub(super) struct Intake<'a> {
    anchored: bool,
    protect: &'a [String],
    places: &'a dyn Fn(&mut Finding) -> Result<(), Failure>,
    /// The paths of the change.
    files: BTreeSet<&'a str>,
    /// The reviewers with a usable reply, each once.
    pub(super) names: Vec<String>,
    /// The usable replies.
    pub(super) kept: Vec<(String, Value)>,
    /// Findings with their round and the place of the reviewer among the names.
    pub(super) members: Vec<(u32, usize, Finding)>,
    pub(super) rechecked: Vec<Recheck>,
}

impl<'a> Intake<'a> {
    pub(super) fn new(
        anchored: bool,
        protect: &'a [String],
        places: &'a dyn Fn(&mut Finding) -> Result<(), Failure>,
        changed: &'a [String],
    ) -> Self {
        Self {
            anchored,
            protect,
            places,
            files: order::set(changed.iter().map(String::as_str)),
            names: Vec::new(),
            kept: Vec::new(),
            members: Vec::new(),
            rechecked: Vec::new(),
        }
    }

    /// Takes one reply, and what its writer said when asked about it: the findings of both count, and the second takes
    /// the place of the first nowhere. What is wrong with a reply costs its own reviewer only.
    pub(super) fn take(
        &mut self,
        at: usize,
        mut source: Source,
        coverage: &mut Coverage,
    ) -> Result<(), Failure> {
        let again = source.again.take();
        let asked = self.asked(&source);
        let open = unanswered(&source, &asked, again.as_ref());
        if let Some(again) = &again {
            let reason = match (&source.reply, asked.is_empty()) {
                (Err(reason), _) => reason.clone(),
                (Ok(_), true) => "it was asked again without need".to_owned(),
                (Ok(_), false) => "it says more than its form".to_owned(),
            };
            let why = again.iter().flat_map(|second| &second.reasons);
            let text = asked.iter().map(|one| &one.text).chain(why).cloned().collect::<Vec<_>>().join(" … ");
            let reviewer = source.name.clone().unwrap_or_default();
            coverage.asked_again.push(AskedAgain { reviewer, round: source.round, reason, text });
            if let Err(reason) = again {
                let name = source.name.as_deref().unwrap_or_default();
                coverage
                    .unread_replies
                    .push(format!("the second reply of `{name}` cannot be read: {reason}"));
                let words = source.again_words.iter().map(|one| (None, one));
                self.unclear(&source, &words.collect::<Vec<_>>(), true, coverage);
            }
            if let Ok(second) = again {
                let is_asked = |id: &String| (1..=asked.len()).any(|at| *id == format!("S{at}"));
                let unasked =
                    second.answers.keys().filter(|id| !is_asked(id)).map(|id| format!("{id}: nobody asked"));
                let strange: Vec<String> = second.no_answers.iter().cloned().chain(unasked).collect();
                let more = doubtful(&second.prose, &self.files, second.findings.len());
                let is_new = |text: &&String| {
                    !asked.iter().any(|one| one.text.trim_matches(SIGNS) == text.trim_matches(SIGNS))
                };
                let more = more
                    .iter()
                    .filter(is_new)
                    .chain(&strange)
                    .map(|text| Asked::of(text))
                    .chain(second.asked.iter().cloned());
                let more: Vec<Asked> = more.collect();
                self.unclear(
                    &source,
                    &more.iter().map(|one| (None, one)).collect::<Vec<_>>(),
                    true,
                    coverage,
                );
            }
        }
        self.unclear(&source, &open, again.is_some(), coverage);
        let Source { round, name, reply, stray, .. } = source;
        let first = match (reply, &again) {
            (Ok(mut reply), _) => {
                // Of what something may remain does not hold.
                let is_open = |left: &String| open.iter().any(|(_, one)| left.contains(&one.text));
                let doubted = reply
                    .rechecked
                    .iter_mut()
                    .filter(|one| one.remaining.iter().chain(&one.flags).any(is_open));
                doubted.for_each(|one| one.holds = false);
                Some(reply)
            }
            // It was read when it was asked again.
            (Err(_), Some(Ok(_))) => None,
            (Err(reason), _) => {
                let who = name.clone().unwrap_or_else(|| format!("return {}", at + 1));
                let (which, of) = match round {
                    1 => (String::new(), String::new()),
                    round => (format!(", round {round}"), format!(" in round {round}")),
                };
                coverage.dropped_returns.push(format!("{who}{which}: {reason}"));
                let is_stray = stray.is_some();
                let unread = || format!("the reply of `{who}`{of} cannot be read: {reason}");
                coverage.unread_replies.push(stray.unwrap_or_else(unread));
                // Of a later round an unread reply does not undo what was read of the first.
                if round == 1 && !is_stray {
                    coverage.failed_reviewers.extend(name);
                }
                return Ok(());
            }
        };
        for reply in first.into_iter().chain(again.and_then(Result::ok)) {
            self.count(round, reply, coverage)?;
        }
        Ok(())
    }

    /// The sentences of a reply of which its writer has to say whether they name a fault.
    fn asked(&self, source: &Source) -> Vec<Asked> {
        let Ok(reply) = &source.reply else { return source.words.clone().into_iter().collect() };
        // What cannot be read is in the way already.
        if reply.unread.iter().any(Unread::is_grave) {
            return Vec::new();
        }
        let beside = doubtful(&reply.prose, &self.files, reply.findings.len());
        let mut asked: Vec<Asked> = beside.iter().map(|text| Asked::of(text)).collect();
        asked.extend(reply.asked.iter().cloned());
        let unasked = reply.answers.iter().map(|(id, answered)| format!("sentences: {id}: {answered:?}"));
        asked.extend(unasked.chain(reply.no_answers.iter().cloned()).map(|text| Asked::of(&text)));
        if asked.len() > MOST_ASKED {
            let rest = asked.split_off(MOST_ASKED - 1);
            let text = format!("{} … and {} sentences more", rest[0].text, rest.len() - 1);
            // Nobody answers for a report in one word.
            asked.push(Asked { text, firm: true });
        }
        asked
    }

    /// Notes sentences that nobody answered for, each with its id; none where nothing more is asked.
    fn unclear(
        &self,
        source: &Source,
        open: &[(Option<String>, &Asked)],
        was_asked: bool,
        coverage: &mut Coverage,
    ) {
        let (false, Some(name)) = (open.is_empty(), &source.name) else { return };
        let sentence = |(id, one): &(Option<String>, &Asked)| Sentence {
            id: id.clone().unwrap_or_default(),
            text: one.text.chars().take(SENTENCE).collect(),
        };
        coverage.unclear.push(Unclear {
            reviewer: name.clone(),
            round: source.round,
            is_readable: source.reply.is_ok(),
            reply: source.again_path.clone(),
            was_asked,
            sentences: open.iter().map(sentence).collect(),
        });
    }

    /// Counts one reply.
    fn count(&mut self, round: u32, reply: Reply, coverage: &mut Coverage) -> Result<(), Failure> {
        let place = match self.names.iter().position(|known| *known == reply.reviewer) {
            Some(place) => place,
            None => {
                self.names.push(reply.reviewer.clone());
                self.names.len() - 1
            }
        };
        self.kept.push((reply.reviewer.clone(), reply.value));
        coverage
            .dropped_findings
            .extend(reply.unread.iter().map(|one| format!("{}, {}", one.reviewer, one.reason)));
        coverage.unread.extend(reply.unread);
        coverage.repaired.extend(reply.repaired);
        coverage.residual_risks.extend(reply.residual_risks);
        coverage.testing_gaps.extend(reply.testing_gaps);
        self.rechecked.extend(reply.rechecked.into_iter().map(|one| Recheck { round, ..one }));
        for mut finding in reply.findings {
            (self.places)(&mut finding)?;
            let loss = loss(&finding, self.protect);
            // A grave one counts, and nobody is sent to repair it.
            finding.protected = loss != Loss::None;
            if loss == Loss::Asked && finding.severity > Severity::P1 {
                coverage.protected += 1;
                coverage.protected_titles.push(named(&finding));
            } else if !self.anchored && !passes(finding.severity, finding.confidence, (60, 50)) {
                coverage.suppressed += 1;
                if finding.severity <= Severity::P1 {
                    coverage.suppressed_titles.push(named(&finding));
                }
            } else {
                self.members.push((round, place, finding));
            }
        }
        Ok(())
    }
}

/// A finding in one line.
fn named(finding: &Finding) -> String {
    let title: Vec<&str> = finding.title.split_whitespace().collect();
    format!("{:?}: {} ({})", finding.severity, title.join(" "), finding.file)
}

/// The sentences that stay open: a word of their writer ends the doubt, and only a finding an objection.
fn unanswered<'a>(
    source: &Source,
    asked: &'a [Asked],
    again: Option<&Result<Reply, String>>,
) -> Vec<(Option<String>, &'a Asked)> {
    let second = again.and_then(|again| again.as_ref().ok());
    let both = source.reply.as_ref().ok().into_iter().chain(second);
    let mut all = both.flat_map(|reply| &reply.findings);
    let is_grave =
        all.any(|one| one.severity <= Severity::P1 && passes(one.severity, one.confidence, (60, 50)));
    let stands = |one: &&Finding| passes(one.severity, one.confidence, (60, 50));
    let is_told = second.is_some_and(|second| second.findings.iter().filter(stands).count() > 0);
    let with_ids = asked.iter().enumerate().map(|(at, one)| (format!("S{}", at + 1), one));
    let open = with_ids.filter(|(id, one)| {
        let is_answered = match second.and_then(|second| second.answers.get(id)) {
            Some(Answered::NoFault) => true,
            Some(Answered::Fault) => is_told,
            Some(Answered::NotReviewed) | None => false,
        };
        !is_answered || (one.firm && !is_grave)
    });
    open.map(|(id, one)| (Some(id), one)).collect()
}

/// The paths of the change that a review looks at.
pub(super) fn changed(
    repository: Option<&Repository>,
    folder: Option<&RunFolder>,
    base: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let mut changed: Vec<String> = Vec::new();
    if let Some(folder) = folder {
        let scope = folder.document::<Value>("scope.json")?.unwrap_or_default();
        let files = scope["scope"]["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        changed.extend(files.iter().filter_map(|file| file["path"].as_str().map(str::to_owned)));
    }
    if let Some((repository, base)) = repository.zip(base) {
        let commit = repository.must_commit(base)?;
        let found = changes::since(repository, &commit, true)?;
        changed.extend(found.changes.into_iter().map(|one| one.path));
    }
    Ok(changed)
}

/// What checks places in the tree at hand; where there is none, nothing is a place.
pub(super) fn places<'a>(
    repository: Option<&'a Repository>,
    folder: Option<&RunFolder>,
    base: Option<&str>,
    changed: &[String],
) -> Result<Places<'a>, Failure> {
    let Some(repository) = repository else {
        return Ok(Box::new(|finding| {
            finding.misplaced = Some("there is no working tree here".to_owned());
            Ok(())
        }));
    };
    let resolver = PlaceResolver::new(repository, changed.iter().cloned())?;
    let from = folder.and_then(|folder| folder.record.base_sha.clone()).or_else(|| base.map(str::to_owned));
    Ok(Box::new(move |finding| {
        let mut line = (finding.line > 0).then_some(finding.line);
        let mut place = resolver.resolve(&finding.file, line)?;
        if place.is_err()
            && let Some((path, at)) = as_models_write(&finding.file)
            && let at = line.or(at)
            && let Ok(found) = resolver.resolve(path, at)?
        {
            (place, line, finding.line) = (Ok(found), at, at.unwrap_or_default());
        }
        match place {
            Ok(place) => {
                finding.file = place.path;
                let grave = finding.pre_existing && finding.severity <= Severity::P1;
                if let (true, Some(from), Some(line)) = (grave, &from, line)
                    && is_new(repository, from, &finding.file, line)?
                {
                    finding.pre_existing = false;
                }
            }
            Err(reason) => finding.misplaced = Some(reason),
        }
        if line.is_none() {
            finding.misplaced.get_or_insert_with(|| NO_LINE.to_owned());
        }
        // What nobody can look up is not said to be old.
        if finding.severity <= Severity::P1 && (finding.misplaced.is_some() || line.is_none()) {
            finding.pre_existing = false;
        }
        Ok(())
    }))
}

/// A path and its line where models put more around it: `` `a.rs` ``, `b/a.rs`, `a.rs:6-8`, `a.rs:6:2`, `a.rs#L6`,
/// `a.rs, line 6`, `a.rs (lines 6–8)`.
fn as_models_write(file: &str) -> Option<(&str, Option<u64>)> {
    let bare = file.trim().trim_matches(['`', '"', '\'']);
    let bare = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/")).unwrap_or(bare);
    let number =
        |lines: &str| lines.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|at| *at > 0);
    let cut = bare.split_once("#L").or_else(|| bare.split_once(':')).and_then(|(path, lines)| {
        let is_place = lines.trim().chars().all(|c| c.is_ascii_digit() || ":-–L ".contains(c));
        Some((path, Some(number(lines.trim())?))).filter(|_| is_place)
    });
    let in_words = || {
        let (path, lines) = bare.rsplit_once(" line").or_else(|| bare.rsplit_once("(line"))?;
        let lines = lines.strip_prefix('s').unwrap_or(lines).trim();
        let is_place = lines.chars().all(|c| c.is_ascii_digit() || "-–) ".contains(c));
        let path = path.trim_end_matches([' ', ',', '(', ':', '`', '"', '\'']);
        Some((path, Some(number(lines)?))).filter(|_| is_place)
    };
    let (path, line) = cut.or_else(in_words).unwrap_or((bare, None));
    (!path.is_empty() && path != file).then_some((path, line))
}

/// Whether a line came after a commit.
fn is_new(repository: &Repository, from: &str, file: &str, line: u64) -> Result<bool, Failure> {
    let (range, before) = (format!("-L{line},{line}"), format!("^{from}"));
    let told = repository.line(&["blame", "--no-textconv", "-s", "-l", &range, &before, "--", file])?;
    Ok(told.is_some_and(|told| !told.starts_with('^')))
}

/// A requirement that is not met, as a finding: of an explicit plan it stands in the way of a merge.
pub(super) fn unmet(at: usize, text: &str, plan: Option<&Plan>) -> Merged {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let title = format!("Requirement not met: {text}");
    let short: String = match title.chars().count() > 100 {
        true => title.chars().take(99).chain(['…']).collect(),
        false => title,
    };
    let explicit = plan.is_none_or(|plan| plan.explicit);
    Merged {
        id: format!("U{}", at + 1),
        title: short,
        severity: if explicit { Severity::P1 } else { Severity::P2 },
        file: plan.map(|plan| plan.path.clone()).unwrap_or_default(),
        line: 0,
        misplaced: Some("a requirement has no place in the code".to_owned()),
        why_it_matters: text,
        evidence: Vec::new(),
        also: Vec::new(),
        joined: Vec::new(),
        round: 1,
        autofix_class: Class::Manual,
        owner: Owner::Human,
        requires_verification: true,
        confidence: 1.0,
        pre_existing: false,
        reviewers: vec!["plan".to_owned()],
        suggested_fix: None,
        recommended_action: None,
        disagreements: Vec::new(),
    }
}
