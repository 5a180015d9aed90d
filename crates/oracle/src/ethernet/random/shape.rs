//! Nodes, links and ways: a star, two tiers, a chain, a ring or a fan.

use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, Forwarding, LinkSpec, MemorySpec, NicRule, NicSpec, NodeKind,
    NodeSpec, QueueSpec, RouteSpec, SchedulerSpec, StoppedSpec, SwitchSpec,
};

use super::{Dice, Mix};

struct Builder<'a> {
    dice: &'a mut Dice,
    spec: &'a mut EthernetSpec,
    rates: Vec<u64>,
    scheduler: SchedulerSpec,
    queues: Vec<QueueSpec>,
    /// Of the ports of each node.
    responses: Vec<Duration>,
}

pub(super) fn build(dice: &mut Dice, spec: &mut EthernetSpec, rates: &[u64], mix: Mix) {
    let classes = match mix.has_looks {
        true => dice.pick(&[1, 1, 2]),
        false => dice.pick(&[1, 1, 2, 2, 3, 12]),
    };
    let scheduler = dice.pick(&[
        SchedulerSpec::StrictPriority,
        SchedulerSpec::StrictPriority,
        SchedulerSpec::Drr { quantum_bytes: 1 },
    ]);
    let queue = |dice: &mut Dice| QueueSpec {
        limit_bytes: None,
        high_bytes: u64::MAX,
        low_bytes: 0,
        priority: 0,
        quantum_bytes: dice.pick(&[200, 600, 1_518, 3_000]),
        reserve: None,
        ecn: None,
        rocc: None,
        trim: None,
    };
    let queues = (0..classes).map(|_| queue(dice)).collect();
    let shape = match (mix.spread.parts_flows(), mix.has_blocked && dice.one_in(2)) {
        // There are several ways.
        (true, _) => dice.between(1, 2),
        // Queues can wait for each other.
        (false, _) if mix.has_looks => dice.pick(&[1, 2, 3, 3]),
        (false, true) => 4,
        (false, false) => dice.between(0, 3),
    };
    let mut builder = Builder {
        dice,
        spec,
        rates: rates.to_vec(),
        scheduler,
        queues,
        responses: Vec::new(),
    };
    match shape {
        0 => builder.star(),
        1 => builder.two_tiers(),
        2 => builder.chain(),
        3 => builder.ring(),
        _ => builder.fan(),
    }
    if mix.has_nics {
        builder.more_links();
    }
    if mix.has_forwarders {
        builder.forwarders();
    }
}

