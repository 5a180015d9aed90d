//! Small networks for the tests of the engine, written down by hand.

mod books;
pub mod chain;
mod draw;
pub mod figure_5;
mod figures;
mod held;
mod port_log;
mod rated;
mod watch;

pub use books::{Books, complaints};
pub use draw::*;
pub use figures::*;
pub use held::*;
pub use port_log::{PortLog, observe};
pub use rated::over_abr;
pub use watch::Watch;

use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::outcome::Outcome;
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};

pub const RATE: Rate = Rate(622_000_000);
pub const BYTES: u32 = 53;

pub fn cell() -> Duration {
    RATE.serialization(BYTES as u64)
}

/// `halves` half cell times.
pub fn halves(halves: u64) -> Duration {
    Duration(cell().ps() / 2 * halves)
}

pub fn cells(cells: u64) -> Duration {
    halves(2 * cells)
}

pub fn at(cells: u64) -> Time {
    Time::ZERO + halves(2 * cells)
}

/// Builds networks link by link, flow by flow.
pub struct Net {
    pub spec: NetworkSpec,
    pub timing: Timing,
    pub delay: Duration,
}

impl Net {
    pub fn new(timing: Timing, delay: Duration, stop_at: Time) -> Net {
        Net {
            spec: NetworkSpec::new(stop_at),
            timing,
            delay,
        }
    }

    pub fn node(&mut self, name: &str, kind: NodeKind) -> u32 {
        self.spec.node(name, kind)
    }

    pub fn channel(&self) -> ChannelSpec {
        ChannelSpec {
            timing: self.timing,
            ..ChannelSpec::new(RATE, self.delay)
        }
    }

    /// Joins two nodes; the channel from `a` to `b`.
    pub fn link(&mut self, a: u32, b: u32) -> u32 {
        let channel = self.channel();
        self.spec.link([a, b], channel)
    }

    /// The true control loop.
    pub fn loop_time(&self) -> Duration {
        self.channel().control_loop(BYTES)
    }

    pub fn n23(&self, n2: u32, n3: u32) -> FlowControlSpec {
        FlowControlSpec::Credit(self.credit(CreditRule::N23, 0, n2, n3))
    }

    pub fn credit(&self, rule: CreditRule, n1: u32, n2: u32, n3: u32) -> CreditSpec {
        CreditSpec {
            rule,
            n1,
            ..CreditSpec::n23(n2, n3, self.loop_time())
        }
    }

    /// A greedy flow over `channels`, one after another.
    pub fn flow(&mut self, source: u32, channels: &[u32], control: FlowControlSpec) -> usize {
        let path: Vec<_> = channels.iter().map(|channel| (*channel, control)).collect();
        let name = format!("VC{}", self.spec.flows.len() + 1);
        self.spec.flows.push(FlowSpec::new(&name, source, &path));
        self.spec.flows.len() - 1
    }
}

/// What ended of a distribution, in picoseconds; what was under way is left out.
#[derive(Debug)]
pub struct Ended {
    pub count: u64,
    pub min: u64,
    pub max: u64,
    pub mean: f64,
}

/// Of those of flow `flow`.
pub fn responses_of(outcome: &Outcome, flow: usize) -> Ended {
    let found = &outcome.flows[flow].responses;
    let last = found.cumulative().last();
    Ended {
        count: found.count(),
        min: found.min().map_or(0, |ps| ps as u64),
        max: last.map_or(0, |(ps, _)| ps as u64),
        mean: found.sum() / found.count() as f64,
    }
}

/// Runs to the end.
pub fn run(spec: &NetworkSpec) -> Outcome {
    let mut simulation = Simulation::<Rings>::new(spec).expect("it is sound");
    simulation.run();
    simulation.outcome()
}

/// Runs to the end and watches one leg; nothing may be broken.
pub fn watch(spec: &NetworkSpec, leg: u32) -> Watch {
    let (probe, outcome) = watched(spec, Watch::of(leg)).expect("it is sound");
    assert_eq!(outcome.violations.total(), 0);
    probe
}
