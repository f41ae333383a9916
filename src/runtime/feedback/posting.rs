//! Replies and resolutions on GitHub, each made once: a call that was interrupted, or whose answer was lost, finds its own
//! reply by its mark and does not post again.

use serde_json::{Value, json};

use super::items::{FeedbackComment, FeedbackItem, ItemKind, is_viewer, text};
use super::mark::ReplyMark;
use super::outcome::FeedbackVerdict;
use super::pages::COMMENT;
use super::polling::{BACKOFF, REPLY_BACKOFF, ask_again, first_or_later};
use super::record::FeedbackRecord;
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::error_code::ErrorCode;
use crate::runtime::github::{ApiSession, PostFailure, pause};

/// The longest comment that GitHub takes, in characters.
const LONGEST: usize = 65_536;
/// How much of a comment is quoted, in characters.
const QUOTED: usize = 300;
/// Failures that cost their item alone. All others concern every item.
const OF_ONE_ITEM: [ErrorCode; 3] = [ErrorCode::NoThread, ErrorCode::ReplyRefused, ErrorCode::TooLong];

/// A pull request that is answered.
pub(super) struct FeedbackPoster<'a> {
    pub(super) session: &'a ApiSession<'a>,
    pub(super) number: u64,
    /// The run and its round.
    pub(super) origin: String,
    /// Whether the text is the user's, which is posted whatever stands there.
    pub(super) is_users: bool,
}

/// A reply on GitHub.
pub(super) struct PostedReply {
    pub(super) url: String,
    /// Its verdict.
    pub(super) verdict: FeedbackVerdict,
    /// Whether an earlier call or another run posted it.
    pub(super) was_found: bool,
}

/// What became of a thread that was to be resolved.
pub(super) enum ThreadResolution {
    /// It is resolved.
    Resolved,
    /// It is open, since others have written.
    Answered,
    /// It is resolved although others have written, and GitHub does not let it be opened again, for this reason.
    Closed(String),
}

/// What GitHub shows of an item.
struct ItemState {
    /// The reply that answers it.
    reply: Option<PostedReply>,
    /// Whether anybody has written after that reply.
    is_answered: bool,
    /// Whether others have written what was not fetched.
    has_news: bool,
    is_resolved: bool,
    /// Whether another account has resolved it.
    is_resolved_by_others: bool,
    /// The address of the viewer's review that is not submitted.
    pending: Option<String>,
}

/// Whether a failure costs its item alone.
pub(super) fn is_of_one_item(failure: &CallFailure) -> bool {
    OF_ONE_ITEM.contains(&failure.error.code)
}

fn refused(code: ErrorCode, message: String, hint: &str) -> CallFailure {
    CallFailure::new(REFUSED, code, message, hint)
}

