//! Ports that tell ABR sources rates, in the network: what joins and leaves their queues, answers
//! that pass them, their timers. What they tell is decided in `explicit_rate/`.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Rate, Time};

use crate::hop::leg::Leg;
use crate::hop::unit::NONE;
use crate::marking::{BACKGROUND, BEHIND, ExplicitRate, PortView};
use crate::spec::NetworkSpec;

/// A port that tells rates.
pub(crate) struct RatePort {
    pub(super) rule: ExplicitRate,
    pub(super) channel: u32,
    pub(super) link: Rate,
    /// ABR cells that wait.
    pub(super) queue_cells: u32,
    pub(super) queue_max: u32,
    pub(super) cells: u64,
    pub(super) feedbacks: u64,
    pub(super) marked: u64,
}

/// All of them.
#[derive(Default)]
pub(crate) struct RatePorts {
    pub(super) ports: Vec<RatePort>,
    /// By channel: its port; `NONE`.
    pub(super) of_channel: Vec<u32>,
    /// By leg: the circuit's seat at the port of its channel; `BACKGROUND` or `BEHIND` of what is
    /// not ABR.
    pub(super) seats: Vec<u32>,
    /// By leg of an ABR flow: its partner's leg on the channel the other way.
    pub(super) opposite: Vec<u32>,
}

impl RatePorts {
    /// Empty where no port tells rates.
    pub fn new(legs: &[Leg], spec: &NetworkSpec) -> RatePorts {
        let mut rates = RatePorts::default();
        if spec.rules.rate_ports.is_empty() {
            return rates;
        }
        rates.of_channel = vec![NONE; 2 * spec.links.len()];
        rates.seats = vec![BACKGROUND; legs.len()];
        rates.opposite = vec![NONE; legs.len()];
        let is_abr: Vec<bool> = spec.flows.iter().map(|flow| flow.abr().is_some()).collect();
        let mut circuits = vec![0u32; 2 * spec.links.len()];
        let mut bytes = vec![0u32; 2 * spec.links.len()];
        for (id, leg) in legs.iter().enumerate() {
            let (channel, flow) = (leg.sender.channel as usize, leg.sender.flow as usize);
            if is_abr[flow] {
                rates.seats[id] = circuits[channel];
                circuits[channel] += 1;
                bytes[channel] = bytes[channel].max(spec.flows[flow].unit_bytes);
            }
        }
        for (channel, rule) in &spec.rules.rate_ports {
            let at = *channel as usize;
            rates.of_channel[at] = rates.ports.len() as u32;
            let link = spec.links.channel(*channel).rate;
            rates.ports.push(RatePort {
                rule: ExplicitRate::new(rule, link, circuits[at], 8 * bytes[at].max(1)),
                channel: *channel,
                link,
                queue_cells: 0,
                queue_max: 0,
                cells: 0,
                feedbacks: 0,
                marked: 0,
            });
        }
        rates.find_behind(legs, spec);
        rates.find_opposites(spec);
        rates
    }

    /// What is not ABR and has a lower priority than every circuit of its port, where ports serve
    /// by priority.
    fn find_behind(&mut self, legs: &[Leg], spec: &NetworkSpec) {
        let priority = |leg: &Leg| spec.flows[leg.sender.flow as usize].priority;
        let mut least = vec![None; 2 * spec.links.len()];
        for (leg, seat) in legs.iter().zip(&self.seats) {
            let channel = leg.sender.channel;
            if spec.links.channel(channel).scheduler.ignores_priority() {
                continue;
            }
            let least: &mut Option<u8> = &mut least[channel as usize];
            if *seat != BACKGROUND {
                *least = Some(least.map_or(priority(leg), |least| least.min(priority(leg))));
            }
        }
        for (leg, seat) in legs.iter().zip(&mut self.seats) {
            let least = least[leg.sender.channel as usize];
            if *seat == BACKGROUND && least.is_some_and(|least| priority(leg) < least) {
                *seat = BEHIND;
            }
        }
    }

    /// The port of `channel` tells rates.
    pub fn has(&self, channel: u32) -> bool {
        let port = self.of_channel.get(channel as usize);
        port.is_some_and(|port| *port != NONE)
    }

    /// Both directions of a circuit use the same links: leg k of one is opposite to leg k from
    /// the end of the other.
    fn find_opposites(&mut self, spec: &NetworkSpec) {
        let mut first = Vec::new();
        let mut next = 0u32;
        for flow in &spec.flows {
            first.push(next);
            next += flow.legs.len() as u32;
        }
        for (id, flow) in spec.flows.iter().enumerate() {
            let (Some(_), Some(partner)) = (flow.abr(), flow.partner) else {
                continue;
            };
            for k in 0..flow.legs.len() as u32 {
                let other = first[partner as usize] + flow.legs.len() as u32 - 1 - k;
                self.opposite[(first[id] + k) as usize] = other;
            }
        }
    }
}

impl RatePort {
    pub(super) fn view(&self, now: Time) -> PortView {
        PortView {
            now,
            link: self.link,
            queue_cells: self.queue_cells,
        }
    }
}

/// Refuses ports that are none.
pub(crate) fn check(spec: &NetworkSpec) -> Result<(), String> {
    let mut has_rule = vec![false; 2 * spec.links.len()];
    for (channel, rule) in &spec.rules.rate_ports {
        if rule.interval() == Some(Duration::ZERO) {
            return Err("a measuring interval of zero would never let time pass".into());
        }
        match has_rule.get_mut(*channel as usize) {
            None => return Err(format!("channel {channel} does not exist")),
            Some(has) if *has => return Err(format!("channel {channel} has two rules for rates")),
            Some(has) => *has = true,
        }
    }
    Ok(())
}
