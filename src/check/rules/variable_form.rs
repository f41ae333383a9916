//! A variable of the source host in a form that it does not replace in texts.

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::snippet;
use crate::check::variables::{self, VariableNotation, WrittenVariable};
use crate::diagnostic::{Applicability, Severity};
use crate::read::path_words::leading_path;

pub(super) const RULE: Rule = Rule {
    name: "variable-form",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "a variable in a form that no host replaces",
    page: include_str!("variable_form.md"),
    check: RuleCheck::Text(check),
};

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !text.main || text.is_example() || !context.for_source_host() {
        return;
    }
    let source = context.targets.source();
    let folders: [(&str, &Utf8Path); 2] =
        [(&source.plugin_root, text.plugin.root.as_path()), (&source.skill_folder, paths::own_folder(text))];
    let body = text.body.slice(text.text);
    let written = variables::find(body);
    if written.is_empty() {
        return;
    }
    let bases = based_on(text, &folders.map(|(name, _)| name));
    let (mut set, mut explained): (BTreeMap<&str, bool>, BTreeMap<&str, bool>) = Default::default();
    for variable in &written {
        let WrittenVariable { span, name, form } = *variable;
        let meant = variable.intended_folder(folders.map(|(known, _)| known));
        let Some((meant, base)) = folders.into_iter().find(|(known, _)| meant == Some(*known)) else {
            continue;
        };
        // A text that sets the variable may use it.
        if form == VariableNotation::Braces && name == meant
            || matches!(form, VariableNotation::Source(_))
            // A text that explains the name has the reader fill the template.
            || form == VariableNotation::Template
                && *explained.entry(name).or_insert_with(|| body.contains(&format!("`{name}`")))
            || *set.entry(name).or_insert_with(|| variables::is_set(body, name))
        {
            continue;
        }
        let place = span.shifted(text.body.start);
        // Only a path to an existing file of the plugin, a command that takes the folder itself, or a path behind a name
        // that no host sets is certainly meant to be replaced.
        let rest = &body[span.end..];
        let windows = matches!(form, VariableNotation::Percent | VariableNotation::PowerShell);
        let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
        let inner = rest.strip_prefix('"').unwrap_or(rest).strip_prefix(separators).map(leading_path);
        let inner = inner.filter(|path| !path.is_empty());
        let is_file = inner.is_some_and(|path| context.paths().contains(&base.join(path)));
        let is_base = name == meant && bases.contains(&place.start);
        let is_template = form == VariableNotation::Template;
        let is_other = || !is_template && variables::mixes(name, meant, folders.map(|(known, _)| known));
        let is_unset = inner.is_some() && (form == VariableNotation::Percent || is_other());
        if !is_file && !is_base && !is_unset {
            continue;
        }
        let shell = match form {
            VariableNotation::Percent | VariableNotation::Template => "is not replaced in a shell".to_owned(),
            VariableNotation::Command => "is a command in a shell".to_owned(),
            VariableNotation::PowerShell => "is not set in a shell".to_owned(),
            VariableNotation::Default(default) if !default.is_empty() => format!("is `{default}` in a shell"),
            _ => "is empty in a shell".to_owned(),
        };
        let shown = span.slice(body);
        let message = format!("`{shown}` is not replaced in texts, and {shell}");
        let found = sink.report(text.file, place, message);
        found.help = Some(format!("write `${{{meant}}}`"));
        // Another path may be one of the user's project, and something may fill a template.
        let is_certain = (is_file || is_base) && !is_template;
        let applicability = if is_certain { Applicability::Safe } else { Applicability::Unsafe };
        found.fix = Some(replace(text.file, place, format!("${{{meant}}}"), applicability));
        found.hosts = context.source_host_of_several();
    }
}

/// Where a command of the text goes to the folder of such a variable, or keeps it under another name.
fn based_on(text: &PluginText<'_>, names: &[&str; 2]) -> Vec<usize> {
    let forms: Vec<String> =
        names.iter().flat_map(|name| [format!("${name}"), format!("${{{name}:-.}}")]).collect();
    let named = |code: &str| forms.iter().any(|form| code.contains(form.as_str()));
    if !named(text.body.slice(text.text)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for snippet in snippet::find(text, named) {
        if !snippet.is_instructed(text.text) || snippet.is_script(text.text) {
            continue;
        }
        for command in &snippet.commands {
            let words = command.program(&[]);
            let entered = words.get(1).filter(|_| matches!(words[0].text.as_str(), "cd" | "pushd"));
            let kept = command.words[..command.words.len() - words.len()].iter();
            let bare = entered
                .into_iter()
                .map(|word| (word, word.text.as_str()))
                .chain(kept.filter_map(|word| Some((word, word.text.split_once('=')?.1))));
            for (word, _) in bare.filter(|(_, value)| forms.iter().any(|form| form == value)) {
                out.extend(word.span.slice(text.text).find('$').map(|at| word.span.start + at));
            }
        }
    }
    out
}
