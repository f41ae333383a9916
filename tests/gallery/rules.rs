//! For every rule, what `plugcast check` prints about the first failing example of its page.

use plugcast::check::rules::RULES;

use super::{assert_document, headings};
use crate::rules::{examples, select, write};
use crate::support::run::Plugcast;

#[test]
fn findings_of_every_rule() {
    let mut document = String::new();
    for rule in RULES {
        let failing = examples(rule.page, "fails");
        let folder = write(failing.first().expect("a failing example"));
        select(folder.path(), rule.name);
        let finding = format!("[{}]:", rule.name);
        let check = |more: &[&str]| {
            let arguments = [&["check", "demo", "--to", "all"], more].concat();
            Plugcast::new(folder.path(), &arguments).run().stdout
        };
        let printed = check(&[]);
        // A note is shown on request only.
        let printed = if printed.contains(&finding) { printed } else { check(&["--verbose"]) };
        // What ends every report is in `commands.snap`.
        let (printed, _) = printed.split_once("\n\nrun `plugcast explain RULE`").unwrap_or((&printed, ""));
        assert!(printed.contains(&finding), "{}: {printed}", rule.name);
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        document += &format!("# {}\n\n{}\n\n", rule.name, lines.join("\n").trim_end());
    }
    let shown = headings(&document, "# ");
    assert_eq!(shown, RULES.iter().map(|rule| rule.name.to_owned()).collect());
    assert_document("rules", &document);
}
