//! CSV as RFC 4180 has it, UTF-8, quotes doubled, but for the ends of lines: LF, so that the last
//! field of a line is what it looks like to `awk` and the like.
//!
//! What a column holds can be read off its values: measurements have a point or an exponent, `3.0`,
//! counts have neither. So a reader that guesses takes the same type from every run.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use backwater_kernel::series::{Clock, Series};

use crate::column::key;
use crate::model::{Cell, Table};

/// `field` as it stands in a CSV line. What a spreadsheet would take for a formula gets `'` in
/// front: it begins with `=`, `+`, `-` or `@` and is no number.
pub fn field(text: &str) -> String {
    safe(text).into_owned()
}

fn safe(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text != "-";
    if is_formula && text.parse::<f64>().is_err() {
        return quoted(&format!("'{text}")).into_owned().into();
    }
    quoted(text)
}

fn quoted(text: &str) -> Cow<'_, str> {
    let is_special = |byte: u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    if text.bytes().any(is_special) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// A value as CSV keeps it: all digits, nothing where nothing was measured.
pub fn value(cell: &Cell) -> String {
    let mut text = String::new();
    put(&mut text, cell);
    text
}

/// Adds a value to a line.
fn put(line: &mut String, cell: &Cell) {
    let _ = match cell {
        Cell::Text(text) => line.write_str(&safe(text)),
        Cell::Int(count) => write!(line, "{count}"),
        Cell::Float { value, .. } => put_float(line, *value),
        Cell::Empty => Ok(()),
    };
}

/// Adds a measurement, nothing where there is none.
fn put_float(line: &mut String, value: f64) -> std::fmt::Result {
    // Numbers near nothing would take dozens of digits.
    match (1e-300..1e-6).contains(&value.abs()) {
        true => write!(line, "{value:e}"),
        false if value.is_finite() && value.fract() == 0.0 => write!(line, "{value:.1}"),
        false if value.is_finite() => write!(line, "{value}"),
        false => Ok(()),
    }
}

/// A whole table; its header row holds the [keys](Table::keys) of its columns.
pub fn table(table: &Table) -> String {
    let mut bytes = Vec::new();
    // What is written into memory fits.
    let _ = write_table(table, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// The same, written line by line.
pub(crate) fn write_table(table: &Table, to: &mut dyn io::Write) -> io::Result<()> {
    let mut line = table.keys().join(",");
    line.push('\n');
    to.write_all(line.as_bytes())?;
    for row in &table.rows {
        line.clear();
        for index in 0..table.columns.len() {
            if index > 0 {
                line.push(',');
            }
            put(&mut line, row.get(index).unwrap_or(&Cell::Empty));
        }
        line.push('\n');
        to.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// A part of a text in this form.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// A cell; a formula as it was before it was written.
    Cell(&'a str),
    /// The end of a line.
    End,
}

/// Gives the parts of a text in this form one by one, as long as `take` wants more.
pub fn pieces(text: &str, mut take: impl FnMut(Piece<'_>) -> bool) {
    let (mut cell, mut is_quoted, mut is_empty) = (String::new(), false, true);
    let mut letters = text.chars().peekable();
    let plain = |cell: &str| match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@']) => cell.len() - rest.len(),
        _ => 0,
    };
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if is_quoted || cell.is_empty() => is_quoted = !is_quoted,
            '\r' if !is_quoted => {}
            ',' | '\n' if !is_quoted => {
                if !take(Piece::Cell(&cell[plain(&cell)..])) {
                    return;
                }
                cell.clear();
                is_empty = letter == '\n';
                if is_empty && !take(Piece::End) {
                    return;
                }
            }
            letter => cell.push(letter),
        }
    }
    if (!cell.is_empty() || !is_empty) && take(Piece::Cell(&cell[plain(&cell)..])) {
        take(Piece::End);
    }
}

/// Cells of each line of a text in this form.
#[cfg(test)]
pub fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    pieces(text, |piece| {
        match piece {
            Piece::Cell(cell) => row.push(cell.to_owned()),
            Piece::End => rows.push(std::mem::take(&mut row)),
        }
        true
    });
    rows
}

/// A time series, every point of it.
pub fn series(series: &Series) -> String {
    let at = match series.clock {
        Clock::Picoseconds => "time_ps",
        Clock::Cycles => "cycle",
    };
    let mut text = format!("{at},{}\n", key("value", series.unit));
    for (x, value) in series.x.iter().zip(&series.y) {
        let _ = write!(text, "{x},");
        let _ = put_float(&mut text, *value);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Column;

    #[test]
    fn quotes_what_needs_quotes_and_nothing_else() {
        assert_eq!(field("plain"), "plain");
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(field("two\nlines"), "\"two\nlines\"");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, cell) in [
            ("=1+2", "'=1+2"),
            ("=HYPERLINK(\"x\", 1)", "\"'=HYPERLINK(\"\"x\"\", 1)\""),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+flow", "'+flow"),
            ("-2+3", "'-2+3"),
            ("-1.5e-3", "-1.5e-3"),
            ("+7", "+7"),
            ("-", "-"),
            ("a=b", "a=b"),
            ("'quoted'", "'quoted'"),
        ] {
            assert_eq!(field(text), cell);
        }
        assert_eq!(value(&Cell::float(-0.5, 1)), "-0.5");
        assert_eq!(value(&Cell::float(3.5e-13, 1)), "3.5e-13");
        for (measured, cell) in [
            (3.0, "3.0"),
            (0.0, "0.0"),
            (-2.0, "-2.0"),
            (1e21, "1000000000000000000000.0"),
        ] {
            assert_eq!(value(&Cell::float(measured, 0)), cell);
        }
    }

    #[test]
    fn a_table_keeps_all_digits_and_its_shape() {
        let mut t = Table::new(
            "t",
            "",
            vec![Column::text("flow", ""), Column::number("delay", "us", "")],
        );
        t.rows.push(vec!["a,b".into(), Cell::float(1.0 / 3.0, 2)]);
        t.rows.push(vec!["short".into()]);
        t.rows.push(vec!["nan".into(), Cell::float(f64::NAN, 2)]);
        assert_eq!(
            table(&t),
            "flow,delay_us\n\"a,b\",0.3333333333333333\nshort,\nnan,\n"
        );
    }

    #[test]
    fn what_is_written_can_be_read() {
        let names = [
            "plain",
            "a,b",
            "say \"hi\"",
            "\"",
            "two\r\nlines",
            "=1+2",
            "'",
            "-2+3",
            "",
        ];
        let mut t = Table::new("t", "", vec![Column::text("a", ""), Column::text("b", "")]);
        for name in names {
            t.rows.push(vec![name.into(), name.into()]);
        }
        let mut read = parse(&table(&t));
        assert_eq!(read.remove(0), ["a", "b"]);
        let wanted = names.map(|name| vec![name.to_owned(); 2]);
        assert_eq!(read, wanted);
        assert_eq!(parse("a,\"b"), [["a", "b"]], "cut short");
        assert!(parse("").is_empty());
    }

    #[test]
    fn a_series_keeps_every_point() {
        let s = Series {
            name: "credit".into(),
            unit: "cells",
            step: true,
            clock: Clock::Picoseconds,
            x: vec![0, 681_672],
            y: vec![10.0, 9.5],
        };
        assert_eq!(series(&s), "time_ps,value_cells\n0,10.0\n681672,9.5\n");
    }
}
