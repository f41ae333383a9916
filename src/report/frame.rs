//! Findings for people: each with its source line and a caret below, related places, and help. Of a long line only the
//! part around the finding is shown.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::check::word;
use super::human::count_noun;
use crate::diagnostic::{Applicability, Diagnostic, RelatedPlace, Repetition, RuleId, Severity};
use crate::printable;
use crate::source::{Position, SourceFile};

/// The longest source line that is shown completely, in bytes.
const WIDTH: usize = 140;
/// How much of a longer line is shown before the finding, in characters.
const SHOWN_BEFORE: usize = 50;
/// How much of a longer line is shown from the finding on, in characters.
const SHOWN_AFTER: usize = 80;
/// Source lines are not clipped to terminals narrower than this.
const NARROW: usize = 40;
/// The maximum width of the prefix of a source line and its ellipses.
const MARGIN: usize = 20;

/// The place of a frame: lines and columns, 1-based, the end exclusive.
struct FramePlace<'a> {
    path: &'a str,
    start: Position,
    end: Position,
}

/// How findings are drawn.
#[derive(Debug, Clone, Copy)]
pub struct FrameStyle {
    /// Whether to use color.
    pub color: bool,
    /// The width of the terminal, if there is one.
    pub width: Option<usize>,
}

impl FrameStyle {
    fn renderer(self) -> Renderer {
        let renderer = if self.color { Renderer::styled() } else { Renderer::plain() };
        renderer.term_width(self.limit())
    }

    /// The maximum width of a source line.
    fn limit(self) -> usize {
        self.width.filter(|width| *width >= NARROW).unwrap_or(WIDTH).min(WIDTH)
    }
}

/// All findings with their frames; `file` returns files by path.
pub fn findings<'a>(
    found: &[Diagnostic],
    file: impl Fn(&str) -> Option<&'a SourceFile>,
    style: FrameStyle,
) -> String {
    let found: Vec<&Diagnostic> = found.iter().collect();
    frames(&found, file, style).into_iter().map(|frame| frame + "\n\n").collect()
}

/// The frame of each finding.
pub fn frames<'a>(
    found: &[&Diagnostic],
    file: impl Fn(&str) -> Option<&'a SourceFile>,
    style: FrameStyle,
) -> Vec<String> {
    let renderer = style.renderer();
    let drawing = FrameDrawing { file: &file, limit: style.limit() };
    found.iter().map(|finding| finding_frame(finding, &drawing, &renderer)).collect()
}

/// The context for drawing frames.
struct FrameDrawing<'d, F> {
    file: &'d F,
    limit: usize,
}

/// One line per rule: the number of its findings, and how many of them have a fix.
pub fn statistics(found: &[Diagnostic]) -> String {
    let mut rules: BTreeMap<(RuleId, Severity), (usize, usize, usize)> = BTreeMap::new();
    for finding in found {
        let (times, places, fixable) = rules.entry((finding.rule, finding.severity)).or_default();
        *times += 1;
        *places += finding.place_count();
        *fixable +=
            usize::from(finding.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe));
    }
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by_key(|((rule, severity), (times, ..))| (*severity, usize::MAX - times, *rule));
    let digits = rules.iter().map(|(_, (times, ..))| times.to_string().len()).max().unwrap_or(1);
    let width = rules.iter().map(|((rule, _), _)| rule.as_str().len()).max().unwrap_or(0);
    let mut out = String::new();
    for ((rule, severity), (times, places, fixable)) in rules {
        let fixable = if fixable == 0 { String::new() } else { format!("  {fixable} fixable") };
        let places = if places == times { String::new() } else { format!("  at {places} places") };
        let line =
            format!("{times:digits$}  {:7}  {:width$}{places}{fixable}", word(severity), rule.as_str());
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The maximum number of other places shown for a finding.
const MOST_PLACES: usize = 4;

fn finding_frame<'a, F: Fn(&str) -> Option<&'a SourceFile>>(
    finding: &Diagnostic,
    drawing: &FrameDrawing<'_, F>,
    renderer: &Renderer,
) -> String {
    let (file, limit) = (drawing.file, drawing.limit);
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let hosts =
        if finding.hosts.is_empty() { String::new() } else { format!(" ({})", finding.hosts.join(", ")) };
    let title = level
        .primary_title(format!("{}{hosts}", printable::line(&finding.message)))
        .id(finding.rule.as_str());
    let place = FramePlace {
        path: &finding.path,
        start: Position { line: finding.line, column: finding.column },
        end: Position { line: finding.end_line, column: finding.end_column },
    };
    let mut moved = Vec::new();
    let primary = AnnotationKind::Primary;
    let mut groups =
        vec![add_frame(Group::with_title(title), &place, (file(&finding.path), limit), primary, &mut moved)];
    // Related places of other findings grouped under this one follow its first repetition.
    let own = finding.related.iter().take_while(|place| !place.is_repetition());
    for related in own.clone().take(MOST_PLACES) {
        let (line, column) = related.end.unwrap_or((related.line, related.column + 1));
        let place = FramePlace {
            path: &related.path,
            start: Position { line: related.line, column: related.column },
            end: Position { line, column },
        };
        let group = Group::with_title(Level::NOTE.secondary_title(printable::line(&related.message)));
        groups.push(add_frame(
            group,
            &place,
            (file(&related.path), limit),
            AnnotationKind::Context,
            &mut moved,
        ));
    }
    let mut tell = |level: Level<'a>, text: String| {
        let last = groups.pop().map(|last| last.element(level.message(text)));
        groups.extend(last);
    };
    if let Some(more @ 1..) = own.count().checked_sub(MOST_PLACES) {
        tell(Level::NOTE, count_noun(more, "more place", "more places"));
    }
    if let Some(help) = &finding.help {
        tell(Level::HELP, printable::line(help).into_owned());
    }
    if let Some(places) = repeated(finding) {
        tell(Level::NOTE, places);
    }
    moved.into_iter().fold(renderer.render(&groups), |text, (part, whole)| match text.split_once("--> ") {
        Some((before, after)) => format!("{before}--> {}", after.replacen(&part, &whole, 1)),
        None => text,
    })
}

