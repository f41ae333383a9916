//! A variable of the source host in a form that it does not replace in texts.

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::paths;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::{FindingSink, replace};
use crate::check::snippet;
use crate::diagnostic::{Applicability, Severity};
use crate::model::similar_names::misspelt_name;
use crate::read::path_words::leading_path;
use crate::source::Span;

pub(super) const RULE: Rule = Rule {
    name: "variable-form",
    group: RuleGroup::Correctness,
    severity: Severity::Warning,
    summary: "a variable in a form that no host replaces",
    page: include_str!("variable_form.md"),
    check: RuleCheck::Text(check),
};

/// The beginning of the names of the source host's variables, which an author may leave out.
const PREFIX: &str = "CLAUDE_";

/// How many bytes a default may have: a text has any number of braces that nobody closes.
const LONGEST_DEFAULT: usize = 16;

/// A variable as a text has it.
#[derive(Debug, PartialEq, Eq)]
struct WrittenVariable<'t> {
    span: Span,
    name: &'t str,
    braces: bool,
    /// Whether it is written as in the shell of Windows: `%NAME%`.
    percent: bool,
    /// What a shell takes in its place.
    default: Option<&'t str>,
}

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if !text.main || text.is_example() || !context.for_source_host() {
        return;
    }
    let source = context.targets.source();
    let folders: [(&str, &Utf8Path); 2] =
        [(&source.plugin_root, text.plugin.root.as_path()), (&source.skill_folder, paths::own_folder(text))];
    let body = text.body.slice(text.text);
    let written = variables(body);
    if written.is_empty() {
        return;
    }
    let bases = based_on(text, &folders.map(|(name, _)| name));
    let mut set: BTreeMap<&str, bool> = BTreeMap::new();
    for variable in &written {
        let WrittenVariable { span, name, .. } = *variable;
        let Some((meant, base)) = folders.into_iter().find(|(known, _)| means(variable, known, &folders))
        else {
            continue;
        };
        // A text that sets the variable may use it.
        if variable.braces && variable.default.is_none() && name == meant
            || *set.entry(name).or_insert_with(|| is_set(body, name))
        {
            continue;
        }
        let place = span.shifted(text.body.start);
        // Only a path to an existing file of the plugin, a command that takes the folder itself, or a path behind a name
        // that no host sets is certainly meant to be replaced.
        let rest = &body[span.end..];
        let separators: &[char] = if variable.percent { &['/', '\\'] } else { &['/'] };
        let inner = rest.strip_prefix('"').unwrap_or(rest).strip_prefix(separators).map(leading_path);
        let inner = inner.filter(|path| !path.is_empty());
        let is_file = inner.is_some_and(|path| context.paths().contains(&base.join(path)));
        let is_base = name == meant && bases.contains(&place.start);
        let is_unset = inner.is_some() && (variable.percent || is_mixed(name, meant, &folders));
        if !is_file && !is_base && !is_unset {
            continue;
        }
        let shell = match variable.default {
            _ if variable.percent => "stays as it is in a shell".to_owned(),
            None | Some("") => "is empty in a shell".to_owned(),
            Some(default) => format!("is `{default}` in a shell"),
        };
        let shown = span.slice(body);
        let message = format!("`{shown}` is not replaced in texts, and {shell}");
        let found = sink.report(text.file, place, message);
        found.help = Some(format!("write `${{{meant}}}`"));
        // Another path may be one of the user's project.
        let applicability = if is_file || is_base { Applicability::Safe } else { Applicability::Unsafe };
        found.fix = Some(replace(text.file, place, format!("${{{meant}}}"), applicability));
        found.hosts = context.source_host_of_several();
    }
}

