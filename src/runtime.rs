//! The implementation of `plugcast-run`: the helper that ships inside bundles and that skills call by path. Every
//! response is one JSON object on standard output, except for `--version` and `--help`.

pub mod answer;
pub mod changes;
pub mod child;
pub mod command_line;
pub mod dispatch;
pub mod doctor;
pub mod document;
pub mod environment;
pub mod error_code;
pub mod feedback;
mod foreign_process;
pub mod gc;
pub mod git;
pub mod github;
mod given_list;
pub mod grammar;
pub mod hosts;
pub mod launch;
pub mod listeners;
pub mod place;
pub mod polish;
pub mod pretty_json;
pub mod published;
pub mod repo;
pub mod review;
pub mod run;
pub mod server;
pub mod store;
pub mod timestamp;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use semver::Version;

use crate::process::{detached_process, interrupt};
use answer::{CallFailure, ENVIRONMENT, OK, ResponseFormat};
use command_line::OptionValue;
use environment::Environment;
use grammar::HelperRequest;

/// The output of `--version`. `plugcast build` finds the version of a helper by this exact text in the binary, on any
/// platform.
pub const BANNER: &str = concat!("plugcast-run ", env!("CARGO_PKG_VERSION"), "\n");

/// Runs one command line, whose first word is the program's own name, and returns the exit code. The response is
/// written to `out`; if that fails, the exit code is 5.
pub fn run(words: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    if let Some((name, argv)) = words.split_first()
        && name == detached_process::NAME
    {
        return detached_process::become_program(argv);
    }
    // A wrong value is reported where the command line is parsed.
    let format = grammar::early_value(&words, "--format").and_then(|name| ResponseFormat::parse(&name).ok());
    let mut undo = Vec::new();
    let (text, code) = match answer(&words, &mut undo) {
        Ok(text) => (text, OK),
        Err((failure, schema)) => failure.print(&schema, format.unwrap_or(ResponseFormat::Json)),
    };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => code,
        // The caller did not get the response, whatever was done.
        Err(error) => {
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                let message = format!("the answer cannot be written to standard output: {error}");
                Environment::read().warn(&message);
            }
            if !undo.is_empty() {
                let words: Vec<OsString> = words.iter().take(1).cloned().chain(undo).collect();
                // If this cannot be undone, the next command reports it.
                let _ = answer(&words, &mut Vec::new());
            }
            ENVIRONMENT
        }
    }
}

/// The response, or the failure with its schema. `undo` receives the words of the command that undoes the effect.
fn answer(words: &[OsString], undo: &mut Vec<OsString>) -> Result<String, (CallFailure, String)> {
    let unnamed = |failure: CallFailure| (failure, "rt.error/1".to_owned());
    // Check the version first: a command that an old helper does not have must not hide that it is too old.
    if let Some(Ok(needed)) = grammar::early_value(words, "--require").map(|needed| Version::parse(&needed)) {
        require(&needed).map_err(|failure| {
            let begins = grammar::published_words(words) == Some("review begin");
            unnamed(match begins && words.iter().any(|word| word == "--stdin") {
                true => review::arguments::unread_failure(failure, &Environment::read()),
                false => failure,
            })
        })?;
    }
    let id = |command: &str| {
        published::find(command).map_or_else(String::new, published::PublishedCommand::schema_id)
    };
    let invocation = match grammar::parse(words) {
        Ok(HelperRequest::Run(invocation)) => invocation,
        Ok(HelperRequest::Help(help)) => return Ok(help),
        Ok(HelperRequest::Version) => return Ok(BANNER.to_owned()),
        Err(failure) => {
            return Err(match grammar::published_words(words) {
                Some(command) => (failure, id(command)),
                None => unnamed(failure),
            });
        }
    };
    let (schema, format) = (id(invocation.command.command), invocation.format);
    let environment = Environment::read();
    let (interrupted, _) = CallFailure::interrupted().print(&schema, format);
    let last = move || {
        // The code that prints the response holds the lock of the output; an incomplete message is better than none.
        let _ = rustix::io::write(rustix::stdio::stdout(), interrupted.as_bytes());
    };
    // Without the handler, an interrupt ends the program at once, and only the cleanup is lost.
    let _ = interrupt::listen_for(&interrupt::ALL, last);
    let root = invocation.root.clone().or_else(|| environment.variable("PLUGCAST_STATE").map(PathBuf::from));
    let environment = environment.with_root(root);
    let delivery = invocation.run(&environment);
    // From here on the response itself is printed.
    interrupt::enter_critical_section();
    match delivery {
        Ok(delivery) if !interrupt::pending() => {
            undo.extend(delivery.undo().iter().map(OsString::from));
            Ok(delivery.print(&schema, format))
        }
        Ok(_) => Err((CallFailure::interrupted(), schema)),
        Err(_) if interrupt::pending() => Err((CallFailure::interrupted(), schema)),
        Err(failure) => Err((failure, schema)),
    }
}

/// Whether this helper is new enough. Build metadata does not count.
fn require(needed: &Version) -> Result<(), CallFailure> {
    let own = env!("CARGO_PKG_VERSION");
    let new_enough = Version::parse(own).is_ok_and(|own| own.cmp_precedence(needed).is_ge());
    if new_enough { Ok(()) } else { Err(CallFailure::too_old(own, needed)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(words: &[&str]) -> (u8, String) {
        let mut out = Vec::new();
        let words = std::iter::once("plugcast-run").chain(words.iter().copied()).map(OsString::from);
        (run(words, &mut out), String::from_utf8(out).unwrap())
    }

    fn failed(words: &[&str]) -> (u8, serde_json::Value) {
        let (code, text) = print(words);
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "one object on one line: {text}");
        (code, serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn a_version_that_is_met_goes_on() {
        for needed in ["0.0.9", "0.1.0-rc.1", env!("CARGO_PKG_VERSION"), "0.1.0+build.7"] {
            assert_eq!(print(&["--require", needed, "--version"]), (0, BANNER.to_owned()), "{needed}");
        }
        assert_eq!(print(&["-V"]), (0, BANNER.to_owned()));
        let (code, help) = print(&["--help"]);
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
            (&["reviw"], "reviw"),
            (&["review"], "no command"),
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
