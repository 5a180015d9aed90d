//! Standard output and error that may be closed early, as by `| head`.
//!
//! The standard macros panic when nobody reads any more. These go on, so that a run still
//! writes its files; `main` learns of any other failure, such as a full disk.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::document;

static LOST: AtomicBool = AtomicBool::new(false);
/// Only what goes wrong is said.
static QUIET: AtomicBool = AtomicBool::new(false);

macro_rules! print {
    ($($part:tt)*) => { $crate::out::write(format_args!($($part)*)) };
}

macro_rules! println {
    () => { $crate::out::write_line(format_args!("")) };
    ($($part:tt)*) => { $crate::out::write_line(format_args!($($part)*)) };
}

macro_rules! eprintln {
    ($($part:tt)*) => { $crate::out::tell(format_args!($($part)*)) };
}

/// What nobody has to know: standard error, and nothing with `--quiet`.
macro_rules! remark {
    ($($part:tt)*) => { $crate::out::remark(format_args!($($part)*)) };
}

/// Say only what goes wrong, or all.
pub fn be_quiet(is_quiet: bool) {
    QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Is only that said?
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes to standard output; a command that is quiet, or writes a document there, does not.
pub fn write(text: Arguments<'_>) {
    if !is_quiet() && !document::is_wanted() {
        note(std::io::stdout().write_fmt(text));
    }
}

/// Writes a line to standard output.
pub fn write_line(text: Arguments<'_>) {
    write(format_args!("{text}\n"));
}

/// Writes a line to standard error, or puts it into the document.
pub fn tell(text: Arguments<'_>) {
    if !document::hears(&text.to_string()) {
        tell_now(text);
    }
}

/// Writes a line to standard error unless that is to be quiet.
pub fn remark(text: Arguments<'_>) {
    if !is_quiet() {
        tell_now(text);
    }
}

/// There is nowhere to complain if that fails.
fn tell_now(text: Arguments<'_>) {
    let _ = std::io::stderr().write_fmt(format_args!("{text}\n"));
}

/// What simulations have to say goes to standard error as well.
pub fn print_what_runs_say() {
    if log::set_logger(&OnError).is_ok() {
        log::set_max_level(log::LevelFilter::Info);
    }
}

struct OnError;

impl log::Log for OnError {
    fn enabled(&self, about: &log::Metadata<'_>) -> bool {
        about.level() <= log::Level::Info && about.target().starts_with("backwater")
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let text = record.args().to_string();
        let said = text.trim_start_matches('\n');
        let above = &text[..text.len() - said.len()];
        match record.level() {
            log::Level::Error => eprintln!("{above}error: {said}"),
            _ => remark!("{above}note: {said}"),
        }
    }

    fn flush(&self) {}
}

/// Hands over the document of this command, if it has one, and what is still held back; false if
/// output was lost that somebody waits for.
pub fn finish(command: &str, status: u8) -> bool {
    if let Some(document) = document::end(command, status) {
        be_quiet(false);
        write(format_args!("{document}"));
    }
    note(std::io::stdout().flush());
    !LOST.load(Ordering::Relaxed)
}

fn note(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        eprintln!("error: can't write to standard output: {error}");
    }
}
