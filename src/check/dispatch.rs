//! Places where a text dispatches an agent (`subagent_type`, the call `Task name(…)`, the frontmatter field `agent`),
//! runs a skill, or names a component as `plugin:name`. Names in prose without a plugin are found by the model of the
//! source, and only if they exist.

mod name_use;

use std::collections::BTreeSet;

use memchr::memmem;

use super::context::{PluginText, RuleContext};
use super::intent::stands_for_any_agent;
use super::signs::TextSign;
use super::snippet::may_be_shell;
use crate::model::component::Component;
use crate::model::qualified_name::plugin_of;
use crate::model::references::{AgentMentions, ends_with_slash, starts_name};
use crate::read::intent::words_before;
use crate::read::name_words::{is_spaced_letter, leading_name};
use crate::source::{ComponentKind, Span, line_end, line_start};
use name_use::{DISPATCHES, NameContext, RUNS, classify_unknown, lists};

/// One place that names a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The name's bytes.
    pub span: Span,
    /// The name as written.
    pub name: String,
    /// How the name is used.
    pub how: NameUse,
}

/// How a place uses the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameUse {
    /// An agent of that name is to be dispatched.
    Agent,
    /// A skill or command of that name is to be run.
    Skill,
    /// A workflow of that name is to be run.
    Workflow,
    /// The component is mentioned by its qualified name.
    Named,
}

/// Every place in `text` that names a component, in source order.
pub fn find(text: &PluginText<'_>, context: &RuleContext<'_>) -> Vec<Dispatch> {
    let Some(component) = text.component.filter(|_| text.is_markdown()) else { return Vec::new() };
    if context.is_for_another_host(&text.file.path) {
        return Vec::new();
    }
    let body = text.body.slice(text.text);
    let mut out = Vec::new();
    if text.has_sign(TextSign::Dispatch) {
        let types = memmem::find_iter(body.as_bytes(), "subagent_type");
        let types: Vec<usize> = types.collect();
        out.extend(types.iter().filter_map(|at| value(body, at + "subagent_type".len())));
        out.extend(types.iter().flat_map(|at| column(body, *at)));
        out.extend(memmem::find_iter(body.as_bytes(), "Task ").filter_map(|at| call(body, at)));
        out.retain(|found| !is_forbidden(body, found.span.start));
    }
    let taken: Vec<Span> = out.iter().map(|found| found.span).collect();
    let mentions = AgentMentions::default();
    let known = |prefix: &Span| context.directory().has_plugin(prefix.slice(body).trim_end_matches(':'));
    let named: Vec<Dispatch> =
        prefixes(body).filter(known).filter_map(|prefix| named_dispatch(body, prefix)).collect();
    let lists = lists(body, &named);
    let around = NameContext {
        directory: context.directory(),
        mentions: &mentions,
        plugins: certain_plugins(context, named.iter().chain(&out)),
        is_command: &|at| is_in_commands(text, at),
    };
    for (named, list) in named.into_iter().zip(lists) {
        if !taken.iter().any(|span| span.start == named.span.start) {
            out.push(classify_unknown(body, named, list, &around));
        }
    }
    for dispatch in &mut out {
        dispatch.span = dispatch.span.shifted(text.body.start);
    }
    out.extend(field(text, component));
    out.sort_by_key(|dispatch| dispatch.span);
    out
}

/// The plugins of which a text names an existing component, or runs one in a form that only skills have: there, what
/// is before a colon is the plugin, and not the module, image or task that others write in the same way.
fn certain_plugins<'d>(
    context: &RuleContext<'_>,
    named: impl Iterator<Item = &'d Dispatch>,
) -> BTreeSet<String> {
    let is_certain =
        |named: &&Dispatch| named.how == NameUse::Skill || context.directory().contains(&named.name);
    named.filter(is_certain).map(|named| plugin_of(&named.name).to_owned()).collect()
}

/// Whether byte `at` of the body is in a block of shell commands, or behind the first word of inline code.
fn is_in_commands(text: &PluginText<'_>, at: usize) -> bool {
    let body = text.body.slice(text.text);
    let line = &body[line_start(body, at)..at];
    let code = line.rsplit('`').next().unwrap_or_default();
    let is_inline = line.matches('`').count() % 2 == 1 && !code.trim_matches(['/', '@', ' ', '"']).is_empty();
    let holds = |block: &Span| block.start <= text.body.start + at && text.body.start + at < block.end;
    let is_shell = |info: &str| !info.trim().is_empty() && may_be_shell(info);
    let blocks = &text.outline().blocks;
    is_inline || blocks.iter().any(|block| holds(&block.span) && block.info.as_deref().is_some_and(is_shell))
}

