//! Action: what a node does with a stop or a resume that comes to it (IEEE 802.3 annex 31B,
//! IEEE 802.1Q clause 36), and what it does about stops that do not end.

use alloc::vec::Vec;

use backwater_ends::stations::End;
use backwater_kernel::{Duration, EventQueue, Time};

use crate::classes::shape::ANYTHING;
use crate::classes::stop::{Gates, Stop};
use crate::classes::{Classes, FrameFlow};
use crate::hop::load::{Control, Orders};
use crate::hop::timer::Timer;
use crate::hop::unit::NONE;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{ClassBits, CountedFrom, PFC_CLASSES, WatchdogAction};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A control frame has come over a channel: it concerns what goes the other way.
    pub(crate) fn take_control(&mut self, channel: u32, id: u32) {
        let control = self.network.units.control_of(id);
        self.network.units.end_frame(id);
        let gated = channel ^ 1;
        let gates = &mut self.network.classes.gates[gated as usize];
        let (control, is_ignored) = gates.obeyed(control);
        gates.stops_ignored += u64::from(is_ignored);
        let Some(control) = control else {
            return;
        };
        let response = gates.rules.response;
        if response == Duration::ZERO {
            return self.apply(gated, control);
        }
        let at = self.later(response);
        self.network.classes.gates[gated as usize]
            .responses
            .push((at, control));
        self.set_timer(at, gated, Timer::Response, 0);
    }

    /// The response time of a control frame is over.
    pub(crate) fn on_response(&mut self, channel: u32) {
        let gates = &mut self.network.classes.gates[channel as usize];
        match gates.responses.first() {
            Some((at, _)) if *at <= self.now => {
                let (_, control) = gates.responses.remove(0);
                self.apply(channel, control);
            }
            _ => {}
        }
    }

    /// Stops, or lets go, what leaves on `channel`.
    fn apply(&mut self, channel: u32, control: Control) {
        self.network.classes.gates[channel as usize].stops_obeyed += u64::from(control.quanta > 0);
        match control.orders {
            Orders::Gate(gate) => self.order(channel, gate, control),
            Orders::Classes { stops, resumes } => {
                for class in 0..PFC_CLASSES as u8 {
                    if (stops | resumes) & 1 << class != 0 {
                        let is_stop = stops & 1 << class != 0;
                        let quanta = if is_stop { control.quanta } else { 0 };
                        let own = Control { quanta, ..control };
                        self.order(channel, Gate::Class(class), own);
                    }
                }
            }
        }
    }

    fn order(&mut self, channel: u32, gate: Gate, control: Control) {
        if control.quanta == 0 {
            return self.set_gate(channel, gate, false, Time::MAX);
        }
        let (now, wire_free_at) = (self.now, self.network.channels[channel as usize].free_at);
        let gates = &mut self.network.classes.gates[channel as usize];
        let rest_at = gates.rest_at(gate, now, wire_free_at);
        for (class, own) in (0..).zip(gates.class_gates()) {
            if Network::covers(gate, class) {
                own.last_stop = now;
            }
        }
        let lasts = self.network.quanta(channel, control.quanta);
        let until = match control.is_endless {
            true => Time::MAX,
            false => self.later(Duration(rest_at.since(now).0.saturating_add(lasts.0))),
        };
        self.set_gate(channel, gate, true, until);
        self.network.classes.gates[channel as usize].note_rest(gate, rest_at);
        self.expect_expiry(channel, until);
    }

    /// Sees to it that an event looks for stops that end at `until` or before.
    fn expect_expiry(&mut self, channel: u32, until: Time) {
        let expiry = &mut self.network.classes.gates[channel as usize].expiry;
        if until < *expiry {
            *expiry = until;
            self.set_timer(until, channel, Timer::Expiry, 0);
        }
    }

    /// Stops end by themselves.
    pub(crate) fn on_expiry(&mut self, channel: u32) {
        let gates = &mut self.network.classes.gates[channel as usize];
        if gates.expiry != self.now {
            return;
        }
        gates.expiry = Time::MAX;
        let is_over = |stop: &Stop| stop.is_on && stop.until <= self.now;
        let mut over = alloc::vec::Vec::new();
        if is_over(&gates.port) {
            over.push(Gate::Port);
        }
        for (class, stop) in gates.classes.iter().enumerate() {
            if is_over(&stop.stop) {
                over.push(Gate::Class(class as u8));
            }
        }
        for (class, station, stop) in &gates.destinations {
            if is_over(stop) {
                over.push(Gate::Destination(*class, *station));
            }
        }
        for gate in over {
            self.set_gate(channel, gate, false, Time::MAX);
        }
        let next = self.network.classes.gates[channel as usize].next_end();
        self.expect_expiry(channel, next);
    }

    /// Sets one gate and what follows from it.
    pub(crate) fn set_gate(&mut self, channel: u32, gate: Gate, is_on: bool, until: Time) {
        let now = self.now;
        let was_on = self.network.classes.gates[channel as usize].set_gate(gate, is_on, until, now);
        if was_on == is_on {
            return;
        }
        if let Gate::Destination(class, station) = gate {
            self.stop_lane(channel, class, station, is_on);
        }
        self.renew_stops(channel);
        if P::WATCHES {
            self.probe.on_gate(now, channel, gate, is_on);
        }
    }

    /// The classes of a channel that are stopped, from its gates; with what waits for that.
    pub(crate) fn renew_stops(&mut self, channel_id: u32) {
        let now = self.now;
        let forwards = self.forwards_when_tripped(channel_id);
        let network = &mut self.network;
        let at = network.queue(channel_id, 0);
        let channel = &mut network.channels[channel_id as usize];
        let gates = &mut network.classes.gates[channel_id as usize];
        let before = channel.stopped();
        let stopped = gates.stopped_classes();
        channel.set_stopped(match forwards {
            true => stopped & !channel.tripped,
            false => stopped,
        });
        for class in 0..network.classes.count as u8 {
            let in_part = gates.destinations.iter().any(|(own, ..)| *own == class);
            let lanes = network.classes.lanes.get(at + usize::from(class));
            let in_part = in_part || lanes.is_some_and(|lanes| lanes.shut > 0);
            let is_stopped = (stopped | channel.shut()) & 1 << class != 0;
            let is_held = in_part || is_stopped;
            if is_held || !gates.classes.is_empty() {
                gates.class_gates()[class as usize].watch.set(now, is_held);
            }
        }
        let (after, from_host) = (channel.stopped(), channel.is(Channel::FROM_HOST));
        let newly = after & !before;
        if from_host && after != before && !network.classes.freezing.is_empty() {
            network.tell_control(now, channel_id, (before, after));
        }
        let channel = &network.channels[channel_id as usize];
        if channel.ready_classes() != 0 {
            self.wake_port(channel_id);
        }
        self.wake_if_scheduled(channel_id);
        if newly != 0 {
            for class in
                (0..self.network.classes.count as u8).filter(|class| newly & 1 << class != 0)
            {
                self.note_stuck(channel_id, class);
            }
        }
    }

    /// A class of a port is stopped with something in it: its watchdog waits for that to end.
    pub(crate) fn note_stuck(&mut self, channel: u32, class: u8) {
        let network = &mut self.network;
        let at = network.queue(channel, class);
        let node = network.channels[channel as usize].from;
        let watchdog = network.classes.nodes[node as usize].watchdog;
        if let Some(watchdog) = watchdog.filter(|_| network.classes.queues[at].frames > 0) {
            network.classes.gates[channel as usize].class_gates()[class as usize].stuck = self.now;
            self.set_timer(self.later(watchdog.detect), channel, Timer::Watchdog, class);
        }
    }

    /// A watchdog looks: has a class been stuck for too long, or is a storm over?
    pub(crate) fn on_watchdog(&mut self, channel: u32, class: u8) {
        let node = self.network.channels[channel as usize].from;
        let Some(watchdog) = self.network.classes.nodes[node as usize].watchdog else {
            return;
        };
        let bit = 1 << class;
        let at = self.network.queue(channel, class);
        let stopped = self.network.channels[channel as usize].stopped() & bit != 0;
        let has_frames = self.network.classes.queues[at].frames > 0;
        let gates = &mut self.network.classes.gates[channel as usize];
        let tripped = &mut self.network.channels[channel as usize].tripped;
        if *tripped & bit != 0 {
            let restored = gates.class_gate(class).last_stop + watchdog.restore;
            if restored > self.now {
                return self.set_timer(restored, channel, Timer::Watchdog, class);
            }
            *tripped &= !bit;
            self.pull_anew(node, class);
            // A stop that still stands stops again.
            return self.renew_stops(channel);
        }
        let is_due = gates.class_gate(class).stuck + watchdog.detect <= self.now;
        if !stopped || !has_frames || !is_due {
            return;
        }
        *tripped |= bit;
        self.network.classes.counts[at].watchdog_trips += 1;
        if watchdog.action == WatchdogAction::Drop {
            self.drop_all(channel, class);
        }
        self.renew_stops(channel);
        self.set_timer(
            self.later(watchdog.restore),
            channel,
            Timer::Watchdog,
            class,
        );
    }

    fn forwards_when_tripped(&self, channel: u32) -> bool {
        let node = self.network.channels[channel as usize].from;
        let watchdog = self.network.classes.nodes[node as usize].watchdog;
        watchdog.is_some_and(|watchdog| watchdog.action == WatchdogAction::Forward)
    }

    /// Does a tripped watchdog drop what comes for this class?
    #[inline]
    pub(crate) fn drops_all(&self, channel: u32, class: u8) -> bool {
        self.network.channels[channel as usize].tripped & 1 << class != 0
            && !self.forwards_when_tripped(channel)
    }

    /// Flows without end of a class whose frame a watchdog dropped at their own station go on.
    fn pull_anew(&mut self, node: u32, class: u8) {
        let classes = &self.network.classes;
        let mut ways = Vec::new();
        for (place, flow) in (0_u32..).zip(&classes.flows) {
            let is_pulled = flow.class == class && flow.is(FrameFlow::PULLED);
            let Some(id) = classes.number(place).filter(|_| is_pulled) else {
                continue;
            };
            for (back, from) in [(0, flow.source), (1, flow.destination)] {
                if from == node && flow.in_port[back as usize] == 0 {
                    ways.push(2 * id + back);
                }
            }
        }
        ways.sort_unstable();
        self.by_class.pulled.append(&mut ways);
    }

    /// Drops all that waits in a queue.
    fn drop_all(&mut self, channel: u32, class: u8) {
        let waiting = self.network.waiting(channel, class);
        let network = &mut self.network;
        let at = network.queue(channel, class);
        let (node, is_switch) = {
            let node = network.channels[channel as usize].from;
            (node, network.classes.nodes[node as usize].is_switch)
        };
        let queue = &mut network.classes.queues[at];
        queue.chain = crate::hop::unit::Fifo::EMPTY;
        queue.frames = 0;
        network.channels[channel as usize].waiting &= !(1 << class);
        self.empty_lanes(channel, class);
        for (id, _) in waiting {
            let frame = *self.network.units.get(id);
            let bytes = u64::from(frame.bytes);
            self.network.classes.queues[at].sub(self.now, bytes);
            self.note_removed(channel, class);
            let counts = is_switch && self.network.classes.nodes[node as usize].counts_inputs;
            if counts && frame.account() != NONE {
                self.leave_account::<ANYTHING>(node, frame.account(), bytes);
            }
            self.discard_frame(channel, id, LossCause::Watchdog);
        }
        let queue = &self.network.classes.queues[at];
        if queue.is_congested && queue.bytes < queue.low_bytes {
            self.end_congestion(channel, class);
        }
        if self.network.classes.sorted(at).is_some() {
            self.check_blocked(channel, class, None);
        }
        self.note_first_in(at);
        self.wake_if_scheduled(channel);
    }
}

