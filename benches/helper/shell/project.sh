#!/bin/bash
# The kind of project at the top of the repository, else in its folders down to the third level.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
kinds() {
  local at=$1 found=()
  if [ -f "$at/bin/dev" ] && [ -f "$at/Gemfile" ]; then found+=(rails); fi
  compgen -G "$at/next.config.*" >/dev/null && found+=(next)
  compgen -G "$at/vite.config.*" >/dev/null && found+=(vite)
  compgen -G "$at/nuxt.config.*" >/dev/null && found+=(nuxt)
  compgen -G "$at/astro.config.*" >/dev/null && found+=(astro)
  compgen -G "$at/remix.config.*" >/dev/null && found+=(remix)
  compgen -G "$at/svelte.config.*" >/dev/null && found+=(sveltekit)
  if [ -f "$at/Procfile" ] || [ -f "$at/Procfile.dev" ]; then
    [[ " ${found[*]:-} " == *' rails '* ]] || found+=(procfile)
  fi
  for kind in "${found[@]:+${found[@]}}"; do printf '%s\t%s\n' "$kind" "$at"; done
}
hits=$(kinds .)
if [ -z "$hits" ]; then
  hits=$(find . -mindepth 1 -maxdepth 3 -type d \( -name node_modules -o -name .git -o -name vendor -o -name dist -o -name build \
    -o -name coverage -o -name tmp -o -name fixtures \) -prune -o -mindepth 1 -maxdepth 3 -type d -print | sort | while IFS= read -r folder; do
    kinds "$folder"
  done)
fi
printf '%s' "$hits" | jq -R 'select(. != "") | split("\t") | {type: .[0], dir: (.[1] | ltrimstr("./"))}' |
  jq -s '{status: (if length == 0 then "unknown" elif length == 1 then "single" else "multiple" end), hits: .}'
