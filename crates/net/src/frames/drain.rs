//! Stations that take frames slower than their link brings them.
//!
//! The port in front of such a station holds its data: after the start of a frame until the station
//! has taken that one, by the rate that held as it started, and while the station takes nothing.
//! Control frames pass. What backs up behind the port is as behind a slow link.

use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Time};

use crate::classes::drain::Drain;
use crate::hop::timer::Timer;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{CLASSES_MAX, ClassBits, EthernetSpec, wire_bytes};

impl Network {
    /// Ports in front of stations with a pace of their own.
    pub(crate) fn add_drains(&mut self, spec: &EthernetSpec) {
        for step in &spec.rules.drains {
            for leaving in &self.classes.nodes[step.node as usize].leaving {
                let channel = leaving ^ 1;
                self.channels[channel as usize].kind |= Channel::CREDITS;
                let drains = &mut self.classes.drains;
                let known = drains.iter_mut().find(|known| known.channel == channel);
                match known {
                    Some(known) => known.steps.push((step.from, step.rate)),
                    None => drains.push(Drain::new(channel, (step.from, step.rate))),
                }
            }
        }
        self.classes.drains.sort_by_key(|own| own.channel);
    }

    fn drain_at(&self, channel: u32) -> Option<usize> {
        let drains = &self.classes.drains;
        drains
            .binary_search_by_key(&channel, |own| own.channel)
            .ok()
    }

    /// Does the station behind a channel hold its data now?
    pub(crate) fn is_held_by_station(&self, channel: u32, now: Time) -> bool {
        let at = self.drain_at(channel);
        at.is_some_and(|at| self.classes.drains[at].holds(now))
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Steps of all stations.
    pub(crate) fn start_drains(&mut self) {
        let drains = self.network.classes.drains.iter();
        let steps = drains.flat_map(|own| own.steps.iter().map(|(from, _)| (*from, own.channel)));
        let steps: Vec<(Time, u32)> = steps.collect();
        for (from, channel) in steps {
            self.set_timer(from, channel, Timer::Drain, 0);
        }
    }

    /// A station has taken a frame, or changes its rate.
    pub(crate) fn on_drain_timer(&mut self, channel: u32) {
        let is_held = self.network.is_held_by_station(channel, self.now);
        self.hold_port(channel, is_held);
    }

    /// A frame of so many bytes starts on a channel: the station behind it, if it has a pace of its
    /// own, takes the next one later.
    pub(crate) fn wait_for_station(&mut self, channel: u32, bytes: u32) {
        let now = self.now;
        let Some(at) = self.network.drain_at(channel) else {
            return;
        };
        let station = &mut self.network.classes.drains[at];
        let Some(rate) = station.rate(now).filter(|rate| rate.0 > 0) else {
            return;
        };
        let free_from = now + rate.serialization(wire_bytes(bytes).into());
        if free_from > self.network.channels[channel as usize].free_at {
            station.free_from = free_from;
            self.hold_port(channel, true);
            self.set_timer(free_from, channel, Timer::Drain, 0);
        }
    }

    fn hold_port(&mut self, channel: u32, is_held: bool) {
        let all = ClassBits::MAX >> (CLASSES_MAX - self.network.classes.count);
        let port = &mut self.network.channels[channel as usize];
        if (port.shut() != 0) == is_held {
            return;
        }
        port.set_shut(if is_held { all } else { 0 });
        if port.waiting != 0 {
            self.wake_port(channel);
        }
        self.wake_if_scheduled(channel);
        for class in 0..self.network.classes.count as u8 {
            let gates = &mut self.network.classes.gates[channel as usize];
            gates.class_gates()[class as usize]
                .watch
                .set(self.now, is_held);
            if P::WATCHES {
                self.probe
                    .on_gate(self.now, channel, Gate::Class(class), is_held);
            }
        }
    }
}
