#!/bin/sh
mkdir -p ".plans/plan"
echo "plan: $#"
