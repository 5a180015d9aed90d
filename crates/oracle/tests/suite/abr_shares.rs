//! What ABR sources and ERICA get done together: queues within a bound, max-min shares, and rates
//! that come back after the worst.

use crate::abr;

use abr::{Log, observe};
use backwater_kernel::{Channels, Duration, Purpose, Rate, Stream, Time};
use backwater_net::probe::{Crossing, Probe};
use backwater_net::spec::*;
use backwater_net::watched;
use backwater_oracle::abr::Builder;

const MS: u64 = 1_000_000_000;
const LINK: Rate = Rate(155_520_000);
const CELL_BITS: f64 = 424.0;

/// The longest queue of ABR cells at channel 0.
#[derive(Default)]
struct Longest(u32);

impl Probe for Longest {
    fn on_rate_queue(&mut self, _: Time, channel: u32, waiting: u32) {
        if channel == 0 {
            self.0 = self.0.max(waiting);
        }
    }
}

fn longest_queue(spec: &NetworkSpec) -> f64 {
    let probe = Longest::default();
    let (probe, _) = watched(spec, probe).expect("a sound network");
    f64::from(probe.0)
}

fn count(headroom_mbps: u64) -> UiliSpec {
    UiliSpec::Count {
        headroom: Rate(headroom_mbps * 1_000_000),
        tdf: 0.125,
        pr5: false,
        slack: 0.001,
    }
}

/// `n` sources of Figure 5, held to `sr` Mbps until they wake.
fn waking(n: u32, sr: u64, km: u64, uili: UiliSpec) -> NetworkSpec {
    let mut abr = Builder::abr(LINK, uili);
    abr.icr = LINK;
    let limit = |from_ms, rate| LimitSpec {
        from: Time(from_ms * MS),
        rate,
    };
    let limits = vec![limit(0, Some(Rate(sr * 1_000_000))), limit(WAKE_MS, None)];
    let start = Time::ZERO;
    let traffic = TrafficSpec::Bottlenecked { start, limits };
    let mut builder = Builder::new(1, Time((WAKE_MS + 50) * MS));
    builder.dumbbell(n, LINK, Duration(km * 5_000_000), abr, &traffic);
    builder.rates_at_switches(ExplicitRateSpec::Erica(Builder::erica()));
    builder.spec
}

const WAKE_MS: u64 = 300;

/// Section 5.2.2 of Kalyanaraman 1998: the queue is at most (ACR - SR) D n where all wake at
/// once, D being the feedback delay. With D = the way from the bottleneck to the source and back
/// that is exceeded; the averaging interval and the time between forward RM cells count too.
#[test]
fn the_queue_is_bounded_by_headroom_and_feedback_delay() {
    let cases = [
        (14, 9, 5, 1000),
        (14, 9, 10, 1000),
        (15, 8, 5, 1000),
        (10, 11, 10, 1000),
        (15, 8, 10, 1000),
        (10, 12, 10, 1000),
        (14, 9, 10, 500),
        (12, 10, 10, 200),
    ];
    let (mut beyond_paper, mut beyond_without) = (0, 0);
    for (n, sr, headroom, km) in cases {
        let queue = longest_queue(&waking(n, sr, km, count(headroom)));
        let cells = |delay_s: f64| f64::from(n) * headroom as f64 * 1e6 * delay_s / CELL_BITS;
        let propagation = 2.0 * km as f64 * 5e-6;
        let spacing = 32.0 * CELL_BITS / (sr as f64 * 1e6);
        let bound = cells(propagation + 1e-3 + spacing);
        assert!(
            queue <= bound,
            "{n} at {sr} Mbps: {queue} cells, bound {bound}"
        );
        beyond_paper += (queue > cells(propagation)) as u32;
        // The control: sources that keep what they do not use.
        let without = longest_queue(&waking(n, sr, km, UiliSpec::None));
        beyond_without += (without > bound) as u32;
    }
    assert!(beyond_paper >= 3, "{beyond_paper} beyond the paper's form");
    assert_eq!(beyond_without, 8, "without a policy");
}

