//! What is read, rescued and refused, as in the pinned source host.

use super::*;

fn read(text: &str) -> (Option<Node>, Vec<ReadFault>) {
    parse(text, Span::new(0, text.len()))
}

fn field(text: &str, key: &str) -> Option<String> {
    read(text).0?.get(key)?.scalar()
}

#[test]
fn spans_are_those_of_the_file() {
    let file = "---\nname: a\nlist: [x, y]\nmap:\n  k: |\n    one\n    two\nend: \"é\"\n---\n";
    let (node, faults) = parse(file, Span::new(4, file.len() - 4));
    assert!(faults.is_empty());
    let leaves: Vec<_> = node
        .unwrap()
        .leaves()
        .into_iter()
        .map(|(p, s, _)| (p, s.slice(file).trim_end().to_owned()))
        .collect();
    assert_eq!(
        leaves,
        [
            ("/name".to_owned(), "name: a".to_owned()),
            ("/list".to_owned(), "list: [x, y]".to_owned()),
            ("/map/k".to_owned(), "k: |\n    one\n    two".to_owned()),
            ("/end".to_owned(), "end: \"é\"".to_owned())
        ]
    );
}

#[test]
fn rescues_what_the_source_host_rescues() {
    assert_eq!(field("name: a\ndescription: Use when: asked\n", "description").unwrap(), "Use when: asked");
    assert_eq!(field("description: [x] text\nname: a\n", "description").unwrap(), "[x] text");
    assert_eq!(field("argument-hint: [a] [b]\nname: a\n", "name").unwrap(), "a");
    assert_eq!(field("description: `tick` it\n", "description").unwrap(), "`tick` it");
    assert!(read("meta:\n\tk: v\nname: a\n").0.unwrap().get("meta").unwrap().get("k").is_some());
    assert!(read("description: Use when: asked\n").1[0].rescued);
}

#[test]
fn refuses_what_the_source_host_loses() {
    for text in ["description: a: b:\n", "description: \"open\nname: a\n", "a: b: c\n  d\n", "- a\nb: c\n"] {
        let (node, faults) = read(text);
        assert!(node.is_none() && !faults[0].rescued, "{text:?}");
    }
}

#[test]
fn duplicates_name_both_places_and_the_last_counts() {
    let (node, faults) = read("a: 1\na: 2\n");
    assert_eq!((faults[0].kind, faults[0].first), (FaultKind::DuplicateKey, Some(Span::new(0, 1))));
    assert_eq!(node.unwrap().get("a").unwrap().scalar().unwrap(), "2");
}

#[test]
fn types_follow_the_core_schema() {
    let (node, _) = read("a: 1.10\nb: yes\nc:\nd: 2024-01-01\ne: 0x1F\nf: .\n");
    let node = node.unwrap();
    let kinds: Vec<_> = node.entries().iter().map(|entry| entry.node.kind().to_string()).collect();
    assert_eq!(kinds, ["a number", "text", "nothing", "text", "a number", "text"]);
}

#[test]
fn alias_bombs_end_in_a_fault() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let refs = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{refs}]\n"));
    }
    let (_, faults) = read(&text);
    assert!(!faults.is_empty());
}

#[test]
fn a_value_that_contains_itself_is_read_as_empty() {
    for (text, json) in [
        ("a: &a [*a]\nb: c\n", r#"{"a":[null],"b":"c"}"#),
        ("a: &a\n  - x\n  - *a\nb: c\n", r#"{"a":["x",null],"b":"c"}"#),
        ("a: &a\n  inner: *a\nb: c\n", r#"{"a":{"inner":null},"b":"c"}"#),
        ("&r {a: *r, b: c}\n", r#"{"a":null,"b":"c"}"#),
        // The name is given again, within its own value.
        ("a: &a x\nb: &a [*a]\n", r#"{"a":"x","b":[null]}"#),
    ] {
        let (node, faults) = read(text);
        assert_eq!(node.unwrap().to_json().to_string(), json, "{text}");
        let [fault] = faults.as_slice() else { panic!("{text}: {faults:?}") };
        assert!(fault.rescued && fault.span.slice(text).starts_with('*'), "{text}: {fault:?}");
        assert!(strict(text).is_some(), "{text}");
    }
}

#[test]
fn two_escapes_for_the_halves_of_a_character_are_joined() {
    let read = |yaml: &str| strict(yaml).map(|(node, _)| node.to_json().to_string());
    assert_eq!(
        read("a: \"\\ud83d\\uDE00 b\"\nb: c\n").as_deref(),
        Some("{\"a\":\"\u{1f600} b\",\"b\":\"c\"}")
    );
    assert_eq!(read("a: \"\\ud83d\"\n"), None);
    assert_eq!(read("a: \"\\\\ud83d\\\\ude00\"\n").as_deref(), Some(r#"{"a":"\\ud83d\\ude00"}"#));
}
