//! OpenCode: gray_matter, which cuts and reads frontmatter as the host's JavaScript original does, and the host's one
//! repair of the lines before it reads again.

use std::collections::BTreeMap;

use gray_matter::engine::YAML;
use gray_matter::{Matter, Pod};

use super::{Answer, ExplainedDifference, compare};

fn parse(text: &str) -> Result<Answer, gray_matter::Error> {
    let read = Matter::<YAML>::new().parse::<Pod>(text)?;
    let Some(Pod::Hash(values)) = read.data else { return Ok(None) };
    // Text that the host needs, of another type.
    let wrong = |key: &str| values.get(key).is_some_and(|value| !matches!(value, Pod::String(_)));
    if wrong("name") || wrong("description") {
        return Ok(None);
    }
    let text = |(key, value)| if let Pod::String(text) = value { Some((key, text)) } else { None };
    Ok(Some(values.into_iter().filter_map(text).collect::<BTreeMap<_, _>>()))
}

/// Values with a colon on lines of a single word and a value, as blocks.
fn repaired(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("---") {
            inside = number == 0;
        }
        let entry = line.split_once(':').filter(|(key, _)| {
            inside
                && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && key.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
        });
        match entry.map(|(key, value)| (key, value.trim())) {
            Some((key, value))
                if value.contains(':') && !value.starts_with(['"', '\'']) && value != "|" && value != ">" =>
            {
                out += &format!("{key}: |-\n  {value}\n");
            }
            _ => out += &format!("{line}\n"),
        }
    }
    out
}

fn read(text: &str) -> Answer {
    let text = text.trim_start_matches('\u{feff}');
    parse(text).or_else(|_| parse(&repaired(text))).ok().flatten()
}

const EXPLAINED: &[ExplainedDifference] = &[
    ExplainedDifference {
        files: &["dialects/closefour", "dialects/closeindent", "dialects/closetext", "dialects/unclosed"],
        reason: "`closing = \"line-start\"`: the original ends at the next line that begins with three dashes, or with \
                 the text; this port wants a line of three dashes and nothing else",
    },
    ExplainedDifference {
        files: &[
            "dialects/descbin",
            "dialects/descdate",
            "dialects/descdate2",
            "dialects/descsexa",
            "dialects/descunder",
        ],
        reason: "`old-scalars`: js-yaml has dates and the numbers of YAML 1.1, which are text for this port",
    },
    ExplainedDifference {
        files: &["dialects/desccapnull"],
        reason: "js-yaml takes `Null` for null; this port takes `null` and `~` alone",
    },
    ExplainedDifference {
        files: &["dialects/indfields"],
        reason: "the original parses the fields as they are indented; this port takes the blanks off the first of them alone",
    },
    ExplainedDifference {
        files: &["dialects/document-end-comment", "dialects/document-end-keys"],
        reason: "js-yaml refuses a second document, which the host shows as well; this port reads the first",
    },
    ExplainedDifference {
        files: &["dialects/control-delete", "dialects/control-plain", "dialects/control-quoted"],
        reason: "`control-characters-refused`: js-yaml refuses them; this port takes them for characters",
    },
    ExplainedDifference {
        files: &[
            "dialects/bang",
            "dialects/bangstar",
            "dialects/bangstarother",
            "dialects/tag-binary",
            "dialects/tag-foreign-int",
            "dialects/tag-foreign-js",
            "dialects/tag-foreign-map",
            "dialects/tag-foreign-null",
            "dialects/tag-foreign-own",
            "dialects/tag-foreign-seq",
            "dialects/tag-foreign-timestamp",
            "dialects/tag-int-quoted",
            "dialects/tag-key",
            "dialects/tag-list",
            "dialects/tag-nested",
            "dialects/rescue-tag",
        ],
        reason: "`tags`: js-yaml refuses a tag that it does not know or that does not fit, and heeds those of values in quotes; this port drops \
                 them",
    },
    ExplainedDifference {
        files: &["dialects/contflow"],
        reason: "js-yaml warns of a list that goes on at the start of a line, and reads it, as the host shows; this port \
                 refuses it",
    },
    ExplainedDifference {
        files: &["dialects/tabindent", "dialects/tabsep"],
        reason: "`tabs`: js-yaml takes tabs for blanks where this port refuses them",
    },
    ExplainedDifference {
        files: &["dialects/dquotecolon", "dialects/squotecolon"],
        reason: "`rescue.quoted-part`: the host reads the part in quotes of such a value; this port refuses the line",
    },
];

#[test]
fn gray_matter_reads_what_we_say_that_opencode_reads() {
    compare("opencode", read, EXPLAINED);
}
