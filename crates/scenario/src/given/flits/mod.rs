//! Networks of routers, cycle by cycle.

pub(crate) mod network;
pub(crate) mod router;
pub(crate) mod series;
pub(crate) mod traffic;

use backwater_derive::table;

use self::network::{Routing, Topology};
use self::router::Router;
use self::series::Series;
use self::traffic::{Class, Traffic};
use crate::given::sweep::Sweep;
use crate::given::{Engine, FLIT_FIRST, Heading};
use crate::language::kinds::OrWord;
use crate::language::typed::Placed;

/// What stands at the top of the file with `engine = "flit"`, and the tables it may have.
#[table("scenario")]
#[allow(
    dead_code,
    reason = "title, engine and axes are read before the engine is known"
)]
pub(crate) struct FlitFile {
    #[key(flatten)]
    pub heading: Heading,
    /// Simulator that runs it.
    #[key(is = Words(FLIT_FIRST))]
    pub engine: Engine,
    /// When to measure.
    pub run: Run,
    /// Routers, channels and terminals.
    pub topology: Placed<Topology>,
    /// Which way packets take.
    #[key(default = "{}")]
    pub routing: Placed<Routing>,
    /// What every router and channel has.
    #[key(default = "{}")]
    pub router: Router,
    /// What is sent.
    pub traffic: Placed<Traffic>,
    /// Classes of packets.
    #[key(otherwise = "one class, as `[traffic]` says")]
    pub classes: Placed<Option<Vec<Placed<Class>>>>,
    /// Time series to record.
    #[key(otherwise = "none")]
    pub series: Vec<Placed<Series>>,
    /// What varies in a sweep.
    #[key(otherwise = "nothing")]
    pub sweep: Option<Sweep>,
}

/// When to measure, when to stop, and from which seed. Measured packets are those born in the
/// window; the run goes on until they have arrived.
#[table("[run]")]
pub(crate) struct Run {
    /// Cycles before the window; `auto` waits until throughput and latency have settled.
    #[key(is = Or("auto", Cycles { min: 0, max: 1_000_000_000_000 }))]
    #[key(otherwise = "`auto`; 0 where packets come from a trace")]
    #[key(cite = "among others by MSER-5: White, Cobb and Spratt 2000")]
    pub warm_up: Option<OrWord<u64>>,
    /// With `warm_up = "auto"`, the window starts at the latest after this many cycles.
    #[key(is = Cycles { min: 1, max: 1_000_000_000_000 }, default = "\"100000 cycles\"")]
    pub warm_up_limit: u64,
    /// The window.
    #[key(is = Cycles { min: 1, max: 1_000_000_000_000 })]
    pub measure: u64,
    /// After the window at most this many cycles for the measured packets to arrive; 0 stops at its
    /// end.
    #[key(is = Cycles { min: 0, max: 1_000_000_000_000 }, default = "\"100000 cycles\"")]
    pub drain: u64,
    /// Without a move for this many cycles while flits are in the network, it is deadlocked.
    #[key(is = Cycles { min: 1, max: 1_000_000_000_000 }, default = "\"10000 cycles\"")]
    pub stall: Placed<u64>,
    /// Root of every random stream: the same seed gives the same run, bit for bit.
    #[key(is = Whole { min: 0, max: u64::MAX, unit: "" }, default = "1")]
    pub seed: u64,
}