/// The first places where a finding is repeated, one per line, and the number of further ones.
fn repeated(finding: &Diagnostic) -> Option<String> {
    let places: Vec<&RelatedPlace> = finding.related.iter().filter(|place| place.is_repetition()).collect();
    let mut lines =
        vec![format!("{} with the same problem:", count_noun(places.len(), "more place", "more places"))];
    // Instead of counting a single further place, show it.
    let named = if places.len() == MOST_PLACES + 1 { places.len() } else { MOST_PLACES };
    for place in places.iter().take(named) {
        let message = match place.repetition {
            Some(Repetition::Differs) => format!(" {}", place.message),
            Some(Repetition::Same) | None => String::new(),
        };
        lines.push(
            printable::line(&format!("{}:{}:{}{message}", place.path, place.line, place.column)).into(),
        );
    }
    if let Some(more @ 1..) = places.len().checked_sub(named) {
        lines.push(format!("and {more} more (`--verbose` shows all of them)"));
    }
    (!places.is_empty()).then(|| lines.join("\n"))
}

/// Adds the frame of `place`; a whole file has none. For a truncated line, columns count from the cut, so `moved`
/// receives the place as drawn and the real one.
fn add_frame<'a>(
    group: Group<'a>,
    place: &FramePlace<'a>,
    (file, limit): (Option<&'a SourceFile>, usize),
    kind: AnnotationKind,
    moved: &mut Vec<(String, String)>,
) -> Group<'a> {
    let whole = place.end == Position { line: 1, column: 1 };
    let Some(line) = file.filter(|_| !whole).and_then(|file| line(file, place, limit)) else {
        return group.element(Origin::path(printable::line(place.path)));
    };
    let Position { line: number, column } = place.start;
    let snippet = match line {
        FrameLine::Whole(text, range) => Snippet::source(text).annotation(kind.span(range)),
        FrameLine::Part(text, range) => {
            let shown = text[..range.start].chars().count() + 1;
            let place = |column| format!("{}:{number}:{column}", printable::line(place.path));
            moved.push((place(shown), place(column)));
            Snippet::source(text).annotation(kind.span(range))
        }
    };
    group.element(snippet.line_start(number).path(printable::line(place.path)))
}

enum FrameLine<'a> {
    Whole(&'a str, Range<usize>),
    Part(String, Range<usize>),
}

