//! The `cmd` file of a case: one command line a line, with the exit code that it must end with.

/// One command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The arguments, without the program.
    pub arguments: Vec<String>,
    /// The exit code to expect.
    pub code: i32,
}

/// Reads a `cmd` file. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// A sentence that names the line.
pub fn parse(script: &str) -> Result<Vec<Command>, String> {
    let mut commands = Vec::new();
    for (index, line) in script.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |what: &str| format!("cmd:{}: {what}", index + 1);
        let (code, rest) = match line.strip_prefix('?') {
            None => (0, line),
            Some(rest) => {
                let (code, rest) =
                    rest.split_once(' ').ok_or_else(|| bad("no command after the exit code"))?;
                (code.parse().map_err(|_| bad("`?` is followed by an exit code"))?, rest)
            }
        };
        let arguments = split(rest).ok_or_else(|| bad("a quote is not closed"))?;
        commands.push(Command { arguments, code });
    }
    if commands.is_empty() { Err("cmd: no command".to_owned()) } else { Ok(commands) }
}

/// The source that the first build reads, relative to the case's folder.
pub fn source(commands: &[Command]) -> &str {
    let build =
        commands.iter().find(|command| command.arguments.first().is_some_and(|first| first == "build"));
    let source = build.and_then(|build| build.arguments.get(1)).filter(|source| !source.starts_with('-'));
    source.map_or(".", String::as_str)
}

/// Splits at spaces; single and double quotes hold an argument together.
fn split(line: &str) -> Option<Vec<String>> {
    let mut arguments = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                current.get_or_insert_default();
            }
            (None, ' ') => arguments.extend(current.take()),
            _ => current.get_or_insert_default().push(character),
        }
    }
    arguments.extend(current);
    quote.is_none().then_some(arguments)
}

#[test]
fn lines_quotes_and_codes_are_read() {
    let read = parse("# a comment\nbuild in --to x\n\n?1 check 'a b' \"\"\n").unwrap();
    assert_eq!(
        read[0],
        Command { arguments: vec!["build".into(), "in".into(), "--to".into(), "x".into()], code: 0 }
    );
    assert_eq!(read[1], Command { arguments: vec!["check".into(), "a b".into(), String::new()], code: 1 });
    assert_eq!(source(&read), "in");
    assert!(parse("build 'in").unwrap_err().contains("cmd:1: a quote"));
    assert!(parse("?x build").unwrap_err().contains("exit code"));
    assert!(parse("# nothing\n").is_err());
}