/// A parking lot: switches in a row, each circuit from one of them to another.
struct ParkingLot {
    spec: NetworkSpec,
    /// Forward path of each circuit.
    paths: Vec<Vec<u32>>,
    /// Flow of each circuit.
    flows: Vec<u32>,
}

fn parking_lot(seed: u64, is_one_way: bool, delta: f64, uili: UiliSpec) -> ParkingLot {
    let mut dice = Stream::new(seed, 0, Purpose::Pattern);
    let stop_ms = if is_one_way { 300 } else { 600 };
    let mut builder = Builder::new(seed, Time(stop_ms * MS));
    let switches = 2 + dice.below(4) as u32;
    for _ in 0..switches {
        builder.node(NodeKind::Switch);
    }
    for switch in 1..switches {
        let rate = [10, 20, 30][dice.below(3) as usize];
        let delay = Duration((5 + dice.below(200)) * 1_000_000);
        builder.link(switch - 1, switch, Rate(rate * 1_000_000), delay);
    }
    let (mut paths, mut flows) = (Vec::new(), Vec::new());
    for _ in 0..2 + dice.below(7) {
        let from = dice.below(u64::from(switches) - 1) as u32;
        let to = from + 1 + dice.below(u64::from(switches - 1 - from)) as u32;
        let goes_back = !is_one_way && dice.below(2) == 0;
        let (near, far) = if goes_back { (to, from) } else { (from, to) };
        let [source, sink] = [NodeKind::Host; 2].map(|kind| builder.node(kind));
        let rate = Rate(50_000_000);
        let first = builder.link(source, near, rate, Duration(10_000_000));
        let last = builder.link(far, sink, rate, Duration(10_000_000));
        let mut path = vec![first];
        match goes_back {
            true => path.extend((from..to).rev().map(|link| 2 * link + 1)),
            false => path.extend((from..to).map(|link| 2 * link)),
        }
        path.push(last);
        let mut abr = Builder::abr(rate, uili);
        abr.icr = Rate(1_000_000);
        let start = Time(dice.below(10) * MS);
        let greedy = TrafficSpec::Greedy { start, total: None };
        let (flow, _) = builder.circuit(&path, abr, greedy, TrafficSpec::Silent);
        paths.push(path);
        flows.push(flow);
    }
    let mut erica = Builder::erica();
    erica.delta = delta;
    erica.interval = Duration(5 * MS);
    builder.rates_at_switches(ExplicitRateSpec::Erica(erica));
    let spec = builder.spec;
    ParkingLot { spec, paths, flows }
}

/// Max-min fair rates by water filling: the smallest equal share fixes its circuits, again and
/// again. `taken` is what other cells take of each channel.
fn water_filling(lot: &ParkingLot, target: f64, taken: &[f64]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; lot.paths.len()];
    while rates.iter().any(Option::is_none) {
        let share = |channel: u32| {
            let link = &lot.spec.links[channel as usize / 2];
            let mut left = target * link.channels[0].rate.0 as f64 - taken[channel as usize];
            let mut open = 0.0;
            for (path, rate) in lot.paths.iter().zip(&rates) {
                if path.contains(&channel) {
                    match rate {
                        Some(rate) => left -= rate,
                        None => open += 1.0,
                    }
                }
            }
            (open > 0.0).then(|| left.max(0.0) / open)
        };
        let channels = lot.spec.links.channels();
        let shares = channels.filter_map(|channel| Some((share(channel)?, channel)));
        let tightest = shares.min_by(|a, b| a.0.total_cmp(&b.0));
        let (share, channel) = tightest.expect("some circuit is open");
        for (path, rate) in lot.paths.iter().zip(&mut rates) {
            if path.contains(&channel) && rate.is_none() {
                *rate = Some(share);
            }
        }
    }
    rates.into_iter().flatten().collect()
}

/// The same with backward RM cells, one in 32 of each circuit's rate on its way back, as a load
/// that the rates themselves decide.
fn fair_rates(lot: &ParkingLot, target: f64) -> Vec<f64> {
    let mut taken = vec![0.0; 2 * lot.spec.links.len()];
    let mut rates = Vec::new();
    for _ in 0..20 {
        rates = water_filling(lot, target, &taken);
        taken.fill(0.0);
        for (path, rate) in lot.paths.iter().zip(&rates) {
            for channel in path {
                taken[(channel ^ 1) as usize] += rate / 32.0;
            }
        }
    }
    rates
}

