#!/bin/sh
ls "$CLAUDE_PROJECT_DIR"
