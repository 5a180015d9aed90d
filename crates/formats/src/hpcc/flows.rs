//! `flow.txt`: how many flows there are, then for each `source destination group port bytes start`,
//! the start in seconds. Later simulators leave the port out.
//!
//! At most as many are read as the first line says. The program that writes such files puts the
//! count over an estimate of it, so that digits of the estimate may be left: where there are fewer,
//! up to the end or to a line of words, that many are read, which is a doubt.

use std::fmt::Write;

use backwater_kernel::words::counted;

use crate::text::{self, clip, lines, span};
use crate::{FileError, Flows, ListedFlow};

/// Numbers of a flow that has a port.
pub const WITH_PORT: usize = 6;
/// Picoseconds in a second.
const SECOND: u128 = 1_000_000_000_000;
/// What a flow has.
const WHOLE: &str = "each flow has source, destination, group, port, bytes and start; the port may \
                     be left out of all";

/// Reads one.
///
/// # Errors
/// If a number of a flow is none, or is missing.
pub fn read(text: &str) -> Result<Flows, FileError> {
    let first = lines(text).next();
    let (line, count) = first
        .ok_or_else(|| FileError::new(1, "the file ends here").allowed("the number of flows"))?;
    let stated: usize = text::number((line, count), "the number of flows, alone in its line")?;
    let width = width(text, stated);
    let most = stated.saturating_mul(width);
    let mut flows = Flows::default();
    let mut cells: [&str; WITH_PORT] = [""; WITH_PORT];
    let (mut filled, mut begins) = (0, line);
    for (line, word) in numbers(text).take(most) {
        if filled == 0 {
            begins = line;
        }
        cells[filled] = word;
        filled += 1;
        if filled == width {
            filled = 0;
            let flow = of_numbers(&cells[..width]);
            let flow = flow.map_err(|what| FileError::new(begins, what).hint(WHOLE))?;
            flows.entries.push(ListedFlow {
                line: begins,
                ..flow
            });
        }
    }
    if filled > 0 {
        return Err(cut_off(text, most, width));
    }
    too_few(text, (line, stated), &mut flows);
    beyond(text, most, width, &mut flows);
    Ok(flows)
}

/// Lines of numbers, up to the first that is none.
fn flow_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let is_flow = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
    lines(text)
        .skip(1)
        .take_while(move |(_, line)| is_flow(line))
}

/// Number after number, whatever lines they stand in.
fn numbers(text: &str) -> impl Iterator<Item = (u32, &str)> {
    flow_lines(text).flat_map(|(number, line)| {
        let words = line.split_whitespace();
        words.map(move |word| (number, word))
    })
}

/// How many numbers of a flow there are: as many as the first line has, or else fill the file.
fn width(text: &str, stated: usize) -> usize {
    let of_first = flow_lines(text).next();
    let of_first = of_first.map_or(0, |(_, line)| line.split_whitespace().count());
    let widths = [WITH_PORT, WITH_PORT - 1];
    if widths.contains(&of_first) {
        return of_first;
    }
    let most = stated.saturating_mul(WITH_PORT);
    let all = numbers(text).take(most).count();
    let fills = |width: &&usize| stated.checked_mul(**width) == Some(all);
    let divides = |width: &&usize| all.is_multiple_of(**width);
    let known = widths.iter().find(fills);
    known
        .or_else(|| widths.iter().find(divides))
        .copied()
        .unwrap_or(WITH_PORT)
}

/// The first line whose numbers don't end with a flow, though lines before it do.
fn cut_off(text: &str, most: usize, width: usize) -> FileError {
    let mut left = most;
    let counts = flow_lines(text).map(|(line, words)| {
        let count = words.split_whitespace().count().min(left);
        left -= count;
        (line, count)
    });
    let mut counts = counts.filter(|(_, count)| *count > 0);
    let wrong = counts.find(|(_, count)| !count.is_multiple_of(width));
    let (line, count) = wrong.unwrap_or((1, numbers(text).take(most).count()));
    FileError::new(line, format!("{count} numbers, {width} in a flow")).hint(WHOLE)
}

fn too_few(text: &str, (line, stated): (u32, usize), flows: &mut Flows) {
    if flows.entries.len() >= stated {
        return;
    }
    let what = format!(
        "{} by the first line, {} in the file",
        counted(stated, "flow"),
        flows.entries.len()
    );
    // What ends the list is named: it may be a flow that was written wrongly.
    let is_flow = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
    let last = lines(text).skip(1).find(|(_, line)| !is_flow(line));
    let help = last.map_or("those that are in it are taken".into(), |(number, line)| {
        format!(
            "those before line {number}, `{}`, are taken: it is no line of numbers from 0 on",
            clip(line)
        )
    });
    flows.doubts.push((line, what, help));
}

