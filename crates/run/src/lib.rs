//! What simulates a scenario: commands know engines through this only.
//!
//! An [`Engine`] is a scenario with the simulator that it names; [`engine`] is the one place
//! that chooses. It makes a [`Run`], which goes on in slices, and whatever a run has found so far
//! is [`Found`]. What looks on is a probe to its simulator and a [`Looks`] to everybody else.
//!
//! ```
//! use backwater_scenario::{Source, parse};
//!
//! let text = r#"
//!     [run]
//!     duration = "10 ms"
//!     [link]
//!     rate = "155.52 Mbps"
//!     delay = "5 us"
//!     [network]
//!     hosts = ["A", "B"]
//!     [[links]]
//!     between = ["A", "B"]
//!     [[flows]]
//!     name = "VC"
//!     from = "A"
//!     to = "B"
//!     traffic = { kind = "greedy" }
//! "#;
//! let scenario = parse(&Source::new("two.toml", text), &[]).expect("no mistakes");
//! let engine = backwater_run::engine(&scenario);
//! let mut run = engine.plain().expect("it can run");
//! let mut pace = backwater_run::Pace::new(run.first_slice());
//! while run.advance(&mut pace) {}
//! let found = run.found();
//! assert_eq!((found.head().broken, found.head().hops > 3_000), (0, true));
//! ```

mod cells;
pub mod compare;
mod events;
mod flits;
pub mod forward;
mod frames;
pub mod interrupt;
pub mod job;
mod looks;
pub mod machine;
pub mod memory;
pub mod outside;
mod over_time;
mod pace;
mod single;
pub mod stepping;
mod team;
pub mod threads;
mod trace;
mod values;

use std::borrow::Cow;

use backwater_kernel::series::Thinned;
use backwater_kernel::words::{counted, grouped};
use backwater_kernel::{Duration, Series, Stop};
use backwater_net::outcome::Outcome;
use backwater_results::compare::{Carrier, Conditions, Observed, Workload};
use backwater_results::drawn::OverTime;
use backwater_results::map::bins::Bins;
use backwater_results::number::span;
use backwater_results::sweep::{FlowColumn, Measure, Point};
use backwater_results::{
    GivenUp, Manifest, NoColumn, Report, Reported, RunDirectory, RunInfo, Summary, Table,
    run_manifest, run_report, run_summary,
};
use backwater_scenario::{EthernetScenario, Scenario};

use forward::Leaps;
use memory::Memory;
use stepping::{Condition, Stepped};

pub use over_time::WhenMap;
pub use pace::Pace;

/// Parts in which the progress of a run is told.
pub const STEPS: u64 = 1000;

/// A point of a series, copied for results and again for its figure.
const POINT_BYTES: u64 = 40;
/// A point as text; the series of a run are written one by one.
const TEXT_BYTES: u64 = 96;

/// A scenario and what simulates it.
pub trait Engine {
    /// What there is to simulate, in numbers.
    fn size(&self) -> String;
    /// Delays that are promised before it runs, for people.
    fn promised(&self) -> Option<String> {
        None
    }
    /// What each place under stops needs and has of headroom; `None` where nothing is stopped.
    fn headroom(&self) -> Option<Table> {
        None
    }
    /// What the delay bound of each flow is made of, link by link; `None` where no flow has one.
    fn bound_hops(&self) -> Option<Table> {
        None
    }
    /// Where the scenario lets lossless classes lose frames.
    fn given_up(&self) -> Vec<GivenUp> {
        Vec::new()
    }
    /// Ready to run, and nothing looks on.
    fn plain(&self) -> Result<Box<dyn Run<'_> + '_>, String>;
    /// Ready to run, with all that people want to see.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String>;
    /// Ready to run, with the meter of a comparison; flows carry what `carriers` say, in the order
    /// of [`Engine::flows`].
    fn metered(
        &self,
        workload: &Workload,
        carriers: &[Carrier],
    ) -> Result<Box<dyn Run<'_> + '_>, String>;
    /// Ready to be gone through, instant by instant.
    fn stepped(&self) -> Result<Box<dyn Stepped + '_>, String>;
    /// The first instant at which something happens, of those after `after`.
    fn first(&self, wanted: Condition, after: Option<u64>) -> Result<Option<u64>, String>;
    /// Under which conditions it runs in a comparison.
    fn conditions(&self) -> Conditions {
        Conditions::default()
    }
    /// Names of flows, in their order.
    fn flows(&self) -> Vec<&str>;
    /// Names of flows or classes, those of one group as one: what has columns of its own.
    fn groups(&self) -> Vec<String>;
    /// Forms of traces that it can write.
    fn traces(&self) -> &'static [TraceKind];
    /// What a sweep measures, in the order of [`Point::values`].
    fn measures(&self) -> &'static [Measure];
    /// The key that says how long is measured, and its value for a window `factor` times as long;
    /// `None` where a longer one says no more of saturation.
    fn longer_window(&self, _factor: u64) -> Option<(&'static str, String)> {
        None
    }
    /// Runs for a sweep, with these columns of flows; `None` if it was asked to stop.
    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String>;
}