impl Network {
    /// The classes of a host's port that are stopped have changed: control that stands still
    /// meanwhile hears of it.
    #[cold]
    fn tell_control(&mut self, now: Time, channel: u32, (before, after): (ClassBits, ClassBits)) {
        let node = self.channels[channel as usize].from;
        let Classes {
            freezing,
            flows,
            stations,
            routes,
            nodes,
            ..
        } = &mut self.classes;
        let leaving = &nodes[node as usize].leaving;
        for id in freezing.iter().copied() {
            let flow = &flows[id as usize];
            let bit = 1 << flow.class;
            if (before ^ after) & bit == 0 {
                continue;
            }
            for (end, host) in [
                (End::Opener, flow.source),
                (End::Answerer, flow.destination),
            ] {
                if host != node {
                    continue;
                }
                // Of several ports those count that it leaves by, and one is enough to go on.
                let ports = routes.leave_by(2 * id + end as u32, leaving);
                let is_stopped = |port: &u32| self.channels[*port as usize].stopped() & bit != 0;
                if ports.contains(&channel) {
                    stations.on_stop(now, id, end, ports.iter().all(is_stopped));
                }
            }
        }
    }
}

impl Gates {
    /// What of a control frame concerns what is under flow control here, and whether it stops
    /// something else, which is ignored.
    fn obeyed(&self, control: Control) -> (Option<Control>, bool) {
        let by = self.rules.by;
        let is_obeyed = match control.orders {
            Orders::Gate(Gate::Destination(class, _)) => by.destinations & 1 << class != 0,
            Orders::Gate(_) => by.port,
            Orders::Classes { stops, resumes } => {
                let mut control = control;
                let classes = by.classes as u8;
                control.orders = Orders::Classes {
                    stops: stops & classes,
                    resumes: resumes & classes,
                };
                if stops & classes == 0 {
                    control.quanta = 0;
                }
                let concerns = (stops | resumes) & classes != 0;
                return (concerns.then_some(control), stops & !classes != 0);
            }
        };
        match is_obeyed {
            true => (Some(control), false),
            false => (None, control.quanta > 0),
        }
    }

