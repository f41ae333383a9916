//! Which programs are shells, and which code blocks contain shell commands.

use super::markdown::language;

/// Shells with the syntax of `sh`.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "ash"];
/// Programs that run a script in their language.
const INTERPRETERS: [&str; 10] =
    ["python", "python3", "node", "bun", "deno", "ruby", "perl", "php", "pwsh", "tsx"];

/// Whether a program, by its file name, is a shell with the syntax of `sh`.
pub fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Whether a program is the interpreter of another language.
pub fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&program)
}

/// What a shell code block contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellBlock {
    /// Commands.
    Script,
    /// A session: prompts, commands and their output.
    Session,
}

impl ShellBlock {
    /// The kind of block that the info string of a fence declares; `None` for another language or none.
    pub fn parse(info: &str) -> Option<Self> {
        let language = language(info);
        let is_one_of = |words: &[&str]| words.iter().any(|word| language.eq_ignore_ascii_case(word));
        if is_one_of(&SHELLS) || is_one_of(&["shell", "shellscript"]) {
            return Some(Self::Script);
        }
        is_one_of(&["console", "terminal", "shell-session"]).then_some(Self::Session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_shell_by_the_first_word_of_its_fence() {
        for (info, block) in [
            ("bash", Some(ShellBlock::Script)),
            ("Shell title=\"a\"", Some(ShellBlock::Script)),
            ("zsh,ignore", Some(ShellBlock::Script)),
            ("sh{1}", Some(ShellBlock::Script)),
            ("console", Some(ShellBlock::Session)),
            ("shell-session", Some(ShellBlock::Session)),
            ("", None),
            ("python", None),
            ("bashful", None),
        ] {
            assert_eq!(ShellBlock::parse(info), block, "{info}");
        }
    }
}
