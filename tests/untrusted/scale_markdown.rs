//! 13: a Markdown text that is told without a parser costs in proportion to its length.

use super::scale::{BUILD, CHECK, in_proportion, repeated, skill};
use crate::support::tree::Tree;

/// For each link to a heading the headings of the whole text were looked for.
#[test]
fn case_13_links_to_headings_cost_in_proportion() {
    let source = |many| skill(&repeated(many, "See [it](#part-#).\n\n## Part #\n\n"));
    in_proportion(2000, source, &CHECK);
}

/// For each end of a label the line was read from its beginning.
#[test]
fn case_13_ends_of_labels_on_one_line_cost_in_proportion() {
    let source = |many| skill(&format!("Of {}\n", repeated(many, "x#]: y ")));
    in_proportion(20_000, source, &CHECK);
}

/// A README of many numbers was counted again for each of them.
#[test]
fn case_13_numbers_of_a_readme_cost_in_proportion() {
    let source = |many| {
        let readme = format!("# Demo\n\n{}", repeated(many, "It has # skills.\n\n"));
        skill("Plan.\n")
            .file("in/README.md", readme)
            .file("in/plugcast.toml", "[check]\nprofile = \"house\"\n")
    };
    in_proportion(1000, source, &CHECK);
}

/// Each number in a program had the whole of its code block searched before it: 2,500 took 2 s, 10,000 took 30 s.
#[test]
fn case_13_numbers_in_programs_cost_in_proportion() {
    fn text(body: String) -> Tree {
        skill(&format!("Take $ARGUMENTS.\n\n{body}"))
    }
    let plain = |many| text(format!("```sh\n{}```\n", repeated(many, "echo $1\n")));
    let function = |many| text(format!("```sh\nrun() {{\n{}}}\n```\n", repeated(many, "  echo $1\n")));
    let awk = |many| text(format!("```sh\nawk '\n{}' f\n```\n", repeated(many, "  { print $1 }\n")));
    let calls = |many| text(format!("```sh\n{}```\n", repeated(many, "awk '{ print $1 }' f\n")));
    let spans = |many| text(repeated(many, "`run $1` "));
    let line = |many| text(repeated(many, "Say $1 "));
    let sources: [fn(usize) -> Tree; 6] = [plain, function, awk, calls, spans, line];
    for source in sources {
        in_proportion(2000, source, &CHECK);
        in_proportion(2000, source, &BUILD);
    }
}
