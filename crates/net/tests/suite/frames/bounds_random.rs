//! Delay bounds against what random networks do.

use crate::frames::bounds::{longest, paced};
use crate::frames::common::*;
use backwater_ends::TcpSpec;
use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Channels, Duration, Rate, Time};
use backwater_net::bound::frames::{accounts, bounds};
use backwater_net::frames::spec::*;

struct Dice(Stream);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Stream::new(seed, 0, Purpose::Topology))
    }

    /// Both ends included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.between(1, count) == 1
    }
}

/// A tree of switches with hosts, on which frames of up to four classes go at a constant pace.
pub fn tree(seed: u64) -> EthernetSpec {
    let dice = &mut Dice::new(seed);
    let classes = dice.between(1, 4) as usize;
    let mut net = Net::new(classes, None);
    let switches: Vec<u32> = (0..dice.between(1, 4))
        .map(|at| net.switch(&format!("S{at}")))
        .collect();
    let slow = |dice: &mut Dice| 100 * dice.between(1, 10);
    for (at, &switch) in switches.iter().enumerate().skip(1) {
        let parent = dice.between(0, at as u64 - 1) as usize;
        let mbps = slow(dice);
        net.link(switches[parent], switch, mbps);
    }
    let mut hosts = Vec::new();
    for at in 0..dice.between(2, 8) {
        let host = net.station(&format!("H{at}"));
        let switch = switches[dice.between(0, switches.len() as u64 - 1) as usize];
        let mbps = slow(dice);
        net.link(host, switch, mbps);
        hosts.push(host);
    }
    for link in &mut net.spec.links {
        let (in_turns, in_order) = (dice.one_in(3), dice.one_in(5));
        for channel in &mut link.channels {
            channel.delay = Duration(dice.between(1, 5_000_000));
            for queue in &mut channel.queues {
                queue.limit_bytes = None;
                queue.quantum_bytes = dice.between(64, 3_000) as u32;
            }
            if in_order {
                channel.scheduler = SchedulerSpec::Fifo;
            }
            if in_turns {
                channel.scheduler = SchedulerSpec::Drr { quantum_bytes: 1 };
            }
        }
    }
    for node in &mut net.spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind {
            switch.latency = Duration(dice.between(0, 2_000_000));
            if dice.one_in(2) {
                switch.forwarding = Forwarding::CutThrough;
            }
        }
    }
    add_flows(dice, &mut net, &hosts, classes);
    net.spec.seed = seed;
    (net.spec.stop_at, net.spec.warm_up) = (Time(40 * MS), Time::ZERO);
    net.spec
}

fn add_flows(dice: &mut Dice, net: &mut Net, hosts: &[u32], classes: usize) {
    let last = hosts.len() as u64 - 1;
    let load = dice.between(5, 250);
    for _ in 0..dice.between(2, 16) {
        let from = dice.between(0, last);
        let to = (from + dice.between(1, last)) % (last + 1);
        let (from, to) = (hosts[from as usize], hosts[to as usize]);
        let class = dice.between(0, classes as u64 - 1) as u8;
        let payload_bytes = match dice.one_in(2) {
            true => 954,
            false => dice.between(20, 1_472) as u32,
        };
        let transport = TransportSpec::Udp {
            payload_bytes,
            has_rtp: false,
            is_ect: false,
        };
        let rate = Rate(dice.between(1, load) * MBPS);
        let traffic = match dice.between(0, 9) {
            0 => TrafficSpec::SelfSimilar {
                start: Time::ZERO,
                rate: Rate(rate.0 / 2),
                sources: dice.between(1, 4) as u32,
                peak: rate,
                shape: 1.5,
                mean_on: Duration(MS),
            },
            _ => TrafficSpec::Constant {
                start: Time(dice.between(0, 20_000_000)),
                rate,
                random_phase: dice.one_in(2),
            },
        };
        net.add(from, to, class, transport, traffic);
    }
    if classes > 1 && dice.one_in(2) {
        let tcp = TransportSpec::Tcp(TcpSpec::bsd());
        net.add(hosts[0], hosts[1], 0, tcp, endless());
    }
}

