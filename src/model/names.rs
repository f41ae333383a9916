//! Checks that names are valid wherever they are used: as part of a path on any file system, and as part of
//! `plugin:name` in a host's text.

/// The name that the source host shows for a skill's folder: letters, digits, `_` and `-` stay, and anything else
/// becomes `-` for each of its UTF-16 code units (Claude Code 2.1.330).
pub fn skill_name(folder: &str) -> String {
    let is_kept = |unit: &u8| unit.is_ascii_alphanumeric() || b"_-".contains(unit);
    let shown = |unit| u8::try_from(unit).ok().filter(is_kept).map_or('-', char::from);
    folder.encode_utf16().map(shown).collect()
}

/// Names that Windows reserves, with or without an ending.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Why `name` cannot be the name of a component. The source host accepts any name that an agent or a command declares
/// (Claude Code 2.1.330); [`segment`] turns it into a path.
///
/// # Errors
/// The reason, to be put after "the name `x`".
pub fn check_component(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() {
        return Err("is empty");
    }
    if name.split(['/', '\\']).any(|part| part == "..") {
        return Err("would leave the output folder");
    }
    if name.chars().any(char::is_control) {
        return Err("contains a control character");
    }
    Ok(())
}

/// Why `name` cannot be a part of a path, as names in settings and of marketplaces are.
///
/// # Errors
/// The reason, to be put after "the name `x`".
pub fn check(name: &str) -> Result<(), &'static str> {
    check_component(name)?;
    if name.contains(['/', '\\']) {
        return Err("contains a path separator");
    }
    if name.starts_with('.') {
        return Err("starts with a dot, so hosts skip its folder");
    }
    if name.contains(['<', '>', '"', '|', '?', '*']) {
        return Err("contains a character that is not allowed in file names everywhere");
    }
    if name.ends_with(['.', ' ']) {
        return Err("ends with a dot or a space, which Windows drops");
    }
    if is_reserved(name) {
        return Err("is reserved on Windows");
    }
    Ok(())
}

/// Whether Windows refuses `part` as the name of a file or folder.
pub fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    RESERVED.iter().any(|reserved| stem.eq_ignore_ascii_case(reserved))
}

/// The maximum length of the name of a plugin or a marketplace: Codex 0.169.0 takes 129 letters for `plugin:skill`.
const LONGEST_NAME: usize = 100;

/// Why `name` cannot name a plugin or a marketplace: the source host installs `plugin@marketplace` only if both are
/// letters, digits, `.`, `_` and `-`, the first a letter or a digit (Claude Code 2.1.330); Codex 0.169.0 refuses `..`.
///
/// # Errors
/// The reason, to be put after "the plugin name `x`".
pub fn check_installable(name: &str) -> Result<(), &'static str> {
    check(name)?;
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
        Err("may contain only letters, digits, `.`, `_` and `-`")
    } else if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        Err("must start with a letter or a digit")
    } else if name.contains("..") {
        Err("contains two dots in a row")
    } else if name.len() > LONGEST_NAME {
        Err("has more than 100 letters")
    } else {
        Ok(())
    }
}

/// Why a file or folder cannot have the name `part` on every file system; `None` if it can.
pub fn unwritable(part: &str) -> Option<String> {
    if is_reserved(part) {
        Some(format!("`{part}` is reserved on Windows"))
    } else if let Some(c) = part.chars().find(|c| c.is_control() || "<>:\"|?*\\".contains(*c)) {
        Some(format!("`{part}` contains {c:?}, which is not allowed in names on Windows"))
    } else {
        part.ends_with(['.', ' '])
            .then(|| format!("`{part}` ends with a dot or a space, which Windows drops"))
    }
}

/// `name` as one part of a path that every file system accepts; always use this to turn a name into a path. Two names
/// may become the same part, so a caller that writes several must keep them apart.
pub fn segment(name: &str) -> String {
    let allowed = |c: char| !c.is_control() && !"<>:\"|?*\\/ ".contains(c);
    let mut part: String = name.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    // A leading dot hides a file, and Windows drops a trailing one.
    if part.starts_with('.') {
        part.replace_range(..1, "-");
    }
    if part.ends_with('.') {
        part.replace_range(part.len() - 1.., "-");
    }
    match part.as_str() {
        "" => "-".to_owned(),
        part if is_reserved(part) => format!("_{part}"),
        _ => part,
    }
}

/// The parts of `folder:name` as one part of a path: `folder--name`.
pub fn dashed_name(name: &str) -> String {
    name.split(':').map(segment).collect::<Vec<_>>().join("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_shown_as_the_source_host_does() {
        for (folder, name) in [
            ("a_B-9", "a_B-9"),
            ("My Skill", "My-Skill"),
            ("a.b", "a-b"),
            ("c:d", "c-d"),
            ("ü", "-"),
            ("emoji😀", "emoji--"),
            (".x", "-x"),
        ] {
            assert_eq!(skill_name(folder), name);
        }
    }

    #[test]
    fn refuses_what_leaves_or_cannot_be_written() {
        for name in [
            "",
            " ",
            "../../pwned",
            "a/b",
            "a\\b",
            "con",
            "CON.txt",
            "com1",
            ".hidden",
            "a\nb",
            "a?",
            "end.",
            "end ",
        ] {
            assert!(check(name).is_err(), "{name:?}");
        }
        for name in ["a", "ce:polish", "My Skill", "größe", "console", "v1.2"] {
            assert!(check(name).is_ok(), "{name:?}");
        }
        for name in ["my:plug", "my plug", "größe", "_plug", "-plug", "my..plug", &"a".repeat(101)] {
            assert!(check_installable(name).is_err(), "{name:?}");
        }
        for name in ["my-plug.2", "2-plug", "My_plug"] {
            assert!(check_installable(name).is_ok(), "{name:?}");
        }
    }
    #[test]
    fn every_name_becomes_one_part_of_a_path() {
        for (name, part) in [
            ("a", "a"),
            ("My Skill", "My-Skill"),
            ("UI/UX Designer", "UI-UX-Designer"),
            ("a/../../b", "a-..-..-b"),
            ("/etc/passwd", "-etc-passwd"),
            ("C:\\x", "C--x"),
            ("..", "--"),
            (".", "-"),
            (".hidden", "-hidden"),
            ("end.", "end-"),
            ("end ", "end-"),
            ("con", "_con"),
            ("AUX.md", "_AUX.md"),
            ("a\0b\n", "a-b-"),
            ("größe", "größe"),
            ("", "-"),
        ] {
            assert_eq!(segment(name), part);
            assert_eq!(unwritable(part), None);
            assert_eq!(check(part), Ok(()));
        }
        assert_eq!(dashed_name("deep dir:.hidden:UI/UX"), "deep-dir---hidden--UI-UX");
    }
}
