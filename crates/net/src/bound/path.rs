//! What each port on a flow's way adds.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use backwater_kernel::{Channels, Duration, Rate};

use super::edf;
use super::{Account, Bound, NoBound, Part, largest, smallest};
use crate::spec::{
    ChannelSpec, FlowControlSpec, FlowSpec, NetworkSpec, ReserveSpec, Resync, SchedulerSpec, Stamp,
    Timing,
};

/// Ways from the source to each destination, as channels.
pub(super) fn ways(flow: &FlowSpec) -> Vec<Vec<u32>> {
    let is_leaf = |index: usize| flow.legs.iter().all(|leg| leg.parent != Some(index as u32));
    let leaves = (0..flow.legs.len()).filter(|&index| is_leaf(index));
    leaves.map(|leaf| way_to(flow, leaf)).collect()
}

fn way_to(flow: &FlowSpec, leaf: usize) -> Vec<u32> {
    let mut way = Vec::new();
    let mut next = Some(leaf as u32);
    while let Some(leg) = next.and_then(|leg| flow.legs.get(leg as usize)) {
        way.push(leg.channel);
        next = leg.parent;
    }
    way.reverse();
    way
}

/// Who uses which channel.
pub(super) struct Ports<'a> {
    spec: &'a NetworkSpec,
    /// Flows that cross each channel.
    pub flows: Vec<Vec<u32>>,
    /// Control units may cross the channel.
    has_control: Vec<bool>,
    /// What was summed up so far, by channel and priority: many flows ask for the same.
    groups: RefCell<BTreeMap<(u32, u8), Group>>,
    /// Whether deadlines are kept, by channel and priority, as far as it was asked.
    pub deadlines: RefCell<BTreeMap<(u32, u8), Result<(), NoBound>>>,
}

/// The flows of one priority on one channel.
#[derive(Clone, Copy)]
struct Group {
    /// Some flow of the channel has a higher priority.
    is_behind: bool,
    /// The sum of what is reserved from the start. (Flows with a session are admitted only to what
    /// that leaves.)
    reserved: Rate,
    /// Time of the largest unit that is served only when none of those that reserve waits.
    background: Duration,
    /// Time of the largest unit of those that reserve.
    longest: Duration,
    /// Times of the largest units of all that reserve.
    units: Duration,
    /// Sum of P_j rho_j, in bits times picoseconds a second.
    early: u128,
}

impl<'a> Ports<'a> {
    pub fn new(spec: &'a NetworkSpec) -> Ports<'a> {
        let channels = 2 * spec.links.len();
        let mut flows: Vec<Vec<u32>> = vec![Vec::new(); channels];
        for (id, flow) in spec.flows.iter().enumerate() {
            for leg in &flow.legs {
                flows[leg.channel as usize].push(id as u32);
            }
        }
        let mut ports = Ports {
            spec,
            flows,
            has_control: vec![false; channels],
            groups: RefCell::default(),
            deadlines: RefCell::default(),
        };
        for flow in &spec.flows {
            ports.mark_control(flow);
        }
        ports
    }

    /// Credit, requests, session messages and warnings of `flow`.
    fn mark_control(&mut self, flow: &FlowSpec) {
        let warns = |channel: u32| {
            let scheduler = self.channel(channel).scheduler;
            scheduler.alarm_bytes().is_some()
        };
        let is_warned = flow.legs.iter().any(|leg| warns(leg.channel));
        for leg in &flow.legs {
            let talks = leg.flow_control != FlowControlSpec::None || flow.session.is_some();
            let channel = leg.channel as usize;
            self.has_control[channel] |= talks;
            self.has_control[channel ^ 1] |= talks || is_warned;
        }
    }

    pub fn channel(&self, channel: u32) -> &'a ChannelSpec {
        self.spec.links.channel(channel)
    }