/// What follows the flows that the first line counts.
fn beyond(text: &str, most: usize, width: usize, flows: &mut Flows) {
    let more = numbers(text).skip(most).count() / width;
    if more > 0 {
        let what = format!(
            "{} behind the {} that the first line counts",
            counted(more, "flow"),
            flows.entries.len()
        );
        flows.left_out.push(what);
    }
}

/// A flow of its numbers: source, destination, priority group, port if there is one, bytes, start
/// in seconds. The port only marks it.
///
/// # Errors
/// What is wrong with them.
pub fn of_numbers(cells: &[&str]) -> Result<ListedFlow, String> {
    let (from, to, group, size, start) = match *cells {
        [from, to, group, _, size, start] | [from, to, group, size, start] => {
            (from, to, group, size, start)
        }
        _ => {
            let what = "source, destination, group, port, bytes, start";
            return Err(format!("{} numbers, not {what}", cells.len()));
        }
    };
    let host = |text: &str| {
        let read = text.parse();
        read.map_err(|_| format!("no host has the number `{}`", clip(text)))
    };
    let start_ps = span(start, SECOND);
    Ok(ListedFlow {
        line: 0,
        source: host(from)?,
        destination: host(to)?,
        class: Some(
            group
                .parse()
                .map_err(|_| format!("`{}` is no priority group", clip(group)))?,
        ),
        start_ps: start_ps.ok_or_else(|| format!("`{} s` is no time", clip(start)))?,
        bytes: size
            .parse()
            .map_err(|_| format!("`{} B` is no size", clip(size)))?,
        id: None,
        after: Vec::new(),
    })
}

/// Writes one, with port 100; starts are exact.
pub fn write(flows: &Flows) -> String {
    let mut out = format!("{}\n", flows.entries.len());
    for flow in &flows.entries {
        let (whole, part) = (flow.start_ps / SECOND as u64, flow.start_ps % SECOND as u64);
        let (from, to) = (flow.source, flow.destination);
        let group = flow.class.unwrap_or(0);
        let _ = writeln!(
            out,
            "{from} {to} {group} 100 {} {whole}.{part:012}",
            flow.bytes
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "2\r\n2 1 3 100 200000000 2\r\n3 1 3 100 18446744073709551615 \
                         2.000000001\r\n";

    #[test]
    fn numbers_are_exact() {
        let read = read(SMALL).expect("it is right");
        let said = |flow: &ListedFlow| (flow.source, flow.destination, flow.bytes, flow.start_ps);
        let wanted = [
            (2, 1, 200_000_000, 2_000_000_000_000),
            (3, 1, u64::MAX, 2_000_000_001_000),
        ];
        assert_eq!(read.entries.iter().map(said).collect::<Vec<_>>(), wanted);
        assert!(read.entries.iter().all(|flow| flow.class == Some(3)));
        assert_eq!((read.doubts.len(), read.left_out.len()), (0, 0));
    }

    #[test]
    fn what_was_read_is_written() {
        let mut first = read(SMALL).expect("it is right");
        assert_eq!(read(&write(&first)).as_ref(), Ok(&first));
        first.entries[0].start_ps += 1;
        assert_ne!(read(SMALL), Ok(first));
    }

    #[test]
    fn what_is_not_read_is_said() {
        let more = read("1\n0 1 3 100 5 0\n1 0 3 100 5 0\n1 2 3 100 5 0\n").expect("it is right");
        let wanted = "2 flows behind the 1 that the first line counts";
        assert_eq!(
            (more.entries.len(), &*more.left_out),
            (1, &[wanted.to_owned()][..])
        );
        let fewer = read("3\n0 1 3 100 5 0\nwords\n").expect("it is read");
        assert_eq!(
            fewer.doubts[0].1,
            "3 flows by the first line, 1 in the file"
        );
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("", 1, "the file ends here"),
            ("x\n", 1, "`x`"),
            ("2\n0 1 3 100 5\n0 1\n", 3, "2 numbers, 5 in a flow"),
            (
                "2\n0 1 3 100 5 0\n0 1 3 100 5\n",
                3,
                "5 numbers, 6 in a flow",
            ),
            ("1\n0 x 3 100 5 0\n", 2, "no host has the number `x`"),
            ("1\n0 1 x 100 5 0\n", 2, "`x` is no priority group"),
            ("1\n0 1 3 100 5k 0\n", 2, "`5k B` is no size"),
            ("1\n0 1 3 100 5 1us\n", 2, "`1us s` is no time"),
        ];
        for (text, line, found) in wrong {
            let mistake = match read(text) {
                Err(mistake) => mistake,
                Ok(read) => panic!("{text}: {read:?}"),
            };
            assert_eq!((mistake.line, &*mistake.found), (line, found), "{text}");
        }
    }
}
