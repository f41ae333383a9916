//! Commands that the source host runs without a grant, since they only read files in the project.

use super::command_line::CommandPart;
use crate::source_format::SourceFacts;

/// Whether the source host runs this part of a command line without asking.
pub fn is(part: &CommandPart<'_>, source: &SourceFacts) -> bool {
    let words = &part.words;
    // The source host does not recognise a bracket test with a redirection.
    if part.redirected && words[0].starts_with('[') {
        return false;
    }
    let whole = words.join(" ");
    if source.read_only_alone.contains(&whole) {
        return true;
    }
    let longest = (1..=words.len().min(3)).rev().find_map(|count| {
        let followers = source.read_only.get(&words[..count].join(" "))?;
        Some((&words[count..], followers))
    });
    longest.is_some_and(|(rest, followers)| are_allowed(rest, followers))
}

/// Whether the source host runs this program without asking with at least some options.
pub fn may_be(part: &CommandPart<'_>, source: &SourceFacts) -> bool {
    (1..=part.words.len().min(3)).any(|count| {
        let beginning = part.words[..count].join(" ");
        source.read_only.contains_key(&beginning) || source.read_only_alone.contains(&beginning)
    })
}

/// Whether each of the words is allowed by the list of `followers`.
fn are_allowed(mut words: &[String], followers: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // An option whose value is the next word, with that word.
    let with_value = |word: &str, next: &str| {
        let options = followers.split(' ').filter_map(|follower| follower.split_once(':'));
        let mut values = options.filter(|(option, _)| *option == word).map(|(_, value)| value);
        !next.starts_with('-') && values.any(|value| value == "*" || is_number(next))
    };
    let alone = |word: &str| {
        followers.split(' ').any(|follower| match follower {
            "*" => is_inside(word),
            "-#" => word.strip_prefix('-').is_some_and(is_number),
            _ => match follower.strip_suffix('*') {
                Some(beginning) => word.strip_prefix(beginning).is_some_and(|value| !value.is_empty()),
                None => word == follower,
            },
        })
    };
    while let Some((word, rest)) = words.split_first() {
        words = match rest.split_first() {
            Some((next, behind)) if with_value(word, next) => behind,
            _ if alone(word) => rest,
            _ => return false,
        };
    }
    true
}

/// Whether a word is neither an option nor a path out of the project.
fn is_inside(word: &str) -> bool {
    let leaves = word.split(['/', ':', '=']).any(|step| step == "..");
    !leaves && !word.starts_with(['-', '/', '~'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_command_is_listed() {
        let fits = |line: &str, followers: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            are_allowed(&words, followers)
        };
        assert!(fits("a.txt b/c.txt main..HEAD -5 -n 3 --since=x", "* -# -n:# --since=*"));
        for line in [
            "-x",
            "-5x",
            "-n",
            "-n x",
            "--since",
            "--since=",
            "/etc/x",
            "~/x",
            "../x",
            "a/../../x",
            "HEAD:../x",
        ] {
            assert!(!fits(line, "* -# -n:# --since=*"), "{line}");
        }
        assert!(!fits("a.txt", "-u") && fits("", "-u"));
    }
}
