//! Packet trimming: of a packet that finds its queue full the header goes on, in another class.
//!
//! The frame becomes one of 64 bytes, in the class that the queue names for headers, and joins that
//! queue in front of the same port, or is dropped if that is full too. Its flow has lost the bytes
//! that were cut off, and no frame. Only data of queue pairs is trimmed: their receivers ask for
//! what is missing as the header comes; a frame of anything else, or of no more than 64 bytes, is
//! dropped as where nothing trims.
//!
//! Sources: NDP (Handley and others, SIGCOMM 2017); packet trimming of Ultra Ethernet 1.0, by what
//! public models do. **Not modelled**: trimming of the youngest frame in the queue instead of the
//! one that comes, headers that go back to their source, trimming by shares of a shared memory.

use backwater_kernel::EventQueue;

use crate::hop::unit::Unit;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::FRAME_LEAST_BYTES;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame that came over a channel finds the queue of its class in front of another full: it
    /// is a header from now on, which is to be admitted in its class; or nothing of it is left.
    pub(crate) fn trim(&mut self, input: u32, channel: u32, id: u32) -> Option<Unit> {
        let network = &mut self.network;
        let frame = *network.units.get(id);
        let at = network.queue(channel, frame.class);
        let can_be_cut = frame.bytes > FRAME_LEAST_BYTES && network.units.is_pair_data(id);
        let class = network.classes.counts[at].trim.filter(|_| can_be_cut)?;
        if P::WATCHES {
            let seen = Frame::of(&self.network, (id, &frame), channel);
            self.probe
                .on_frame_trimmed(self.now, channel, &seen, FRAME_LEAST_BYTES);
        }
        let network = &mut self.network;
        network.units.trim(id, class);
        let account = network.classes.lane(input, network.units.get(id));
        let header = network.units.get_mut(id);
        header.set_account(account);
        let header = *header;
        network.classes.counts[at].trimmed += 1;
        let place = network.classes.place(frame.flow());
        let losses = &mut network.classes.losses[place];
        losses.trimmed += 1;
        losses.dropped_bytes += u64::from(frame.bytes - header.bytes);
        Some(header)
    }
}
