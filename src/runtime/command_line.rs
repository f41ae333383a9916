//! The options of commands as tables: `options!` generates a type and the table from which its command line is parsed
//! and its help is printed. Each command costs only its table; a separate parser for each would be a tenth of the
//! helper.

mod help;
mod parse;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use semver::Version;

use super::answer::CallFailure;

pub use help::help;
pub use parse::{ParsedLine, parse};

/// How often an option is given, and whether it has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// It has none.
    Switch,
    /// At most once.
    One,
    /// Exactly once, or it has a default.
    Required,
    /// As often as needed.
    Many,
}

/// One of the values that an option may have.
#[derive(Debug)]
pub struct OptionChoice {
    /// The value.
    pub name: &'static str,
    /// An alternative spelling.
    pub alias: Option<&'static str>,
    /// What it means.
    pub about: &'static [&'static str],
}

/// An option, or an argument without a name.
#[derive(Debug)]
pub struct Parameter {
    /// As shown in the help: `--run <DIR>`, `--stdin`, `[PATH]`.
    pub spelled: &'static str,
    /// What it is for, in lines.
    pub about: &'static [&'static str],
    /// How often it is given.
    pub kind: ParameterKind,
    /// The possible values, if they are limited.
    pub choices: &'static [OptionChoice],
    /// Whether the help leaves the choices to the text.
    pub hides_choices: bool,
    /// The value if it is omitted.
    pub default: Option<&'static str>,
    /// The smallest and the largest number, for a number.
    pub range: Option<(u64, u64)>,
    /// Whether commas separate values.
    pub splits: bool,
    /// Whether it must be given.
    pub required: bool,
    /// The option that may be given in its place if it is required.
    pub unless: &'static str,
    /// The option that it requires.
    pub requires: &'static str,
    /// The options that it conflicts with.
    pub conflicts: &'static [&'static str],
}

impl Parameter {
    /// A parameter without constraints.
    pub const PLAIN: Self = Self {
        spelled: "",
        about: &[],
        kind: ParameterKind::Switch,
        choices: &[],
        hides_choices: false,
        default: None,
        range: None,
        splits: false,
        required: false,
        unless: "",
        requires: "",
        conflicts: &[],
    };

    /// The name, such as `--run`; for a positional argument, its spelling.
    pub fn name(&self) -> &'static str {
        let mut words = self.spelled.split([' ', ',']);
        words.find(|word| word.starts_with("--")).unwrap_or(self.spelled)
    }

    /// Whether it is an argument without a name.
    pub fn is_positional(&self) -> bool {
        !self.spelled.starts_with('-')
    }

    /// Whether the command fails without it, whatever else is given.
    pub fn is_required(&self) -> bool {
        self.required || (self.kind == ParameterKind::Required && self.default.is_none())
    }

    fn is_called(&self, name: &str) -> bool {
        !self.is_positional() && self.spelled.split([' ', ',']).any(|word| word == name)
    }
}

/// A value that its option does not accept, and why; the reason may be empty.
#[derive(Debug)]
pub struct InvalidValue {
    value: String,
    reason: String,
}

impl InvalidValue {
    fn new(value: &OsStr, reason: impl Into<String>) -> Self {
        Self { value: value.to_string_lossy().into_owned(), reason: reason.into() }
    }
}

/// The type of a value.
pub trait OptionValue: Sized {
    /// The possible values, if they are limited.
    const CHOICES: &'static [OptionChoice] = &[];

    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse(text: &str) -> Result<Self, String>;

    /// Parses a word that need not be valid UTF-8.
    ///
    /// # Errors
    /// What is wrong with it.
    fn from_word(word: &OsStr) -> Result<Self, InvalidValue> {
        let text = word.to_str().ok_or_else(|| InvalidValue::new(word, "it is not UTF-8"))?;
        Self::parse(text).map_err(|reason| InvalidValue::new(word, reason))
    }
}

/// The type of a field of options.
pub trait OptionField: Sized {
    /// How often it is given.
    const KIND: ParameterKind;
    /// The possible values, if they are limited.
    const CHOICES: &'static [OptionChoice] = &[];

    /// Parses it from the words given for it.
    ///
    /// # Errors
    /// The word that is wrong.
    fn from_words(words: Vec<OsString>) -> Result<Self, InvalidValue>;
}

impl OptionField for bool {
    const KIND: ParameterKind = ParameterKind::Switch;

    fn from_words(words: Vec<OsString>) -> Result<Self, InvalidValue> {
        Ok(!words.is_empty())
    }
}

impl<T: OptionValue> OptionField for Option<T> {
    const KIND: ParameterKind = ParameterKind::One;
    const CHOICES: &'static [OptionChoice] = T::CHOICES;

    fn from_words(words: Vec<OsString>) -> Result<Self, InvalidValue> {
        words.first().map(|word| T::from_word(word)).transpose()
    }
}

impl<T: OptionValue> OptionField for Vec<T> {
    const KIND: ParameterKind = ParameterKind::Many;

    fn from_words(words: Vec<OsString>) -> Result<Self, InvalidValue> {
        words.iter().map(|word| T::from_word(word)).collect()
    }
}

impl OptionValue for PathBuf {
    fn parse(text: &str) -> Result<Self, String> {
        Self::from_word(text.as_ref()).map_err(|invalid| invalid.reason)
    }

