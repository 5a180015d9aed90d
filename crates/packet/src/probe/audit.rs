//! Promises checked while a run goes on, from outside the mechanisms.
//!
//! At every instant, for whatever was touched: credit + on the wire + stored <= N1 + N2 + N3;
//! credit <= N2 + N3; at most N2 + N3 starts in any window of one control loop; units of a
//! leg arrive in order (but for VirtualClock that resynchronises to the letter, which reorders);
//! no channel idles while something may be sent, and one whose units are all held is due to ask
//! again. Now and then, for everything: no channel idles as before; units counted as on the wire
//! are on the wire; memory holds what the slowest branch has still to send.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use kernel::{Duration, Time};

use super::{Crossing, Probe, UnitKind};
use crate::outcome::Violation;
use crate::simulation::Network;
use crate::spec::{
    CreditRule, FlowControlSpec, FlowSpec, NetworkSpec, Resync, SchedulerSpec, SourceControlSpec,
};
use crate::unit::NONE;

/// Instants between two checks of everything.
const FULL_CHECK_EVERY: u64 = 1024;
/// Violations kept word for word.
const KEPT: usize = 100;

/// Checks promises; owns what it needs to know.
pub struct Audit {
    limits: Vec<Option<Limit>>,
    last_number: Vec<Option<u64>>,
    /// Units carry rising numbers: not acknowledgements, not a source that sends again, not
    /// behind a port that may reorder them.
    is_numbered: Vec<bool>,
    /// Of each leg.
    channels: Vec<u32>,
    touched_legs: Vec<u32>,
    touched_channels: Vec<u32>,
    instants: u64,
    checks: u64,
    violations: Vec<Violation>,
    violations_total: u64,
}

/// What one leg promised.
struct Limit {
    /// N2 + N3: starts per window.
    window_units: u32,
    window: Duration,
    /// Starts within the last window; absent where the scheme promises no such bound.
    starts: Option<VecDeque<Time>>,
}

impl Audit {
    /// An audit of `network`.
    pub fn new(network: &NetworkSpec) -> Audit {
        let legs = network.flows.iter().flat_map(|flow| &flow.legs);
        let limits: Vec<Option<Limit>> = legs
            .map(|leg| match &leg.flow_control {
                FlowControlSpec::None => None,
                FlowControlSpec::Credit(credit) => {
                    let bounded = matches!(credit.rule, CreditRule::N23);
                    Some(Limit {
                        window_units: credit.n2 + credit.n3,
                        window: credit.window,
                        starts: bounded.then(VecDeque::new),
                    })
                }
            })
            .collect();
        let legs = limits.len();
        let answers = |id: usize| {
            network
                .flows
                .iter()
                .any(|flow| flow.partner == Some(id as u32))
        };
        let is_numbered = network.flows.iter().enumerate().flat_map(|(id, flow)| {
            let again = matches!(flow.source_control, SourceControlSpec::Aimd { .. });
            let in_order = !again && !answers(id) && !is_reordered(network, flow);
            core::iter::repeat_n(in_order, flow.legs.len())
        });
        let legs_of = network.flows.iter().flat_map(|flow| &flow.legs);
        Audit {
            is_numbered: is_numbered.collect(),
            channels: legs_of.map(|leg| leg.channel).collect(),
            limits,
            last_number: vec![None; legs],
            touched_legs: Vec::new(),
            touched_channels: Vec::new(),
            instants: 0,
            checks: 0,
            violations: Vec::new(),
            violations_total: 0,
        }
    }

    /// Checks made.
    pub fn checks(&self) -> u64 {
        self.checks
    }

    /// Promises broken: the first 100, and how many in all.
    pub fn violations(&self) -> (&[Violation], u64) {
        (&self.violations, self.violations_total)
    }

    fn require(&mut self, holds: bool, at: Time, leg: u32, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !holds {
            self.violations_total += 1;
            if self.violations.len() < KEPT {
                self.violations.push(Violation {
                    at,
                    leg,
                    what: what(),
                });
            }
        }
    }

    fn check_start(&mut self, at: Time, leg: u32) {
        let Some(limit) = &mut self.limits[leg as usize] else {
            return;
        };
        let Some(starts) = &mut limit.starts else {
            return;
        };
        while starts
            .front()
            .is_some_and(|&start| start + limit.window <= at)
        {
            starts.pop_front();
        }
        starts.push_back(at);
        let (count, allowed) = (starts.len(), limit.window_units);
        self.require(count <= allowed as usize, at, leg, || {
            format!("{count} starts within one control loop, {allowed} allowed")
        });
    }

