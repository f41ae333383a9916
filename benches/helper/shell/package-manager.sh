#!/bin/bash
# The package manager of a project, and how its development server is started.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
if [ ! -f package.json ]; then
  echo '{"status":"none"}'
  exit 0
fi
pm=$(jq -r '.packageManager // empty | split("@")[0]' package.json)
source=package.json
if [ -z "$pm" ]; then
  for pair in pnpm-lock.yaml:pnpm yarn.lock:yarn bun.lock:bun bun.lockb:bun package-lock.json:npm; do
    if [ -f "${pair%%:*}" ]; then
      pm=${pair##*:} source=${pair%%:*}
      break
    fi
  done
fi
[ -n "$pm" ] || { pm=npm source=default; }
script=$(jq -r '.scripts // {} | to_entries | map(.key) | map(select(. == "dev" or . == "start" or . == "develop"))[0] // "dev"' package.json)
case $pm in npm | bun) run='["run"]' ;; *) run='[]' ;; esac
jq -n --arg pm "$pm" --arg source "$source" --arg script "$script" --argjson run "$run" \
  '{status: "ok", pm: $pm, argv: ([$pm] + $run + [$script]), source: $source, script: $script}'
