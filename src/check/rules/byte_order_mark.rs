//! A byte order mark before frontmatter.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::diagnostic::{Applicability, Severity};
use crate::model::component::Component;
use crate::source::Span;
use crate::target::Target;

pub(super) const RULE: Rule = Rule {
    name: "byte-order-mark",
    group: RuleGroup::Portability,
    severity: Severity::Warning,
    summary: "a byte order mark precedes the frontmatter, so some hosts miss it",
    page: include_str!("byte_order_mark.md"),
    check: RuleCheck::InsteadOfReader(check),
};

fn check(context: &RuleContext<'_>, component: &Component, text: &PluginText<'_>, sink: &mut FindingSink) {
    // Only old versions of the source host refuse it.
    let is_refused = |target: &Target| target.yaml.byte_order_mark_refused && target.source.is_none();
    let hosts = context.hosts_that(is_refused);
    if component.document.byte_order_mark && !hosts.is_empty() {
        let mark = Span::new(0, '\u{feff}'.len_utf8());
        let found = sink.report(
            text.file,
            mark,
            "a byte order mark precedes the frontmatter, so the host does not find it",
        );
        found.hosts = hosts;
        found.help = Some("save it as UTF-8 without BOM".to_owned());
        found.fix = Some(replace(text.file, mark, "", Applicability::Safe));
    }
}
