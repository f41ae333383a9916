//! A path names a file that the skill or plugin should ship but does not.

use camino::Utf8Path;

use crate::check::context::{PluginText, RuleContext};
use crate::check::intent::{in_tests, is_conditional, is_if_there, is_of_users_project};
use crate::check::mention::{PathForm, PathMention, REFERENCES, SCRIPTS};
use crate::check::paths::{self, PathTarget, in_named_skill};
use crate::check::program_calls;
use crate::check::rule::{Rule, RuleCheck, RuleGroup};
use crate::check::sink::FindingSink;
use crate::diagnostic::Severity;
use crate::model::component::Component;
use crate::read::intent;
use crate::read::markdown::language;
use crate::read::shell_names::{is_interpreter, is_shell};
use crate::source::{ComponentKind, SKILL_FILE, is_markdown, line_end, line_start};

pub(super) const RULE: Rule = Rule {
    name: "missing-bundled-path",
    group: RuleGroup::Suspicious,
    severity: Severity::Warning,
    summary: "a path names a file that the skill does not ship",
    page: include_str!("missing_bundled_path.md"),
    check: RuleCheck::Text(check),
};

/// Extensions of files that are written by hand.
const SHIPPED: [&str; 8] = [".md", ".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1"];

/// Folders that are created by installing, building or running.
const GENERATED_FOLDERS: [&str; 9] =
    ["node_modules", ".venv", "venv", "dist", "build", "target", "out", "output", "tmp"];

fn check(context: &RuleContext<'_>, text: &PluginText<'_>, sink: &mut FindingSink) {
    if text.is_example()
        || text.mentions(context).is_empty()
        || is_test_data(text)
        || is_about_plugins(context, text)
    {
        return;
    }
    for mention in text.mentions(context) {
        let PathTarget::Missing(wanted) = mention.target(context, text) else { continue };
        if !names_plugin_file(context, text, mention, wanted) {
            continue;
        }
        let inner = text.plugin.relative_path(wanted);
        let message = format!("`{}` does not exist: the plugin has no `{inner}`", mention.path);
        let found = sink.report(text.file, mention.span, message);
        found.help = Some(match paths::nearest_file(text, wanted) {
            // Repeating the same path would not help.
            Some(other) if text.plugin.relative_path(other) == mention.path => {
                let root = &context.targets.source().plugin_root;
                format!("the plugin has one in its own folder: write `${{{root}}}/{}`", mention.path)
            }
            Some(other) => format!("did you mean `{}`?", text.plugin.relative_path(other)),
            None => "add the file, or fix the path".to_owned(),
        });
    }
}

/// Whether a file of the plugin is meant, not one that the text creates, shows or leaves open.
fn names_plugin_file(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    mention: &PathMention,
    wanted: &Utf8Path,
) -> bool {
    let last = wanted.file_name().unwrap_or_default();
    let file = last.contains('.') && !last.starts_with('.');
    let run = runs_program(text, mention, file);
    let is_meant = || file || run && !program_calls::is_made(context, text, &mention.path);
    if is_in_working_folder(context, text, mention)
        || !is_meant()
        || is_generated(mention)
        || is_excused(context, text, mention)
    {
        return false;
    }
    let there = || first_folder(context, text, mention, wanted) || is_forgotten(text, mention);
    // A command in a project's skill runs in the project, whose other files were not read.
    let in_code = matches!(mention.form, PathForm::Code | PathForm::Block);
    if text.lies_in_a_project() && in_code && !there() {
        return false;
    }
    let own = text.component.map(|component| component.kind) == Some(ComponentKind::Skill);
    match mention.form {
        // A file that a program stores there need not exist yet; a script or a text must.
        PathForm::Root | PathForm::Skill if run => true,
        PathForm::Root => {
            there() || mention.path.contains('/') && SHIPPED.iter().any(|end| last.ends_with(end))
        }
        PathForm::Skill => there() || SHIPPED.iter().any(|end| last.ends_with(end)),
        _ => own && is_own_file(context, text, mention, run, there),
    }
}