    pub fn flow(&self, flow: u32) -> &'a FlowSpec {
        &self.spec.flows[flow as usize]
    }

    /// The bound along `way`, term by term.
    pub fn account(
        &self,
        flow_id: u32,
        reserve: &ReserveSpec,
        burst: Duration,
        way: &[u32],
    ) -> Result<Account<Bound>, NoBound> {
        for &channel in way {
            self.check(flow_id, channel)?;
        }
        let shared = |channel: &&u32| self.flows[**channel as usize].len() > 1;
        let by_deadline = |channel: &u32| self.channel(*channel).scheduler.goes_by_deadline();
        let servers = way.iter().filter(shared).count() as u32;
        let edf = way.iter().filter(shared).filter(|c| by_deadline(c)).count() as u32;
        let (once, parts) = match edf {
            0 => (burst, self.by_rate(flow_id, reserve, way)?),
            // What a burst takes is within the deadlines.
            edf if edf == servers => {
                let parts = edf::parts(self, flow_id, reserve, burst, way)?;
                (Duration::ZERO, parts)
            }
            _ => return Err(NoBound::Mixed),
        };
        let delay = parts.iter().fold(once, |sum, part| sum + part.sum());
        Ok(Account {
            bound: Bound {
                delay,
                burst,
                servers,
            },
            burst: once,
            parts,
        })
    }

    /// What a link adds whose port adds so much.
    pub fn part(&self, channel: u32, wait: Duration, wire: Duration) -> Part {
        let link = self.channel(channel);
        Part {
            channel,
            wait,
            wire,
            propagation: link.delay,
            handling: link.handling,
        }
    }

    /// Over guaranteed-rate servers, the burst not counted.
    fn by_rate(
        &self,
        flow_id: u32,
        reserve: &ReserveSpec,
        way: &[u32],
    ) -> Result<Vec<Part>, NoBound> {
        let unit_bytes = largest(self.flow(flow_id));
        let unit = reserve.rate.tick(unit_bytes);
        let mut is_first = true;
        let mut parts = Vec::with_capacity(way.len());
        for &channel in way {
            if self.flows[channel as usize].len() == 1 {
                let wire = self.channel(channel).rate.serialization(unit_bytes);
                parts.push(self.part(channel, Duration::ZERO, wire));
                continue;
            }
            let mut wait = self.error(flow_id, channel)?;
            if !is_first {
                wait = wait + unit;
            }
            is_first = false;
            parts.push(self.part(channel, wait, Duration::ZERO));
        }
        Ok(parts)
    }

    /// What rules a bound out at a port, whatever its discipline.
    pub fn check(&self, flow_id: u32, channel: u32) -> Result<(), NoBound> {
        let (flow, port) = (self.flow(flow_id), self.channel(channel));
        let leg = flow.legs.iter().find(|leg| leg.channel == channel);
        if leg.is_some_and(|leg| leg.flow_control != FlowControlSpec::None) {
            return Err(NoBound::Credit { channel });
        }
        if port.timing == Timing::CutThrough {
            return Err(NoBound::CutThrough { channel });
        }
        if self.has_control[channel as usize] {
            return Err(NoBound::Control { channel });
        }
        let Group {
            is_behind,
            reserved,
            ..
        } = self.group(flow_id, channel);
        if is_behind {
            return Err(NoBound::Priority { channel });
        }
        if reserved > port.rate {
            return Err(NoBound::Overbooked { channel, reserved });
        }
        if port.scheduler.shapes() {
            return Err(NoBound::Discipline { channel });
        }
        Ok(())
    }

    /// Flows that compete with `flow_id` by their reservation: of its priority.
    pub fn rival_ids(&self, flow_id: u32, channel: u32) -> impl Iterator<Item = u32> {
        let priority = self.flow(flow_id).priority;
        let competes = move |&rival: &u32| {
            let flow = self.flow(rival);
            flow.priority == priority && flow.reserve.is_some()
        };
        self.flows[channel as usize]
            .iter()
            .copied()
            .filter(competes)
    }

    /// Time of the largest unit that is served only when no rival waits.
    pub fn background(&self, flow_id: u32, channel: u32) -> Duration {
        self.group(flow_id, channel).background
    }

    /// The rivals of `flow_id` on a channel and the rest, summed up.
    fn group(&self, flow_id: u32, channel: u32) -> Group {
        let priority = self.flow(flow_id).priority;
        let known = self.groups.borrow().get(&(channel, priority)).copied();
        known.unwrap_or_else(|| {
            let group = self.sum_up(channel, priority);
            self.groups.borrow_mut().insert((channel, priority), group);
            group
        })
    }

    fn sum_up(&self, channel: u32, priority: u8) -> Group {
        let mut group = Group {
            is_behind: false,
            reserved: Rate(0),
            background: Duration::ZERO,
            longest: Duration::ZERO,
            units: Duration::ZERO,
            early: 0,
        };
        for &id in &self.flows[channel as usize] {
            let flow = self.flow(id);
            let unit = time(self.channel(channel).rate, largest(flow));
            group.is_behind |= flow.priority > priority;
            let Some(reserve) = flow.reserve.filter(|_| flow.priority == priority) else {
                group.background = group.background.max(unit);
                continue;
            };
            if flow.session.is_none() {
                group.reserved.0 = group.reserved.0.saturating_add(reserve.rate.0);
            }
            group.longest = group.longest.max(unit);
            group.units = group.units + unit;
            group.early += reserve.rate.0 as u128 * reserve.offset.ps() as u128;
        }
        group
    }

    /// beta of a port that flows share.
    fn error(&self, flow_id: u32, channel: u32) -> Result<Duration, NoBound> {
        let port = self.channel(channel);
        let group = self.group(flow_id, channel);
        let longest = group.longest.max(group.background);
        match port.scheduler {
            SchedulerSpec::VirtualClock(clock)
                if clock.stamp == Stamp::AuxVc && clock.resync != Resync::Literal =>
            {
                let early_ps = group.early.div_ceil(port.rate.0.max(1) as u128);
                Ok(longest + Duration(early_ps.min(u64::MAX as u128 / 8) as u64))
            }
            SchedulerSpec::Wfq | SchedulerSpec::Wf2qPlus => Ok(longest),
            SchedulerSpec::Scfq => {
                let own = time(port.rate, largest(self.flow(flow_id)));
                Ok(Duration(group.units.ps() - own.ps()) + group.background)
            }
            _ => Err(NoBound::Discipline { channel }),
        }
    }

    /// Spread of a unit's transmission time between the sizes of a flow.
    pub fn spread(&self, flow_id: u32, channel: u32) -> Duration {
        let (flow, rate) = (self.flow(flow_id), self.channel(channel).rate);
        Duration(time(rate, largest(flow)).ps() - time(rate, smallest(flow)).ps())
    }
}

/// Time to send so many bytes; none for nothing.
fn time(rate: Rate, bytes: u64) -> Duration {
    match bytes {
        0 => Duration::ZERO,
        bytes => rate.serialization(bytes),
    }
}
