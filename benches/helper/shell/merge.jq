# Merges what reviewers returned: gates, puts doubles together, adds agreement, sorts, makes the queues.
def rank: {P0: 0, P1: 1, P2: 2, P3: 3}[.];
def class: {safe_auto: 0, gated_auto: 1, manual: 2}[.] // 0;
[ .[] | .reviewer as $reviewer | .findings[]
  | select(.confidence >= 0.6 or (.severity == "P0" and .confidence >= 0.5))
  | . + {reviewer: $reviewer, place: (.file | ltrimstr("./")), plain: (.title | ascii_downcase | gsub("[^a-z0-9 ]"; ""))} ]
| group_by([.place, .plain])
| map(sort_by(.line) | reduce .[] as $one ([];
    if length > 0 and $one.line <= .[-1][0].line + 3 then .[-1] += [$one] else . + [[$one]] end))
| add // []
| map((map(.reviewer) | unique) as $reviewers | min_by(.severity | rank) as $worst | {
    title: $worst.title, severity: $worst.severity, file: $worst.place, line: $worst.line,
    autofix_class: (max_by(.autofix_class | class) | .autofix_class), owner: $worst.owner,
    requires_verification: any(.[]; .requires_verification), pre_existing: all(.[]; .pre_existing),
    confidence: ([(map(.confidence) | max) + (if ($reviewers | length) > 1 then 0.1 else 0 end), 1] | min),
    reviewers: $reviewers })
| sort_by([(.severity | rank), -.confidence, .file, .line, .title])
| {findings: map(select(.pre_existing | not)), pre_existing: map(select(.pre_existing)),
   residual: map(select((.autofix_class == "gated_auto" or .autofix_class == "manual") and .owner == "downstream-resolver"))}
