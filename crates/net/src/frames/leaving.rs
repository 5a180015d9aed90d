//! What a switch does to a frame as it starts: marks by what is left behind it, and what it writes
//! into packets that ask for that.

use backwater_ends::control::Telemetry;
use backwater_kernel::EventQueue;

use crate::hop::unit::{ECT, TELEMETRY};
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
