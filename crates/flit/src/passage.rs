//! A flit leaves a buffer: counters and two bits, without a branch that depends on the flit.
//!
//! What happens once a packet is put on two short lists, headers and tails, and done after each
//! block of channels.

use crate::fabric::{Fabric, Passing};
use crate::lane::{FRESH, NONE};
use crate::layout::BLOCK;
use crate::spec::Release;

impl Fabric {
    /// The next flit of `from` goes into `into`. Puts headers and tails on the lists; `heads` and
    /// `tails` of them hold something so far.
    ///
    /// `SAME`: the place it leaves can be used in this very cycle.
    #[inline(always)]
    pub(crate) fn pass<const SAME: bool>(
        &mut self,
        from: u32,
        into: u32,
        seat: u32,
        heads: &mut usize,
        tails: &mut usize,
    ) {
        let shift = self.layout.shift;
        let mask = self.layout.stride() - 1;
        let out = (into >> shift) as usize;
        let channel = &mut self.out_channels[out];
        channel.flits += 1;
        let (spend, flight) = (channel.spend, channel.flight);
        let target = channel.target + (into & mask);
        let sender = &mut self.output[into as usize];
        sender.credits -= spend;
        let lane = &mut self.input[from as usize];
        let header = usize::from(lane.left >> 15);
        lane.left = (lane.left & !FRESH) - 1;
        lane.count[0] -= 1;
        let gone = u64::from(lane.count[0] == 0) | u64::from(sender.credits == 0) << 32;
        self.words[(seat >> shift) as usize] &= !(gone << (seat & mask));
        let tail = usize::from(lane.left == 0);
        let passing = Passing { from, into };
        self.heads[*heads] = passing;
        *heads += header;
        self.tails[*tails] = passing;
        *tails += tail;
        let slot = self.arrivals.at(self.now + u64::from(flight) - 1);
        slot.push_if(target, (1 - header) & usize::from(spend));
        let credit = self.in_channels[(from >> shift) as usize].credit_to + (from & mask);
        if SAME {
            self.give_credit(credit);
        } else {
            let slot = self.credits.at(self.now + self.credit_delay - 1);
            slot.push_if(credit, usize::from(credit < self.layout.no_out()));
        }
    }

    /// The sender of an output lane learns of a free place.
    #[inline(always)]
    pub(crate) fn give_credit(&mut self, lane: u32) {
        let shift = self.layout.shift;
        let sender = &mut self.output[lane as usize];
        sender.credits = sender.credits.wrapping_add(1);
        let link = sender.link;
        let seat = self.seat(link, lane);
        let bit = seat & (self.layout.stride() - 1);
        self.words[(seat >> shift) as usize] |= 1 << (32 + bit);
    }

    /// Works off the headers and tails of a block.
    pub(crate) fn settle(&mut self, heads: usize, tails: usize) {
        for index in 0..heads {
            let passing = self.heads[index];
            self.header_passes(passing);
        }
        for index in 0..tails {
            let passing = self.tails[index];
            self.tail_passes(passing);
        }
    }

    fn header_passes(&mut self, Passing { from, into }: Passing) {
        let id = self.front[from as usize];
        let packet = self.packets.get_mut(id);
        packet.hops += 1;
        if self.layout.sources << self.layout.shift <= from {
            packet.entered = self.now;
        }
        let out = self.channel(into);
        let channel = self.out_channels[out as usize];
        if channel.spend != 0 {
            let lane = channel.target + (into & (self.layout.stride() - 1));
            let at = self.now + u64::from(channel.flight) - 1;
            self.headers.at(at).push((lane, id));
        }
    }

    fn tail_passes(&mut self, passing: Passing) {
        let id = self.front[passing.from as usize];
        self.tail_switched(passing, id);
        let out = self.channel(passing.into);
        if self.ejects(out) {
            let flight = u64::from(self.out_channels[out as usize].flight);
            self.tail_ejected(passing.into, id, self.now + flight - 1);
        }
    }

    /// The tail of `id` has left its buffer.
    pub(crate) fn tail_switched(&mut self, Passing { from, into }: Passing, id: u32) {
        self.output[into as usize].link = self.layout.no_in();
        self.input[from as usize].link = self.layout.no_out();
        match self.release {
            Release::TailSent => self.release_lane(into),
            Release::Drained => self.release_before(from),
        }
        self.next_packet(from, id);
    }

