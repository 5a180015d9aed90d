//! What a switch does to a frame as it starts: marks by what is left behind it, and what it writes
//! into packets that ask for that. Marks as a frame arrives are made by the same rule.

use backwater_ends::control::Telemetry;
use backwater_kernel::EventQueue;

use crate::hop::unit::{ECT, MARKED, TELEMETRY};
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::{MarkAt, wire_bytes};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame of the queue at `at` is about to start.
    #[inline(never)]
    pub(crate) fn on_leave(&mut self, channel_id: u32, at: usize, id: u32) {
        let network = &mut self.network;
        let frame = network.units.get(id);
        let (bytes, marks) = (frame.bytes, frame.marks);
        let leaves_marks = |at| at == MarkAt::Leave;
        let ecn = network.classes.counts[at].ecn;
        if marks & ECT != 0 && ecn.is_some_and(|ecn| leaves_marks(ecn.at)) {
            let left = network.classes.queues[at].bytes - u64::from(bytes);
            self.mark_frame(at, id, left);
        }
        self.network.note_telemetry(self.now, channel_id, id);
    }

    /// Marks a frame by so many bytes in its queue. At the low threshold the chance is 0, for which
    /// nothing is drawn.
    pub(crate) fn mark_frame(&mut self, at: usize, id: u32, held: u64) {
        let network = &mut self.network;
        let Some(ecn) = network.classes.counts[at].ecn else {
            return;
        };
        let is_marked = if held >= ecn.high_bytes {
            true
        } else if held <= ecn.low_bytes {
            false
        } else {
            let part = (held - ecn.low_bytes) as f64;
            let whole = (ecn.high_bytes - ecn.low_bytes) as f64;
            let chance = backwater_kernel::Probability::new(ecn.probability * part / whole);
            match (network.classes.marking.get_mut(at), chance) {
                (Some(Some(stream)), Some(chance)) => stream.chance(chance),
                _ => false,
            }
        };
        if is_marked {
            network.units.get_mut(id).marks |= MARKED;
            network.classes.counts[at].marked += 1;
        }
    }
}

impl Network {
    /// A port counts what it sends, and writes into packets that have room for it.
    fn note_telemetry(&mut self, now: backwater_kernel::Time, channel_id: u32, id: u32) {
        let frame = self.units.get(id);
        let (bytes, marks) = (frame.bytes, frame.marks);
        let channel = &self.channels[channel_id as usize];
        let Some(sent) = self.classes.telemetry.get_mut(channel_id as usize) else {
            return;
        };
        let sent_bytes = *sent;
        *sent += u64::from(wire_bytes(bytes));
        if marks & TELEMETRY == 0 {
            return;
        }
        let rate = channel.rate;
        let first = self.classes.queue(channel_id, 0);
        let queues = &self.classes.queues[first..first + self.classes.count];
        let held: u64 = queues.iter().map(|queue| queue.bytes).sum();
        let hop = Telemetry {
            at: now,
            sent_bytes,
            queued_bytes: held - u64::from(bytes),
            rate,
        };
        self.units.write(id, hop);
    }
}
