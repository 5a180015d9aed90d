//! Cells, frames and packets on links with delay.

pub(crate) mod control;
pub(crate) mod explicit_rate;
pub(crate) mod flows;
pub(crate) mod network;
pub(crate) mod policing;
pub(crate) mod service;
pub(crate) mod source;
pub(crate) mod tcp;
pub(crate) mod traffic;

use backwater_derive::table;
use backwater_kernel::{Duration, Time};

use self::control::FlowControl;
use self::flows::{Flows, Patterns, Series};
use self::network::{Link, Links, Network, Switch, Topology};
use self::service::{Buffer, Scheduler};
use self::tcp::CellTcp;
use crate::given::sweep::Sweep;
use crate::given::usual::{Usual, usual};
use crate::given::{Engine, Heading};
use crate::language::typed::Placed;

/// Windows over a run where `measure.window` is not given.
pub(crate) const WINDOWS: Usual<u64> = usual!(1000);

/// What stands at the top of the file, before any `[table]`, and the tables it may have.
#[table("scenario")]
#[allow(
    dead_code,
    reason = "title, engine and axes are read before the engine is known"
)]
pub(crate) struct PacketFile {
    #[key(flatten)]
    pub heading: Heading,
    /// Simulator that runs it.
    #[key(default = "\"packet\"")]
    pub engine: Engine,
    /// How long to run.
    pub run: Placed<Run>,
    /// What is sent.
    #[key(default = "{}")]
    pub unit: Unit,
    /// What every link has.
    pub link: Placed<Link>,
    /// Nodes by name.
    #[key(otherwise = "a `[topology]` makes the nodes")]
    pub network: Placed<Option<Network>>,
    /// Nodes and links by rule.
    #[key(otherwise = "`[network]` and `[[links]]` name them")]
    pub topology: Placed<Option<Topology>>,
    /// Links, one table each.
    #[key(otherwise = "none besides those of `[topology]`")]
    pub links: Vec<Placed<Links>>,
    /// What every switch does.
    #[key(default = "{}")]
    pub switch: Switch,
    /// What every flow uses.
    #[key(default = "{}")]
    pub flow_control: Placed<FlowControl>,
    /// Which unit leaves a port next.
    #[key(otherwise = "round robin")]
    pub scheduler: Placed<Option<Scheduler>>,
    /// Memory of every switch.
    #[key(default = "{}")]
    pub buffer: Buffer,
    /// What to measure besides flows.
    #[key(otherwise = "ports where a scheduler or shared memory is given")]
    pub measure: Option<Measure>,
    /// The TCP of flows that go over it.
    #[key(default = "{}")]
    pub tcp: Placed<CellTcp>,
    /// Flows, one table each or many by `count`.
    #[key(otherwise = "none besides those of `[[patterns]]`")]
    pub flows: Placed<Vec<Placed<Flows>>>,
    /// Flows by rule.
    #[key(otherwise = "none")]
    pub patterns: Placed<Vec<Placed<Patterns>>>,
    /// Time series to record.
    #[key(otherwise = "none")]
    pub series: Vec<Placed<Series>>,
    /// What varies in a sweep.
    #[key(otherwise = "nothing")]
    pub sweep: Option<Sweep>,
}

/// How long to simulate, and from which seed.
#[table("[run]")]
pub(crate) struct Run {
    /// The run ends after this long.
    #[key(is = Time { min_ps: 1 })]
    pub duration: Placed<Time>,
    /// Statistics start after this long.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    pub warm_up: Placed<Time>,
    /// Root of every random stream: the same seed gives the same run, bit for bit.
    #[key(is = Whole { min: 0, max: u64::MAX, unit: "" }, default = "1")]
    pub seed: u64,
    /// Each source starts up to so much later than its `start` says, drawn evenly by the seed: what
    /// else draws nothing differs from seed to seed.
    #[key(is = Time { min_ps: 1 }, otherwise = "none")]
    pub start_jitter: Option<Duration>,
}

/// The unit of data. With the rate of `[link]` it also sets the cell time: the unit `cells` of
/// every span of time is `bytes` at that rate, rounded half up to 1 ps.
#[table("[unit]")]
pub(crate) struct Unit {
    /// Size of a data unit and of a control unit on the wire.
    #[key(is = Whole { min: 1, max: 1 << 20, unit: "bytes" }, default = "53")]
    #[key(cite = "ATM cell: ITU-T I.361")]
    pub bytes: Placed<u32>,
}

/// What a run measures besides its flows.
#[table("[measure]")]
pub(crate) struct Measure {
    /// Measure queues, waiting and utilization at ports.
    #[key(otherwise = "true where a `scheduler` or `buffer.shared` is given")]
    pub ports: Option<bool>,
    /// Windows over which the utilization of ports is averaged.
    #[key(is = Time { min_ps: 1 }, otherwise = "a {WINDOWS}th of the run")]
    pub window: Option<Duration>,
}

impl PacketFile {
    /// Every table that describes links.
    pub(crate) fn link_tables<'a>(&'a self) -> impl Iterator<Item = &'a Link> {
        let sides = |links: &'a Placed<Links>| [links.forward.as_ref(), links.backward.as_ref()];
        let trunk = self
            .topology
            .as_ref()
            .and_then(|topology| topology.trunk.as_ref());
        let tables = [&self.link.value].into_iter();
        let tables = tables.chain(self.links.iter().map(|links| &links.link));
        let others = trunk
            .into_iter()
            .chain(self.links.iter().flat_map(sides).flatten());
        tables.chain(others.map(|channel| &channel.link))
    }
}

impl Unit {
    /// Bytes of a unit; of a cell, where what is given can't be read.
    pub(crate) fn bytes(&self) -> u32 {
        const CELL: u32 = 53;
        self.bytes.sure().copied().unwrap_or(CELL)
    }
}
