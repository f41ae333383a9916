//! 13: a Markdown text that is told without a parser costs in proportion to its length.

use super::scale::{CHECK, in_proportion, repeated, skill};

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
