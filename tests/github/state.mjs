// Writes what the GitHub of a case holds: `github.com/owner/tool` with pull request 7 from its branch `feat`.
//
// node state.mjs FILE HEAD EXPRESSION: HEAD is the commit of the branch, and the expression an object with
// `threads`, `comments`, `reviews` and what the pull request or the state holds besides (`pull`, `state`), made
// of the words below.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

const [file, head, expression] = process.argv.slice(2);
const at = "https://github.com/owner/tool";
let number = 0;

const user = (login) => (login ? { __typename: "User", login } : null);
const time = (minute) => new Date(Date.UTC(2026, 0, 1) + minute * 60000).toISOString().replace(".000", "");

// What somebody wrote: `say("bob", "Why?")`; no name stands for a deleted account.
const written = (kind, end) => (author, body, more) => {
  number += 1;
  const url = `${at}/pull/7#${end}${number}`;
  return { __typename: kind, id: `C${number}`, databaseId: number, url, body, createdAt: time(number), author: user(author), ...more };
};
const say = written("PullRequestReviewComment", "discussion_r");
const note = (id, author, body, more) => written("IssueComment", "issuecomment-")(author, body, { id, ...more });
const review = (id, author, body, more) => written("PullRequestReview", "pullrequestreview-")(author, body, { id, state: "COMMENTED", ...more });

// A thread: `thread("T1", { isResolved: true }, say("bob", "Why?"))`.
const thread = (id, more, ...comments) => ({
  __typename: "PullRequestReviewThread", id, isResolved: false, isOutdated: false, path: "src/a.rs",
  line: 3, originalLine: 3, startLine: null, comments: comments.length ? comments : [say("bob", `About ${id}.`)], ...more,
});
const threads = (count, more) => Array.from({ length: count }, (_, at) => thread(`T${at + 1}`, typeof more === "function" ? more(at + 1) : more));
// The mark of a reply to an item that takes these comments into account.
const fingerprint = ({ id, body }) => createHash("sha256").update(`${id}\n${body}`).digest("hex").slice(0, 16);
const mark = (run, item, verdict, ...read) => `<!-- plugcast:feedback ${run} ${verdict} ${read.map(fingerprint).join("")} ${item} -->`;
// The comments of a thread with a reply of another run to all of them: `answered("T1", "fixed", say("bob", "Why?"))`.
const answered = (item, verdict, ...comments) => [...comments, say("ann", `Done.\n\n${mark("x/1", item, verdict, ...comments)}`)];

const words = { say, note, review, thread, threads, mark, answered, head };
const given = new Function(...Object.keys(words), `return ${expression}`)(...Object.values(words));
const pull = {
  __typename: "PullRequest", id: "PR_7", number: 7, title: "Change the price", body: "", state: "OPEN", url: `${at}/pull/7`,
  baseRefName: "main", baseRepository: { url: at }, headRefName: "feat", headRefOid: head, isCrossRepository: false,
  headRepository: { nameWithOwner: "owner/tool" }, author: user("alice"), reviewThreads: given.threads ?? [],
  comments: given.comments ?? [], reviews: given.reviews ?? [], ...given.pull,
};
const repository = {
  __typename: "Repository", name: "tool", url: at, owner: { __typename: "User", login: "owner" },
  defaultBranchRef: { __typename: "Ref", name: "main" }, branches: ["main", "feat"], pullRequests: [pull, ...(given.pulls ?? [])],
};
writeFileSync(file, JSON.stringify({ viewer: { __typename: "User", login: "ann" }, repositories: [repository], ...given.state }));
