//! Parses a command line with the tables of the commands.

use std::ffi::{OsStr, OsString};

use super::{InvalidValue, Parameter, ParameterKind, ParameterMatches};
use crate::runtime::answer::CallFailure;
use crate::runtime::published::{self, PublishedCommand};

/// A parsed command line.
#[derive(Debug)]
pub struct ParsedLine {
    /// What was given for the options of every command.
    pub global: ParameterMatches,
    /// The command, with what was given for its options.
    pub command: Option<(&'static PublishedCommand, ParameterMatches)>,
    /// The words of the command or group whose help is asked for.
    pub help: Option<String>,
}

/// One parameter with the words that were given for it.
type GivenWords = (&'static Parameter, Vec<OsString>);

/// The state while a command line is read.
struct LineReader {
    /// The words of the group or command so far.
    path: String,
    command: Option<&'static PublishedCommand>,
    global: Vec<GivenWords>,
    own: Vec<GivenWords>,
}

/// Reads a command line without the program's name; `global` are the options of every command.
///
/// # Errors
/// A usage error, with a suggestion if a known word is similar.
pub fn parse(words: &[OsString], global: &'static [Parameter]) -> Result<ParsedLine, CallFailure> {
    let mut reader =
        LineReader { path: String::new(), command: None, global: none_of(global), own: Vec::new() };
    let mut words = words.iter().peekable();
    let (mut asks_for_help, mut only_values) = (false, false);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if only_values || !text.starts_with('-') || text == "-" {
            match reader.command {
                None if text == "help" && reader.path.is_empty() => asks_for_help = true,
                None => reader.enter(&text)?,
                Some(_) => reader.positional(word)?,
            }
            continue;
        }
        match &*text {
            "--" => only_values = true,
            "-h" | "--help" => asks_for_help = true,
            _ => {
                let next = words.peek().is_some_and(|next| {
                    let next = next.as_encoded_bytes();
                    !next.starts_with(b"-") || next == b"-"
                });
                if reader.option(word, words.peek().copied().filter(|_| next))? {
                    words.next();
                }
            }
        }
    }
    let help = asks_for_help.then(|| reader.path.clone());
    if help.is_none() {
        reader.must_fit()?;
    }
    let command = reader.command.map_or("", |command| command.command);
    let matches = |given: Vec<GivenWords>| ParameterMatches { command, given: given.into_iter() };
    Ok(ParsedLine {
        command: reader.command.map(|found| (found, matches(reader.own))),
        global: matches(reader.global),
        help,
    })
}

fn none_of(parameters: &'static [Parameter]) -> Vec<GivenWords> {
    parameters.iter().map(|parameter| (parameter, Vec::new())).collect()
}

impl LineReader {
    /// A word of the command.
    fn enter(&mut self, word: &str) -> Result<(), CallFailure> {
        let path = if self.path.is_empty() { word.to_owned() } else { format!("{} {word}", self.path) };
        self.command = published::find(&path);
        let is_group = published::COMMANDS.iter().any(|row| words_after_group(row.command, &path).is_some());
        if self.command.is_none() && !is_group {
            let known =
                published::COMMANDS.iter().filter_map(|row| words_after_group(row.command, &self.path));
            let known = known.filter_map(|rest| rest.split(' ').next());
            return Err(self.usage_failure(format!("unknown command `{word}`"), similar(word, known)));
        }
        self.path = path;
        self.own = self.command.map_or_else(Vec::new, |command| none_of(command.parameters));
        Ok(())
    }

    fn positional(&mut self, word: &OsStr) -> Result<(), CallFailure> {
        let free = |(parameter, words): &&mut GivenWords| {
            parameter.is_positional() && (parameter.kind == ParameterKind::Many || words.is_empty())
        };
        match self.own.iter_mut().find(free) {
            Some((parameter, words)) => {
                add(parameter, words, word);
                Ok(())
            }
            None => {
                Err(self.usage_failure(format!("unexpected argument `{}`", word.to_string_lossy()), None))
            }
        }
    }

    /// Reads an option; returns whether it used the next word as its value.
    fn option(&mut self, word: &OsStr, next: Option<&OsString>) -> Result<bool, CallFailure> {
        let bytes = word.as_encoded_bytes();
        let equals = bytes.iter().position(|byte| *byte == b'=').filter(|_| bytes.starts_with(b"--"));
        let text = word.to_string_lossy();
        let name = text.split('=').next().filter(|_| equals.is_some()).unwrap_or(&text);
        let named = |(parameter, _): &&mut GivenWords| parameter.is_called(name);
        let Some((parameter, words)) = self.own.iter_mut().chain(&mut self.global).find(named) else {
            let known =
                self.own.iter().chain(&self.global).filter(|(parameter, _)| !parameter.is_positional());
            let tip = similar(name, known.map(|(parameter, _)| parameter.name()).chain(["--help"]));
            let takes_words = self.own.iter().any(|(parameter, _)| parameter.is_positional());
            let tip = tip
                .or_else(|| takes_words.then(|| format!("to pass `{text}` as a value, put `--` before it")));
            return Err(self.usage_failure(format!("unexpected argument `{name}`"), tip));
        };
        let (parameter, spelled) = (*parameter, parameter.spelled);
        if !words.is_empty() && parameter.kind != ParameterKind::Many {
            return Err(
                self.usage_failure(format!("argument `{spelled}` cannot be used more than once"), None)
            );
        }
        let value = match (parameter.kind, equals) {
            (ParameterKind::Switch, None) => {
                words.push(OsString::new());
                return Ok(false);
            }
            (ParameterKind::Switch, Some(at)) => {
                let message = format!("unexpected value `{}` for `{spelled}`", &text[at + 1..]);
                return Err(self.usage_failure(message, None));
            }
            // Everything before the `=` is the option's name, so it is valid UTF-8.
            (_, Some(_)) => tail(word, name.len() + 1),
            (_, None) => match next {
                Some(next) => next.clone(),
                None => {
                    return Err(
                        self.usage_failure(format!("missing value for `{spelled}`"), possible(parameter))
                    );
                }
            },
        };
        add(parameter, words, &value);
        Ok(equals.is_none())
    }

