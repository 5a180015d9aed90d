//! What a delay bound is made of, link by link.

use backwater_kernel::{Channels, Duration};
use backwater_net::bound::{Account, Part};

use super::{Network, names, us};
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// The terms of a flow's delay bound: their sum is the bound.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What counts once, whatever the links: a burst at the reserved rate.
    pub burst: Duration,
    /// What each link on the way adds.
    pub parts: Vec<Part>,
}

impl Terms {
    /// Of this account.
    pub fn of<B>(account: &Account<B>) -> Terms {
        Terms {
            burst: account.burst,
            parts: account.parts.clone(),
        }
    }
}

/// A row of the table: a link, or what counts once.
struct Row<'a> {
    flow: &'a str,
    /// Number of the link on the way, from 1; 0 of the burst.
    hop: u32,
    part: Option<Part>,
    term: Duration,
    so_far: Duration,
}

/// A row for each link on the way of each flow that has a bound, and one for its burst where that
/// counts.
pub fn table<'a, N: Network>(
    network: &N,
    flows: impl IntoIterator<Item = (&'a str, &'a Terms)>,
) -> Table {
    let ports = names::channels(network);
    let rows = flows
        .into_iter()
        .flat_map(|(flow, terms)| rows(flow, terms));
    let time = |of: fn(&Part) -> Duration| {
        move |row: &Row<'_>| row.part.as_ref().map(|part| us(of(part).ps()))
    };
    let link = |row: &Row<'_>| match &row.part {
        Some(part) => names::channel(&ports, part.channel),
        None => "its burst".to_owned(),
    };
    let rate = |row: &Row<'_>| {
        let channel = row.part?.channel;
        let links = network.links();
        let rate = N::line(
            links
                .get(channel as usize / 2)
                .map(|_| links.channel(channel))?,
        )
        .0;
        Some(Cell::float(rate.0 as f64 / 1e6, 3))
    };
    TableOf::of(rows)
        .called(
            "bound-hops: What each delay bound is made of, link by link: the terms of a flow add \
             up to its bound.",
        )
        .text("flow: name in the scenario")
        .of(|row| row.flow.to_owned())
        .number("hop: number of the link on its path; 0 is its burst, which counts once")
        .of(|row| row.hop)
        .text("link: the direction that it takes; `its burst` for hop 0")
        .of(link)
        .number("rate [Mbps]: line rate")
        .of(rate)
        .number(
            "latency [us]: longest wait at the port; where it serves by reservation or deadline \
             the time on the wire is part of it",
        )
        .of(time(|part| part.wait))
        .number("wire [us]: time on the wire, where latency is without it")
        .of(time(|part| part.wire))
        .number("propagation [us]: on the link")
        .of(time(|part| part.propagation))
        .number("handling [us]: in the node behind it")
        .of(time(|part| part.handling))
        .number("term [us]: what the link adds to the bound, the sum of these")
        .of(|row| us(row.term.ps()))
        .number("so far [us]: the sum of the terms up to here; the last one is the bound")
        .of(|row| us(row.so_far.ps()))
        .done()
}

fn rows<'a>(flow: &'a str, terms: &Terms) -> Vec<Row<'a>> {
    let once = Some((0, None, terms.burst)).filter(|_| terms.burst > Duration::ZERO);
    let parts = (1..).zip(&terms.parts);
    let parts = parts.map(|(hop, part)| (hop, Some(*part), part.sum()));
    let mut so_far = Duration::ZERO;
    let rows = once.into_iter().chain(parts).map(|(hop, part, term)| {
        so_far = so_far + term;
        Row {
            flow,
            hop,
            part,
            term,
            so_far,
        }
    });
    rows.collect()
}
