//! Guards the house: who may import whom, how big a file may be, where a host may be named, and what
//! must never stand in a tracked file. Each check is a function from one file to findings, so that a
//! made-up snippet can show that it fails.

use crate::support::{none_left, print_line, root};

mod changes;
mod circles;
pub mod files;
mod flip;
mod growth;
mod hosts;
mod messages;
mod names;
mod printed_lines;
mod rows;
mod rule_ids;
mod rust;
mod shape;
mod target_keys;
mod targets;
mod words;

use files::{SourceFile, rust_files, tracked};

/// Runs a check over some files and fails with everything that it found.
#[track_caller]
fn each(what: &str, files: &[SourceFile], check: impl Fn(&SourceFile) -> Vec<String>) {
    assert!(!files.is_empty(), "{what}: no file was looked at");
    none_left(what, &files.iter().flat_map(check).collect::<Vec<_>>());
}

#[test]
fn imports_run_downward() {
    each("imports that run upward", &rust_files(&["src"]), rows::upward_imports);
}

/// Commands read, lowered and compared sources themselves, so that no other program could do what they do.
#[test]
fn the_command_line_calls_no_stage() {
    each("stages that the command line calls", &rust_files(&["src"]), rows::called_stages);
}

/// A new field in a result broke every program that took it apart.
#[test]
fn types_of_the_library_can_grow() {
    each("types that cannot grow", &rust_files(&["src"]), growth::closed_types);
}

/// The rooms whose files import each other in no circle, and how many files each has at least.
const ROOMS: [(&str, usize); 14] = [
    ("bin", 3),
    ("build/helper", 3),
    ("check/rules", 100),
    ("diagnostic", 4),
    ("emit", 5),
    ("git_command", 3),
    ("ledger", 2),
    ("lower", 50),
    ("printable", 2),
    ("progress", 2),
    ("release", 20),
    ("report", 12),
    ("runtime/dispatch", 2),
    ("source", 8),
];

/// Thirty-eight files of lowering, and the history, the context and the units of a release, could only be read
/// together.
#[test]
fn the_files_of_a_room_make_no_circle() {
    let files = rust_files(&["src"]);
    for (room, least) in ROOMS {
        let (top, below) = (format!("src/{room}.rs"), format!("src/{room}/"));
        let of_room = files.iter().filter(|file| file.path == top || file.path.starts_with(&below));
        let of_room: Vec<_> = of_room.cloned().collect();
        assert!(of_room.len() >= least, "{} files of {room}", of_room.len());
        none_left("files that import each other in a circle", &circles::circles(&of_room));
    }
}

/// `src/lib.rs`, ARCHITECTURE.md and the check of imports had three orders.
#[test]
fn the_modules_have_one_order() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect(path);
    none_left("orders of the modules", &rows::other_orders(&read("ARCHITECTURE.md"), &read("src/lib.rs")));
}

#[test]
fn a_name_says_what_a_type_is() {
    each(
        "names that leave open what is meant",
        &rust_files(&["src", "tests", "benches", "examples"]),
        names::vague,
    );
}

/// 150 functions were called `of`, `at`, `look`, `take` and the like.
#[test]
fn a_name_says_what_a_function_does() {
    each(
        "names that leave open what is meant",
        &rust_files(&["src", "tests", "benches", "examples", "fuzz"]),
        names::vague_words,
    );
}

/// 98 names stood for 292 types.
#[test]
fn a_public_type_has_a_unique_name() {
    none_left("names of several public types", &names::repeated(&rust_files(&["src"])));
}

#[test]
fn a_message_is_plain_english() {
    each("phrases that read as a translation", &rust_files(&["src"]), messages::translated);
}

/// Names of functions and tests have the language of the messages.
#[test]
fn identifiers_are_plain_english() {
    let files = rust_files(&["src", "tests", "benches", "examples", "fuzz"]);
    each("phrases that read as a translation", &files, messages::translated_names);
}

/// Pages and comments have the language of the messages.
#[test]
fn pages_and_comments_are_plain_english() {
    each("phrases that read as a translation", &tracked(), messages::translated_prose);
}

#[test]
fn changes_of_the_file_system_have_their_owners() {
    each("changes of the file system", &rust_files(&["src"]), changes::unowned_changes);
}

#[test]
fn git_is_started_in_one_way() {
    each("calls of git that start what a repository names", &rust_files(&["src"]), changes::bare_git);
}

#[test]
fn every_line_for_people_passes_the_sanitiser() {
    each("lines that pass by the sanitiser", &rust_files(&["src"]), printed_lines::unsafe_lines);
}

#[test]
fn every_module_has_its_row() {
    each("modules without a row in tests/tidy/rows.rs", &rust_files(&["src"]), rows::unknown_module);
}

#[test]
fn files_that_the_architecture_names_exist() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    none_left(
        "files that ARCHITECTURE.md names and that do not exist",
        &rows::missing_files(&page, &tracked()),
    );
}

#[test]
fn the_small_binary_stays_free_of_big_crates() {
    each("big crates in the helper", &rust_files(&["src"]), rows::big_crates);
}

