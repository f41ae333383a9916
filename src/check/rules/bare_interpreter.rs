//! A shell example runs an interpreter by a name that not every machine has.

use crate::check::context::{PluginText, RuleContext};
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::check::{prose, script};
use crate::diagnostic::Severity;

pub(super) const RULE: Rule = Rule {
    name: "bare-interpreter",
    group: RuleGroup::House,
    severity: Severity::Warning,
    summary: "a shell example runs `python` or `python3` by its bare name",
    page: include_str!("bare_interpreter.md"),
    check: RuleCheck::Text(check),
};

const INTERPRETERS: [&str; 3] = ["python", "python2", "python3"];

fn check(_: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !prose::is_instructions(text) {
        return;
    }
    for example in script::examples(text) {
        for command in example.script.commands.iter().filter(|command| command.words.len() > 1) {
            let name = command.words[0].as_str();
            // `python3 --version` checks whether it is installed.
            let asks = matches!(command.words[1].as_str(), "--version" | "-V");
            if !INTERPRETERS.contains(&name) || asks || command.condition {
                continue;
            }
            let message = format!("the interpreter is not called `{name}` on every system");
            sink.report(text.file, example.place(command.span), message).help = Some(
                "find the interpreter first and call it through a variable such as `\"$PY\"`, or ship a program instead"
                    .to_owned(),
            );
        }
    }
}
