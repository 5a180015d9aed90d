//! A run as tables, pages and summaries read it.

use std::cell::OnceCell;

use backwater_kernel::Duration;
use backwater_net::outcome::{Outcome, PortsOutcome, RecoveryOutcome};

use super::bounds::Promised;
use super::ranks::Ranks;
use super::starved::{self, Starved};
use super::{Network, names};
use crate::fairness::FairShares;
use crate::model::Table;

/// A network, what a run of it found, and what follows from both. The latter is worked out once,
/// when it is first asked for.
#[derive(Debug)]
pub struct Findings<'a, N> {
    /// What ran.
    pub network: &'a N,
    /// What was found. It stays as it is from when anything is asked that follows from it.
    pub outcome: Outcome,
    /// What was measured at ports, where that was asked for.
    pub at_ports: Option<PortsOutcome>,
    /// How flows came back after outages, where there were any.
    pub recovery: Option<RecoveryOutcome>,
    /// The unit of time that is shown first: one cell on the reference channel; or zero.
    pub cell: Duration,
    /// Tables that were known before the run.
    pub before: Vec<Table>,
    ports: OnceCell<Vec<String>>,
    shares: OnceCell<FairShares>,
    among_equals: OnceCell<Vec<Option<f64>>>,
    promised: OnceCell<Vec<Promised>>,
    starved: OnceCell<Vec<Starved>>,
    tables: OnceCell<Vec<Table>>,
    /// Of jobs and collective operations.
    pub(crate) ranks: Ranks,
}

impl<'a, N: Network> Findings<'a, N> {
    /// What `outcome` says of a run of `network`.
    pub fn new(network: &'a N, outcome: Outcome, cell: Duration) -> Findings<'a, N> {
        Findings {
            network,
            outcome,
            at_ports: None,
            recovery: None,
            cell,
            before: Vec::new(),
            ports: OnceCell::new(),
            shares: OnceCell::new(),
            among_equals: OnceCell::new(),
            promised: OnceCell::new(),
            starved: OnceCell::new(),
            tables: OnceCell::new(),
            ranks: Ranks::default(),
        }
    }

    /// Names of all ports, by channel.
    pub(crate) fn ports(&self) -> &[String] {
        self.ports.get_or_init(|| names::channels(self.network))
    }

    /// The name of one.
    pub(crate) fn port(&self, channel: u32) -> String {
        names::channel(self.ports(), channel)
    }

    /// The name of a flow.
    pub(crate) fn flow(&self, flow: u32) -> String {
        names::flow(self.network, flow)
    }

    /// The name of a node.
    pub(crate) fn node(&self, node: u32) -> String {
        names::node(self.network, node)
    }

    /// Seconds that rates are over: those after the warm-up.
    pub fn seconds(&self) -> f64 {
        let measured = self.outcome.ended_at.since(self.network.warm_up());
        measured.seconds()
    }

    /// The part of that which a span is; none where nothing was measured.
    pub fn part(&self, span: Duration) -> f64 {
        match self.seconds() {
            seconds if seconds > 0.0 => span.seconds() / seconds,
            _ => 0.0,
        }
    }

    /// The max-min fair shares of all flows that have something of their own to send; none where
    /// no rate was measured that could be held against them.
    pub(crate) fn shares(&self) -> &FairShares {
        self.shares.get_or_init(|| match self.seconds() > 0.0 {
            true => N::shares(self),
            false => FairShares::default(),
        })
    }

    /// The share of each flow if all priorities or classes were one, bits per second.
    pub(crate) fn among_equals(&self) -> &[Option<f64>] {
        self.among_equals.get_or_init(|| N::among_equals(self))
    }

    /// What is promised of delays, and what came of it.
    pub(crate) fn promised(&self) -> &[Promised] {
        self.promised.get_or_init(|| N::promised(self))
    }

    /// Flows that got next to nothing.
    pub(crate) fn starved(&self) -> &[Starved] {
        self.starved.get_or_init(|| starved::starved(self))
    }

    /// The tables of a flow or of a group, each with a row at most; nothing if there is none of
    /// the name.
    pub fn flow_tables(&self, name: &str) -> Option<Vec<Table>> {
        N::flow_tables(self, name)
    }

    /// Every table that has a row.
    pub fn tables(&self) -> &[Table] {
        self.tables.get_or_init(|| {
            let mut tables = N::tables(self);
            tables.extend(self.before.iter().cloned());
            tables.retain(|table| !table.rows.is_empty());
            tables
        })
    }
}
