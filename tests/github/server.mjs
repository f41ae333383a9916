// A GitHub that holds what a test gave it: GraphQL by the schema that GitHub publishes, and the few REST
// calls that the helper makes, as plain HTTP on a Unix socket. It refuses queries that the schema does not
// allow, and fields that the test did not give: nothing is answered by guessing.
//
// node server.mjs SOCKET STATE MODULES REQUESTS; says `ready` once it listens. Each request becomes a line of
// JSON in the file REQUESTS before it is answered. A file STATE that is written again is read again. A repository
// with `git`, the path of a bare repository, has the branches of that one.

import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [socket, stateFile, modules, requests] = process.argv.slice(2);
const require = createRequire(join(modules, "x.js"));
const { buildSchema, defaultFieldResolver, getNamedType, graphql, isListType, isNonNullType, parse, validate } =
  require("graphql");
// The published text defines two fields of an enterprise twice, which a strict reader refuses.
const published = readFileSync(join(modules, "@octokit/graphql-schema/schema.graphql"), "utf8");
const schema = buildSchema(published, { assumeValidSDL: true });
let written, state, token, faults;

function load() {
  const text = readFileSync(stateFile, "utf8");
  if (text === written) return;
  written = text;
  state = JSON.parse(text);
  token = state.token ?? "a-token";
  faults = [...(state.faults ?? [])];
}

load();

class Refusal extends Error {
  constructor(message, type) {
    super(message);
    this.extensions = { type };
  }
}

const repositoryOf = (owner, name) =>
  (state.repositories ?? []).find(
    (one) => one.owner.login.toLowerCase() === owner.toLowerCase() && one.name.toLowerCase() === name.toLowerCase(),
  );

const pullOf = (repository, number) => (repository?.pullRequests ?? []).find((one) => one.number === Number(number));

const git = (repository, ...words) => execFileSync("git", ["--git-dir", repository.git, ...words], { encoding: "utf8" }).trim();

