#!/bin/sh
echo "$CLAUDE_PLUGIN_ROOT"
