#!/bin/sh
echo 'export HARBOUR=north' >> "$CLAUDE_ENV_FILE"