/// A simulation on its way.
pub trait Run<'e> {
    /// Length of the first slice, on its own clock.
    fn first_slice(&self) -> u64;
    /// Runs on by a slice. Is there more to do?
    fn advance(&mut self, pace: &mut Pace) -> bool;
    /// How far it is, of [`STEPS`], and what to say of that.
    fn progress(&mut self) -> (u64, String);
    /// Shows the network to the probe as at the end of a run.
    fn look_over(&mut self);
    /// What looks on.
    fn looks(&mut self) -> &mut dyn Looks;
    /// What was found so far.
    fn found(&mut self) -> Box<dyn Found + 'e>;
    /// The same of a run that does not go on, which may take less memory.
    fn found_at_end(&mut self) -> Box<dyn Found + 'e> {
        self.found()
    }
}

/// What looks on at a run, besides the probe that it is to its simulator.
pub trait Looks {
    /// The run begins; what it writes while running goes to `directory`.
    fn begin(&mut self, _directory: &mut RunDirectory) -> Result<(), String> {
        Ok(())
    }
    /// A slice is over: what was collected is written.
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    /// The run is over at this instant or cycle.
    fn finish(&mut self, _at: u64) -> Result<(), String> {
        Ok(())
    }
    /// Points in its series: in all, and in the longest.
    fn points(&self) -> (usize, usize) {
        (0, 0)
    }
}

/// Adds what it saw to what a run found.
pub trait Tells<F>: Looks {
    /// Adds it.
    fn tell(&self, _found: &mut F) {}
}

/// What a run found, at its end or before.
pub trait Found {
    /// What all runs have.
    fn head(&self) -> Head;
    /// What was seen by what looked on.
    fn told(&mut self) -> &mut Told;
    /// The tables of a flow or group, each with a row at most.
    fn flow_tables(&self, name: &str) -> Option<Vec<Table>>;
    /// All that a directory shows.
    fn shown(&self, info: &RunInfo) -> Shown<'_>;
    /// The summary for a terminal.
    fn summary(&self, info: &RunInfo) -> String;
    /// What can't move any more, as a line for people.
    fn standstill(&self) -> Option<String>;
    /// What takes most memory, for people.
    fn grew(&self) -> String;
}

/// What of a run people want to see.
pub struct Wanted<'a> {
    /// Check promises while it goes on.
    pub audit: bool,
    /// Write traces of these forms.
    pub traces: &'a [TraceKind],
    /// Record what channels do over time.
    pub map: WhenMap,
    /// Use so many threads, if the engine can.
    pub threads: usize,
    /// The memory there is.
    pub memory: &'a Memory,
    /// Leap over what repeats itself.
    pub fast_forward: bool,
}

impl Wanted<'_> {
    /// Nobody knows how a run of these would leap.
    fn refuse_to_leap(&self, units: &str) -> Result<(), String> {
        match self.fast_forward {
            true => Err(format!(
                "--fast-forward: runs of {units} go through all that happens; run it without"
            )),
            false => Ok(()),
        }
    }

    /// What looks on has to see all of the run, in its order. Then one thread runs it.
    fn has_one_observer(&self) -> bool {
        let mut traces = self.traces.iter();
        let has = self.audit || traces.any(|kind| *kind != TraceKind::Fct);
        if has && self.threads > 1 {
            log::info!("one thread: a run with `--audit` or `--trace` takes one");
        }
        has
    }
}

