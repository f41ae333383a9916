#!/bin/sh
# Lists the refine sessions of the repository around the working directory,
# or shows one of them round by round. Reads only.
#
# usage: list-sessions.sh [NAME]
# exit:  0 answered (also when there are no sessions), 2 bad usage,
#        4 no such session or unreadable state, 5 a needed tool is missing
#
# Output is separated by tabs. Control characters in names and texts become `?`.
set -u
LC_ALL=C
export LC_ALL
unset CDPATH
tab=$(printf '\t')

fail() {
  code=$1
  shift
  printf '%s\n' "list-sessions.sh: $*" >&2
  exit "$code"
}

for tool in awk tr; do
  command -v "$tool" >/dev/null 2>&1 || fail 5 "\`$tool\` is not installed"
done

# Prints a value on one line, free of control characters.
plain() {
  printf '%s' "$1" | tr '\000-\037\177' '?'
}

# The places where a session may lie, one a line: top of the main worktree,
# top of this worktree, working directory.
tops() {
  git worktree list --porcelain 2>/dev/null | awk '
    /^worktree / { top = substr($0, 10); next }
    /^bare$/ { top = "" }
    /^$/ { if (top != "") { print top; found = 1; exit } }
    END { if (!found && top != "") print top }'
  git rev-parse --show-toplevel 2>/dev/null
  pwd -P
}

# Reads a state.md on standard input. With `rows`, prints one line a round;
# otherwise one line: status, rounds, last changes, total, target.
summarise() {
  awk -v rows="$1" '
    function flush() {
      if (!round) return
      if (rows) printf "round\t%d\t%s\t%s\t%s%s\n", round, changes, streak, summary, undone
      last = changes
      count++
      if (changes ~ /^[0-9]+$/) total += changes
      round = 0
    }
    function value(skip,  text) {
      text = substr($0, skip + 1)
      sub(/^[ \t]+/, "", text)
      sub(/[ \t]+$/, "", text)
      gsub(/[\001-\037\177]/, "?", text)
      return text
    }
    BEGIN { status = "-"; target = "-"; last = "-" }
    { sub(/\r$/, "") }
    /^## Round [0-9]+[ \t]*$/ {
      flush()
      round = $3 + 0
      changes = "-"; streak = "-"; summary = ""; undone = ""
      next
    }
    round && /^CHANGES:/ { changes = value(8); next }
    round && /^STREAK:/ { streak = value(7); next }
    round && /^SUMMARY:/ { summary = value(8); next }
    round && /^UNDONE:[ \t]*yes/ { undone = " (undone)"; next }
    !round && /^- status:/ { status = value(9); next }
    !round && /^- target:/ { target = value(9); next }
    END {
      flush()
      if (!rows) printf "%s\t%d\t%s\t%d\t%s\n", status, count, last, total, target
    }'
}

case $# in
  0) wanted= ;;
  1)
    wanted=$1
    case $wanted in
      -h | --help) printf '%s\n' 'usage: list-sessions.sh [NAME]'; exit 0 ;;
      '' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) fail 2 "\`$(plain "$wanted")\` is not a session name" ;;
    esac
    ;;
  *) fail 2 'usage: list-sessions.sh [NAME]' ;;
esac

# One line a session folder. The pipe makes a subshell, so the result is
# collected as text. A folder reached by two ways is listed once.
sessions=$(
  tops | awk '!seen[$0]++' | while IFS= read -r top; do
    for state in "$top"/.plugcast/runs/refine/*/state.md; do
      folder=${state%/state.md}
      [ -f "$state" ] || continue
      if [ -L "$folder" ] || [ -L "$state" ]; then continue; fi
      name=${folder##*/}
      [ -z "$wanted" ] || [ "$name" = "$wanted" ] || continue
      if [ -r "$state" ]; then
        line=$(summarise '' <"$state")
      else
        line="unreadable${tab}-${tab}-${tab}-${tab}-"
      fi
      printf '%s\t%s\n' "$(plain "$name")" "$line"
      if [ -n "$wanted" ]; then
        printf 'folder\t%s\n' "$(plain "$folder")"
        [ ! -r "$state" ] || summarise rows <"$state"
        break 2
      fi
    done
  done
)

if [ -z "$sessions" ]; then
  [ -z "$wanted" ] || fail 4 "no such session: $wanted"
  printf '%s\n' 'no refine sessions'
  exit 0
fi
printf 'session\tstatus\trounds\tlast changes\ttotal\ttarget\n'
printf '%s\n' "$sessions"
case $sessions in
  *"${tab}unreadable${tab}"*) [ -z "$wanted" ] || exit 4 ;;
esac
exit 0
