//! Frames of a flow on several paths: what each kind of spread does with small cases by hand.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::probe::{Frame, Probe};
use backwater_net::frames::spec::*;
use backwater_net::watched;

use crate::frames::common::*;

/// Starts of data by channel: flow, number, when.
#[derive(Default)]
struct Starts(BTreeMap<u32, Vec<(u32, u64, u64)>>);

impl Probe for Starts {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let own = self.0.entry(channel).or_default();
        own.push((frame.flow, frame.number, at.0));
    }
}

/// Hosts at two leaves below so many spines; links 0 to `spines - 1` are those of the first leaf.
fn leaf_spine(hosts: usize, spines: usize) -> (Net, Vec<[u32; 2]>) {
    let mut net = Net::new(1, None);
    let leaves = [net.switch("L1"), net.switch("L2")];
    let all: Vec<u32> = (0..spines).map(|n| net.switch(&format!("S{n}"))).collect();
    for leaf in leaves {
        all.iter().for_each(|spine| {
            net.link(leaf, *spine, 100);
        });
    }
    let mut pair = |n| {
        leaves.map(|leaf| {
            let host = net.station(&format!("H{leaf}_{n}"));
            net.link(host, leaf, 100);
            host
        })
    };
    let pairs = (0..hosts).map(&mut pair).collect();
    net.spec.warm_up = Time::ZERO;
    (net, pairs)
}

/// Frames that crossed each of the first leaf's uplinks.
fn loads(starts: &Starts, spines: u32) -> Vec<usize> {
    let of = |link: u32| starts.0.get(&(2 * link)).map_or(0, Vec::len);
    (0..spines).map(of).collect()
}

fn run(net: &Net) -> Starts {
    watched(&net.spec, Starts::default())
        .expect("a sound network")
        .0
}

/// Three hosts at line rate over four uplinks: round robin loads each the same to within a frame,
/// and entropies to within a frame a flow if each hashes to a port of its own; a random draw
/// doesn't.
#[test]
fn round_robin_loads_every_uplink_alike() {
    let apart = |spread| {
        let (mut net, pairs) = leaf_spine(3, 4);
        for [from, to] in &pairs {
            net.udp(*from, *to, 954, endless());
        }
        net.spec.rules.spread = spread;
        net.spec.stop_at = Time(100 * MS);
        let loads = loads(&run(&net), 4);
        assert!(loads.iter().sum::<usize>() > 3_000, "{loads:?}");
        loads.iter().max().unwrap() - loads.iter().min().unwrap()
    };
    assert!(apart(Spread::RoundRobin) <= 1);
    assert!(apart(Spread::Frames) > 20);
    assert!(apart(Spread::Flows) > 1_000);
}

/// Every entropy once in each round, in an order of its own: with as many rounds, a port has a
/// whole multiple of them.
#[test]
fn a_flow_goes_through_all_its_entropies_in_each_round() {
    let (mut net, pairs) = leaf_spine(1, 4);
    let [from, to] = pairs[0];
    net.udp(from, to, 954, endless());
    net.spec.rules.spread = Spread::Entropies { count: 16 };
    net.spec.stop_at = Time(100 * MS);
    let starts = run(&net);
    let mut ports: BTreeMap<u64, u32> = BTreeMap::new();
    for link in 0..4 {
        for (_, number, _) in starts.0.get(&(2 * link)).into_iter().flatten() {
            ports.insert(*number, link);
        }
    }
    let rounds = ports.len() / 16;
    let of_round = |round: usize| -> Vec<u32> {
        let numbers = 16 * round as u64..16 * (round as u64 + 1);
        numbers.map(|number| ports[&number]).collect()
    };
    let sorted = |round| {
        let mut own = of_round(round);
        own.sort_unstable();
        own
    };
    assert!(rounds > 60);
    assert!((1..rounds).all(|round| sorted(round) == sorted(0)));
    assert!((1..rounds).any(|round| of_round(round) != of_round(0)));
}

/// One uplink at a tenth of the rate of the other: adaptive ports send it a tenth of the frames,
/// and lose none; round robin sends it half, and its queue overflows.
#[test]
fn adaptive_ports_send_less_over_a_slow_uplink() {
    let share = |spread| {
        let (mut net, pairs) = leaf_spine(1, 2);
        for channel in &mut net.spec.links[0].channels {
            channel.rate = Rate(10 * MBPS);
        }
        let [from, to] = pairs[0];
        net.udp(from, to, 954, constant(80.0));
        net.spec.rules.spread = spread;
        net.spec.stop_at = Time(400 * MS);
        let loads = loads(&run(&net), 2);
        loads[0] as f64 / loads.iter().sum::<usize>() as f64
    };
    let (adaptive, turns) = (share(Spread::Adaptive), share(Spread::RoundRobin));
    assert!((0.05..0.13).contains(&adaptive), "{adaptive}");
    assert!(turns > 0.15, "what crosses it, as fast as it can: {turns}");
}

/// Frames that come at a steady pace stay on one path for a gap longer than their distance, and
/// are drawn one by one for a shorter one.
#[test]
fn a_flowlet_ends_with_the_gap() {
    // 1,000 bytes at 10 Mbps on a wire of 100: a start every 816 us, payload 954 bytes.
    let distance_ps = 954 * 8 * 100_000;
    let used = |gap| {
        let (mut net, pairs) = leaf_spine(1, 4);
        let [from, to] = pairs[0];
        net.udp(from, to, 954, constant(10.0));
        net.spec.rules.spread = Spread::Flowlets { gap: Duration(gap) };
        net.spec.stop_at = Time(200 * MS);
        let loads = loads(&run(&net), 4);
        (loads.iter().filter(|load| **load > 0).count(), loads)
    };
    assert_eq!(used(distance_ps + 1).0, 1);
    assert_eq!(used(distance_ps).0, 4);
    assert_eq!(used(0), used(distance_ps));
}