/// Whether a skill names a file that lies `there`, in its folder, without a variable.
fn is_own_file(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    mention: &PathMention,
    run: bool,
    there: impl Fn() -> bool,
) -> bool {
    let in_code = matches!(mention.form, PathForm::Code | PathForm::Block);
    if in_code && mention.path.starts_with("./") {
        return runs_in_own_folder(text);
    }
    if in_code && is_own_script(text, mention) {
        return mention.form == PathForm::Block || !named_elsewhere(context, text, mention);
    }
    if !there() {
        return false;
    }
    // A program that is called by its path alone may be one of the user's project.
    if in_code && run {
        return runs_in_own_folder(text) && !named_elsewhere(context, text, mention);
    }
    match mention.form {
        PathForm::Block => intent::uses(text.text, mention.span.start),
        form => {
            (form == PathForm::Code || is_text_to_read(text, mention))
                && !named_elsewhere(context, text, mention)
                && !is_of_repository(context, mention)
        }
    }
}

/// Whether the path is relative to the folder that a command runs in, which is the user's, except for a skill that has
/// scripts.
fn is_in_working_folder(context: &RuleContext<'_>, text: &PluginText<'_>, mention: &PathMention) -> bool {
    let of_skill = |path: &str| {
        path.starts_with(SCRIPTS) && context.paths().has_folder(&paths::own_folder(text).join("scripts"))
    };
    matches!(mention.form, PathForm::Code | PathForm::Block)
        && mention.path.strip_prefix("./").is_some_and(|path| !of_skill(path))
}

/// Whether installing, building or running creates the file. What a path after the plugin's variable names was built
/// before the plugin was installed.
fn is_generated(mention: &PathMention) -> bool {
    mention.form != PathForm::Root && mention.path.split('/').any(|part| GENERATED_FOLDERS.contains(&part))
}

/// Whether the path is a program that the text runs. The argument of an interpreter, and what stands where a command
/// begins, is one even without an extension; `file` tells whether the path has one.
fn runs_program(text: &PluginText<'_>, mention: &PathMention, file: bool) -> bool {
    let is_started = || started(text, mention);
    let is_called = || program_calls::is_called(text, mention.span);
    match (is_after_variable(mention), file) {
        (true, true) => is_started(),
        (true, false) => is_started() || is_called(),
        (false, true) => false,
        (false, false) => mention.path.starts_with(SCRIPTS) && (is_started() || is_called()),
    }
}

fn is_after_variable(mention: &PathMention) -> bool {
    matches!(mention.form, PathForm::Root | PathForm::Skill)
}

/// Whether the text around the path explains why the file need not exist.
fn is_excused(context: &RuleContext<'_>, text: &PluginText<'_>, mention: &PathMention) -> bool {
    let (start, end) = (mention.span.start, mention.span.end);
    mention.path.split('/').any(intent::stands_for_any)
        || intent::is_created(text.text, start)
        || intent::is_joined(text.text, start)
        || is_written(text, mention)
        || is_included(text, mention)
        || is_in_quoted_comment(text, mention)
        || is_of_another(context, text, mention)
        || is_shown_below(text, mention)
        || is_in_json(text, mention)
        || is_if_there(text.text, start, end)
        || !is_after_variable(mention) && is_of_users_project(text.text, start, end)
        || intent::list_intro(text.text, start).is_some_and(|intro| is_conditional(&intro))
}

/// Whether running text asks to read the path: it is written by hand, and in bold or after a word such as "see".
fn is_text_to_read(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let (before, after) = (&text.text[..mention.span.start], &text.text[mention.span.end..]);
    let is_bold = before.ends_with("**") && after.starts_with("**");
    SHIPPED.iter().any(|end| mention.path.ends_with(end))
        && (is_bold || intent::uses(text.text, mention.span.start))
}

/// Whether the author of a skill forgot to add the folder: the text reads a document in the folder that skills have for
/// documents, or calls a script in the one for scripts.
fn is_forgotten(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let reads = || is_markdown(&mention.path) && intent::uses(text.text, mention.span.start);
    runs_in_own_folder(text)
        && (mention.path.starts_with(REFERENCES) && reads()
            || mention.path.starts_with(SCRIPTS) && program_calls::is_called(text, mention.span))
}

