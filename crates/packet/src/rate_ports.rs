//! Ports that tell ABR sources rates, in the network: what joins and leaves their queues, answers
//! that pass them, their timers. What they tell is decided in `explicit_rate/`.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue, Rate, Time};

use crate::explicit_rate::{BACKGROUND, ExplicitRate, PortView};
use crate::outcome::RatePortOutcome;
use crate::probe::Probe;
use crate::rm_cells::abr_of;
use crate::simulation::{Network, Simulation};
use crate::spec::{ExplicitRateSpec, NetworkSpec};
use crate::timer::Timer;
use crate::unit::{Flags, NONE};

/// A port that tells rates.
pub(crate) struct RatePort {
    rule: ExplicitRate,
    channel: u32,
    link: Rate,
    /// ABR cells that wait.
    queue_cells: u32,
    queue_max: u32,
    cells: u64,
    feedbacks: u64,
    marked: u64,
}

/// All of them.
#[derive(Default)]
pub(crate) struct RatePorts {
    ports: Vec<RatePort>,
    /// By channel: its port; `NONE`.
    of_channel: Vec<u32>,
    /// By leg: the circuit's seat at the port of its channel; `BACKGROUND` of what is not ABR.
    seats: Vec<u32>,
    /// By leg of an ABR flow: its partner's leg on the channel the other way.
    opposite: Vec<u32>,
}

