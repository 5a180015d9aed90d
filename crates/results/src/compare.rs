//! One workload under several schemes: meters that are the same for cells and frames, one table,
//! plots, a page.
//!
//! What is compared is payload: a cell of 53 bytes carries 48, a frame what is left of it without
//! headers. Meters are probes: they change nothing.

mod cells;
mod conditions;
mod frames;
mod measures;
mod meter;
mod plots;
mod programs;
mod recovery;
mod report;
mod tables;
mod terminal;

use backwater_kernel::Histogram;

use crate::charts::SEEDS_CHANGE_NOTHING;
use crate::groups::in_order;

pub use cells::CellMeter;
pub use conditions::{Condition, Conditions, SwitchMemory};
pub use frames::FrameMeter;
pub use measures::{Measure, Shown, measures};
pub use meter::{Message, Observed, Seen, WireBytes};
pub use programs::ProgramSeen;
pub use recovery::{Recovery, recoveries};
pub use report::{CompareInfo, compare_report, compare_series};
pub use tables::{compare_summary, compare_tables};
pub use terminal::{compare_notes, compare_terminal};

/// The group whose recovery is measured.
pub const VICTIM: &str = "victim";

/// What is sent, as far as meters and tables need it.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Every run ends here.
    pub duration_ps: u64,
    /// Statistics start here.
    pub warm_up_ps: u64,
    /// Averages over time are over windows of this length.
    pub window_ps: u64,
    /// Its flows.
    pub flows: Vec<WorkloadFlow>,
    /// When bursts start, and when the last bit of each could have left its source: ascending.
    pub bursts: Vec<(u64, u64)>,
    /// Rate of each channel, bits per second.
    pub rates_bps: Vec<u64>,
}

/// One flow.
#[derive(Clone, Debug, Default)]
pub struct WorkloadFlow {
    /// Its name.
    pub name: String,
    /// Flows counted together.
    pub group: String,
    /// What it sends.
    pub kind: FlowKind,
    /// Channels it crosses.
    pub path: Vec<u32>,
    /// The least time of a burst, or a request with its response, on an idle network, ps.
    pub alone_ps: Option<u64>,
}

/// What a flow sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FlowKind {
    /// Always has more.
    #[default]
    Greedy,
    /// So much on the wire in full frames, bits per second.
    Constant(u64),
    /// Bursts of so many bytes, which start at these instants (ps).
    Bursts(u64, Vec<u64>),
    /// Requests and responses of so many bytes.
    Requests(u64, u64),
    /// Messages of ranks that do a collective operation,
    Collective,
    /// or compute and communicate.
    Job,
}

impl FlowKind {
    /// What it asks of links for good, bits per second.
    fn demand(&self) -> f64 {
        match *self {
            FlowKind::Greedy => f64::INFINITY,
            FlowKind::Constant(rate) => rate as f64,
            FlowKind::Bursts(..)
            | FlowKind::Requests(..)
            | FlowKind::Collective
            | FlowKind::Job => 0.0,
        }
    }

    /// It stands for all flows between ranks.
    pub fn is_program(&self) -> bool {
        matches!(self, FlowKind::Collective | FlowKind::Job)
    }
}

/// Which part of which flow a flow of an engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Flow of the workload (index).
    pub flow: usize,
    /// One burst of it (from 0), where each has a flow of its own.
    pub burst: Option<usize>,
    /// It carries what comes back.
    pub is_back: bool,
}

/// All runs of a scheme.
#[derive(Clone, Debug)]
pub struct SchemeRuns {
    /// Name of the scheme.
    pub name: String,
    /// What it does.
    pub note: String,
    /// What it ran on.
    pub conditions: Conditions,
    /// It promises to drop nothing.
    pub is_lossless: bool,
    /// One for each seed.
    pub runs: Vec<SchemeRun>,
}

/// One run of a scheme.
#[derive(Clone, Debug)]
pub struct SchemeRun {
    /// Its seed.
    pub seed: u64,
    /// What the meter saw.
    pub seen: Observed,
    /// Fingerprint of the run.
    pub trace_hash: u64,
    /// Events handled.
    pub events: u64,
    /// Promises of the engine broken.
    pub broken: u64,
    /// It ended before its time: what stood still.
    pub standstill: bool,
    /// Time it took.
    pub wall_seconds: f64,
}

impl SchemeRuns {
    /// Several seeds, and all runs are the same.
    pub fn is_without_chance(&self) -> bool {
        let mut pairs = self.runs.windows(2);
        self.runs.len() > 1 && pairs.all(|two| two[0].trace_hash == two[1].trace_hash)
    }
}

/// Schemes under which all seeds gave the same run, and what is said of them.
pub fn without_chance(schemes: &[SchemeRuns]) -> Option<String> {
    let same = schemes.iter().filter(|scheme| scheme.is_without_chance());
    let names: Vec<&str> = same.map(|scheme| scheme.name.as_str()).collect();
    match names.len() {
        0 => None,
        all if all == schemes.len() => Some(SEEDS_CHANGE_NOTHING.into()),
        _ => Some(format!("{}: {SEEDS_CHANGE_NOTHING}", names.join(", "))),
    }
}

impl Workload {
    /// Groups in the order of the flows, each with its flows.
    pub fn groups(&self) -> Vec<(&str, Vec<usize>)> {
        let flows = (0..).zip(&self.flows);
        in_order(flows.map(|(index, flow)| (flow.group.as_str(), index)))
    }

    /// Time after the warm-up in seconds.
    pub fn measured_seconds(&self) -> f64 {
        self.duration_ps.saturating_sub(self.warm_up_ps) as f64 * 1e-12
    }
}

/// The delays of several flows together.
fn delays(seen: &Observed, flows: impl Iterator<Item = usize>) -> Histogram {
    let mut all = Histogram::default();
    for flow in flows {
        all.merge(&seen.flows[flow].delay);
    }
    all
}
