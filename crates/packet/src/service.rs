//! Ports whose scheduler sees each unit: building them, and the way of a unit through them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, EventQueue, Rate};

use crate::build::{ends, is_pulled};
use crate::leg::Leg;
use crate::outcome::LossCause;
use crate::probe::Probe;
use crate::scheduler::{Admitted, Check, Line, Place, Ranked, RoundRobin, Scheduler, Share};
use crate::simulation::{Freed, Network, Simulation};
use crate::spec::{ChannelSpec, FlowSpec, LegSpec, NetworkSpec, SchedulerSpec, WhenFull};
use crate::unit::NONE;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The unit at `place` joins the queue of `leg_id` at a port that ranks.
    #[inline(never)]
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
        if ranked.reorders {
            sender.queue.insert_by_rank(&mut network.units, place);
        } else {
            sender.queue.push(&mut network.units, place);
        }
        if ranked.tracks_tails {
            let last = network.units.packet(sender.queue.tail);
            ranked.on_tail(sender.place, last);
        }
        let is_first = sender.queue.head == place;
        let (has_credit, waiting) = (sender.credit > 0, sender.queue.len);
        if is_first && has_credit {
            ranked.ready(now, sender.place, network.units.packet(place));
        }
        self.probe.on_rank(now, leg_id, number, rank);
        self.probe.on_queue(now, leg_id, waiting);
        if is_first && has_credit {
            self.wake(channel_id);
        } else if is_first {
            self.note_blocked(leg_id);
        }
        if let Some(check) = check {
            self.warn(leg_id, check);
        }
    }

    /// The flow of `leg_id` was checked: its source is warned if it runs too fast.
    #[cold]
    fn warn(&mut self, leg_id: u32, check: Check) {
        let Check {
            ahead_ps,
            threshold,
        } = check;
        self.probe.on_check(self.now, leg_id, ahead_ps, threshold);
        if i128::from(ahead_ps) <= i128::from(threshold.ps()) {
            return;
        }
        self.network.counts[leg_id as usize].alarms += 1;
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let scheduler = &self.network.channels[channel as usize].scheduler;
        if let Scheduler::Ranked(ranked) = scheduler
            && let Some(bytes) = ranked.alarm_bytes
        {
            self.raise_alarm(leg_id, bytes);
        }
    }

    /// The first unit of the queue may be chosen.
    pub(crate) fn offer_head(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let first = sender.queue.head;
        let head = network.units.packet(first);
        let scheduler = &mut network.channels[sender.channel as usize].scheduler;
        if let Scheduler::Ranked(ranked) = scheduler {
            ranked.ready(self.now, sender.place, head);
        }
    }

    /// The unit at `place`, taken from the queue of `leg_id`, is about to start. The next one is
    /// first now; if there is none, the port learns that after the start, since the source may
    /// hand over another.
    #[inline(never)]
    pub(crate) fn serve_ranked(&mut self, leg_id: u32, place: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let unit = network.units.packet(place);
        let channel = &mut network.channels[sender.channel as usize];
        channel.serve_rank(unit.rank);
        let Scheduler::Ranked(ranked) = &mut channel.scheduler else {
            return;
        };
        let is_eligible = sender.is_eligible();
        let next = is_eligible.then(|| network.units.packet(sender.queue.head));
        ranked.on_start(self.now, sender.place, unit, next);
        if ranked.tracks_tails {
            self.note_tail(leg_id);
        }
    }

    /// The queue of `leg_id` lost a unit: where units are pushed out by rank, its port learns the
    /// new end. (A unit that joins is noted where it gets its rank.)
    #[inline]
    pub(crate) fn note_tail(&mut self, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let channel = &mut network.channels[sender.channel as usize];
        let Scheduler::Ranked(ranked) = &mut channel.scheduler else {
            return;
        };
        if !ranked.tracks_tails {
            return;
        }
        match sender.queue.len {
            0 => ranked.on_empty(sender.place),
            _ => ranked.on_tail(sender.place, network.units.packet(sender.queue.tail)),
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
        let freed = self.lose_waiting(leg_id, place, cause);
        self.freed.extend(freed);
    }

    /// The same, but what it frees is left to the caller.
    pub(crate) fn lose_waiting(
        &mut self,
        leg_id: u32,
        place: u32,
        cause: LossCause,
    ) -> Option<Freed> {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (channel_id, parent) = (sender.channel, sender.parent);
        let unit = *self.network.units.get(place);
        if sender.seen_by.rates() {
            self.leave_rate_port(leg_id);
        }
        self.network.counts[leg_id as usize].dropped_waiting += 1;
        self.forget(channel_id, leg_id, place, cause);
        if parent == NONE {
            return None;
        }
        let until = self.now;
        if unit.shared != NONE {
            return self.leave_shared_copy(parent, &unit, until);
        }
        let (leg, bytes) = (parent, unit.bytes);
        Some(Freed { leg, bytes, until })
    }
}