    /// From when on the time of a stop counts that comes `now`: the port has come to rest then.
    fn rest_at(&self, gate: Gate, now: Time, wire_free_at: Time) -> Time {
        if let Some(stop) = self.stop(gate).filter(|stop| stop.is_on) {
            return now.max(stop.rest_at);
        }
        let from = match self.rules.counted_from {
            CountedFrom::Reception => now,
            CountedFrom::FrameEnd => now.max(wire_free_at),
        };
        Time(from.0.saturating_add(self.rules.pipeline.0))
    }

    fn note_rest(&mut self, gate: Gate, at: Time) {
        let stop = match gate {
            Gate::Port => Some(&mut self.port),
            Gate::Class(class) => {
                let own = self.class_gates().get_mut(class as usize);
                own.map(|own| &mut own.stop)
            }
            Gate::Destination(class, station) => match self.find(class, station) {
                Ok(place) => Some(&mut self.destinations[place].2),
                Err(_) => None,
            },
            Gate::Flow(..) | Gate::Lane(..) => None,
        };
        if let Some(stop) = stop {
            stop.rest_at = at;
        }
    }

    fn stop(&self, gate: Gate) -> Option<&Stop> {
        match gate {
            Gate::Port => Some(&self.port),
            Gate::Class(class) => Some(&self.class_gate(class).stop),
            Gate::Destination(class, station) => {
                let place = self.find(class, station).ok()?;
                Some(&self.destinations[place].2)
            }
            Gate::Flow(..) | Gate::Lane(..) => None,
        }
    }

