#!/bin/sh
cat "$CLAUDE_PROJECT_DIR/.claude-plugin/plugin.json" "${CLAUDE_PLUGIN_ROOT}/scripts/start.sh"
