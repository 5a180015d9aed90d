//! Tiny networks by hand, in picoseconds: a byte takes 1 ps, a wire 10 ps.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Heap, Rings};

use super::*;
use crate::Simulation;
use crate::outcome::Outcome;
use crate::spec::*;

const RATE: Rate = Rate(8_000_000_000_000);
const BYTES: u32 = 100;

fn network(switches: &[bool], links: &[(u32, u32)], flows: Vec<FlowSpec>) -> NetworkSpec {
    let channel = ChannelSpec {
        rate: RATE,
        delay: Duration(10),
        handling: Duration::ZERO,
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    };
    let kind = |is_switch| match is_switch {
        true => NodeKind::Switch,
        false => NodeKind::Host,
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 1,
        stop_at: Time(1_000_000_000),
        warm_up: Time::ZERO,
        nodes: switches
            .iter()
            .map(|&is_switch| NodeSpec {
                name: String::new(),
                kind: kind(is_switch),
                pool: None,
            })
            .collect(),
        links: links
            .iter()
            .map(|&(a, b)| LinkSpec {
                ends: [a, b],
                channels: [channel.clone(), channel.clone()],
            })
            .collect(),
        flows,
    }
}

fn flow(source: u32, legs: &[(u32, Option<u32>)], traffic: TrafficSpec) -> FlowSpec {
    FlowSpec {
        name: String::new(),
        source,
        legs: legs
            .iter()
            .map(|&(channel, parent)| LegSpec {
                channel,
                parent,
                flow_control: FlowControlSpec::None,
                buffer: BufferSpec {
                    limit_units: None,
                    overflow: Overflow::Drop,
                },
            })
            .collect(),
        priority: 0,
        unit_bytes: BYTES,
        sizes: Vec::new(),
        traffic,
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

fn constant(start: u64, interval: u64, total: u64) -> TrafficSpec {
    TrafficSpec::Constant {
        start: Time(start),
        interval: Duration(interval),
        random_phase: false,
        total: Some(total),
    }
}

/// Hosts 0 and 1 send over switch 2 to host 3. Flow 0 offers units at 0, 50 and 100, which reach
/// the switch at 110, 210 and 310; flow 1 offers units at 0 and 100, which meet them at 110 and
/// 210.
fn two_to_one() -> NetworkSpec {
    let flows = [
        flow(0, &[(0, None), (4, Some(0))], constant(0, 50, 3)),
        flow(1, &[(2, None), (4, Some(0))], constant(0, 100, 2)),
    ];
    let links = [(0, 2), (1, 2), (2, 3)];
    network(&[false, false, true, false], &links, flows.into())
}

fn measure(network: &NetworkSpec, window: u64) -> (Outcome, PortsOutcome) {
    let window = Duration(window);
    let ports = Ports::new(network, PortsSpec { window });
    let mut simulation = Simulation::<Rings, _>::with_probe(network, ports).expect("it is sound");
    simulation.run();
    let outcome = simulation.outcome();
    let ports = simulation.into_probe().outcome(outcome.ended_at);
    (outcome, ports)
}

/// Every sample, smallest first; exact below 128.
fn samples(found: &Samples) -> Vec<u64> {
    let buckets = found.histogram().buckets();
    buckets
        .flat_map(|bucket| core::iter::repeat_n(bucket.low, bucket.count as usize))
        .collect()
}

#[test]
fn queues_and_waits_are_those_counted_by_hand() {
    let (outcome, found) = measure(&two_to_one(), 130);
    assert_eq!((outcome.ended_at, found.span), (Time(620), Duration(620)));
    let first = &found.channels[0];
    // At 0 alone; at 50 behind the one being sent; at 100 that one is gone, another waits.
    assert_eq!(samples(&first.queue), [1, 2, 2]);
    assert_eq!((first.waiting_unit_ps, first.busy.ps()), (50 + 100, 300));
    assert_eq!(first.queue_mean, 450.0 / 620.0);
    let shared = &found.channels[4];
    assert_eq!(samples(&shared.queue), [1, 2, 2, 3, 3]);
    assert_eq!((shared.waiting_unit_ps, shared.busy.ps()), (600, 500));
    assert_eq!((shared.queue_max, shared.queue_mean), (3, 1100.0 / 620.0));
    let waits = |leg: usize| (found.legs[leg].count(), found.legs[leg].sum());
    assert_eq!((waits(0), waits(1)), ((3, 150), (3, 300)));
    assert_eq!((waits(2), waits(3)), ((2, 0), (2, 100 + 200)));
    assert_eq!(found.legs[0].max(), 100);
    let end_to_end: Vec<u128> = found.paths.iter().map(|path| path.wait.sum()).collect();
    assert_eq!(end_to_end, [450, 300]);
    assert!(found.paths.iter().all(|path| path.switches == 1));
    assert_eq!(
        (found.paths[0].bytes, found.paths[0].wait.max()),
        (300, 300)
    );
}

#[test]
fn windows_split_transmissions_exactly() {
    let (_, found) = measure(&two_to_one(), 130);
    // Sent from 110 to 610: 20, 130, 130 and 130 ps of the four windows.
    let shared = &found.channels[4];
    assert_eq!(
        (shared.windows, shared.utilization_mean),
        (4, 102.5 / 130.0)
    );
    let variance = (82.5 * 82.5 + 3.0 * 27.5 * 27.5) / 3.0;
    let found_variance = (shared.utilization_deviation * 130.0).powi(2);
    assert!((found_variance - variance).abs() < 1e-9, "{found_variance}");
    // From 600 on there is no whole window of 150, and what is sent there does not count.
    let (_, found) = measure(&two_to_one(), 150);
    let shared = &found.channels[4];
    assert_eq!(
        (shared.windows, shared.utilization_mean),
        (4, 122.5 / 150.0)
    );
}

#[test]
fn the_warm_up_is_left_out() {
    let mut network = two_to_one();
    network.warm_up = Time(160);
    let (_, found) = measure(&network, 100);
    let first = &found.channels[0];
    // One unit is half sent, the last waits until 200. Nobody arrives any more.
    assert_eq!((first.queue.count(), first.queue_max), (0, 2));
    assert_eq!((first.waiting_unit_ps, first.busy.ps()), (40, 140));
    assert_eq!((first.windows, first.utilization_mean), (4, 35.0 / 100.0));
    assert_eq!((found.legs[0].count(), found.legs[0].sum()), (1, 100));
    assert_eq!(found.paths[0].wait.count(), 3);
    // Before the warm-up is over nothing was measured, and the state is as it was.
    let spec = PortsSpec {
        window: Duration(100),
    };
    let mut simulation = Simulation::<Rings, _>::with_probe(&network, Ports::new(&network, spec))
        .expect("it is sound");
    simulation.run_until(Time(150));
    let early = simulation.probe().outcome(Time(150));
    assert_eq!((early.span.ps(), early.channels[0].waiting_unit_ps), (0, 0));
    let later = simulation.probe().outcome(Time(190));
    assert_eq!(later.channels[0].waiting_unit_ps, 30);
    assert_eq!(later.channels[0].busy.ps(), 30);
}

/// Flows, hosts and links in another order, and another event queue: units that meet in one
/// instant are handled in another order, and find the same queues.
#[test]
fn order_within_an_instant_changes_no_queue() {
    let flows = [
        flow(0, &[(0, None), (4, Some(0))], constant(0, 100, 2)),
        flow(1, &[(2, None), (4, Some(0))], constant(0, 50, 3)),
    ];
    let links = [(0, 2), (1, 2), (2, 3)];
    let turned = network(&[false, false, true, false], &links, flows.into());
    let ports = Ports::new(
        &turned,
        PortsSpec {
            window: Duration(130),
        },
    );
    let mut simulation = Simulation::<Heap, _>::with_probe(&turned, ports).expect("it is sound");
    simulation.run();
    let turned = simulation.into_probe().outcome(Time(620));
    let (_, found) = measure(&two_to_one(), 130);
    for (channel, other) in [(0, 2), (2, 0), (4, 4)] {
        let (found, turned) = (&found.channels[channel], &turned.channels[other]);
        assert_eq!(found.queue, turned.queue);
        assert_eq!(found.waiting_unit_ps, turned.waiting_unit_ps);
        assert_eq!(found.utilization_deviation, turned.utilization_deviation);
    }
    // The units themselves fare differently: who comes first in the scenario goes first.
    assert_eq!((found.legs[1].sum(), found.legs[3].sum()), (300, 300));
    assert_eq!((turned.legs[3].sum(), turned.legs[1].sum()), (500, 100));
}

#[test]
fn a_greedy_source_waits_for_nothing() {
    let greedy = TrafficSpec::Greedy {
        start: Time(30),
        total: Some(5),
    };
    let flows = [
        flow(0, &[(0, None), (2, Some(0))], greedy),
        flow(1, &[(2, None)], constant(0, 500, 2)),
    ];
    let network = network(&[false, true, false], &[(0, 1), (1, 2)], flows.into());
    let (_, found) = measure(&network, 100);
    let first = &found.channels[0];
    assert_eq!(samples(&first.queue), [1; 5]);
    assert_eq!((first.waiting_unit_ps, first.busy.ps()), (0, 500));
    assert_eq!((found.legs[0].count(), found.legs[0].sum()), (5, 0));
    // Greedy units reach the switch at 140, 240, ..., 540; the other's units start at 0 and 500,
    // where the wire is busy until 540: 40 for that one, 100 for the greedy unit behind it.
    assert_eq!((found.legs[1].sum(), found.legs[2].sum()), (100, 40));
    assert_eq!(samples(&found.channels[2].queue), [1, 1, 1, 1, 1, 2, 2]);
    assert_eq!(found.paths[0].wait.sum(), 100);
    assert_eq!((found.paths[0].switches, found.paths[1].switches), (1, 1));
}

#[test]
fn empty_links_leave_nothing_to_wait_for() {
    for timing in [Timing::StoreAndForward, Timing::CutThrough] {
        let legs = [(0, None), (2, Some(0)), (4, Some(0)), (6, Some(2))];
        let flows = [flow(0, &legs, constant(0, 10_000, 3))];
        // 0 - 1 (a switch) - 2, and 1 - 3 (a switch) - 4: a unit goes to both 2 and 4.
        let links = [(0, 1), (1, 2), (1, 3), (3, 4)];
        let mut network = network(&[false, true, false, true, false], &links, flows.into());
        for (id, link) in network.links.iter_mut().enumerate() {
            link.channels[0].timing = timing;
            link.channels[0].handling = Duration(id as u64);
            link.channels[0].rate = Rate(RATE.0 / (id as u64 + 1));
        }
        let (outcome, found) = measure(&network, 100);
        assert_eq!(outcome.flows[0].delivered, 6);
        let ways: Vec<_> = found.paths.iter().map(|p| (p.leg, p.switches)).collect();
        assert_eq!(ways, [(1, 1), (3, 2)]);
        for path in &found.paths {
            assert_eq!((path.wait.count(), path.wait.max()), (3, 0), "{timing:?}");
        }
        assert!(outcome.flows[0].delay.min > 0);
    }
}

#[test]
fn a_burst_is_what_exceeds_the_reserved_rate() {
    let reserved = |interval| {
        let mut network = two_to_one();
        network.flows[0].traffic = constant(0, interval, 3);
        network.flows[0].reserve = Some(ReserveSpec {
            rate: Rate(RATE.0 / 2),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        });
        let (_, found) = measure(&network, 100);
        assert_eq!(found.flows[1], FlowPorts::default());
        let flow = found.flows[0];
        (flow.burst_seen.map(Duration::ps), flow.burst_seen_bytes)
    };
    // A unit takes 200 ps at half the rate: the clock says 200, 400, 600, the third came at 100.
    assert_eq!(reserved(50), (Some(500), Some(250)));
    assert_eq!(reserved(150), (Some(300), Some(150)));
    assert_eq!(reserved(200), (Some(200), Some(100)), "one unit");
    assert_eq!(reserved(900), (Some(200), Some(100)), "no credit is saved");
}

/// Told by hand: the second of three units is pushed out at 30.
#[test]
fn a_unit_pushed_out_leaves_the_queue() {
    let spec = PortsSpec {
        window: Duration(100),
    };
    let mut ports = Ports::new(&two_to_one(), spec);
    for (at, waiting) in [(0, 1), (10, 2), (20, 3), (30, 2), (40, 3)] {
        ports.on_queue(Time(at), 0, waiting);
    }
    let found = &ports.outcome(Time(50)).channels[0];
    assert_eq!(samples(&found.queue), [1, 2, 3, 3]);
    assert_eq!(found.waiting_unit_ps, 10 + 20 + 30 + 20 + 30);
}

/// Random flows over a chain of switches with a host at each; all is delivered.
fn random_network(stream: &mut Stream) -> NetworkSpec {
    let switches = 2 + stream.below(4) as u32;
    let mut kinds = alloc::vec![true; switches as usize];
    kinds.extend(alloc::vec![false; switches as usize]);
    // Links 0.. join switches, the others a host to its switch.
    let mut links: Vec<(u32, u32)> = (1..switches).map(|to| (to - 1, to)).collect();
    links.extend((0..switches).map(|switch| (switches + switch, switch)));
    let host_link = |switch: u32| switches - 1 + switch;
    let flows = (0..2 + stream.below(10)).map(|_| {
        let from = stream.below(u64::from(switches)) as u32;
        let to = stream.below(u64::from(switches)) as u32;
        let mut channels = alloc::vec![2 * host_link(from)];
        channels.extend((from..to).map(|at| 2 * at));
        channels.extend((to..from).rev().map(|at| 2 * at + 1));
        channels.push(2 * host_link(to) + 1);
        let legs: Vec<(u32, Option<u32>)> = channels
            .iter()
            .enumerate()
            .map(|(leg, &channel)| (channel, (leg as u32).checked_sub(1)))
            .collect();
        let total = Some(1 + stream.below(200));
        let traffic = TrafficSpec::Poisson {
            start: Time(stream.below(1000)),
            mean_interval: Duration(150 + stream.below(600)),
            min_interval: Duration::ZERO,
            total,
        };
        let mut flow = flow(switches + from, &legs, traffic);
        flow.unit_bytes = 50 + stream.below(100) as u32;
        flow
    });
    let flows = flows.collect();
    network(&kinds, &links, flows)
}

/// Little's law, exact: the integral of waiting units is the sum of their waits, at each port;
/// and what units waited at ports is what they waited end to end.
fn holds_littles_law(network: &NetworkSpec, found: &PortsOutcome) -> bool {
    let mut waits = alloc::vec![0; found.channels.len()];
    let legs = network.flows.iter().flat_map(|flow| &flow.legs);
    for (leg, wait) in legs.zip(&found.legs) {
        waits[leg.channel as usize] += wait.sum();
    }
    let ports = found.channels.iter().zip(&waits);
    let paths: u128 = found.paths.iter().map(|path| path.wait.sum()).sum();
    ports
        .clone()
        .all(|(port, &wait)| port.waiting_unit_ps == wait)
        && waits.iter().sum::<u128>() == paths
}

/// Tells `Ports` that every unit joined 1 ps before it did.
struct Early(Ports);

impl Probe for Early {
    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.0.on_queue(at, leg, waiting);
    }
    fn on_start(&mut self, crossing: Crossing) {
        self.0.on_start(crossing);
    }
    fn on_leave(&mut self, at: Time, leg: u32, joined: Time) {
        self.0
            .on_leave(at, leg, Time(joined.ps().saturating_sub(1)));
    }
    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {
        self.0.on_delivered(at, leg, born, bytes);
    }
}

#[test]
fn littles_law_holds_to_the_picosecond() {
    let mut stream = Stream::new(7, 0, Purpose::Pattern);
    let (mut waited, mut units) = (0, 0);
    for _ in 0..60 {
        let network = random_network(&mut stream);
        let (outcome, found) = measure(&network, 1000);
        assert!(outcome.flows.iter().all(|flow| flow.inside_total == 0));
        assert!(holds_littles_law(&network, &found));
        let joined = |port: &crate::outcome::PortOutcome| port.queue.count();
        let started: u64 = found.legs.iter().map(Samples::count).sum();
        assert_eq!(found.channels.iter().map(joined).sum::<u64>(), started);
        waited += found.legs.iter().map(Samples::sum).sum::<u128>();
        units += started;
        for (flow, path) in outcome.flows.iter().zip(&found.paths) {
            assert_eq!(path.wait.count(), flow.delivered);
            assert_eq!(path.bytes, flow.delivered_bytes);
        }
        let spec = PortsSpec {
            window: Duration(1000),
        };
        let early = Early(Ports::new(&network, spec));
        let mut simulation =
            Simulation::<Rings, _>::with_probe(&network, early).expect("it is sound");
        simulation.run();
        let found = simulation.into_probe().0.outcome(outcome.ended_at);
        assert!(!holds_littles_law(&network, &found), "1 ps is seen");
    }
    assert!(waited > 20 * u128::from(units), "they hardly wait");
}

#[test]
fn what_is_measured_changes_nothing() {
    let network = random_network(&mut Stream::new(8, 0, Purpose::Pattern));
    let mut plain = Simulation::<Rings>::new(&network).expect("it is sound");
    plain.run();
    let (with, _) = measure(&network, 1000);
    assert_eq!(plain.outcome().trace_hash, with.trace_hash);
    let none: Option<Ports> = None;
    let mut absent = Simulation::<Rings, _>::with_probe(&network, none).expect("it is sound");
    absent.run();
    assert_eq!(absent.outcome().trace_hash, with.trace_hash);
}
