//! All comments of a pull request, page by page: one query if everything fits one page. Of each page only what is
//! returned is kept, and of resolved threads no text.

use serde_json::Value;

use super::items::{
    CrossInvocation, FeedbackComment, FeedbackItem, FetchedFeedback, ItemKind, ResolvedThread,
    comment_number, repository_path, text,
};
use super::mark::ReplyMark;
use crate::order;
use crate::runtime::answer::CallFailure;
use crate::runtime::error_code::ErrorCode;
use crate::runtime::github::ApiSession;

/// What is asked of a comment.
pub(super) const COMMENT: &str = "id url body createdAt author{__typename login}";
const PAGE: &str = "pageInfo{hasNextPage endCursor}";
/// The lists of a pull request, each with its variable.
const LISTS: [(&str, &str); 3] =
    [("reviewThreads", "threads"), ("comments", "comments"), ("reviews", "reviews")];
/// How many resolved threads are kept.
const MOST_RESOLVED: usize = 10;

/// What is fetched, and how much.
#[derive(Debug, Clone, Copy)]
pub(super) struct FetchLimits {
    /// The largest number of threads and comments.
    pub(super) max_items: Option<u64>,
    /// Whether a part is enough.
    pub(super) allow_partial: bool,
    /// Whether the texts of resolved threads are kept.
    pub(super) keeps_resolved: bool,
}

/// A pull request that is being fetched.
struct FeedbackPages<'a> {
    session: &'a ApiSession<'a>,
    number: u64,
    limits: FetchLimits,
    fetched: FetchedFeedback,
    /// Resolved threads, and how many threads are open and not outdated.
    resolved: Vec<ResolvedThread>,
    current: usize,
    count: u64,
    /// The replies of earlier calls to items other than threads.
    replies: Vec<FeedbackComment>,
    pending: Option<String>,
}

/// Fetches everything.
///
/// # Errors
/// `pr_not_found`, `too_many_items`, and those of gh.
pub(super) fn fetch(
    session: &ApiSession<'_>,
    number: u64,
    limits: FetchLimits,
) -> Result<(FetchedFeedback, Value), CallFailure> {
    let mut pages = FeedbackPages {
        session,
        number,
        limits,
        fetched: FetchedFeedback::default(),
        resolved: Vec::new(),
        current: 0,
        count: 0,
        replies: Vec::new(),
        pending: None,
    };
    // The next page of each list; none once it is complete.
    let mut next: [Option<String>; 3] = [const { Some(String::new()) }; 3];
    let mut limit = Value::Null;
    while next.iter().any(Option::is_some) {
        let data = pages.page(&next)?;
        let request = &data["repository"]["pullRequest"];
        for ((list, _), next) in LISTS.iter().zip(&mut next) {
            let Some(before) = next.take() else { continue };
            for node in pages.nodes(&request[*list])? {
                pages.add(list, node)?;
            }
            *next = pages.next_page(&request[*list], &before)?;
        }
        limit = data["rateLimit"].clone();
        if pages.limits.max_items.is_some_and(|most| pages.count > most) {
            pages.fetched.truncated = true;
            if !pages.limits.allow_partial {
                let message =
                    format!("more than {} threads and comments", limits.max_items.unwrap_or_default());
                let hint = "raise `--max-items`, or pass `--allow-partial`";
                return Err(CallFailure::environment(ErrorCode::TooManyItems, message, hint));
            }
            break;
        }
    }
    Ok((pages.finish(), limit))
}

