//! Measures a run in parts.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use super::Shard;
use crate::cut::Cut;
use crate::deadlock::packets_in;
use crate::fabric::Fabric;
use crate::lane::{FRESH, NONE};
use crate::meter::Phase;
use crate::outcome::FabricOutcome;
use crate::packet::{Pool, joined};
use crate::simulation::Simulation;
use crate::snapshot::ChannelState;
use crate::tally::Log;

/// Says how far the shards of a run may go, and what was found.
pub struct Conductor {
    /// Never runs: it measures, and holds what the shards hold when something is to be told of
    /// the whole network.
    whole: Simulation,
    cut: Cut,
}

impl Conductor {
    pub(super) fn new(whole: Simulation, cut: Cut) -> Conductor {
        Conductor { whole, cut }
    }

    /// The cycle that all shards had reached at the last [`Conductor::look`].
    pub fn cycle(&self) -> u64 {
        self.whole.fabric.now
    }

    /// Flits that had crossed a channel then.
    pub fn flit_hops(&self) -> u64 {
        self.whole.fabric.flit_hops
    }

    /// What the run is doing.
    pub fn phase(&self) -> Phase {
        self.whole.phase()
    }

    /// All shards, in order, stand before the same cycle. The cycle up to which they may run, at
    /// most `until`; `None` if they have reached `until` or the run is over.
    pub fn look<S: DerefMut<Target = Shard>>(
        &mut self,
        shards: &mut [S],
        until: u64,
    ) -> Option<u64> {
        Log::read_together(
            shards.iter_mut().map(|shard| &mut shard.log),
            &mut self.whole.meter,
        );
        self.add_up(shards);
        if shards.iter().any(|shard| shard.has_to_look) {
            self.gather(shards);
            self.whole.look_for_deadlock();
            for shard in shards.iter_mut() {
                shard.look_at = self.whole.lookout.next();
                shard.has_to_look = false;
            }
        }
        self.whole.look_for_trace_end();
        let now = self.whole.fabric.now;
        while self.is_running() && now < until && now >= self.whole.next_checkpoint {
            let before = self.whole.ask();
            if self.phase() != before {
                self.gather(shards);
                self.whole.begin_phase(before);
                if self.phase() == Phase::Measuring {
                    shards
                        .iter_mut()
                        .for_each(|shard| shard.fabric.clear_counters());
                }
            }
        }
        (self.is_running() && now < until).then(|| until.min(self.whole.next_checkpoint))
    }

    /// Is there more to do?
    pub fn is_running(&self) -> bool {
        self.whole.stop.is_none()
    }

    /// What was found up to the last [`Conductor::look`], of shards that have not moved since.
    pub fn outcome<S: DerefMut<Target = Shard>>(&mut self, shards: &mut [S]) -> FabricOutcome {
        self.gather(shards);
        self.whole.outcome()
    }

    /// As [`Simulation::snapshot`], of shards that have not moved since the last
    /// [`Conductor::look`].
    pub fn snapshot<S: Deref<Target = Shard>>(&self, shards: &[S]) -> Vec<ChannelState> {
        let whole = &self.whole.fabric;
        let mut states = vec![ChannelState::default(); whole.layout.out_of.len()];
        for (own, shard) in shards.iter().enumerate() {
            let is_own = |out| self.cut.owner_out(out) == Some(own);
            shard.fabric.tell_states(&mut states, whole, is_own);
        }
        states
    }

    /// Totals.
    fn add_up<S: DerefMut<Target = Shard>>(&mut self, shards: &[S]) {
        let whole = &mut self.whole.fabric;
        (whole.created, whole.injected, whole.delivered) = (0, 0, 0);
        (whole.flit_hops, whole.lane_flits) = (0, [0; 32]);
        self.whole.trace_hash = 0;
        for shard in shards {
            let part = &shard.fabric;
            whole.now = part.now;
            whole.moved_at = part.moved_at;
            whole.created += part.created;
            whole.injected += part.injected;
            whole.delivered += part.delivered;
            whole.flit_hops += part.flit_hops;
            for (sum, flits) in whole.lane_flits.iter_mut().zip(part.lane_flits) {
                *sum += flits;
            }
            let hash = &mut self.whole.trace_hash;
            *hash = hash.wrapping_add(shard.trace_hash);
        }
    }

