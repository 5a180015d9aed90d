//! The tables of a run.

use backwater_kernel::{Channels, Duration, Place};
use backwater_net::alone;
use backwater_net::outcome::{LegOutcome, Outcome};
use backwater_net::spec::{FlowControlSpec, LegSpec, NetworkSpec, NodeKind};

use super::delays::{delay_cells, delay_columns};
use super::loads::flow_loads;
use super::{
    Measured, abr, bounds, cell_tcp, fair, losses, names, ports, recovery, responses, sessions,
    standstill,
};
use crate::groups::group_names;
use crate::merge::as_one;
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// Tables of what stood still, flows, fair shares, delays, delay bounds, ABR, TCP, recovery, what
/// was measured of queues (if it was), responses, shaping, drops, sessions, warnings, legs,
/// buffers, ports, nodes and violations; those without a row are left out. `cell` is the unit
/// of time.
pub fn run_tables<'a>(
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
    cell: Duration,
) -> Vec<Table> {
    let Measured {
        ports: measured,
        recovery,
    } = measured.into();
    let mut tables = vec![
        standstill::table(spec, outcome, cell),
        flows(spec, outcome),
        fair::shares(spec, outcome).table(),
        delays(spec, outcome, cell),
        bounds::table(spec, outcome, measured, cell),
    ];
    tables.extend(abr::tables(spec, outcome));
    tables.push(cell_tcp::table(spec, outcome));
    tables.extend(recovery.map(|found| recovery::table(spec, found)));
    if let Some(measured) = measured {
        tables.extend(ports::tables(spec, measured, cell));
    }
    tables.extend([
        responses::table(spec, outcome, |flow| alone::response(spec, flow)),
        sessions::shaping_table(spec, outcome),
        losses::table(spec, outcome),
        sessions::table(spec, outcome),
        sessions::warnings_table(spec, outcome),
        legs(spec, outcome),
        buffers(spec, outcome),
        channels(spec, outcome),
        nodes(spec, outcome),
        violations(spec, outcome, cell),
    ]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The names of flows, those of one group as one.
pub fn flow_names(spec: &NetworkSpec) -> Vec<String> {
    group_names(spec.flows.iter().map(|flow| flow.name.as_str()))
}

/// The tables of a flow or of a group, each with a row at most; nothing if there is none of the
/// name. `cell` is the unit of time.
pub fn flow_tables(
    spec: &NetworkSpec,
    outcome: &Outcome,
    cell: Duration,
    name: &str,
) -> Option<Vec<Table>> {
    let (first, outcome) = as_one(&spec.flows, |flow| &flow.name, outcome, name)?;
    let mut flow = first.clone();
    flow.name = name.into();
    let one = NetworkSpec {
        flows: vec![flow],
        ..spec.clone()
    };
    let alone = responses::alone_of_group(spec, name);
    Some(vec![
        flows(&one, &outcome),
        delays(&one, &outcome, cell),
        responses::table(&one, &outcome, |_| alone),
    ])
}

/// What a balance that does not hold is short of.
const MISSING: &str = "offered - delivered - queued - dropped; zero when all is accounted for";

fn flows(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let loads = flow_loads(spec, outcome);
    let rows = (0..).zip(outcome.flows.iter().zip(&loads));
    let rows = rows.map(|(index, (found, load))| (index, found, load));
    TableOf::new(
        "flows",
        "What each flow offered, how much was delivered or lost, and its throughput.",
        rows,
    )
    .text("flow", "name in the scenario", |(index, ..)| {
        names::flow(spec, *index)
    })
    .text("path", "source and destinations", |(index, ..)| {
        path(spec, *index as usize)
    })
    .number(
        "offered",
        "cells",
        "offered at the source, once per destination; whole run",
        |(_, found, _)| found.offered_total,
    )
    .number(
        "delivered",
        "cells",
        "arrived, over all destinations; whole run",
        |(_, found, _)| found.delivered_total,
    )
    .number(
        "queued",
        "cells",
        "still queued or in flight at the end",
        |(_, found, _)| found.inside_total,
    )
    .number(
        "dropped",
        "cells",
        "lost on the wire or dropped; whole run",
        |(_, found, _)| found.lost_total,
    )
    .number("balance", "cells", MISSING, |(_, found, _)| {
        found.balance().missing()
    })
    .number(
        "throughput share",
        "",
        "rate after the warm-up over that of the slowest link on the path; for multicast, the mean \
         over the destinations",
        |(.., load)| Cell::float(load.fraction, 4),
    )
    .number(
        "throughput",
        "Mbps",
        "the rate; all bytes of a unit count",
        |(.., load)| Cell::float(load.bits_per_second / 1e6, 3),
    )
    .number(
        "retransmitted",
        "cells",
        "by the source; whole run",
        |(_, found, _)| found.retransmitted_total,
    )
    .number(
        "backlog max",
        "cells",
        "largest number of units waiting at the source",
        |(_, found, _)| found.source_backlog_max,
    )
    .done()
}

/// Its ends: the source, and where it goes.
fn path(spec: &NetworkSpec, flow: usize) -> String {
    let source = spec.flows.get(flow).map_or(0, |flow| flow.source);
    let ends = names::destinations(spec, flow);
    let ends = match ends.len() {
        0..=3 => ends.join(", "),
        many => format!("{many} destinations"),
    };
    format!("{} -> {ends}", names::node(spec, source))
}

fn delays(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let flows = (0..).zip(outcome.flows.iter().map(|found| &found.delay));
    TableOf::new(
        "delays",
        "Time from being offered at the source to delivery, of units delivered after the warm-up.",
        flows.filter(|(_, delay)| delay.count > 0),
    )
    .text("flow", "name in the scenario", |(index, _)| {
        names::flow(spec, *index)
    })
    .number(
        "samples",
        "cells",
        "delivered after the warm-up",
        |(_, delay)| delay.count,
    )
    .columns(delay_columns("delay", "us"), |(_, delay)| {
        delay_cells(delay, 1e6, 3)
    })
    .number("delay mean", "cells", "mean in cell times", |(_, delay)| {
        Cell::float(delay.mean / cell.ps().max(1) as f64, 2)
    })
    .done()
}

/// A leg: what the spec says of it, and what was found.
type Leg<'a> = (Option<&'a LegSpec>, &'a LegOutcome);

/// A table of legs, which begins with the flow and the port; `port` says which that is.
fn of_legs<'a>(
    name: &str,
    caption: &str,
    port: &str,
    (spec, outcome): (&'a NetworkSpec, &'a Outcome),
) -> TableOf<Leg<'a>> {
    let known = spec.flows.iter().flat_map(|flow| &flow.legs);
    let known = known.map(Some).chain(std::iter::repeat(None));
    let channels = names::channels(spec);
    TableOf::new(name, caption, known.zip(&outcome.legs))
        .text("flow", "name in the scenario", |(_, leg)| {
            names::flow(spec, leg.flow)
        })
        .text("port", port, |(_, leg)| {
            names::channel(&channels, leg.channel)
        })
}