/// The variables of a text, with a default only where it is the working directory.
fn variables(text: &str) -> Vec<WrittenVariable<'_>> {
    let mut out = Vec::new();
    for at in memchr::memchr_iter(b'$', text.as_bytes()) {
        let rest = &text[at + 1..];
        let (braces, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        if !name.contains('_') {
            continue;
        }
        let start = at + 1 + usize::from(braces);
        let default = rest.bytes().skip(end).take(LONGEST_DEFAULT).take_while(|byte| *byte != b'}').count();
        let end = if braces { end + default } else { end };
        if braces && rest.as_bytes().get(end) != Some(&b'}') {
            continue;
        }
        let default = match &rest[name.len()..end] {
            "" => None,
            more => {
                let default = more.strip_prefix(":-").or_else(|| more.strip_prefix('-'));
                let Some(default) =
                    default.filter(|text| matches!(*text, "" | "." | "./" | "$PWD" | "$(pwd)"))
                else {
                    continue;
                };
                Some(default)
            }
        };
        let span = Span::new(at, start + end + usize::from(braces));
        out.push(WrittenVariable { span, name, braces, percent: false, default });
    }
    out.extend(percent_variables(text));
    out.sort_by_key(|variable| variable.span);
    out
}

/// The variables of a text that are written as in the shell of Windows; a script that has them in a template doubles the
/// signs.
fn percent_variables(text: &str) -> impl Iterator<Item = WrittenVariable<'_>> {
    let part = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes).filter_map(move |sign| {
        let start = sign + 1;
        let end = start + bytes[start..].iter().take_while(|byte| part(byte)).count();
        let name = &text[start..end];
        let before = bytes[..start].iter().rev().take_while(|byte| **byte == b'%').count();
        let after = bytes[end..].iter().take_while(|byte| **byte == b'%').count();
        let span = Span::new(start - before, end + after);
        let is_variable = name.contains('_') && after > 0;
        is_variable.then_some(WrittenVariable { span, name, braces: false, percent: true, default: None })
    })
}

/// Whether a variable is `known`, or another name in braces that stands for it.
fn means(variable: &WrittenVariable<'_>, known: &str, folders: &[(&str, &Utf8Path); 2]) -> bool {
    let name = variable.name;
    if name == known {
        return true;
    }
    let is_known = folders.iter().any(|(other, _)| *other == name);
    let is_slip = || misspelt_name(name, folders.map(|(other, _)| other)) == Some(known);
    let is_other = || known.strip_prefix(PREFIX) == Some(name) || is_slip();
    !is_known && (variable.braces && is_other() || is_mixed(name, known, folders))
}

/// Whether a name begins like the variable `known` and ends like the other one: `CLAUDE_PLUGIN_DIR`. No host sets it.
fn is_mixed(name: &str, known: &str, folders: &[(&str, &Utf8Path); 2]) -> bool {
    let (Some((first, last)), Some((start, _))) = (name.rsplit_once('_'), known.rsplit_once('_')) else {
        return false;
    };
    let is_last = |(other, _): &(&str, &Utf8Path)| other.rsplit_once('_').is_some_and(|(_, end)| end == last);
    name != known && first == start && folders.iter().any(is_last)
}

/// Whether a text sets the variable, or tests whether it is set.
fn is_set(text: &str, name: &str) -> bool {
    let tests = ["-n \"$", "-z \"$", "-n \"${", "-z \"${", "-d \"$", "-d \"${"];
    text.contains(&format!("{name}=")) || tests.iter().any(|test| text.contains(&format!("{test}{name}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_names_and_defaults() {
        let found = |text: &'static str| -> Vec<_> {
            variables(text)
                .into_iter()
                .map(|found| (found.span.slice(text), found.name, found.braces, found.default))
                .collect()
        };
        assert_eq!(found("a $A_B/c ${A_B}"), [("$A_B", "A_B", false, None), ("${A_B}", "A_B", true, None)]);
        assert_eq!(found("${A_B:-.}/x"), [("${A_B:-.}", "A_B", true, Some("."))]);
        assert_eq!(found("$HOME ${A_B:?none} ${A_B:-$HOME/a} ${A_B $ A_B A_B% 5%"), []);
        assert_eq!(found("%A_B_C%/x"), [("%A_B_C%", "A_B_C", false, None)]);
        assert_eq!(found("%%A_B%%\\x"), [("%%A_B%%", "A_B", false, None)]);
    }
}
