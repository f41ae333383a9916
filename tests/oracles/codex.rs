//! Codex: serde_yaml into the types that the host reads, and the host's one repair of the lines between.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Answer, ExplainedDifference, compare};

/// What the host reads.
#[derive(Deserialize)]
struct Frontmatter {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "metadata")]
    _metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default, rename = "short-description")]
    _short_description: Option<String>,
}

/// The keys of a mapping, those with a scalar value.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a mapping")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Vec<String>, M::Error> {
        let mut keys = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if map.next_value::<IsScalar>()?.0 {
                keys.push(key);
            } else {
                keys.retain(|earlier| *earlier != key);
            }
        }
        Ok(keys)
    }
}

/// Whether a value is a scalar other than null.
struct IsScalar(bool);

impl<'de> Deserialize<'de> for IsScalar {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(Kind)
    }
}

/// Tells scalars from other values.
struct Kind;

impl<'de> Visitor<'de> for Kind {
    type Value = IsScalar;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<IsScalar, E> {
        Ok(IsScalar(true))
    }

    fn visit_i64<E>(self, _: i64) -> Result<IsScalar, E> {
        Ok(IsScalar(true))
    }

    fn visit_u64<E>(self, _: u64) -> Result<IsScalar, E> {
        Ok(IsScalar(true))
    }

    fn visit_f64<E>(self, _: f64) -> Result<IsScalar, E> {
        Ok(IsScalar(true))
    }

    fn visit_str<E>(self, _: &str) -> Result<IsScalar, E> {
        Ok(IsScalar(true))
    }

    fn visit_unit<E>(self) -> Result<IsScalar, E> {
        Ok(IsScalar(false))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<IsScalar, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(IsScalar(false))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut entries: M) -> Result<IsScalar, M::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(IsScalar(false))
    }

    /// A value with a private tag.
    fn visit_enum<T: EnumAccess<'de>>(self, tagged: T) -> Result<IsScalar, T::Error> {
        let (_, value) = tagged.variant::<String>()?;
        value.newtype_variant()
    }
}

/// The text of one key.
struct TextOf<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for TextOf<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Option<String>, D::Error> {
        value.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TextOf<'_> {
    type Value = Option<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a mapping")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Option<String>, M::Error> {
        let mut text = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 {
                text = Some(map.next_value::<String>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(text)
    }
}

/// What stands between the first line and the next one of three dashes.
fn frontmatter(text: &str) -> Option<String> {
    let mut lines = text.lines();
    if lines.next()?.trim() != "---" {
        return None;
    }
    let mut out = String::new();
    for line in lines {
        if line.trim() == "---" {
            return Some(out);
        }
        out.push_str(line);
        out.push('\n');
    }
    None
}

fn parse(yaml: &str) -> Result<BTreeMap<String, String>, yaml_serde::Error> {
    let read: Frontmatter = yaml_serde::from_str(yaml)?;
    let keys = yaml_serde::Deserializer::from_str(yaml).deserialize_map(Keys)?;
    let mut fields = BTreeMap::new();
    for key in keys {
        if let Some(text) = TextOf(&key).deserialize(yaml_serde::Deserializer::from_str(yaml))? {
            fields.insert(key, text);
        }
    }
    for (key, value) in [("name", read.name), ("description", read.description)] {
        // Nothing with a private tag is empty text for the one, and nothing for the other.
        let text = |value: Option<&String>| value.cloned().unwrap_or_default();
        assert_eq!(text(fields.get(key)), text(value.as_ref()), "both ways of reading `{key}` agree: {yaml}");
    }
    Ok(fields)
}

/// Plain values that hold `: ` or begin with a sign that no plain value begins with, in single quotes.
fn repaired(yaml: &str) -> String {
    let mut out = String::new();
    let mut block = None;
    for line in yaml.lines() {
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|outer| line.trim().is_empty() || indent > outer) {
            out += &format!("{line}\n");
            continue;
        }
        block = None;
        let entry = line.split_once(':').filter(|(key, value)| {
            !key.trim().is_empty()
                && !key.trim_start().starts_with(['#', '"', '\''])
                && value.starts_with([' ', '\t'])
        });
        let Some((key, value)) = entry.map(|(key, value)| (key, value.trim())) else {
            out += &format!("{line}\n");
            continue;
        };
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        }
        let plain = !value.starts_with(['"', '\'', '|', '>']);
        let breaks = value.contains(": ") || value.contains(":\t") || value.starts_with(['[', '{', '@', '`']);
        if plain && breaks {
            let value = value.split(" #").next().unwrap_or(value).trim_end();
            out += &format!("{key}: '{}'\n", value.replace('\'', "''"));
        } else {
            out += &format!("{line}\n");
        }
    }
    out
}

/// Name and description that the host takes from `text`; `None` where it refuses the file.
pub fn shown(text: &str) -> Option<(Option<String>, Option<String>)> {
    let yaml = frontmatter(text)?;
    let typed = |yaml: &str| yaml_serde::from_str::<Frontmatter>(yaml);
    let read = typed(&yaml).or_else(|_| typed(&repaired(&yaml))).ok()?;
    Some((read.name, read.description))
}

/// What the host has of the frontmatter of `text`.
fn read(text: &str) -> Answer {
    let yaml = frontmatter(text)?;
    // What is YAML is not repaired, whatever the types of its values.
    let is_yaml = yaml_serde::from_str::<IgnoredAny>(&yaml).is_ok();
    parse(&if is_yaml { yaml } else { repaired(&yaml) }).ok()
}

const EXPLAINED: &[ExplainedDifference] = &[
    ExplainedDifference {
        files: &[
            "dialects/metatag",
            "dialects/tag-bool",
            "dialects/tag-float",
            "dialects/tag-foreign-int",
            "dialects/tag-foreign-null",
            "dialects/tag-int",
        ],
        reason: "`tags`: the host takes its text fields as text and passes over the others; this reader asks for any value, \
                 and then serde_yaml looks at the tags",
    },
    ExplainedDifference {
        files: &[
            "dialects/bangstar",
            "dialects/desccapnull",
            "dialects/descempty",
            "dialects/descnull",
            "dialects/desctilde",
            "dialects/emptyfm",
            "dialects/hashfirst",
        ],
        reason: "for serde_yaml null is an absent field; the host refuses the skill all the same, because the description \
             is missing",
    },
];

#[test]
fn serde_yaml_reads_what_we_say_that_codex_reads() {
    compare("codex", read, EXPLAINED);
}
