//! An index of the words in the files that declare something: a document may name thousands of missing files, and each
//! of them is looked up in the source.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::documents::texts;
use crate::read::json;
use crate::read::path_words::ends_in_command;
use crate::read::tree::Node;
use crate::source::{SourceFile, Span};

/// The files of one plugin that declare something, the manifest first, without duplicates.
#[derive(Debug, Default)]
pub(super) struct DeclaringFiles<'a> {
    files: Vec<&'a SourceFile>,
    manifest: Option<&'a Node>,
    /// The places of each word, in order: the index of its file, and its span or that of its value.
    words: OnceCell<BTreeMap<String, Vec<(usize, Span)>>>,
    /// The paths that the manifest names with `./`.
    named: OnceCell<BTreeSet<&'a str>>,
}

impl<'a> DeclaringFiles<'a> {
    pub(super) fn new(files: Vec<&'a SourceFile>, manifest: Option<&'a Node>) -> Self {
        Self { files, manifest, ..Self::default() }
    }

    /// Where `written` occurs: in the file of `beside` from its offset on, else its first occurrence, else the start of
    /// the first file.
    pub(super) fn find(
        &self,
        written: &str,
        beside: Option<(&'a SourceFile, usize)>,
    ) -> Option<(&'a SourceFile, Span)> {
        let places = self.words.get_or_init(|| self.read()).get(written).map_or(&[][..], Vec::as_slice);
        let known = beside.and_then(|(file, from)| {
            let number = self.files.iter().position(|other| other.path == file.path)?;
            let after = places.partition_point(|(other, span)| (*other, span.start) < (number, from));
            places.get(after).filter(|(other, _)| *other == number)
        });
        // A list of components names files, too, but only paths after a variable are relative to the folder.
        let behind = || places.iter().find(|(number, span)| is_behind((self.files[*number], *span)));
        if let Some((number, span)) = known.or_else(behind).or_else(|| places.first()) {
            return Some((self.files[*number], *span));
        }
        // The fallback for a text other than the declaring files, and for what is not a word of a value.
        let within = |file: &'a SourceFile, from: usize| {
            let text = file.text()?;
            let at = from + text.get(from..)?.find(written)?;
            Some((file, Span::new(at, at + written.len())))
        };
        let found = beside.and_then(|(file, from)| within(file, from));
        let found = found.or_else(|| self.files.iter().find_map(|file| within(file, 0)));
        found.or_else(|| Some((self.files.first().copied()?, Span::default())))
    }

    /// Other occurrences of `written` that, like `first`, are after a variable or not.
    pub(super) fn other_occurrences(
        &self,
        written: &str,
        first: (&'a SourceFile, Span),
    ) -> impl Iterator<Item = (&'a SourceFile, Span)> {
        let places = self.words.get_or_init(|| self.read()).get(written).map_or(&[][..], Vec::as_slice);
        let places = places.iter().map(|(number, span)| (self.files[*number], *span));
        let own = is_behind(first);
        let is_first =
            move |(file, span): &(&SourceFile, Span)| (&file.path, *span) == (&first.0.path, first.1);
        places.filter(move |place| !is_first(place) && is_behind(*place) == own)
    }

    /// Whether the manifest names the document at `inner` of the plugin's folder.
    pub(super) fn is_named(&self, inner: &str) -> bool {
        let named = self.named.get_or_init(|| {
            let mut named = BTreeSet::new();
            if let Some(manifest) = self.manifest {
                strings(manifest, &mut |text| named.extend(text.strip_prefix("./")));
            }
            named
        });
        named.contains(inner)
    }

    fn read(&self) -> BTreeMap<String, Vec<(usize, Span)>> {
        let mut words: BTreeMap<String, Vec<(usize, Span)>> = BTreeMap::new();
        for (number, file) in self.files.iter().enumerate() {
            let text = file.text().unwrap_or_default();
            let Some(document) = json::parse(text).0 else { continue };
            texts(&document, "", false, &mut |node, value, _, _| {
                let mut written = ValueCharacters { value, decoded: 0, at: node.span.start + 1 };
                for word in value.split(ends_in_command).map(path_of) {
                    let at = written.place(text, word.as_ptr() as usize - value.as_ptr() as usize);
                    let span = Span::new(at, at + word.len());
                    // A word written with escapes gets the span of its whole value.
                    let span = if text.get(at..span.end) == Some(word) { span } else { node.span };
                    words.entry(word.to_owned()).or_default().push((number, span));
                }
            });
        }
        words
    }
}

/// Whether the word at a place follows a variable.
fn is_behind((file, span): (&SourceFile, Span)) -> bool {
    file.text().and_then(|text| text.get(..span.start)).is_some_and(|before| before.ends_with("}/"))
}

/// Maps the characters of a value to offsets in the document.
struct ValueCharacters<'a> {
    value: &'a str,
    /// How many bytes of the value have been passed; `at` is the offset of the next one in the document.
    decoded: usize,
    at: usize,
}

impl ValueCharacters<'_> {
    /// The offset in the document of the byte `to` of the value, which must not decrease between calls.
    fn place(&mut self, text: &str, to: usize) -> usize {
        for c in self.value.get(self.decoded..to).unwrap_or_default().chars() {
            let raw = text.as_bytes().get(self.at..).unwrap_or_default();
            self.at += match raw {
                [b'\\', b'u', ..] if c > '\u{ffff}' => 12,
                [b'\\', b'u', ..] => 6,
                [b'\\', ..] => 2,
                _ => c.len_utf8(),
            };
        }
        self.decoded = self.decoded.max(to);
        self.at
    }
}

/// The path in a word: what follows the last variable, without `./`.
fn path_of(word: &str) -> &str {
    let path = word.rsplit_once("}/").map_or(word, |(_, path)| path);
    path.trim_start_matches("./").trim_start_matches('/')
}

/// Calls `each` with every text below `node`.
fn strings<'a>(node: &'a Node, each: &mut dyn FnMut(&'a str)) {
    if let Some(text) = node.as_str() {
        each(text);
    }
    node.items().into_iter().flatten().for_each(|item| strings(item, each));
    node.entries().iter().for_each(|entry| strings(&entry.node, each));
}
