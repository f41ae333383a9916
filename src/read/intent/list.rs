//! The paragraph above a list: it says what the entries are, so that the entries need not.

use super::line_around;

/// How far above an entry the paragraph that introduces its list is searched for, in lines and bytes.
const LIST: (usize, usize) = (24, 2_400);
/// How many lines of that paragraph are read.
const INTRO: usize = 4;

/// The paragraph above the list whose entry contains byte `at`, joined into one line.
pub fn list_intro(text: &str, at: usize) -> Option<String> {
    let from = text.ceil_char_boundary(at.saturating_sub(LIST.1));
    let to = at + line_around(text, at, at).1.len();
    let lines = text[from..to].rsplit('\n').take(LIST.0);
    // A block quote is read without its markers.
    let mut lines =
        lines.map(|line| line.strip_prefix('>').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line)));
    // An indented line continues the entry above it.
    let goes_on = |line: &str| line.starts_with([' ', '\t']) && !is_entry(line.trim());
    let first = lines.find(|line| !goes_on(line))?;
    is_entry(first.trim()).then_some(())?;
    let is_within = |line: &&str| line.trim().is_empty() || goes_on(line) || is_entry(line.trim());
    let above = lines.skip_while(is_within).map(str::trim).take(INTRO);
    let mut words: Vec<&str> =
        above.take_while(|line| !line.is_empty() && !is_entry(line) && !line.starts_with('#')).collect();
    words.reverse();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Whether a line, without its indentation, begins a list entry.
fn is_entry(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+']) && !line.starts_with("**") && !line.starts_with("--")
        || number.len() < line.len() && number.starts_with([')', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_belongs_to_the_paragraph_above_its_list() {
        let intro = |text: &str| list_intro(text, text.find('$').unwrap());
        for text in [
            "# A\nOne,\ntwo:\n- a\n- $",
            "No.\n\nOne,\ntwo:\n\n1. a\n   more\n\n2. b $",
            "> One,\n> two:\n>\n> * a\n>   more\n> * $",
            "One,\ntwo:\n- a\n  - b\n    goes on $",
        ] {
            assert_eq!(intro(text).as_deref(), Some("One, two:"), "{text}");
        }
        for text in ["One:\n$", "# One\n- $", "One:\n- a\n\nb $", "- $", "One\n**$**"] {
            assert_eq!(intro(text), None, "{text}");
        }
    }
}
