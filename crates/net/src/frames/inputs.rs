//! What came over each input and has not left: limits, and detection where PFC switches do it.

use alloc::format;

use backwater_kernel::{EventQueue, Place};

use crate::classes::Node;
use crate::classes::input::Input;
use crate::hop::frame::COPY;
use crate::network::Network;
use crate::probe::{LossCause, Probe};
use crate::simulation::Simulation;

impl Network {
    #[inline]
    pub(crate) fn input(&self, channel: u32, class: u8) -> usize {
        channel as usize * self.classes.count + class as usize
    }
}

/// A frame is in. Is the input above its threshold, which nobody has been told yet?
#[inline]
fn count(node: &mut Node, input: &mut Input, class: u8, bytes: u64) -> bool {
    node.bytes += bytes;
    node.most_bytes = node.most_bytes.max(node.bytes);
    input.bytes += bytes;
    input.most_bytes = input.most_bytes.max(input.bytes);
    let may_stop = node.detects_inputs && node.lossless & 1 << class != 0;
    may_stop
        && !input.is_congested
        && match &node.shared {
            Some(shared) => shared.is_above(input),
            None => input.bytes > input.high_bytes,
        }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame for the queue `queue` comes in: it counts at its node and its input, or there is no
    /// room. Is its sender to be stopped now?
    #[inline(always)]
    pub(crate) fn enter_input(
        &mut self,
        node_id: u32,
        channel: u32,
        queue: usize,
        class: u8,
        mut bytes: u64,
    ) -> Result<bool, LossCause> {
        let at = self.network.input(channel, class);
        let classes = &mut self.network.classes;
        let node = &mut classes.nodes[node_id as usize];
        let input = &mut classes.inputs[at];
        if let Some(shared) = &mut node.shared {
            let of_queue = match node.lossless & 1 << class != 0 {
                true => None,
                false => Some((classes.queues[queue].share, classes.queues[queue].bytes)),
            };
            bytes = shared.taken(bytes);
            if let Err(cause) = shared.admit(input, of_queue, bytes) {
                if of_queue.is_none() && shared.has_promised(input) {
                    self.note_headroom(channel, class);
                }
                return Err(cause);
            }
            let most = &mut classes.input_times[at].headroom_most_bytes;
            *most = input.headroom_bytes.max(*most);
        } else if input.bytes + bytes > input.limit_bytes {
            return Err(LossCause::Buffer);
        }
        if classes.credits.classes.is_empty() {
            return Ok(count(node, input, class, bytes));
        }
        if let Some(leg) = self.network.credit_leg(channel, class) {
            self.take_place(leg, bytes)?;
        }
        let classes = &mut self.network.classes;
        let node = &mut classes.nodes[node_id as usize];
        Ok(count(node, &mut classes.inputs[at], class, bytes))
    }

    /// The sender of an input that is under back-pressure is to be stopped.
    pub(crate) fn stop_input(&mut self, node: u32, channel: u32, class: u8) {
        let at = self.network.input(channel, class);
        self.network.classes.inputs[at].is_congested = true;
        if let Some(gate) = self.gate_of(node, class) {
            self.ask(channel ^ 1, gate);
        }
    }

    /// A frame that came over an input has left the node, or one of the copies that share `input`
    /// has: they count until the last is gone.
    #[inline(always)]
    pub(crate) fn leave_node(&mut self, node: u32, mut input: u32, class: u8, mut bytes: u64) {
        if input & COPY != 0 {
            let (copies, place) = (&mut self.network.copies, input & !COPY);
            input = copies.input(place);
            if copies.sent_by_one(place, self.now).is_none() {
                return;
            }
        }
        let memory = &mut self.network.classes.nodes[node as usize];
        if let Some(shared) = &memory.shared {
            bytes = shared.taken(bytes);
        }
        memory.bytes -= bytes;
        self.leave_input(node, input, class, bytes);
    }

    /// What came over an input has found no headroom although its switch promised enough.
    #[cold]
    fn note_headroom(&mut self, channel: u32, class: u8) {
        let place = Place::Channel(channel);
        self.violations.note(self.now, place, || {
            format!("headroom was not enough for class {class}, which was promised")
        });
    }

    /// A frame that came over an input has left; `bytes` is what it took of the memory.
    #[inline(always)]
    pub(crate) fn leave_input(&mut self, node_id: u32, channel: u32, class: u8, bytes: u64) {
        let network = &mut self.network;
        let at = network.input(channel, class);
        let node = &mut network.classes.nodes[node_id as usize];
        let input = &mut network.classes.inputs[at];
        if let Some(shared) = &mut node.shared {
            shared.leave(input, bytes);
        }
        input.bytes -= bytes;
        if input.is_congested {
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
        } else if let Some(leg) = network.credit_leg(channel, class) {
            // No class has both.
            self.free_place(leg, bytes);
        }
    }
}
