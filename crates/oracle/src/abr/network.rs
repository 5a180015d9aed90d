//! The network and its events: one list, one loop.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{
    NetworkSpec, NodeKind, OutageSpec, SchedulerSpec, SourceControlSpec, Timing, TrafficSpec,
};

use super::notices::Travelling;
use super::port::{Cell, Port, Queue};
use super::rates::{Joining, Now, RatePort};
use super::refuse::refuse;
use super::source::Source;
use super::traffic::{self, Loop, Offer};
use super::{Fault, Kind, RateChange, Report, Start};
use crate::check::{self, Problem};

pub(super) struct Channel {
    pub rate: Rate,
    pub delay: Duration,
    pub handling: Duration,
    pub timing: Timing,
    pub free_at: u64,
    pub port: Port,
    pub rates: Option<RatePort>,
    /// The last timer set for them.
    pub timer: Option<u64>,
    pub outages: Vec<OutageSpec>,
    /// ABR cells that wait.
    pub queue_cells: u64,
    pub queue_max: u64,
    /// Traffic that is not ABR and of a lower priority takes nothing from its circuits: the least
    /// of theirs, where ports serve by priority.
    pub least_priority: u8,
    /// That wait for it, the oldest first.
    pub notices: Vec<Travelling>,
}

pub(super) struct AbrFlow {
    pub unit_bytes: u64,
    pub priority: u8,
    /// Legs along its path, counted over all flows.
    pub path: Vec<usize>,
    pub partner: Option<usize>,
    pub source: Option<Source>,
    pub offers: Vec<(u64, Offer)>,
    /// Offers taken so far.
    pub offered: usize,
    /// A plain greedy source: it makes its units one by one,
    pub is_pulled: bool,
    /// so many more.
    pub to_make: u64,
    pub next_number: u64,
    /// The client's side of a loop of requests.
    pub requests: Option<Loop>,
    pub delivered: u64,
}

/// What happens at an instant: the phases in their order.
pub(super) enum Happening {
    /// A unit takes effect at the far end of a channel.
    Arrive(Cell),
    /// A notice takes effect there.
    Hear(Travelling),
    /// A port's interval ends.
    Interval,
    /// A source looks for something to send.
    Inject,
    /// A wire is free.
    Free,
}

pub(super) const ARRIVE: u8 = 0;
const CONTROL: u8 = 1;
pub(super) const INJECT: u8 = 2;
const CHOOSE: u8 = 3;

/// (instant, phase, channel or flow, order of entry).
type Key = (u64, u8, usize, u64);

pub(super) struct Network {
    pub stop_ps: u64,
    pub events: BTreeMap<Key, Happening>,
    pub entered: u64,
    pub flows: Vec<AbrFlow>,
    pub channels: Vec<Channel>,
    /// Channels that may have something to send at this instant.
    pub awake: BTreeSet<usize>,
    /// Channel of each leg.
    pub channel_of: Vec<usize>,
    /// Does the channel end at a switch?
    pub at_switch: Vec<bool>,
    pub report: Report,
    pub changes: Vec<RateChange>,
    /// Only negative controls set it.
    pub fault: Option<Fault>,
}

impl Network {
    pub fn new(spec: &NetworkSpec) -> Result<Network, Problem> {
        refuse(spec)?;
        let ends = check::channel_ends(spec);
        let is_switch = |node: u32| spec.nodes[node as usize].kind == NodeKind::Switch;
        let mut network = Network {
            stop_ps: spec.stop_at.ps(),
            events: BTreeMap::new(),
            entered: 0,
            flows: Vec::new(),
            channels: Vec::new(),
            awake: BTreeSet::new(),
            channel_of: Vec::new(),
            at_switch: ends.iter().map(|(_, to)| is_switch(*to)).collect(),
            report: Report::default(),
            changes: Vec::new(),
            fault: None,
        };
        for index in 0..spec.flows.len() {
            network.add_flow(spec, index)?;
        }
        for index in 0..ends.len() {
            network.add_channel(spec, index);
        }
        for index in 0..spec.flows.len() {
            network.plan(index, 0);
        }
        Ok(network)
    }

