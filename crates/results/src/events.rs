//! What the tables of both kinds of networks have in common: cells by circuit, frames by class.
//!
//! A table, and a column in it, has one name in both. What only one kind has stands behind that in
//! its own folder.

pub(crate) mod bounds;
pub(crate) mod control;
pub(crate) mod delays;
pub(crate) mod drops;
pub(crate) mod flows;
pub(crate) mod manifest;
pub mod names;
pub(crate) mod nodes;
pub(crate) mod page;
pub(crate) mod ports;
pub(crate) mod standstill;
pub(crate) mod starved;
pub(crate) mod summary;
pub(crate) mod tcp;
pub(crate) mod transfers;
pub(crate) mod violations;
pub(crate) mod words;

use std::collections::BTreeMap;

use backwater_kernel::{Balance, Duration, Link, Rate, Time};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome};

use crate::directory::Promise;
use crate::info::RunInfo;
use crate::model::Cell;
use crate::table_of::TableOf;

/// What a network says of itself, whatever crosses its links.
pub trait Network: Sized {
    /// One direction of a link.
    type Channel;
    /// What crosses links, as the unit of columns.
    const UNITS: &'static str;
    /// What drops units here, in the order of columns.
    const CAUSES: &'static [LossCause];
    /// Links; link `k` holds channels `2k` and `2k + 1`.
    fn links(&self) -> &[Link<Self::Channel>];
    /// Line rate and propagation of a channel.
    fn line(channel: &Self::Channel) -> (Rate, Duration);
    /// The name of a node, if there is one, and whether it is a switch.
    fn node(&self, node: u32) -> Option<(&str, bool)>;
    /// The hosts of this flow stand for a node of this number.
    fn hosts_of(&self, _node: u32) -> Option<u32> {
        None
    }
    /// The name of a flow, if there is one.
    fn flow(&self, flow: u32) -> Option<&str>;
    /// Where a flow goes, in words; `ports` are the names of channels.
    fn path(&self, flow: u32, found: &FlowOutcome, ports: &[String]) -> String;
    /// Statistics start here.
    fn warm_up(&self) -> Time;
    /// The same with this flow alone, of another name.
    fn only(&self, flow: u32, name: &str) -> Self;
    /// Root of every random stream.
    fn seed(&self) -> u64;
    /// Why the run ended, as the rest of "the run ended: ...".
    fn stop(&self, info: &RunInfo, outcome: &Outcome) -> String;
    /// What is promised, and what came of it.
    fn promises(&self, info: &RunInfo, outcome: &Outcome) -> Vec<Promise>;
    /// Jain's index of rates, and of rates over max-min shares, if any flow has a share.
    fn jain(&self, outcome: &Outcome) -> Option<(f64, f64)>;
    /// What applications got, bits per second, of flows that have one.
    fn goodputs(&self, outcome: &Outcome) -> Vec<f64>;
    /// Flows that always have more to send and are far below their share: what they got, and what
    /// it is, bits per second.
    fn below_share(&self, outcome: &Outcome) -> BTreeMap<u32, (f64, f64)>;
    /// What stood in the way of a flow that got next to nothing.
    fn hindrance(&self, outcome: &Outcome, flow: u32) -> String;
}

/// Seconds that rates are over: those after the warm-up.
pub fn seconds(network: &impl Network, outcome: &Outcome) -> f64 {
    outcome.ended_at.since(network.warm_up()).seconds()
}

/// So many in so many seconds; nothing where there was no time.
pub fn per_second(count: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { count / seconds } else { 0.0 }
}

/// A time in microseconds.
pub fn us(ps: u64) -> Cell {
    Cell::float(ps as f64 / 1e6, 3)
}

/// So many bytes a second, in Mbps.
pub fn mbps(bytes: u64, seconds: f64) -> Cell {
    Cell::float(per_second(bytes as f64 * 8.0, seconds) / 1e6, 4)
}

/// A share in per cent.
pub fn percent(share: f64) -> Cell {
    Cell::float(share * 100.0, 3)
}

/// A part in per cent; empty where there is no whole.
pub fn percent_of(part: u64, whole: u64) -> Cell {
    match whole {
        0 => Cell::Empty,
        whole => percent(part as f64 / whole as f64),
    }
}

impl<R> TableOf<R> {
    /// The flow that a row is about.
    pub fn flow(self, network: &impl Network, flow: impl Fn(&R) -> u32) -> Self {
        self.text("flow", "name in the scenario", |row| {
            names::flow(network, flow(row))
        })
    }

    /// The port that a row is about, which `meaning` says more of; `ports` are the names of
    /// channels.
    pub fn port(self, ports: &[String], meaning: &str, channel: impl Fn(&R) -> u32) -> Self {
        self.text("port", meaning, |row| names::channel(ports, channel(row)))
    }

    /// What became of units of the whole run.
    pub fn balance(self, unit: &str, balance: impl Fn(&R) -> Balance) -> Self {
        let whole = |what: &str| format!("{what}, once per destination; whole run");
        self.number(
            "offered",
            unit,
            &whole("handed to the network at the source"),
            |row| balance(row).offered,
        )
        .number("delivered", unit, &whole("reached its host"), |row| {
            balance(row).delivered
        })
        .number(
            "dropped",
            unit,
            &whole("whatever the cause, the wire included"),
            |row| balance(row).dropped,
        )
        .number("inside", unit, "in queues and on wires at the end", |row| {
            balance(row).inside
        })
        .number(
            "balance",
            unit,
            "offered - delivered - dropped - inside; zero when all is accounted for",
            |row| balance(row).missing(),
        )
    }
}
