#!/bin/sh
. "$(dirname "$0")/shared/put.sh"
put QUAY=2
