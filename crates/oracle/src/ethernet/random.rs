//! Random small networks to compare engines on.

mod control;
mod credits;
mod pairs;
mod rates;
mod schedulers;
mod shape;
mod traffic;
mod trims;
mod waits;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::{
    ErrorSpec, EthernetSpec, FrameRules, NodeKind, OutageSpec, SchedulerSpec, Spread, StormSpec,
};
pub use schedulers::SCHEDULERS;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What stops whom in a random network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Nothing.
    Off,
    /// Whole ports.
    Port,
    /// Classes.
    Class,
    /// All destinations found.
    Destination,
    /// Destinations drawn.
    Drawn,
}

/// All schemes.
pub const SCHEMES: [Scheme; 5] = [
    Scheme::Off,
    Scheme::Port,
    Scheme::Class,
    Scheme::Destination,
    Scheme::Drawn,
];

/// What a random network may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mix {
    /// The scheme of its switches.
    pub scheme: Scheme,
    /// Congestion may be seen at inputs.
    pub has_inputs: bool,
    /// Inputs may have stops of their own, of whole ports or of classes, where no output stops.
    pub has_own_stops: bool,
    /// Switches may share memory.
    pub has_shared: bool,
    /// Nodes may be deaf or send storms.
    pub has_faults: bool,
    /// Nodes may have watchdogs.
    pub has_watchdogs: bool,
    /// Switches may give up neighbours.
    pub has_time_outs: bool,
    /// Switches may limit the share of stopped frames.
    pub has_blocked: bool,
    /// Stops may end by themselves.
    pub has_quanta: bool,
    /// Connections too, besides datagrams.
    pub has_tcp: bool,
    /// Connections are of queue pairs (with `has_tcp`), and switches may mark what leaves.
    pub has_pairs: bool,
    /// Most connections carry messages that wait for others.
    pub has_waits: bool,
    /// Datagrams too (with `has_waits`).
    pub has_datagram_waits: bool,
    /// Queues may state rates, and queue pairs obey them (with `has_pairs`).
    pub has_rates: bool,
    /// Queues may trim (with `has_pairs`, where nothing stops and nothing has credit).
    pub has_trims: bool,
    /// All sources end.
    pub is_finite: bool,
    /// Which of several ways frames take.
    pub spread: Spread,
    /// Stations may have several links, and rules for them.
    pub has_nics: bool,
    /// Some stations forward, and some are joined to each other.
    pub has_forwarders: bool,
    /// Datagrams may go to several stations.
    pub has_multicast: bool,
    /// Wires may lose frames, and links may be cut.
    pub has_losses: bool,
    /// Classes that nothing stops may have credit.
    pub has_credits: bool,
    /// Of switches with credit most have counters (with `has_credits`).
    pub has_counters: bool,
    /// and their messages may wait until a link is idle.
    pub may_wait: bool,
    /// Flows and stations may have credit of their own (with `has_credits`).
    pub has_lanes: bool,
    /// Flows may be hashed to some lanes, too.
    pub has_hashes: bool,
    /// Ports may serve classes by these, besides strict priority and turns.
    pub schedulers: &'static [SchedulerSpec],
    /// Standstills are looked for; runs are longer, and much is overloaded.
    pub has_looks: bool,
}

impl Mix {
    /// Everything that goes together, under one scheme.
    pub const fn of(scheme: Scheme) -> Mix {
        Mix {
            scheme,
            has_inputs: true,
            has_own_stops: false,
            has_shared: true,
            has_faults: true,
            has_watchdogs: true,
            has_time_outs: true,
            has_blocked: true,
            has_quanta: true,
            has_tcp: true,
            has_pairs: false,
            has_waits: false,
            has_datagram_waits: false,
            has_rates: false,
            has_trims: false,
            is_finite: false,
            spread: Spread::Flows,
            has_nics: false,
            has_forwarders: false,
            has_multicast: false,
            has_losses: false,
            has_credits: false,
            has_counters: false,
            may_wait: false,
            has_lanes: false,
            has_hashes: false,
            schedulers: &[],
            has_looks: false,
        }
    }
}

/// Every way to part the frames of a flow.
pub const SPREADS: [Spread; 5] = [
    Spread::Frames,
    Spread::Entropies { count: 8 },
    Spread::RoundRobin,
    Spread::Adaptive,
    Spread::Flowlets {
        gap: Duration(40_000_000),
    },
];

struct Dice {
    stream: Xoshiro256PlusPlus,
    /// Times are multiples of a microsecond and frames are alike, so that many things coincide.
    on_grid: bool,
}

