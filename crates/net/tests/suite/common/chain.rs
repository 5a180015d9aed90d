//! Random chains of switches with reservations: honest flows, misbehaving ones, datagrams.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::*;

/// What a chain is made of.
#[derive(Clone, Copy)]
pub struct Kind {
    pub scheduler: SchedulerSpec,
    /// Flows that reserve nothing.
    pub datagrams: bool,
    /// Flows that send more than they reserve.
    pub misbehavers: bool,
}

/// Random choices of one chain.
pub struct Dice(Stream);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Stream::new(seed, 0, Purpose::Pattern))
    }

    /// From `low` to `high`, both included.
    pub fn from(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.below(of.len() as u64) as usize]
    }
}

/// A byte takes a microsecond on a trunk: transmission times are whole picoseconds.
const TRUNK: Rate = Rate(8_000_000);
const SIZES: [u32; 4] = [50, 125, 250, 1000];
/// Reservations are multiples of this share of a trunk.
const PARTS: u64 = 200;

/// One to five switches in a row, flows between hosts of their own.
pub fn chain(seed: u64, kind: Kind) -> NetworkSpec {
    let mut dice = Dice::new(seed);
    let switches = dice.from(2, 6) as u32;
    let mut spec = NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed,
        stop_at: Time(dice.from(1, 5) * 100_000_000_000),
        warm_up: Time::ZERO,
        nodes: Vec::new(),
        links: Vec::new(),
        flows: Vec::new(),
    };
    for index in 0..switches {
        node(&mut spec, format!("S{index}"), NodeKind::Switch);
    }
    for index in 1..switches {
        let delay = Duration(dice.from(1, 5_000_000_000));
        link(&mut spec, (index - 1, index), TRUNK, delay, kind.scheduler);
    }
    let mut room = vec![PARTS; switches as usize - 1];
    let wanted = dice.from(3, 14);
    for _ in 0..wanted {
        add_flow(&mut spec, &mut dice, kind, &mut room);
    }
    spec
}

fn node(spec: &mut NetworkSpec, name: String, kind: NodeKind) -> u32 {
    spec.nodes.push(NodeSpec {
        name,
        kind,
        pool: None,
    });
    spec.nodes.len() as u32 - 1
}

fn link(
    spec: &mut NetworkSpec,
    (a, b): (u32, u32),
    rate: Rate,
    delay: Duration,
    scheduler: SchedulerSpec,
) -> u32 {
    let channel = ChannelSpec {
        rate,
        delay,
        handling: Duration::ZERO,
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler,
    };
    spec.links.push(LinkSpec::symmetric([a, b], channel));
    2 * (spec.links.len() as u32 - 1)
}

fn add_flow(spec: &mut NetworkSpec, dice: &mut Dice, kind: Kind, room: &mut [u64]) {
    let trunks = room.len() as u64;
    let first = dice.from(0, trunks - 1) as usize;
    let last = dice.from(first as u64, trunks - 1) as usize;
    let least = room[first..=last].iter().copied().min().unwrap_or(0);
    let is_datagram = kind.datagrams && dice.one_in(5);
    // Often all that is left, so that trunks fill up.
    let parts = if dice.one_in(3) {
        least
    } else {
        dice.from(0, least)
    };
    if parts == 0 && !is_datagram {
        return;
    }
    let rate = Rate(TRUNK.0 / PARTS * parts.max(4));
    let (from, to) = (first as u32, last as u32 + 1);
    let name = format!("F{}", spec.flows.len());
    let source = node(spec, format!("{name}-from"), NodeKind::Host);
    let sink = node(spec, format!("{name}-to"), NodeKind::Host);
    let fast = Rate(dice.pick(&[8_000_000, 80_000_000, 800_000_000]));
    let delay = Duration(dice.from(1, 1_000_000_000));
    let mut way = vec![link(spec, (source, from), fast, delay, kind.scheduler)];
    way.extend((first..=last).map(|trunk| 2 * trunk as u32));
    way.push(link(spec, (to, sink), TRUNK, delay, kind.scheduler));
    let mut flow = bare_flow(name, source, &way);
    sizes(&mut flow, dice);
    let unit = rate.tick(flow.unit_bytes as u64);
    flow.traffic = traffic(dice, unit);
    if is_datagram {
        spec.flows.push(flow);
        return;
    }
    room[first..=last]
        .iter_mut()
        .for_each(|room| *room -= parts);
    flow.reserve = Some(ReserveSpec {
        rate,
        interval: Some(Duration(unit.ps() * dice.from(1, 12))),
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: Some(Duration(unit.ps() * dice.from(2, 12))),
    });
    if !(kind.misbehavers && dice.one_in(4)) {
        flow.envelope = Some(envelope(dice, rate, unit));
    }
    spec.flows.push(flow);
}

fn bare_flow(name: String, source: u32, way: &[u32]) -> FlowSpec {
    let legs = way.iter().enumerate().map(|(index, &channel)| LegSpec {
        channel,
        parent: index.checked_sub(1).map(|parent| parent as u32),
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Keep,
        },
    });
    FlowSpec {
        name,
        source,
        legs: legs.collect(),
        priority: 0,
        unit_bytes: 250,
        sizes: Vec::new(),
        traffic: TrafficSpec::Silent,
        source_control: SourceControlSpec::None,
        sink: SinkSpec::Infinite,
        partner: None,
        reserve: None,
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    }
}

fn sizes(flow: &mut FlowSpec, dice: &mut Dice) {
    flow.unit_bytes = dice.pick(&SIZES);
    if dice.one_in(3) {
        let smaller = SIZES.iter().filter(|&&bytes| bytes <= flow.unit_bytes);
        let share = |&bytes: &u32| SizeShare { bytes, share: 1.0 };
        flow.sizes = smaller.map(share).collect();
    }
}

/// Up to five times what the flow reserves.
fn traffic(dice: &mut Dice, unit: Duration) -> TrafficSpec {
    let interval = Duration((unit.ps() / dice.from(1, 5)).max(1));
    let start = Time(dice.from(0, unit.ps()));
    match dice.from(0, 2) {
        0 => TrafficSpec::Constant {
            start,
            interval,
            random_phase: false,
            total: None,
        },
        1 => TrafficSpec::Poisson {
            start,
            mean_interval: interval,
            min_interval: Duration::ZERO,
            total: None,
        },
        _ => TrafficSpec::OnOff {
            start,
            on: Span::Exponential(Duration(unit.ps() * 8)),
            off: Span::Exponential(Duration(unit.ps() * dice.from(1, 30))),
            on_interval: Duration((interval.ps() / 4).max(1)),
            off_interval: None,
        },
    }
}

fn envelope(dice: &mut Dice, rate: Rate, unit: Duration) -> EnvelopeSpec {
    let units = dice.from(1, 8) as u32;
    let interval = Duration(unit.ps() * units as u64);
    let rule = match dice.from(0, 2) {
        0 => EnvelopeRule::FixedWindow {
            units,
            interval,
            phase: None,
        },
        1 => EnvelopeRule::SlidingWindow { units, interval },
        _ => EnvelopeRule::Bucket {
            rate,
            tolerance: Duration(unit.ps() * (units as u64 - 1)),
        },
    };
    let excess = dice.pick(&[Excess::Drop, Excess::Delay]);
    EnvelopeSpec { rule, excess }
}
