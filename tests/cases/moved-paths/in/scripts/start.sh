#!/bin/sh
grep version "${CLAUDE_PLUGIN_ROOT}/.claude-plugin/plugin.json"
