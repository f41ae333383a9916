//! The bodies of the fuzz targets over a small corpus, every text cut at every byte and with every byte
//! exchanged, so that they hold without a fuzzer, and cannot rot.

#[path = "../fuzz/bodies.rs"]
pub mod bodies;

const MARKDOWN: &str = "\u{feff}---\r\nname: é\ndescription: >-\n  a #b\nlist: [a, {b: 'c'}]\n---\n# T\n`a` <b> ~~~\n```sh\n$X\n";
const YAML: &str = "a: &x {b: *x}\n? c\n: |\n  d\n\"e\\u00e9\": !t [1, 0x2, ~]\n<<: *x\n- f\n";
const JSON: &str =
    "{ // c\n \"a\": [1.5e3, -0, \"\\ud83d\\ude00\\n\", null,], /* d */ \"é\": {\"a\": true} }";
const MARKETPLACE: &str = r#"{"name":"m","plugins":[{"name":"a","source":"./a/../b"},{"name":"a"},{"source":{"source":"github","repo":"x/y"},"name":"c"},{"name":"d","source":"/etc"},7]}"#;
/// What a byte is exchanged for: what means something to a reader, and what is not valid UTF-8.
const BYTES: &[u8] = b"\n\0\"'{}[]:#-&*|\\ /.\xff\xc3";

fn around(text: &[u8], body: fn(&[u8])) {
    for at in 0..=text.len() {
        body(&text[..at]);
        body(&text[at..]);
        for byte in BYTES.iter().filter(|_| at < text.len()) {
            let mut other = text.to_vec();
            other[at] = *byte;
            body(&other);
        }
    }
}

#[test]
fn no_frontmatter_breaks_a_reader() {
    around(MARKDOWN.as_bytes(), bodies::frontmatter);
}

#[test]
fn no_yaml_breaks_a_reader() {
    around(YAML.as_bytes(), bodies::yaml);
}

#[test]
fn no_json_breaks_a_reader() {
    around(JSON.as_bytes(), bodies::json);
}

#[test]
fn no_marketplace_breaks_a_reader() {
    around(MARKETPLACE.as_bytes(), bodies::marketplace);
}

#[test]
fn no_edit_changes_anything_else() {
    for edits in [&[0][..], &[1, 0, 3, b'x'], &[2, 9, 0, b'x', 4, 2, 200], &[3, 8, 8, 1, 9, 1, 1, 90, 3, 7]] {
        around(&[edits, MARKDOWN.as_bytes()].concat(), bodies::markdown_rewriting);
    }
}

#[test]
fn no_spliced_text_breaks_a_reader() {
    for seed in 0..400_u64 {
        for text in [MARKDOWN.trim_start_matches("\u{feff}---\r\n"), JSON] {
            bodies::spliced(&[&seed.to_le_bytes(), text.as_bytes()].concat());
        }
    }
}

/// Every body has a target, and every target a body.
#[test]
fn every_body_is_a_target() {
    let folder = crate::support::root().join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("fuzz/Cargo.toml");
    let bodies = std::fs::read_to_string(folder.join("bodies.rs")).expect("fuzz/bodies.rs");
    let names: Vec<&str> =
        bodies.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next()).collect();
    assert_eq!(names.len(), manifest.matches("[[bin]]").count());
    for name in names {
        let target = std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).expect(name);
        assert!(target.contains(&format!("bodies::{name}(bytes)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}
