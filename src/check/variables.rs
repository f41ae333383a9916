//! The forms in which authors write the variables for the folder of a plugin or a skill. Hosts replace only one of them;
//! rules decide by place which of the others are faults.

use crate::model::similar_names::misspelt_name;
use crate::source::Span;

/// A variable as a text has it.
#[derive(Debug, PartialEq, Eq)]
pub struct WrittenVariable<'t> {
    /// All of it.
    pub span: Span,
    /// Its name.
    pub name: &'t str,
    /// How it is written.
    pub form: VariableNotation<'t>,
}

/// How a variable is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableNotation<'t> {
    /// `$NAME`
    Bare,
    /// `${NAME}`
    Braces,
    /// `${NAME:-.}`, with what a shell takes in its place; empty if the shell only cuts it, as `${NAME%/}`.
    Default(&'t str),
    /// `%NAME%`, as in the shell of Windows.
    Percent,
    /// `{NAME}` or `{{NAME}}`, as in templates.
    Template,
    /// `$(NAME)`, as in a makefile.
    Command,
    /// `$env:NAME`, as in PowerShell.
    PowerShell,
    /// `${env:NAME}`, `{env:NAME}` or `${input:NAME}`, as in the configuration of other programs, with the word before
    /// the name.
    Source(&'t str),
}

/// The beginning of the names of the source host's variables, which an author may leave out.
const PREFIX: &str = "CLAUDE_";

/// The last word of a name for a folder.
const FOLDER_WORD: &str = "PATH";

/// How many bytes a default may have: a text has any number of braces that nobody closes.
const LONGEST_DEFAULT: usize = 16;

/// Words before the name in the configuration of other programs.
const SOURCES: [&str; 2] = ["env", "input"];

/// The variables of a text, with a default only where it is the working directory. A name without `_` is left out,
/// except after `env:` or `input:`.
pub fn find(text: &str) -> Vec<WrittenVariable<'_>> {
    let bytes = text.as_bytes();
    let mut out: Vec<WrittenVariable<'_>> =
        memchr::memchr_iter(b'$', bytes).filter_map(|at| after_dollar(text, at)).collect();
    out.extend(percent_variables(text));
    out.extend(memchr::memchr_iter(b'{', bytes).filter_map(|at| in_template(text, at)));
    out.sort_by_key(|variable| variable.span);
    out
}

/// The name at the beginning of a text.
fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The variable at a dollar sign.
fn after_dollar(text: &str, at: usize) -> Option<WrittenVariable<'_>> {
    let rest = &text[at + 1..];
    let variable = |name, length: usize, form| {
        Some(WrittenVariable { span: Span::new(at, at + 1 + length), name, form })
    };
    if let Some(inner) = rest.strip_prefix('(') {
        let name = leading_name(inner);
        let is_variable = is_constant(name) && inner[name.len()..].starts_with(')');
        return is_variable.then(|| variable(name, name.len() + 2, VariableNotation::Command))?;
    }
    let Some(inner) = rest.strip_prefix('{') else {
        if let Some(inner) = rest.strip_prefix("env:") {
            let name = leading_name(inner);
            return is_constant(name)
                .then(|| variable(name, "env:".len() + name.len(), VariableNotation::PowerShell))?;
        }
        let name = leading_name(rest);
        return name.contains('_').then(|| variable(name, name.len(), VariableNotation::Bare))?;
    };
    if let Some((source, name)) = sourced(inner) {
        return variable(name, source.len() + name.len() + 3, VariableNotation::Source(source));
    }
    let name = leading_name(inner);
    let more = inner.bytes().skip(name.len()).take(LONGEST_DEFAULT).take_while(|byte| *byte != b'}').count();
    let end = name.len() + more;
    if !name.contains('_') || inner.as_bytes().get(end) != Some(&b'}') {
        return None;
    }
    let form = match &inner[name.len()..end] {
        "" => VariableNotation::Braces,
        "%/" | "%%/" => VariableNotation::Default(""),
        more => {
            let default = more.strip_prefix(":-").or_else(|| more.strip_prefix('-'))?;
            let is_folder = matches!(default, "" | "." | "./" | "$PWD" | "$(pwd)");
            is_folder.then_some(VariableNotation::Default(default))?
        }
    };
    variable(name, end + 2, form)
}

/// The word and the name of `env:NAME}` at the beginning of a text.
fn sourced(inner: &str) -> Option<(&str, &str)> {
    let source = SOURCES
        .into_iter()
        .find(|word| inner.strip_prefix(word).is_some_and(|rest| rest.starts_with(':')))?;
    let name = leading_name(&inner[source.len() + 1..]);
    let is_closed = inner[source.len() + 1 + name.len()..].starts_with('}');
    (!name.is_empty() && is_closed).then(|| (&inner[..source.len()], name))
}

/// The variable at a brace that follows no dollar sign.
fn in_template(text: &str, at: usize) -> Option<WrittenVariable<'_>> {
    let before = &text[..at];
    if before.ends_with(['$', '{', '#']) {
        return None;
    }
    if let Some((source, name)) = sourced(&text[at + 1..]) {
        let span = Span::new(at, at + source.len() + name.len() + 3);
        return Some(WrittenVariable { span, name, form: VariableNotation::Source(source) });
    }
    let count = if text[at..].starts_with("{{") { 2 } else { 1 };
    let name = leading_name(&text[at + count..]);
    let is_closed = text[at + count + name.len()..].starts_with(if count == 2 { "}}" } else { "}" });
    let span = Span::new(at, at + name.len() + 2 * count);
    (is_constant(name) && is_closed).then_some(WrittenVariable {
        span,
        name,
        form: VariableNotation::Template,
    })
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
        is_variable.then_some(WrittenVariable { span, name, form: VariableNotation::Percent })
    })
}