/// Cells that leave each source in the second half of a run.
struct Sent(Vec<u64>, Time);

impl Probe for Sent {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.at >= self.1 {
            self.0[crossing.leg as usize] += 1;
        }
    }
}

/// The largest error of a circuit's rate, as a share of the fair one.
fn unfairness(lot: &ParkingLot, target: f64) -> f64 {
    let legs = lot.spec.flows.iter().map(|flow| flow.legs.len()).sum();
    let from = Time(lot.spec.stop_at.ps() / 2);
    let probe = Sent(vec![0; legs], from);
    let (probe, _) = watched(&lot.spec, probe).expect("sound");
    let sent = probe.0;
    let seconds = lot.spec.stop_at.since(from).seconds();
    let ends = abr::ends(&lot.spec);
    let mut worst: f64 = 0.0;
    for (flow, fair) in lot.flows.iter().zip(fair_rates(lot, target)) {
        let first = ends[*flow as usize].0;
        let rate = sent[first as usize] as f64 * CELL_BITS / seconds;
        worst = worst.max((rate - fair).abs() / fair);
    }
    worst
}

const LOTS: u64 = 60;

fn worst_of(lot: impl Fn(u64) -> ParkingLot) -> f64 {
    let unfair = (0..LOTS).map(|seed| unfairness(&lot(seed), 0.9));
    unfair.fold(0.0, f64::max)
}

#[test]
fn erica_is_max_min_fair_one_way() {
    let worst = worst_of(|seed| parking_lot(seed, true, 0.0, UiliSpec::None));
    assert!(worst < 0.03, "{worst}");
}

#[test]
fn erica_is_max_min_fair_both_ways_with_count() {
    let worst = worst_of(|seed| parking_lot(seed, false, 0.0, count(1)));
    assert!(worst < 0.05, "{worst}");
}

#[test]
fn within_delta_erica_rests_anywhere() {
    let worst = worst_of(|seed| parking_lot(seed, true, 0.1, UiliSpec::None));
    assert!(worst < 0.12, "{worst}");
    assert!(worst > 0.03, "{worst}: delta matters");
}

/// The control of the three above: marks alone give long ways less.
#[test]
fn binary_feedback_is_not_max_min_fair() {
    let with_marks = |seed| {
        let mut lot = parking_lot(seed, true, 0.0, UiliSpec::None);
        for (_, rule) in &mut lot.spec.rules.rate_ports {
            *rule = ExplicitRateSpec::Efci(MarkSpec {
                high_cells: 50,
                low_cells: 20,
            });
        }
        lot
    };
    let unfair = (0..10).filter(|seed| unfairness(&with_marks(*seed), 1.0) > 0.12);
    assert!(unfair.count() >= 5);
}

/// Four greedy sources at one bottleneck, aimed at 140 Mbps; sources lower their rates when no
/// answers come.
fn four(stop_ms: u64) -> Builder {
    let mut abr = Builder::abr(LINK, count(1));
    (abr.crm, abr.cdf) = (16, 0.0625);
    let mut builder = Builder::new(1, Time(stop_ms * MS));
    let (start, total) = (Time(10 * MS), None);
    let greedy = TrafficSpec::Greedy { start, total };
    builder.dumbbell(4, LINK, Duration(MS), abr, &greedy);
    let mut erica = Builder::erica();
    erica.delta = 0.0;
    builder.rates_at_switches(ExplicitRateSpec::Erica(erica));
    builder
}

/// ACR of the four at an instant, in Mbps.
fn mbps(log: &Log, spec: &NetworkSpec, at_ms: u64) -> [f64; 4] {
    [0, 2, 4, 6].map(|flow| log.acr(spec, flow, Time(at_ms * MS)) / 1e6)
}

fn assert_fair(rates: [f64; 4]) {
    let fair = |rate: &f64| (rate - 35.0).abs() < 1.5;
    assert!(rates.iter().all(fair), "{rates:?} Mbps");
}