/// Whether an interpreter starts a script in the `scripts` folder of a skill, and no word says that it belongs to
/// something else.
fn is_own_script(text: &PluginText<'_>, mention: &PathMention) -> bool {
    started(text, mention) && mention.path.starts_with(SCRIPTS) && runs_in_own_folder(text)
}

/// Whether the commands of the text run in the skill's own folder, and not in a clone of a repository.
fn runs_in_own_folder(text: &PluginText<'_>) -> bool {
    text.main && !text.text.contains("clone")
}

/// Whether the command before the path is an interpreter alone.
fn started(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let line = &text.text[line_start(text.text, mention.span.start)..mention.span.start];
    let command = line.trim_start().trim_start_matches("$ ").rsplit('`').next().unwrap_or_default();
    starts_script(command.trim().trim_end_matches('"'))
}

/// Whether the text is in a folder of tests beside the main file of its component: its paths belong to what is tested.
fn is_test_data(text: &PluginText<'_>) -> bool {
    let inner = text.file.path.strip_prefix(paths::own_folder(text));
    !text.main && inner.is_ok_and(in_tests)
}

/// Whether the path is in a block of JSON: that is a file of the user's plugin or project.
fn is_in_json(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let mut blocks = text.outline().blocks.iter();
    let block = blocks.find(|block| block.span.contains(mention.span.start));
    let info = block.and_then(|block| block.info.as_deref());
    info.is_some_and(|info| matches!(language(info), "json" | "jsonc" | "json5"))
}

/// Whether the skill or command is about writing plugins or skills: the paths in its texts are examples.
fn is_about_plugins(context: &RuleContext<'_>, text: &PluginText<'_>) -> bool {
    let Some(component) = text.component else { return false };
    let main = context.file(&component.path).and_then(|file| file.text()).unwrap_or_default();
    ["plugin.json", "hooks.json", "frontmatter"].iter().any(|word| main.contains(word))
        || main.matches(SKILL_FILE).count() > 2
}

/// Whether the first folder of the path exists: in the plugin, in the skill, or next to the text.
fn first_folder(
    context: &RuleContext<'_>,
    text: &PluginText<'_>,
    mention: &PathMention,
    wanted: &Utf8Path,
) -> bool {
    let own = paths::own_folder(text);
    if mention.path.starts_with("../") || mention.path.starts_with("./") {
        return wanted.parent().is_some_and(|folder| folder != own && context.paths().has_folder(folder));
    }
    let top = mention.path.split('/').next().unwrap_or_default();
    let bases: &[&Utf8Path] = match mention.form {
        PathForm::Root => &[text.plugin.root.as_path()],
        _ => &[own, text.file.path.parent().unwrap_or(own)],
    };
    bases.iter().any(|base| context.paths().has_folder(&base.join(top)))
}

/// Whether the path exists in another skill that the text names, or in the plugin itself.
fn named_elsewhere(context: &RuleContext<'_>, text: &PluginText<'_>, mention: &PathMention) -> bool {
    let around = intent::surrounding_text(text.text, mention.span.start, mention.span.end);
    let deeper = format!("/{}", mention.path);
    // In a folder of the skill that the text names next to it.
    let of_folder = |file: &&camino::Utf8PathBuf| {
        let folder = file.as_str().strip_suffix(&deeper).and_then(|folder| folder.rsplit('/').next());
        folder.is_some_and(|folder| around.contains(folder))
    };
    let above = intent::list_intro(text.text, mention.span.start);
    text.component.is_some_and(|own| own.files.iter().any(|file| of_folder(&file)))
        || above.is_some_and(|line| in_named_skill(context, text, &line, &mention.path).is_some())
        || in_named_skill(context, text, around, &mention.path).is_some()
        || context.paths().contains(&text.plugin.root.join(&mention.path))
}

/// How far before a path in code the code may begin, in bytes.
const COMMENT: usize = 200;

