//! Random networks with sessions, warnings and limits of residence.

use backwater_kernel::Channels;
use backwater_net::spec::{
    EnvelopeRule, EnvelopeSpec, ErrorSpec, Excess, Hold, PoolSpec, Resync, SessionSpec, Stamp,
    VirtualClockSpec, WhenFull,
};

use super::*;

/// A random network with sessions that open and close, under any discipline: reservations that
/// just fill a channel or miss by a bit per second, instants that many flows share, flows that
/// begin at a switch, pools, envelopes, credit, warnings. The same seed gives the same network.
pub fn random_session_spec(seed: u64) -> NetworkSpec {
    let mut dice = dice(seed ^ 0x5e55_1045);
    let scheduler = match dice.between(0, 9) {
        0..=2 => warning_clock(&mut dice),
        3 | 4 => residing(&mut dice),
        5 => SchedulerSpec::Fifo,
        6 => SchedulerSpec::Wf2qPlus,
        7 => SchedulerSpec::Drr { quantum_bytes: 500 },
        8 => SchedulerSpec::Scfq,
        _ => SchedulerSpec::RoundRobin,
    };
    let mut spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
    if !dice.one_in(3) {
        equal_rates(&mut dice, &mut spec);
    }
    shorten(&mut dice, &mut spec);
    // The same ways again, at other times.
    spec.flows.extend(spec.flows.clone());
    let span = dice.between(100, 900);
    let instants: Vec<Time> = (0..4).map(|_| Time(dice.span(0, span).ps())).collect();
    for index in 0..spec.flows.len() {
        let slowest = slowest(&spec, index);
        let flow = &mut spec.flows[index];
        start_at_a_switch(&mut dice, &spec.links, flow);
        fill(&mut dice, flow, slowest);
        if !dice.one_in(5) {
            flow.session = Some(session(&mut dice, &instants, span));
        }
        hurry(&mut dice, flow);
        if dice.one_in(2) {
            flow.envelope = Some(gate(&mut dice, true));
        }
        if dice.one_in(6) {
            flow.policer = Some(gate(&mut dice, false));
        }
        heed(&mut dice, flow);
    }
    finish(&mut dice, &mut spec);
    spec
}

/// A random network whose ports warn sources, or drop what would wait for too long; there are no
/// sessions, but control units that get lost.
pub fn random_warning_spec(seed: u64) -> NetworkSpec {
    let mut dice = dice(seed ^ 0x3a26_0001);
    let scheduler = warning_clock(&mut dice);
    let mut spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
    shorten(&mut dice, &mut spec);
    for flow in &mut spec.flows {
        start_at_a_switch(&mut dice, &spec.links, flow);
        hurry(&mut dice, flow);
        if dice.one_in(5) {
            flow.policer = Some(gate(&mut dice, false));
        }
        heed(&mut dice, flow);
    }
    if dice.one_in(4) {
        for link in &mut spec.links {
            let errors = ErrorSpec {
                control_loss: 0.2,
                control_corruption: 0.2,
                ..ErrorSpec::default()
            };
            (link.channels[0].errors, link.channels[1].errors) = (errors, errors);
        }
    }
    finish(&mut dice, &mut spec);
    spec
}

/// A random network of asynchronous traffic shaping with a limit of residence.
pub fn random_residence_spec(seed: u64) -> NetworkSpec {
    let mut dice = dice(seed ^ 0x0a75);
    let scheduler = residing(&mut dice);
    let mut spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
    shorten(&mut dice, &mut spec);
    for flow in &mut spec.flows {
        hurry(&mut dice, flow);
    }
    finish(&mut dice, &mut spec);
    spec
}

fn dice(seed: u64) -> Dice {
    let mut dice = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(seed),
        on_grid: false,
        cell_ps: CELL_PS,
    };
    dice.on_grid = dice.one_in(2);
    dice
}

/// Short wires, a short run.
fn shorten(dice: &mut Dice, spec: &mut NetworkSpec) {
    for channel in spec.links.iter_mut().flat_map(|link| &mut link.channels) {
        channel.delay = Duration(channel.delay.ps().min(dice.span(5, 40).ps()));
    }
    for flow in &mut spec.flows {
        for leg in &mut flow.legs {
            if let FlowControlSpec::Credit(credit) = &mut leg.flow_control {
                credit.window = exact_window(&spec.links, leg.channel, flow.unit_bytes);
            }
        }
    }
    spec.stop_at = Time(dice.between(60, 130) * CELL_PS);
}

/// All channels have the same rate.
fn equal_rates(dice: &mut Dice, spec: &mut NetworkSpec) {
    let rate = dice.pick(&[Rate(1_000_000_000), Rate(622_000_000)]);
    for link in &mut spec.links {
        (link.channels[0].rate, link.channels[1].rate) = (rate, rate);
    }
}

fn warning_clock(dice: &mut Dice) -> SchedulerSpec {
    SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp: Stamp::AuxVc,
        resync: dice.pick(&[Resync::None, Resync::IdleLink, Resync::Literal]),
        threshold: dice.one_in(2).then(|| dice.span(0, 60)),
        alarm_bytes: Some(dice.pick(&[1, 53, 53, 64, 300])),
    })
}

