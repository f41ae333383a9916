#!/bin/sh
cat "$(dirname "$0")/../templates/SKILL.md"
