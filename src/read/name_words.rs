//! Names among the words of a text: which characters continue one. Names are words of an alphabet, and scripts that are
//! written without spaces put them directly beside their own letters: `kit:planを使う` names `kit:plan`.

/// Whether `c` is a letter or digit of a script that has spaces between its words.
pub fn is_spaced_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii() && c.is_alphanumeric() && !is_unspaced(c)
}

/// Whether `c` can be part of a name: a letter of a script with spaces, a digit, a hyphen or an underscore.
pub fn is_name_char(c: char) -> bool {
    is_spaced_letter(c) || c == '-' || c == '_'
}

/// Whether two adjacent characters are in one word.
pub fn is_joined(first: char, second: char) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let is_mark = |c: char| c == '-' || c == '_';
    is_part(first)
        && is_part(second)
        && (is_mark(first) || is_mark(second) || is_unspaced(first) == is_unspaced(second))
}

/// The name at the start of `text`, in which `marks` may stand, too.
pub fn leading_name<'a>(text: &'a str, marks: &str) -> &'a str {
    // Whether the last letter is of a script without spaces.
    let mut script = None;
    let end = text.find(|c: char| match c {
        '-' | '_' => {
            script = None;
            false
        }
        _ if c.is_alphanumeric() => script.replace(is_unspaced(c)).is_some_and(|last| last != is_unspaced(c)),
        _ => !marks.contains(c),
    });
    &text[..end.unwrap_or(text.len())]
}

/// The name at the end of `text`, in which `marks` may stand, too.
pub fn trailing_name<'a>(text: &'a str, marks: &str) -> &'a str {
    let start = text.rfind(|c: char| !(is_name_char(c) || marks.contains(c)));
    &text[start.map_or(0, |at| text.ceil_char_boundary(at + 1))..]
}

/// Whether `c` is a letter of Chinese, Japanese or Korean: Han, Hiragana, Katakana or Hangul.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{303c}'
            | '\u{3041}'..='\u{312f}'
            | '\u{3131}'..='\u{318e}'
            | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97c}'
            | '\u{ac00}'..='\u{d7fb}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ffdc}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_a_letter_of_a_script_without_spaces() {
        for (text, name) in [
            ("kit:planを実行", "kit:plan"),
            ("kit:plan에게", "kit:plan"),
            ("kit:plan子代理", "kit:plan"),
            ("kit:plan:审查", "kit:plan:"),
            ("kit:plané x", "kit:plané"),
            ("kit:plan-计划 x", "kit:plan-计划"),
            ("计划:写plan", "计划:写"),
            ("计划。", "计划"),
            ("plan work", "plan"),
        ] {
            assert_eq!(leading_name(text, ":"), name, "{text}");
        }
        for (text, name) in
            [("使用kit", "kit"), ("per-kit", "per-kit"), ("é", "é"), ("(a.b", "a.b"), ("用", "")]
        {
            assert_eq!(trailing_name(text, "."), name, "{text}");
        }
        assert!(is_joined('n', 'é') && is_joined('n', '-') && is_joined('画', '書') && is_joined('画', '-'));
        assert!(
            !is_joined('n', '画') && !is_joined('の', '2') && !is_joined('n', '.') && !is_joined('n', '가')
        );
    }
}
