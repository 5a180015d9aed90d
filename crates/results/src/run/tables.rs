//! The tables of a run.

use backwater_net::alone;
use backwater_net::outcome::{FlowOutcome, LegOutcome};
use backwater_net::spec::{CellApplication, FlowControlSpec, LegSpec, NetworkSpec, TrafficSpec};

use super::loads::{destinations, flow_loads, has_ended};
use super::{
    Circuits, abr, bounds, cell_tcp, losses, ports, recovery, responses, sessions, standstill,
};
use crate::events::flows::balance;
use crate::events::{self, Tables, delays, mbps, nodes, percent, violations};
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

impl Tables for NetworkSpec {
    /// Its ends: the source, and where it goes.
    fn path(run: &Circuits<'_>, flow: u32, _: &FlowOutcome) -> String {
        let flow_spec = run.network.flows.get(flow as usize);
        let source = flow_spec.map_or(0, |flow| flow.source);
        let ends = destinations(run.network, flow as usize);
        let ends = match ends.len() {
            0..=3 => ends.join(", "),
            many => format!("{many} destinations"),
        };
        format!("{} -> {ends}", run.node(source))
    }

    /// Tables of the balance, what stood still, flows, fair shares, transfers, delays, delay
    /// bounds and their terms, drops, violations, TCP, ABR, recovery, set-ups, warnings, shaping,
    /// what was measured of queues (if it was), legs, buffers, ports and nodes.
    fn tables(run: &Circuits<'_>) -> Vec<Table> {
        let mut tables = vec![
            balance(run),
            standstill::table(run),
            flows(run),
            run.shares().table(),
            responses::table(run, |flow| alone::response(run.network, flow)),
            delays::table(run),
            bounds::table(run),
            events::bounds::hops(run),
            losses::table(run),
            violations::table(run),
            cell_tcp::table(run),
        ];
        tables.extend(abr::tables(run));
        tables.extend(run.recovery.iter().map(|found| recovery::table(run, found)));
        tables.extend([
            sessions::table(run),
            sessions::warnings_table(run),
            sessions::shaping_table(run),
        ]);
        tables.extend(
            run.at_ports
                .iter()
                .flat_map(|found| ports::tables(run, found)),
        );
        tables.extend([
            legs(run),
            buffers(run),
            events::ports::table(run).done(),
            nodes(run),
        ]);
        tables
    }

    fn flow_tables(run: &Circuits<'_>, name: &str) -> Option<Vec<Table>> {
        let (one, outcome) = events::flows::only(run, name)?;
        let one = Circuits::new(&one, outcome, run.cell);
        let alone = responses::alone_of_group(run.network, name);
        let mut tables = vec![
            flows(&one),
            responses::table(&one, |_| alone),
            delays::table(&one),
        ];
        // Its columns are there for flows that have a connection.
        let tcp = cell_tcp::table(&one);
        tables.extend(Some(tcp).filter(|tcp| !tcp.rows.is_empty()));
        Some(tables)
    }
}

/// What each flow offered, how much was delivered or dropped, and its throughput.
pub fn flows(run: &Circuits<'_>) -> Table {
    let loads = flow_loads(run);
    let load = |flow: u32| {
        let load = loads.get(flow as usize);
        load.filter(|_| !has_ended(run, flow as usize))
    };
    let payload = payload_bytes(run);
    let seconds = run.seconds();
    events::flows::table(run, |table| {
        table
            .number(events::flows::GOODPUT)
            .if_any(|(flow, _)| {
                payload
                    .get(*flow as usize)?
                    .map(|bytes| mbps(bytes, seconds))
            })
            .number(
                "throughput [Mbps]: rate after the warm-up, all bytes of a unit; for multicast, \
                 the mean over the destinations; empty where all of a `total` has arrived",
            )
            .of(|(flow, _)| load(*flow).map(|load| Cell::float(load.bits_per_second / 1e6, 4)))
            .short(Column::UNIT)
            .number("throughput share: that over the rate of the slowest link on the path")
            .of(|(flow, _)| load(*flow).map(|load| Cell::float(load.fraction, 4)))
            .short("of link")
    })
    .number("retransmitted [cells]: by the source; whole run")
    .of(|(_, found)| found.retransmitted_total)
    .number("backlog max [cells]: largest number of units waiting at the source")
    .of(|(_, found)| found.source_backlog_max)
    .done()
}

