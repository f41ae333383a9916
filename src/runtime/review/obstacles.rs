//! What stands in the way of the best verdict, beside the findings themselves: what was not looked at, could not be
//! read, or was done without leave. A review that saw less never says more.

use super::findings::Severity;
use super::merge::Coverage;
use super::run_folder::Record;

/// By what came in, and how the review began.
pub(super) fn of_merge(coverage: &Coverage, record: Option<&Record>) -> Vec<String> {
    let mut obstacles: Vec<String> = Vec::new();
    for name in &coverage.missing {
        let why =
            coverage.dropped_returns.iter().find_map(|dropped| dropped.strip_prefix(&format!("{name}: ")));
        obstacles.push(match why {
            Some(why) => format!("the reply of `{name}`, which is always asked, cannot be read: {why}"),
            None => format!("there is no reply of `{name}`, which is always asked"),
        });
    }
    let unread = |name: &String| format!("the reply of `{name}` cannot be read: ");
    let is_told = |text: &&String| coverage.missing.iter().any(|name| text.starts_with(&unread(name)));
    obstacles.extend(coverage.unread_replies.iter().filter(|text| !is_told(text)).cloned());
    obstacles.extend(
        coverage.unanswered.iter().map(|name| format!("there is no reply of `{name}`, which was asked")),
    );
    for unread in coverage.unread.iter().filter(|unread| unread.is_grave()) {
        let severity = unread.severity.map_or("unknown severity", |severity| match severity {
            Severity::P0 => "P0",
            Severity::P1 => "P1",
            Severity::P2 => "P2",
            Severity::P3 => "P3",
        });
        obstacles.push(format!(
            "a finding of `{}` ({severity}) cannot be read: {}",
            unread.reviewer, unread.reason
        ));
    }
    if let Some(plan) = record.and_then(|record| record.missing_plan.as_ref()) {
        obstacles.push(format!("the plan `{plan}` was named and is not there"));
    }
    if record.is_some_and(|record| record.only_untracked) {
        obstacles
            .push("only files that git does not track are new, and none of them was looked at".to_owned());
    }
    obstacles
}
