//! The help of a command or a group of commands, from its table.

use super::parse::words_after_group;
use super::{Parameter, ParameterKind};
use crate::runtime::grammar::{GROUPS, GlobalArguments};
use crate::runtime::published;

use super::Options;

/// The maximum width of a line.
const WIDTH: usize = 100;
/// The indentation of an option's description.
const INDENT: &str = "          ";

/// The help of the command or group named by these words; empty for the program itself.
pub fn help(path: &str) -> String {
    let mut out = String::new();
    let command = published::find(path);
    let group = GROUPS.iter().find(|(words, _)| *words == path).map_or("", |(_, about)| about);
    let about = match command {
        Some(command) => command.about,
        None if path.is_empty() => GlobalArguments::ABOUT,
        None => &[group],
    };
    paragraphs(about, "", &mut out);
    out += &format!("\nUsage: {}", format!("plugcast-run {path}").trim_end());
    out += " [OPTIONS]";
    let parameters = command.map_or(&[][..], |command| command.parameters);
    match command {
        None if path.is_empty() => out += " [COMMAND]\n",
        None => out += " <COMMAND>\n",
        Some(_) => {
            let is_shown = |one: &&Parameter| one.is_positional() || one.is_required();
            for parameter in parameters.iter().filter(is_shown) {
                out += &format!(" {}", parameter.spelled);
            }
            out.push('\n');
        }
    }
    if command.is_none() {
        commands(path, &mut out);
    }
    let (own, named): (Vec<&Parameter>, Vec<&Parameter>) =
        parameters.iter().partition(|parameter| parameter.is_positional());
    section("Arguments", &own, &mut out);
    let mut named = named;
    named.extend(
        GlobalArguments::PARAMETERS.iter().filter(|one| path.is_empty() && one.kind == ParameterKind::Switch),
    );
    named.push(&HELP);
    section("Options", &named, &mut out);
    let every: Vec<&Parameter> =
        GlobalArguments::PARAMETERS.iter().filter(|one| one.kind != ParameterKind::Switch).collect();
    section(EVERY, &every, &mut out);
    let examples =
        if path.is_empty() { GlobalArguments::EXAMPLES } else { command.map_or(&[][..], |one| one.examples) };
    if !examples.is_empty() {
        out += "\nExamples:\n";
        for example in examples {
            out += &format!("  {example}\n");
        }
    }
    out
}

/// The heading of the options that every command has.
const EVERY: &str = "Options of every command";
static HELP: Parameter = Parameter { spelled: "-h, --help", about: &["Print help"], ..Parameter::PLAIN };

/// The commands and groups directly below a group.
fn commands(path: &str, out: &mut String) {
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for row in &published::COMMANDS {
        let Some(rest) = words_after_group(row.command, path) else { continue };
        let (name, inner) = rest.split_once(' ').unwrap_or((rest, ""));
        let words = row.command.strip_suffix(inner).unwrap_or(row.command).trim_end();
        let group = GROUPS.iter().find(|(group, _)| *group == words).map(|(_, about)| *about);
        let about = group.unwrap_or_else(|| row.about.first().map_or("", |line| line.trim()));
        if rows.last().is_none_or(|(last, _)| *last != name) {
            rows.push((name, about));
        }
    }
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    *out += "\nCommands:\n";
    for (name, about) in rows {
        *out += &format!("  {name:widest$}  {about}\n");
    }
}

fn section(title: &str, parameters: &[&Parameter], out: &mut String) {
    if parameters.is_empty() {
        return;
    }
    *out += &format!("\n{title}:\n");
    for (at, parameter) in parameters.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let pad = if parameter.spelled.starts_with("--") { "      " } else { "  " };
        *out += &format!("{pad}{}\n", parameter.spelled);
        paragraphs(parameter.about, INDENT, out);
        if let Some(default) = parameter.default {
            *out += &format!("\n{INDENT}[default: {default}]\n");
        }
        if !parameter.hides_choices && !parameter.choices.is_empty() {
            *out += &format!("\n{INDENT}Possible values:\n");
            for choice in parameter.choices {
                let about: Vec<&str> = choice.about.iter().map(|line| line.trim()).collect();
                *out += &format!("{INDENT}- {}: {}\n", choice.name, about.join(" "));
            }
        }
    }
}

/// Lines of a comment as paragraphs.
fn paragraphs(lines: &[&str], indent: &str, out: &mut String) {
    let mut column = 0;
    for line in lines {
        if line.trim().is_empty() {
            *out += "\n\n";
            column = 0;
        }
        for word in line.split_whitespace() {
            let wide = word.chars().count();
            if column > 0 && column + 1 + wide > WIDTH {
                out.push('\n');
                column = 0;
            }
            if column == 0 {
                *out += indent;
                column = indent.len();
            } else {
                out.push(' ');
                column += 1;
            }
            *out += word;
            column += wide;
        }
    }
    out.push('\n');
}