fn residing(dice: &mut Dice) -> SchedulerSpec {
    let most = dice.pick(&[0, 20, 100, 400]);
    SchedulerSpec::Ats {
        max_residence: Some(dice.span(0, most)),
    }
}

/// Rate of the slowest channel on the way of a flow.
fn slowest(spec: &NetworkSpec, index: usize) -> u64 {
    let rate = |leg: &LegSpec| spec.links.channel(leg.channel).rate.0;
    let rates = spec.flows[index].legs.iter().map(rate);
    rates.min().unwrap_or(1)
}

/// The source is the first switch on its way, where there is just one way from it.
fn start_at_a_switch(dice: &mut Dice, links: &[LinkSpec], flow: &mut FlowSpec) {
    let roots = flow.legs.iter().filter(|leg| leg.parent.is_none()).count();
    if roots != 1 || flow.legs.len() < 2 || !dice.one_in(5) {
        return;
    }
    let first = flow.legs.remove(0).channel;
    let link = &links[first as usize / 2];
    flow.source = match first % 2 {
        0 => link.ends[1],
        _ => link.ends[0],
    };
    for leg in &mut flow.legs {
        leg.parent = leg.parent.and_then(|parent| parent.checked_sub(1));
    }
}

/// Reservations that add up to a channel's rate, or to a little more.
fn fill(dice: &mut Dice, flow: &mut FlowSpec, slowest: u64) {
    let parts = dice.pick(&[1, 2, 2, 3, 3, 4]);
    let more = dice.pick(&[0, 0, 0, 1]);
    let changes = !dice.one_in(5);
    if let Some(reserve) = flow.reserve.as_mut().filter(|_| changes) {
        reserve.rate = Rate(slowest / parts + more);
    }
}

/// A flow offers several times what it reserves.
fn hurry(dice: &mut Dice, flow: &mut FlowSpec) {
    if !dice.one_in(2) {
        return;
    }
    let times = dice.between(2, 6);
    match &mut flow.traffic {
        TrafficSpec::Constant { interval, .. } => *interval = Duration(interval.ps() / times),
        TrafficSpec::OnOff { on_interval, .. } => {
            *on_interval = Duration(on_interval.ps() / times);
        }
        _ => {}
    }
}

fn session(dice: &mut Dice, instants: &[Time], span: u64) -> SessionSpec {
    let at = |dice: &mut Dice| match dice.between(0, 5) {
        0 => Time::ZERO,
        1 | 2 => Time(dice.span(0, span).ps()),
        _ => dice.pick(instants),
    };
    let open = at(dice);
    let close = match dice.between(0, 5) {
        0 => None,
        1 => Some(open + Duration(1)),
        2 => Some(open + dice.span(0, 200)),
        _ => Some(at(dice)),
    };
    SessionSpec {
        open,
        close: close.filter(|close| *close > open),
        message_bytes: dice.pick(&[1, 53, 53, 64, 200]),
    }
}

fn gate(dice: &mut Dice, freezes: bool) -> EnvelopeSpec {
    let units = dice.between(1, 4) as u32;
    let interval = Duration(dice.span(10, 100).ps() * u64::from(units) + 1);
    EnvelopeSpec {
        rule: match dice.one_in(2) {
            true => EnvelopeRule::SlidingWindow { units, interval },
            false => EnvelopeRule::Bucket {
                rate: Rate(dice.between(5, 400) * 1_000_000),
                tolerance: interval,
            },
        },
        excess: match dice.between(0, 3) {
            0 => Excess::Drop,
            1 if freezes => Excess::Freeze,
            _ => Excess::Delay,
        },
    }
}

fn heed(dice: &mut Dice, flow: &mut FlowSpec) {
    if flow.reserve.is_none() {
        return;
    }
    flow.on_alarm = match dice.between(0, 3) {
        0 => OnAlarm::Ignore,
        1 => OnAlarm::Obey,
        _ => OnAlarm::SlowDown {
            factor: dice.pick(&[0.5, 0.9, 0.77, 0.1]),
        },
    };
}

/// Pools; endless sources where units are not dropped at their own port.
fn finish(dice: &mut Dice, spec: &mut NetworkSpec) {
    for flow in &mut spec.flows {
        let first = &spec.links[flow.legs[0].channel as usize / 2];
        let is_ats = matches!(first.channels[0].scheduler, SchedulerSpec::Ats { .. });
        if let (TrafficSpec::Greedy { start, total }, true) = (&flow.traffic, is_ats) {
            flow.traffic = TrafficSpec::Constant {
                start: *start,
                interval: dice.span(5, 30) + Duration(1),
                random_phase: false,
                total: *total,
            };
        }
    }
    let has_credit = |flow: &FlowSpec| {
        let mut legs = flow.legs.iter();
        legs.any(|leg| leg.flow_control != FlowControlSpec::None)
    };
    if spec.flows.iter().any(has_credit) || !dice.one_in(2) {
        return;
    }
    let switches = spec.nodes.iter_mut();
    for node in switches.filter(|node| node.kind == NodeKind::Switch) {
        node.pool = Some(PoolSpec {
            limit_units: Some(dice.between(1, 8) as u32),
            limit_bytes: None,
            when_full: dice.pick(&[WhenFull::TailDrop, WhenFull::PushOut]),
            hold: dice.pick(&[Hold::Start, Hold::End]),
            alpha: None,
        });
    }
}
