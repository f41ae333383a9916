#!/bin/sh
# Starts the program of this file's own name for the machine at hand: <platform>/<name> beside this
# file. Where there is none, it answers as `plugcast-run` does: one JSON object, exit code 5.

self=$0
hops=0
while :; do
  case $self in /* | ./* | ../*) ;; *) self=./$self ;; esac
  if [ ! -h "$self" ] || [ "$hops" -ge 40 ]; then break; fi
  hops=$((hops + 1))
  link=$(readlink "$self") || break
  case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
done
folder=${self%/*}
name=${self##*/}

machine=$(uname -sm 2>/dev/null)
case $machine in
  Linux\ *) system=linux ;;
  Darwin\ *) system=macos ;;
  MINGW* | MSYS* | CYGWIN*) system=windows ;;
  *) system=other ;;
esac
case $machine in
  *\ x86_64 | *\ amd64) processor=x86_64 ;;
  *\ aarch64 | *\ arm64) processor=aarch64 ;;
  *) processor=other ;;
esac
platform=$system-$processor
# A standard output that is closed: once the program runs, it looks like a null device.
if [ "$name" = plugcast-run ] && ! (true 3>&1) 2>/dev/null; then
  echo "plugcast-run: the answer cannot be written: standard output is closed" >&2
  exit 5
fi

program=$folder/$platform/$name
if [ "$system" = windows ]; then program=$program.exe; fi

if [ -f "$program" ] && [ -x "$program" ]; then
  exec "$program" "$@"
fi

if [ -f "$program" ]; then
  message="the \`$name\` of this plugin for $platform is not executable"
  hint="install the plugin again, or make bin/$platform/${program##*/} in its folder executable"
elif [ "$name" = plugcast-run ]; then
  message="this plugin carries no \`plugcast-run\` for $platform"
  hint="build the plugin again on such a machine, or anywhere with \`plugcast build --helper $platform=PATH\`, and install it again"
else
  message="this plugin carries no \`$name\` for $platform"
  hint="ask its author for one: a line for $platform under \`[runtime.bin.$name]\` in plugcast.toml"
fi
printf '{"schema":"rt.error/1","status":"error","error":{"code":"helper_missing","message":"%s","hint":"%s"}}\n' \
  "$message" "$hint"
exit 5