    /// Brings all packets, lanes and channels together.
    fn gather<S: DerefMut<Target = Shard>>(&mut self, shards: &[S]) {
        let whole = &mut self.whole.fabric;
        let parts: Vec<&Fabric> = shards.iter().map(|shard| &shard.fabric).collect();
        whole.join_what_is_under_way(&parts);
        for channel in 0..whole.layout.outs {
            if let Some(owner) = self.cut.owner_out(channel) {
                whole.copy_output(channel, parts[owner]);
                whole.copy_queue(channel, parts[owner], owner, parts.len());
            }
        }
        for channel in 0..whole.layout.ins {
            if let Some(owner) = self.cut.owner_in(channel) {
                whole.copy_input(channel, parts[owner], owner, parts.len());
            }
        }
        let sources = whole.layout.sources;
        for (terminal, queue) in (0_u32..).zip(&mut self.whole.entrance.shared) {
            if let Some(owner) = self.cut.owner_in(sources + terminal) {
                let (first, last) = shards[owner].entrance.shared[terminal as usize];
                let number = |id| joined(id, owner, parts.len());
                *queue = (number(first), number(last));
            }
        }
        self.whole.fabric.join_copies();
    }
}

impl Fabric {
    /// Packets, and what takes effect later. What crosses is there twice, which does not matter:
    /// all that is asked is whether it is there.
    fn join_what_is_under_way(&mut self, parts: &[&Fabric]) {
        let pools: Vec<&Pool> = parts.iter().map(|part| &part.packets).collect();
        self.packets.join(&pools);
        let rings: Vec<_> = parts.iter().map(|part| &part.arrivals).collect();
        self.arrivals.join(&rings, |lane, _| *lane);
        let rings: Vec<_> = parts.iter().map(|part| &part.credits).collect();
        self.credits.join(&rings, |lane, _| *lane);
        let rings: Vec<_> = parts.iter().map(|part| &part.releases).collect();
        self.releases.join(&rings, |lane, _| *lane);
        let rings: Vec<_> = parts.iter().map(|part| &part.granted).collect();
        self.granted.join(&rings, |entry, _| *entry);
        let rings: Vec<_> = parts.iter().map(|part| &part.headers).collect();
        self.headers.join(&rings, |(lane, id), index| {
            (*lane, joined(*id, index, parts.len()))
        });
    }

    /// A packet in several parts has a record in each. The one with the header becomes that of
    /// the whole packet; what is behind it is known where its tail is.
    fn join_copies(&mut self) {
        let mut newest: BTreeMap<(u32, u64), u32> = BTreeMap::new();
        let lanes = 0..self.layout.ins << self.layout.shift;
        let here = lanes.clone().filter(|lane| self.holds_entered(*lane));
        let here = here.flat_map(|lane| {
            let count = if self.is_source(lane) { 1 } else { usize::MAX };
            packets_in(self, lane).take(count)
        });
        let coming = self.headers.slots().iter().flatten().map(|(_, id)| *id);
        for id in here.chain(coming) {
            let packet = self.packets.get(id);
            let known = newest.entry((packet.source, packet.entered)).or_insert(id);
            if self.packets.get(*known).hops < packet.hops {
                *known = id;
            }
        }
        for lane in lanes {
            if !self.holds_entered(lane) {
                continue;
            }
            let id = self.input[lane as usize].front;
            let packet = *self.packets.get(id);
            let record = newest.get(&(packet.source, packet.entered)).copied();
            let record = record.unwrap_or(id);
            if record != id && packet.next != NONE {
                self.packets.get_mut(record).next = packet.next;
            }
            self.input[lane as usize].front = record;
            if self.input[lane as usize].last == id {
                self.input[lane as usize].last = record;
            }
        }
    }

    /// Is the packet at the front of a lane in the network? Not at a source before its header
    /// has left.
    fn holds_entered(&self, lane: u32) -> bool {
        let left = self.input[lane as usize].left;
        let has_left = left != 0 && left & FRESH == 0;
        self.input[lane as usize].front != NONE && (!self.is_source(lane) || has_left)
    }

    fn copy_output(&mut self, channel: u32, part: &Fabric) {
        let first = (channel << self.layout.shift) as usize;
        let lanes = first..first + self.layout.stride() as usize;
        self.output[lanes.clone()].copy_from_slice(&part.output[lanes]);
        let channel = channel as usize;
        self.out_channels[channel] = part.out_channels[channel];
    }

    fn copy_queue(&mut self, channel: u32, part: &Fabric, index: usize, parts: usize) {
        let (Some(queues), Some(from)) = (&mut self.queues, &part.queues) else {
            return;
        };
        if channel >= self.layout.inject {
            return;
        }
        let channel = channel as usize;
        queues.filled[channel] = from.filled[channel];
        let places = queues.places as usize;
        for place in channel * places..(channel + 1) * places {
            let mut flit = from.flits[place];
            flit.header = joined(flit.header, index, parts);
            flit.tail = joined(flit.tail, index, parts);
            queues.flits[place] = flit;
        }
    }

    fn copy_input(&mut self, channel: u32, part: &Fabric, index: usize, parts: usize) {
        let first = channel << self.layout.shift;
        for lane in first..first + self.layout.stride() {
            let lane = lane as usize;
            self.input[lane] = part.input[lane];
            self.input[lane].front = joined(part.input[lane].front, index, parts);
            self.input[lane].last = joined(part.input[lane].last, index, parts);
        }
    }
}
