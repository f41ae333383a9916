//! Signs that a word is a name: a slash or dollar sign that calls it, markup around it, a field that contains nothing
//! else, or the word "skill" next to it.

use super::mention::MentionVerdict;
use crate::read::markdown::{self, Region, RegionKind};
use crate::source::{SourceFile, Span, last_line};

/// The label of a call.
pub(super) const CALL: &str = "a call";

/// The kind of text in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Markdown.
    Markdown,
    /// JSON, YAML or TOML.
    Data,
    /// Any other text for people.
    Text,
    /// A program.
    Code,
}

/// A text that is searched for signs.
#[derive(Debug)]
pub(super) struct SkillSigns<'t> {
    text: &'t str,
    /// The kind of text.
    pub(super) form: TextKind,
    regions: Option<Vec<Region>>,
}

impl<'t> SkillSigns<'t> {
    pub(super) fn new(file: &SourceFile, text: &'t str) -> Self {
        let ending = file.path.extension().unwrap_or_default().to_ascii_lowercase();
        let form = match ending.as_str() {
            "md" | "mdx" | "mdc" | "markdown" => TextKind::Markdown,
            "json" | "jsonc" | "json5" | "jsonl" | "yaml" | "yml" | "toml" => TextKind::Data,
            "txt" | "rst" | "adoc" => TextKind::Text,
            "" if !text.starts_with("#!") => TextKind::Text,
            _ => TextKind::Code,
        };
        Self { text, form, regions: None }
    }

    /// Whether `span` is in prose, outside of code.
    pub(super) fn is_prose(&mut self, span: Span) -> bool {
        match self.form {
            TextKind::Markdown => {
                !matches!(self.region(span), Some(RegionKind::CodeBlock | RegionKind::CodeSpan))
            }
            form => form == TextKind::Text,
        }
    }

    fn region(&mut self, span: Span) -> Option<RegionKind> {
        let text = self.text;
        let regions = self.regions.get_or_insert_with(|| markdown::regions(text, Span::new(0, text.len())));
        markdown::region_at(regions, span.start)
    }

    /// Classifies the whole word at `span`, which is not part of a path and has no colon. `field` means that it is in a
    /// field of names, `in_plugin` that the file belongs to a plugin or is about plugins.
    pub(super) fn name(&mut self, span: Span, field: bool, in_plugin: bool) -> MentionVerdict {
        const UNSURE: MentionVerdict = MentionVerdict::Unsure("it may be the skill's name");
        let (before, after) = (&self.text[..span.start], &self.text[span.end..]);
        if self.form == TextKind::Code {
            return UNSURE;
        }
        if field {
            return MentionVerdict::Name("a field that contains names");
        }
        if is_slash_call(before) || before.ends_with('$') && !after.starts_with(['(', '[']) {
            return MentionVerdict::Name(CALL);
        }
        let before_name = before.trim_end_matches(['"', '\'', '`', ' ']);
        if ["skill:", "skill=", "skill\":", "Skill("].iter().any(|say| before_name.ends_with(say)) {
            return MentionVerdict::Name(CALL);
        }
        if self.form == TextKind::Data && is_value(before, after) {
            return if in_plugin { MentionVerdict::Name("a value") } else { UNSURE };
        }
        if self.form == TextKind::Markdown && self.region(span) == Some(RegionKind::CodeBlock) {
            return MentionVerdict::Unsure("an example, or the skill's name");
        }
        if before.ends_with('`') && after.starts_with('`') {
            return MentionVerdict::Name("a name in backticks");
        }
        if is_between_words(before, after) {
            return MentionVerdict::Name("a name next to the word skill");
        }
        if self.form == TextKind::Markdown && stands_out(before, after) {
            return MentionVerdict::Name("a marked-up name");
        }
        UNSURE
    }
}

/// Whether `before` ends with the slash of `/name`.
pub(super) fn is_slash_call(before: &str) -> bool {
    let before = before.strip_suffix('/');
    before.is_some_and(|before| {
        before.chars().next_back().is_none_or(|c| c.is_whitespace() || "`\"'(*_[|>".contains(c))
    })
}

