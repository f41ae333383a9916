//! Ports in `config/puma.rb` and in files of environment variables.

use std::path::Path;

use super::PortSearch;
use crate::runtime::answer::CallFailure;
use crate::runtime::document;

/// `port 3001`, or the default of `ENV.fetch("PORT")`.
pub(super) fn puma(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    const NAME: &str = "config/puma.rb";
    let Some(text) = document::project_text(&folder.join(NAME))? else { return Ok(()) };
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some(rest) = line.strip_prefix("port") else { continue };
        if !rest.starts_with([' ', '(', '\t']) {
            continue;
        }
        let rest = rest.trim_matches([' ', '(', ')', '\t']);
        let rest = match rest.strip_prefix("ENV.fetch") {
            None => rest,
            // After the name: `, 3000` or `{ 3000 }`.
            Some(call) => {
                match call.split_once(['"', '\'']).and_then(|(_, rest)| rest.split_once(['"', '\''])) {
                    Some(("PORT", default)) => default.trim_matches([' ', ',', '(', ')', '{', '}']),
                    _ => continue,
                }
            }
        };
        let rest = rest.trim_matches(['"', '\'']);
        if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()) {
            search.add(rest, "puma", NAME, at + 1);
        }
    }
    Ok(())
}

/// `PORT` in the files of environment variables, the most specific first.
pub(super) fn environment(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    for name in [".env.local", ".env.development", ".env"] {
        let Some(text) = document::project_text(&folder.join(name))? else { continue };
        // The last assignment wins, as when such a file is loaded.
        let found = text.lines().enumerate().filter_map(|(at, line)| Some((at, value(line)?))).last();
        if let Some((at, value)) = found {
            search.add(value, "env", name, at + 1);
        }
    }
    Ok(())
}

/// What a line assigns to `PORT`, without quotes and comment.
fn value(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    let rest = line.strip_prefix("PORT")?.trim_start().strip_prefix('=')?.trim_start();
    match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next(),
        _ => rest.split(" #").next().map(str::trim_end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_of_every_form() {
        for (line, wanted) in [
            ("PORT=\"3001\" # c", Some("3001")),
            ("export PORT=3005", Some("3005")),
            ("  PORT = 3006", Some("3006")),
            ("PORT='7' ", Some("7")),
            ("PORT=3 # x", Some("3")),
            ("# PORT=3", None),
            ("SUPPORT=3", None),
            ("PORT_A=3", None),
            ("PORT=", None),
        ] {
            assert_eq!(value(line), wanted, "{line}");
        }
    }
}