    fn add_flow(&mut self, spec: &NetworkSpec, index: usize) -> Result<(), Problem> {
        let flow = &spec.flows[index];
        let first = self.channel_of.len();
        let channels = flow.legs.iter().map(|leg| leg.channel as usize);
        self.channel_of.extend(channels);
        let unit_bytes = u64::from(flow.unit_bytes);
        self.flows.push(AbrFlow {
            unit_bytes,
            priority: flow.priority,
            path: (first..first + flow.legs.len()).collect(),
            partner: flow.partner.map(|partner| partner as usize),
            source: match flow.source_control {
                SourceControlSpec::Abr(spec) => Some(Source::new(spec, 8 * unit_bytes)),
                _ => None,
            },
            offers: traffic::offers(spec, index, &flow.traffic)?,
            offered: 0,
            is_pulled: matches!(flow.traffic, TrafficSpec::Greedy { .. }),
            to_make: 0,
            next_number: 0,
            requests: match flow.traffic {
                TrafficSpec::Requests(requests) => Some(Loop::new(requests)),
                _ => None,
            },
            delivered: 0,
        });
        Ok(())
    }

    fn add_channel(&mut self, spec: &NetworkSpec, index: usize) {
        let channel = check::channels(spec)[index];
        let mut queues = Vec::new();
        let mut circuits = Vec::new();
        let mut bits = 424;
        let mut least_priority = None;
        for (number, flow) in self.flows.iter().enumerate() {
            let group = spec.flows[number].priority;
            for leg in &flow.path {
                if self.channel_of[*leg] != index {
                    continue;
                }
                queues.push(Queue {
                    leg: *leg,
                    group,
                    cells: Default::default(),
                });
                if let Some(source) = &flow.source {
                    circuits.push(*leg);
                    bits = source.bits;
                    least_priority = Some(group.min(least_priority.unwrap_or(group)));
                }
            }
        }
        let rule = spec
            .rules
            .rate_ports
            .iter()
            .find(|rule| rule.0 as usize == index);
        let rates = rule.map(|(_, rule)| RatePort::new(rule, channel.rate.0, &circuits, bits));
        if let Some(at) = rates.as_ref().and_then(RatePort::timer_ps) {
            self.enter(at, CONTROL, index, Happening::Interval);
        }
        let outages = spec.outages.iter();
        self.channels.push(Channel {
            rate: channel.rate,
            delay: channel.delay,
            handling: channel.handling,
            timing: channel.timing,
            free_at: 0,
            port: Port::new(channel.scheduler, queues),
            timer: rates.as_ref().and_then(RatePort::timer_ps),
            rates,
            outages: outages
                .filter(|outage| outage.channel as usize == index)
                .copied()
                .collect(),
            queue_cells: 0,
            queue_max: 0,
            least_priority: match channel.scheduler {
                SchedulerSpec::Fifo => 0,
                _ => least_priority.unwrap_or(0),
            },
            notices: Vec::new(),
        });
    }

    pub fn enter(&mut self, at_ps: u64, phase: u8, entity: usize, what: Happening) {
        self.entered += 1;
        let key = (at_ps, phase, entity, self.entered);
        self.events.insert(key, what);
    }

    pub fn run(&mut self) {
        while let Some(now) = self.events.keys().next().map(|key| key.0) {
            if now > self.stop_ps {
                return;
            }
            while let Some(entry) = self.events.first_entry() {
                if entry.key().0 > now {
                    break;
                }
                let ((_, _, entity, _), what) = entry.remove_entry();
                match what {
                    Happening::Arrive(cell) => self.arrive(entity, cell, now),
                    Happening::Hear(notice) => self.pass_notice(notice, now),
                    Happening::Interval => self.end_interval(entity, now),
                    Happening::Inject => self.inject(entity, now),
                    Happening::Free => {
                        self.awake.insert(entity);
                    }
                }
            }
            for channel in std::mem::take(&mut self.awake) {
                self.choose(channel, now);
            }
        }
    }

