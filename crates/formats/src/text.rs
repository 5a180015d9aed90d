//! Lines, tokens and numbers.

use std::fmt::Display;
use std::str::FromStr;

use backwater_kernel::decimal::{measured, split_number};
use backwater_kernel::units::{RATES, SPOKEN_RATES, TIMES, Unit};

use crate::FileError;

/// Some editors begin a file with it; it says nothing.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// What is shown of a text at most, characters.
const SHOWN: usize = 40;
/// Longest span, picoseconds: sums of a few still fit the clock.
pub(crate) const LONGEST_PS: u64 = 1 << 62;
/// Largest rate, bits a second.
const FASTEST_BPS: u64 = 100_000_000_000_000;

/// Lines that hold something, with their numbers from 1; `#` starts a comment.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let numbered = (1_u32..).zip(text.lines());
    numbered
        .map(|(number, line)| (number, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// Words, whatever lines they stand in, with the numbers of those.
pub(crate) struct Tokens<'a, I: Iterator<Item = (u32, &'a str)>> {
    words: std::iter::Peekable<I>,
    /// The line of the last one.
    line: u32,
}

/// Words of a text.
pub(crate) fn tokens(text: &str) -> Tokens<'_, impl Iterator<Item = (u32, &str)>> {
    let words = lines(text).flat_map(|(number, line)| {
        let words = line.split_whitespace();
        words.map(move |word| (number, word))
    });
    Tokens {
        words: words.peekable(),
        line: 1,
    }
}

impl<'a, I: Iterator<Item = (u32, &'a str)>> Tokens<'a, I> {
    /// The next; `what` says what should stand there.
    pub(crate) fn next(&mut self, what: &str) -> Result<(u32, &'a str), FileError> {
        let Some((line, word)) = self.words.next() else {
            let message = "the file ends here";
            return Err(FileError::new(self.line, message).allowed(what));
        };
        self.line = line;
        Ok((line, word))
    }

    /// The next, as a whole number.
    pub(crate) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, FileError> {
        let (line, word) = self.next(what)?;
        number((line, word), what)
    }

    /// What is left, if something is.
    pub(crate) fn rest(&mut self) -> Option<(u32, &'a str)> {
        self.words.next()
    }
}

/// A whole number.
pub(crate) fn number<T: FromStr>((line, word): (u32, &str), what: &str) -> Result<T, FileError> {
    let digits = word.bytes().all(|c| c.is_ascii_digit());
    let read = word.parse().ok().filter(|_| digits);
    read.ok_or_else(|| no((line, word), what))
}

/// Says that this is not what should stand there.
pub(crate) fn no((line, word): (u32, &str), what: impl Display) -> FileError {
    FileError::new(line, format!("`{}`", clip(word))).allowed(what.to_string())
}

/// Picoseconds of `0.001ms`.
pub(crate) fn time((line, word): (u32, &str)) -> Result<u64, FileError> {
    let what = "a time with its unit, such as `1us` or `1000ns`";
    measured(word, TIMES, LONGEST_PS).map_err(|_| no((line, word), what))
}

/// Bits a second of `100Gbps`.
pub(crate) fn rate((line, word): (u32, &str)) -> Result<u64, FileError> {
    let what = "a rate with its unit, such as `100Gbps` or `400000000bps`, up to 100 Tbps";
    let units: Vec<Unit> = [RATES, SPOKEN_RATES].concat();
    let read = measured(word, &units, FASTEST_BPS).ok();
    let read = read.filter(|rate| *rate > 0);
    read.ok_or_else(|| no((line, word), what))
}

/// Picoseconds of a number of these, rounded half up.
pub(crate) fn span(word: &str, worth: u128) -> Option<u64> {
    let (number, rest) = split_number(word).ok()?;
    let whole = number.times(worth).filter(|_| rest.is_empty())?;
    u64::try_from(whole).ok().filter(|ps| *ps <= LONGEST_PS)
}

/// A probability.
pub(crate) fn probability((line, word): (u32, &str)) -> Result<f64, FileError> {
    let read = split_number(word).ok().filter(|(_, rest)| rest.is_empty());
    let read = read.filter(|(number, _)| !number.exceeds(1));
    let what = "the probability that a packet is lost, from 0 to 1";
    let (number, _) = read.ok_or_else(|| no((line, word), what))?;
    Ok(number.approximate())
}

/// A text as a message shows it.
pub(crate) fn clip(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { '?' } else { c });
    let mut shown: String = clean.take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("..");
    }
    shown
}
