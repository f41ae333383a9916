//! The language of a code block: the first word after its opening fence.

/// The language in the info string of a fence; empty if it names none.
pub fn language(info: &str) -> &str {
    info.trim_start().split(|c: char| c.is_whitespace() || ",:{".contains(c)).next().unwrap_or_default()
}

/// The language of a code block with its fences; `None` for an indented block.
pub fn block_language(block: &str) -> Option<&str> {
    let first = block.lines().next().unwrap_or_default().trim_start();
    first.starts_with(['`', '~']).then(|| language(first.trim_start_matches(['`', '~'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_word_behind_the_fence() {
        for (block, found) in [
            ("```sh\nx\n```", Some("sh")),
            ("~~~ Markdown\nx\n~~~", Some("Markdown")),
            ("````md title=x\n````", Some("md")),
            ("```zsh,ignore\n```", Some("zsh")),
            ("```js:a.js\n```", Some("js")),
            ("```sh{1}\n```", Some("sh")),
            ("```\nyaml\n```", Some("")),
            ("    yaml x\n", None),
        ] {
            assert_eq!(block_language(block), found, "{block}");
        }
    }
}
