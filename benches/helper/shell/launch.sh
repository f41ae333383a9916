#!/usr/bin/env bash
# One configuration of `.claude/launch.json`, its fields checked.
set -euo pipefail

file="$(git rev-parse --show-toplevel)/.claude/launch.json"
[ -f "$file" ] || { echo __NO_LAUNCH_JSON__; exit 0; }
jq -e . "$file" > /dev/null 2>&1 || { echo __INVALID_LAUNCH_JSON__; exit 0; }
count=$(jq '.configurations | length' "$file")
if [ "$count" -eq 0 ]; then echo __MISSING_CONFIGURATIONS__; exit 0; fi
name=${1:-}
if [ -z "$name" ] && [ "$count" -gt 1 ]; then
  echo __MULTIPLE_CONFIGS__
  jq -c '[.configurations[].name]' "$file"
  exit 0
fi
config=$(jq -c --arg name "$name" 'first(.configurations[] | select($name == "" or .name == $name)) // empty' "$file")
[ -n "$config" ] || { echo __CONFIG_NOT_FOUND__; exit 0; }
jq -e '(.port // 3000) as $port | ($port | type) == "number" and $port > 0 and $port < 65536' <<< "$config" > /dev/null
if jq -e '[.runtimeArgs[]?, (.env // {} | .[])] | any(test("0\\.0\\.0\\.0|^::$"))' <<< "$config" > /dev/null; then exit 3; fi
jq -c '{name, runtimeExecutable, runtimeArgs, port, cwd, env}' <<< "$config"