    fn check_leg(&mut self, at: Time, id: u32, network: &Network) {
        let leg = &network.legs[id as usize];
        let control = leg.sender.control;
        if control == NONE {
            return;
        }
        let window_units = self.limits[id as usize]
            .as_ref()
            .map_or(0, |limit| limit.window_units);
        let settings = network.credits[control as usize].settings;
        let allowed = network.settings[settings as usize].buffer_units as i64;
        let wire = network.on_the_wire(id) as i64;
        let (credit, fill) = (
            leg.sender.credit.max(0) as i64,
            leg.receiver.fill.value() as i64,
        );
        self.require(credit + wire + fill <= allowed, at, id, || {
            format!("credit {credit} + on the wire {wire} + stored {fill} exceed {allowed}")
        });
        self.require(credit <= window_units as i64, at, id, || {
            format!("credit {credit} exceeds N2 + N3 = {window_units}")
        });
    }

    fn check_channel(&mut self, at: Time, id: u32, network: &Network) {
        let channel = &network.channels[id as usize];
        let is_busy = channel.free_at > at;
        let may_start = channel.scheduler.may_start(at) || !channel.control.is_empty();
        self.require(is_busy || !may_start, at, 0, || {
            format!("channel {id} idles while something may be sent")
        });
        let is_held = channel.has_work() && !may_start;
        let is_due = channel.held_until > at;
        self.require(is_busy || !is_held || is_due, at, 0, || {
            format!("channel {id} holds units and is not due to ask for them again")
        });
    }

    fn check_everything(&mut self, at: Time, network: &Network) {
        for id in 0..network.channels.len() {
            self.check_channel(at, id as u32, network);
        }
        let mut wire = vec![0u64; network.legs.len()];
        for channel in &network.channels {
            for unit in channel
                .wire
                .iter(&network.units)
                .filter(|unit| unit.kind.is_data())
            {
                wire[unit.leg as usize] += 1;
            }
        }
        for (id, leg) in network.legs.iter().enumerate() {
            let counted = network.on_the_wire(id as u32);
            let seen = wire[id];
            self.require(counted == seen, at, id as u32, || {
                format!("{counted} units counted on the wire, {seen} found")
            });
            let receiver = &leg.receiver;
            let first = receiver.first_child as usize;
            let waiting = |child: u32| network.legs[child as usize].sender.queue.len;
            let stored = match receiver.children {
                0 if receiver.first_child == NONE => 0,
                0 => network.sinks[first].waiting.len,
                1 => waiting(receiver.first_child),
                count => {
                    let children = &network.children[first..first + count as usize];
                    children
                        .iter()
                        .map(|&child| waiting(child))
                        .max()
                        .unwrap_or(0)
                }
            };
            let fill = receiver.fill.value();
            self.require(fill == stored, at, id as u32, || {
                format!("memory counts {fill} units, its slowest branch has {stored} to send")
            });
        }
    }
}

/// Does a port on the way serve units of one flow by stamps that may fall?
fn is_reordered(network: &NetworkSpec, flow: &FlowSpec) -> bool {
    let may_fall = |scheduler: SchedulerSpec| match scheduler {
        SchedulerSpec::VirtualClock(spec) => spec.resync == Resync::Literal,
        _ => false,
    };
    flow.legs.iter().any(|leg| {
        let link = &network.links[leg.channel as usize / 2];
        let channel = if leg.channel.is_multiple_of(2) {
            &link.forward
        } else {
            &link.backward
        };
        may_fall(channel.scheduler)
    })
}

impl Probe for Audit {
    fn on_start(&mut self, crossing: Crossing) {
        self.touched_channels.push(crossing.channel);
        if crossing.kind == UnitKind::Data {
            self.touched_legs.push(crossing.leg);
            self.check_start(crossing.at, crossing.leg);
        }
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        self.touched_legs.push(crossing.leg);
        self.touched_channels.push(crossing.channel ^ 1);
        if crossing.kind == UnitKind::Data {
            let last = self.last_number[crossing.leg as usize].replace(crossing.value);
            if let (Some(last), true) = (last, self.is_numbered[crossing.leg as usize]) {
                self.require(last < crossing.value, crossing.at, crossing.leg, || {
                    format!("unit {} arrived after unit {last}", crossing.value)
                });
            }
        }
    }

    fn on_rank(&mut self, _at: Time, leg: u32, _number: u32, _rank: u64) {
        self.touched_channels.push(self.channels[leg as usize]);
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        let mut legs = core::mem::take(&mut self.touched_legs);
        for leg in legs.drain(..) {
            self.check_leg(at, leg, network);
        }
        self.touched_legs = legs;
        let mut channels = core::mem::take(&mut self.touched_channels);
        for channel in channels.drain(..) {
            self.check_channel(at, channel, network);
        }
        self.touched_channels = channels;
        self.instants += 1;
        if self.instants.is_multiple_of(FULL_CHECK_EVERY) {
            self.check_everything(at, network);
        }
    }
}
