#!/bin/bash
# The port of the development server, by what the project says.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
answer() {
  jq -n --argjson port "$1" --arg source "$2" --arg file "${3:-}" '{status: "ok", port: $port, source: $source, file: $file}'
  exit 0
}
for file in AGENTS.md CLAUDE.md; do
  [ -f "$file" ] || continue
  port=$(grep -iE 'dev|serve|start' "$file" | grep -oE '(localhost|127\.0\.0\.1):[0-9]+' | sed 's/.*://' | head -1 || true)
  [ -z "$port" ] || answer "$port" prose "$file"
done
for file in next.config.* vite.config.* nuxt.config.* astro.config.*; do
  [ -f "$file" ] || continue
  port=$(sed -E 's#//.*##' "$file" | grep -oE 'port:[[:space:]]*[0-9]+[[:space:]]*[,})]' | grep -oE '[0-9]+' | head -1 || true)
  [ -z "$port" ] || answer "$port" config "$file"
done
if [ -f config/puma.rb ]; then
  port=$(grep -v '^[[:space:]]*#' config/puma.rb | grep -oE '^[[:space:]]*port[[:space:]]+[0-9]+' | grep -oE '[0-9]+' | head -1 || true)
  [ -z "$port" ] || answer "$port" puma config/puma.rb
fi
for file in Procfile.dev Procfile; do
  [ -f "$file" ] || continue
  port=$(grep -E '^web:' "$file" | grep -oE -- '-p[[:space:]]*[0-9]+|--port[= ][0-9]+' | grep -oE '[0-9]+' | head -1 || true)
  [ -z "$port" ] || answer "$port" procfile "$file"
done
for file in docker-compose.yml docker-compose.yaml compose.yml; do
  [ -f "$file" ] || continue
  port=$(grep -oE '"[0-9]+:[0-9]+"' "$file" | head -1 | tr -d '"' | cut -d: -f1 || true)
  [ -z "$port" ] || answer "$port" compose "$file"
done
if [ -f package.json ]; then
  port=$(jq -r '.scripts.dev // .scripts.start // empty' package.json | grep -oE -- '--port[= ][0-9]+|-p[= ]?[0-9]+|PORT=[0-9]+' | grep -oE '[0-9]+' | head -1 || true)
  [ -z "$port" ] || answer "$port" package.json package.json
fi
for file in .env.local .env.development .env; do
  [ -f "$file" ] || continue
  port=$(sed -nE 's/^(export[[:space:]]+)?PORT[[:space:]]*=[[:space:]]*"?([0-9]+).*/\2/p' "$file" | tail -1)
  [ -z "$port" ] || answer "$port" env "$file"
done
answer 3000 default