/// Forms of a trace.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TraceKind {
    /// One line per unit: time, node, in or out, channel, flow, kind, number, value; per flit and
    /// channel: cycle, channel, VC, and its packet's source, destination, birth and class; or per
    /// frame and event
    Csv,
    /// Ethernet only: every frame as on the wire, for Wireshark and similar tools
    Pcapng,
    /// Cells and frames: what every port does over time, with stops, queues, credit and windows,
    /// for ui.perfetto.dev
    Perfetto,
    /// Flows of workloads with `rows = "group"`: a line for each as it ends, with the time it took
    Fct,
    /// Flits: every channel and virtual channel as waveforms, for GTKWave, Surfer and the like
    Vcd,
}

impl TraceKind {
    /// As it is asked for.
    fn word(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self);
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Why it can't be had of a scenario of which `known` can, in words.
    pub fn refusal(self, known: &[TraceKind]) -> String {
        let why = match self {
            TraceKind::Vcd => "it shows cycles: it is for `engine = \"flit\"`",
            TraceKind::Csv => "it is for all engines",
            TraceKind::Fct => {
                "it is of flows that have no row: of workloads with `rows = \"group\"`"
            }
            TraceKind::Pcapng => "a capture needs frames: it is for `engine = \"ethernet\"`",
            TraceKind::Perfetto => {
                "it shows ports at instants: it is for `engine = \"packet\"` and `\"ethernet\"`"
            }
        };
        let known: Vec<String> = known.iter().map(|kind| kind.word()).collect();
        let (own, known) = (self.word(), known.join(","));
        format!("`--trace {own}`: {why}; here `--trace {known}` works")
    }
}

/// What all runs have.
pub struct Head {
    /// Why it ended.
    pub stop: Stop,
    /// How far it got: an instant in ps, or a cycle.
    pub at: u64,
    /// Fingerprint.
    pub trace_hash: u64,
    /// Events handled; 0 by an engine that goes by cycles.
    pub events: u64,
    /// Units, frames or flits that crossed a channel.
    pub hops: u64,
    /// Promises broken.
    pub broken: u64,
}

impl Head {
    /// Of a run of the event engine.
    fn of(outcome: &Outcome) -> Head {
        Head {
            stop: outcome.stop,
            at: outcome.ended_at.ps(),
            trace_hash: outcome.trace_hash,
            events: outcome.events,
            hops: outcome.unit_hops,
            broken: outcome.violations.total(),
        }
    }
}

/// What was seen by what looked on.
#[derive(Default)]
pub struct Told {
    /// Series.
    pub series: Vec<Series>,
    /// Series that exceeded their bound.
    pub thinned: Vec<Thinned>,
    /// Of an audit.
    pub audited: Option<Audited>,
    /// Of the meter of a comparison.
    pub seen: Option<Observed>,
    /// What channels did over time.
    pub bins: Option<Bins>,
    /// What was leapt over.
    pub leaps: Option<Leaps>,
}

/// What an audit of a run found.
pub struct Audited {
    /// Checks made.
    pub checks: u64,
    /// What was checked always, and what now and then.
    pub coverage: String,
    /// Promises broken.
    pub broken: u64,
}

/// All that a run directory shows of a run.
pub struct Shown<'f> {
    /// Tables, each a CSV file.
    pub tables: Cow<'f, [Table]>,
    /// Series, each a CSV file.
    pub told: &'f Told,
    /// For `summary.json`.
    pub summary: Summary<'f>,
    /// The page.
    pub report: Report,
    /// For `manifest.json`.
    pub manifest: Manifest,
}

impl<'f> Shown<'f> {
    /// Of a run, with what was seen by what looked on and what is drawn over time.
    fn of(
        info: &RunInfo,
        run: &'f impl Reported,
        told: &'f Told,
        over_time: Option<OverTime>,
    ) -> Shown<'f> {
        Shown {
            tables: run.tables().into(),
            told,
            summary: run_summary(info, run),
            report: run_report(info, run, &told.series).with_over_time(over_time),
            manifest: run_manifest(info, run),
        }
    }
}