impl RatePorts {
    /// Empty where no port tells rates.
    pub fn new(network: &mut Network, spec: &NetworkSpec) -> RatePorts {
        let mut rates = RatePorts::default();
        if spec.rate_ports.is_empty() {
            return rates;
        }
        rates.of_channel = vec![NONE; 2 * spec.links.len()];
        rates.seats = vec![BACKGROUND; network.legs.len()];
        rates.opposite = vec![NONE; network.legs.len()];
        let is_abr: Vec<bool> = spec
            .flows
            .iter()
            .map(|flow| abr_of(flow).is_some())
            .collect();
        let mut circuits = vec![0u32; 2 * spec.links.len()];
        let mut bytes = vec![0u32; 2 * spec.links.len()];
        for (id, leg) in network.legs.iter().enumerate() {
            let (channel, flow) = (leg.sender.channel as usize, leg.sender.flow as usize);
            if is_abr[flow] {
                rates.seats[id] = circuits[channel];
                circuits[channel] += 1;
                bytes[channel] = bytes[channel].max(spec.flows[flow].unit_bytes);
            }
        }
        for (channel, rule) in &spec.rate_ports {
            let at = *channel as usize;
            rates.of_channel[at] = rates.ports.len() as u32;
            let link = network.channels[at].rate;
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
        for leg in &mut network.legs {
            if rates.of_channel[leg.sender.channel as usize] != NONE {
                leg.sender.seen_by.set_rates();
            }
        }
        rates.find_opposites(spec);
        rates
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
            let (Some(_), Some(partner)) = (abr_of(flow), flow.partner) else {
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
    fn view(&self, now: Time) -> PortView {
        PortView {
            now,
            link: self.link,
            queue_cells: self.queue_cells,
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first timers of ports that measure.
    pub(crate) fn start_rate_ports(&mut self) {
        for id in 0..self.rates.ports.len() {
            self.await_interval(id);
        }
    }

    fn await_interval(&mut self, port_id: usize) {
        let port = &self.rates.ports[port_id];
        if let Some(at) = port.rule.timer() {
            self.schedule(Timer::Interval.at(at, port.channel));
        }
    }

    /// A measuring interval may be over. (It may have ended sooner, by count; then the timer was
    /// that of the one before.)
    pub(crate) fn on_interval_timer(&mut self, channel: u32) {
        let now = self.now;
        let port_id = self.rates.of_channel[channel as usize] as usize;
        let port = &mut self.rates.ports[port_id];
        if port.rule.timer().is_some_and(|at| at <= now) {
            let view = port.view(now);
            if let Some(interval) = port.rule.on_timer(&view) {
                self.probe.on_interval(now, channel, interval);
            }
        }
        self.await_interval(port_id);
    }

    /// The unit at `place` is about to join the queue of `leg_id` at a port that tells rates.
    #[inline(never)]
    pub(crate) fn join_rate_port(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let seat = self.rates.seats[leg_id as usize];
        let port = &mut self.rates.ports[self.rates.of_channel[channel as usize] as usize];
        let unit = self.network.units.get(place);
        let (bits, flags) = (8 * unit.bytes, unit.flags);
        if seat != BACKGROUND {
            port.queue_cells += 1;
            port.queue_max = port.queue_max.max(port.queue_cells);
            port.cells += 1;
            self.probe.on_rate_queue(now, channel, port.queue_cells);
        }
        let view = port.view(now);
        let ended = port.rule.on_cell(&view, seat, bits);
        if let Some(interval) = ended {
            self.probe.on_interval(now, channel, interval);
        }
        if seat == BACKGROUND || flags == Flags::BACKWARD {
            return;
        }
        if flags == Flags::FORWARD {
            let mut cell = self.network.units.rm(place);
            let before = cell;
            port.rule.on_forward(&view, seat, &mut cell);
            port.marked += (cell != before) as u64;
            return self.network.units.set_rm(place, cell);
        }
        if port.rule.marks(&view) {
            port.marked += 1;
            self.network.units.get_mut(place).flags = Flags::MARKED;
        }
        if let Some((ci, ni)) = port.rule.notice(&view, seat) {
            self.send_notice(leg_id, ci, ni);
        }
    }

    /// A unit of `leg_id` left the queue of a port that tells rates.
    pub(crate) fn leave_rate_port(&mut self, leg_id: u32) {
        if self.rates.seats[leg_id as usize] == BACKGROUND {
            return;
        }
        let channel = self.network.legs[leg_id as usize].sender.channel;
        let port = &mut self.rates.ports[self.rates.of_channel[channel as usize] as usize];
        port.queue_cells -= 1;
        self.probe
            .on_rate_queue(self.now, channel, port.queue_cells);
    }

    /// A backward RM cell has come over `channel_id` and goes on: the port the other way, which
    /// the data of its circuit uses, writes into it.
    #[cold]
    pub(crate) fn answer_backward(&mut self, channel_id: u32, leg_id: u32, place: u32) {
        let Some(&port_id) = self.rates.of_channel.get((channel_id ^ 1) as usize) else {
            return;
        };
        let opposite = self.rates.opposite[leg_id as usize];
        if port_id == NONE || opposite == NONE {
            return;
        }
        let seat = self.rates.seats[opposite as usize];
        let port = &mut self.rates.ports[port_id as usize];
        let view = port.view(self.now);
        let mut cell = self.network.units.rm(place);
        let before = cell;
        port.rule.on_backward(&view, seat, &mut cell);
        port.feedbacks += 1;
        port.marked += ((cell.ci, cell.ni) != (before.ci, before.ni)) as u64;
        if cell.er != before.er {
            let flow = self.network.legs[opposite as usize].sender.flow;
            if let Some(abr) = self.network.flows[flow as usize].control.abr() {
                cell.er = abr.written(cell.er);
            }
        }
        self.network.units.set_rm(place, cell);
    }

    /// What a port that tells rates has found.
    pub(crate) fn rate_port_outcome(&self, channel: u32) -> Option<RatePortOutcome> {
        let port_id = *self.rates.of_channel.get(channel as usize)?;
        let port = self.rates.ports.get(port_id as usize)?;
        let mut outcome = RatePortOutcome {
            cells_total: port.cells,
            queue_max: port.queue_max as u64,
            feedbacks_total: port.feedbacks,
            marked_total: port.marked,
            ..RatePortOutcome::default()
        };
        port.rule.outcome(&mut outcome);
        Some(outcome)
    }
}

/// Refuses ports that are none.
pub(crate) fn check(spec: &NetworkSpec) -> Result<(), String> {
    let mut has_rule = vec![false; 2 * spec.links.len()];
    for (channel, rule) in &spec.rate_ports {
        let interval = match rule {
            ExplicitRateSpec::Erica(erica) => Some(erica.interval),
            ExplicitRateSpec::Capc(capc) => Some(capc.interval),
            _ => None,
        };
        if interval == Some(Duration::ZERO) {
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
