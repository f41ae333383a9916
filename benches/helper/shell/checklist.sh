#!/usr/bin/env bash
# The checklist of a polish as JSON: fields of each item, its action and status checked, measured against the base.
set -euo pipefail

changed=$(git diff --numstat "$(git merge-base "$2" HEAD)" HEAD)
items='[]'
errors='[]'
line=0
id=
flush() {
  [ -n "$id" ] || return 0
  case $action in
  keep | skip | fix | note | stacked | replan) ;;
  *) errors=$(jq -c --arg message "item $id: unknown action '$action'" '. + [$message]' <<< "$errors") ;;
  esac
  local count=0 lines=0 file added deleted
  while IFS= read -r file; do
    [ -n "$file" ] || continue
    count=$((count + 1))
    read -r added deleted _ < <(awk -v f="$file" '$3 == f' <<< "$changed") || true
    lines=$((lines + ${added:-0} + ${deleted:-0}))
  done < <(tr ',' '\n' <<< "$files" | sed 's/^ *//; s/ *$//')
  local status=manageable
  if [ "$count" -gt 5 ] || [ "$lines" -gt 300 ]; then status=oversized; fi
  items=$(jq -c --argjson id "$id" --arg title "$title" --arg action "$action" --arg files "$files" --arg surface "$surface" \
    --arg status "$status" --arg notes "$notes" --argjson line "$at" \
    '. + [{id: $id, title: $title, action: $action, files: ($files | split(",") | map(gsub("^ +| +$"; ""))), surface: $surface, status: $status, notes: $notes, line: $line}]' <<< "$items")
}
while IFS= read -r text || [ -n "$text" ]; do
  line=$((line + 1))
  if [[ $text =~ ^'## Item '([0-9]+)' '(—|-)' '(.+)$ ]]; then
    number=${BASH_REMATCH[1]} name=${BASH_REMATCH[3]}
    flush
    id=$number title=$name at=$line action= files= surface= notes=
  elif [[ $text =~ ^'- '(action|files|surface|status|notes):' '?(.*)$ ]]; then
    printf -v "${BASH_REMATCH[1]}" %s "${BASH_REMATCH[2]}"
  fi
done < "$1"
flush
jq -cn --argjson items "$items" --argjson errors "$errors" '{items: $items, errors: $errors}'