/// Every `word:` that can be the plugin part of a qualified name.
fn prefixes(body: &str) -> impl Iterator<Item = Span> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let begins = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii() || *byte == b':';
    let bytes = body.as_bytes();
    let colons = memchr::memchr_iter(b':', bytes).filter(move |at| bytes.get(at + 1).is_some_and(begins));
    colons.filter_map(move |colon| {
        let length = bytes[..colon].iter().rev().take_while(|byte| part(byte)).count();
        let start = colon - length;
        let is_mention = start > 0 && bytes[start - 1] == b'@' && bytes[start..].starts_with(b"agent-");
        let start = if is_mention { start + "agent-".len() } else { start };
        (start < colon).then(|| Span::new(start, colon + 1))
    })
}

/// The frontmatter field `agent` of a skill or command that runs as a fork; hosts ignore it in any other.
fn field(text: &PluginText<'_>, component: &Component) -> Option<Dispatch> {
    component.field("context")?.scalar().filter(|context| context == "fork")?;
    let node = component.field("agent").filter(|_| text.main && component.kind != ComponentKind::Agent)?;
    let name = node.scalar().filter(|name| is_name(name))?;
    let at = node.span.start + node.span.slice(text.text).find(name.as_str())?;
    Some(Dispatch { span: Span::new(at, at + name.len()), name, how: NameUse::Agent })
}

/// `plugin:name` and `plugin::name`, with or without a slash; `prefix` is `plugin:`.
fn named_dispatch(body: &str, prefix: Span) -> Option<Dispatch> {
    let before = &body[..prefix.start];
    let slash = ends_with_slash(before);
    // A comment that marks a section of the document.
    if before.trim_end_matches(['/', ' ']).ends_with("<!--") {
        return None;
    }
    if !starts_name(before, prefix.slice(body)) {
        return None;
    }
    let rest = &body[prefix.end..];
    let local = leading_name(rest, ":").trim_end_matches([':', '-', '_']);
    let after = &rest[local.len()..];
    // A line may break behind a hyphen of the name.
    let tail = after.strip_prefix('-').and_then(second_half);
    let broken = tail.map(|tail| format!("{}{local}-{tail}", prefix.slice(body)));
    let tail_end = tail.map_or(local.len(), |tail| {
        let from = rest.len() - after.len();
        from + after.find(tail).unwrap_or(0) + tail.len()
    });
    let after = &rest[tail_end..];
    let behind = after.trim_start_matches([':', '-', '_']);
    // The stars of `**name**` are markup.
    let pattern = behind.starts_with('*') && !(behind == after && before.ends_with('*'));
    let file = after.starts_with(['/', '\\', '('])
        || behind.starts_with(['<', '{', '$'])
        || pattern
        || after.strip_prefix('.').is_some_and(|after| after.starts_with(is_spaced_letter));
    let span = Span::new(prefix.start, prefix.end + tail_end);
    let quoted = before.trim_end_matches(['"', '\'', '`', ' ']);
    let skill = ["skill:", "skill=", "skill\":", "Skill("].iter().any(|say| quoted.ends_with(say));
    let how = if slash || skill { NameUse::Skill } else { NameUse::Named };
    let name = broken.as_deref().unwrap_or_else(|| span.slice(body));
    let begins = local.trim_start_matches(':').starts_with(char::is_alphabetic);
    (begins && !file && is_name(name)).then(|| Dispatch { span, name: name.to_owned(), how })
}

/// The rest of a name at the start of the next line.
fn second_half(after: &str) -> Option<&str> {
    let line =
        after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'))?.trim_start_matches([' ', '\t']);
    let half = leading_name(line, "").trim_end_matches(['-', '_']);
    half.starts_with(char::is_lowercase).then_some(half)
}

/// Whether the words before byte `at` on its line forbid the action.
fn is_forbidden(body: &str, at: usize) -> bool {
    let is_verb = |word: &String| RUNS.contains(&word.as_str()) || DISPATCHES.contains(&word.as_str());
    let is_not = |word: &String| ["not", "never", "t"].contains(&word.as_str());
    words_before(body, at).windows(2).any(|pair| is_not(&pair[0]) && is_verb(&pair[1]))
}

/// `: name`, `="name"`, `": "name"` and the like after the word `subagent_type`; in quotes also ` "plugin:name"`.
fn value(body: &str, at: usize) -> Option<Dispatch> {
    let quotes = ['"', '\'', '`'];
    let rest = body[at..].strip_prefix(quotes).unwrap_or(&body[at..]).trim_start_matches(' ');
    let sign = rest.strip_prefix([':', '=']);
    let prose = || ["of ", "is ", "set to ", ""].iter().find_map(|word| rest.strip_prefix(word));
    let rest = sign.or_else(|| prose().filter(|rest| rest.starts_with(quotes)))?;
    let rest = rest.trim_start_matches(' ').trim_start_matches(quotes);
    name_at(body, body.len() - rest.len()).filter(|found| sign.is_some() || found.name.contains(':'))
}

