//! Where output goes: results to stdout, everything about the run to stderr. A closed pipe is
//! success: the reader has had enough.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::progress::ProgressLine;
use super::{Color, GlobalOptions};
use crate::printable;
use crate::progress::Progress;
use crate::report::frame::FrameStyle;
use crate::report::wrap;

/// The two streams, and what they can show.
#[derive(Debug)]
pub struct Console {
    /// Whether text on standard output may be coloured.
    pub color: bool,
    /// Whether text on standard error may be coloured.
    pub error_color: bool,
    /// Whether lines may be drawn and taken back on standard error.
    draws: bool,
    quiet: bool,
    /// How wide the terminals are, for standard output and for standard error.
    widths: [Option<usize>; 2],
    /// Hears what the run is doing.
    pub progress: Progress,
    line: ProgressLine,
    /// Whether a result could not be written, although somebody reads.
    unwritten: AtomicBool,
}

/// Whether a stream may have colour; a terminal that `is_plain` shows none, unless somebody asks for it.
fn may_color(choice: Color, is_terminal: bool, is_plain: bool) -> bool {
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && !is_plain,
    }
}

fn wrapped(text: &str, width: Option<usize>) -> String {
    width.map_or_else(|| text.to_owned(), |width| wrap::wrap(text, width))
}

impl Console {
    /// By the options and the terminal.
    pub fn new(global: &GlobalOptions) -> Self {
        let is_dumb = super::environment("TERM").is_some_and(|term| term == "dumb");
        let is_plain = is_dumb || super::environment_has("NO_COLOR");
        let may = |is_terminal: bool| may_color(global.color, is_terminal, is_plain);
        let (color, error_color) = (may(io::stdout().is_terminal()), may(io::stderr().is_terminal()));
        let draws = global.color != Color::Never && io::stderr().is_terminal() && !is_dumb;
        let width =
            |size: Option<(terminal_size::Width, terminal_size::Height)>| Some(usize::from(size?.0.0));
        let widths = [
            width(terminal_size::terminal_size_of(io::stdout())),
            width(terminal_size::terminal_size_of(io::stderr())),
        ];
        Self { color, error_color, draws, quiet: global.quiet, widths, ..Self::plain() }
    }

    /// Without colour, before options are known.
    pub fn plain() -> Self {
        Self {
            color: false,
            error_color: false,
            draws: false,
            quiet: false,
            widths: [None; 2],
            progress: Progress::default(),
            line: ProgressLine::default(),
            unwritten: AtomicBool::new(false),
        }
    }

    /// Whether a part of a result is missing from standard output, such as on a full disk.
    pub fn is_cut_off(&self) -> bool {
        self.unwritten.load(Ordering::Relaxed)
    }

    /// How findings are drawn on standard output.
    pub fn frame_style(&self) -> FrameStyle {
        FrameStyle { color: self.color, width: self.widths[0] }
    }

    /// How findings are drawn on standard error.
    pub fn error_frame_style(&self) -> FrameStyle {
        FrameStyle { color: self.error_color, width: self.widths[1] }
    }

    /// A result.
    pub fn print(&self, text: &str) {
        self.commands(&printable::unobeyed(text));
    }

    /// A result that holds lines of files.
    pub fn print_patch(&self, text: &str) {
        self.print(&printable::patch(text));
    }

    /// A result for people, whose lines break between words.
    pub fn print_text(&self, text: &str) {
        self.print(&wrapped(text, self.widths[0]));
    }

    /// A page of the documentation, whose paragraphs fit the terminal.
    pub fn print_page(&self, text: &str) {
        match self.widths[0] {
            Some(width) => self.print(&wrap::page(text, width)),
            None => self.print(text),
        }
    }

    /// A result that a forge is to obey, line by line.
    pub fn commands(&self, text: &str) {
        self.line.end();
        let mut out = io::stdout().lock();
        let written = out.write_all(printable::report(text).as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written.map_err(|error| error.kind())
            && error != io::ErrorKind::BrokenPipe
        {
            self.unwritten.store(true, Ordering::Relaxed);
        }
    }

    /// A result that `--quiet` leaves out.
    pub fn inform(&self, text: &str) {
        if !self.quiet {
            self.print_text(text);
        }
    }

    /// A result of one line, whatever names it holds.
    pub fn print_line(&self, line: &str) {
        self.print_text(&format!("{}\n", printable::line(line)));
    }

    /// A result of one line, which `--quiet` leaves out.
    pub fn inform_line(&self, line: &str) {
        self.inform(&format!("{}\n", printable::line(line)));
    }

    /// One line about the run, whatever names it holds.
    pub fn error_line(&self, line: &str) {
        self.error(&format!("{}\n", printable::line(line)));
    }

    /// Findings, or an error.
    pub fn error(&self, text: &str) {
        self.line.end();
        let text = printable::unobeyed(&wrapped(text, self.widths[1])).into_owned();
        let _ = io::stderr().lock().write_all(printable::report(&text).as_bytes());
    }

    /// Shows on a terminal what a run is doing, until something is printed.
    pub fn show_progress(&mut self) {
        if self.quiet {
            return;
        }
        let line = self.line.clone();
        self.progress = Progress::new(move |text| line.announce(text));
        if self.draws {
            self.line.begin(&self.progress);
        }
    }

    /// Takes back what is shown of the run.
    pub fn end_progress(&self) {
        self.line.end();
    }

    /// A result as one JSON object.
    pub fn json(&self, value: &impl Serialize) {
        self.print(&printable::json(&crate::emit::json::to_string(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stream_has_colour_where_it_is_a_terminal_that_shows_some() {
        for (choice, is_terminal, is_plain, wanted) in [
            (Color::Auto, true, false, true),
            (Color::Auto, false, false, false),
            (Color::Auto, true, true, false),
            (Color::Always, false, true, true),
            (Color::Never, true, false, false),
        ] {
            assert_eq!(
                may_color(choice, is_terminal, is_plain),
                wanted,
                "{choice:?} {is_terminal} {is_plain}"
            );
        }
    }
}
