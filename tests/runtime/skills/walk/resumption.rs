//! A review that is interrupted between two calls of the skill, at each of its stages: another session continues the
//! same run, by the calls that are left, or ends it after a yes and begins again.

use std::path::Path;

use serde_json::{Value, json};

use super::{SETUP, Walk, finding, reply, write};

/// What a review does up to where it is interrupted, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Begun,
    SomeReplies,
    Merged,
    Repaired,
    Shown,
}

const STAGES: [Stage; 5] = [Stage::Begun, Stage::SomeReplies, Stage::Merged, Stage::Repaired, Stage::Shown];

/// What a session knows of a run.
struct Run {
    folder: String,
    begun: Value,
}

impl Run {
    fn from_answer(begun: Value) -> Self {
        Self { folder: begun["run"].as_str().expect("a run").to_owned(), begun }
    }

    fn reply(&self, name: &str, findings: &[Value]) {
        let own =
            self.begun["reviewers"].as_array().expect("reviewers").iter().find(|one| one["name"] == name);
        let path = own.and_then(|one| one["reply"].as_str()).expect("a place for the reply");
        write(path, &reply(name, findings, &json!([])));
    }

    fn write(&self, path: &str, value: &Value) {
        write(Path::new(&self.folder).join(path), &value.to_string());
    }

    /// The part of the review from one stage to another.
    #[track_caller]
    fn goes(&self, walk: &mut Walk, stages: impl Iterator<Item = Stage>) {
        let run = [("RUN", self.folder.as_str())];
        for stage in stages {
            match stage {
                Stage::Begun => {}
                Stage::SomeReplies => {
                    let name =
                        finding("The name of the sum is misspelt", "P3", 2, "safe_auto", "review-fixer");
                    self.reply("correctness", &[name]);
                    self.reply("testing", &[]);
                }
                Stage::Merged => {
                    for name in ["maintainability", "project-standards", "past-learnings"] {
                        self.reply(name, &[]);
                    }
                    self.write("replies/context.json", &json!({ "intent": "Add up prices", "reasons": {} }));
                    let merged = walk.call("4. Merge", 0, &run, "").ok().json();
                    assert_eq!(
                        (&merged["status"], &merged["obstacles"]),
                        (&json!("ok"), &json!([])),
                        "{merged}"
                    );
                }
                Stage::Repaired => {
                    walk.call("5. Approve", 0, &run, "").ok();
                    walk.run("sed -i 's/totl/total/' src/price.py").ok();
                    self.write("replies/fixer.txt", &json!({ "applied": ["F1"], "skipped": [] }));
                }
                Stage::Shown => {
                    walk.call("7. Re-review", 0, &[run[0], ("N", "2")], "").ok();
                }
            }
        }
    }

    /// The rest, from the reply of the second round to the report.
    #[track_caller]
    fn ends(&self, walk: &mut Walk) {
        let run = [("RUN", self.folder.as_str())];
        let holds = json!([{ "id": "F1", "holds": true, "reason": "every place is named" }]);
        write(
            Path::new(&self.folder).join("replies/round-2/correctness.txt"),
            &reply("correctness", &[], &holds),
        );
        walk.call("7. Re-review", 1, &[run[0], ("N", "2")], "").ok();
        let finished = walk.call("8. Report", 0, &run, "").ok().json();
        assert_eq!(
            (&finished["status"], &finished["verdict"], &finished["obstacles"]),
            (&json!("done"), &json!("Ready to merge"), &json!([])),
            "{finished}"
        );
        let report = walk.call("8. Report", 1, &run, "").ok().text;
        assert!(report.contains("Verdict: Ready to merge\n") && report.contains("Fixed: F1\n"), "{report}");
    }
}

/// A review that was interrupted after a stage.
fn interrupted(last: Stage) -> (Walk, Run) {
    let mut walk = Walk::new("review", "review", SETUP);
    let run = Run::from_answer(walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "").ok().json());
    run.goes(&mut walk, STAGES.into_iter().filter(|stage| *stage <= last));
    (walk, run)
}

/// Another session begins: it is told which review is at work, and how to go on.
#[track_caller]
fn is_told(walk: &mut Walk, run: &Run) {
    let taken = walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "");
    assert_eq!(taken.code, Some(6), "{}", taken.text);
    let error = &taken.json()["error"];
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(
        hint.contains("--take-over") && hint.contains("continue it") && hint.contains(&run.folder),
        "{error}"
    );
}

#[test]
fn an_interrupted_review_goes_on_at_each_stage() {
    for last in STAGES {
        let (mut walk, run) = interrupted(last);
        is_told(&mut walk, &run);
        if last == Stage::SomeReplies {
            // Too early: what is missing is named, and may still come.
            let merged = walk.call("4. Merge", 0, &[("RUN", run.folder.as_str())], "").ok().json();
            assert_eq!(merged["coverage"]["missing"].as_array().map(Vec::len), Some(3), "{merged}");
        }
        run.goes(&mut walk, STAGES.into_iter().filter(|stage| *stage > last));
        run.ends(&mut walk);
        let free = walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "").ok().json();
        assert_eq!(free["abandoned"], Value::Null, "{last:?}: {free}");
    }
}

#[test]
fn an_interrupted_review_is_ended_at_each_stage_and_begun_again() {
    for last in STAGES {
        let (mut walk, old) = interrupted(last);
        is_told(&mut walk, &old);
        let begun = walk.call("1. Begin", 0, &[("$ARGUMENTS", "")], "--take-over").ok().json();
        assert_eq!(begun["abandoned"], old.begun["run_id"], "{last:?}: {begun}");
        let late = walk.call("4. Merge", 0, &[("RUN", old.folder.as_str())], "");
        assert_eq!((late.code, &late.json()["error"]["code"]), (Some(6), &json!("finished")), "{last:?}");
        let run = Run::from_answer(begun);
        let shown =
            std::fs::read_to_string(run.begun["diff_path"].as_str().expect("a diff")).expect("it is there");
        assert_eq!(shown.contains("+        total +="), last >= Stage::Repaired, "{last:?}: {shown}");
        if last < Stage::Repaired {
            run.goes(&mut walk, STAGES.into_iter());
            run.ends(&mut walk);
            continue;
        }
        // What was repaired is part of the change now, and nothing is left to repair.
        for name in ["correctness", "testing", "maintainability", "project-standards", "past-learnings"] {
            run.reply(name, &[]);
        }
        walk.call("4. Merge", 0, &[("RUN", run.folder.as_str())], "").ok();
        let finished = walk.call("8. Report", 0, &[("RUN", run.folder.as_str())], "").ok().json();
        assert_eq!(finished["verdict"], "Ready to merge", "{last:?}: {finished}");
    }
}