/// Whether a name is in upper case and has several words.
fn is_constant(name: &str) -> bool {
    name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

impl WrittenVariable<'_> {
    /// The variable of the two `folders` that is meant, if it is one of them or another name that stands for it. Another
    /// name counts in braces, or if it mixes the words of the two.
    pub fn intended_folder<'k>(&self, folders: [&'k str; 2]) -> Option<&'k str> {
        let name = self.name;
        if let Some(known) = folders.into_iter().find(|known| *known == name) {
            return Some(known);
        }
        let in_braces = matches!(self.form, VariableNotation::Braces | VariableNotation::Default(_));
        let slip = misspelt_name(name, folders).filter(|_| in_braces);
        let mixed = folders.into_iter().find(|known| mixes(name, known, folders));
        let short = folders.into_iter().find(|known| in_braces && known.strip_prefix(PREFIX) == Some(name));
        mixed.or(short).or(slip)
    }
}

/// Whether a name begins like the variable `known` and ends like the other one, or in another word for a folder:
/// `CLAUDE_PLUGIN_DIR`. No host sets it.
pub fn mixes(name: &str, known: &str, folders: [&str; 2]) -> bool {
    let (Some((first, last)), Some((start, _))) = (name.rsplit_once('_'), known.rsplit_once('_')) else {
        return false;
    };
    let is_last = |other: &&str| other.rsplit_once('_').is_some_and(|(_, end)| end == last);
    name != known && first == start && (last == FOLDER_WORD || folders.iter().any(is_last))
}

/// Whether a text sets the variable, or tests whether it is set.
pub fn is_set(text: &str, name: &str) -> bool {
    let tests = ["-n \"$", "-z \"$", "-n \"${", "-z \"${", "-d \"$", "-d \"${"];
    text.contains(&format!("{name}=")) || tests.iter().any(|test| text.contains(&format!("{test}{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, &str, VariableNotation<'_>)> {
        find(text).into_iter().map(|found| (found.span.slice(text), found.name, found.form)).collect()
    }

    #[test]
    fn variables_have_names_and_defaults() {
        let expected = [("$A_B", "A_B", VariableNotation::Bare), ("${A_B}", "A_B", VariableNotation::Braces)];
        assert_eq!(found("a $A_B/c ${A_B}"), expected);
        assert_eq!(found("${A_B:-.}/x"), [("${A_B:-.}", "A_B", VariableNotation::Default("."))]);
        assert_eq!(found("${A_B%%/}/x"), [("${A_B%%/}", "A_B", VariableNotation::Default(""))]);
        assert_eq!(found("$HOME ${A_B:?none} ${A_B:-$HOME/a} ${A_B $ A_B A_B% 5%"), []);
    }

    #[test]
    fn forms_of_other_programs_are_known() {
        assert_eq!(found("%A_B_C%/x"), [("%A_B_C%", "A_B_C", VariableNotation::Percent)]);
        assert_eq!(found("%%A_B%%\\x"), [("%%A_B%%", "A_B", VariableNotation::Percent)]);
        assert_eq!(found("{A_B}/x"), [("{A_B}", "A_B", VariableNotation::Template)]);
        assert_eq!(found("{{A_B}}/x"), [("{{A_B}}", "A_B", VariableNotation::Template)]);
        assert_eq!(found("$(A_B)/x"), [("$(A_B)", "A_B", VariableNotation::Command)]);
        assert_eq!(found("$env:A_B/x"), [("$env:A_B", "A_B", VariableNotation::PowerShell)]);
        let named = [
            ("${env:KEY}", "KEY", VariableNotation::Source("env")),
            ("${input:key}", "key", VariableNotation::Source("input")),
            ("{env:KEY}", "KEY", VariableNotation::Source("env")),
        ];
        assert_eq!(found("${env:KEY} ${input:key} {env:KEY}"), named);
        assert_eq!(found("{a_b} {A_B {{A_B} ${{A_B}} $(date) $(a_b) {env:} {\"env\":1}"), []);
    }

    #[test]
    fn names_stand_for_a_folder() {
        let folders = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_SKILL_DIR"];
        let meant = |text: &'static str| find(text)[0].intended_folder(folders);
        for text in ["${CLAUDE_PLUGIN_ROT}", "${PLUGIN_ROOT}", "$CLAUDE_PLUGIN_DIR", "{CLAUDE_PLUGIN_PATH}"] {
            assert_eq!(meant(text), Some("CLAUDE_PLUGIN_ROOT"), "{text}");
        }
        assert_eq!(meant("${CLAUDE_SKILL_PATH}"), Some("CLAUDE_SKILL_DIR"));
        for text in ["$PLUGIN_ROOT", "${CLAUDE_PROJECT_DIR}", "${CLAUDE_PLUGIN_DATA}", "$CLAUDE_PLUGIN_ROT"] {
            assert_eq!(meant(text), None, "{text}");
        }
    }
}
