//! `pg_profile_lookup.ini`: what a priority group without loss needs, by rate and length of cable.
//! A row is `speed cable size xon xoff threshold`, and often `xon_offset`: Mb/s, metres, bytes; the
//! threshold is an exponent of 2 where its pool is dynamic, else bytes.

use std::ops::Range;

use super::span_of;
use crate::FileError;
use crate::text::{lines, no, number};

/// A row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Mb/s.
    pub speed_mbps: u64,
    /// Metres.
    pub metres: u64,
    /// Reserve, bytes; with `xoff` in it where no pool of headroom is shared.
    pub size: u64,
    /// Bytes.
    pub xon: u64,
    /// Headroom, bytes.
    pub xoff: u64,
    /// Exponent of 2, or bytes.
    pub threshold: i64,
    /// Bytes.
    pub xon_offset: Option<u64>,
    /// From 1.
    pub line: u32,
    /// Where it stands in the text, bytes.
    pub at: Range<usize>,
}

/// Its columns.
const COLUMNS: &str = "speed, cable, size, xon, xoff, threshold, and xon_offset or nothing";

/// Reads all rows; a file may have none.
///
/// # Errors
/// If a row has other columns, or two rows have the same rate and length.
pub fn read(text: &str) -> Result<Vec<Row>, FileError> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, words) in lines(text) {
        let row = row(text, (line, words))?;
        let is_same =
            |known: &&Row| (known.speed_mbps, known.metres) == (row.speed_mbps, row.metres);
        if let Some(first) = rows.iter().find(is_same) {
            let message = format!(
                "a second row for {} Mb/s and {} m; the first is in line {}",
                row.speed_mbps, row.metres, first.line
            );
            return Err(FileError::new(line, message).allowed("one row for each rate and length"));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn row(text: &str, (line, words): (u32, &str)) -> Result<Row, FileError> {
    let all: Vec<&str> = words.split_whitespace().collect();
    if !(6..=7).contains(&all.len()) {
        let message = format!("a row of {} columns", all.len());
        return Err(FileError::new(line, message).allowed(COLUMNS));
    }
    let bytes = |at: usize, what: &str| number::<u64>((line, all[at]), what);
    let metres = all[1].strip_suffix('m').unwrap_or("");
    let metres = number((line, metres), "").map_err(|_| no((line, all[1]), "metres, as `40m`"))?;
    let threshold = all[5].parse();
    Ok(Row {
        speed_mbps: bytes(0, "speed in Mb/s, as `100000`")?,
        metres,
        size: bytes(2, "size in bytes")?,
        xon: bytes(3, "xon in bytes")?,
        xoff: bytes(4, "xoff in bytes")?,
        threshold: threshold
            .map_err(|_| no((line, all[5]), "a threshold: an exponent of 2, or bytes"))?,
        xon_offset: all
            .get(6)
            .map(|_| bytes(6, "xon_offset in bytes"))
            .transpose()?,
        line,
        at: span_of(text, words),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "# speed cable\n\n 100000\t5m 2048 2048 61440 -2 4096 # a\n\
                        400000 300m 19456 19456 294912 0\n";

    #[test]
    fn rows_of_six_and_of_seven_columns_are_read() {
        let rows = read(ROWS).expect("it is right");
        let plain = |row: &Row| {
            let bytes = (row.size, row.xon, row.xoff, row.threshold, row.xon_offset);
            (row.speed_mbps, row.metres, bytes, row.line)
        };
        let rows: Vec<_> = rows.iter().map(plain).collect();
        let wanted = [
            (100_000, 5, (2_048, 2_048, 61_440, -2, Some(4_096)), 3),
            (400_000, 300, (19_456, 19_456, 294_912, 0, None), 4),
        ];
        assert_eq!(rows, wanted);
        assert_eq!(read("# nothing\n"), Ok(Vec::new()));
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("61440 -2 4096", "61440", "a row of 5 columns"),
            ("61440 -2 4096", "61440 -2 4096 1", "a row of 8 columns"),
            ("\t5m", "\t5", "`5`"),
            ("\t5m", "\tm", "`m`"),
            ("61440", "61k", "`61k`"),
            ("-2", "two", "`two`"),
            (
                "100000\t5m",
                "400000 300m",
                "a second row for 400000 Mb/s and 300 m",
            ),
        ];
        for (from, to, message) in wrong {
            let changed = ROWS.replacen(from, to, 1);
            assert_ne!(changed, ROWS);
            let mistake = read(&changed).expect_err(to);
            let line = if message.starts_with("a second") {
                4
            } else {
                3
            };
            let is_it = mistake.line == line && mistake.found.starts_with(message);
            assert!(is_it && mistake.allowed.is_some(), "{to}: {mistake}");
        }
    }
}
