//! Small random networks: a chain of switches, hosts on them, flows between hosts.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Rate, Time};
use backwater_net::spec::*;

use super::{Net, RATE, at, cells};

/// Whole numbers drawn one after another.
pub struct Dice(Stream);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Stream::new(seed, 0, Purpose::Topology))
    }

    /// One of `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }
}

/// A drawn network that still knows where its hosts sit.
pub struct Drawn {
    pub net: Net,
    pub switches: u32,
    pub hosts: u32,
    /// The switch of each host.
    homes: Vec<u32>,
}

impl Drawn {
    /// 1 to 3 switches (the first nodes), 3 to 6 hosts, no flows, until `stop_at`.
    pub fn new(dice: &mut Dice, stop_at: Time) -> Drawn {
        let timing = if dice.one_in(2) {
            Timing::CutThrough
        } else {
            Timing::StoreAndForward
        };
        let mut net = Net::new(timing, cells(1), stop_at);
        let switches = dice.between(1, 3) as u32;
        let hosts = dice.between(3, 6) as u32;
        for switch in 0..switches {
            net.node(&format!("S{switch}"), NodeKind::Switch);
        }
        for switch in 1..switches {
            draw_link(dice, &mut net, switch - 1, switch);
        }
        let mut homes = Vec::new();
        for host in 0..hosts {
            let id = net.node(&format!("H{host}"), NodeKind::Host);
            homes.push(dice.between(0, switches as u64 - 1) as u32);
            draw_link(dice, &mut net, id, homes[host as usize]);
        }
        Drawn {
            net,
            switches,
            hosts,
            homes,
        }
    }

    /// A flow from one host to one or two others; its index.
    pub fn flow(&mut self, dice: &mut Dice) -> usize {
        let last = self.hosts as u64 - 1;
        let from = dice.between(0, last) as u32;
        let other = |dice: &mut Dice| (from + dice.between(1, last) as u32) % self.hosts;
        let to = other(dice);
        let mut ways = vec![self.way(from, to)];
        let also = other(dice);
        if also != to && dice.one_in(3) {
            ways.push(self.way(from, also));
        }
        let flow = self
            .net
            .flow(self.switches + from, &[], FlowControlSpec::None);
        let mut legs: Vec<LegSpec> = Vec::new();
        for way in ways {
            let mut parent = None;
            for channel in way {
                let known = |leg: &LegSpec| leg.channel == channel && leg.parent == parent;
                let place = legs.iter().position(known).unwrap_or(legs.len());
                if place == legs.len() {
                    legs.push(leg(channel, parent));
                }
                parent = Some(place as u32);
            }
        }
        self.net.spec.flows[flow].legs = legs;
        flow
    }

    fn way(&self, from: u32, to: u32) -> Vec<u32> {
        let (first, last) = (self.homes[from as usize], self.homes[to as usize]);
        let mut nodes = vec![self.switches + from, first];
        let mut here = first;
        while here != last {
            here = if here < last { here + 1 } else { here - 1 };
            nodes.push(here);
        }
        nodes.push(self.switches + to);
        let hops = nodes.windows(2);
        hops.map(|hop| self.channel(hop[0], hop[1])).collect()
    }

    fn channel(&self, from: u32, to: u32) -> u32 {
        let mut links = self.net.spec.links.iter().enumerate();
        let joins = |link: &LinkSpec| match (link.ends[0], link.ends[1]) {
            ends if ends == (from, to) => Some(0),
            ends if ends == (to, from) => Some(1),
            _ => None,
        };
        let found = links.find_map(|(id, link)| joins(link).map(|side| 2 * id as u32 + side));
        found.expect("neighbours are joined")
    }
}

fn draw_link(dice: &mut Dice, net: &mut Net, a: u32, b: u32) {
    net.delay = cells(dice.between(1, 20));
    let link = net.link(a, b) as usize / 2;
    let rate = Rate(RATE.0 / dice.between(1, 4));
    let link = &mut net.spec.links[link];
    (link.channels[0].rate, link.channels[1].rate) = (rate, rate);
}

/// A leg without control or limit.
pub fn leg(channel: u32, parent: Option<u32>) -> LegSpec {
    LegSpec {
        channel,
        parent,
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Drop,
        },
    }
}

/// Units at random, in bursts, evenly or as fast as the first link goes.
pub fn draw_traffic(dice: &mut Dice) -> TrafficSpec {
    let start = at(dice.between(0, 50));
    let interval = cells(dice.between(1, 6));
    match dice.between(0, 3) {
        0 => TrafficSpec::Greedy { start, total: None },
        1 => TrafficSpec::Constant {
            start,
            interval,
            random_phase: false,
            total: None,
        },
        2 => TrafficSpec::Poisson {
            start,
            mean_interval: interval,
            min_interval: backwater_kernel::Duration::ZERO,
            total: None,
        },
        _ => TrafficSpec::OnOff {
            start,
            on: Span::Exponential(cells(30)),
            off: Span::Exponential(cells(60)),
            on_interval: cells(1),
            off_interval: None,
        },
    }
}
