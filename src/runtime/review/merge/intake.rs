//! Takes in the replies: filters findings by confidence, resolves their places, and counts what was wrong with them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::{Coverage, FollowUp, MergedFinding, UnclearReply, UnclearSentence, UnreadableReply};
use super::protection::{RepairCost, loss};
use super::rounds::passes;
use super::sources::ReplySource;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::review::findings::{Finding, FindingOwner, FindingSeverity, Misplacement, RepairClass};
use crate::runtime::review::reply::{
    AskedSentence, Recheck, ReviewerReply, SentenceAnswer, UnreadFinding, doubtful,
};
use crate::runtime::review::scope::ReviewPlan;

/// The maximum number of sentences of one reply to ask about.
const MOST_ASKED: usize = 20;
/// Characters that may surround a quoted sentence.
const SIGNS: [char; 6] = ['"', '\'', '`', '.', '*', ' '];
/// How much of a sentence is kept, in characters.
const SENTENCE: usize = 1000;

/// The replies taken in so far.
pub(super) struct MergeIntake<'a> {
    anchored: bool,
    protect: &'a [String],
    places: &'a dyn Fn(&mut Finding) -> Result<(), CallFailure>,
    /// The paths of the change.
    files: BTreeSet<&'a str>,
    /// The reviewers with a usable reply, each once.
    pub(super) names: Vec<String>,
    /// The usable replies.
    pub(super) kept: Vec<(String, Value)>,
    /// Findings with their round and the index of the reviewer in the names.
    pub(super) members: Vec<(u32, usize, Finding)>,
    pub(super) rechecked: Vec<Recheck>,
}

impl<'a> MergeIntake<'a> {
    pub(super) fn new(
        anchored: bool,
        protect: &'a [String],
        places: &'a dyn Fn(&mut Finding) -> Result<(), CallFailure>,
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

    /// Takes in one reply and its follow-up: the findings of both count, and the second never replaces the first. A
    /// broken reply only affects its own reviewer.
    pub(super) fn add(
        &mut self,
        at: usize,
        mut source: ReplySource,
        coverage: &mut Coverage,
    ) -> Result<(), CallFailure> {
        let again = source.again.take();
        let asked = self.asked_sentences(&source);
        let open = unanswered(&source, &asked, again.as_ref());
        if let Some(again) = &again {
            self.follow_up(&source, &asked, again, coverage);
        }
        self.unclear(&source, &open, again.is_some(), coverage);
        let ReplySource { round, name, reply, stray, .. } = source;
        let first = match (reply, &again) {
            (Ok(mut reply), _) => {
                // A repair of which something may remain does not hold.
                let is_open = |left: &String| open.iter().any(|(_, one)| left.contains(&one.text));
                let doubted = reply
                    .rechecked
                    .iter_mut()
                    .filter(|one| one.remaining.iter().chain(&one.flags).any(is_open));
                doubted.for_each(|one| one.holds = false);
                Some(reply)
            }
            // The follow-up could be read.
            (Err(_), Some(Ok(_))) => None,
            (Err(reason), _) => {
                let who = name.clone().unwrap_or_else(|| format!("return {}", at + 1));
                let (which, of) = match round {
                    1 => (String::new(), String::new()),
                    round => (format!(", round {round}"), format!(" in round {round}")),
                };
                coverage.dropped_returns.push(format!("{who}{which}: {reason}"));
                let is_stray = stray.is_some();
                let line = match stray {
                    Some(_) => None,
                    None => Some(format!("the reply of `{who}`{of} cannot be read: {reason}")),
                };
                coverage.unread_replies.extend(stray.or_else(|| line.clone()));
                coverage.unreadable.push(UnreadableReply { reviewer: who, round, reason, line });
                // An unreadable reply of a later round does not undo the first one.
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

    /// Records the follow-up of a reply: why it was asked, and what is unclear in it.
    fn follow_up(
        &self,
        source: &ReplySource,
        asked: &[AskedSentence],
        again: &Result<ReviewerReply, String>,
        coverage: &mut Coverage,
    ) {
        let reason = match (&source.reply, asked.is_empty()) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), true) => "it was asked again without need".to_owned(),
            (Ok(_), false) => "it has text besides its form".to_owned(),
        };
        let why = again.iter().flat_map(|second| &second.reasons);
        let text = asked.iter().map(|one| &one.text).chain(why).cloned().collect::<Vec<_>>().join(" … ");
        let reviewer = source.name.clone().unwrap_or_default();
        coverage.asked_again.push(FollowUp { reviewer, round: source.round, reason, text });
        if let Err(reason) = again {
            let name = source.name.as_deref().unwrap_or_default();
            coverage.unread_replies.push(format!("the second reply of `{name}` cannot be read: {reason}"));
            let words = source.again_words.iter().map(|one| (None, one));
            self.unclear(source, &words.collect::<Vec<_>>(), true, coverage);
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
                .map(|text| AskedSentence::from_text(text))
                .chain(second.asked.iter().cloned());
            let more: Vec<AskedSentence> = more.collect();
            self.unclear(source, &more.iter().map(|one| (None, one)).collect::<Vec<_>>(), true, coverage);
        }
    }

    /// The sentences of a reply whose writer must say whether they report a fault.
    fn asked_sentences(&self, source: &ReplySource) -> Vec<AskedSentence> {
        let Ok(reply) = &source.reply else { return source.words.clone().into_iter().collect() };
        // An unreadable finding is an obstacle already.
        if reply.unread.iter().any(UnreadFinding::is_grave) {
            return Vec::new();
        }
        let beside = doubtful(&reply.prose, &self.files, reply.findings.len());
        let mut asked: Vec<AskedSentence> =
            beside.iter().map(|text| AskedSentence::from_text(text)).collect();
        asked.extend(reply.asked.iter().cloned());
        let unasked = reply.answers.iter().map(|(id, answered)| format!("sentences: {id}: {answered:?}"));
        asked.extend(
            unasked.chain(reply.no_answers.iter().cloned()).map(|text| AskedSentence::from_text(&text)),
        );
        if asked.len() > MOST_ASKED {
            let rest = asked.split_off(MOST_ASKED - 1);
            let text = format!("{} … and {} sentences more", rest[0].text, rest.len() - 1);
            // A whole report cannot be answered with one word.
            asked.push(AskedSentence { text, firm: true });
        }
        asked
    }

    /// Records sentences without an answer, each with its id; without ids if nothing more is asked.
    fn unclear(
        &self,
        source: &ReplySource,
        open: &[(Option<String>, &AskedSentence)],
        was_asked: bool,
        coverage: &mut Coverage,
    ) {
        let (false, Some(name)) = (open.is_empty(), &source.name) else { return };
        let sentence = |(id, one): &(Option<String>, &AskedSentence)| UnclearSentence {
            id: id.clone().unwrap_or_default(),
            text: one.text.chars().take(SENTENCE).collect(),
        };
        coverage.unclear.push(UnclearReply {
            reviewer: name.clone(),
            round: source.round,
            is_readable: source.reply.is_ok(),
            reply: source.again_path.clone(),
            was_asked,
            sentences: open.iter().map(sentence).collect(),
        });
    }

    /// Counts one reply.
    fn count(
        &mut self,
        round: u32,
        reply: ReviewerReply,
        coverage: &mut Coverage,
    ) -> Result<(), CallFailure> {
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
            // A severe finding counts, but no agent is sent to repair it.
            finding.protected = loss != RepairCost::None;
            if loss == RepairCost::Asked && finding.severity > FindingSeverity::P1 {
                coverage.protected += 1;
                coverage.protected_titles.push(one_line(&finding));
            } else if !self.anchored && !passes(finding.severity, finding.confidence, (60, 50)) {
                coverage.suppressed += 1;
                if finding.severity <= FindingSeverity::P1 {
                    coverage.suppressed_titles.push(one_line(&finding));
                }
            } else {
                self.members.push((round, place, finding));
            }
        }
        Ok(())
    }
}