#[test]
fn sources_that_sleep_do_not_disturb() {
    let mut builder = four(200);
    for flow in [2, 4, 6] {
        builder.spec.flows[flow].traffic = TrafficSpec::Greedy {
            start: Time(100 * MS),
            total: None,
        };
    }
    builder.spec.flows[0].traffic = TrafficSpec::Greedy {
        start: Time(50 * MS),
        total: Some(10_000),
    };
    let spec = builder.spec;
    let (log, _) = observe(&spec);
    // Nobody sends up to 50 ms, from about 85 ms to 100 ms nobody again.
    assert!(log.starts.iter().all(|start| start.at >= Time(50 * MS)));
    assert!(mbps(&log, &spec, 84)[0] > 100.0);
    let share = mbps(&log, &spec, 199);
    assert!(
        share[1..].iter().all(|rate| (rate - 46.66).abs() < 2.0),
        "{share:?}"
    );
}

#[test]
fn rates_come_back_after_background_took_all() {
    for policy in [UiliSpec::None, count(1)] {
        let mut builder = four(400);
        for flow in &mut builder.spec.flows {
            if let SourceControlSpec::Abr(abr) = &mut flow.source_control {
                abr.uili = policy;
            }
        }
        let scheduler = SchedulerSpec::StrictPriority;
        builder.spec.links[0].channels[0].scheduler = scheduler;
        let source = builder.node(NodeKind::Host);
        let first = builder.link(source, 0, Rate(2 * LINK.0), Duration(MS));
        let flow = builder.flow(
            &[first, 0],
            TrafficSpec::OnOff {
                start: Time(100 * MS),
                on: Span::Fixed(Duration(50 * MS)),
                off: Span::Fixed(Duration(1000 * MS)),
                on_interval: LINK.serialization(53),
                off_interval: None,
            },
        );
        builder.spec.flows[flow as usize].priority = 2;
        let spec = builder.spec;
        let (log, _) = observe(&spec);
        assert_fair(mbps(&log, &spec, 99));
        let starved = mbps(&log, &spec, 149);
        assert!(starved.iter().all(|rate| *rate < 20.0), "{starved:?}");
        assert_fair(mbps(&log, &spec, 399));
    }
}

#[test]
fn lost_rm_cells_do_not_move_the_shares() {
    for loss in [0.02, 0.2] {
        let mut spec = four(300).spec;
        for link in &mut spec.links {
            link.channels[0].errors.control_loss = loss;
            link.channels[1].errors.control_loss = loss;
        }
        let (log, outcome) = observe(&spec);
        for at in [150, 200, 250, 299] {
            let rates = mbps(&log, &spec, at);
            let near = |rate: &f64| (rate - 35.0).abs() < 5.0;
            assert!(rates.iter().all(near), "{at} ms, loss {loss}: {rates:?}");
        }
        let lost = |flow: usize| {
            let found = outcome.flows[flow].abr.as_ref();
            found.map_or(0, |found| found.forward.lost)
        };
        assert!(lost(0) > 50, "{} lost", lost(0));
    }
}

/// The bottleneck fails for 50 ms, or for good.
fn failing(until_ms: u64) -> NetworkSpec {
    let mut spec = four(400).spec;
    for channel in [0, 1] {
        spec.outages.push(OutageSpec {
            channel,
            from: Time(100 * MS),
            until: Time(until_ms * MS),
        });
    }
    spec
}

#[test]
fn rates_come_back_after_a_link_was_cut() {
    let spec = failing(150);
    let (log, _) = observe(&spec);
    assert_fair(mbps(&log, &spec, 99));
    // Rule 6: no answers.
    let cut = mbps(&log, &spec, 149);
    assert!(cut.iter().all(|rate| *rate < 20.0), "{cut:?}");
    assert_fair(mbps(&log, &spec, 399));
    // The control: what is not repaired does not come back.
    let spec = failing(1000);
    let left = mbps(&observe(&spec).0, &spec, 399);
    assert!(left.iter().all(|rate| *rate < 5.0), "{left:?}");
}
