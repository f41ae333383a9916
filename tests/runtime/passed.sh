# `gate_opens DIR BIN` has a review for a run, and a `gh` in BIN that answers one check.
gate_opens() {
  mkdir -p "$1/../../review/gate" "$2"
  printf '%s' '{"branch":"'"$(git branch --show-current)"'","head_sha":"'"$(git rev-parse HEAD)"'","verdict":"Ready to merge","completed_at":"2026-01-01T00:00:00Z"}' > "$1/../../review/gate/metadata.json"
  of='{"oid":"'"$(git rev-parse HEAD)"'","statusCheckRollup":{"contexts":{"nodes":[{"__typename":"StatusContext","context":"lint","state":"SUCCESS","createdAt":"2026-01-01T00:00:00Z"}],"pageInfo":{"hasNextPage":false,"endCursor":null}}}}'
  printf '%s' '{"data":{"repository":{"object":'"$of"',"pullRequest":{"number":7,"url":"https://github.com/owner/gate/pull/7","headRefOid":"'"$(git rev-parse HEAD)"'","state":"OPEN","isCrossRepository":false,"author":{"login":"ann"},"headRepository":{"nameWithOwner":"owner/tool"},"commits":{"nodes":[{"commit":'"$of"'}]}}}}}' > "$2/answer"
  printf '%s\n' '#!/bin/sh' 'cat "${0%/*}/answer"' > "$2/gh"
  chmod +x "$2/gh"
  git config url."$2/none".insteadOf https://github.com/owner/gate
  git remote add gate https://github.com/owner/gate
}
# `passed DIR` takes a run through its gate, and leaves nothing else of it.
passed() {
  gate=$(mktemp -d)
  gate_opens "$1" "$gate"
  PLUGCAST_STATE=$(cd -P "$1/../../.." && pwd) PATH="$gate:$PATH" "$RUN" polish gate --run "$1" > "$gate/said" || { cat "$gate/said"; return 1; }
  git remote remove gate; git config --remove-section url."$gate/none"
  rm -r "$gate" "$1/../../review/gate"
  rmdir "$1/../../review" 2> /dev/null || :
}