impl Builder<'_> {
    fn node(&mut self, name: String, kind: NodeKind) -> u32 {
        let response = match self.dice.one_in(3) {
            true => self.dice.span(0, 20_000),
            false => Duration::ZERO,
        };
        self.responses.push(response);
        self.spec.nodes.push(NodeSpec {
            name,
            kind,
            is_deaf: false,
            watchdog: None,
            promised: 0,
        });
        self.spec.nodes.len() as u32 - 1
    }

    fn switch(&mut self) -> u32 {
        let name = format!("w{}", self.spec.nodes.len());
        let forwarding = self.dice.pick(&[
            Forwarding::StoreAndForward,
            Forwarding::StoreAndForward,
            Forwarding::CutThrough,
        ]);
        let latency = match self.dice.one_in(2) {
            true => self.dice.span(0, 5_000),
            false => Duration::ZERO,
        };
        let switch = SwitchSpec {
            forwarding,
            latency,
            memory: MemorySpec::Queues,
            stops: Default::default(),
        };
        self.node(name, NodeKind::Switch(switch))
    }

    fn station_at(&mut self, switch: u32) -> u32 {
        let name = format!("s{}", self.spec.nodes.len());
        let station = self.node(name, NodeKind::Station { storm: None });
        if self.dice.one_in(2) {
            self.link(station, switch);
        } else {
            self.link(switch, station);
        }
        station
    }

    fn link(&mut self, a: u32, b: u32) -> u32 {
        let rate = self.dice.pick(&self.rates);
        let delay = match self.dice.one_in(4) {
            true => Duration(1),
            false => self.dice.span(1_000, 5_000),
        };
        let channel = |rate, from: u32| ChannelSpec {
            counters: None,
            rate: Rate(rate),
            delay,
            errors: Default::default(),
            scheduler: self.scheduler,
            queues: self.queues.clone(),
            inputs: Vec::new(),
            credits: Vec::new(),
            stopped: StoppedSpec {
                response: self.responses[from as usize],
                ..StoppedSpec::default()
            },
        };
        let forward = channel(rate, a);
        // Some links are faster one way: a stop is counted in bits of what it stops.
        let backward = match self.dice.one_in(4) {
            true => channel(self.dice.pick(&self.rates), b),
            false => channel(rate, b),
        };
        self.spec.links.push(LinkSpec {
            ends: [a, b],
            channels: [forward, backward].map(Into::into),
        });
        self.spec.links.len() as u32 - 1
    }

    /// Most stations have more links: beside the one they have, or to another switch; each with a
    /// rule of its own. So have some switches.
    fn more_links(&mut self) {
        let is_switch = |node: &NodeSpec| matches!(node.kind, NodeKind::Switch(_));
        let nodes: Vec<bool> = self.spec.nodes.iter().map(is_switch).collect();
        let switches: Vec<u32> = (0..)
            .zip(&nodes)
            .filter(|it| *it.1)
            .map(|it| it.0)
            .collect();
        for (node, is_switch) in (0..).zip(nodes) {
            if is_switch {
                let other = self.dice.pick(&switches);
                if self.dice.one_in(4) && other != node {
                    self.link(node, other);
                }
                continue;
            }
            let more = self.dice.pick(&[0, 1, 1, 1, 2, 3]);
            for _ in 0..more {
                let first = self
                    .spec
                    .links
                    .iter()
                    .find(|link| link.ends.contains(&node));
                let known = first.map(|link| link.ends[usize::from(link.ends[0] == node)]);
                let beside = known.filter(|_| self.dice.one_in(2));
                let switch = beside.unwrap_or_else(|| self.dice.pick(&switches));
                self.link(node, switch);
            }
            let rule = self
                .dice
                .pick(&[NicRule::Hash, NicRule::Rail, NicRule::Spread]);
            self.spec.rules.nics.push(NicSpec { node, rule });
        }
        if self.dice.one_in(2) {
            let rail = |_| self.dice.between(0, 5) as u32;
            self.spec.rules.rails = (0..4).map(rail).collect();
        }
    }

    /// Half of the stations forward; links from station to station make ways through them the
    /// shortest, and stations that no switch knows are behind some.
    fn forwarders(&mut self) {
        let is_station = |it: &(u32, &NodeSpec)| matches!(it.1.kind, NodeKind::Station { .. });
        let nodes = (0..).zip(&self.spec.nodes);
        let stations: Vec<u32> = nodes.filter(is_station).map(|it| it.0).collect();
        for station in &stations {
            if self.dice.one_in(2) {
                self.spec.rules.forwarders.push(*station);
            }
            let other = self.dice.pick(&stations);
            if other != *station && self.dice.one_in(2) {
                self.link(*station, other);
            }
        }
        let forwarders = self.spec.rules.forwarders.clone();
        for forwarder in forwarders.into_iter().take(2) {
            self.station_at(forwarder);
        }
    }

    fn star(&mut self) {
        let switch = self.switch();
        for _ in 0..self.dice.between(2, 6) {
            self.station_at(switch);
        }
    }

    /// Leaves under one or two spines.
    fn two_tiers(&mut self) {
        let spines: Vec<u32> = (0..self.dice.between(1, 2))
            .map(|_| self.switch())
            .collect();
        for _ in 0..self.dice.between(2, 3) {
            let leaf = self.switch();
            for spine in &spines {
                self.link(leaf, *spine);
            }
            for _ in 0..self.dice.between(1, 2) {
                self.station_at(leaf);
            }
        }
    }

    fn chain(&mut self) {
        let mut last = None;
        for _ in 0..self.dice.between(2, 3) {
            let switch = self.switch();
            if let Some(last) = last {
                self.link(last, switch);
                if self.dice.one_in(4) {
                    self.link(switch, last);
                }
            }
            last = Some(switch);
            for _ in 0..self.dice.between(1, 2) {
                self.station_at(switch);
            }
        }
    }

    /// A trunk from fast stations to slow ones, so that frames to several of them, each stopped
    /// and let go for its own sake, wait in front of the trunk.
    fn fan(&mut self) {
        let (near, far) = (self.switch(), self.switch());
        let rates = std::mem::take(&mut self.rates);
        self.rates = vec![rates[0]];
        self.link(near, far);
        for _ in 0..self.dice.between(2, 3) {
            self.station_at(near);
        }
        self.rates = vec![rates[0] / 10, rates[0] / 20];
        for _ in 0..self.dice.between(2, 4) {
            self.station_at(far);
        }
        self.rates = rates;
    }

    /// Frames go round one way.
    fn ring(&mut self) {
        let switches: Vec<u32> = (0..self.dice.between(3, 4))
            .map(|_| self.switch())
            .collect();
        let count = switches.len();
        let next_channels: Vec<u32> = (0..count)
            .map(|at| 2 * self.link(switches[at], switches[(at + 1) % count]))
            .collect();
        for at in 0..count {
            for _ in 0..self.dice.between(1, 2) {
                let station = self.station_at(switches[at]);
                let others = (0..count).filter(|other| *other != at);
                let routes = others.map(|other| RouteSpec {
                    node: switches[other],
                    destination: station,
                    channels: vec![next_channels[other]],
                });
                self.spec.rules.routes.extend(routes);
            }
        }
    }
}
