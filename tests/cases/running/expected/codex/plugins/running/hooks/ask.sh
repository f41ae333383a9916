#!/bin/sh
# When in doubt, ask the user.
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'
