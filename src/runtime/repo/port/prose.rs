//! Ports in a project's notes for agents: only in a line about starting the development server, and only if the file
//! names a single port.

use std::path::Path;

use super::PortSearch;
use crate::runtime::answer::CallFailure;
use crate::runtime::document;

const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// A line must contain one of these words.
const SERVER_WORDS: [&str; 7] = ["dev", "develop", "development", "serve", "serves", "start", "starts"];
/// What precedes a port.
const PORT_PREFIXES: [&str; 3] = ["localhost:", "127.0.0.1:", "port "];

/// Reads both files.
pub(super) fn search_files(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    for name in NAMES {
        let Some(text) = document::project_text(&folder.join(name))? else { continue };
        let mut found: Vec<(String, usize)> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            found.extend(ports(line).into_iter().map(|port| (port, at + 1)));
        }
        let Some((port, line)) = found.first() else { continue };
        match found.iter().find(|(other, _)| other != port) {
            None => search.add(port, "prose", name, *line),
            Some((other, _)) => {
                search.warnings.push(format!("`{name}` names both `{port}` and `{other}`: skipped"));
            }
        }
    }
    Ok(())
}

/// The ports that a line names.
fn ports(line: &str) -> Vec<String> {
    let lower = line.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    if !words.any(|word| SERVER_WORDS.contains(&word)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for before in PORT_PREFIXES {
        for (at, _) in lower.match_indices(before) {
            let whole = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let digits: String =
                lower[at + before.len()..].chars().take_while(char::is_ascii_digit).collect();
            if whole && !digits.is_empty() {
                found.push(digits);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_starting_count() {
        assert_eq!(ports("dev server: http://localhost:8443"), ["8443"]);
        assert_eq!(ports("Start it; it is on port 8080."), ["8080"]);
        for line in
            ["prod listens on 8443", "prod: http://localhost:8443", "the device is on port 3", "dev 8"]
        {
            assert!(ports(line).is_empty(), "{line}");
        }
    }
}
