//! The attributes that count where commits are compared: those of `.gitattributes` in one of them.

use super::Repository;
use crate::git_command;
use crate::runtime::answer::CallFailure;

/// The first version of git that reads the attributes of a commit.
pub const ATTRIBUTES_VERSION: (u32, u32) = (2, 41);

impl Repository {
    /// The same with the attributes of a commit. Git before [`ATTRIBUTES_VERSION`] reads those of the working tree.
    #[must_use]
    pub fn with_attributes_of(&self, commit: &str) -> Self {
        Self { attributes: Some(commit.to_owned()), ..self.clone() }
    }

    /// The words of a call of git for another program to run.
    ///
    /// # Errors
    /// As [`Repository::git`].
    pub fn argv(&self, arguments: &[String]) -> Result<Vec<String>, CallFailure> {
        let overrides = self.overrides()?;
        let words = git_command::words().map(str::to_owned);
        let is_new = || self.version().is_some_and(|version| version >= ATTRIBUTES_VERSION);
        let source = self.attributes.as_ref().filter(|_| is_new());
        let source = source.map(|commit| format!("--attr-source={commit}"));
        Ok(overrides
            .program()
            .chain(words)
            .chain(overrides.words())
            .chain(source)
            .chain(arguments.iter().cloned())
            .collect())
    }
}