impl FeedbackPoster<'_> {
    /// The text of a comment: what is said, with a quote unless the thread shows it, and the mark.
    fn text(
        &self,
        item: &FeedbackItem,
        (verdict, reply): (FeedbackVerdict, &str),
    ) -> Result<String, CallFailure> {
        let mut text = String::new();
        if item.kind != ItemKind::ReviewThread
            && let Some(comment) = item.comments.first()
        {
            // A quote must not mention anybody again.
            let quoted: String = comment.body.trim().chars().take(QUOTED).collect();
            for line in quoted.replace('@', "(at)").lines() {
                text += &format!("> {line}\n");
            }
            text += &format!(">\n> {}\n\n", comment.url);
        }
        text += reply.trim();
        text += "\n\n";
        let read = item.fingerprints();
        text += &ReplyMark { origin: &self.origin, verdict, read: &read, item: &item.id }.to_string();
        // Characters beyond the first plane count twice.
        let length = text.encode_utf16().count();
        if length > LONGEST {
            let message =
                format!("the reply to `{}` has {length} characters, and GitHub takes {LONGEST}", item.id);
            return Err(super::missing(ErrorCode::TooLong, message, "shorten the reply"));
        }
        Ok(text)
    }

    /// Asks GitHub for an item: a thread must belong to the pull request.
    fn state(&self, item: &FeedbackItem) -> Result<ItemState, CallFailure> {
        let comments = format!("comments(last:100){{nodes{{{COMMENT}}}}}");
        let is_thread = item.kind == ItemKind::ReviewThread;
        let (node, other) = match is_thread {
            true => (
                format!(
                    "... on PullRequestReviewThread{{isResolved resolvedBy{{__typename login}} pullRequest{{number repository{{nameWithOwner}}}} {comments}}}"
                ),
                String::new(),
            ),
            false => {
                (format!("... on IssueComment{{{COMMENT}}} ... on PullRequestReview{{{COMMENT}}}"), comments)
            }
        };
        let query = format!(
            "query($owner:String!,$name:String!,$number:Int!,$id:ID!){{viewer{{login}} node(id:$id){{{node}}} repository(owner:$owner,name:$name){{nameWithOwner pullRequest(number:$number){{reviews(states:PENDING,first:10){{nodes{{url}}}} {other}}}}}}}"
        );
        let fields = [("-F", format!("number={}", self.number)), ("-f", format!("id={}", item.id))];
        let deleted = || {
            let message = format!("GitHub has no `{}`", item.id);
            CallFailure::environment(ErrorCode::NoThread, message, "fetch again")
        };
        let (data, _) = self.session.query(&query, &fields, false).map_err(|failure| {
            let is_of_node = failure.error.message.contains("node with the global id");
            if is_of_node { deleted() } else { failure }
        })?;
        let (node, repository) = (&data["node"], &data["repository"]);
        if node.is_null() {
            return Err(deleted());
        }
        let request = &repository["pullRequest"];
        let shown = if is_thread { node } else { request };
        let comments = shown["comments"]["nodes"].as_array().ok_or_else(deleted)?;
        if is_thread {
            let own = &node["pullRequest"];
            let place = &own["repository"]["nameWithOwner"];
            if own["number"].as_u64() != Some(self.number) || *place != repository["nameWithOwner"] {
                let shown = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let message = format!(
                    "`{}` belongs to pull request {} of {}, not to {}",
                    item.id,
                    own["number"],
                    shown(place),
                    self.number
                );
                return Err(refused(ErrorCode::WrongPr, message, "fetch again; nothing was posted"));
            }
        }
        let viewer = data["viewer"]["login"].as_str().unwrap_or_default();
        let comments: Vec<_> = comments.iter().map(|node| FeedbackComment::from_node(node, viewer)).collect();
        let at = self.reply_among(&comments, item);
        let is_answered = is_thread && at.is_some_and(|at| at + 1 < comments.len());
        let reply = at.and_then(|at| {
            let verdict = comments[at].reply_mark(&item.id)?.verdict;
            Some(PostedReply { url: comments[at].url.clone(), verdict, was_found: true })
        });
        let shown = if is_thread { comments } else { vec![FeedbackComment::from_node(node, viewer)] };
        let shown = FeedbackItem { comments: shown, ..FeedbackItem::default() };
        Ok(ItemState {
            reply,
            is_answered,
            has_news: !shown.is_covered_by(&item.fingerprints()),
            is_resolved: node["isResolved"] == true,
            is_resolved_by_others: node["resolvedBy"].is_object() && !is_viewer(&node["resolvedBy"], viewer),
            pending: text(&request["reviews"]["nodes"][0], "url"),
        })
    }

    /// The same, if the viewer has no review in which a reply would disappear.
    ///
    /// # Errors
    /// `pending_review`.
    fn submitted_state(&self, item: &FeedbackItem) -> Result<ItemState, CallFailure> {
        let state = self.state(item)?;
        let Some(review) = state.pending else { return Ok(state) };
        let message = format!("your review {review} is not submitted, and a reply would disappear in it");
        Err(refused(ErrorCode::PendingReview, message, "submit or discard that review, then run it again"))
    }

    /// The place of the reply to an item: that of this run and round, or else of another one, if it takes into account
    /// what was fetched here, and nobody has written since.
    fn reply_among(&self, comments: &[FeedbackComment], item: &FeedbackItem) -> Option<usize> {
        let is_own =
            |one: &FeedbackComment| one.reply_mark(&item.id).is_some_and(|mark| mark.origin == self.origin);
        let others = || {
            let is_thread = item.kind == ItemKind::ReviewThread;
            let last = comments.iter().rposition(|one| is_thread && !one.is_reply());
            let since = last.map_or(0, |at| at + 1);
            comments[since..].iter().position(|one| item.is_answered_by(one)).map(|at| since + at)
        };
        comments.iter().position(is_own).or_else(|| if self.is_users { None } else { others() })
    }

    /// The reply of an earlier call, for which GitHub is asked again if it may not show it yet.
    fn await_reply(&self, item: &FeedbackItem) -> Result<Option<PostedReply>, CallFailure> {
        ask_again(&REPLY_BACKOFF, pause, || Ok(self.state(item)?.reply))
    }

    /// Posts a reply, unless an earlier call did. `begin` records that the call is made; `is_begun` tells that it
    /// may have been made before. `None` if others have written since the item was fetched: nothing is posted.
    ///
    /// # Errors
    /// `too_long`, `pending_review`, `pending_after_post`, `wrong_pr`, `no_thread`, `reply_refused`, and those of gh.
    pub(super) fn reply(
        &self,
        item: &FeedbackItem,
        (verdict, reply): (FeedbackVerdict, &str),
        is_begun: bool,
        begin: &mut dyn FnMut() -> Result<(), CallFailure>,
    ) -> Result<Option<PostedReply>, CallFailure> {
        let body = self.text(item, (verdict, reply))?;
        let mut state = self.submitted_state(item)?;
        if state.reply.is_none() && is_begun {
            if let Some(reply) = self.await_reply(item)? {
                return Ok(Some(reply));
            }
            // Meanwhile others may have written.
            state = self.submitted_state(item)?;
        }
        if state.reply.is_some() {
            return Ok(state.reply);
        }
        if state.has_news && !self.is_users {
            return Ok(None);
        }
        let path = match (item.kind, item.root_comment_id) {
            (ItemKind::ReviewThread, Some(root)) => format!("pulls/{}/comments/{root}/replies", self.number),
            (ItemKind::ReviewThread, None) => {
                let message = format!("the first comment of `{}` has no number", item.id);
                return Err(CallFailure::environment(ErrorCode::NoThread, message, "fetch again"));
            }
            _ => format!("issues/{}/comments", self.number),
        };
        begin()?;
        let found = |found: Option<PostedReply>| found.map(|reply| reply.url);
        let url = match self.session.post(&path, &json!({ "body": body })) {
            Ok(answer) => match text(&answer, "html_url") {
                // Something between here and GitHub may have answered.
                None => found(self.await_reply(item)?).ok_or_else(|| {
                    let message = format!("the answer to the reply to `{}` has no address", item.id);
                    CallFailure::environment(ErrorCode::GhFailed, message, "run it again later")
                })?,
                Some(url) => url,
            },
            Err(PostFailure { failure, is_refusal: true }) => return Err(of_this_item(*failure)),
            // The connection may have ended after GitHub took it.
            Err(PostFailure { failure, .. }) => {
                found(self.await_reply(item).ok().flatten()).ok_or(*failure)?
            }
        };
        if let Some(review) = self.state(item)?.pending {
            let message = format!("your review {review} was begun meanwhile, and the reply is in it");
            return Err(refused(
                ErrorCode::PendingAfterPost,
                message,
                "submit that review, then run it again",
            ));
        }
        Ok(Some(PostedReply { url, verdict, was_found: false }))
    }

    /// Resolves a thread, unless others have written after our reply. If they wrote while the call was made, the thread
    /// is opened again.
    ///
    /// # Errors
    /// `wrong_pr`, `no_thread`, `not_replied` if the reply is gone, `not_resolved`, `gh_forbidden` if
    /// GitHub refuses it, and the others of gh.
    pub(super) fn resolve(
        &self,
        item: &FeedbackItem,
        is_begun: bool,
        begin: &mut dyn FnMut() -> Result<(), CallFailure>,
    ) -> Result<ThreadResolution, CallFailure> {
        let state = self.state(item)?;
        match state.is_resolved {
            true if is_begun => return self.keep_resolved(item, &state),
            true => return Ok(ThreadResolution::Resolved),
            false if state.is_answered || state.has_news => return Ok(ThreadResolution::Answered),
            false => {}
        }
        // GitHub may not show it yet.
        if state.reply.is_none() && self.await_reply(item)?.is_none() {
            let message = "its reply was deleted, or edited without its mark".to_owned();
            return Err(super::missing(ErrorCode::NotReplied, message, "fetch again"));
        }
        begin()?;
        let made = match self.change_thread("resolveReviewThread", item) {
            Err(failure) if failure.error.code == ErrorCode::GhForbidden => return Err(failure),
            made => made,
        };
        // Whatever else became of the call, the thread tells.
        let resolved = || Ok(Some(self.state(item)?).filter(|state| state.is_resolved));
        if let Some(state) = first_or_later(&BACKOFF, pause, resolved)? {
            return self.keep_resolved(item, &state);
        }
        made?;
        let message = format!("GitHub still shows `{}` as open", item.id);
        Err(CallFailure::environment(
            ErrorCode::NotResolved,
            message,
            "run it again later, or resolve it on GitHub",
        ))
    }

    /// Opens a thread again in which others wrote before it was resolved here.
    fn keep_resolved(&self, item: &FeedbackItem, state: &ItemState) -> Result<ThreadResolution, CallFailure> {
        let has_news = state.is_answered || state.has_news;
        if !has_news || state.is_resolved_by_others {
            return Ok(ThreadResolution::Resolved);
        }
        match self.change_thread("unresolveReviewThread", item) {
            Err(failure) if failure.error.code == ErrorCode::GhForbidden => {
                Ok(ThreadResolution::Closed(failure.error.message))
            }
            made => made.map(|()| ThreadResolution::Answered),
        }
    }

    fn change_thread(&self, mutation: &str, item: &FeedbackItem) -> Result<(), CallFailure> {
        let query =
            format!("mutation($id:ID!){{{mutation}(input:{{threadId:$id}}){{thread{{isResolved}}}}}}");
        self.session.query(&query, &[("-f", format!("id={}", item.id))], false).map(|_| ())
    }
}

