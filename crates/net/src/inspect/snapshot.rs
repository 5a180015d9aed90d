//! What each channel has done so far, read from counters that a run keeps anyway.
//!
//! Nothing is counted for it while units cross; reading takes a step for each channel, class and
//! leg. Called between slices of a run, it tells how loads, stops and queues go over time.

use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue, Time};

use crate::Simulation;
use crate::network::Network;
use crate::probe::Probe;
use crate::spec::frames::{CLASSES_MAX, WIRE_OVERHEAD_BYTES};

/// One channel, at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChannelState {
    /// Time spent sending data: since the end of the warm-up, or since the start before it.
    pub busy: Duration,
    /// By class: time for which it was stopped, since the start. Circuits: none.
    pub stopped: [Duration; CLASSES_MAX],
    /// Something waits here that may not cross: no credit, or a stop.
    pub is_blocked: bool,
    /// Waiting in front of it: units of circuits; bytes of frames, with the one being sent.
    pub queued: u64,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The warm-up is over: time spent sending counts anew.
    pub fn is_warm(&self) -> bool {
        self.is_warm
    }

    /// Writes the state of every channel as it is at `at`: nothing has happened since the last
    /// instant, and nothing may be due up to `at`.
    pub fn snapshot(&self, at: Time, into: &mut Vec<ChannelState>) {
        into.clear();
        match self.network.classes.count {
            0 => self.network.snapshot_legs(at, into),
            _ => self.snapshot_classes(at, into),
        }
    }

    fn snapshot_classes(&self, at: Time, into: &mut Vec<ChannelState>) {
        let (network, classes) = (&self.network, &self.network.classes);
        for (id, channel) in (0_u32..).zip(&network.channels) {
            let gates = &classes.gates[id as usize];
            let mut state = ChannelState {
                is_blocked: channel.waiting & channel.held() != 0,
                ..ChannelState::default()
            };
            let mut wire_bytes = 0;
            for class in 0..classes.count as u8 {
                let queue = &classes.queues[network.queue(id, class)];
                state.queued += queue.bytes;
                state.stopped[class as usize] = gates.class_gate(class).watch.total(at);
                wire_bytes += queue.sent_bytes + queue.sent * u64::from(WIRE_OVERHEAD_BYTES);
            }
            let before = self.by_class.underway_before.get(id as usize);
            let before = before.map_or(0, |part| part.data_ps);
            let sent = network.span(id, wire_bytes).ps() + network.part_sent(id, at);
            state.busy = Duration(sent.saturating_sub(before));
            into.push(state);
        }
    }
}

impl Network {
    /// Time spent until `at` on the data frame of a channel that is not counted as sent.
    fn part_sent(&self, id: u32, at: Time) -> u64 {
        let channel = &self.channels[id as usize];
        if !channel.is_busy() || channel.sends_control() {
            return 0;
        }
        let bytes = u64::from(channel.sent_bytes) + u64::from(WIRE_OVERHEAD_BYTES);
        let whole = self.span(id, bytes).ps();
        whole.saturating_sub(channel.free_at.since(at).ps())
    }

    fn snapshot_legs(&self, at: Time, into: &mut Vec<ChannelState>) {
        into.extend(self.channels.iter().map(|channel| {
            let (rest, _) = channel.unfinished(at);
            ChannelState {
                busy: Duration(channel.data_busy.ps().saturating_sub(rest.ps())),
                ..ChannelState::default()
            }
        }));
        for leg in &self.legs {
            let sender = &leg.sender;
            let waiting = u64::from(sender.queue.len);
            if waiting > 0 {
                let state = &mut into[sender.channel as usize];
                state.queued += waiting;
                state.is_blocked |= sender.credit <= 0;
            }
        }
    }
}

#[cfg(test)]
mod tests;
