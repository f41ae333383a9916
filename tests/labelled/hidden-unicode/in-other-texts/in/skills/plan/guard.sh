#!/bin/sh
# the next line is no comment
if [ "$1" = "a‮" ]; then exit 1; fi
