//! Which programs and which code blocks are shell, and which programs start a script.

use super::markdown::language;

/// Shells that read the language of `sh`.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "ash"];
/// Programs that are given a script of their language.
const INTERPRETERS: [&str; 10] =
    ["python", "python3", "node", "bun", "deno", "ruby", "perl", "php", "pwsh", "tsx"];

/// Whether a program, by the last part of its path, is a shell that reads the language of `sh`.
pub fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Whether a program is a shell of Windows.
pub fn is_windows_shell(program: &str) -> bool {
    matches!(program, "cmd" | "powershell" | "pwsh")
}

/// Whether a program is the interpreter of another language.
pub fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&program)
}

/// Whether a command, which has no script yet, starts one when a path follows it.
pub fn starts_script(command: &str) -> bool {
    let mut words = command.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(program), None, None) => is_shell(program) || is_interpreter(program),
        (Some("uv" | "bun" | "deno"), Some("run"), None) => true,
        (Some("npx"), Some(program), None) => is_interpreter(program),
        _ => false,
    }
}

/// What a code block of shell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellBlock {
    /// Commands.
    Script,
    /// A session: prompts, commands and what they print.
    Session,
}

impl ShellBlock {
    /// What the info string of a fence says of its block; `None` for another language and for none.
    pub fn parse(info: &str) -> Option<Self> {
        let language = language(info);
        let is_one_of = |words: &[&str]| words.iter().any(|word| language.eq_ignore_ascii_case(word));
        if is_one_of(&SHELLS) || is_one_of(&["shell", "shellscript"]) {
            return Some(Self::Script);
        }
        is_one_of(&["console", "terminal", "shell-session"]).then_some(Self::Session)
    }
}

/// Whether a block may be handed to a shell: it is shell, or of no language.
pub fn may_be_shell(info: &str) -> bool {
    language(info).is_empty() || ShellBlock::parse(info).is_some()
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

    #[test]
    fn a_script_is_started_by_a_program_alone() {
        for command in ["bash", "python3", "uv run", "npx tsx"] {
            assert!(starts_script(command), "{command}");
        }
        for command in ["", "uv", "npx", "npx prettier", "bash -c", "cat"] {
            assert!(!starts_script(command), "{command}");
        }
    }
}
