//! The state of one loop of credit, and what its rule makes of it.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Channels, Duration, Time};
use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::{
    ClassCreditRule, ClassCreditSpec, CountersSpec, CreditRule, CreditSpec, EthernetSpec, LaneSpec,
    Owner,
};

use super::nics;
use super::routes;
use super::trees::Tree;

/// Both ends of a loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub spec: ClassCreditSpec,
    /// When each frame takes its place, and what it cost.
    pub sent: Vec<(Time, u64)>,
    pub credit: i64,
    /// The frame that goes next has lacked credit since, or since credit that was too little.
    pub blocked_since: Option<Time>,
    /// It has lacked credit since.
    pub short_since: Option<Time>,
    /// Units that came, those of frames dropped on arrival included.
    pub arrived: u64,
    /// Units that came and are gone.
    pub freed: u64,
    /// Of those and of lost ones known, what credit has not told.
    pub untold: u64,
    pub known_lost: u64,
    /// A credit frame waits for its port.
    pub is_waiting: bool,
    pub last_credit: Time,
    /// The receiver looks whether it has been silent.
    pub refresh_at: Option<Time>,
    /// Under counters: units freed, as the sender last heard, and as the receiver last said.
    pub heard: i64,
    pub told: u64,
}

impl Loop {
    pub fn new(spec: ClassCreditSpec) -> Loop {
        let credit = match spec.rule {
            ClassCreditRule::Counters(lane) => i64::from(lane.limit_units),
            ClassCreditRule::Zones(rule) => {
                let zones = i64::from(rule.n2) + i64::from(rule.n3);
                match rule.rule {
                    CreditRule::N123Plus => zones.min(i64::from(rule.n1)),
                    _ => zones,
                }
            }
        };
        let refresh_every = spec.zones().and_then(|rule| rule.refresh_every);
        Loop {
            spec,
            sent: Vec::new(),
            credit,
            blocked_since: None,
            short_since: None,
            arrived: 0,
            freed: 0,
            untold: 0,
            known_lost: 0,
            is_waiting: false,
            last_credit: Time::ZERO,
            refresh_at: refresh_every.map(|every| Time::ZERO + every),
            heard: 0,
            told: 0,
        }
    }

    /// What a frame costs.
    pub fn cost(&self, bytes: u64) -> u64 {
        let counted = bytes as i64 + i64::from(self.spec.overhead_bytes);
        let units = counted.max(0) as u64;
        units.div_ceil(u64::from(self.spec.unit_bytes)).max(1)
    }

    pub fn sent(&self) -> u64 {
        self.sent.iter().map(|(_, cost)| cost).sum()
    }

    /// E: what credit written a window ago could not know of.
    fn sent_within(&self, now: Time, window: Duration) -> i64 {
        let recent = self.sent.iter().filter(|(at, _)| *at + window > now);
        recent.map(|(_, cost)| *cost as i64).sum()
    }

    /// What credit says that is written now.
    pub fn value(&self, fill: u64) -> u64 {
        let Some(rule) = self.spec.zones() else {
            return 0;
        };
        let zones = u64::from(rule.n2 + rule.n3);
        match rule.rule {
            CreditRule::N23 | CreditRule::N123 | CreditRule::N123Plus => zones.saturating_sub(fill),
            CreditRule::Relative => self.untold,
            CreditRule::Cumulative => self.freed + self.known_lost,
        }
    }

    pub fn take(&mut self, now: Time, value: u64) {
        let Some(rule) = self.spec.zones() else {
            return;
        };
        let zones = i64::from(rule.n2) + i64::from(rule.n3);
        let said = value as i64;
        self.credit = match rule.rule {
            CreditRule::N23 => said - self.sent_within(now, rule.window),
            CreditRule::N123 => said,
            CreditRule::N123Plus => {
                said.min(i64::from(rule.n1) - self.sent_within(now, rule.window))
            }
            CreditRule::Relative => self.credit + said,
            CreditRule::Cumulative => zones - (self.sent() as i64 - said),
        };
    }
}

impl Loop {
    /// Lost credit is made good without another start.
    pub fn is_repeated(&self) -> bool {
        self.zones()
            .is_some_and(|rule| rule.request_after.is_some() || rule.refresh_every.is_some())
    }

    pub fn request_at(&self) -> Option<Time> {
        Some(self.blocked_since? + self.zones()?.request_after?)
    }

    pub fn zones(&self) -> Option<&CreditSpec> {
        self.spec.zones()
    }

    pub fn lane(&self) -> Option<&LaneSpec> {
        match &self.spec.rule {
            ClassCreditRule::Zones(_) => None,
            ClassCreditRule::Counters(lane) => Some(lane),
        }
    }
}

/// The lanes of each channel, by place, as far as they have credit. A class takes one place, or one
/// for each owner in it.
pub(super) type Lanes = Vec<Vec<Option<Gate>>>;

/// What of a port's frames one of a flow in this class belongs to, if the class has credit there.
pub(super) fn lane(spec: &EthernetSpec, channel: usize, way: Way, class: u8) -> Option<Gate> {
    let flow = &spec.flows[way.flow];
    let credits = &spec.links.channel(channel as u32).credits;
    let credit = (*credits.get(usize::from(class))?)?;
    Some(match credit.owner {
        Owner::Class => Gate::Class(class),
        Owner::Destination if way.is_forward => {
            Gate::Destination(class, flow.address(way.flow as u32))
        }
        Owner::Destination => Gate::Destination(class, flow.source),
        Owner::Flow => Gate::Flow(class, way.number()),
        Owner::Hash(lanes) => {
            let words = [spec.seed, way.number().into(), channel as u64, u64::MAX];
            Gate::Lane(class, (routes::mix(&words) % u64::from(lanes)) as u32)
        }
    })
}