    /// The tail of `id` is on its way to a terminal and arrives at the end of cycle `at`.
    pub(crate) fn tail_ejected(&mut self, into: u32, id: u32, at: u64) {
        self.deliveries.at(at).push(id);
        if self.release == Release::Drained {
            self.releases.at(at).push(into);
        }
    }

    /// The tail has left `lane`: the one who sends into it may use it for another packet.
    fn release_before(&mut self, lane: u32) {
        let before = &self.in_channels[self.channel(lane) as usize];
        let sender = before.credit_to + (lane & (self.layout.stride() - 1));
        if sender < self.layout.no_out() {
            let at = self.now + self.credit_delay.max(1) - 1;
            self.releases.at(at).push(sender);
        }
    }

    /// Marks an output lane free.
    #[inline]
    pub(crate) fn release_lane(&mut self, lane: u32) {
        let out = self.channel(lane);
        let allocation = &mut self.allocation[out as usize];
        allocation.free |= 1 << (lane & (self.layout.stride() - 1));
        if allocation.waiting != NONE {
            self.note(out);
        }
    }

    /// The front packet `id` has left `lane`: the one behind it moves up.
    fn next_packet(&mut self, lane: u32, id: u32) {
        let next = core::mem::replace(&mut self.packets.get_mut(id).next, NONE);
        self.front[lane as usize] = next;
        if next == NONE {
            self.last[lane as usize] = NONE;
        }
        if self.is_source(lane) {
            self.vacated.push(lane);
            return;
        }
        if next == NONE {
            return;
        }
        let packet = *self.packets.get(next);
        let state = &mut self.input[lane as usize];
        let here = state.count[1].min(packet.length);
        state.count = [here, state.count[1] - here];
        state.behind = u16::from(packet.next != NONE);
        state.left = packet.length | FRESH;
        self.note_key(lane, packet.key);
        let at = self.now + 1 + self.header_delay;
        self.ready.at(at).push(lane);
    }

    /// At the end of the cycle: what is on its way takes effect.
    pub(crate) fn arrive(&mut self) {
        let slot = core::mem::take(self.arrivals.at(self.now));
        let shift = self.layout.shift;
        let mask = self.layout.stride() - 1;
        let first = self.first_in_seat();
        for &lane in slot.as_slice() {
            let state = &mut self.input[lane as usize];
            state.count[usize::from(state.behind & 1)] += 1;
            let (seat, held) = if self.multiplexed {
                (first + lane, u64::from(state.link != self.layout.no_out()))
            } else {
                (state.link, 1)
            };
            self.words[(seat >> shift) as usize] |= held << (seat & mask);
            let block = seat >> shift >> BLOCK.trailing_zeros();
            self.summary[(block >> 6) as usize] |= 1 << (block & 63);
        }
        let mut slot = slot;
        slot.clear();
        *self.arrivals.at(self.now) = slot;
        if !self.same_cycle {
            let mut slot = core::mem::take(self.credits.at(self.now));
            for &lane in slot.as_slice() {
                self.give_credit(lane);
            }
            slot.clear();
            *self.credits.at(self.now) = slot;
        }
        self.headers_arrive();
        let mut released = core::mem::take(self.releases.at(self.now));
        for &lane in &released {
            self.release_lane(lane);
        }
        released.clear();
        *self.releases.at(self.now) = released;
    }

    fn headers_arrive(&mut self) {
        let mut headers = core::mem::take(self.headers.at(self.now));
        let ready = self.now + 1 + self.header_delay;
        for &(lane, id) in &headers {
            let packet = *self.packets.get(id);
            let state = &mut self.input[lane as usize];
            if self.front[lane as usize] == NONE {
                self.front[lane as usize] = id;
                state.count[0] = 1;
                state.behind = 0;
                state.left = packet.length | FRESH;
                self.note_key(lane, packet.key);
                self.ready.at(ready).push(lane);
            } else {
                let last = self.last[lane as usize];
                self.packets.get_mut(last).next = id;
                state.count[1] += 1;
                state.behind = 1;
            }
            self.last[lane as usize] = id;
        }
        headers.clear();
        *self.headers.at(self.now) = headers;
    }
}