/// The qualified names in the column of a table whose head is `subagent_type`; `at` is the word.
fn column(body: &str, at: usize) -> Vec<Dispatch> {
    let start = line_start(body, at);
    let head = &body[start..line_end(body, at)];
    let cells = |line: &str| line.trim().trim_start_matches('|').matches('|').count();
    let cell = head[at - start..].split('|').next().unwrap_or_default();
    let before = head[..at - start].rsplit('|').next().unwrap_or_default();
    let is_bare = |part: &str| part.trim_matches([' ', '`', '*']).is_empty();
    if !head.trim_start().starts_with('|') || !is_bare(before) || !is_bare(&cell["subagent_type".len()..]) {
        return Vec::new();
    }
    let index = cells(&head[..at - start]);
    let mut from = (line_end(body, at) + 1).min(body.len());
    let mut out = Vec::new();
    for line in body[from..].split_inclusive('\n') {
        let row = line.trim_start();
        if !row.starts_with('|') {
            break;
        }
        let mut at = from + line.len() - row.len() + 1;
        for (number, cell) in row[1..].split('|').enumerate() {
            let name = cell.trim_start_matches([' ', '`', '*', '"']);
            if number == index {
                let found = name_at(body, at + cell.len() - name.len());
                out.extend(found.filter(|found| found.name.contains(':')));
            }
            at += cell.len() + 1;
        }
        from += line.len();
    }
    out
}

/// `Task name(`, where `Task` starts a word.
fn call(body: &str, at: usize) -> Option<Dispatch> {
    let starts = !body[..at].ends_with(|c: char| c.is_alphanumeric() || "_-:/.".contains(c));
    let found = name_at(body, at + "Task ".len()).filter(|_| starts)?;
    let lower = found.name.starts_with(|c: char| c.is_lowercase());
    (lower && body[found.span.end..].starts_with('(')).then_some(found)
}

fn name_at(body: &str, start: usize) -> Option<Dispatch> {
    let rest = &body[start..];
    let name = leading_name(rest, ":.");
    let end = name.len();
    let name = name.trim_end_matches([':', '.', '-', '_']);
    let after = rest[name.len()..].chars().next();
    let open =
        after.is_some_and(|c| "<{$[*/|+%".contains(c)) || rest[end..].starts_with(['<', '{', '$', '*', '/']);
    (is_name(name) && !open).then(|| Dispatch {
        span: Span::new(start, start + name.len()),
        name: name.to_owned(),
        how: NameUse::Agent,
    })
}

/// Whether a word is the name of an agent and not a placeholder.
fn is_name(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-:. ".contains(c));
    let stands = name.split(':').any(stands_for_any_agent);
    name.len() > 1 && plain && name.starts_with(char::is_alphabetic) && !stands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_where_something_is_dispatched() {
        let found = |body: &str| {
            let values = memmem::find_iter(body.as_bytes(), "subagent_type")
                .filter_map(|at| value(body, at + "subagent_type".len()));
            let calls = memmem::find_iter(body.as_bytes(), "Task ").filter_map(|at| call(body, at));
            values.chain(calls).map(|found| found.span.slice(body).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("subagent_type: checker."), ["checker"]);
        assert_eq!(found("`subagent_type`: \"a:b\", subagent_type=`cc`"), ["a:b", "cc"]);
        assert_eq!(found("{\"subagent_type\": \"checker\"}"), ["checker"]);
        assert_eq!(found("subagent_type \"a:b\", `subagent_type` set to `a:c`"), ["a:b", "a:c"]);
        assert_eq!(found("- Task p:review:checker(what changed)"), ["p:review:checker"]);
        let of = |body: &str| {
            named_dispatch(body, Span::new(body.find("p:").unwrap(), body.find("p:").unwrap() + 2))
        };
        let how = |body: &str| of(body).map(|found| (found.name, found.how));
        assert_eq!(how("run `/p:plan`"), Some(("p:plan".to_owned(), NameUse::Skill)));
        assert_eq!(how("skill: \"p:plan\""), Some(("p:plan".to_owned(), NameUse::Skill)));
        assert_eq!(how("`Skill(p:a-\n  plan)`"), Some(("p:a-plan".to_owned(), NameUse::Skill)));
        assert_eq!(how("see p:a:b."), Some(("p:a:b".to_owned(), NameUse::Named)));
        for silent in [
            "https://e.org/p:x",
            "p:docs-{framework}",
            "p: x",
            "p:x.md",
            "p:<name>",
            "p:target-name",
            "xp:y",
            "p:3",
        ] {
            assert_eq!(how(silent), None, "{silent}");
        }
        for silent in [
            "Tasks: checker(s)",
            "Task 3(b)",
            "the subagent_type of",
            "`subagent_type`, `prompt` and `subagent_type` `prompt`",
            "subagent_type: <agent>",
            "subagent_type: \"{agent}\"",
            "subagent_type: $AGENT",
            "subagent_type: p:<category>:x",
            "subagent_type: agent-name",
            "MyTask checker(x)",
            "Task Management(x)",
        ] {
            assert_eq!(found(silent), [""; 0], "{silent}");
        }
    }
}