    /// Checks the constraints between options.
    fn must_fit(&mut self) -> Result<(), CallFailure> {
        let is_given = |name: &str| {
            let mut given = self.own.iter().filter(|(_, words)| !words.is_empty());
            given.find(|(parameter, _)| parameter.name() == name).map(|(parameter, _)| parameter.spelled)
        };
        let mut missing: Vec<&str> = Vec::new();
        for (parameter, words) in &self.own {
            if words.is_empty() {
                if parameter.is_required() && is_given(parameter.unless).is_none() {
                    missing.push(parameter.spelled);
                }
                continue;
            }
            if let Some(other) = parameter.conflicts.iter().find_map(|name| is_given(name)) {
                let message = format!("argument `{}` cannot be used with `{other}`", parameter.spelled);
                return Err(self.usage_failure(message, None));
            }
            if !parameter.requires.is_empty() && is_given(parameter.requires).is_none() {
                let needed = self.own.iter().find(|(other, _)| other.name() == parameter.requires);
                missing.extend(needed.map(|(needed, _)| needed.spelled));
            }
        }
        if !missing.is_empty() {
            let names = missing.join("`, `");
            return Err(self.usage_failure(format!("missing required argument `{names}`"), None));
        }
        for (parameter, words) in self.own.iter().chain(&self.global) {
            for word in words {
                must_be_valid(parameter, word)
                    .map_err(|wrong| invalid_value(&self.path, parameter, &wrong))?;
            }
        }
        for (parameter, words) in self.own.iter_mut().chain(&mut self.global) {
            if words.is_empty() {
                words.extend(parameter.default.map(OsString::from));
            }
        }
        Ok(())
    }

    fn usage_failure(&self, message: String, tip: Option<String>) -> CallFailure {
        usage(&self.path, message, tip)
    }
}

/// The words of a command that follow those of its group.
pub(super) fn words_after_group<'a>(command: &'a str, group: &str) -> Option<&'a str> {
    if group.is_empty() { Some(command) } else { command.strip_prefix(group)?.strip_prefix(' ') }
}

fn add(parameter: &Parameter, words: &mut Vec<OsString>, word: &OsStr) {
    match word.to_str() {
        Some(text) if parameter.splits => words.extend(text.split(',').map(OsString::from)),
        _ => words.push(word.to_owned()),
    }
}

/// A word without its first bytes, which are ASCII.
fn tail(word: &OsStr, from: usize) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        OsStr::from_bytes(&word.as_bytes()[from..]).to_owned()
    }
    #[cfg(not(unix))]
    {
        word.to_string_lossy()[from..].into()
    }
}

/// Checks that a value is one of the choices and in the range.
fn must_be_valid(parameter: &Parameter, word: &OsStr) -> Result<(), InvalidValue> {
    let text = word.to_string_lossy();
    let is_choice =
        |text: &str| parameter.choices.iter().any(|choice| choice.name == text || choice.alias == Some(text));
    if !parameter.choices.is_empty() && !is_choice(&text) {
        return Err(InvalidValue::new(word, ""));
    }
    let Some((least, most)) = parameter.range else { return Ok(()) };
    match text.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(()),
        _ if most == u64::MAX => Err(InvalidValue::new(word, format!("expected a number from {least}"))),
        _ => Err(InvalidValue::new(word, format!("expected a number from {least} to {most}"))),
    }
}

/// The failure for a value that its option does not accept.
pub(super) fn invalid_value(command: &str, parameter: &Parameter, invalid: &InvalidValue) -> CallFailure {
    let reason = if invalid.reason.is_empty() { String::new() } else { format!(": {}", invalid.reason) };
    let similar = similar(&invalid.value, parameter.choices.iter().map(|choice| choice.name));
    let message = format!("invalid value `{}` for `{}`{reason}", invalid.value, parameter.spelled);
    usage(command, message, similar.or_else(|| possible(parameter)))
}

fn possible(parameter: &Parameter) -> Option<String> {
    let names: Vec<&str> = parameter.choices.iter().map(|choice| choice.name).collect();
    (!names.is_empty()).then(|| format!("possible values: `{}`", names.join("`, `")))
}

fn usage(path: &str, message: String, tip: Option<String>) -> CallFailure {
    let command = format!("plugcast-run {path}");
    let command = command.trim_end();
    CallFailure::usage(message).with_hint(match tip {
        Some(question) if question.ends_with('?') => format!("{question} see `{command} --help`"),
        Some(tip) => format!("{tip}; see `{command} --help`"),
        None => format!("see `{command} --help`"),
    })
}

/// A suggestion: the most similar known word.
fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for known in known {
        let distance = distance(word.as_bytes(), known.as_bytes());
        if distance <= known.len() / 2 && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, known));
        }
    }
    best.map(|(_, known)| format!("did you mean `{known}`?"))
}

/// The edit distance between two words.
fn distance(one: &[u8], other: &[u8]) -> usize {
    // A word this long is not a typo.
    if one.len() > 64 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], at + 1);
        for (column, b) in other.iter().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
