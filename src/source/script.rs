//! Scripts by the ending of their name.

use camino::Utf8Path;

/// What a script is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptKind {
    /// A shell of Unix.
    Shell,
    /// An interpreter such as Python or Node.js.
    Interpreter,
    /// PowerShell, which no other shell can start by the path alone.
    PowerShell,
}

/// The kind of script that an ending without its dot stands for; `None` for every other ending.
pub fn script_kind(ending: &str) -> Option<ScriptKind> {
    match ending {
        "sh" | "bash" | "zsh" => Some(ScriptKind::Shell),
        "py" | "rb" | "pl" | "js" | "mjs" | "cjs" | "ts" => Some(ScriptKind::Interpreter),
        "ps1" => Some(ScriptKind::PowerShell),
        _ => None,
    }
}

/// The kind of script that a path names by its ending.
pub fn script_kind_of(path: &Utf8Path) -> Option<ScriptKind> {
    path.extension().and_then(script_kind)
}
