//! Neighbours that go on sending are told from those that obey (Nouredine and Tobagi 1999,
//! section 3.2.1).

use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Time};

use crate::network::Network;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Neighbours that obeyed are let go, so that those who don't are alone with the full queue.
    pub(crate) fn on_time_out(&mut self, channel: u32, class: u8) {
        let at = self.network.queue(channel, class);
        let node = self.network.channels[channel as usize].from;
        let Some(time_out) = self.stops_at_outputs(node).and_then(|rules| rules.time_out) else {
            return;
        };
        let request = &self.network.classes.requests[at].congestion;
        let is_due = request.since + time_out.after <= self.now && !request.is_given_up;
        if !self.network.classes.queues[at].is_congested || !is_due {
            return;
        }
        let goes_on = |neighbour: u32, asked_at: Time| {
            let mut gates = request.gates.iter().zip(&request.added_at);
            gates.any(|(gate, added_at)| {
                let last = self.network.last_arrival(neighbour ^ 1, *gate);
                last > asked_at.max(*added_at) && last + time_out.grace > self.now
            })
        };
        let asked = request.neighbours.iter().zip(&request.asked_at);
        let (loud, quiet): (Vec<_>, Vec<_>) = asked
            .map(|(neighbour, at)| (*neighbour, *at))
            .partition(|(neighbour, at)| goes_on(*neighbour, *at));
        let gates = request.gates.clone();
        let request = &mut self.network.classes.requests[at].congestion;
        (request.neighbours, request.asked_at) = loud.into_iter().unzip();
        request.is_given_up = true;
        for (neighbour, _) in &quiet {
            gates
                .iter()
                .for_each(|gate| self.give_back(*neighbour, *gate));
        }
        self.network.classes.nodes[node as usize].time_outs += u64::from(!quiet.is_empty());
    }
}

impl Network {
    /// When the last frame came over a channel that a gate concerns.
    fn last_arrival(&self, channel: u32, gate: Gate) -> Time {
        let times = |class: u8| &self.classes.account_times[self.queue(channel, class)];
        let last = match gate {
            Gate::Port => {
                let classes = 0..self.classes.count as u8;
                classes.map(|class| times(class).last).max()
            }
            Gate::Class(class) | Gate::Flow(class, _) | Gate::Lane(class, _) => {
                Some(times(class).last)
            }
            Gate::Destination(class, station) => {
                let mut all = times(class).last_to.iter();
                let own = all.find(|(to, _)| *to == station);
                own.map(|(_, at)| *at)
            }
        };
        last.unwrap_or_default()
    }
}
