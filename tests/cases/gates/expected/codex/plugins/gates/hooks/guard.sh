#!/bin/sh
echo "not without the master" >&2
exit 2