/// Whether a thread is resolved; GitHub is asked again if it may not show it yet.
///
/// # Errors
/// Those of gh.
pub(super) fn await_resolved(session: &ApiSession<'_>, id: &str) -> Result<bool, CallFailure> {
    let query = "query($id:ID!){node(id:$id){... on PullRequestReviewThread{isResolved}}}";
    let ask = || {
        let (data, _) = session.query(query, &[("-f", format!("id={id}"))], false)?;
        Ok((data["node"]["isResolved"] == true).then_some(()))
    };
    Ok(first_or_later(&BACKOFF, pause, ask)?.is_some())
}

/// Waits as long as GitHub may be at work on the replies that a run has begun, which ends without them. A run whose
/// record cannot be read may have begun some.
///
/// # Errors
/// `interrupted`.
pub(super) fn await_begun(record: Option<&FeedbackRecord>) -> Result<(), CallFailure> {
    if record.is_none_or(|record| record.begun().next().is_some()) {
        ask_again(&REPLY_BACKOFF, pause, || Ok(None::<()>))?;
    }
    Ok(())
}

/// The refusal of a reply, told apart unless it is about the sign-in or the limits of the account.
fn of_this_item(failure: CallFailure) -> CallFailure {
    let hint = match failure.error.code {
        ErrorCode::GhFailed | ErrorCode::GhNotFound => "change the reply",
        ErrorCode::GhForbidden => "GitHub lets this account not reply there: the thread may be locked",
        _ => return failure,
    };
    CallFailure::environment(ErrorCode::ReplyRefused, failure.error.message, hint)
}