    fn end_interval(&mut self, channel: usize, now: u64) {
        let here = &mut self.channels[channel];
        let state = Now {
            at_ps: now,
            queue_cells: here.queue_cells,
        };
        if let Some(rates) = &mut here.rates {
            rates.on_timer(state);
        }
        self.set_timer(channel);
    }

    /// Timers that have become void find nothing to do.
    fn set_timer(&mut self, channel: usize) {
        let here = &mut self.channels[channel];
        let timer = here.rates.as_ref().and_then(RatePort::timer_ps);
        if let Some(at) = timer.filter(|_| timer != here.timer) {
            here.timer = timer;
            self.enter(at, CONTROL, channel, Happening::Interval);
        }
    }

    /// A unit takes effect at the far end of a channel.
    fn arrive(&mut self, channel: usize, mut cell: Cell, now: u64) {
        let flow = &self.flows[cell.flow];
        let place = flow.path.iter().position(|leg| *leg == cell.leg);
        let next = place.and_then(|place| flow.path.get(place + 1)).copied();
        let Some(next) = next else {
            return self.deliver(cell, now);
        };
        if self.at_switch[channel] && cell.kind == Kind::Backward {
            self.tell(channel ^ 1, &mut cell, now);
        }
        cell.leg = next;
        self.join(cell, now);
    }

    /// An answer passes the port of `channel`, which its circuit uses forward.
    fn tell(&mut self, channel: usize, cell: &mut Cell, now: u64) {
        let Some(partner) = self.flows[cell.flow].partner else {
            return;
        };
        let path = &self.flows[partner].path;
        let mut path = path.iter().copied();
        let leg = path.find(|leg| self.channel_of[*leg] == channel);
        let here = &mut self.channels[channel];
        let state = Now {
            at_ps: now,
            queue_cells: here.queue_cells,
        };
        if let (Some(rates), Some(leg), Some(rm)) = (&mut here.rates, leg, &mut cell.rm) {
            rates.on_backward(leg, state, rm);
        }
    }

    /// A unit joins the queue of its leg.
    pub fn join(&mut self, mut cell: Cell, now: u64) {
        cell.joined_ps = now;
        let is_abr = self.flows[cell.flow].source.is_some();
        let bits = 8 * self.flows[cell.flow].unit_bytes;
        let channel = self.channel_of[cell.leg];
        let here = &mut self.channels[channel];
        here.queue_cells += is_abr as u64;
        here.queue_max = here.queue_max.max(here.queue_cells);
        let state = Now {
            at_ps: now,
            queue_cells: here.queue_cells,
        };
        let takes_turn = is_abr || self.flows[cell.flow].priority >= here.least_priority;
        if let Some(rates) = here.rates.as_mut().filter(|_| takes_turn) {
            let joining = match (is_abr, cell.kind, &mut cell.rm) {
                (false, ..) => Joining::Background,
                (_, Kind::Forward, Some(rm)) => Joining::Forward(rm),
                (_, Kind::Data, _) => Joining::Data(&mut cell.efci),
                _ => Joining::Backward,
            };
            let notice = rates.on_join(cell.leg, bits, state, joining);
            here.port.join(cell);
            if let Some(notice) = notice {
                self.notify(cell.leg, cell.flow, notice, now);
            }
        } else {
            here.port.join(cell);
        }
        self.awake.insert(channel);
        self.set_timer(channel);
    }

    /// A unit reached its destination.
    fn deliver(&mut self, cell: Cell, now: u64) {
        let index = cell.flow;
        let partner = self.flows[index].partner;
        if let Some(source) = &mut self.flows[index].source {
            source.received[cell.kind as usize] += 1;
        }
        match (cell.kind, cell.rm, partner) {
            (Kind::Forward, Some(rm), Some(partner)) => {
                if let Some(source) = &mut self.flows[partner].source {
                    source.on_forward(rm);
                }
                self.plan(partner, now);
            }
            (Kind::Backward, Some(rm), Some(partner)) => {
                let flow = &mut self.flows[partner];
                if let Some(source) = &mut flow.source {
                    source.on_backward(rm, now);
                    let acr = source.acr;
                    self.note(partner, acr, now);
                }
                self.plan(partner, now);
            }
            _ => self.deliver_data(cell, now),
        }
    }

