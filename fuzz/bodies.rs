//! What malformed input is held to, one function a fuzz target: nothing panics, places lie in the text,
//! and text changes by range only. The tests run the same functions over a small corpus
//! (`tests/fuzz.rs`).

#[path = "mutants.rs"]
pub mod mutants;

use plugcast::read::tree::ReadFault;
use plugcast::read::{frontmatter, json as json_reader, markdown, yaml as yaml_reader};
use plugcast::rewrite::{self, Edit};
use plugcast::source::{FileContent, SourceFile, Span};

/// Frontmatter and what stands below it.
pub fn frontmatter(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let document = frontmatter::parse(&text);
    within(&document.faults, &text);
    for (_, span, _) in document.fields.iter().flat_map(|fields| fields.leaves()) {
        assert!(text.get(span.start..span.end).is_some(), "{span:?}");
    }
}

/// A YAML document.
pub fn yaml(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (node, faults) = yaml_reader::parse(&text, Span::new(0, text.len()));
    within(&faults, &text);
    if let Some(node) = node {
        assert!(text.get(node.span.start..node.span.end).is_some(), "{:?}", node.span);
        node.to_json();
    }
}

/// JSON, with the comments and commas that hosts forgive.
pub fn json(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (node, faults) = json_reader::parse(&text);
    within(&faults, &text);
    assert!(node.is_some() || !faults.is_empty(), "nothing was read, and nothing is said");
    for (_, span, _) in node.iter().flat_map(|node| node.leaves()) {
        assert!(text.get(span.start..span.end).is_some(), "{span:?}");
    }
}

/// Edits of Markdown by range: the first byte says how many edits there are, three bytes make each
/// (where, how long, which character), and the rest is the text.
pub fn markdown_rewriting(bytes: &[u8]) {
    let Some((count, rest)) = bytes.split_first() else { return };
    let (numbers, rest) = rest.split_at(rest.len().min(usize::from(count % 8) * 3));
    let text = String::from_utf8_lossy(rest);
    let regions = markdown::regions(&text, Span::new(0, text.len()));
    for region in &regions {
        assert!(text.get(region.span.start..region.span.end).is_some(), "{region:?}");
    }
    let edit = |numbers: &[u8]| {
        let start = usize::from(numbers[0]);
        let end = start + usize::from(numbers[1] % 16);
        Edit { span: Span::new(start, end), text: char::from(numbers[2]).to_string(), tag: () }
    };
    let edits: Vec<Edit<()>> = numbers.chunks_exact(3).map(edit).collect();
    let Ok((new, applied)) = rewrite::apply(&text, &edits) else { return };
    // Everything between two edits is as it was, and every edit is where it says.
    let (mut old_at, mut new_at) = (0, 0);
    for done in &applied {
        assert_eq!(text[old_at..done.source.start], new[new_at..done.emitted.start]);
        let wanted = edits
            .iter()
            .any(|edit| edit.span == done.source && edit.text == new[done.emitted.start..done.emitted.end]);
        assert!(wanted, "{done:?}");
        (old_at, new_at) = (done.source.end, done.emitted.end);
    }
    assert_eq!(text[old_at..], new[new_at..]);
}

/// A marketplace file.
pub fn marketplace(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Some(node) = json_reader::parse(&text).0 else { return };
    let path = ".claude-plugin/marketplace.json";
    let size = text.len() as u64;
    let file = SourceFile::new(path.into(), path.into(), false, size, FileContent::Text(text.into()));
    let mut found = Vec::new();
    let read = plugcast::model::marketplace::read(&file, node, (true, &["github".to_owned()]), &mut found);
    for entry in &read.entries {
        if let plugcast::model::marketplace::EntrySource::Folder(folder) = &entry.source {
            assert!(
                folder.is_relative() && !folder.components().any(|part| part.as_str() == ".."),
                "{folder} leaves the source"
            );
        }
    }
    assert!(found.iter().all(|finding| finding.line > 0 && finding.column > 0));
}

/// Texts with tokens spliced in (`mutants.rs`): the first eight bytes are the seed, the rest is what they begin with.
pub fn spliced(bytes: &[u8]) {
    let Some((seed, rest)) = bytes.split_first_chunk::<8>() else { return };
    let text = String::from_utf8_lossy(rest).into_owned();
    let corpus = mutants::Corpus {
        markdown: vec![format!("---\n{text}")],
        manifests: vec![text.clone()],
        hooks: vec![text.clone()],
        servers: vec![text],
    };
    for (path, text) in mutants::plugin(&corpus, u64::from_le_bytes(*seed)) {
        let body = if path.ends_with(".json") { json } else { frontmatter };
        body(text.as_bytes());
    }
}

fn within(faults: &[ReadFault], text: &str) {
    for span in faults.iter().flat_map(|fault| [Some(fault.span), fault.first]).flatten() {
        assert!(text.get(span.start..span.end).is_some(), "{span:?} in {} bytes", text.len());
    }
}
