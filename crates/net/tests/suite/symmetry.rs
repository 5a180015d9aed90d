//! Where a flow stands in the scenario decides nothing about how long its units wait: flows that
//! are alike wait alike, and flows that are told in another order wait as before, under every
//! discipline.

use crate::common;

use backwater_kernel::stats::interval_of_means;
use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};
use backwater_net::spec::*;
use common::*;

const FLOWS: usize = 5;
const SEEDS: u64 = 10;
/// How long a run takes.
const CELLS: u64 = 12_000;

/// A flow of Poisson arrivals.
#[derive(Clone, Copy)]
struct Kind {
    /// In bytes.
    unit: u32,
    /// Shares of the link in percent: offered, and reserved.
    load: u64,
    reserve: u64,
}

const ALIKE: [Kind; FLOWS] = [kind(BYTES, 18, 20); FLOWS];

/// No two alike.
const UNLIKE: [Kind; FLOWS] = [
    kind(BYTES, 30, 35),
    kind(2 * BYTES, 10, 20),
    kind(BYTES, 5, 5),
    kind(BYTES / 2, 20, 25),
    kind(3 * BYTES, 25, 15),
];

const fn kind(unit: u32, load: u64, reserve: u64) -> Kind {
    Kind {
        unit,
        load,
        reserve,
    }
}

fn disciplines() -> Vec<SchedulerSpec> {
    let clock = |stamp, resync| {
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp,
            resync,
            threshold: None,
            alarm_bytes: None,
        })
    };
    vec![
        SchedulerSpec::RoundRobin,
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        clock(Stamp::AuxVc, Resync::None),
        clock(Stamp::AuxVc, Resync::IdleLink),
        clock(Stamp::AuxVc, Resync::Literal),
        clock(Stamp::VirtualClock, Resync::None),
        SchedulerSpec::Wfq,
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
        SchedulerSpec::Drr { quantum_bytes: 53 },
        SchedulerSpec::Edf,
        SchedulerSpec::Ats {
            max_residence: None,
        },
    ]
}

/// Mean time from end to end of each of `flows`, told in this order, in cell times.
fn waits(scheduler: SchedulerSpec, flows: &[Kind], seed: u64) -> Vec<f64> {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(CELLS));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.spec.seed = seed;
    net.spec.links[0].channels[0].scheduler = scheduler;
    for kind in flows {
        let id = net.flow(a, &[link], FlowControlSpec::None);
        let flow = &mut net.spec.flows[id];
        flow.unit_bytes = kind.unit;
        flow.traffic = TrafficSpec::Poisson {
            start: Time::ZERO,
            mean_interval: Duration(RATE.tick(u64::from(kind.unit)).ps() * 100 / kind.load),
            min_interval: Duration::ZERO,
            total: None,
        };
        flow.reserve = Some(ReserveSpec {
            rate: backwater_kernel::Rate(RATE.0 / 100 * kind.reserve),
            interval: Some(cells(40)),
            burst_bytes: Some(u64::from(4 * kind.unit)),
            offset: Duration::ZERO,
            deadline: None,
        });
    }
    let flows = run(&net.spec).flows;
    let mean = |flow: &backwater_net::outcome::FlowOutcome| flow.delay.mean / cell().ps() as f64;
    flows.iter().map(mean).collect()
}

/// Mean and half width for each flow; `waits` gives those of one seed.
fn over_seeds(waits: impl Fn(u64) -> Vec<f64>) -> Vec<(f64, f64)> {
    let seeds: Vec<Vec<f64>> = (1..=SEEDS).map(waits).collect();
    let of_flow = |flow: usize| {
        let means: Vec<f64> = seeds.iter().map(|waits| waits[flow]).collect();
        interval_of_means(&means).expect("several finite means")
    };
    (0..FLOWS).map(of_flow).collect()
}

/// Have the two intervals something in common?
fn meet((one, one_half): (f64, f64), (other, other_half): (f64, f64)) -> bool {
    (one - other).abs() <= one_half + other_half
}

fn all_meet(waits: &[(f64, f64)]) -> bool {
    let mut pairs = waits
        .iter()
        .flat_map(|one| waits.iter().map(move |other| (one, other)));
    pairs.all(|(one, other)| meet(*one, *other))
}

#[test]
fn flows_that_are_alike_wait_alike() {
    for scheduler in disciplines() {
        let waits = over_seeds(|seed| waits(scheduler, &ALIKE, seed));
        assert!(all_meet(&waits), "{scheduler:?}: {waits:?}");
    }
}

