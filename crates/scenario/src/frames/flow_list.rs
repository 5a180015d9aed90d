//! Flows one by one, from a file: a line each, in units, or as another simulator has them.

use backwater_formats::{self as formats, Form, ListedFlow};
use backwater_kernel::Time;

use super::net::{Net, NumberedHosts};
use crate::given::frames::workloads::StartUnit;
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

/// The flows of a file, in the order of its lines, and which wait for others: by columns, or in a
/// form of another simulator.
pub(crate) fn read(
    file: Named,
    unit: Option<&Placed<Option<StartUnit>>>,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Option<(Vec<Arrival>, Chained)> {
    let form = Form::of(&file.text).filter(|form| !form.is_topology());
    if let Some(unit) = unit.filter(|own| own.is_given && form != Some(Form::Connections)) {
        Diagnostic::warning("unused", "`start_unit` is of connection matrices")
            .at(&unit.at, "not used")
            .help("leave it out: starts of this file have their unit")
            .tell(mistakes);
    }
    let unit = unit.and_then(|unit| **unit).map(Into::into);
    let found = match form {
        Some(form) => of_form((&file, form, unit), net, mistakes),
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

/// Flows of another simulator, whose hosts have numbers.
fn of_form(
    (file, form, unit): (&Named, Form, Option<formats::StartUnit>),
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Result<(Vec<Arrival>, Vec<chained::Wait>), Box<Diagnostic>> {
    let flows = formats::flows(form, &file.text, unit);
    let flows = flows.map_err(|wrong| Box::new(file.wrong(&wrong)))?;
    let hosts = net.numbered_hosts();
    let read = |flow: &ListedFlow| {
        let read = of_flow(flow, &hosts).and_then(to_another);
        read.map_err(|what| Box::new(file.mistake(flow.line, &what)))
    };
    let all = flows.entries.iter().map(read).collect::<Result<_, _>>()?;
    for (line, what, help) in flows.doubts {
        file.doubt(line, &what).help(help).tell(mistakes);
    }
    let waits = chained::of_flows(&flows.entries);
    Ok((all, waits))
}

/// Between hosts of this network.
fn of_flow(flow: &ListedFlow, hosts: &NumberedHosts) -> Result<Arrival, String> {
    Ok(Arrival {
        at: Time(flow.start_ps),
        from: hosts.find(flow.source)?,
        to: hosts.find(flow.destination)?,
        bytes: sized(flow.bytes).ok_or_else(|| no_size(&format!("{} B", flow.bytes)))?,
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
    read.and_then(sized).ok_or_else(|| no_size(text))
}

/// What a flow may send.
fn sized(bytes: u64) -> Option<u64> {
    Some(bytes).filter(|bytes| (1..=super::flow_sizes::LARGEST_BYTES).contains(bytes))
}

fn no_size(text: &str) -> String {
    format!("`{}` is no size, such as `20 kB`", clip(text))
}
