//! Ports whose scheduler sees each unit: building them, and the way of a unit through them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use kernel::{Duration, EventQueue, Rate};

use crate::leg::Leg;
use crate::outcome::LossCause;
use crate::probe::Probe;
use crate::scheduler::{Admitted, Packet, Place, Ranked, RoundRobin, Scheduler, Share};
use crate::simulation::{Network, Simulation};
use crate::spec::{ChannelSpec, FlowSpec, NetworkSpec, SchedulerSpec};
use crate::unit::NONE;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The unit at `place` joins the queue of `leg_id` at a port that ranks.
    pub(crate) fn enqueue_ranked(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        let unit = network.units.get(place);
        let (bytes, number) = (unit.bytes, unit.number);
        let channel_id = sender.channel;
        let (port, Some(ranked)) = network.channels[channel_id as usize].ranked(now) else {
            return;
        };
        let Some(Admitted { rank, check }) = ranked.on_arrival(&port, sender.place, bytes) else {
            return self.refuse(leg_id, place);
        };
        network.units.set_rank(place, rank);
        if ranked.reorders() {
            sender.queue.insert_by_rank(&mut network.units, place);
        } else {
            sender.queue.push(&mut network.units, place);
        }
        let is_first = sender.queue.head == place;
        let (has_credit, waiting) = (sender.credit > 0, sender.queue.len);
        self.probe.on_rank(now, leg_id, number, rank);
        self.probe.on_queue(now, leg_id, waiting);
        if is_first && has_credit {
            self.offer_head(leg_id);
            self.wake(channel_id);
        } else if is_first {
            self.note_blocked(leg_id);
        }
        if let Some(check) = check {
            self.probe
                .on_check(now, leg_id, check.ahead_ps, check.threshold);
        }
    }

    /// The first unit of the queue may be chosen.
    pub(crate) fn offer_head(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let first = sender.queue.head;
        let head = Packet {
            rank: network.units.rank(first),
            bytes: network.units.get(first).bytes,
        };
        let (port, ranked) = network.channels[sender.channel as usize].ranked(self.now);
        if let Some(ranked) = ranked {
            ranked.ready(&port, sender.place, head);
        }
    }

    /// The unit at `place`, taken from the queue of `leg_id`, is about to start.
    pub(crate) fn serve_ranked(&mut self, leg_id: u32, place: u32, bytes: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let rank = network.units.rank(place);
        let channel = &mut network.channels[sender.channel as usize];
        channel.serve_rank(rank);
        let (port, ranked) = channel.ranked(self.now);
        if let Some(ranked) = ranked {
            ranked.on_start(&port, sender.place, Packet { rank, bytes });
        }
    }

    /// The scheduler does not let the unit wait.
    #[cold]
    fn refuse(&mut self, leg_id: u32, place: u32) {
        self.discard(leg_id, place, LossCause::Residence);
    }

    /// The unit at `place`, in no queue any more, is not sent by `leg_id`; the memory it held is
    /// free if no other branch sends it.
    pub(crate) fn discard(&mut self, leg_id: u32, place: u32, cause: LossCause) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (channel_id, parent) = (sender.channel, sender.parent);
        let shared = self.network.units.get(place).shared;
        self.forget(channel_id, leg_id, place, cause);
        let is_last = shared == NONE || self.network.copies.sent_by_one(shared);
        if parent != NONE && is_last {
            self.freed.push(parent);
        }
    }
}

/// The scheduler of a port, and the seats of its legs.
pub(crate) fn scheduler(
    network: &mut Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    legs: Vec<u32>,
) -> Scheduler {
    let groups = groups(network, spec, channel, legs);
    if channel.scheduler == SchedulerSpec::RoundRobin {
        return Scheduler::RoundRobin(RoundRobin::new(groups));
    }
    let rates = rates(network, spec, channel, &groups);
    let mut seats: Vec<Vec<(u32, Share)>> = Vec::with_capacity(groups.len());
    for group in &groups {
        let share = |&leg: &u32| (leg, share(network, spec, leg, rates));
        seats.push(group.iter().map(share).collect());
    }
    for &leg in groups.iter().flatten() {
        network.legs[leg as usize].sender.is_ranked = true;
    }
    let ranked = Ranked::new(&channel.scheduler, channel.rate, seats);
    Scheduler::Ranked(Box::new(ranked))
}

/// Legs in groups by priority, each group in the order of flows; they learn their seats.
fn groups(
    network: &mut Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    legs: Vec<u32>,
) -> Vec<Vec<u32>> {
    let ignores_priority = channel.scheduler == SchedulerSpec::Fifo;
    let priority = |leg: u32| {
        let flow = network.legs[leg as usize].sender.flow as usize;
        if ignores_priority {
            0
        } else {
            spec.flows[flow].priority
        }
    };
    let mut priorities: Vec<u8> = legs.iter().map(|&leg| priority(leg)).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let mut groups: Vec<Vec<u32>> = alloc::vec![Vec::new(); priorities.len()];
    for &leg in &legs {
        let group = priorities.partition_point(|&other| other < priority(leg));
        groups[group].push(leg);
    }
    for (group, legs) in groups.iter().enumerate() {
        for (seat, &leg) in legs.iter().enumerate() {
            network.legs[leg as usize].sender.place = Place::new(group as u32, seat as u32);
        }
    }
    groups
}

/// The rate of flows that reserve nothing: 0 where others do, an equal share where none does.
fn rates(
    network: &Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    groups: &[Vec<u32>],
) -> Rate {
    let legs = || groups.iter().flatten();
    let reserves = |leg: &u32| flow_of(network, spec, *leg).reserve.is_some();
    if legs().any(reserves) {
        return Rate(0);
    }
    Rate((channel.rate.0 / legs().count().max(1) as u64).max(1))
}

fn flow_of<'a>(network: &Network, spec: &'a NetworkSpec, leg: u32) -> &'a FlowSpec {
    &spec.flows[network.legs[leg as usize].sender.flow as usize]
}

/// What a leg is entitled to; `unreserved` if its flow reserves nothing.
fn share(network: &Network, spec: &NetworkSpec, leg: u32, unreserved: Rate) -> Share {
    let flow = flow_of(network, spec, leg);
    let Leg { sender, .. } = &network.legs[leg as usize];
    let ingress = match sender.parent {
        NONE => NONE,
        parent => network.legs[parent as usize].sender.channel,
    };
    let reserve = flow.reserve;
    let rate = reserve.map_or(unreserved, |reserve| reserve.rate);
    let unit = rate.tick(flow.unit_bytes as u64);
    let burst = reserve.and_then(|reserve| reserve.burst_bytes);
    let beyond = burst.unwrap_or(0).saturating_sub(flow.unit_bytes as u64);
    Share {
        rate,
        unit_bytes: flow.unit_bytes,
        check_every: reserve
            .and_then(|reserve| reserve.interval)
            .map_or(0, |interval| units_of(rate, interval, flow.unit_bytes)),
        offset: reserve.map_or(Duration::ZERO, |reserve| reserve.offset),
        deadline: reserve.and_then(|reserve| reserve.deadline).unwrap_or(unit),
        tolerance: match beyond {
            0 => Duration::ZERO,
            beyond => rate.tick(beyond),
        },
        ingress,
    }
}

/// AIR: whole units that `rate` carries in `interval`, at least one.
fn units_of(rate: Rate, interval: Duration, unit_bytes: u32) -> u32 {
    let units = rate.bits_in(interval) / (8 * unit_bytes.max(1) as u128);
    units.clamp(1, u32::MAX as u128) as u32
}
