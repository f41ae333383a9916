//! A user who goes on editing the checklist after a command was killed: 20/08-replayed-over, what the next command finishes
//! replaces nothing of it.

use super::{ITEMS, begun, edited, walk};

const PARSE: [&str; 5] = ["polish", "checklist", "parse", "--run", "run"];

#[test]
fn what_a_user_writes_after_a_kill_stays_and_the_results_are_kept_beside_it() {
    let stage = edited();
    let list = stage.top().join("run/checklist.md");
    let beside = stage.top().join("run/checklist.md.new");
    let seen = |answer: serde_json::Value| answer["sha256"].as_str().expect("a hash").to_owned();
    let results = r#"{"results": [{"id": 2, "result": "fixed", "summary": "greets"}]}"#;
    std::fs::write(stage.top().join("results.json"), results).expect("it can be written");
    stage.good(&["dispatch", "plan", "--run", "run"], "");
    let first = seen(stage.good(&PARSE, ""));
    let rewrite = |seen: &str| {
        let words = ["polish", "checklist", "rewrite", "--run", "run", "--results", "results.json", "--seen"];
        words.iter().copied().chain([seen]).map(str::to_owned).collect::<Vec<_>>()
    };
    let own = rewrite(&first);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let kept = std::cell::Cell::new(0);
    walk(&stage, &own, |fault| {
        stage.script("sed -i 's/of the user/an edit/' run/checklist.md");
        let text = || std::fs::read_to_string(&list).expect("the checklist");
        let parsed = stage.good(&PARSE, fault);
        assert!(text().contains("an edit"), "{fault}: {}", text());
        let is_named = parsed["warnings"].to_string().contains("/checklist.md.new`");
        assert_eq!(beside.is_file(), is_named, "{fault}: {parsed}");
        if is_named {
            kept.set(kept.get() + 1);
            let text = std::fs::read_to_string(&beside).expect("it is there");
            assert!(text.contains("- result: fixed") && !text.contains("an edit"), "{fault}: {text}");
        }
        // The results go into what the user has now.
        let again = rewrite(&seen(parsed));
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        stage.good(&again, fault);
        assert!(text().contains("an edit"), "{fault}: {}", text());
        assert_eq!(text().matches("- result: fixed").count(), 1, "{fault}: {}", text());
        assert!(!beside.is_file(), "{fault}: what is in the file is no longer kept beside it");
    });
    assert!(kept.get() > 1, "no replay met an edit");
}

#[test]
fn a_new_checklist_is_not_written_over_what_its_user_made_of_it() {
    let stage = begun();
    std::fs::write(stage.top().join("items.json"), ITEMS).expect("it can be written");
    let write = ["polish", "checklist", "write", "--run", "run", "--items", "items.json"];
    let list = stage.top().join("run/checklist.md");
    walk(&stage, &write, |fault| {
        let is_edited = list.is_file();
        if is_edited {
            stage.script("sed -i 's/look at it/an edit/' run/checklist.md");
        }
        // It may be there by now, which is refused.
        stage.call(&write, None);
        stage.good(&PARSE, fault);
        let text = std::fs::read_to_string(&list).expect("the checklist");
        assert_eq!(text.contains("an edit"), is_edited, "{fault}: {text}");
    });
}
