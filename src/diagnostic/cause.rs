//! What a finding is about, so that findings of one mistake can be recognized whatever their messages say.

/// What a finding is about, apart from its rule and place. Findings with equal causes are one mistake in several
/// places; those that share only the mistake differ in names or values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    mistake: String,
    names: Vec<String>,
    values: String,
}

impl Cause {
    /// The `mistake` of a rule that knows several, which concerns `names`.
    pub fn new(mistake: &str, names: &[&str]) -> Self {
        let names = names.iter().map(ToString::to_string).collect();
        Self { mistake: mistake.to_owned(), names, values: String::new() }
    }

    /// The same cause with a value that findings of one mistake may differ in.
    pub fn with_value(mut self, value: &str) -> Self {
        self.values.push_str(value);
        self
    }

    /// The cause of a finding whose rule gives none: what its message has in backticks are the names, its numbers are
    /// the values, and the rest is the mistake.
    pub(super) fn from_message(message: &str) -> Self {
        let (mut names, mut mistake, mut values) = (Vec::new(), String::new(), String::new());
        for (at, part) in message.split('`').enumerate() {
            if at % 2 == 1 {
                names.push(part.to_owned());
                mistake.push('`');
                continue;
            }
            for letter in part.chars() {
                let is_value = letter.is_ascii_digit() || letter == ',';
                if is_value { &mut values } else { &mut mistake }.push(letter);
            }
            values.push(' ');
        }
        Self { mistake, names, values }
    }

    /// The mistake, without names and values.
    pub fn mistake(&self) -> &str {
        &self.mistake
    }

    /// What the mistake concerns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_gives_mistake_names_and_values() {
        let of = Cause::from_message;
        assert_eq!(of("1,001 lines in `1`"), of("1,001 lines in `1`"));
        for other in ["1,002 lines in `1`", "1,001 lines in `2`"] {
            assert_ne!(of("1,001 lines in `1`"), of(other));
            assert_eq!(of("1,001 lines in `1`").mistake(), of(other).mistake());
        }
        assert_ne!(of("1 line in `1`").mistake(), of("1 page in `1`").mistake());
        assert_eq!(of("no `a` in `b`").names(), ["a", "b"]);
        assert!(of("no name").names().is_empty());
    }
}
