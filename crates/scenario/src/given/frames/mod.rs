//! Switched Ethernet.

pub(crate) mod collectives;
pub(crate) mod flow_control;
pub(crate) mod flows;
pub(crate) mod jobs;
pub(crate) mod memory;
pub(crate) mod network;
pub(crate) mod rate_control;
pub(crate) mod rates;
pub(crate) mod roce;
pub(crate) mod scheduler;
pub(crate) mod switch;
pub(crate) mod traffic;
pub(crate) mod workloads;

use backwater_derive::table;
use backwater_kernel::{Duration, Time};

use self::collectives::Collectives;
use self::flow_control::FlowControl;
use self::flows::{Flows, Patterns, Series};
use self::jobs::Jobs;
use self::memory::{Memory, Pools};
use self::network::{Link, Links, Network, Routes, Topology};
use self::roce::Roce;
use self::scheduler::Scheduler;
use self::switch::{Buffer, Classes, Host, Nodes, QueueSettings, Switch, Watchdog};
use self::workloads::Workloads;
use crate::given::sweep::Sweep;
use crate::given::tcp::Tcp;
use crate::given::usual::{Usual, usual};
use crate::given::{ETHERNET_FIRST, Engine, Heading};
use crate::language::typed::{Chosen, Placed};

/// What stands at the top of the file with `engine = "ethernet"`, and the tables it may have.
#[table("scenario")]
#[allow(
    dead_code,
    reason = "title, engine and axes are read before the engine is known"
)]
pub(crate) struct EthernetFile {
    #[key(flatten)]
    pub heading: Heading,
    /// Simulator that runs it.
    #[key(is = Words(ETHERNET_FIRST))]
    pub engine: Engine,
    /// How long to run.
    pub run: Placed<Run>,
    /// Nodes by name.
    #[key(otherwise = "a `[topology]` makes the nodes")]
    pub network: Placed<Option<Network>>,
    /// Nodes and links by rule.
    #[key(otherwise = "`[network]` and `[[links]]` name them")]
    pub topology: Placed<Option<Topology>>,
    /// What every link has.
    pub link: Link,
    /// Links, one table each.
    #[key(otherwise = "none besides those of `[topology]`")]
    pub links: Vec<Placed<Links>>,
    /// What every switch does.
    #[key(default = "{}")]
    pub switch: Switch,
    /// What every host does.
    #[key(default = "{}")]
    pub host: Host,
    /// Which class of a port goes next.
    #[key(default = "{}")]
    pub scheduler: Placed<Scheduler>,
    /// Memory of every switch.
    #[key(default = "{}")]
    pub buffer: Buffer,
    /// What differs in the shared memory of some switches, ports and classes.
    #[key(otherwise = "nothing")]
    pub memory: Vec<Placed<Memory>>,
    /// Parts of the shared memory.
    #[key(otherwise = "one for all inputs")]
    pub pools: Vec<Placed<Pools>>,
    /// What differs in single classes.
    #[key(otherwise = "nothing")]
    pub classes: Vec<Placed<Classes>>,
    /// When a switch stops its neighbours, and which.
    #[key(default = "{ kind = \"none\" }")]
    pub flow_control: Placed<Chosen<FlowControl>>,
    /// What every switch does about a stop that does not end.
    #[key(otherwise = "nothing")]
    pub watchdog: Option<Watchdog>,
    /// What differs in single nodes.
    #[key(otherwise = "nothing")]
    pub nodes: Vec<Placed<Nodes>>,
    /// Paths that are not the shortest.
    #[key(otherwise = "the shortest")]
    pub routes: Vec<Placed<Routes>>,
    /// The TCP of all flows.
    #[key(default = "{}")]
    pub tcp: Placed<Tcp>,
    /// What all queue pairs do (`transport = "roce"`).
    #[key(default = "{}")]
    pub roce: Placed<Roce>,
    /// Flows.
    #[key(
        otherwise = "none besides those of `[[patterns]]`, `[[workloads]]`, `[[collectives]]` and \
                     `[[jobs]]`"
    )]
    pub flows: Placed<Vec<Placed<Flows>>>,
    /// Flows by rule.
    #[key(otherwise = "none")]
    pub patterns: Placed<Vec<Placed<Patterns>>>,
    /// Flows that begin while the run goes on.
    #[key(otherwise = "none")]
    pub workloads: Placed<Vec<Placed<Workloads>>>,
    /// Collective operations of hosts.
    #[key(otherwise = "none")]
    pub collectives: Placed<Vec<Placed<Collectives>>>,
    /// Jobs of hosts that compute and communicate.
    #[key(otherwise = "none")]
    pub jobs: Placed<Vec<Placed<Jobs>>>,
    /// Time series to record.
    #[key(otherwise = "none")]
    pub series: Vec<Placed<Series>>,
    /// What varies in a sweep.
    #[key(otherwise = "nothing")]
    pub sweep: Option<Sweep>,
}

impl EthernetFile {
    /// What is said of the queues of single classes, and of single links.
    pub(crate) fn own_queues(&self) -> Vec<(&QueueSettings, Option<u8>)> {
        let classes = self.classes.iter();
        let classes = classes.map(|own| (&own.queues, own.class.sure().copied()));
        let links = self.links.iter();
        let channels = links.flat_map(|own| {
            let ways = [&own.forward, &own.backward].into_iter().flatten();
            ways.chain([&own.channel])
        });
        let trunk = self.topology.iter().filter_map(|own| own.trunk.as_ref());
        let links = channels.chain(trunk).map(|own| (&own.queues, None));
        classes.chain(links).collect()
    }
}

/// Milliseconds after which stopped queues are checked for a deadlock, where `run.stall` is not
/// given.
pub(crate) const STALL_MS: Usual<u64> = usual!(200);

/// How long to simulate, and from which seed.
#[table("[run]")]
pub(crate) struct Run {
    /// The run ends after this long.
    #[key(is = Clock { min_ps: 1 })]
    pub duration: Placed<Time>,
    /// Statistics start after this long.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub warm_up: Placed<Time>,
    /// Root of every random stream: the same seed gives the same run, bit for bit.
    #[key(is = Whole { min: 0, max: u64::MAX, unit: "" }, default = "1")]
    pub seed: u64,
    /// Queues stopped for this long without sending are checked for a deadlock.
    #[key(is = Clock { min_ps: 1 }, otherwise = "{STALL_MS} ms; a tenth of shorter runs")]
    pub stall: Placed<Option<Duration>>,
    /// Each source starts up to so much later than its `start` says, drawn evenly by the seed: what
    /// else draws nothing differs from seed to seed.
    #[key(is = Clock { min_ps: 1 }, otherwise = "none")]
    pub start_jitter: Option<Duration>,
}
