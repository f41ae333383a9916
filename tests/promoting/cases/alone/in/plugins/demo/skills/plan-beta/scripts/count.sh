#!/bin/sh
mkdir -p ".plans/plan-beta"
echo "plan-beta: $#"
