//! Output: results go to stdout, everything about the run to stderr. A closed pipe counts as success: the reader has
//! read enough.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::progress::ProgressLine;
use super::{Color, GlobalOptions};
use crate::printable;
use crate::progress::Progress;
use crate::report::frame::FrameStyle;
use crate::report::wrap;

/// The two streams and their capabilities.
#[derive(Debug)]
pub struct Console {
    /// Whether text on standard output may be colored.
    pub color: bool,
    /// Whether text on standard error may be colored.
    pub error_color: bool,
    /// Whether progress lines may be drawn and erased on standard error.
    draws: bool,
    quiet: bool,
    /// The widths of the terminals of standard output and standard error.
    widths: [Option<usize>; 2],
    /// Receives the progress of the run.
    pub progress: Progress,
    line: ProgressLine,
    /// Whether a result was written to standard output.
    written: AtomicBool,
    /// Whether a result could not be written although the pipe is open.
    unwritten: AtomicBool,
}

/// Whether a stream may have color; a terminal that `is_plain` has none unless the user asks for it.
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
    /// Configured by the options and the terminal.
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

    /// Without color, for use before the options are known.
    pub fn plain() -> Self {
        Self {
            color: false,
            error_color: false,
            draws: false,
            quiet: false,
            widths: [None; 2],
            progress: Progress::default(),
            line: ProgressLine::default(),
            written: AtomicBool::new(false),
            unwritten: AtomicBool::new(false),
        }
    }

    /// Whether a part of a result is missing from standard output, such as on a full disk.
    pub fn is_cut_off(&self) -> bool {
        self.unwritten.load(Ordering::Relaxed)
    }

    /// Whether standard output has a result, or a part of one.
    pub fn has_result(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }

    /// How findings are drawn on standard output.
    pub fn frame_style(&self) -> FrameStyle {
        FrameStyle { color: self.color, width: self.widths[0] }
    }

    /// How findings are drawn on standard error.
    pub fn error_frame_style(&self) -> FrameStyle {
        FrameStyle { color: self.error_color, width: self.widths[1] }
    }

    /// Prints a result.
    pub fn print(&self, text: &str) {
        self.commands(&printable::unobeyed(text));
    }

    /// Prints a result that contains lines of files.
    pub fn print_patch(&self, text: &str) {
        self.print(&printable::patch(text));
    }

    /// Prints a result for people, with lines wrapped between words.
    pub fn print_text(&self, text: &str) {
        self.print(&wrapped(text, self.widths[0]));
    }

    /// Prints a page of the documentation, with paragraphs wrapped to the terminal.
    pub fn print_page(&self, text: &str) {
        match self.widths[0] {
            Some(width) => self.print(&wrap::page(text, width)),
            None => self.print(text),
        }
    }

    /// Prints workflow commands for a forge, one per line.
    pub fn commands(&self, text: &str) {
        self.line.end();
        self.written.store(true, Ordering::Relaxed);
        let mut out = io::stdout().lock();
        let written = out.write_all(printable::report(text).as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written.map_err(|error| error.kind())
            && error != io::ErrorKind::BrokenPipe
        {
            self.unwritten.store(true, Ordering::Relaxed);
        }
    }

    /// Prints a result that `--quiet` omits.
    pub fn inform(&self, text: &str) {
        if !self.quiet {
            self.print_text(text);
        }
    }

    /// Prints a result of one line, whatever names it contains.
    pub fn print_line(&self, line: &str) {
        self.print_text(&format!("{}\n", printable::line(line)));
    }

    /// Prints a result of one line, which `--quiet` omits.
    pub fn inform_line(&self, line: &str) {
        self.inform(&format!("{}\n", printable::line(line)));
    }

    /// Prints one line about the run, whatever names it contains.
    pub fn error_line(&self, line: &str) {
        self.error(&format!("{}\n", printable::line(line)));
    }

    /// Prints findings, or an error.
    pub fn error(&self, text: &str) {
        self.line.end();
        let text = printable::unobeyed(&wrapped(text, self.widths[1])).into_owned();
        let _ = io::stderr().lock().write_all(printable::report(&text).as_bytes());
    }

    /// Shows progress on a terminal until something is printed.
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

    /// Erases the progress line.
    pub fn end_progress(&self) {
        self.line.end();
    }

    /// Prints a result as one JSON object.
    pub fn json(&self, value: &impl Serialize) {
        self.print(&printable::json(&crate::report::json::document(value)));
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
