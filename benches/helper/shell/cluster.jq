# Finds the clusters among what was fetched: items of one category in one folder, or in folders of which one contains the
# other. `$triage` holds the categories.
def folder: .path | split("/")[:-1] | join("/");
($triage[0].items | map({(.id): .}) | add) as $triaged
| [ .items[] | select(.handled_by_us | not) | . as $item | $triaged[.id] // {state: "new"}
    | select(.state == "new" and .category) | {id: $item.id, category, path: $item.path, folder: ($item | folder)} ]
| group_by([.category, .folder])
| map({category: .[0].category, folder: .[0].folder, members: .})
| group_by(.category)
| map(reduce .[] as $one ([];
    .[-1].folder as $above
    | if $above != null and ($one.folder | startswith($above + "/")) then .[-1].members += $one.members
    else . + [$one] end))
| add // []
| map(select(.members | length > 1))
| map({category, area: .folder, files: ([.members[].path] | unique), threads: [.members[].id]})
| {clusters: .}
