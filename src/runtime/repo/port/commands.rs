//! Ports in command lines: `--port 4000`, `--port=4000`, `-p 4000`, `-p4000`, `PORT=4000` in front.

use std::path::Path;

use super::PortSearch;
use crate::runtime::answer::CallFailure;
use crate::runtime::document;

/// The `web` line of a Procfile.
pub(super) fn procfile(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    for name in ["Procfile.dev", "Procfile"] {
        let Some(text) = document::project_text(&folder.join(name))? else { continue };
        for (at, line) in text.lines().enumerate() {
            let Some(command) = line.trim_start().strip_prefix("web:") else { continue };
            if let Some(number) = port(command) {
                search.add(&number, "procfile", name, at + 1);
            }
        }
    }
    Ok(())
}

/// The port number in a command line.
pub(in crate::runtime) fn port(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let number = |word: &str| {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| word.to_owned())
    };
    let flagged = words.iter().enumerate().find_map(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "--port" | "-p" => number(next),
            word => number(word.strip_prefix("--port=").or_else(|| word.strip_prefix("-p"))?),
        }
    });
    flagged.or_else(|| words.iter().find_map(|word| number(word.strip_prefix("PORT=")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_commands() {
        for (command, wanted) in [
            ("next dev -p 4567", Some("4567")),
            ("vite --port=3001", Some("3001")),
            ("bin/rails server -p3000 -b 0.0.0.0", Some("3000")),
            ("PORT=5000 bundle exec rails s", Some("5000")),
            ("cross-env \"PORT=5001\" x", Some("5001")),
            ("env 'PORT=5002' x", Some("5002")),
            ("next dev -p $PORT", None),
            ("mkdir -parents", None),
            ("x --port", None),
            ("", None),
        ] {
            assert_eq!(port(command).as_deref(), wanted, "{command}");
        }
    }
}