/// Payload that TCP carried over each flow after the warm-up; over a way back, that of responses.
fn payload_bytes(run: &Circuits<'_>) -> Vec<Option<u64>> {
    let mut bytes = vec![None; run.outcome.flows.len()];
    for (own, found) in run.network.flows.iter().zip(&run.outcome.flows) {
        if let (TrafficSpec::Tcp(spec), Some(tcp)) = (&own.traffic, &found.tcp)
            && let CellApplication::Requests { .. } = spec.application
            && let Some(back) = own.partner.and_then(|back| bytes.get_mut(back as usize))
        {
            *back = Some(tcp.returned_bytes);
        }
    }
    for (bytes, found) in bytes.iter_mut().zip(&run.outcome.flows) {
        let own = found.tcp.as_ref().map(|tcp| tcp.delivered_bytes);
        *bytes = own.or(*bytes);
    }
    bytes
}

/// A leg: what the spec says of it, and what was found.
type Leg<'a> = (Option<&'a LegSpec>, &'a LegOutcome);

/// A table of legs, which begins with the flow and the port; `port` says which that is.
fn of_legs<'a>(run: &'a Circuits<'_>, port: &str) -> TableOf<Leg<'a>> {
    let known = run.network.flows.iter().flat_map(|flow| &flow.legs);
    let known = known.map(Some).chain(std::iter::repeat(None));
    TableOf::of(known.zip(&run.outcome.legs))
        .flow(run, |(_, leg)| leg.flow)
        .port(run, port, |(_, leg)| leg.channel)
}

fn legs(run: &Circuits<'_>) -> Table {
    let is_controlled = |leg: &LegSpec| leg.flow_control != FlowControlSpec::None;
    of_legs(run, "the port this leg leaves by")
        .called("legs: The sender of each flow at each port on its path.")
        .number("sent [cells]: data units started after the warm-up")
        .of(|(_, found)| found.sent)
        .number("sent total [cells]: data units started; whole run")
        .of(|(_, found)| found.sent_total)
        .number("lost [cells]: data units lost on the wire; whole run")
        .of(|(_, found)| found.lost_total)
        .number("dropped [cells]: data units dropped by the receiver's full buffer; whole run")
        .of(|(_, found)| found.dropped_total)
        .number(
            "credit [cells]: the sender's credit at the end; empty where the leg isn't controlled",
        )
        .of(|(leg, found)| found.credit.filter(|_| leg.is_some_and(is_controlled)))
        .number(
            "blocked [%]: share of the time after the warm-up in which cells waited and only \
             credit was missing; empty where the leg isn't controlled",
        )
        .of(|(leg, found)| match leg.is_some_and(is_controlled) {
            true => percent(run.part(found.blocked)),
            false => Cell::Empty,
        })
        .number("credits received [units]: control units that reached the sender; whole run")
        .of(|(_, found)| found.credits_received_total)
        .number("credits lost [units]: control units lost on the wire; whole run")
        .of(|(_, found)| found.credits_lost_total)
        .number("requests [units]: requests for credit sent; whole run")
        .of(|(_, found)| found.requests_total)
        .done()
}

fn buffers(run: &Circuits<'_>) -> Table {
    of_legs(run, "the port that sends to this buffer")
        .called("buffers: The receiver's memory for each leg.")
        .number("limit [cells]: units it may hold; empty: no limit")
        .of(|(leg, _)| leg.and_then(|leg| leg.buffer.limit_units))
        .number("fill at end [cells]: units in it at the end")
        .of(|(_, found)| found.fill)
        .number("fill min [cells]: smallest after the warm-up")
        .of(|(_, found)| found.fill_min)
        .number("fill mean [cells]: time average after the warm-up")
        .of(|(_, found)| Cell::float(found.fill_mean, 2))
        .number("fill max [cells]: largest after the warm-up")
        .of(|(_, found)| found.fill_max)
        .number("fill max total [cells]: largest; whole run")
        .of(|(_, found)| found.fill_max_total)
        .number("overfill max [cells]: units held beyond the limit, at worst")
        .of(|(_, found)| found.overfill_max)
        .number("wait mean [us]: time in the receiving node before the next transmission")
        .of(|(_, found)| {
            let wait = Cell::float(found.wait_mean_ps / 1e6, 3);
            if found.arrived > 0 { wait } else { Cell::Empty }
        })
        .done()
}

fn nodes(run: &Circuits<'_>) -> Table {
    nodes::table(run)
        .number("held max [cells]: largest number of units in its memory; whole run")
        .of(|(_, found)| found.stored_max_total)
        .number("held max after warm-up [cells]: the same after the warm-up")
        .of(|(_, found)| found.stored_max)
        .number("held mean [cells]: time average after the warm-up")
        .of(|(_, found)| Cell::float(found.stored_mean, 2))
        .done()
}
