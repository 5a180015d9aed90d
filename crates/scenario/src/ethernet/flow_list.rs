//! Flows one by one, from a file: a line each, in units, or as the simulator of HPCC has them.

use backwater_kernel::Time;

use super::net::Net;
use crate::files::Named;
use crate::prelude::*;
use crate::units;

/// What a line says.
const COLUMNS: &str = "start, from, to, size";

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

/// The flows of a file, in the order of its lines. A first line that holds a number alone says how
/// many there are: then they are as in HPCC's flow files.
pub(crate) fn read(file: &Named, net: &Net<'_>) -> Result<Vec<Arrival>, Box<Diagnostic>> {
    let mut lines = file.lines().peekable();
    let first = lines.peek().copied();
    let stated = first.and_then(|(_, line)| line.parse::<usize>().ok());
    let is_heading = |line: &str| {
        line.replace(' ', "")
            .eq_ignore_ascii_case("start,from,to,size")
    };
    if stated.is_some() || first.is_some_and(|(_, line)| is_heading(line)) {
        lines.next();
    }
    let hosts = net.hosts();
    let read = |(number, line): (u32, &str)| {
        let read = match stated {
            Some(_) => of_hpcc(line, &hosts),
            None => of_line(line, net),
        };
        let read = read.and_then(|flow| match flow.from == flow.to {
            true => Err("a host sends to itself".into()),
            false => Ok(flow),
        });
        read.map_err(|what| Box::new(file.mistake(number, &what)))
    };
    let all: Vec<Arrival> = lines.map(read).collect::<Result<_, _>>()?;
    match stated.filter(|stated| *stated != all.len()) {
        Some(stated) => {
            let what = format!("it has {} flows, not {stated}", all.len());
            Err(Box::new(
                file.mistake(first.map_or(1, |line| line.0), &what),
            ))
        }
        None => Ok(all),
    }
}

/// `12.5 us, H1_1, H2_3, 20 kB`.
fn of_line(line: &str, net: &Net<'_>) -> Result<Arrival, String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [start, from, to, size] = cells[..] else {
        return Err(format!("{} columns, not {COLUMNS}", cells.len()));
    };
    let host = |name: &str| match net.node(name).filter(|node| net.is_host(*node)) {
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

/// Source, destination, priority group, port, bytes, start in seconds; hosts by number, from 0.
/// Group and port are not looked at.
fn of_hpcc(line: &str, hosts: &[u32]) -> Result<Arrival, String> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let [from, to, _, _, size, start] = cells[..] else {
        let what = "source, destination, group, port, bytes, start";
        return Err(format!("{} numbers, not {what}", cells.len()));
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

fn time(text: &str) -> Result<Time, String> {
    let read = units::clock_ps(text).map(Time);
    read.map_err(|_| format!("`{}` is no time, such as `12.5 us`", clip(text)))
}

fn bytes(text: &str) -> Result<u64, String> {
    let read = units::size_bytes(text).ok();
    let read = read.filter(|bytes| (1..=super::flow_sizes::LARGEST_BYTES).contains(bytes));
    read.ok_or_else(|| format!("`{}` is no size, such as `20 kB`", clip(text)))
}