    fn deliver_data(&mut self, cell: Cell, now: u64) {
        let index = cell.flow;
        self.flows[index].delivered += 1;
        if let Some(requests) = &mut self.flows[index].requests {
            requests.on_request_unit(now);
        }
        let Some(partner) = self.flows[index].partner else {
            return;
        };
        if let Some(source) = &mut self.flows[partner].source {
            source.efci = cell.efci;
        }
        if let Some(requests) = &mut self.flows[partner].requests {
            requests.on_response_unit(now);
        }
        self.plan(index, now);
        self.plan(partner, now);
    }

    pub fn note(&mut self, flow: usize, acr: u64, now: u64) {
        self.changes.push(RateChange {
            at_ps: now,
            flow: flow as u32,
            acr_bps: acr,
        });
    }

    /// The port of a channel sends its next unit, if the wire is free.
    fn choose(&mut self, index: usize, now: u64) {
        let channel = &mut self.channels[index];
        if channel.free_at > now {
            return;
        }
        let must_wait = self.fault == Some(Fault::NoticesLast) && !channel.port.is_empty();
        if !channel.notices.is_empty() && !must_wait {
            return self.start_notice(index, now);
        }
        let Some(cell) = channel.port.take() else {
            return;
        };
        let flow = &self.flows[cell.flow];
        channel.queue_cells -= flow.source.is_some() as u64;
        let bytes = flow.unit_bytes;
        let effect = self.launch(index, bytes, now);
        self.report.starts.push(Start {
            at_ps: now,
            leg: cell.leg as u32,
            number: cell.number,
            kind: cell.kind,
        });
        let is_first = self.flows[cell.flow].path[0] == cell.leg;
        let owner = cell.flow;
        match effect {
            None => self.report.lost += 1,
            Some(effect) => self.enter(effect, ARRIVE, index, Happening::Arrive(cell)),
        }
        if is_first {
            self.pull(owner, now);
        }
    }

    /// The wire of a channel takes a unit: when that takes effect, unless it is lost.
    pub fn launch(&mut self, index: usize, bytes: u64, now: u64) -> Option<u64> {
        let channel = &mut self.channels[index];
        let last_bit = now + channel.rate.serialization(bytes).ps();
        channel.free_at = last_bit;
        let until = last_bit + channel.delay.ps();
        let is_cut = |outage: &OutageSpec| now < outage.until.ps() && until > outage.from.ps();
        let is_lost = channel.outages.iter().any(is_cut);
        let received = match channel.timing {
            Timing::StoreAndForward => last_bit,
            Timing::CutThrough => now,
        };
        let effect = received + channel.delay.ps() + channel.handling.ps();
        self.enter(last_bit, CHOOSE, index, Happening::Free);
        (!is_lost).then_some(effect)
    }

    pub fn report(mut self) -> Report {
        let initial = |flow: &AbrFlow| flow.source.as_ref().map_or(0, |source| source.spec.icr.0);
        let initial: Vec<u64> = self.flows.iter().map(initial).collect();
        let mut report = std::mem::take(&mut self.report);
        let order = |start: &Start| (start.at_ps, start.leg, start.kind);
        report.starts.sort_by_key(order);
        report.rates = super::settled(std::mem::take(&mut self.changes), &initial);
        report.queue_max = self.channels.iter().map(|one| one.queue_max).collect();
        report.delivered = self.flows.iter().map(|flow| flow.delivered).collect();
        let loops = self.flows.iter().filter_map(|flow| flow.requests.as_ref());
        report.cycles = loops.map(|one| one.cycles).sum();
        report
    }
}