/// A finding in one line.
fn one_line(finding: &Finding) -> String {
    let title: Vec<&str> = finding.title.split_whitespace().collect();
    format!("{}: {} ({})", finding.severity.word(), title.join(" "), finding.file)
}

/// The sentences that stay open: an answer of their writer settles a doubt, but only a finding settles an objection.
fn unanswered<'a>(
    source: &ReplySource,
    asked: &'a [AskedSentence],
    again: Option<&Result<ReviewerReply, String>>,
) -> Vec<(Option<String>, &'a AskedSentence)> {
    let second = again.and_then(|again| again.as_ref().ok());
    let both = source.reply.as_ref().ok().into_iter().chain(second);
    let mut all = both.flat_map(|reply| &reply.findings);
    let is_grave =
        all.any(|one| one.severity <= FindingSeverity::P1 && passes(one.severity, one.confidence, (60, 50)));
    let stands = |one: &&Finding| passes(one.severity, one.confidence, (60, 50));
    let is_told = second.is_some_and(|second| second.findings.iter().filter(stands).count() > 0);
    let with_ids = asked.iter().enumerate().map(|(at, one)| (format!("S{}", at + 1), one));
    let open = with_ids.filter(|(id, one)| {
        let is_answered = match second.and_then(|second| second.answers.get(id)) {
            Some(SentenceAnswer::NoFault) => true,
            Some(SentenceAnswer::Fault) => is_told,
            Some(SentenceAnswer::NotReviewed) | None => false,
        };
        !is_answered || (one.firm && !is_grave)
    });
    open.map(|(id, one)| (Some(id), one)).collect()
}

/// An unmet requirement as a finding; with an explicit plan it prevents the merge.
pub(super) fn unmet(at: usize, text: &str, plan: Option<&ReviewPlan>) -> MergedFinding {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let title = format!("Requirement not met: {text}");
    let short: String = match title.chars().count() > 100 {
        true => title.chars().take(99).chain(['…']).collect(),
        false => title,
    };
    let explicit = plan.is_none_or(|plan| plan.explicit);
    MergedFinding {
        id: format!("U{}", at + 1),
        title: short,
        severity: if explicit { FindingSeverity::P1 } else { FindingSeverity::P2 },
        file: plan.map(|plan| plan.path.clone()).unwrap_or_default(),
        line: 0,
        misplaced: Some(Misplacement::Invalid("a requirement has no place in the code".to_owned())),
        why_it_matters: text,
        evidence: Vec::new(),
        also: Vec::new(),
        joined: Vec::new(),
        round: 1,
        autofix_class: RepairClass::Manual,
        owner: FindingOwner::Human,
        requires_verification: true,
        confidence: 1.0,
        pre_existing: false,
        reviewers: vec!["plan".to_owned()],
        suggested_fix: None,
        recommended_action: None,
        disagreements: Vec::new(),
    }
}
