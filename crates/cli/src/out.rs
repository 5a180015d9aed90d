//! Standard output and error that may be closed early, as by `| head`.
//!
//! The standard macros panic when nobody reads any more. These go on, so that a run still
//! writes its files; `main` learns of any other failure, such as a full disk.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static LOST: AtomicBool = AtomicBool::new(false);

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

/// Writes to standard output.
pub fn write(text: Arguments<'_>) {
    note(std::io::stdout().write_fmt(text));
}

/// Writes a line to standard output.
pub fn write_line(text: Arguments<'_>) {
    write(format_args!("{text}\n"));
}

/// Writes a line to standard error; there is nowhere to complain if that fails.
pub fn tell(text: Arguments<'_>) {
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
            _ => eprintln!("{above}note: {said}"),
        }
    }

    fn flush(&self) {}
}

/// Hands over what is still held back; false if output was lost that somebody waits for.
pub fn finish() -> bool {
    note(std::io::stdout().flush());
    !LOST.load(Ordering::Relaxed)
}

fn note(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        eprintln!("error: can't write to standard output: {error}");
    }
}