/// Whether the word is the whole value.
fn is_value(before: &str, after: &str) -> bool {
    let quoted = |quote: char| before.ends_with(quote) && after.starts_with(quote);
    if quoted('"') || quoted('\'') {
        return true;
    }
    let line = last_line(before);
    let rest = after.lines().next().unwrap_or_default().trim_end();
    let ends = rest.is_empty() || rest.trim_start().starts_with('#') && rest.starts_with(' ');
    let begins = line.trim() == "-" || line.ends_with(": ") && !line.contains('#');
    ends && begins
}

/// Whether the word "skill" is right before or after.
fn is_between_words(before: &str, after: &str) -> bool {
    let marks = |c: char| "`*\"' ".contains(c);
    let head = before.trim_end_matches(marks);
    let tail = after.trim_start_matches(marks);
    let near = |gap: usize| (1..=4).contains(&gap);
    let word = |text: &str| ["skill", "skills"].iter().any(|known| text.eq_ignore_ascii_case(known));
    let last = head.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let first = tail.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    near(before.len() - head.len()) && word(last) || near(after.len() - tail.len()) && word(first)
}

/// Whether the word is bold, quoted, the text of a link, a cell of a table, a heading, or at the start of a list item.
fn stands_out(before: &str, after: &str) -> bool {
    let colon = after.strip_prefix(':').unwrap_or(after);
    let bold =
        before.ends_with('*') && colon.starts_with('*') || before.ends_with("__") && colon.starts_with("__");
    let quoted =
        before.ends_with('"') && after.starts_with('"') || before.ends_with('“') && after.starts_with('”');
    let link = before.ends_with('[') && after.starts_with(']');
    let line = last_line(before).trim();
    let rest = after.lines().next().unwrap_or_default();
    let cell = line.ends_with('|') && rest.trim_start().starts_with('|');
    let heading = !line.is_empty() && line.chars().all(|c| c == '#') && rest.trim().is_empty();
    let marker = line.trim_end_matches(['.', ')']);
    let item = matches!(marker, "-" | "*" | "+")
        || !marker.is_empty() && marker.bytes().all(|byte| byte.is_ascii_digit());
    let ends =
        rest.trim().is_empty() || [":", " -", " –", " —", " ("].iter().any(|end| rest.starts_with(end));
    bold || quoted || link || cell || heading || item && ends
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::source::FileContent;

    fn verdict(path: &str, text: &str) -> MentionVerdict {
        let file = SourceFile::new(path.into(), PathBuf::new(), false, 0, FileContent::OnDisk);
        let at = text.find("plan-beta").unwrap();
        SkillSigns::new(&file, text).name(Span::new(at, at + 9), false, true)
    }

    #[test]
    fn names_have_signs() {
        for text in [
            "Run /plan-beta now",
            "`/plan-beta x`",
            "Use $plan-beta.",
            "the `plan-beta` way",
            "**plan-beta:** plans",
            "- plan-beta: plans",
            "3. plan-beta",
            "| plan-beta | plans |",
            "the plan-beta skill",
            "skill \"plan-beta\"",
            "# plan-beta",
            "[plan-beta](x)",
            "```\n/plan-beta x\n```",
            "```\nSkill(plan-beta)\n```",
        ] {
            assert!(matches!(verdict("a.md", text), MentionVerdict::Name(_)), "{text}");
        }
        for text in ["[\"plan-beta\"]", "{\"d\": \"Run /plan-beta.\"}"] {
            assert!(matches!(verdict("a.json", text), MentionVerdict::Name(_)), "{text}");
        }
        for text in ["- plan-beta\n", "a: plan-beta # x\n"] {
            assert!(matches!(verdict("a.yml", text), MentionVerdict::Name(_)), "{text}");
        }
    }

    #[test]
    fn words_of_prose_examples_and_programs_have_none() {
        for text in ["During plan-beta we learn", "```yaml\nname: plan-beta\n```", "a plan-beta, or so"] {
            assert!(matches!(verdict("a.md", text), MentionVerdict::Unsure(_)), "{text}");
        }
        assert!(matches!(verdict("a.ts", "\"plan-beta\""), MentionVerdict::Unsure(_)));
        assert!(matches!(verdict("a.yml", "a: the plan-beta of it\n"), MentionVerdict::Unsure(_)));
    }
}
