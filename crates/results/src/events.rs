//! What the tables of both kinds of networks have in common: cells by circuit, frames by class.
//!
//! A table, and a column in it, has one name in both. What only one kind has stands behind that in
//! its own folder.

pub mod bounds;
pub(crate) mod control;
pub(crate) mod delays;
pub(crate) mod drops;
pub(crate) mod findings;
pub(crate) mod flows;
pub(crate) mod manifest;
pub mod names;
pub(crate) mod nodes;
pub mod page;
pub(crate) mod ports;
pub mod standstill;
pub mod starved;
pub(crate) mod summary;
pub(crate) mod tcp;
pub mod terminal;
pub(crate) mod transfers;
pub(crate) mod violations;
pub(crate) mod words;

use backwater_kernel::{Balance, Duration, Link, Rate, Time};
use backwater_net::outcome::{FlowOutcome, LossCause, Outcome, Standstill, Wait};

use crate::directory::Promise;
use crate::drawn::Units;
use crate::fairness::FairShares;
use crate::info::RunInfo;
use crate::model::{Cell, Table};
use crate::stop;
use crate::table_of::TableOf;
use bounds::Promised;
pub use findings::Findings;
use page::Page;
use standstill::Still;
use starved::Endless;
use terminal::Terminal;

/// What a network says of itself and of its runs, whatever crosses its links. Of both kinds of
/// networks, what is not here is said in the same way.
pub trait Network: Sized {
    /// One direction of a link.
    type Channel;
    /// What crosses links, as the unit of columns.
    const UNITS: &'static str;
    /// One of these, in a sentence.
    const UNIT: &'static str;
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
    /// Where a flow goes, in words.
    fn path(run: &Findings<'_, Self>, flow: u32, found: &FlowOutcome) -> String;
    /// How channels are read over time, whatever its unit.
    fn read_as() -> Units;
    /// By flow: the channels that it crosses, as far as they are known.
    fn ways(&self) -> Vec<Vec<u32>>;
    /// Statistics start here.
    fn warm_up(&self) -> Time;
    /// The same with this flow alone, of another name.
    fn only(&self, flow: u32, name: &str) -> Self;
    /// Root of every random stream.
    fn seed(&self) -> u64;
    /// What a flow sends, if that has no end and nothing of its own holds it back.
    fn endless(&self, flow: u32) -> Option<Endless>;
    /// Where something waits that can't move, and what.
    fn stuck(outcome: &Outcome, wait: &Wait) -> Option<(u32, String)>;
    /// What is said where something stands still.
    fn still(run: &Findings<'_, Self>, found: &Standstill) -> Still;
    /// What is promised to classes, links or buffers, and what came of it.
    fn promises(run: &Findings<'_, Self>, info: &RunInfo) -> Vec<Promise>;
    /// What is promised of delays, and what came of it.
    fn promised(run: &Findings<'_, Self>) -> Vec<Promised>;
    /// The max-min fair shares of all flows that have something of their own to send.
    fn shares(run: &Findings<'_, Self>) -> FairShares;
    /// The share of each flow if all priorities or classes were one, bits per second.
    fn among_equals(run: &Findings<'_, Self>) -> Vec<Option<f64>>;
    /// What each flow got, counted like its share, bits per second.
    fn rates(run: &Findings<'_, Self>) -> Vec<f64>;
    /// What applications got, bits per second, of flows that have one.
    fn goodputs(run: &Findings<'_, Self>) -> Vec<f64>;
    /// What stood in the way of a flow that got next to nothing, of which little was dropped;
    /// `waits` says how much of it waits.
    fn held_up(run: &Findings<'_, Self>, flow: usize, waits: String) -> String;
    /// Every table of a run, those without a row among them.
    fn tables(run: &Findings<'_, Self>) -> Vec<Table>;
    /// The tables of a flow or of a group, each with a row at most; nothing if there is none of
    /// the name.
    fn flow_tables(run: &Findings<'_, Self>, name: &str) -> Option<Vec<Table>>;
    /// What the page of a run has of its own.
    fn page(run: &Findings<'_, Self>, info: &RunInfo) -> Page;
    /// What a terminal is told that has no place in every run.
    fn terminal(run: &Findings<'_, Self>, info: &RunInfo) -> Terminal;
}

/// What both kinds of networks say of themselves in the same words: their fields are called alike,
/// and so are the modules that know what only one of them has.
macro_rules! called_alike {
    () => {
        fn links(&self) -> &[Link<ChannelSpec>] {
            &self.links
        }

        fn line(channel: &ChannelSpec) -> (Rate, Duration) {
            (channel.rate, channel.delay)
        }

        fn node(&self, node: u32) -> Option<(&str, bool)> {
            let node = self.nodes.get(node as usize)?;
            Some((&node.name, matches!(node.kind, NodeKind::Switch { .. })))
        }

        fn flow(&self, flow: u32) -> Option<&str> {
            Some(&self.flows.get(flow as usize)?.name)
        }

        fn warm_up(&self) -> Time {
            self.warm_up
        }

        fn only(&self, flow: u32, name: &str) -> Self {
            let flow = self.flows.get(flow as usize);
            let renamed = |flow: &FlowSpec| FlowSpec {
                name: name.into(),
                ..flow.clone()
            };
            Self {
                flows: flow.map(renamed).into_iter().collect(),
                ..self.clone()
            }
        }

        fn seed(&self) -> u64 {
            self.seed
        }

        fn endless(&self, flow: u32) -> Option<Endless> {
            starved::endless(self.flows.get(flow as usize)?)
        }

        fn still(run: &Findings<'_, Self>, found: &Standstill) -> Still {
            standstill::still(run, found)
        }

        fn promises(run: &Findings<'_, Self>, info: &RunInfo) -> Vec<Promise> {
            promises::promises(run, info)
        }

        fn promised(run: &Findings<'_, Self>) -> Vec<Promised> {
            bounds::promised(run)
        }

        fn shares(run: &Findings<'_, Self>) -> FairShares {
            fair::shares(run)
        }

        fn among_equals(run: &Findings<'_, Self>) -> Vec<Option<f64>> {
            fair::among_equals(run)
        }

        fn held_up(run: &Findings<'_, Self>, flow: usize, waits: String) -> String {
            starved::held_up(run, flow, waits)
        }

        fn tables(run: &Findings<'_, Self>) -> Vec<Table> {
            tables::tables(run)
        }

        fn flow_tables(run: &Findings<'_, Self>, name: &str) -> Option<Vec<Table>> {
            tables::flow_tables(run, name)
        }

        fn page(run: &Findings<'_, Self>, info: &RunInfo) -> Page {
            shown::page(run, info)
        }

        fn terminal(run: &Findings<'_, Self>, info: &RunInfo) -> Terminal {
            shown::terminal(run, info)
        }
    };
}
pub(crate) use called_alike;

/// What is said of what stands still, if anything does.
pub(crate) fn still<N: Network>(run: &Findings<'_, N>) -> Option<Still> {
    let found = run.outcome.standstill.as_ref()?;
    Some(N::still(run, found))
}

/// What still stood at the end, in a sentence for people who wait for it.
pub fn standstill_sentence<N: Network>(run: &Findings<'_, N>) -> Option<String> {
    still(run).map(|still| still.told)
}

/// Why a run ended: in two or three words, and as the rest of "the run ended: ...".
pub(crate) fn ended<N: Network>(run: &Findings<'_, N>) -> (&'static str, String) {
    let stop = run.outcome.stop;
    let (short, still) = still(run).map_or(("standstill", "nothing could move".into()), |still| {
        (still.short, still.ended)
    });
    (stop::short(stop, short), stop::sentence(stop, || still))
}

/// Line rates by channel, bits per second.
pub fn line_rates<N: Network>(network: &N) -> impl Iterator<Item = f64> + '_ {
    let channels = network.links().iter().flat_map(|link| &link.channels);
    channels.map(|channel| N::line(channel).0.0 as f64)
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
    pub fn flow<N: Network>(self, run: &Findings<'_, N>, flow: impl Fn(&R) -> u32) -> Self {
        self.text("flow: name in the scenario")
            .of(|row| run.flow(flow(row)))
    }

    /// The port that a row is about, which `meaning` says more of.
    pub fn port<N: Network>(
        self,
        run: &Findings<'_, N>,
        meaning: &str,
        channel: impl Fn(&R) -> u32,
    ) -> Self {
        self.text(format!("port: {meaning}"))
            .of(|row| run.port(channel(row)))
    }

    /// The time of the column of this name in cell times, where those are the unit of time.
    pub fn in_cells(self, name: &str, cell: Duration, ps: impl Fn(&R) -> Option<f64>) -> Self {
        let in_cells = |ps: f64| Cell::float(ps / cell.ps() as f64, 2);
        match cell {
            Duration::ZERO => self,
            _ => self
                .number(format!("{name} [cells]: the same in cell times"))
                .of(|row| ps(row).map(in_cells)),
        }
    }

    /// What became of units of the whole run.
    pub fn balance(self, unit: &str, balance: impl Fn(&R) -> Balance) -> Self {
        let whole = "once per destination; whole run";
        self.number(format!(
            "offered [{unit}]: handed to the network at the source, {whole}"
        ))
        .of(|row| balance(row).offered)
        .number(format!("delivered [{unit}]: reached its host, {whole}"))
        .of(|row| balance(row).delivered)
        .number(format!(
            "dropped [{unit}]: whatever the cause, the wire included, {whole}"
        ))
        .of(|row| balance(row).dropped)
        .number(format!(
            "inside [{unit}]: in queues and on wires at the end"
        ))
        .of(|row| balance(row).inside)
        .number(format!(
            "balance [{unit}]: offered - delivered - dropped - inside; zero when all is accounted \
             for"
        ))
        .of(|row| balance(row).missing())
    }
}
