//! Converts clap's errors about a command line to a message and help in the style of all other messages.

use std::error::Error;
use std::fmt::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Why a command line is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// What is wrong.
    pub message: String,
    /// A suggestion, or the allowed values.
    pub tip: Option<String>,
}

impl UsageError {
    /// Converts `error`.
    pub fn from_clap(error: &clap::Error) -> Self {
        Self { message: message(error), tip: tip(error) }
    }

    /// The help: the suggestion, and a reference to the help of `command`.
    pub fn help(&self, command: &str) -> String {
        match &self.tip {
            Some(question) if question.ends_with('?') => format!("{question} see `{command} --help`"),
            Some(tip) => format!("{tip}; see `{command} --help`"),
            None => format!("see `{command} --help`"),
        }
    }
}

fn message(error: &clap::Error) -> String {
    let text = |kind| text(error, kind);
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => *number,
        _ => 0,
    };
    let argument = text(ContextKind::InvalidArg);
    let value = text(ContextKind::InvalidValue);
    match error.kind() {
        ErrorKind::UnknownArgument => format!("unexpected argument {argument}"),
        ErrorKind::InvalidSubcommand => {
            format!("unknown command {}", text(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingRequiredArgument => format!("missing required argument {argument}"),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "no command is named".to_owned()
        }
        ErrorKind::ArgumentConflict => {
            let subcommand = text(ContextKind::InvalidSubcommand);
            let own = if argument.is_empty() { subcommand } else { argument };
            match text(ContextKind::PriorArg) {
                prior if prior == own => format!("argument {own} cannot be used more than once"),
                prior if prior.is_empty() => {
                    format!("argument {own} cannot be used with the other arguments")
                }
                prior => format!("argument {own} cannot be used with {prior}"),
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("missing value for {argument}"),
        ErrorKind::InvalidValue => format!("invalid value {value} for {argument}"),
        ErrorKind::ValueValidation => {
            let mut message = format!("invalid value {value} for {argument}");
            if let Some(source) = error.source() {
                // Writing to a string cannot fail.
                let _ = write!(message, ": {source}");
            }
            message
        }
        ErrorKind::NoEquals => format!("argument {argument} needs `=` before its value"),
        ErrorKind::TooManyValues => format!("unexpected value {value} for {argument}"),
        ErrorKind::TooFewValues => {
            let (least, actual) = (number(ContextKind::MinValues), number(ContextKind::ActualNumValues));
            format!("{argument} takes at least {least} values, not {actual}")
        }
        ErrorKind::WrongNumberOfValues => {
            let (expected, actual) =
                (number(ContextKind::ExpectedNumValues), number(ContextKind::ActualNumValues));
            format!("{argument} takes {expected} values, not {actual}")
        }
        kind => kind.as_str().unwrap_or("invalid command line").to_owned(),
    }
}

fn tip(error: &clap::Error) -> Option<String> {
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    if let Some(similar) = similar.map(|kind| text(error, kind)).into_iter().find(|text| !text.is_empty()) {
        return Some(format!("did you mean {similar}?"));
    }
    let allowed = text(error, ContextKind::ValidValue);
    if !allowed.is_empty() {
        return Some(format!("possible values: {allowed}"));
    }
    let argument = text(error, ContextKind::InvalidArg);
    // clap suggests passing a word as a value only if it looks like an option.
    let as_value = error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::Suggested).is_some();
    as_value.then(|| format!("to pass {argument} as a value, put `--` before it"))
}

/// The values of this kind in backticks; empty if there are none.
fn text(error: &clap::Error, kind: ContextKind) -> String {
    let quoted = |value: &String| format!("`{value}`");
    match error.get(kind) {
        Some(ContextValue::String(value)) if !value.is_empty() => quoted(value),
        Some(ContextValue::Strings(values)) => {
            let values: Vec<String> = values.iter().map(quoted).collect();
            values.join(", ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command, value_parser};

    use super::*;

    fn refused(words: &[&str]) -> UsageError {
        let build = Command::new("build")
            .arg(Arg::new("SRC").required(true))
            .arg(Arg::new("colour").long("colour").value_parser(["never", "always"]))
            .arg(Arg::new("jobs").long("jobs").value_parser(value_parser!(u8)).require_equals(true))
            .arg(Arg::new("pair").long("pair").num_args(2))
            .arg(Arg::new("quiet").long("quiet").action(ArgAction::SetTrue).conflicts_with("verbose"))
            .arg(Arg::new("verbose").long("verbose").action(ArgAction::SetTrue));
        let program = Command::new("p").subcommand_required(true).subcommand(build);
        let error = program.try_get_matches_from([&["p"], words].concat()).unwrap_err();
        UsageError::from_clap(&error)
    }

    #[test]
    fn a_refused_command_line_gets_a_sentence_and_a_tip() {
        let cases: [(&[&str], &str, Option<&str>); 13] = [
            (&[], "no command is named", None),
            (&["biuld"], "unknown command `biuld`", Some("did you mean `build`?")),
            (&["build"], "missing required argument `<SRC>`", None),
            (&["build", "a", "b"], "unexpected argument `b`", None),
            (&["build", "a", "--quite"], "unexpected argument `--quite`", Some("did you mean `--quiet`?")),
            (
                &["build", "--zzz"],
                "unexpected argument `--zzz`",
                Some("to pass `--zzz` as a value, put `--` before it"),
            ),
            (
                &["build", "a", "--colour", "x"],
                "invalid value `x` for `--colour <colour>`",
                Some("possible values: `never`, `always`"),
            ),
            (
                &["build", "a", "--colour"],
                "missing value for `--colour <colour>`",
                Some("possible values: `never`, `always`"),
            ),
            (
                &["build", "a", "--jobs=x"],
                "invalid value `x` for `--jobs=<jobs>`: invalid digit found in string",
                None,
            ),
            (&["build", "a", "--jobs", "1"], "argument `--jobs=<jobs>` needs `=` before its value", None),
            (&["build", "a", "--pair", "1"], "`--pair <pair> <pair>` takes 2 values, not 1", None),
            (
                &["build", "a", "--quiet", "--verbose"],
                "argument `--quiet` cannot be used with `--verbose`",
                None,
            ),
            (&["build", "a", "--quiet", "--quiet"], "argument `--quiet` cannot be used more than once", None),
        ];
        for (words, message, tip) in cases {
            let error = refused(words);
            assert_eq!((error.message.as_str(), error.tip.as_deref()), (message, tip), "{words:?}");
        }
    }

    #[test]
    fn help_joins_the_tip_and_where_to_read_on() {
        assert_eq!(refused(&["biuld"]).help("p"), "did you mean `build`? see `p --help`");
        let values = refused(&["build", "a", "--colour"]).help("p build");
        assert_eq!(values, "possible values: `never`, `always`; see `p build --help`");
        assert_eq!(refused(&["build"]).help("p"), "see `p --help`");
    }

    /// Regression test: the message was taken from the rendered text, with every apostrophe replaced by a backtick.
    #[test]
    fn values_stay_as_they_were_typed() {
        assert_eq!(refused(&["don't"]).message, "unknown command `don't`");
    }
}
