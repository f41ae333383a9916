#!/bin/bash
# The commit that the work on this branch began at: pull request, remote HEAD, usual names.
set -euo pipefail
branch='' slug='' remote='' ref=''
if command -v gh >/dev/null; then
  if request=$(gh pr view --json baseRefName,url 2>/dev/null); then
    branch=$(jq -r '.baseRefName // empty' <<<"$request")
    slug=$(jq -r '.url // empty' <<<"$request" | sed -E 's#^https://github\.com/([^/]+/[^/]+)/pull/.*#\1#')
  fi
fi
if [ -z "$branch" ]; then
  branch=$(git symbolic-ref --quiet --short refs/remotes/origin/HEAD | sed 's#^origin/##' || true)
fi
if [ -z "$branch" ]; then
  for name in main master develop trunk; do
    if git rev-parse --verify --quiet "origin/$name" >/dev/null || git rev-parse --verify --quiet "$name" >/dev/null; then
      branch=$name
      break
    fi
  done
fi
if [ -n "$slug" ]; then
  remote=$(git remote -v | awk -v slug="$slug" '{ url = $2; sub(/\.git$/, "", url) } url ~ "github.com[:/]" slug "$" { print $1; exit }')
fi
remote=${remote:-origin}
fetched=true
git fetch --quiet --no-tags "$remote" "+refs/heads/$branch:refs/remotes/$remote/$branch" || fetched=false
ref="$remote/$branch"
base=$(git rev-parse --verify --quiet "refs/remotes/$ref" || git rev-parse --verify --quiet "refs/heads/$branch")
merge_base=$(git merge-base HEAD "$base")
jq -n --arg branch "$branch" --arg ref "$ref" --arg base "$base" --arg merge "$merge_base" --arg remote "$remote" \
  --argjson fetched "$fetched" \
  '{status: "ok", base_branch: $branch, base_ref: $ref, base_sha: $base, merge_base: $merge, remote: $remote, fetched: $fetched}'
