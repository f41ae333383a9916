#!/bin/bash
# Whether one item of work is small enough; its files stand as JSON on standard input.
set -euo pipefail
here=$(dirname "$0")
item=$(cat)
changed=$("$here/surfaces.sh" "$1")
paths=$(jq '.files | unique' <<<"$item")
count=$(jq length <<<"$paths")
[ "$count" -gt 0 ] || { echo '{"status":"malformed"}'; exit 4; }
surfaces=$(jq --argjson paths "$paths" '[.files[] | select(.file as $file | $paths | index($file)) | .surface] | unique | length' <<<"$changed")
lines=$(jq --argjson paths "$paths" '[.files[] | select(.file as $file | $paths | index($file)) | .added + .deleted] | add // 0' <<<"$changed")
reasons=()
[ "$count" -le 5 ] || reasons+=('file_count > 5')
[ "$surfaces" -le 2 ] || reasons+=('surface_count > 2')
[ "$lines" -le 300 ] || reasons+=('diff_lines > 300')
jq -n --argjson count "$count" --argjson surfaces "$surfaces" --argjson lines "$lines" '
  {status: (if $ARGS.positional | length > 0 then "oversized" else "manageable" end), file_count: $count,
   surface_count: $surfaces, diff_lines: $lines, reason: ($ARGS.positional[0] // ""), reasons: $ARGS.positional}' \
  --args "${reasons[@]}"
