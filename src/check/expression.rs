//! Finds patterns that the source host's regular expressions, those of JavaScript, certainly reject. The pattern is
//! only scanned, never run, so it cannot take long.

/// Why JavaScript rejects `pattern`; `None` if it may accept it.
pub fn rejection(pattern: &str) -> Option<&'static str> {
    let mut chars = pattern.chars().peekable();
    let mut open = 0usize;
    // Whether the preceding item can be repeated and has no quantifier yet.
    let mut repeatable = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if chars.next().is_none() {
                    return Some("ends with a single `\\`");
                }
                repeatable = true;
            }
            '[' => {
                let mut closed = false;
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        ']' => {
                            closed = true;
                            break;
                        }
                        _ => {}
                    }
                }
                if !closed {
                    return Some("has a `[` without its `]`");
                }
                repeatable = true;
            }
            '(' => {
                open += 1;
                repeatable = false;
                if chars.next_if_eq(&'?').is_some() {
                    match chars.next() {
                        Some(':' | '=' | '!') => {}
                        Some('<') => {
                            let named =
                                |c: &char| c.is_alphabetic() || matches!(c, '=' | '!' | '_' | '$' | '\\');
                            if chars.next_if(named).is_none() {
                                return Some("has a group `(?<` without a name");
                            }
                        }
                        // Inline flags for a group are recent: `(?i:…)` may be accepted, `(?i)` never is.
                        Some('i' | 'm' | 's' | '-') => {
                            while chars.next_if(|c| matches!(c, 'i' | 'm' | 's' | '-')).is_some() {}
                            if chars.next() != Some(':') {
                                return Some("sets flags as `(?i)`, which JavaScript does not know");
                            }
                        }
                        _ => return Some("has a group that JavaScript does not know"),
                    }
                }
            }
            ')' => {
                if open == 0 {
                    return Some("has a `)` without its `(`");
                }
                open -= 1;
                repeatable = true;
            }
            '*' | '+' | '?' => {
                if !repeatable {
                    return Some("repeats nothing: a `*`, `+` or `?` follows nothing");
                }
                repeatable = false;
                chars.next_if_eq(&'?');
            }
            '|' | '^' => repeatable = false,
            _ => repeatable = true,
        }
    }
    (open > 0).then_some("has a `(` without its `)`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_javascript_refuses_and_nothing_else() {
        let wrong = [
            "Bash(", "Bash)", "*", "*.sh", "a**", "a|+b", "[a-z", "a\\", "(?i)bash", "(?P<a>b)", "(?<>a)",
            "(*)",
        ];
        for pattern in wrong {
            assert!(rejection(pattern).is_some(), "{pattern}");
        }
        let right = [
            "Bash",
            "Edit|Write",
            "mcp__.*__write.*",
            "^(?!Bash).*$",
            "(?<=a)b",
            "(?<n>a)\\k<n>",
            "a+?",
            "a{2,3}",
            "]",
            "{",
            "[)(*]",
            "\\(",
            "(?:a|)b",
            "(?i:bash)",
            "",
            "a{1}?",
            "[\\]]",
            "()*",
            "$",
            "x{",
            "é+",
        ];
        for pattern in right {
            assert_eq!(rejection(pattern), None, "{pattern}");
        }
    }
}