/// What each place under stops needs and has of headroom; `None` where nothing is stopped.
pub fn headroom(scenario: &EthernetScenario) -> Option<Table> {
    frames::headroom_of(scenario)
}

/// What simulates this scenario.
pub fn engine(scenario: &Scenario) -> Box<dyn Engine + '_> {
    use backwater_scenario::Engine::{Ethernet, Flit, Packet};
    match &scenario.engine {
        Packet(packet) => Box::new(cells::Cells(packet)),
        Ethernet(ethernet) => Box::new(frames::Frames(ethernet)),
        Flit(spec) => Box::new(flits::Flits {
            spec,
            series: &scenario.cycle_series,
        }),
    }
}

/// Runs to the end in slices; false if it was asked to stop before.
pub fn complete(run: &mut dyn Run<'_>) -> bool {
    let mut pace = Pace::new(run.first_slice());
    loop {
        if must_stop((0, 0)) {
            return false;
        }
        if !run.advance(&mut pace) {
            return true;
        }
    }
}

/// The column of a flow or group that `text` names, in runs of this engine.
///
/// # Errors
/// If there is none, or if the engine refuses the scenario.
pub fn column(engine: &dyn Engine, text: &str) -> Result<FlowColumn, NoColumn> {
    let mut run = engine.plain().map_err(|what| NoColumn {
        what,
        known: Vec::new(),
    })?;
    let empty = run.found();
    FlowColumn::find(text, &engine.groups(), |name| empty.flow_tables(name))
}

/// Is a run to stop, for Ctrl-C or before memory runs out? Its series hold so many points in
/// all, the longest so many.
pub fn must_stop((points, longest): (usize, usize)) -> bool {
    let bytes = points as u64 * POINT_BYTES + longest as u64 * TEXT_BYTES;
    interrupt::is_set() || memory::is_short_beside(bytes)
}

/// How far `at` is on the way to `end`, of [`STEPS`].
fn part(at: u64, end: u64) -> u64 {
    let part = u128::from(at) * u128::from(STEPS) / u128::from(end.max(1));
    part.min(u128::from(STEPS)) as u64
}

/// Names what takes most memory: of what waits, and of series by their points.
fn grown<'a>(
    unit: &str,
    waiting: impl Iterator<Item = (&'a str, u64)> + Clone,
    series: &[Series],
) -> String {
    let all: u64 = waiting.clone().map(|one| one.1).sum();
    let waits = match waiting.max_by_key(|one| one.1) {
        Some((name, most)) => format!(
            "{} wait in sources and queues, {} of them of {name}",
            counted(all, unit),
            grouped(most)
        ),
        None => format!("no {unit} waits"),
    };
    let points = series.iter().map(|one| (&one.name, one.y.len()));
    match points.max_by_key(|one| one.1).filter(|one| one.1 > 0) {
        Some((name, most)) => format!(
            "{waits}; the longest series is `{name}`, {}",
            counted(most, "point")
        ),
        None => waits,
    }
}

/// How many flows have a delay bound, and between which they lie; `None` without any.
fn promised_words(delays: &[Duration]) -> Option<String> {
    let time = |delay: &Duration| span(delay.ps() as f64);
    let (least, most) = (time(delays.iter().min()?), time(delays.iter().max()?));
    let have = if delays.len() == 1 { "has" } else { "have" };
    let flows = counted(delays.len(), "flow");
    Some(match least == most {
        true => format!("{flows} {have} a delay bound, of {least}"),
        false => format!("{flows} {have} a delay bound, from {least} to {most}"),
    })
}

/// After how many of the units of a run an audit looked at something, and how far apart.
fn turns(what: &str, unit: &str, [looked, of, within]: [u64; 3]) -> String {
    let share = 100.0 * looked as f64 / of.max(1) as f64;
    let within = counted(within, unit);
    format!("{what} after {share:.2} % of them, at most {within} apart")
}
