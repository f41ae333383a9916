//! Replies and resolutions on GitHub, each made once. A reply ends with a mark, a comment that readers do not see: a call
//! that was interrupted, or whose answer was lost, finds its own reply by it and does not post again.

use serde_json::{Value, json};

use super::items::{FeedbackItem, ItemKind, is_viewer, text};
use crate::runtime::answer::{CallFailure, REFUSED};
use crate::runtime::github::{ApiSession, PostFailure, pause};

/// The longest comment that GitHub takes, in characters.
const LONGEST: usize = 65_536;
/// How long to wait before GitHub is asked again for what it may not show yet, in seconds.
const BACKOFF: [u64; 3] = [1, 2, 4];
/// The same for a reply whose call was interrupted: GitHub may still be at work on it.
const REPLY_BACKOFF: [u64; 5] = [1, 2, 4, 8, 16];
/// How much of a comment is quoted, in characters.
const QUOTED: usize = 300;
const BEFORE_MARK: &str = "<!-- plugcast:feedback ";
const AFTER_MARK: &str = " -->";

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
    /// Whether an earlier call posted it.
    pub(super) was_found: bool,
}

/// What GitHub shows of an item.
struct ItemState {
    /// The address of the reply with the mark.
    reply: Option<String>,
    /// Whether others have written after that reply.
    is_answered: bool,
    /// Whether others have written what was not fetched.
    has_news: bool,
    is_resolved: bool,
    /// The address of the viewer's review that is not submitted.
    pending: Option<String>,
}

/// The item that a comment of ours answers: its last line is the mark.
pub(super) fn marked_item(body: &str) -> Option<&str> {
    let last = body.trim_end().rsplit('\n').next()?;
    last.strip_prefix(BEFORE_MARK)?.strip_suffix(AFTER_MARK)?.rsplit_once(' ').map(|(_, item)| item)
}

fn body_of(comment: &Value) -> &str {
    comment["body"].as_str().unwrap_or_default()
}

fn refused(code: &str, message: String, hint: &str) -> CallFailure {
    CallFailure::new(REFUSED, code, message, hint)
}

