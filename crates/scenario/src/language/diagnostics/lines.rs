//! Lines of a text around a place in it.

use std::ops::Range;

use crate::language::source::At;

/// The last boundary of a character up to here.
pub(super) fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

/// The number of the line that has this byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter();
    1 + before.filter(|&&b| b == b'\n').count()
}

/// The lines of which a span has a part, without the end of the last.
pub(super) fn lines_around(text: &str, at: &At) -> Range<usize> {
    let start = floor_boundary(text, at.start);
    let first = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let last = text[start..]
        .find('\n')
        .map_or(text.len(), |newline| start + newline);
    first..last
}

/// What of a span lies in its first line: a table of many lines is named by its first.
pub(super) fn span_in_line(text: &str, at: &At) -> Range<usize> {
    let line = lines_around(text, at);
    let start = floor_boundary(text, at.start);
    let end = floor_boundary(text, at.end).clamp(start, line.end.max(start));
    start..end
}
