//! Flows one by one, from a file: a line each, in units, or as the simulator of HPCC has them.

use backwater_kernel::Time;
use backwater_kernel::words::counted;

use super::net::Net;
use crate::language::files::{self, Named};
use crate::language::units;
use crate::prelude::*;

mod chained;
mod streamed;

pub(crate) use chained::{Chained, Other, Seen};
pub(crate) use streamed::{Count, Hosts, List};

/// What a line says, in the order that a file without a heading has.
const COLUMNS: [&str; 4] = ["start", "from", "to", "size"];

/// What it may say beside that, under a heading: what it is called, and whom it waits for.
const MORE: [&str; 2] = ["id", "after"];

/// Numbers of a flow in HPCC's files that have a port.
const WITH_PORT: usize = 6;

/// A flow that begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Arrival {
    /// When.
    pub at: Time,
    /// Host that sends.
    pub from: u32,
    /// Host that receives.
    pub to: u32,
    /// Payload.
    pub bytes: u64,
}

/// The flows of a file, in the order of its lines, and which wait for others. A first line that
/// holds a number alone says how many there are: then they are as in HPCC's flow files.
pub(crate) fn read(
    file: Named,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Option<(Vec<Arrival>, Chained)> {
    let first = file.lines().next();
    let stated = first.and_then(|(_, line)| line.parse::<usize>().ok());
    let found = match stated {
        Some(stated) => as_in_hpcc(&file, stated, &net.hosts(), mistakes).map(|all| (all, vec![])),
        None => by_columns(&file, net),
    };
    let (all, waits) = mistakes.kept(found)?;
    Some((all, Chained { file, waits }))
}

/// `12.5 us, H1_1, H2_3, 20 kB`, or in the order of a heading, which may have two columns more.
fn by_columns(
    file: &Named,
    net: &Net<'_>,
) -> Result<(Vec<Arrival>, Vec<chained::Wait>), Box<Diagnostic>> {
    let mut lines = file.lines().peekable();
    let (order, more) = match lines.next_if(|(_, line)| is_heading(line, net)) {
        Some((number, line)) => files::heading_with(line, COLUMNS, MORE).map_err(|what| {
            let mistake = file.mistake(number, &what);
            let beside = "; beside them, for flows that wait for others, `id` and `after`";
            Box::new(mistake.help(files::columns_help(COLUMNS) + beside))
        })?,
        None => ([0, 1, 2, 3], [None; 2]),
    };
    let host = |name: &str| net.node(name).filter(|node| net.is_host(*node));
    let (mut all, mut said) = (Vec::new(), chained::Said::default());
    for (number, line) in lines {
        let mut cells = files::cells(line);
        let flow = said.take((number, &mut cells), (order[0], more), all.len());
        let flow = flow.and_then(|()| of_cells(&cells, (order, more), host));
        let flow = flow.and_then(to_another);
        all.push(flow.map_err(|what| Box::new(file.mistake(number, &what)))?);
    }
    let waits = said.waits(file)?;
    Ok((all, waits))
}

/// Not a line of a flow whose first column is missing.
fn is_heading(line: &str, net: &Net<'_>) -> bool {
    let names_node = || {
        files::cells(line)
            .iter()
            .any(|cell| net.node(cell).is_some())
    };
    files::is_heading(line) && !names_node()
}

fn of_cells(
    cells: &[&str],
    (order, more): ([usize; 4], [Option<usize>; 2]),
    host: impl Fn(&str) -> Option<u32>,
) -> Result<Arrival, String> {
    let more = MORE.iter().zip(more).filter(|(_, at)| at.is_some());
    let columns = COLUMNS.iter().chain(more.map(|(name, _)| name));
    let columns: Vec<&str> = columns.copied().collect();
    if cells.len() != columns.len() {
        let what = columns.join(", ");
        return Err(format!("{} columns, not {what}", cells.len()));
    }
    let [start, from, to, size] = order.map(|at| cells[at]);
    let host = |name: &str| match host(name) {
        Some(host) => Ok(host),
        None => Err(format!("no host is called `{}`", clip(name))),
    };
    Ok(Arrival {
        at: time(start)?,
        from: host(from)?,
        to: host(to)?,
        bytes: bytes(size)?,
    })
}

/// At most as many flows as the first line says, and nothing behind them is looked at. Where there
/// are fewer, up to the end or to a line of words, that many are taken: the program that writes
/// such files puts the count over an estimate of it, so that digits of the estimate may be left.
/// The one that reads them takes number after number, so a line may hold several flows, or a part.
fn as_in_hpcc(
    file: &Named,
    stated: usize,
    hosts: &[u32],
    mistakes: &mut Diagnostics,
) -> Result<Vec<Arrival>, Box<Diagnostic>> {
    let is_flow = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
    let lines = file.lines().skip(1);
    let lines = lines.take_while(|(_, line)| is_flow(line));
    let numbers = lines.flat_map(|(number, line)| {
        let numbers = line.split_whitespace();
        numbers.map(move |text| (number, text))
    });
    let most = stated.saturating_mul(WITH_PORT);
    let numbers: Vec<(u32, &str)> = numbers.take(most).collect();
    let width = width(&numbers, stated);
    let numbers = &numbers[..numbers.len().min(stated.saturating_mul(width))];
    if !numbers.len().is_multiple_of(width) {
        return Err(cut_off(file, numbers, width));
    }
    let read = |flow: &[(u32, &str)]| {
        let cells: Vec<&str> = flow.iter().map(|(_, text)| *text).collect();
        let read = of_hpcc(&cells, hosts).and_then(to_another);
        read.map_err(|what| Box::new(file.mistake(flow[0].0, &what)))
    };
    let all: Vec<Arrival> = numbers.chunks(width).map(read).collect::<Result<_, _>>()?;
    if all.len() < stated {
        let line = file.lines().next().map_or(1, |line| line.0);
        let what = format!(
            "{} by the first line, {} in the file",
            counted(stated, "flow"),
            all.len()
        );
        // What ends the list is named: it may be a flow that was written wrongly.
        let last = file.lines().skip(1).find(|(_, line)| !is_flow(line));
        let help = last.map_or("those that are in it are taken".into(), |(number, line)| {
            format!(
                "those before line {number}, `{}`, are taken: it is no line of numbers from 0 on",
                clip(line)
            )
        });
        file.doubt(line, &what).help(help).tell(mistakes);
    }
    Ok(all)
}

/// How many numbers of a flow there are: as many as the first line has, or else fill the file.
fn width(numbers: &[(u32, &str)], stated: usize) -> usize {
    let widths = [WITH_PORT, WITH_PORT - 1];
    let first = numbers.first().map_or(0, |(line, _)| *line);
    let of_first = numbers.iter().take_while(|(line, _)| *line == first);
    let of_first = of_first.count();
    let fills = |width: &&usize| stated.checked_mul(**width) == Some(numbers.len());
    let divides = |width: &&usize| numbers.len().is_multiple_of(**width);
    let found = widths.iter().find(|width| **width == of_first);
    let found = found.or_else(|| widths.iter().find(fills));
    let found = found.or_else(|| widths.iter().find(divides));
    found.copied().unwrap_or(WITH_PORT)
}

/// The first line whose numbers don't end with a flow, though lines before it do.
fn cut_off(file: &Named, numbers: &[(u32, &str)], width: usize) -> Box<Diagnostic> {
    let lines = numbers.chunk_by(|one, next| one.0 == next.0);
    let wrong = lines
        .map(|line| (line[0].0, line.len()))
        .find(|(_, count)| !count.is_multiple_of(width));
    let (line, count) = wrong.unwrap_or((1, numbers.len()));
    let what = format!("{count} numbers, {width} in a flow");
    let help = "each flow has source, destination, group, port, bytes and start; the port may be \
                left out of all";
    Box::new(file.mistake(line, &what).help(help))
}

/// Source, destination, priority group, port, bytes, start in seconds; hosts by number, from 0.
/// Group and port are not looked at. Later simulators leave the port out.
fn of_hpcc(cells: &[&str], hosts: &[u32]) -> Result<Arrival, String> {
    let (from, to, size, start) = match *cells {
        [from, to, _, _, size, start] | [from, to, _, size, start] => (from, to, size, start),
        _ => {
            let what = "source, destination, group, port, bytes, start";
            return Err(format!("{} numbers, not {what}", cells.len()));
        }
    };
    let host = |text: &str| {
        let number: Option<usize> = text.parse().ok();
        let host = number.and_then(|number| hosts.get(number));
        host.copied().ok_or_else(|| {
            let last = hosts.len().saturating_sub(1);
            format!(
                "no host has the number `{}`: they are 0 to {last}",
                clip(text)
            )
        })
    };
    Ok(Arrival {
        at: time(&format!("{start} s"))?,
        from: host(from)?,
        to: host(to)?,
        bytes: bytes(&format!("{size} B"))?,
    })
}

fn to_another(flow: Arrival) -> Result<Arrival, String> {
    match flow.from == flow.to {
        true => Err("a host sends to itself".into()),
        false => Ok(flow),
    }
}

fn time(text: &str) -> Result<Time, String> {
    let read = units::clock_ps(text).map(Time);
    read.map_err(|_| format!("`{}` is no time, such as `12.5 us`", clip(text)))
}

fn bytes(text: &str) -> Result<u64, String> {
    let read = units::size_bytes(text).ok();
    let read = read.filter(|bytes| (1..=super::flow_sizes::LARGEST_BYTES).contains(bytes));
    read.ok_or_else(|| format!("`{}` is no size, such as `20 kB`", clip(text)))
}