    /// When the first of the stops ends by itself.
    fn next_end(&self) -> Time {
        let destinations = self.destinations.iter().map(|(_, _, stop)| stop);
        let classes = self.classes.iter().map(|own| &own.stop);
        let all = classes.chain([&self.port]).chain(destinations);
        let ends = all.filter(|stop| stop.is_on).map(|stop| stop.until);
        ends.min().unwrap_or(Time::MAX)
    }

    /// Sets one gate; whether it was on.
    fn set_gate(&mut self, gate: Gate, is_on: bool, until: Time, now: Time) -> bool {
        let stop = |old: Stop| Stop {
            is_on,
            until,
            since: if old.is_on { old.since } else { now },
            rest_at: old.rest_at,
        };
        match gate {
            Gate::Port => {
                let was_on = self.port.is_on;
                self.port = stop(self.port);
                was_on
            }
            Gate::Class(class) => {
                let own = &mut self.class_gates()[class as usize].stop;
                let was_on = own.is_on;
                *own = stop(*own);
                was_on
            }
            Gate::Destination(class, station) => match self.find(class, station) {
                Ok(at) if is_on => {
                    self.destinations[at].2 = stop(self.destinations[at].2);
                    true
                }
                Ok(at) => {
                    self.destinations.remove(at);
                    true
                }
                Err(at) if is_on => {
                    self.destinations
                        .insert(at, (class, station, stop(Stop::OFF)));
                    false
                }
                Err(_) => false,
            },
            // Nobody stops one flow: its lane lacks credit at most.
            Gate::Flow(..) | Gate::Lane(..) => false,
        }
    }
}

#[cfg(test)]
mod tests;