/// The line on which a place starts, and the byte range of the place in it, truncated so that the underline fits into
/// `limit`.
fn line<'a>(file: &'a SourceFile, place: &FramePlace<'_>, limit: usize) -> Option<FrameLine<'a>> {
    let text = file.text()?;
    let span = file.line(place.start.line)?;
    let line = span.slice(text).trim_end_matches(['\n', '\r']);
    let from = file.offset(place.start)?.saturating_sub(span.start).min(line.len());
    let to = match place.end.line == place.start.line {
        true => file.offset(place.end)?.saturating_sub(span.start).min(line.len()),
        false => line.len(),
    };
    let mut range = from..to.max(from);
    if limit < WIDTH {
        range.end = fitting_end(line, &range, limit.saturating_sub(MARGIN));
    }
    if line.len() <= WIDTH {
        return Some(FrameLine::Whole(line, range));
    }
    let before =
        line[..range.start].char_indices().rev().take(SHOWN_BEFORE).last().map_or(range.start, |(at, _)| at);
    let after =
        line[range.start..].char_indices().nth(SHOWN_AFTER).map_or(line.len(), |(at, _)| range.start + at);
    let head = if before > 0 { "…" } else { "" };
    let tail = if after < line.len() { "…" } else { "" };
    let shifted = |at: usize| at.min(after) - before + head.len();
    let part = format!("{head}{}{tail}", &line[before..after]);
    Some(FrameLine::Part(part, shifted(range.start)..shifted(range.end)))
}

/// The end of the longest prefix of `range` that fits into `room` columns; a wide character takes two.
fn fitting_end(line: &str, range: &Range<usize>, room: usize) -> usize {
    let mut width = 0;
    let mut letters = line[range.clone()].char_indices();
    let cut = letters.find(|(_, letter)| {
        width += if *letter < '\u{1100}' { 1 } else { 2 };
        width > room
    });
    cut.map_or(range.end, |(at, _)| range.start + at)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::source::{FileContent, Span};

    const PLAIN: FrameStyle = FrameStyle { color: false, width: None };

    fn file(path: &str, text: &str) -> SourceFile {
        let content = FileContent::Text(Arc::from(text));
        SourceFile::new(path.into(), PathBuf::new(), false, text.len() as u64, content)
    }

    fn finding_at(file: &SourceFile, word: &str, message: &str) -> Diagnostic {
        let start = file.text().unwrap().find(word).unwrap();
        Diagnostic::in_file(
            file,
            Span::new(start, start + word.len()),
            Severity::Error,
            RuleId::from_static("rule"),
            message,
        )
    }

    #[test]
    fn places_that_belong_to_a_finding_have_separate_frames() {
        let (a, b) = (file("a.md", "x\nname: one\n"), file("b.md", "name: one\n"));
        let found = finding_at(&b, "one", "twice")
            .with_related(&a, Span::new(8, 11), "first defined here")
            .help("rename it");
        let shown = findings(&[found], |path| Some(if path == "a.md" { &a } else { &b }), PLAIN);
        let expected = "\
error[rule]: twice
 --> b.md:1:7
  |
1 | name: one
  |       ^^^
  |
note: first defined here
 --> a.md:2:7
  |
2 | name: one
  |       ---
  = help: rename it

";
        assert_eq!(shown, expected);
    }

    #[test]
    fn of_a_long_line_the_part_around_the_finding_is_shown() {
        let long = file("a.md", &format!("{}wrong{}\n", "é".repeat(100_000), "b".repeat(100_000)));
        let shown = findings(&[finding_at(&long, "wrong", "long")], |_| Some(&long), PLAIN);
        assert!(shown.contains("a.md:1:100001"), "{shown}");
        assert!(shown.contains(&format!("…{}wrong{}…", "é".repeat(50), "b".repeat(75))), "{shown}");
        assert!(shown.contains(&format!("{}^^^^^\n", " ".repeat(51))), "{shown}");
        assert!(shown.len() < 800, "{}", shown.len());
    }

    #[test]
    fn on_a_narrow_terminal_a_line_is_clipped_around_its_marks() {
        let narrow = FrameStyle { color: false, width: Some(80) };
        let words = "word ".repeat(20);
        for (text, marked) in [
            (format!("{words}wrong {words}\n"), "wrong".to_owned()),
            (format!("{}\n", "wrong ".repeat(22)), "wrong ".repeat(22)),
            (format!("{}wrong{}\n", "漢".repeat(60), "字".repeat(60)), "wrong".to_owned()),
            (format!("a {}\n", "漢".repeat(90)), "漢".repeat(90)),
        ] {
            let text = file("a.md", &text);
            let found = finding_at(&text, marked.trim_end(), "long");
            let shown = findings(&[found], |_| Some(&text), narrow);
            let width = |line: &str| -> usize {
                line.chars().map(|letter| if letter < '\u{2e80}' { 1 } else { 2 }).sum()
            };
            let wide: Vec<&str> = shown.lines().filter(|line| width(line) > 80).collect();
            assert!(wide.is_empty(), "{shown}");
            assert!(shown.contains("^^^^^"), "{shown}");
        }
    }
}
