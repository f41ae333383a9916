#!/bin/sh
. "$(dirname "$0")/shared.sh"
