//! What `plugcast-run` does: the helper that ships inside bundles and that skills call by path. Every
//! answer is one JSON object on standard output, but for `--version` and `--help`.

pub mod answer;

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory, Parser};
use semver::Version;

use answer::{Failure, OK};

/// What `--version` prints. `plugcast build` finds the version of a helper by these very words in the
/// binary, whatever platform it is for.
pub const BANNER: &str = concat!("plugcast-run ", env!("CARGO_PKG_VERSION"), "\n");

/// The helper that skills call. It has no commands yet: it says that it is there, and whether it is new
/// enough.
///
/// Exit codes: 0 answered; 2 wrong call; 5 this machine or this helper cannot do it. With any code but 0
/// standard output is one JSON object with `error.code`, `error.message` and `error.hint`.
#[derive(Debug, Parser)]
#[command(name = "plugcast-run", disable_version_flag = true, disable_help_flag = true)]
#[command(after_help = "Examples:\n  plugcast-run --require 0.1.0 --version")]
struct Arguments {
    /// Go on only if this helper is VERSION or newer; otherwise exit with code 5
    #[arg(long, value_name = "VERSION", value_parser = Version::parse)]
    require: Option<Version>,
    /// Print name and version
    #[arg(long, short = 'V')]
    version: bool,
    /// Print this text
    #[arg(long, short)]
    help: bool,
}

/// Runs one command line, its first word being the program's own name, and answers with the exit code.
/// The answer goes to `out`; a closed pipe there is no error.
pub fn run(words: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> u8 {
    let (text, code) = match answer(words) {
        Ok(text) => (text, OK),
        Err(failure) => (failure.text(), failure.exit),
    };
    // Whoever closed the pipe has read enough.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    code
}

fn answer(words: impl IntoIterator<Item = OsString>) -> Result<String, Failure> {
    let arguments = Arguments::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        Failure::usage(first.strip_prefix("error: ").unwrap_or(first))
    })?;
    if let Some(needed) = &arguments.require {
        require(needed)?;
    }
    if arguments.help {
        Ok(Arguments::command().render_help().to_string())
    } else if arguments.version {
        Ok(BANNER.to_owned())
    } else {
        Err(Failure::usage("no command is named"))
    }
}

/// Whether this helper is new enough. Build metadata does not count.
fn require(needed: &Version) -> Result<(), Failure> {
    let own = env!("CARGO_PKG_VERSION");
    let new_enough = Version::parse(own).is_ok_and(|own| own.cmp_precedence(needed).is_ge());
    if new_enough { Ok(()) } else { Err(Failure::too_old(own, needed)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &[&str]) -> (u8, String) {
        let mut out = Vec::new();
        let words = std::iter::once("plugcast-run").chain(words.iter().copied()).map(OsString::from);
        (run(words, &mut out), String::from_utf8(out).unwrap())
    }

    fn failed(words: &[&str]) -> (u8, serde_json::Value) {
        let (code, text) = said(words);
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "one object on one line: {text}");
        (code, serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn a_version_that_is_met_goes_on() {
        for needed in ["0.0.9", "0.1.0-rc.1", env!("CARGO_PKG_VERSION"), "0.1.0+build.7"] {
            assert_eq!(said(&["--require", needed, "--version"]), (0, BANNER.to_owned()), "{needed}");
        }
        assert_eq!(said(&["-V"]), (0, BANNER.to_owned()));
        let (code, help) = said(&["--help"]);
        assert!(code == 0 && help.contains("--require <VERSION>"), "{help}");
    }

    #[test]
    fn a_helper_that_is_too_old_says_what_to_do() {
        let (code, answer) = failed(&["--require", "9.1.0", "--version"]);
        assert_eq!((code, answer["status"].as_str()), (5, Some("error")));
        assert_eq!(answer["schema"], "rt.error/1");
        assert_eq!(answer["error"]["code"], "helper_too_old");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("`9.1.0`") && message.contains(env!("CARGO_PKG_VERSION")), "{message}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("plugcast 9.1.0"));
    }

    #[test]
    fn a_wrong_call_is_one_object_too() {
        for (words, part) in [
            (&["--frobnicate"][..], "--frobnicate"),
            (&["review", "start"], "review"),
            (&["--require", "new", "--version"], "new"),
            (&["--require"], "--require"),
            (&[], "no command"),
            (&["--require", "0.1.0"], "no command"),
        ] {
            let (code, answer) = failed(words);
            assert_eq!((code, answer["error"]["code"].as_str()), (2, Some("usage")), "{words:?}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
        }
    }
}