impl FeedbackPages<'_> {
    /// One query for the next page of every list that is not complete.
    fn page(&mut self, next: &[Option<String>; 3]) -> Result<Value, CallFailure> {
        let (mut parameters, mut lists) = (String::new(), String::new());
        let mut fields = vec![("-F", format!("number={}", self.number))];
        for ((list, name), cursor) in LISTS.iter().zip(next) {
            let Some(cursor) = cursor else { continue };
            let node = match *list {
                "reviewThreads" => format!(
                    "id isResolved isOutdated path line originalLine startLine comments(first:100){{nodes{{{COMMENT}}} {PAGE}}}"
                ),
                "reviews" => format!("{COMMENT} state"),
                _ => COMMENT.to_owned(),
            };
            parameters += &format!(",${name}:String");
            lists += &format!(" {list}(first:100,after:${name}){{nodes{{{node}}} {PAGE}}}");
            if !cursor.is_empty() {
                fields.push(("-f", format!("{name}={cursor}")));
            }
        }
        let query = format!(
            "query($owner:String!,$name:String!,$number:Int!{parameters}){{viewer{{login}} rateLimit{{remaining resetAt}} repository(owner:$owner,name:$name){{pullRequest(number:$number){{number url author{{login}}{lists}}}}}}}"
        );
        let data = self.query(&query, &fields)?;
        let request = &data["repository"]["pullRequest"];
        if request["number"].as_u64() != Some(self.number) {
            return Err(self.not_found());
        }
        self.fetched.viewer = text(&data["viewer"], "login").unwrap_or_default();
        self.fetched.pr_author = text(&request["author"], "login");
        self.fetched.url = text(request, "url").unwrap_or_default();
        Ok(data)
    }

    fn query(&mut self, query: &str, fields: &[(&str, String)]) -> Result<Value, CallFailure> {
        let asked = self.session.query(query, fields, self.limits.allow_partial);
        let (data, partial) =
            asked.map_err(|failure| match failure.error.message.contains("to a PullRequest") {
                true => self.not_found(),
                false => failure,
            })?;
        self.fetched.truncated |= partial.is_some();
        Ok(data)
    }

    fn not_found(&self) -> CallFailure {
        let message = format!("pull request {} not found", self.number);
        CallFailure::environment(ErrorCode::PrNotFound, message, "check the number and the repository")
    }

    fn broken(&self, what: &str) -> CallFailure {
        let hint = "fetch again; `--allow-partial` accepts an incomplete answer";
        CallFailure::environment(ErrorCode::GhFailed, format!("GitHub answered without {what}"), hint)
    }

    /// The nodes of a list.
    fn nodes<'v>(&self, list: &'v Value) -> Result<impl Iterator<Item = &'v Value> + use<'v>, CallFailure> {
        let nodes = list["nodes"].as_array();
        if nodes.is_none() && !self.limits.allow_partial {
            return Err(self.broken("a whole list"));
        }
        Ok(nodes.into_iter().flatten().filter(|node| node.is_object()))
    }

    /// Where the next page of a list begins; none if there is none.
    fn next_page(&self, list: &Value, before: &str) -> Result<Option<String>, CallFailure> {
        let page = &list["pageInfo"];
        match (page["hasNextPage"].as_bool(), page["endCursor"].as_str()) {
            (Some(true), Some(end)) if end != before => Ok(Some(end.to_owned())),
            (Some(false), _) => Ok(None),
            _ if self.limits.allow_partial => Ok(None),
            _ => Err(self.broken("its next page")),
        }
    }

    fn add(&mut self, list: &str, node: &Value) -> Result<(), CallFailure> {
        self.count += 1;
        let comment = FeedbackComment::from_node(node, &self.fetched.viewer);
        if comment.id.is_empty() {
            return Err(self.broken("an id"));
        }
        let kind = match list {
            "reviewThreads" => return self.add_thread(node),
            "reviews" => ItemKind::ReviewBody,
            _ => ItemKind::PrComment,
        };
        if node["state"] == "PENDING" {
            // Only the viewer sees their own unsubmitted review.
            self.pending = Some(comment.url);
        } else if comment.is_reply() {
            self.replies.push(comment);
        } else if !comment.body.trim().is_empty() {
            self.fetched.items.push(FeedbackItem {
                id: comment.id.clone(),
                kind,
                url: comment.url.clone(),
                last_comment_at: Some(comment.created_at.clone()),
                comments: vec![comment],
                ..FeedbackItem::default()
            });
        }
        Ok(())
    }

    fn add_thread(&mut self, node: &Value) -> Result<(), CallFailure> {
        let id = text(node, "id").unwrap_or_default();
        let is_resolved = node["isResolved"].as_bool().ok_or_else(|| self.broken("`isResolved`"))?;
        let is_outdated = node["isOutdated"] == true;
        let (mut comments, mut last) = (Vec::new(), None);
        let mut first: Option<Option<String>> = None;
        let mut list = node["comments"].clone();
        loop {
            for node in self.nodes(&list)? {
                self.count += 1;
                last = text(node, "createdAt").or(last);
                first = first.or_else(|| Some(text(node, "body")));
                if !is_resolved {
                    comments.push(FeedbackComment::from_node(node, &self.fetched.viewer));
                }
            }
            let before = text(&list["pageInfo"], "endCursor").unwrap_or_default();
            let Some(next) = self.next_page(&list, "")? else { break };
            let query = format!(
                "query($id:ID!,$after:String){{node(id:$id){{... on PullRequestReviewThread{{comments(first:100,after:$after){{nodes{{{COMMENT}}} {PAGE}}}}}}}}}"
            );
            let mut data =
                self.query(&query, &[("-f", format!("id={id}")), ("-f", format!("after={next}"))])?;
            list = data.pointer_mut("/node/comments").map(Value::take).unwrap_or_default();
            if text(&list["pageInfo"], "endCursor").as_ref() == Some(&before) {
                return Err(self.broken("its next page"));
            }
        }
        let (path, line) = (repository_path(node), node["line"].as_u64());
        if is_resolved {
            let first = if self.limits.keeps_resolved { Some(first.flatten()) } else { None };
            let thread = ResolvedThread {
                thread_id: id,
                path,
                line,
                first_comment_body: first,
                last_comment_at: last,
            };
            self.resolved.push(thread);
            return Ok(());
        }
        self.current += usize::from(!is_outdated);
        let url = comments.first().map(|comment| comment.url.clone()).unwrap_or_default();
        if comments.iter().all(|comment| comment.body.trim().is_empty()) {
            return Ok(());
        }
        let mut item = FeedbackItem {
            kind: ItemKind::ReviewThread,
            root_comment_id: comment_number(&url),
            url,
            path,
            line,
            original_line: node["originalLine"].as_u64(),
            start_line: node["startLine"].as_u64(),
            outdated: is_outdated,
            handled_by_us: false,
            last_comment_at: last,
            comments,
            id,
        };
        item.handled_by_us = item.comments.last().is_some_and(|last| item.is_answered_by(last));
        self.fetched.items.push(item);
        Ok(())
    }

    fn finish(mut self) -> FetchedFeedback {
        let places = self.fetched.places();
        for reply in &self.replies {
            let Some(mark) = ReplyMark::parse(&reply.body) else { continue };
            if let Some(at) = places.position(mark.item) {
                let item = &mut self.fetched.items[at];
                item.handled_by_us |= item.is_answered_by(reply);
            }
        }
        self.fetched.pending_review = self.pending;
        let signal = !self.resolved.is_empty() && self.current > 0;
        order::sort_by(&mut self.resolved, |one, other| one.last_comment_at.cmp(&other.last_comment_at));
        self.resolved.reverse();
        self.resolved.truncate(MOST_RESOLVED);
        self.fetched.cross_invocation = CrossInvocation { signal, resolved_threads: self.resolved };
        self.fetched
    }
}

/// Keeps only the item of the comment that the user named.
pub(super) fn keep_target(fetched: &mut FetchedFeedback, comment: Option<&str>) -> Result<(), CallFailure> {
    let Some(comment) = comment else { return Ok(()) };
    let end = format!("#{comment}");
    fetched.items.retain(|item| item.comments.iter().any(|one| one.url.ends_with(&end)));
    fetched.target = Some(comment.to_owned());
    if fetched.items.is_empty() {
        let message = format!("`{comment}` is not an open thread or comment of the pull request");
        let hint = "check the address; a thread that is resolved has to be opened again on GitHub";
        return Err(CallFailure::environment(ErrorCode::NoThread, message, hint));
    }
    Ok(())
}
