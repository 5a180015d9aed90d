//! What came over each input and has not left: limits, and detection where PFC switches do it.

use kernel::EventQueue;

use crate::network::{Input, Network};
use crate::probe::{Cause, Probe};
use crate::simulation::Simulation;
use crate::spec::Detect;

impl Network {
    #[inline]
    pub(crate) fn input(&self, channel: u32, class: u8) -> usize {
        channel as usize * self.classes + class as usize
    }
}

impl Input {
    /// Congested: more than it should hold.
    fn is_above(&self) -> bool {
        self.bytes > self.high_bytes
    }
}

impl<P: Probe, Q: EventQueue> Simulation<P, Q> {
    /// A frame comes in: it counts at its input, or there is no room.
    pub(crate) fn enter_input(
        &mut self,
        node_id: u32,
        input_channel: u32,
        channel: u32,
        class: u8,
        bytes: u64,
    ) -> Result<(), Cause> {
        let network = &mut self.network;
        let at = network.input(input_channel, class);
        let queue_bytes = network.queues[network.queue(channel, class)].bytes;
        let node = &mut network.nodes[node_id as usize];
        let is_lossless = node
            .back_pressure
            .is_some_and(|b| b.classes & 1 << class != 0);
        let input = &mut network.inputs[at];
        match &mut node.shared {
            Some(shared) => shared.admit(input, is_lossless, queue_bytes, bytes)?,
            None if input.bytes + bytes > input.limit_bytes => return Err(Cause::InputFull),
            None => {}
        }
        input.bytes += bytes;
        input.most_bytes = input.most_bytes.max(input.bytes);
        Ok(())
    }

    /// After a frame came in over an input that is under back-pressure.
    pub(crate) fn detect_at_input(&mut self, channel: u32, class: u8) {
        let at = self.network.input(channel, class);
        let node = self.network.channels[channel as usize].to;
        let input = &self.network.inputs[at];
        if input.is_congested {
            return;
        }
        let is_above = match &self.network.nodes[node as usize].shared {
            Some(shared) => shared.is_above(input),
            None => input.is_above(),
        };
        if is_above {
            self.network.inputs[at].is_congested = true;
            if let Some(gate) = self.gate_of(node, class) {
                self.ask(channel ^ 1, gate);
            }
        }
    }

    /// A frame that came over an input has left.
    pub(crate) fn leave_input(&mut self, node_id: u32, channel: u32, class: u8, bytes: u64) {
        let network = &mut self.network;
        let at = network.input(channel, class);
        let node = &mut network.nodes[node_id as usize];
        let input = &mut network.inputs[at];
        if let Some(shared) = &mut node.shared {
            shared.leave(input, bytes);
        }
        input.bytes -= bytes;
        let detects = node
            .back_pressure
            .is_some_and(|b| b.detect == Detect::Inputs);
        if !detects || !input.is_congested {
            return;
        }
        let is_below = match &node.shared {
            Some(shared) => shared.is_below(input),
            None => input.bytes < input.low_bytes,
        };
        if is_below {
            input.is_congested = false;
            if let Some(gate) = self.gate_of(node_id, class) {
                self.give_back(channel ^ 1, gate);
            }
        }
    }
}