impl FeedbackPoster<'_> {
    fn mark(&self, item: &FeedbackItem) -> String {
        format!("{BEFORE_MARK}{} {}{AFTER_MARK}", self.origin, item.id)
    }

    /// The text of a comment: what is said, with a quote unless the thread shows it, and the mark.
    ///
    /// # Errors
    /// `too_long`.
    pub(super) fn text(&self, item: &FeedbackItem, reply: &str) -> Result<String, CallFailure> {
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
        text += &self.mark(item);
        let length = text.chars().count();
        if length > LONGEST {
            let message =
                format!("the reply to `{}` has {length} characters, and GitHub takes {LONGEST}", item.id);
            return Err(super::missing("too_long", message, "shorten the reply"));
        }
        Ok(text)
    }

    /// Asks GitHub for an item: a thread must belong to the pull request.
    fn state(&self, item: &FeedbackItem) -> Result<ItemState, CallFailure> {
        let comments = "comments(last:100){nodes{url body createdAt author{__typename login}}}";
        let is_thread = item.kind == ItemKind::ReviewThread;
        let (node, other) = match is_thread {
            true => (
                format!(
                    "node(id:$id){{... on PullRequestReviewThread{{isResolved pullRequest{{number repository{{nameWithOwner}}}} {comments}}}}}"
                ),
                "",
            ),
            false => (String::new(), comments),
        };
        let parameter = if is_thread { ",$id:ID!" } else { "" };
        let query = format!(
            "query($owner:String!,$name:String!,$number:Int!{parameter}){{viewer{{login}} {node} repository(owner:$owner,name:$name){{nameWithOwner pullRequest(number:$number){{reviews(states:PENDING,first:10){{nodes{{url}}}} {other}}}}}}}"
        );
        let mut fields = vec![("-F", format!("number={}", self.number))];
        if is_thread {
            fields.push(("-f", format!("id={}", item.id)));
        }
        let (data, _) = self.session.query(&query, &fields, false)?;
        let (node, repository) = (&data["node"], &data["repository"]);
        let request = &repository["pullRequest"];
        let shown = if is_thread { node } else { request };
        let Some(comments) = shown["comments"]["nodes"].as_array() else {
            let message = format!("GitHub has no `{}`", item.id);
            return Err(CallFailure::environment("no_thread", message, "fetch again"));
        };
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
                return Err(refused("wrong_pr", message, "fetch again; nothing was posted"));
            }
        }
        let viewer = data["viewer"]["login"].as_str().unwrap_or_default();
        let is_ours = |comment: &Value| is_viewer(&comment["author"], viewer);
        let mark = self.mark(item);
        let own = comments
            .iter()
            .position(|comment| is_ours(comment) && body_of(comment).trim_end().ends_with(&mark));
        // Another run may have answered it, and nobody has written since.
        let after_others =
            comments.iter().rposition(|comment| is_thread && !is_ours(comment)).map_or(0, |at| at + 1);
        let of_other_runs = comments.iter().enumerate().skip(after_others);
        let mut of_other_runs =
            of_other_runs.filter(|(_, one)| is_ours(one) && marked_item(body_of(one)) == Some(&*item.id));
        let at = own.or_else(|| of_other_runs.next().filter(|_| !self.is_users).map(|(at, _)| at));
        let is_news = |comment: &Value| {
            let (at, url) = (comment["createdAt"].as_str(), comment["url"].as_str());
            !is_ours(comment)
                && at >= item.last_comment_at.as_deref()
                && !item.comments.iter().any(|known| Some(&*known.url) == url)
        };
        Ok(ItemState {
            reply: at.and_then(|at| text(&comments[at], "url")),
            is_answered: is_thread && at.is_some_and(|at| at + 1 < comments.len()),
            has_news: is_thread && comments.iter().any(is_news),
            is_resolved: node["isResolved"] == true,
            pending: text(&request["reviews"]["nodes"][0], "url"),
        })
    }

    /// The reply of an earlier call, for which GitHub is asked again if it may not show it yet.
    fn await_reply(&self, item: &FeedbackItem) -> Result<Option<String>, CallFailure> {
        ask_again(&REPLY_BACKOFF, pause, || Ok(self.state(item)?.reply))
    }

    /// Posts a reply, unless an earlier call did. `begin` records that the call is made; `is_begun` tells that it
    /// may have been made before. `None` if others have written since the item was fetched: nothing is posted.
    ///
    /// # Errors
    /// `pending_review`, `pending_after_post`, `wrong_pr`, `no_thread`, and those of gh.
    pub(super) fn reply(
        &self,
        item: &FeedbackItem,
        body: &str,
        is_begun: bool,
        begin: &mut dyn FnMut() -> Result<(), CallFailure>,
    ) -> Result<Option<PostedReply>, CallFailure> {
        let state = self.state(item)?;
        if let Some(review) = state.pending {
            let message = format!("your review {review} is not submitted, and a reply would disappear in it");
            return Err(refused(
                "pending_review",
                message,
                "submit or discard that review, then run it again",
            ));
        }
        let earlier = match state.reply {
            None if is_begun => self.await_reply(item)?,
            reply => reply,
        };
        if let Some(url) = earlier {
            return Ok(Some(PostedReply { url, was_found: true }));
        }
        if state.has_news && !self.is_users {
            return Ok(None);
        }
        let path = match (item.kind, item.root_comment_id) {
            (ItemKind::ReviewThread, Some(root)) => format!("pulls/{}/comments/{root}/replies", self.number),
            (ItemKind::ReviewThread, None) => {
                let message = format!("the first comment of `{}` has no number", item.id);
                return Err(CallFailure::environment("no_thread", message, "fetch again"));
            }
            _ => format!("issues/{}/comments", self.number),
        };
        begin()?;
        let posted = match self.session.post(&path, &json!({ "body": body })) {
            Ok(answer) => {
                text(&answer, "html_url").map_or_else(|| self.await_reply(item), |url| Ok(Some(url)))?
            }
            Err(PostFailure { failure, is_refusal: true }) => return Err(*failure),
            // The connection may have ended after GitHub took it.
            Err(PostFailure { failure, .. }) => Some(self.await_reply(item).ok().flatten().ok_or(*failure)?),
        };
        if let Some(review) = self.state(item)?.pending {
            let message = format!("your review {review} was begun meanwhile, and the reply is in it");
            return Err(refused("pending_after_post", message, "submit that review, then run it again"));
        }
        Ok(Some(PostedReply { url: posted.unwrap_or_default(), was_found: false }))
    }

    /// Resolves a thread, unless others have written after our reply; returns whether it is resolved.
    ///
    /// # Errors
    /// `wrong_pr`, `no_thread`, `not_resolved`, and those of gh.
    pub(super) fn resolve(
        &self,
        item: &FeedbackItem,
        begin: &mut dyn FnMut() -> Result<(), CallFailure>,
    ) -> Result<bool, CallFailure> {
        let state = self.state(item)?;
        if state.is_resolved || state.is_answered || state.has_news {
            return Ok(state.is_resolved);
        }
        begin()?;
        let mutation = "mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{isResolved}}}";
        let made = self.session.query(mutation, &[("-f", format!("id={}", item.id))], false);
        // Whatever became of the call, the thread tells.
        if await_resolved(self.session, &item.id)? {
            return Ok(true);
        }
        made?;
        let message = format!("GitHub still shows `{}` as open", item.id);
        Err(CallFailure::environment("not_resolved", message, "run it again later, or resolve it on GitHub"))
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
    Ok(ask()?.is_some() || ask_again(&BACKOFF, pause, ask)?.is_some())
}

/// Asks for something after each of the waits, until it is there.
fn ask_again<T>(
    waits: &[u64],
    mut pause: impl FnMut(u64) -> Result<(), CallFailure>,
    mut ask: impl FnMut() -> Result<Option<T>, CallFailure>,
) -> Result<Option<T>, CallFailure> {
    for wait in waits {
        pause(*wait)?;
        if let Some(found) = ask()? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When GitHub is asked, in seconds, if it shows something at the `found`-th time.
    fn times(waits: &[u64], found: usize) -> Vec<u64> {
        let (time, asked) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
        let pause = |wait| {
            time.set(time.get() + wait);
            Ok(())
        };
        let shown = ask_again(waits, pause, || {
            asked.borrow_mut().push(time.get());
            Ok((asked.borrow().len() == found).then_some(()))
        });
        assert_eq!(shown.unwrap().is_some(), found <= waits.len());
        asked.into_inner()
    }

    #[test]
    fn github_is_asked_for_half_a_minute_for_a_reply_and_seven_seconds_for_a_resolution() {
        assert_eq!(times(&REPLY_BACKOFF, 9), [1, 3, 7, 15, 31]);
        assert_eq!(times(&REPLY_BACKOFF, 2), [1, 3]);
        assert_eq!(times(&BACKOFF, 9), [1, 3, 7]);
    }
}
