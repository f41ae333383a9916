//! What stands in the way of the best verdict, beside the findings themselves: what was not looked at, could not be
//! read, or was done without leave. A review that saw less never says more.

use super::findings::Severity;
use super::merge::Coverage;
use super::run_folder::Record;
use super::ticket::Ticket;

/// What a review was told when it began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Named<'a> {
    plan: Option<&'a str>,
    missing_plan: Option<&'a str>,
    only_untracked: bool,
}

impl<'a> From<&'a Record> for Named<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            plan: record.plan.as_ref().map(|plan| plan.path.as_str()),
            missing_plan: record.missing_plan.as_deref(),
            only_untracked: record.only_untracked,
        }
    }
}

impl<'a> From<&'a Ticket> for Named<'a> {
    fn from(ticket: &'a Ticket) -> Self {
        Self {
            plan: ticket.plan.as_deref(),
            missing_plan: ticket.missing_plan.as_deref(),
            only_untracked: ticket.only_untracked,
        }
    }
}

/// By what came in, how the review began, and which changed files were `not_shown`, and whether the
/// requirements of its plan were `compared`.
pub(super) fn of_merge(
    coverage: &Coverage,
    named: Named<'_>,
    not_shown: &[String],
    compared: bool,
) -> Vec<String> {
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
    if let Some(plan) = named.missing_plan {
        obstacles.push(format!("the plan `{plan}` was named and is not there"));
    }
    if let Some(path) = named.plan.filter(|_| !compared) {
        obstacles
            .push(format!("nobody said whether the plan `{path}` is met: `unmet` is missing in the context"));
    }
    obstacles.extend(not_shown.iter().map(|file| format!("the diff does not show the content of `{file}`")));
    if named.only_untracked {
        obstacles
            .push("only files that git does not track are new, and none of them was looked at".to_owned());
    }
    obstacles
}
