//! Versions in XML: the elements and attributes to which a path such as `/project/version` leads.

use super::{Found, marks};
use crate::source::Span;

/// One element.
#[derive(Debug)]
struct Element<'t> {
    name: &'t str,
    /// Where the element above it stands in the list.
    above: Option<usize>,
    /// Its place among those of its name in the element above, from 1.
    place: usize,
    /// The text up to the first element in it.
    words: Span,
    attributes: Vec<(&'t str, Span)>,
}

/// One step of a path.
#[derive(Debug)]
struct Step<'p> {
    deep: bool,
    name: &'p str,
    place: Option<usize>,
}

/// The versions to which `path` leads.
pub(super) fn find(text: &str, path: &str) -> Vec<Found> {
    let Some((steps, attribute)) = steps(path) else {
        let why = format!(
            "`{path}` is no path that is known: `/a/b`, `//b`, `/*/b`, `b[1]` and `@c` at the end are"
        );
        return vec![Found::Fault(Span::new(0, 0), why)];
    };
    let elements = match elements(text) {
        Ok(elements) => elements,
        Err(at) => return vec![Found::Fault(Span::new(at, at), "invalid XML".to_owned())],
    };
    let mut here: Vec<Option<usize>> = vec![None];
    for step in &steps {
        let fits = |at: usize, from: Option<usize>| {
            let element = &elements[at];
            let below = if step.deep { is_below(&elements, at, from) } else { element.above == from };
            let named = step.name == "*" || element.name == step.name;
            below && named && step.place.is_none_or(|place| element.place == place)
        };
        let mut next: Vec<Option<usize>> =
            (0..elements.len()).filter(|at| here.iter().any(|from| fits(*at, *from))).map(Some).collect();
        next.dedup();
        here = next;
    }
    let of = |at: usize| {
        let element = &elements[at];
        let span = match attribute {
            Some(name) => element.attributes.iter().find(|(own, _)| *own == name)?.1,
            None => element.words,
        };
        let none = || Found::Fault(span, format!("what stands at `{path}` is no version"));
        Some(marks::version(text, span).unwrap_or_else(none))
    };
    here.into_iter().flatten().filter_map(of).collect()
}

fn is_below(elements: &[Element<'_>], at: usize, from: Option<usize>) -> bool {
    let mut above = elements[at].above;
    loop {
        match above {
            above if above == from => return true,
            Some(next) => above = elements[next].above,
            None => return false,
        }
    }
}

/// The steps of a path, and the attribute at its end.
fn steps(path: &str) -> Option<(Vec<Step<'_>>, Option<&str>)> {
    let path = path.trim();
    let mut rest = path.strip_suffix("/text()").unwrap_or(path);
    let mut out = Vec::new();
    while !rest.is_empty() {
        let deep = rest.strip_prefix("//");
        let word = deep.or_else(|| rest.strip_prefix('/')).or(out.is_empty().then_some(rest))?;
        let (word, after) = word.split_at(word.find('/').unwrap_or(word.len()));
        if let Some(attribute) = word.strip_prefix('@') {
            return (after.is_empty() && is_name(attribute)).then_some((out, Some(attribute)));
        }
        let (name, place) = match word.split_once('[') {
            Some((name, place)) => (name, Some(place.strip_suffix(']')?.parse().ok()?)),
            None => (word, None),
        };
        if name != "*" && !is_name(name) {
            return None;
        }
        out.push(Step { deep: deep.is_some(), name, place });
        rest = after;
    }
    (!out.is_empty()).then_some((out, None))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

/// Every element in the order of the text, or where the text is none.
fn elements(text: &str) -> Result<Vec<Element<'_>>, usize> {
    let mut out: Vec<Element<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let until = |close: &str| rest.find(close).map(|end| start + end + close.len()).ok_or(start);
        if let Some(top) = open.last().map(|top| &mut out[*top])
            && top.words.start == top.words.end
        {
            top.words.end = start;
        }
        if rest.starts_with("<!--") {
            at = until("-->")?;
        } else if rest.starts_with("<![CDATA[") {
            at = until("]]>")?;
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            at = until(">")?;
        } else if let Some(closed) = rest.strip_prefix("</") {
            let name = closed.split(['>', ' ', '\n', '\r', '\t']).next().unwrap_or_default();
            let top = open.pop().ok_or(start)?;
            if out[top].name != name {
                return Err(start);
            }
            at = until(">")?;
        } else {
            let (element, end, alone) = tag(text, start)?;
            let above = open.last().copied();
            let place = out.iter().filter(|one| one.above == above && one.name == element.name).count() + 1;
            out.push(Element { above, place, ..element });
            if !alone {
                open.push(out.len() - 1);
            }
            at = end;
        }
    }
    if open.is_empty() { Ok(out) } else { Err(text.len()) }
}

/// The element that opens at `start`, where its tag ends, and whether it closes there, too.
fn tag(text: &str, start: usize) -> Result<(Element<'_>, usize, bool), usize> {
    let is_end = |c: char| c.is_whitespace() || "/>=".contains(c);
    let name_end = text[start + 1..].find(is_end).map(|end| start + 1 + end).ok_or(start)?;
    let name = &text[start + 1..name_end];
    if !is_name(name) {
        return Err(start);
    }
    let mut attributes = Vec::new();
    let mut at = name_end;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let alone = rest.starts_with("/>");
        if alone || rest.starts_with('>') {
            let end = at + 1 + usize::from(alone);
            let words = Span::new(end, end);
            return Ok((Element { name, above: None, place: 1, words, attributes }, end, alone));
        }
        let equals = rest.find('=').ok_or(start)?;
        let key = rest[..equals].trim();
        let value = rest[equals + 1..].trim_start();
        let quote = value.chars().next().filter(|c| "\"'".contains(*c)).ok_or(start)?;
        let from = at + rest.len() - value.len() + 1;
        let to = text[from..].find(quote).map(|end| from + end).ok_or(start)?;
        if !is_name(key) {
            return Err(start);
        }
        attributes.push((key, Span::new(from, to)));
        at = to + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_elements_and_attributes() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <version>9.9.9</version> -->\n<project a='b>'>\n  <parent><version>0.0.1</version></parent>\n  <version>1.2.3</version>\n  <x v=\"1.2.4\"/>\n  <x v=\"1.2.5\"></x>\n  <name>demo</name>\n</project>\n";
        let at = |path: &str| {
            let of = |found: Found| match found {
                Found::Version(version, span) => {
                    assert_eq!(span.of(text), version);
                    version
                }
                Found::Fault(_, why) => why,
                Found::Nothing => String::new(),
            };
            find(text, path).into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(at("/project/version"), ["1.2.3"]);
        assert_eq!(at("/*/version/text()"), ["1.2.3"]);
        assert_eq!(at("//version"), ["0.0.1", "1.2.3"]);
        assert_eq!(at("//parent/version"), ["0.0.1"]);
        assert_eq!(at("/project/x/@v"), ["1.2.4", "1.2.5"]);
        assert_eq!(at("/project/x[2]/@v"), ["1.2.5"]);
        assert_eq!(at("/project/name"), ["what stands at `/project/name` is no version"]);
        assert!(at("/project/none").is_empty());
        assert!(at("/project/x[@v='1']")[0].contains("is no path that is known"));
        for broken in ["<a><b></a>", "<a", "<a b=c/>", "<a></a></a>", "<a>", "< a/>"] {
            assert!(matches!(find(broken, "/a").as_slice(), [Found::Fault(..)]), "{broken}");
        }
    }
}
