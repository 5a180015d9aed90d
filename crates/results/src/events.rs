//! What the tables of both kinds of networks have in common: cells by circuit, frames by class.
//!
//! A table, and a column in it, has one name in both. What only one kind has stands behind that in
//! its own folder.

pub mod bounds;
pub(crate) mod control;
pub(crate) mod delays;
mod described;
pub(crate) mod drops;
pub mod fair;
pub(crate) mod findings;
pub(crate) mod flows;
pub mod hops;
pub mod names;
pub(crate) mod nodes;
pub mod page;
pub(crate) mod ports;
pub mod promises;
pub mod ranks;
mod reported;
pub mod standstill;
pub mod starved;
pub mod tables;
pub(crate) mod tcp;
pub(crate) mod transfers;
pub(crate) mod violations;
pub(crate) mod words;

use backwater_kernel::{Balance, Duration};
use backwater_net::outcome::LossCause;

use crate::drawn::Units;
use crate::model::Cell;
use crate::stop;
use crate::table_of::TableOf;
pub use bounds::DelayBounds;
pub use described::Described;
pub use fair::Fairness;
pub use findings::Findings;
pub use page::Presented;
pub use promises::Promises;
pub use standstill::Standstills;
use standstill::Still;
pub use starved::Starving;
pub use tables::Tables;

/// What a network says of itself beside what every specification says ([`Described`]). What is
/// said of its runs is a trait for each subject, implemented where circuits (`run`) or frames
/// (`ethernet`) have their part of it; what is in none of them is said of both in the same way.
pub trait Network:
    Described + Fairness + DelayBounds + Promises + Standstills + Starving + Tables + Presented
{
    /// What crosses links, as the unit of columns.
    const UNITS: &'static str;
    /// One of these, in a sentence.
    const UNIT: &'static str;
    /// What drops units here, in the order of columns.
    const CAUSES: &'static [LossCause];
    /// The hosts of this flow stand for a node of this number.
    fn hosts_of(&self, _node: u32) -> Option<u32> {
        None
    }
    /// Bytes of each unit of a flow on the wire, where they are the same for all of its units.
    fn unit_bytes(&self, _flow: u32) -> Option<u32> {
        None
    }
    /// By flow: the channels that it crosses, as far as they are known.
    fn ways(&self) -> Vec<Vec<u32>>;
    /// How channels are read over time, whatever its unit.
    fn read_as() -> Units;
}

/// What is said of what stands still, if anything does.
pub(crate) fn still<N: Network>(run: &Findings<'_, N>) -> Option<Still> {
    let stuck = run.outcome.standstill.as_ref()?;
    Some(N::still(run, stuck))
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
