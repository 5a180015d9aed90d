//! What both file formats share: errors with a line, words and numbers.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::spec::FLIGHT_MAX;

/// Why a file describes no network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong there and what is allowed, in words.
    pub what: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl core::error::Error for FileError {}

/// Lines with something on them: number and text without what follows `#`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.split('#').next().unwrap_or_default().trim();
        (!line.is_empty()).then_some((number, line))
    })
}

pub(super) fn error(line: u32, what: String) -> FileError {
    FileError { line, what }
}

/// A number of cycles.
pub(super) fn latency(line: u32, word: &str) -> Result<u16, FileError> {
    match word.parse::<u16>() {
        Ok(latency) if (1..=FLIGHT_MAX).contains(&u32::from(latency)) => Ok(latency),
        _ => Err(error(
            line,
            format!("latency `{word}`: allowed are 1 to {FLIGHT_MAX} cycles"),
        )),
    }
}