    fn from_word(word: &OsStr) -> Result<Self, InvalidValue> {
        if word.is_empty() { Err(InvalidValue::new(word, "it is empty")) } else { Ok(word.into()) }
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

impl OptionValue for Version {
    fn parse(text: &str) -> Result<Self, String> {
        Version::parse(text).map_err(|error| error.to_string())
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl OptionValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| "it is not a number of that size".to_owned())
            }
        }
    )*};
}
numbers!(u16, u32, u64);

/// Implements [`OptionField`] for values that must be given.
macro_rules! required {
    ($($type:ty),*) => {$(
        impl $crate::runtime::command_line::OptionField for $type {
            const KIND: $crate::runtime::command_line::ParameterKind = $crate::runtime::command_line::ParameterKind::Required;
            const CHOICES: &'static [$crate::runtime::command_line::OptionChoice] =
                <$type as $crate::runtime::command_line::OptionValue>::CHOICES;

            fn from_words(
                words: Vec<std::ffi::OsString>,
            ) -> Result<Self, $crate::runtime::command_line::InvalidValue> {
                let word = words.into_iter().next().unwrap_or_default();
                <$type as $crate::runtime::command_line::OptionValue>::from_word(&word)
            }
        }
    )*};
}
pub(in crate::runtime) use required;
required!(PathBuf, String, u16, u32, u64);

/// The options of a command.
pub trait Options: Sized {
    /// What the command does, in lines.
    const ABOUT: &'static [&'static str];
    /// Example command lines.
    const EXAMPLES: &'static [&'static str];
    /// Its options.
    const PARAMETERS: &'static [Parameter];

    /// Reads them.
    ///
    /// # Errors
    /// A value that its option does not accept.
    fn read(matches: &mut ParameterMatches) -> Result<Self, CallFailure>;
}

/// What was given for each parameter of a command, in their order.
#[derive(Debug)]
pub struct ParameterMatches {
    command: &'static str,
    given: std::vec::IntoIter<(&'static Parameter, Vec<OsString>)>,
}

impl ParameterMatches {
    /// What was given for the option of this name.
    pub fn value(&self, name: &str) -> Option<OsString> {
        let mut given = self.given.as_slice().iter();
        given.find(|(parameter, _)| parameter.name() == name)?.1.first().cloned()
    }

    /// Parses the next field.
    ///
    /// # Errors
    /// A value that its option does not accept.
    pub fn field<T: OptionField>(&mut self) -> Result<T, CallFailure> {
        let Some((parameter, words)) = self.given.next() else {
            return Err(CallFailure::usage("no options"));
        };
        T::from_words(words).map_err(|invalid| parse::invalid_value(self.command, parameter, &invalid))
    }
}

/// A type for the options of a command, with its table.
macro_rules! options {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $help:literal])*
                $field_vis:vis $field:ident: $type:ty = $spelled:literal
                $({ $($rule:ident: $value:expr),+ $(,)? })?
            ),* $(,)?
        }
        examples: [$($example:literal),* $(,)?]
    ) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        #[allow(dead_code, reason = "some options only have to be given")]
        $vis struct $name {
            $($(#[doc = $help])* $field_vis $field: $type,)*
        }

        impl $crate::runtime::command_line::Options for $name {
            const ABOUT: &'static [&'static str] = &[$($about),*];
            const EXAMPLES: &'static [&'static str] = &[$($example),*];
            const PARAMETERS: &'static [$crate::runtime::command_line::Parameter] = &[
                $($crate::runtime::command_line::Parameter {
                    spelled: $spelled,
                    about: &[$($help),*],
                    kind: <$type as $crate::runtime::command_line::OptionField>::KIND,
                    choices: <$type as $crate::runtime::command_line::OptionField>::CHOICES,
                    $($($rule: $value,)+)?
                    ..$crate::runtime::command_line::Parameter::PLAIN
                }),*
            ];

            fn read(
                matches: &mut $crate::runtime::command_line::ParameterMatches,
            ) -> Result<Self, $crate::runtime::answer::CallFailure> {
                let _ = &matches;
                Ok(Self { $($field: matches.field()?),* })
            }
        }
    };
}
pub(in crate::runtime) use options;

/// An enum of option values, with their names on the command line.
macro_rules! choices {
    (
        $(#[$outer:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $help:literal])*
                $(#[serde(rename = $rename:literal)])?
                $variant:ident = $spelled:literal $(or $alias:literal)?
            ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        $vis enum $name {
            $($(#[doc = $help])* $(#[serde(rename = $rename)])? $variant,)*
        }

        impl $crate::runtime::command_line::OptionValue for $name {
            const CHOICES: &'static [$crate::runtime::command_line::OptionChoice] = &[
                $($crate::runtime::command_line::OptionChoice {
                    name: $spelled,
                    alias: $crate::runtime::command_line::choices!(@alias $($alias)?),
                    about: &[$($help),*],
                }),*
            ];

            fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($spelled $(| $alias)? => Ok(Self::$variant),)*
                    _ => Err("it is none of the possible values".to_owned()),
                }
            }
        }
        $crate::runtime::command_line::required!($name);
    };
    (@alias) => { None };
    (@alias $alias:literal) => { Some($alias) };
}
pub(in crate::runtime) use choices;
