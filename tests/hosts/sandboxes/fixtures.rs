//! What lies around the calls that are made in the sandboxes: the repository of all, and what single calls find in it.

/// The repository of every fixture: a branch `feat` with one changed file, whose remote is on loopback, and is
/// `github.com/owner/tool` as far as git and `gh` know. A newer commit waits there on `main`.
pub const REPOSITORY: &str = r#"
start() { "$RUN" review start --mode "$1" | sed 's/.*"run_dir":"\([^"]*\)".*/\1/' > "$FIXTURE/run"; }
merged() { "$RUN" review merge --run "$(cat "$FIXTURE/run")" --expected testing > "$FIXTURE/merged" < "$FIXTURE/returns"; }
finding() { printf '{"title":"%s","severity":"P2","file":"src/price.py","line":1,"why_it_matters":"w","autofix_class":"safe_auto","owner":"review-fixer","requires_verification":false,"confidence":0.9,"evidence":["e"],"pre_existing":false}' "$1"; }
printf '{"reviewer":"testing","findings":[%s],"residual_risks":[],"testing_gaps":[]}' "$(finding Typo)" > returns
git init -q -b main seed
( cd seed; put src/price.py 'one = 1'; put package.json '{"name":"shop","scripts":{"dev":"vite --port 4000"}}'; commit start )
git clone -q --bare seed origin.git
git clone -q origin.git work
( cd seed; commit newer; git push -q ../origin.git main )
cd work
git config url."$ORIGIN".insteadOf https://github.com/owner/tool
git remote set-url origin https://github.com/owner/tool
git switch -q -c feat
put src/price.py 'one = 2'
commit 'Change the price'
git push -q ../origin.git feat:refs/pull/7/head
"#;

/// What `repo size item` measures.
pub const ITEM: &str = r#"["src/price.py"]"#;

/// A polish of what is checked out.
pub const POLISHED: &str =
    r#""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)""#;
/// The same with a checklist.
pub const LISTED: &str = r##""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)"; put "$(cat ../run)/checklist.md" '## Item 1 - One' '- action: keep'"##;
/// The same with an item that is to be repaired.
pub const CHOSEN: &str = r##""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)"; put "$(cat ../run)/checklist.md" '## Item 1 - One' '- action: fix' '- files: src/price.py'"##;
/// The same with an item that becomes a separate pull request.
pub const STACKED: &str = r##""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)"; put "$(cat ../run)/checklist.md" '## Item 1 - One' '- action: stacked'"##;
/// The same with one that is planned again.
pub const REPLANNED: &str = r##""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)"; put "$(cat ../run)/checklist.md" '## Item 1 - One' '- action: replan'"##;
/// The same with one that has no items, and no results.
pub const EMPTIED: &str = r#""$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)"; : > "$(cat ../run)/checklist.md"; put ../results.json '{"results":[]}'"#;
/// A polish of a branch that was reviewed and has no pull request.
pub const REVIEWED: &str = r#"git switch -q -c other; "$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; put .plugcast/runs/review/x/metadata.json '{"branch":"other","head_sha":"'"$(git rev-parse HEAD)"'","verdict":"Ready to merge","completed_at":"2026-01-01T00:00:00Z"}'"#;
/// A polish of a site whose server ends by itself after a minute.
pub const SERVED: &str = r##"put .claude/launch.json '{"configurations": [{"name": "web", "runtimeExecutable": "node", "runtimeArgs": ["-e", "setTimeout(() => process.exit(), 60000); require("http").createServer((_, answer) => answer.end()).listen(process.env.PORT, "127.0.0.1")"]}]}'; git add -A; git commit -q -m site; "$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/' > ../run; passed "$(cat ../run)""##;
/// What `polish checklist write` writes.
pub const ITEMS: &str = r#"{"items":[{"title":"Price","files":["src/price.py"]}]}"#;
