//! Which hidden characters are found, and which are legitimate where they are.

use super::*;

#[test]
fn finds_what_hides_and_leaves_what_belongs() {
    let found = |text: &str| find(text).len();
    assert_eq!(found("a\u{200b}\u{200b}b\u{202e}c\u{e0041}\u{e0042}"), 3);
    assert_eq!(found("\u{feff}a 👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥"), 0);
    assert_eq!(
        found("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} می\u{200c}خواهم \u{200f}شد"),
        0
    );
    assert_eq!(found("a\u{200d}b \u{200e}c \u{e0067}"), 3);
}

#[test]
fn every_kind_is_found_where_it_hides() {
    let codes = [
        0x1b, 0x8, 0x7f, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x2028,
        0x206a, 0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1bca0, 0x1d173, 0xe0041,
        0xe0100, 0x2800, 0xfff0, 0xfff8, 0x13430, 0x1345f, 0x16fe4, 0x1d159, 0xe000, 0xf8ff, 0xf0061,
        0x10fffd, 0xfdd0, 0xfffe, 0xffff,
    ];
    for code in codes {
        let c = char::from_u32(code).unwrap();
        assert_eq!(find(&format!("a{c}b")).len(), 1, "U+{code:04X}");
        let units: String = c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect();
        let found = find_in_json(&format!("{{\"a\": \"b{units}c\"}}"));
        assert_eq!(found.iter().map(|run| (run.first, run.escaped)).collect::<Vec<_>>(), [(c, true)]);
    }
}

#[test]
fn selectors_choose_one_look_of_one_character() {
    for text in ["⚠\u{fe0f}", "1\u{fe0f}\u{20e3}", "☺\u{fe0e}", "葛\u{e0100}", "≨\u{fe00}", "✌🏽\u{fe0f}"]
    {
        assert_eq!(find(text), [], "{text}");
    }
    for text in ["⚠\u{fe0f}\u{fe0e}", "a\u{fe01}", " \u{fe0f}", "a\u{e0100}", "葛\u{e0100}\u{e0101}"] {
        assert_eq!(find(text).len(), 1, "{text}");
    }
}

#[test]
fn case_12_what_spells_a_text_is_found_behind_flags_and_ideographs() {
    let tags =
        |text: &str| text.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xe_0000)).collect::<String>();
    let flag = |name: &str| format!("🏴{}\u{e007f}", tags(name));
    for name in FLAGS {
        assert_eq!(find(&flag(name)), [], "{name}");
        assert_eq!(find(&format!("{}{}", flag(name), tags("evil"))).len(), 1, "{name}");
    }
    for name in ["ignore all rules", "usca", "gben", "gbengl", ""] {
        assert_eq!(find(&flag(name)).len(), 1, "{name}");
    }
    assert_eq!(find(&format!("🏴{}", tags("gbeng"))).len(), 1);
    let spelled: String = "ignore".chars().filter_map(|c| char::from_u32(u32::from(c) + 0xe_0100)).collect();
    let behind: String = spelled.chars().map(|c| format!("漢{c}")).collect();
    assert_eq!(find(&behind).len(), 6);
    // Bits of a hidden text, one after each base character.
    assert!(!find(&"漢\u{e0100}漢\u{e0101}".repeat(20)).is_empty());
    assert!(!find(&"漢\u{fe00}漢".repeat(20)).is_empty());
    for text in
        ["葛\u{e0100}城", "葛\u{e011f}", "社\u{fe00}", "、\u{fe01}", "⠋\u{2800}⠙", "5\u{fe0f}", "☎\u{fe0e}"]
    {
        assert_eq!(find(text), [], "{text}");
    }
    for text in ["葛\u{e0120}", "社\u{fe03}", "か\u{fe00}", "漢\u{fe0f}", "a\u{2800}b"] {
        assert_eq!(find(text).len(), 1, "{text}");
    }
}