const branchesOf = (repository) =>
  repository.git ? git(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n") : own(repository, "branches");

// Whether a pull request has a commit: its head reaches it, and the base branch does not.
function has(repository, pull, oid) {
  if (pull.headRefOid === oid) return true;
  if (!repository.git) return false;
  const reaches = (tip) => spawnSync("git", ["--git-dir", repository.git, "merge-base", "--is-ancestor", oid, tip]).status === 0;
  return reaches(pull.headRefOid) && !reaches(pull.baseRefName);
}

const everyPull = () => (state.repositories ?? []).flatMap((one) => one.pullRequests ?? []);

const own = (parent, name) => {
  if (!(name in parent)) throw new Refusal(`this GitHub was not given \`${name}\` of ${JSON.stringify(parent).slice(0, 80)}`, "NOT_GIVEN");
  return parent[name];
};

// What GitHub answers for an argument; everything else is a property of what the test gave.
const resolvers = {
  Query: {
    viewer: () => own(state, "viewer"),
    rateLimit: () => state.rateLimit ?? { limit: 5000, remaining: 4999, cost: 1, used: 1, resetAt: "2026-01-02T04:00:00Z" },
    node: (_, { id }) => {
      const parts = ({ reviewThreads, comments, reviews }) => [reviewThreads, comments, reviews].flatMap((list) => list ?? []);
      const found = everyPull().flatMap((one) => [one, ...parts(one)]).find((one) => one.id === id);
      if (!found) throw new Refusal(`Could not resolve to a node with the global id of '${id}'`, "NOT_FOUND");
      return found;
    },
    repository: (_, { owner, name }) => {
      const found = repositoryOf(owner, name);
      if (!found) throw new Refusal(`Could not resolve to a Repository with the name '${owner}/${name}'.`, "NOT_FOUND");
      return found;
    },
  },
  PullRequestReviewThread: {
    pullRequest: (thread) => everyPull().find((one) => (one.reviewThreads ?? []).includes(thread)),
    isResolved: (thread) => {
      if (thread.isResolved || !thread.resolvesAfter) return thread.isResolved;
      thread.resolvesAfter -= 1;
      if (thread.resolvesAfter === 0) thread.isResolved = true;
      return false;
    },
    resolvedBy: (thread) => thread.resolvedBy ?? null,
    // A reply that was just made may not be shown yet.
    comments: (thread) => shownOf(thread.comments),
  },
  PullRequest: {
    repository: (pull) => state.repositories.find((one) => (one.pullRequests ?? []).includes(pull)),
    comments: (pull) => shownOf(own(pull, "comments")),
    // An author who is not content writes again, and opens the thread, or opens it without a word.
    reviewThreads: (pull) => {
      for (const thread of own(pull, "reviewThreads").filter((one) => one.reopens && one.isResolved)) {
        thread.isResolved = thread.reopens = false;
      }
      for (const thread of own(pull, "reviewThreads").filter((one) => one.awaited)) {
        thread.comments.push(thread.awaited);
        thread.isResolved = false;
        delete thread.awaited;
      }
      return pull.reviewThreads;
    },
  },
  Repository: {
    nameWithOwner: (repository) => repository.nameWithOwner ?? `${repository.owner.login}/${repository.name}`,
    parent: (repository) => repository.parent ?? null,
    viewerPermission: (repository) => repository.viewerPermission ?? null,
    object: (repository, { oid }) => ({
      __typename: "Commit",
      oid,
      statusCheckRollup: { contexts: own(repository, "checks") },
      associatedPullRequests: (repository.pullRequests ?? []).filter((pull) => has(repository, pull, oid)),
    }),
    pullRequest: (repository, { number }) => {
      const found = pullOf(repository, number);
      if (!found) throw new Refusal(`Could not resolve to a PullRequest with the number of ${number}.`, "NOT_FOUND");
      return found;
    },
    ref: (repository, { qualifiedName }) => {
      const name = qualifiedName.replace(/^refs\/heads\//, "");
      if (!branchesOf(repository).includes(name)) return null;
      const here = `${repository.owner.login}/${repository.name}`;
      const from = (base, pull) => pull.headRepository?.nameWithOwner ?? `${base.owner.login}/${base.name}`;
      const of = state.repositories.flatMap((base) =>
        (base.pullRequests ?? []).filter((pull) => pull.headRefName === name && from(base, pull) === here),
      );
      return { __typename: "Ref", name, associatedPullRequests: of };
    },
  },
  Mutation: {
    addPullRequestReviewThreadReply: (_, { input }) => {
      const pull = everyPull().find((one) => (one.reviewThreads ?? []).some((thread) => thread.id === input.pullRequestReviewThreadId));
      const thread = pull?.reviewThreads.find((one) => one.id === input.pullRequestReviewThreadId);
      if (!thread) throw new Refusal(`Could not resolve to a node with the global id of '${input.pullRequestReviewThreadId}'`, "NOT_FOUND");
      return { comment: reply(pull, thread, input.body) };
    },
    resolveReviewThread: (_, { input }) => {
      const thread = everyPull().flatMap((one) => one.reviewThreads ?? []).find((one) => one.id === input.threadId);
      if (!thread) throw new Refusal(`Could not resolve to a node with the global id of '${input.threadId}'`, "NOT_FOUND");
      // Somebody writes at that moment.
      if (thread.meanwhile) thread.comments.push(thread.meanwhile);
      delete thread.meanwhile;
      thread.awaited = (thread.followUps ?? []).shift();
      if (state.resolvesAfter) thread.resolvesAfter = state.resolvesAfter;
      else if (!state.ignoresResolving) thread.isResolved = true;
      return { thread };
    },
    unresolveReviewThread: (_, { input }) => {
      const thread = everyPull().flatMap((one) => one.reviewThreads ?? []).find((one) => one.id === input.threadId);
      if (!thread) throw new Refusal(`Could not resolve to a node with the global id of '${input.threadId}'`, "NOT_FOUND");
      thread.isResolved = false;
      return { thread };
    },
  },
};

const shownOf = (comments) =>
  comments.filter((one) => {
    if (one.hiddenFor) one.hiddenFor -= 1;
    return !one.hiddenFor;
  });

let made = 0;

// Who writes: the viewer, whose name as a writer has no `[bot]` behind it.
const writer = (state) => {
  const { __typename, login } = own(state, "viewer");
  return { __typename, login: login.replace(/\[bot\]$/, "") };
};

// A comment on the pull request itself.
function remark(pull, body) {
  made += 1;
  const id = 900000 + made;
  const comment = { __typename: "IssueComment", id: `IC_made${made}`, databaseId: id, body, author: writer(state), createdAt: "2026-01-02T03:04:05Z", url: `${own(pull, "url")}#issuecomment-${id}` };
  if (state.hidesFor) comment.hiddenFor = state.hidesFor;
  own(pull, "comments").push(comment);
  return comment;
}

// A reply joins the viewer's own pending review, where nobody sees it until that is submitted.
function reply(pull, thread, body) {
  made += 1;
  const id = 900000 + made;
  const comment = {
    __typename: "PullRequestReviewComment",
    id: `PRRC_made${made}`,
    databaseId: id,
    fullDatabaseId: String(id),
    body,
    author: writer(state),
    createdAt: "2026-01-02T03:04:05Z",
    url: `${own(pull, "url")}#discussion_r${id}`,
    state: (pull.reviews ?? []).some((one) => one.state === "PENDING") ? "PENDING" : "SUBMITTED",
  };
  if (state.hidesFor) comment.hiddenFor = state.hidesFor;
  thread.comments.push(comment);
  return comment;
}

// A list of the state is a connection where the schema has one: `first` or `last` as GitHub demands it.
function connection(items, { first, last, after, before, states }, field) {
  if (first == null && last == null) {
    throw new Refusal(`You must provide a \`first\` or \`last\` value to properly paginate the \`${field}\` connection.`, "MISSING_PAGINATION_BOUNDARIES");
  }
  for (const [name, value] of Object.entries({ first, last })) {
    if (value != null && (value < 1 || value > 100)) {
      throw new Refusal(`Requesting ${value} records on the \`${field}\` connection exceeds the \`${name}\` limit of 100 records.`, "EXCESSIVE_PAGINATION");
    }
  }
  const wanted = states ? items.filter((one) => [states].flat().includes(one.state)) : items;
  const place = (cursor) => Number(Buffer.from(cursor, "base64").toString().slice("cursor:".length));
  const cursor = (at) => Buffer.from(`cursor:${at}`).toString("base64");
  let start = after ? place(after) + 1 : 0;
  let end = before ? place(before) : wanted.length;
  if (first != null) end = Math.min(end, start + first);
  if (last != null) start = Math.max(start, end - last);
  const nodes = wanted.slice(start, end);
  return {
    nodes,
    edges: nodes.map((node, at) => ({ node, cursor: cursor(start + at) })),
    totalCount: wanted.length,
    pageInfo: {
      hasNextPage: end < wanted.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length ? cursor(start) : null,
      endCursor: nodes.length ? cursor(end - 1) : null,
    },
  };
}

const isList = (type) => isListType(isNonNullType(type) ? type.ofType : type);

async function fieldResolver(parent, args, context, info) {
  const resolver = resolvers[info.parentType.name]?.[info.fieldName];
  const value = resolver
    ? resolver(parent, args)
    : typeof parent === "object" && parent !== null
      ? own(parent, info.fieldName)
      : await defaultFieldResolver(parent, args, context, info);
  const connects = getNamedType(info.returnType).name.endsWith("Connection");
  return Array.isArray(value) && connects && !isList(info.returnType) ? connection(value, args, info.fieldName) : value;
}

async function query(body) {
  const document = parse(body.query);
  const wrong = validate(schema, document);
  if (wrong.length) return { errors: wrong.map((error) => ({ message: error.message, type: "INVALID" })) };
  const answer = await graphql({
    schema,
    source: body.query,
    rootValue: {},
    variableValues: body.variables,
    operationName: body.operationName,
    fieldResolver,
    typeResolver: (value) => own(value, "__typename"),
  });
  const errors = answer.errors?.map(({ message, path, extensions }) => ({ message, path, type: extensions?.type ?? "FAILED" }));
  return { data: answer.data ?? null, ...(errors ? { errors } : {}) };
}

// A page of a REST list, with the addresses of the next one as GitHub gives them.
function page(items, url) {
  const size = Math.min(Number(url.searchParams.get("per_page") ?? 30), 100);
  const at = Number(url.searchParams.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const to = (number, rel) => {
    const next = new URL(url);
    next.searchParams.set("page", number);
    return `<${next.href}>; rel="${rel}"`;
  };
  const link = at < last ? `${to(at + 1, "next")}, ${to(last, "last")}` : undefined;
  return [200, items.slice((at - 1) * size, at * size), link ? { link } : {}];
}

// A pull request is opened from a branch that is there, and has commits that its base has not.
function opened(repository, { title, head, base, body, draft }) {
  const wrong = (error) => [422, { message: "Validation Failed", errors: [{ resource: "PullRequest", ...error }] }, {}];
  if (typeof title !== "string" || !title.trim()) return wrong({ field: "title", code: "missing_field" });
  for (const [field, name] of Object.entries({ head, base })) {
    if (!branchesOf(repository).includes(name)) return wrong({ field, code: "invalid" });
  }
  if (git(repository, "rev-list", "--count", `${base}..${head}`) === "0") return wrong({ message: `No commits between ${base} and ${head}` });
  const number = Math.max(0, ...repository.pullRequests.map((one) => one.number)) + 1;
  const pull = { __typename: "PullRequest", id: `PR_${number}`, number, title: title.trim(), body, state: "OPEN", isDraft: draft === true, url: `${repository.url}/pull/${number}`, headRefName: head, baseRefName: base };
  repository.pullRequests.push(pull);
  return [201, listed(pull), {}];
}

const listed = (pull) => ({ number: pull.number, title: pull.title, body: pull.body, draft: pull.isDraft ?? false, html_url: pull.url, head: { ref: pull.headRefName }, base: { ref: pull.baseRefName } });

const missing = [404, { message: "Not Found", documentation_url: "https://docs.github.com/rest" }, {}];

function rest(method, url, body) {
  const path = url.pathname.replace(/^\/api\/v3/, "");
  let found = path.match(/^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/);
  if (!found) return missing;
  const repository = repositoryOf(found[1], found[2]);
  if (!repository) return missing;
  const below = found[3] ?? "";
  if (method === "GET" && below === "") return [200, { full_name: `${found[1]}/${found[2]}`, default_branch: own(repository, "defaultBranchRef").name }, {}];
  if (below === "/pulls") return method === "POST" ? opened(repository, body) : page(repository.pullRequests.map(listed), url);
  found = below.match(/^\/pulls\/(\d+)\/comments$/);
  const pull = pullOf(repository, below.match(/^\/(?:pulls|issues)\/(\d+)\//)?.[1]);
  if (!pull) return missing;
  const shown = (comment) => ({ id: comment.databaseId, node_id: comment.id, body: comment.body, html_url: comment.url, user: comment.author && { login: comment.author.login } });
  const comments = () => (pull.reviewThreads ?? []).flatMap((thread) => thread.comments);
  if (found && method === "GET") return page(comments().map(shown), url);
  found = below.match(/^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/);
  if (found && method === "POST") {
    const thread = (pull.reviewThreads ?? []).find((one) => one.comments.some((comment) => comment.databaseId === Number(found[2])));
    if (!thread) return missing;
    if (body.body.length > 65536) return [422, { message: "Validation Failed", errors: [{ message: "body is too long (maximum is 65536 characters)" }] }, {}];
    return [201, shown(reply(pull, thread, body.body)), {}];
  }
  if (below.match(/^\/issues\/\d+\/comments$/)) return method === "POST" ? [201, shown(remark(pull, body.body)), {}] : page((pull.comments ?? []).map(shown), url);
  return missing;
}

async function answer(request, text) {
  load();
  const url = new URL(request.url, "http://github.test");
  // gh sends what it signs in with as `token T` or `Bearer T`.
  const given = (request.headers.authorization ?? "").split(" ")[1];
  if (given !== token) return [401, { message: "Bad credentials" }, {}];
  const fault = faults.findIndex((one) => (one.after ?? 0) === 0 && new RegExp(one.on ?? ".").test(`${request.method} ${url.pathname} ${text}`));
  for (const one of faults) if (one.after) one.after -= 1;
  if (fault >= 0) {
    const [one] = faults.splice(fault, 1);
    // The connection ends before the request is read, after it was carried out, or milliseconds before that.
    if (one.cut === "after") await carryOut(request, url, text);
    if (one.late) setTimeout(() => carryOut(request, url, text), one.late);
    if (one.cut || one.late) return null;
    if (one.review) {
      const done = await carryOut(request, url, text);
      everyPull()[0].reviews.push(one.review);
      return done;
    }
    if (one.status) return [one.status, one.body ?? { message: `HTTP ${one.status}` }, one.headers ?? {}];
    const whole = await query(JSON.parse(text));
    if (one.without) whole.data.repository.pullRequest[one.without] = null;
    return [200, { ...whole, errors: [...(whole.errors ?? []), one.error] }, {}];
  }
  return carryOut(request, url, text);
}

async function carryOut(request, url, text) {
  if (request.method === "POST" && /\/graphql$/.test(url.pathname)) return [200, await query(JSON.parse(text)), {}];
  return rest(request.method, url, text ? JSON.parse(text) : undefined);
}

createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", async () => {
    const text = Buffer.concat(parts).toString();
    appendFileSync(requests, `${JSON.stringify({ host: request.headers.host, call: `${request.method} ${request.url}`, text })}\n`);
    let given;
    try {
      given = await answer(request, text);
    } catch (error) {
      given = [500, { message: String(error.message) }, {}];
    }
    if (!given) return request.socket.destroy();
    const [status, body, headers] = given;
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}).listen(socket, () => process.stdout.write("ready\n"));