impl Dice {
    /// Both ends included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.stream.next_u64() % (high - low + 1)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.between(1, count) == 1
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() as u64 - 1) as usize].clone()
    }

    /// A time between so many nanoseconds.
    fn span(&mut self, low_ns: u64, high_ns: u64) -> Duration {
        match self.on_grid {
            true => Duration(self.between(low_ns.div_ceil(1_000), high_ns / 1_000) * 1_000_000),
            false => Duration(self.between(low_ns * 1_000, high_ns * 1_000)),
        }
    }
}

/// A network of 2 to 8 stations and 1 to 5 switches; the same for the same seed and mix.
pub fn random_spec(seed: u64, mix: Mix) -> EthernetSpec {
    let mut dice = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(seed),
        on_grid: seed.is_multiple_of(3),
    };
    let fast = dice.pick(&[100_000_000, 1_000_000_000]);
    let rates = rates(&mut dice, fast, mix);
    let mut spec = EthernetSpec {
        seed,
        stop_at: Time(Rate(fast).serialization(1_538).ps() * 200),
        warm_up: Time::ZERO,
        nodes: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
        outages: Vec::new(),
        rules: FrameRules {
            spread: mix.spread,
            ..FrameRules::shortest(Duration(u64::MAX / 4))
        },
    };
    shape::build(&mut dice, &mut spec, &rates, mix);
    control::fill(&mut dice, &mut spec, mix);
    traffic::fill(&mut dice, &mut spec, mix);
    // Dice of their own: what else there is stays what it was.
    let mut own = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(!seed),
        on_grid: dice.on_grid,
    };
    control::stopped(&mut own, &mut spec, mix);
    if mix.has_pairs {
        pairs::fill(&mut own, &mut spec);
    }
    if mix.has_waits {
        waits::fill(&mut own, &mut spec, mix.has_datagram_waits);
    }
    rates::fill(&mut own, &mut spec, mix);
    if mix.has_trims {
        trims::fill(&mut own, &mut spec);
    }
    if mix.has_own_stops {
        control::own_stops(&mut own, &mut spec, mix);
    }
    if mix.has_credits {
        credits::fill(&mut dice, &mut spec, mix);
    }
    if !mix.schedulers.is_empty() {
        schedulers::fill(&mut dice, &mut spec, mix.schedulers);
    }
    if mix.has_losses {
        losses(&mut dice, &mut spec);
    }
    if mix.has_looks {
        looks(&mut dice, &mut spec, mix);
    }
    spec
}

/// Time to look for standstills, and one that never lets go.
fn looks(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    let stop_at = spec.stop_at.ps();
    spec.stop_at = Time(2 * stop_at);
    spec.rules.stall_after = Duration(dice.between(stop_at / 20, stop_at / 3));
    spec.nodes.iter_mut().for_each(|node| node.is_deaf = false);
    if mix.has_faults {
        let station = dice.pick(&stations(spec)) as usize;
        let storm = StormSpec {
            from: Time(dice.between(0, stop_at)),
            until: Time(4 * stop_at),
            classes: None,
            quanta: 60_000,
        };
        spec.nodes[station].kind = NodeKind::Station { storm: Some(storm) };
    }
}

/// Rates of links, of which each has one.
fn rates(dice: &mut Dice, fast: u64, mix: Mix) -> [u64; 4] {
    match dice.between(0, 2) {
        _ if mix.has_looks => [fast; 4],
        0 => [fast; 4],
        1 => [fast, fast, fast / 2, fast / 10],
        _ => [fast, fast, fast / 10, 10_000_000],
    }
}

/// Errors on half of the channels, and a link that is cut once or twice.
fn losses(dice: &mut Dice, spec: &mut EthernetSpec) {
    let stop_at = spec.stop_at.ps();
    for link in &mut spec.links {
        for channel in &mut link.channels {
            if dice.one_in(2) {
                channel.errors = ErrorSpec {
                    data_loss: dice.pick(&[0.0, 0.01, 0.2]),
                    control_loss: dice.pick(&[0.0, 0.1, 0.5]),
                    control_corruption: 0.0,
                    from: Time(dice.pick(&[0, stop_at / 4])),
                };
            }
        }
    }
    for _ in 0..dice.between(0, 2) {
        let channel = dice.between(0, 2 * spec.links.len() as u64 - 1) as u32;
        let from = dice.between(0, stop_at - 1);
        spec.outages.push(OutageSpec {
            channel,
            from: Time(from),
            until: Time(from + dice.between(1, stop_at / 4)),
        });
    }
}

fn stations(spec: &EthernetSpec) -> Vec<u32> {
    let nodes = (0_u32..).zip(&spec.nodes);
    nodes
        .filter(|(_, node)| matches!(node.kind, NodeKind::Station { .. }))
        .map(|(index, _)| index)
        .collect()
}