/// From the last to the first.
#[test]
fn flows_that_are_told_in_another_order_wait_as_before() {
    for scheduler in disciplines() {
        let order: Vec<usize> = (0..FLOWS).rev().collect();
        let flows: Vec<Kind> = order.iter().map(|&flow| UNLIKE[flow]).collect();
        let before = over_seeds(|seed| waits(scheduler, &UNLIKE, seed));
        let after = over_seeds(|seed| waits(scheduler, &flows, seed));
        for (place, &flow) in order.iter().enumerate() {
            let (before, after) = (before[flow], after[place]);
            let told = format!("{scheduler:?}, flow {flow}: {before:?} and {after:?}");
            assert!(meet(before, after), "{told}");
        }
        let by_arrival = [SchedulerSpec::Fifo, SchedulerSpec::StrictPriority];
        let differ = !all_meet(&before);
        assert!(differ || by_arrival.contains(&scheduler), "{scheduler:?}");
    }
}

/// Round robin goes round by flow, deficit round robin keeps a list of those that wait: who joins
/// it stands behind the flow that always has units if that one waits, by flow in some cases only.
#[test]
fn round_robin_by_flow_is_not_round_robin_over_a_list() {
    let mut flows = [kind(BYTES, 15, 20); FLOWS];
    flows[0].load = 100;
    let light = |scheduler| over_seeds(|seed| waits(scheduler, &flows, seed)).split_off(1);
    let by_flow = light(SchedulerSpec::RoundRobin);
    let listed = light(SchedulerSpec::Drr {
        quantum_bytes: BYTES,
    });
    // Wherever they stand.
    assert!(all_meet(&by_flow) && all_meet(&listed));
    let sum = |waits: &[(f64, f64)]| waits.iter().map(|wait| wait.0).sum::<f64>();
    let (by_flow, listed) = (sum(&by_flow) / 4.0, sum(&listed) / 4.0);
    // With the link of one cell time, and their own.
    assert!((5.5..5.7).contains(&by_flow), "{by_flow}");
    assert!((6.0..6.2).contains(&listed), "{listed}");
}

/// Self-clocked fair queueing of units that take one cell time, for flows of equal shares, in a
/// few lines; of equal tags the one whose `tie` is less goes first, which sees when a unit came
/// and its flow.
fn self_clocked(seed: u64, tie: impl Fn(u64, usize) -> (u64, usize)) -> Vec<f64> {
    const CELL: u64 = 1_000_000;
    let mut units: Vec<(u64, usize)> = Vec::new();
    for (flow, kind) in ALIKE.iter().enumerate() {
        let mut stream = Stream::new(seed, flow as u64, Purpose::Traffic);
        let mean = Duration(CELL * 100 / kind.load);
        let mut now = 0;
        while now < CELLS * CELL {
            now += stream.exponential(mean).ps();
            units.push((now, flow));
        }
    }
    units.sort_unstable();
    let mut sums = [(0.0, 0.0); FLOWS];
    let mut waiting: Vec<(u64, u64, usize)> = Vec::new();
    let (mut finishes, mut tag, mut free_at) = ([0; FLOWS], 0, 0);
    let mut next = 0;
    while next < units.len() || !waiting.is_empty() {
        if waiting.is_empty() && units[next].0 >= free_at {
            (finishes, tag, free_at) = ([0; FLOWS], 0, units[next].0);
        }
        while next < units.len() && units[next].0 <= free_at {
            let (came, flow) = units[next];
            finishes[flow] = tag.max(finishes[flow]) + FLOWS as u64;
            waiting.push((finishes[flow], came, flow));
            next += 1;
        }
        let key = |&(tag, came, flow): &(u64, u64, usize)| (tag, tie(came, flow));
        let Some(unit) = waiting.iter().copied().min_by_key(key) else {
            continue;
        };
        waiting.retain(|other| *other != unit);
        let (_, came, flow) = unit;
        tag = unit.0;
        free_at += CELL;
        sums[flow].0 += (free_at - came) as f64 / CELL as f64;
        sums[flow].1 += 1.0;
    }
    sums.iter().map(|(sum, count)| sum / count).collect()
}

/// Tags of equal flows are often equal; by the place in the scenario the first flow would wait far
/// less than the last.
#[test]
fn ties_in_the_order_of_flows_are_seen() {
    let by_arrival = over_seeds(|seed| self_clocked(seed, |came, flow| (came, flow)));
    assert!(all_meet(&by_arrival), "{by_arrival:?}");
    let by_flow = over_seeds(|seed| self_clocked(seed, |_, flow| (0, flow)));
    assert!(!all_meet(&by_flow), "{by_flow:?}");
    assert!(by_flow[0].0 * 1.3 < by_flow[4].0, "{by_flow:?}");
    let same = SchedulerSpec::Scfq;
    let engine = over_seeds(|seed| waits(same, &ALIKE, seed));
    for (engine, own) in engine.iter().zip(by_arrival) {
        // The engine's delay has the link in it.
        assert!(meet((engine.0 - 1.0, engine.1), own), "{engine:?}, {own:?}");
    }
}
