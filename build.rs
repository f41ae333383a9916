//! Names the program by what it is made of, for the build cache: the version alone stays the same while plugcast itself
//! is being worked on. Reads what the program embeds: the ids of rules, the targets and the table of rules for the compiler,
//! the schemas for the helper.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a build script reads files and speaks to cargo by printing"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    list_rule_ids()?;
    // The helper has no such cache: a change of the compiler must not build it again.
    if env::var_os("CARGO_FEATURE_COMPILER").is_none() {
        return embed_schemas();
    }
    let mut files = BTreeMap::new();
    for place in ["src", "targets", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={place}");
        gather(Path::new(place), &mut files)?;
    }
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    println!("cargo::rustc-env=PLUGCAST_PROGRAM={:016x}", hasher.finish());
    list_rules(&files)?;
    embed_targets(&files)
}

/// The files that list the ids of findings: the modules and constants of rules, and the pages of other findings.
const ID_LISTS: [&str; 4] =
    ["src/check/rules.rs", "src/check/rules/reported.rs", "src/build/pages.rs", "src/release/pages.rs"];

/// Writes the constants of `src/diagnostic/rule_id.rs`.
fn list_rule_ids() -> io::Result<()> {
    let mut names = BTreeSet::new();
    for path in ID_LISTS {
        println!("cargo::rerun-if-changed={path}");
        let text = fs::read_to_string(path)?;
        names.extend(rule_modules(&text).chain(reported_rules(&text)).map(str::to_lowercase));
        let pages = text.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split('"').next());
        names.extend(pages.map(|page| page.replace('-', "_")));
    }
    let (mut constants, mut all) = (String::new(), String::new());
    for name in names {
        let (constant, id) = (name.to_uppercase(), name.replace('_', "-"));
        constants += &format!("    /// `{id}`.\n    pub const {constant}: Self = Self({id:?});\n");
        all += &format!("    RuleId::{constant},\n");
    }
    let text =
        format!("impl RuleId {{\n{constants}}}\n\n/// Every id.\nconst ALL: &[RuleId] = &[\n{all}];\n");
    fs::write(out_folder()?.join("rule_ids.rs"), text)
}

/// The modules that a text lists, but for the one with the rules that are reported elsewhere.
fn rule_modules(list: &str) -> impl Iterator<Item = &str> {
    // Some modules are seen by others, too.
    let modules = list.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    let is_name = |byte: u8| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit();
    modules.filter(move |module| module.bytes().all(is_name) && *module != "reported")
}

/// The constants of rules that are reported elsewhere.
fn reported_rules(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| line.strip_prefix("pub(super) const ")?.strip_suffix(": Rule = Rule {"))
}

/// Writes the table of rules from the modules that `src/check/rules.rs` lists and the lines of `rules/reported.rs`, so that
/// every rule is listed once.
fn list_rules(files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let text = |path: &str| {
        let bytes = files.get(Path::new(path)).map_or(&[][..], Vec::as_slice);
        std::str::from_utf8(bytes).map_err(io::Error::other)
    };
    let (list, reported) = (text("src/check/rules.rs")?, text("src/check/rules/reported.rs")?);
    let rules = rule_modules(list).map(|module| (module.to_owned(), format!("{module}::RULE")));
    let constants = reported_rules(reported).map(|name| (name.to_lowercase(), format!("reported::{name}")));
    // Where comments part the list, rustfmt sorts only within the parts.
    let mut rules: Vec<(String, String)> = rules.chain(constants).collect();
    rules.sort_unstable();
    let rules: String = rules.iter().map(|(_, rule)| format!("    {rule},\n")).collect();
    fs::write(out_folder()?.join("rules.rs"), format!("&[\n{rules}]\n"))
}

/// Writes the targets as one JSON document: every command reads them before anything else, and takes a tenth of the time
/// for that which it takes for TOML.
#[cfg(feature = "compiler")]
fn embed_targets(files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let mut targets = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with("target.toml")) {
        let target: toml::Table = toml::from_slice(bytes)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        targets.insert(path.iter().nth(1).unwrap_or_default().to_string_lossy(), target);
    }
    fs::write(out_folder()?.join("targets.json"), serde_json::to_string(&targets)?)
}

#[cfg(not(feature = "compiler"))]
fn embed_targets(_: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    Ok(())
}

/// Writes the schemas of the helper's answers, packed: as texts they are a third of the code that generates them, and a
/// tenth of that when packed.
fn embed_schemas() -> io::Result<()> {
    println!("cargo::rerun-if-changed=schemas");
    let mut files = BTreeMap::new();
    gather(Path::new("schemas"), &mut files)?;
    let mut all = Vec::new();
    for (path, bytes) in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("rt.") {
            let text = String::from_utf8(bytes).map_err(io::Error::other)?;
            all.push(format!("{name:?}:{}", without_spaces(&text)));
        }
    }
    let packed = miniz_oxide::deflate::compress_to_vec(format!("{{{}}}", all.join(",")).as_bytes(), 10);
    fs::write(out_folder()?.join("schemas.bin"), packed)
}

fn out_folder() -> io::Result<PathBuf> {
    env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| io::Error::other("no OUT_DIR"))
}

/// JSON without the spaces between its tokens.
fn without_spaces(json: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if quoted || !c.is_whitespace() {
            out.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}

fn gather(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            gather(&entry?.path(), files)?;
        }
    } else if path.exists() {
        files.insert(path.to_owned(), fs::read(path)?);
    }
    Ok(())
}