/// Whether the words right before the path give it to another skill or plugin: its name and `'s`, or its name in code and
/// an arrow.
fn is_of_another(context: &RuleContext<'_>, text: &PluginText<'_>, mention: &PathMention) -> bool {
    let at = mention.span.start;
    let from = text.text.ceil_char_boundary(at.saturating_sub(COMMENT));
    let before = text.text[from..at].strip_suffix('`').filter(|_| mention.form == PathForm::Code);
    let before = before.unwrap_or_default().trim_end_matches([' ', '*', '[']);
    let end_of = |marks: &[&str]| marks.iter().find_map(|mark| before.strip_suffix(*mark)).map(str::trim_end);
    let (belongs, leads) = (end_of(&["'s", "’s"]), end_of(&["→", "->", "=>"]));
    let Some(owner) = belongs.or(leads) else { return false };
    let bare = owner.trim_end_matches(['`', '*']);
    let is_code = owner.trim_end_matches('*').ends_with('`');
    let part = |c: char| c.is_alphanumeric() || "_-".contains(c);
    let name = bare.rsplit(|c| !part(c)).next().unwrap_or_default();
    // A path or a command has another meaning.
    let opened = &bare[..bare.len() - name.len()];
    if name.is_empty() || is_code && !opened.ends_with('`') || leads.is_some() && !is_code {
        return false;
    }
    let is_own = |own: &str| own.split(['-', ':']).any(|part| part == name) || own == name;
    let others = context.project.plugins.iter().filter(|plugin| plugin.name != text.plugin.name);
    !text.component.is_some_and(|own| is_own(&own.name))
        && !is_own(&text.plugin.name)
        && (is_code || others.into_iter().any(|plugin| is_own(&plugin.name)))
}

/// Whether the path is in a comment that is quoted as code.
fn is_in_quoted_comment(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let at = mention.span.start;
    let before = &text.text[text.text.ceil_char_boundary(at.saturating_sub(COMMENT))..at];
    let quoted = mention.form == PathForm::Code && before.contains('`');
    let code = before.rsplit('`').next().unwrap_or_default();
    quoted && ["// ", "# ", "/* ", "<!-- "].iter().any(|mark| code.starts_with(mark))
}

/// Whether the repository has the path, not the plugin: a text that only names it is about the development of the
/// plugin.
fn is_of_repository(context: &RuleContext<'_>, mention: &PathMention) -> bool {
    context.paths().contains(Utf8Path::new(&mention.path))
}

/// Whether a block right below the line of the path shows the content of the file.
fn is_shown_below(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let end = line_end(text.text, mention.span.end);
    let rest = text.text[mention.span.end..end].trim();
    let ends_line = rest.ends_with(':') && rest.chars().all(|c| "`)*:".contains(c));
    let below = text.text[end..].trim_start();
    mention.form == PathForm::Code && ends_line && (below.starts_with("```") || below.starts_with("~~~"))
}

/// Whether something is written or copied to the path.
fn is_written(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let words = intent::words_before(text.text, mention.span.start);
    words.last().is_some_and(|word| matches!(word.as_str(), "to" | "into" | "as"))
}

/// Whether a command includes the path with `@`; `include-missing` reports that.
fn is_included(text: &PluginText<'_>, mention: &PathMention) -> bool {
    let command = text.component.is_some_and(Component::is_command);
    command && text.main && text.text[..mention.span.start].ends_with('@')
}

/// Whether a command without a script would start the one whose path follows it.
fn starts_script(command: &str) -> bool {
    let mut words = command.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(program), None, None) => is_shell(program) || is_interpreter(program),
        (Some("uv" | "bun" | "deno"), Some("run"), None) => true,
        (Some("npx"), Some(program), None) => is_interpreter(program),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_started_by_a_program_alone() {
        for command in ["bash", "python3", "uv run", "npx tsx"] {
            assert!(starts_script(command), "{command}");
        }
        for command in ["", "uv", "npx", "npx prettier", "bash -c", "cat"] {
            assert!(!starts_script(command), "{command}");
        }
    }
}