#[test]
fn every_file_says_what_it_is() {
    each(
        "files without a `//!` paragraph on top",
        &rust_files(&["src", "tests", "benches", "examples", "fuzz"]),
        shape::undescribed,
    );
}

#[test]
fn no_file_is_long() {
    let files = rust_files(&["src", "tests", "benches", "examples", "fuzz"]);
    each("long files", &files, shape::long);
    for folder in ["src", "tests"] {
        let median = shape::median(&rust_files(&[folder]));
        print_line(&format!("median length of a file in {folder}: {median} lines"));
        assert!(
            median < shape::MEDIAN,
            "{folder}: the median is {median} lines, not under {}",
            shape::MEDIAN
        );
    }
}

#[test]
fn no_order_by_hash() {
    each("unordered collections", &rust_files(&["src"]), shape::unordered);
}

/// Trees in memory were found by their paths in a table that all of the process shared.
#[test]
fn no_state_is_global() {
    each("statics that change", &rust_files(&["src"]), shape::global_state);
    let shown = |path: &str, text: &str| !shape::global_state(&SourceFile::new(path, text)).is_empty();
    let table = "static TREES: RwLock<BTreeMap<PathBuf, Tree>> = RwLock::new(BTreeMap::new());";
    assert!(
        shown("src/disk/memory.rs", table) && shown("src/a.rs", "    pub(super) static N: AtomicU64 = x;")
    );
    assert!(shown("src/a.rs", "thread_local! {") && shown("src/a.rs", "static mut N: u8 = 1;"));
    let constant = "static AGENT: LazyLock<AhoCorasick> = LazyLock::new(|| {";
    assert!(!shown("src/a.rs", constant) && !shown("src/process/interrupt.rs", table));
}

/// The key of added hosts was a hash of what `{:?}` prints of them.
#[test]
fn no_hash_is_made_of_a_debug_print() {
    each("hashes of debug prints", &rust_files(&["src"]), shape::hashed_debug);
    let file = SourceFile::new("src/a.rs", r#"sha256(format!("{added:?}").as_bytes())"#);
    assert_eq!(shape::hashed_debug(&file).len(), 1);
}

/// Three places made JSON pointers without escaping the key.
#[test]
fn line_starts_pointers_and_names_are_computed_in_one_place() {
    each("things that one place computes", &rust_files(&["src"]), shape::computed_again);
    let shown = |text: &str| shape::computed_again(&SourceFile::new("src/a.rs", text)).len();
    assert_eq!(shown("let start = text[..at].rfind('\\n').map_or(0, |end| end + 1);"), 1);
    assert_eq!(shown("row.pointer(format!(\"/{key}\"))"), 1);
    assert_eq!(shown("let name = format!(\"{}:{}\", plugin.name, skill.name);"), 1);
    assert_eq!(
        shown("let end = memchr::memchr(b'\\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);"),
        1
    );
    assert_eq!(shown("let pointer = format!(\"{}/{}\", self.other.pointer, escape(&entry.key));"), 1);
}

/// About twenty places took qualified names apart, some from the wrong end.
#[test]
fn qualified_names_are_taken_apart_in_one_place() {
    each("names that are taken apart by hand", &rust_files(&["src"]), shape::split_names);
    let shown = |path: &str| shape::split_names(&SourceFile::new(path, "name.rsplit(':').next()")).len();
    assert_eq!(["src/lower/a.rs", "src/build.rs"].map(shown), [1; 2]);
    assert_eq!(["src/model/qualified_name.rs", "src/read/yaml.rs"].map(shown), [0; 2]);
}

/// About 120 places wrote the id of a rule as a string, which nothing compared with the table.
#[test]
fn rule_ids_are_constants() {
    let files = rust_files(&["src"]);
    let ids = rule_ids::listed(&files);
    assert!(ids.len() > 100, "{} ids", ids.len());
    each("ids of rules in strings", &files, |file| rule_ids::written(&ids, file));
}

#[test]
fn the_helper_has_one_sort() {
    each("sorts of the standard library in the helper", &rust_files(&["src/runtime"]), shape::own_sort);
}

#[test]
fn names_say_what_they_are() {
    each("empty names", &rust_files(&["src", "tests", "benches", "examples", "fuzz"]), shape::empty_name);
}

#[test]
fn every_rule_has_its_page() {
    none_left(
        "rules without a page, pages without a rule",
        &shape::rule_pages(&root().join("src/check/rules")),
    );
}

#[test]
fn hosts_are_data() {
    each("host names in code", &rust_files(&["src"]), hosts::named_hosts);
}

#[test]
fn nothing_private_is_tracked() {
    each("words that no file may hold", &tracked(), words::forbidden);
}

#[test]
fn lockfiles_name_no_registry() {
    let locks: Vec<SourceFile> =
        tracked().into_iter().filter(|file| file.path.ends_with("package-lock.json")).collect();
    each(
        "registry addresses (`npm install --package-lock-only` inside the folder, where .npmrc leaves them out)",
        &locks,
        words::resolved,
    );
}

#[test]
fn every_key_of_a_target_is_documented() {
    none_left(
        "keys of target files without a description",
        &targets::undocumented(&root().join("targets"), &root().join("schemas")),
    );
}
