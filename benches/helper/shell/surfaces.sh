#!/bin/bash
# What changed since a base, file by file, with the part of an application that each file belongs to.
set -euo pipefail
merge_base=$(git merge-base HEAD "$(git rev-parse --verify "$1^{commit}")")
surface() {
  local path=$1
  case "${path##*/}" in
    *_test.* | *_spec.* | *.test.* | *.spec.*) echo test; return ;;
    .env* | Gemfile* | package.json | package-lock.json | yarn.lock | tsconfig.json | *.config.[jt]s) echo config; return ;;
    *.css | *.scss | *.png | *.svg | *.jpg) echo asset; return ;;
    *.proto | *.graphql | openapi.*) echo api; return ;;
  esac
  case "/$path" in
    */test/* | */spec/* | */tests/*) echo test ;;
    */config/*) echo config ;;
    */public/* | */app/assets/* | */static/*) echo asset ;;
    */app/views/* | */components/* | */pages/* | */src/app/*) echo view ;;
    */db/schema.rb | */app/serializers/*) echo api ;;
    */app/controllers/* | */routes/* | */api/*) echo controller ;;
    */app/models/* | */models/* | */db/* | */migrations/* | */prisma/*) echo model ;;
    *) echo other ;;
  esac
}
files=$(git diff --numstat -z --no-renames "$merge_base" HEAD -- | tr '\0' '\n' | while IFS=$'\t' read -r added deleted path; do
  printf '%s\t%s\t%s\t%s\n' "$path" "$(surface "$path")" "$added" "$deleted"
done | jq -R 'split("\t") | {file: .[0], surface: .[1], added: (.[2] | tonumber? // 0), deleted: (.[3] | tonumber? // 0), binary: (.[2] == "-")}' | jq -s .)
jq -n --arg base "$1" --arg merge "$merge_base" --argjson files "$files" \
  '{status: "ok", base: $base, merge_base: $merge, files: $files,
    totals: {files: ($files | length), lines: ([$files[] | .added + .deleted] | add // 0), binary: ([$files[] | select(.binary)] | length)}}'