/// A flow, there or back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub flow: usize,
    pub is_forward: bool,
}

impl Way {
    fn number(self) -> u32 {
        2 * self.flow as u32 + u32::from(!self.is_forward)
    }

    /// Channels that its frames may cross.
    fn channels(
        self,
        spec: &EthernetSpec,
        hops: &BTreeMap<(usize, usize), Vec<usize>>,
        trees: &[Option<Tree>],
    ) -> BTreeSet<usize> {
        let flow = &spec.flows[self.flow];
        if let Some(tree) = &trees[self.flow] {
            return tree.values().flatten().copied().collect();
        }
        let (from, to) = match self.is_forward {
            true => (flow.source as usize, flow.destination as usize),
            false => (flow.destination as usize, flow.source as usize),
        };
        let word = self.flow as u64 * 2 + u64::from(!self.is_forward);
        let (mut crossed, mut nodes) = (BTreeSet::new(), vec![from]);
        while let Some(node) = nodes.pop() {
            if node == to {
                continue;
            }
            let next = &hops[&(node, to)];
            let hash = routes::mix(&[spec.seed, word, node as u64]);
            let draws = spec.rules.spread.parts_flows() && node != from;
            if routes::is_station(spec, node) && !draws {
                let (flow, forward, count) = (self.flow, self.is_forward, next.len());
                let port = |turn| next[nics::port(spec, flow, forward, node, count, turn)];
                let new = (0..count)
                    .map(port)
                    .filter(|channel| crossed.insert(*channel));
                let new: Vec<usize> = new.collect();
                nodes.extend(new.into_iter().map(|channel| routes::head(spec, channel)));
                continue;
            }
            let taken = match spec.rules.spread.parts_flows() {
                false => vec![next[(hash % next.len() as u64) as usize]],
                true => next.clone(),
            };
            let new = taken.into_iter().filter(|channel| crossed.insert(*channel));
            nodes.extend(new.map(|channel| routes::head(spec, channel)));
        }
        crossed
    }
}

/// The lanes of a network.
pub(super) fn lanes(
    spec: &EthernetSpec,
    hops: &BTreeMap<(usize, usize), Vec<usize>>,
    trees: &[Option<Tree>],
) -> Lanes {
    // With the first way of each lane that several share: these are in its order.
    let mut owners = BTreeMap::new();
    for (flow, own) in spec.flows.iter().enumerate() {
        let ways: &[bool] = match own.transport.is_connection() {
            true => &[true, false],
            false => &[true],
        };
        for is_forward in ways.iter().copied() {
            let way = Way { flow, is_forward };
            for channel in way.channels(spec, hops, trees) {
                for class in own.classes() {
                    let gate = lane(spec, channel, way, class);
                    let first = match gate {
                        Some(Gate::Lane(..)) => way.number(),
                        _ => 0,
                    };
                    if let Some(gate) = gate {
                        owners.entry((channel, class, gate)).or_insert(first);
                    }
                }
            }
        }
    }
    let of_class = |channel: usize, class: u8| -> Vec<Option<Gate>> {
        let credits = &spec.links.channel(channel as u32).credits;
        match credits.get(usize::from(class)).copied().flatten() {
            None => vec![None],
            Some(credit) if credit.owner == Owner::Class => vec![Some(Gate::Class(class))],
            Some(_) => {
                let own = owners
                    .iter()
                    .filter(|((at, of, _), _)| (*at, *of) == (channel, class));
                let mut gates: Vec<(u32, Gate)> =
                    own.map(|((.., gate), first)| (*first, *gate)).collect();
                gates.sort_unstable();
                gates.into_iter().map(|(_, gate)| Some(gate)).collect()
            }
        }
    };
    let channels = 0..2 * spec.links.len();
    let all = channels.map(|channel| {
        let classes = spec.links.channel(channel as u32).queues.len() as u8;
        (0..classes)
            .flat_map(|class| of_class(channel, class))
            .collect()
    });
    all.collect()
}

/// The loops of a network, by channel and place.
pub(super) fn loops(spec: &EthernetSpec, lanes: &Lanes) -> BTreeMap<(usize, usize), Loop> {
    let mut loops = BTreeMap::new();
    for (channel, own) in lanes.iter().enumerate() {
        let credits = &spec.links.channel(channel as u32).credits;
        for (place, gate) in own.iter().enumerate() {
            let class = gate.and_then(Gate::class).map(usize::from);
            let credit = class.and_then(|class| credits[class]);
            loops.extend(credit.map(|credit| ((channel, place), Loop::new(credit))));
        }
    }
    loops
}

/// What the ports of a channel remember.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub spec: CountersSpec,
    /// When the last update started, if one has.
    pub updated: Option<Time>,
    /// Updates and statements that wait for their ports.
    pub waits: bool,
    pub next_place: usize,
    pub state_at: Option<Time>,
    /// When those statements were wanted that waited or went last.
    pub stated: Option<Time>,
}

/// Those of all channels.
pub(super) fn counted(spec: &EthernetSpec) -> Vec<Option<Counted>> {
    let channels = 0..2 * spec.links.len() as u32;
    let of = |id| {
        let own = spec.links.channel(id).counters?;
        Some(Counted {
            spec: own,
            updated: None,
            waits: false,
            next_place: 0,
            state_at: own.statement.map(|own| Time::ZERO + own.every),
            stated: None,
        })
    };
    channels.map(of).collect()
}