/// Can the ports on the way serve the flow?
///
/// # Errors
/// If an endless source stands before a port that may refuse what it hands over: it would hand
/// over unit after unit without time passing.
pub(crate) fn check_flow(spec: &NetworkSpec, flow: &FlowSpec) -> Result<(), String> {
    let refuses = |leg: &LegSpec| {
        let scheduler = channel_of(spec, leg.channel).scheduler;
        matches!(scheduler, SchedulerSpec::Ats { max_residence } if max_residence.is_some())
    };
    let mut roots = flow.legs.iter().filter(|leg| leg.parent.is_none());
    if is_pulled(flow) && roots.any(refuses) {
        return Err("a greedy source can't stand before a port with a maximum residence".into());
    }
    Ok(())
}

fn channel_of(spec: &NetworkSpec, channel: u32) -> &ChannelSpec {
    spec.links.channel(channel)
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
    if channel.scheduler == SchedulerSpec::Fifo && may_line_up(network, spec, &groups) {
        for &leg in groups.iter().flatten() {
            network.legs[leg as usize].sender.seen_by.set_lines();
        }
        return Scheduler::Line(Line::new());
    }
    let rates = rates(network, spec, channel, &groups);
    let mut seats: Vec<Vec<(u32, Share)>> = Vec::with_capacity(groups.len());
    for group in &groups {
        let share = |&leg: &u32| (leg, share(network, spec, leg, rates));
        seats.push(group.iter().map(share).collect());
    }
    for &leg in groups.iter().flatten() {
        network.legs[leg as usize].sender.seen_by.set_ranks();
    }
    let tracks_tails = pushes_out_by_rank(network, spec, channel, &groups);
    let ranked = Ranked::new(&channel.scheduler, channel.rate, seats, tracks_tails);
    Scheduler::Ranked(Box::new(ranked))
}

/// No queue of the port is ever blocked, and none loses a unit that waits.
fn may_line_up(network: &Network, spec: &NetworkSpec, groups: &[Vec<u32>]) -> bool {
    let mut legs = groups.iter().flatten();
    legs.all(|&leg| {
        let sender = &network.legs[leg as usize].sender;
        let (from, _) = ends(spec, sender.channel).unwrap_or_default();
        let pool = spec.nodes[from as usize].pool;
        let pushes_out = pool.is_some_and(|pool| pool.when_full == WhenFull::PushOut);
        sender.control == NONE && !pushes_out
    })
}

/// The node of this port makes room in its pool by pushing out what it would serve last, and
/// ranks tell what that is.
fn pushes_out_by_rank(
    network: &Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    groups: &[Vec<u32>],
) -> bool {
    let first = groups.iter().flatten().next();
    let Some(&leg) = first.filter(|_| channel.scheduler.stamps()) else {
        return false;
    };
    let channel = network.legs[leg as usize].sender.channel;
    let node = spec.links.ends(channel).0;
    let pool = spec.nodes[node as usize].pool;
    pool.is_some_and(|pool| pool.when_full == WhenFull::PushOut)
}

/// Legs in groups by priority, the largest first, each group in the order of flows; they learn
/// their seats.
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
    priorities.sort_unstable_by(|one, other| other.cmp(one));
    priorities.dedup();
    let mut groups: Vec<Vec<u32>> = alloc::vec![Vec::new(); priorities.len()];
    for &leg in &legs {
        let group = priorities.partition_point(|&other| other > priority(leg));
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
    let burst = burst.map_or(unit, |bytes| rate.tick(bytes));
    Share {
        rate,
        unit_bytes: flow.unit_bytes,
        check_every: reserve
            .and_then(|reserve| reserve.interval)
            .map_or(0, |interval| units_of(rate, interval, flow.unit_bytes)),
        offset: reserve.map_or(Duration::ZERO, |reserve| reserve.offset),
        deadline: reserve.and_then(|reserve| reserve.deadline).unwrap_or(unit),
        tolerance: Duration(burst.ps().saturating_sub(unit.ps())),
        ingress,
    }
}

/// AIR: whole units that `rate` carries in `interval`, at least one.
fn units_of(rate: Rate, interval: Duration, unit_bytes: u32) -> u32 {
    let units = rate.bits_in(interval) / (8 * unit_bytes.max(1) as u128);
    units.clamp(1, u32::MAX as u128) as u32
}
