//! 13: what is made of a checklist of many items costs time in proportion.

use std::process::Command;

use super::demo;
use super::scale::children_in_hundredths;
use crate::runtime::fixture::HELPER;
use crate::support::git::{commit, committed, git, write};
use crate::support::run::FinishedRun;

/// A polish whose checklist has `$1` items, all repaired, and the times of `polish checklist rewrite` there.
const REWRITE: &str = concat!(
    include_str!("../runtime/passed.sh"),
    r#"
ln -s "$("$RUN" polish acquire --apply | sed 's/.*"run":"\([^"]*\)".*/\1/')" run
passed run
each() { for number in $(seq "$1"); do printf "$2" "$number"; done; }
each "$1" ',{"title":"T%s","files":["x.txt"],"notes":"look"}' | sed 's/^,/{"items":[/; s/$/]}/' > items
"$RUN" polish checklist write --run run --items items > answer
sed 's/action: keep/action: fix/' run/checklist.md > edited
cat edited > run/checklist.md
"$RUN" dispatch plan --run run > answer
each "$1" ',{"id":%s,"result":"fixed"}' | sed 's/^,/{"results":[/; s/$/]}/' > results
seen=$("$RUN" polish checklist parse --run run | sed 's/.*"sha256":"\([^"]*\)".*/\1/')
("$RUN" polish checklist rewrite --run run --results results --seen "$seen" > answer; times)
test "$(grep -c '^- result: fixed' run/checklist.md)" = "$1"
"#
);

fn cost_of_rewrite(items: usize) -> f64 {
    let folder = committed(&demo());
    git(folder.path(), &["switch", "--quiet", "--create", "topic"]);
    write(folder.path(), "x.txt", "x\n");
    write(folder.path(), ".gitignore", "/run\n/items\n/edited\n/results\n/answer\n.plugcast/\n/home\n");
    commit(folder.path(), "second");
    let ended = Command::new("sh")
        .args(["-eu", "-c", REWRITE, "sh", &items.to_string()])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path().join("home"))
        .env("RUN", HELPER)
        .output()
        .expect("a shell starts");
    let finished = FinishedRun::from(ended);
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    children_in_hundredths(&finished.stdout)
}

/// For each result the checklist was parsed again: 1,500 took over 30 s.
#[test]
fn case_13_results_in_a_checklist_cost_in_proportion() {
    let (quarter, whole) = (cost_of_rewrite(375), cost_of_rewrite(1500));
    assert!(whole <= 6.0 * quarter + 25.0, "{quarter} for 375, {whole} for 1500");
}
