//! Bytes to spanned trees, one file per format. Reading never fails: errors are returned as faults with spans, next to
//! everything that could be read.

pub mod blanks;
mod control_chars;
pub mod dialect;
pub mod frontmatter;
pub mod hidden_chars;
pub mod intent;
pub mod json;
pub mod markdown;
pub mod name_words;
pub mod path_words;
pub mod pointer;
pub mod program_parameters;
pub mod salvage;
pub mod shell_names;
pub mod tags;
pub mod tree;
mod value_starts;
pub mod workflow;
pub mod yaml;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::Strategy;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

    use super::{frontmatter, json, markdown, tree::ReadFault};
    use crate::source::Span;

    /// Pieces that readers give a meaning to, between arbitrary characters.
    fn text() -> impl Strategy<Value = String> {
        let piece = "(---|\\n|\\r\\n|\\t|  |: |- |\\{|\\}|\\[|\\]|\"|'|#|&a|\\*a|<<|!t|\\||>-|name|`|é|😀|\u{feff}|\\\\|,|.)";
        let line = format!("((name|a|\\?|- b): {piece}{{0,6}}|{piece}{{0,4}})\\n");
        let whole = format!("(\u{feff})?---\\n({line}){{0,4}}(---\\n)?{piece}{{0,10}}|{piece}{{0,20}}");
        proptest::string::string_regex(&whole).expect("a regular expression")
    }

    fn within(faults: &[ReadFault], text: &str) {
        for fault in faults {
            let places = [Some(fault.span), fault.first];
            assert!(
                places.into_iter().flatten().all(|span| span.start <= span.end && span.end <= text.len()),
                "{fault:?}"
            );
            assert!(
                text.is_char_boundary(fault.span.start) && text.is_char_boundary(fault.span.end),
                "{fault:?}"
            );
        }
    }

    #[test]
    fn reading_never_panics_and_its_places_lie_in_the_text() {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let (read, refused) = (Cell::new(0), Cell::new(0));
        let config = Config { cases: 4000, failure_persistence: None, ..Config::default() };
        let result = TestRunner::new_with_rng(config, rng).run(&text(), |text| {
            let document = frontmatter::parse(&text);
            let fields = document.fields.clone();
            within(&document.faults, &text);
            read.set(
                read.get() + usize::from(document.fields.is_some_and(|fields| !fields.entries().is_empty())),
            );
            refused.set(refused.get() + usize::from(document.faults.iter().any(|fault| !fault.rescued)));
            for (_, span, _) in fields.iter().flat_map(|fields| fields.leaves()) {
                assert!(text.get(span.start..span.end).is_some(), "{span:?}");
            }
            let (node, faults) = json::parse(&text);
            within(&faults, &text);
            assert!(node.is_none_or(|node| text.get(node.span.start..node.span.end).is_some()));
            for region in markdown::regions(&text, Span::new(0, text.len())) {
                assert!(text.get(region.span.start..region.span.end).is_some(), "{region:?}");
            }
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
        assert!(
            read.get() > 20 && refused.get() > 100,
            "too few texts meant anything: {read:?}, {refused:?}"
        );
    }
}