#[test]
fn scripts_keep_what_they_need() {
    let texts = ["ภาษา\u{200b}ไทย", "ᄀ\u{1160}", "\u{115f}ᅡ", "ᠠ\u{180b}", "العربية\u{61c}!", "ㄱ\u{3164}"];
    for text in texts {
        assert_eq!(find(text), [], "{text}");
    }
}

#[test]
fn case_12_what_sets_parts_of_a_line_apart_belongs_in_pairs_where_letters_run_left() {
    for text in
        ["\u{2067}שלום\u{2069}", "אב \u{2066}run --all\u{2069} גד", "سلام \u{2068}a\u{2069} \u{2067}b\u{2069}"]
    {
        assert_eq!(find(text), [], "{text}");
        assert_eq!(find_in_json(&format!("{{\"a\": \"{text}\"}}")), [], "{text}");
    }
    let escaped = r#"{"a": "\u05d0 \u2067x\u2069"}"#;
    assert_eq!(find_in_json(escaped), []);
    for text in [
        "a \u{2067}b\u{2069}",
        "אב \u{2067}גד",
        "אב\u{2069} \u{2067}גד",
        "אב\n\u{2067}a\u{2069}",
        "אב \u{202e}גד",
        "سلام \u{2068}a \u{2067}b\u{2069}\u{2069}",
        "set \u{2067}א; touch x #\u{2069}",
    ] {
        assert!(!find(text).is_empty(), "{text}");
    }
    assert!(!find_in_json(r#"{"a": "\u05d0 \u2067x\n\u2069"}"#).is_empty());
}

#[test]
fn case_12_a_joiner_belongs_beside_one_letter_of_a_script_that_joins() {
    for text in [
        "ه\u{200d} ",
        "(ه\u{200d})",
        " \u{200d}ه",
        "می\u{200c}خواهم",
        "خانه\u{200c}",
        "क्\u{200d}ष",
        "क्\u{200c} ",
        "ന്\u{200d}",
    ] {
        assert_eq!(find(text), [], "{text}");
    }
    for text in ["ه\u{200d}\u{200c}ه", "ш\u{200d}ш", "漢\u{200c}漢", "a\u{200d}", "λ\u{200c}λ"] {
        assert!(!find(text).is_empty(), "{text}");
    }
}

#[test]
fn a_backslash_of_json_does_not_escape() {
    assert_eq!(find_in_json(r#"{"a": "\\u202e \\b \" \u00"}"#), []);
    let found = find_in_json(r#"{"a": "\b", "b": "\\\u202E"}"#);
    assert_eq!(found.iter().map(|run| run.first).collect::<Vec<_>>(), ['\u{8}', '\u{202e}']);
}

#[test]
fn case_12_marks_of_direction_and_blank_letters_stand_alone() {
    for text in ["אב\u{200e}\u{200f}גד", "سلام\u{61c}\u{61c}!", "ﾡ\u{ffa0}\u{ffa0}ﾡ"] {
        assert!(!find(text).is_empty(), "{text}");
    }
    assert!(!find_in_code("echo \u{2067}שלום\u{2069}").is_empty());
}

#[test]
fn case_12_marks_before_amounts_and_behind_foreign_words_belong() {
    for text in ["מחיר\n\"\u{200f}1,234.50 ₪\"", "מחיר\n5 \u{200f}₪", "فایل JSON\u{200c} را"]
    {
        assert_eq!(find(text), [], "{text}");
    }
    for text in ["a \u{200f}1", "a JSON\u{200c} b"] {
        assert_eq!(find(text).len(), 1, "{text}");
    }
}

#[test]
fn what_hides_is_found_at_every_place_of_a_long_text() {
    for lead in 0..150 {
        for before in ["x", "é", "x— "] {
            let (before, after) = (before.repeat(lead), "y".repeat(lead));
            assert_eq!(find(&format!("{before}a{after}")), []);
            for c in ['\u{200b}', '\u{7f}', '\u{e0041}'] {
                assert_eq!(find(&format!("{before}a{c}b{after}")).len(), 1, "{lead}");
            }
        }
    }
}