/// Waits are what a frame alone does not have.
#[test]
fn the_terms_of_a_bound_add_up_to_it() {
    let mut known = 0;
    for seed in 1_850..1_900 {
        for account in accounts(&tree(seed)).into_iter().flatten() {
            let parts = || account.parts.iter();
            let sum = parts().map(|part| part.sum().ps()).sum::<u64>();
            assert_eq!(account.burst.ps() + sum, account.bound.delay.ps());
            let waits = parts().map(|part| part.wait.ps()).sum::<u64>();
            assert_eq!(sum - waits, account.bound.least.ps());
            assert_eq!(account.parts.len(), account.bound.ports as usize);
            known += 1;
        }
    }
    assert!(known > 50, "{known} bounds");
}

#[test]
fn no_frame_of_a_random_network_is_later_than_its_bound() {
    let (mut known, mut late, mut shares) = (0, Vec::new(), Vec::new());
    for seed in 1_850..2_050 {
        let spec = tree(seed);
        let seen = longest(&spec);
        for (flow, bound) in bounds(&spec).into_iter().enumerate() {
            let Ok(bound) = bound else { continue };
            if seen[flow] == 0 {
                continue;
            }
            known += 1;
            let most = bound.delay.ps();
            shares.push(seen[flow] as f64 / most as f64);
            assert!(
                seen[flow] >= bound.least.ps(),
                "seed {seed}: flow {flow} is too early"
            );
            if seen[flow] > most {
                late.push((seed, flow, seen[flow], most));
            }
        }
    }
    assert!(late.is_empty(), "{late:?}");
    assert!(known >= 700, "{known}");
    // Random phases seldom meet; half of the flows come within a factor of 2.5 all the same.
    shares.sort_by(f64::total_cmp);
    assert!(
        shares[shares.len() / 2] > 0.4,
        "{}",
        shares[shares.len() / 2]
    );
}

/// Hosts at each switch of a row send to one host behind the last, each once a long time, so that
/// each meets all that came before it.
fn staged(switches: u64, hosts: u64, payload: u32) -> Net {
    let mut net = Net::new(1, None);
    let row: Vec<u32> = (0..switches)
        .map(|at| net.switch(&format!("S{at}")))
        .collect();
    let to = net.station("D");
    let mbps = 1_000;
    for pair in row.windows(2) {
        net.link(pair[0], pair[1], mbps);
    }
    net.link(row[row.len() - 1], to, mbps);
    let wire = (u64::from(payload) + 46 + 20) * 8_000;
    for (hop, switch) in (0..).zip(&row) {
        for _ in 0..hosts {
            let host = net.station(&format!("H{}", net.spec.nodes.len()));
            let link = net.link(host, *switch, mbps);
            // Frames of the next switch come with the last ones of this.
            let delay = net.spec.links.channel(2 * link).delay.ps();
            let start = hop * (wire * hosts + delay + wire - wire * u64::from(hop > 0));
            net.udp(host, to, payload, paced(start, payload));
        }
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(3 * MS), Time::ZERO);
    net
}

#[test]
fn staged_rows_come_near_their_bounds() {
    for switches in 1..=4 {
        for hosts in 1..=4 {
            for payload in [100, 954] {
                let net = staged(switches, hosts, payload);
                let seen = longest(&net.spec).into_iter().max().unwrap_or(0);
                let most = bounds(&net.spec)
                    .into_iter()
                    .flatten()
                    .map(|bound| bound.delay.ps());
                let most = most.max().unwrap_or(0);
                assert!(seen <= most, "{switches} x {hosts}: {seen} of {most}");
                let share = seen as f64 / most as f64;
                assert!(share > 0.7, "{switches} x {hosts}: {share}");
            }
        }
    }
}