fn legs(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let is_controlled = |leg: &LegSpec| leg.flow_control != FlowControlSpec::None;
    let caption = "The sender of each flow at each port on its path.";
    of_legs(
        "legs",
        caption,
        "the port this leg leaves by",
        (spec, outcome),
    )
    .number(
        "sent",
        "cells",
        "data units started after the warm-up",
        |(_, found)| found.sent,
    )
    .number(
        "sent total",
        "cells",
        "data units started; whole run",
        |(_, found)| found.sent_total,
    )
    .number(
        "lost",
        "cells",
        "data units lost on the wire; whole run",
        |(_, found)| found.lost_total,
    )
    .number(
        "dropped",
        "cells",
        "data units dropped by the receiver's full buffer; whole run",
        |(_, found)| found.dropped_total,
    )
    .number(
        "credit",
        "cells",
        "the sender's credit at the end; empty where the leg isn't controlled",
        |(leg, found)| found.credit.filter(|_| leg.is_some_and(is_controlled)),
    )
    .number(
        "credits received",
        "units",
        "control units that reached the sender; whole run",
        |(_, found)| found.credits_received_total,
    )
    .number(
        "credits lost",
        "units",
        "control units lost on the wire; whole run",
        |(_, found)| found.credits_lost_total,
    )
    .number(
        "requests",
        "units",
        "requests for credit sent; whole run",
        |(_, found)| found.requests_total,
    )
    .done()
}

fn buffers(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let caption = "The receiver's memory for each leg.";
    of_legs(
        "buffers",
        caption,
        "the port that sends to this buffer",
        (spec, outcome),
    )
    .number(
        "limit",
        "cells",
        "units it may hold; empty: no limit",
        |(leg, _)| leg.and_then(|leg| leg.buffer.limit_units),
    )
    .number(
        "fill at end",
        "cells",
        "units in it at the end",
        |(_, found)| found.fill,
    )
    .number(
        "fill min",
        "cells",
        "smallest after the warm-up",
        |(_, found)| found.fill_min,
    )
    .number(
        "fill mean",
        "cells",
        "time average after the warm-up",
        |(_, found)| Cell::float(found.fill_mean, 2),
    )
    .number(
        "fill max",
        "cells",
        "largest after the warm-up",
        |(_, found)| found.fill_max,
    )
    .number(
        "fill max total",
        "cells",
        "largest; whole run",
        |(_, found)| found.fill_max_total,
    )
    .number(
        "overfill max",
        "cells",
        "units held beyond the limit, at worst",
        |(_, found)| found.overfill_max,
    )
    .number(
        "wait mean",
        "us",
        "time in the receiving node before the next transmission",
        |(_, found)| {
            let wait = Cell::float(found.wait_mean_ps / 1e6, 3);
            if found.arrived > 0 { wait } else { Cell::Empty }
        },
    )
    .done()
}

fn channels(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let names = names::channels(spec);
    let known = spec.links.channels();
    let rows = (0..).zip(&outcome.channels).map(|(index, found)| {
        let channel = known.contains(&index).then(|| spec.links.channel(index));
        (index, channel, found)
    });
    let megabits = |ps: u64| Cell::float(ps as f64 / 1e6, 3);
    let percent = |share: f64| Cell::float(share * 100.0, 2);
    let caption = "Each direction of each link: what its port sent after the warm-up.";
    TableOf::new("ports", caption, rows)
        .text("port", "from which node to which", |(index, ..)| {
            let name = names.get(*index as usize).cloned();
            name.unwrap_or_else(|| format!("port {index}"))
        })
        .number("rate", "Mbps", "line rate", |(_, channel, _)| {
            channel.map(|channel| megabits(channel.rate.0))
        })
        .number(
            "propagation",
            "us",
            "delay of the link",
            |(_, channel, _)| channel.map(|channel| megabits(channel.delay.ps())),
        )
        .number(
            "data",
            "%",
            "share of time spent sending data",
            |(.., found)| percent(found.data_share),
        )
        .number(
            "control",
            "%",
            "share of time spent sending control units",
            |(.., found)| percent(found.control_share),
        )
        .number("idle", "%", "the rest of the time", |(.., found)| {
            percent((1.0 - found.data_share - found.control_share).max(0.0))
        })
        .number("data sent", "cells", "data units", |(.., found)| {
            found.data_units
        })
        .number("control sent", "units", "control units", |(.., found)| {
            found.control_units
        })
        .done()
}

fn nodes(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let kind = |index: u32| match spec.nodes.get(index as usize).map(|node| node.kind) {
        Some(NodeKind::Host) => "host",
        Some(NodeKind::Switch) => "switch",
        None => "",
    };
    let caption = "Data units each node held; a multicast unit counts once.";
    TableOf::new("nodes", caption, (0..).zip(&outcome.nodes))
        .text("node", "name in the scenario", |(index, _)| {
            names::node(spec, *index)
        })
        .text("kind", "host or switch", |(index, _)| kind(*index))
        .number(
            "stored max total",
            "cells",
            "largest number of units in its memory; whole run",
            |(_, found)| found.stored_max_total,
        )
        .number(
            "stored max",
            "cells",
            "the same after the warm-up",
            |(_, found)| found.stored_max,
        )
        .number(
            "stored mean",
            "cells",
            "time average after the warm-up",
            |(_, found)| Cell::float(found.stored_mean, 2),
        )
        .done()
}

fn violations(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let channels = names::channels(spec);
    let rows = outcome.violations.kept().iter().map(|violation| {
        let leg = match violation.place {
            Place::Leg(leg) => outcome.legs.get(leg as usize),
            _ => None,
        };
        (violation, leg)
    });
    TableOf::new("violations", "Promises broken, oldest first.", rows)
        .number("time", "cells", "when, in cell times", |(violation, _)| {
            Cell::float(Duration(violation.at.ps()).in_units_of(cell), 1)
        })
        .number("time", "us", "when, in microseconds", |(violation, _)| {
            Cell::float(violation.at.ps() as f64 / 1e6, 3)
        })
        .text("flow", "the flow concerned", |(_, leg)| {
            leg.map(|leg| names::flow(spec, leg.flow))
        })
        .text("port", "where", |(_, leg)| {
            leg.and_then(|leg| channels.get(leg.channel as usize).cloned())
        })
        .text("what", "which promise, with numbers", |(violation, _)| {
            violation.what.clone()
        })
        .done()
}
