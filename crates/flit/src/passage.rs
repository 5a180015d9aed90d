//! A flit leaves a buffer: counters and two bits, without a branch that depends on the flit.
//!
//! What happens once a packet is put on a short list of headers and tails, and done after each
//! block of channels.

use crate::fabric::Fabric;
use crate::lane::{FRESH, InLane, NONE, OutChannel, OutLane};
use crate::layout::BLOCK;
use crate::lists::{HEAD, Passing, TAIL};
use crate::spec::Release;

/// What moving flits touch, and what they leave behind: lists filled without a branch, at most an
/// entry a flit.
///
/// `NOW`: a place that a flit leaves is told at once. That is right if credits take effect in the
/// same cycle, and also if they take one, once all choices of the cycle have been made. `NEAR`: a
/// flit joins the next buffer at once; right if all flights take one cycle, by the same argument.
/// What one flit of a cycle takes from a counter and another adds to it comes out the same in
/// either order. `WHOLE`: every flit is a packet, so that it is on no list and none follows it.
pub(crate) struct Mover<'a, const NOW: bool, const NEAR: bool, const WHOLE: bool> {
    pub input: &'a mut [InLane],
    pub output: &'a mut [OutLane],
    pub out_channels: &'a mut [OutChannel],
    pub words: &'a mut [u64],
    shift: u32,
    mask: u32,
    /// Seat of input lane 0 in a multiplexed switch, and the first output lane of injection.
    in_seat: u32,
    inject: u32,
    multiplexed: bool,
    /// The output lane nobody uses.
    nobody: u32,
    arrivals: &'a mut [(u32, u32)],
    credits: &'a mut [u32],
    ends: &'a mut [Passing],
    /// Entries of the three lists.
    pub lengths: [usize; 3],
}

impl<const NOW: bool, const NEAR: bool, const WHOLE: bool> Mover<'_, NOW, NEAR, WHOLE> {
    /// The next flit of `from` goes into `into`; their two bits are at `seat`.
    #[inline(always)]
    pub fn pass(&mut self, from: u32, into: u32, seat: u32) {
        let out = into >> self.shift;
        let channel = &self.out_channels[out as usize];
        let target = channel.target + (into & self.mask);
        let spend = channel.spend;
        let sender = &mut self.output[into as usize];
        sender.credits -= spend;
        let lane = &mut self.input[from as usize];
        let header = if WHOLE { HEAD } else { lane.left >> 15 };
        let left = if WHOLE { 0 } else { (lane.left & !FRESH) - 1 };
        lane.left = left;
        lane.count[0] -= 1;
        let gone = u64::from(WHOLE || lane.count[0] == 0) | u64::from(sender.credits == 0) << 32;
        let ends = header | (u16::from(left == 0) * TAIL);
        let credit = lane.before;
        self.words[(seat >> self.shift) as usize] &= !(gone << (seat & self.mask));
        let [arrivals, credits, passed] = &mut self.lengths;
        let joins = (1 - header) & spend;
        if !WHOLE {
            self.ends[*passed] = Passing { from, into, ends };
            *passed += usize::from(ends != 0);
        }
        if !NOW {
            self.credits[*credits] = credit;
            *credits += usize::from(credit != self.nobody);
        }
        if !NEAR && !WHOLE {
            self.arrivals[*arrivals] = (target, out);
            *arrivals += usize::from(joins);
        }
        if NOW {
            self.give_credit(credit);
        }
        if NEAR && !WHOLE {
            self.join(target, joins);
        }
    }

    /// `flits` of them, 0 or 1, join a lane.
    #[inline(always)]
    pub fn join(&mut self, lane: u32, flits: u16) {
        let state = &mut self.input[lane as usize];
        let behind = state.behind & 1;
        let count = &mut state.count[usize::from(behind)];
        *count = count.wrapping_add(flits);
        // One behind gives the front packet nothing to send: its tail may just have left.
        let mut held = u64::from(flits & !behind);
        let mut seat = state.link;
        if self.multiplexed {
            seat = self.in_seat + lane;
            held &= u64::from(state.link != self.nobody);
        }
        self.words[(seat >> self.shift) as usize] |= held << (seat & self.mask);
    }

    /// The sender of an output lane learns of a free place.
    #[inline(always)]
    pub fn give_credit(&mut self, lane: u32) {
        let sender = &mut self.output[lane as usize];
        sender.credits = sender.credits.wrapping_add(1);
        let seat = if self.multiplexed && lane < self.inject {
            self.in_seat + sender.link
        } else {
            lane
        };
        self.words[(seat >> self.shift) as usize] |= 1 << (32 + (seat & self.mask));
    }
}

impl Fabric {
    /// Borrows what moving so many flits touches.
    #[inline(always)]
    pub(crate) fn mover<const NOW: bool, const NEAR: bool>(
        &mut self,
        flits: usize,
    ) -> Mover<'_, NOW, NEAR, false> {
        self.lists.reserve(flits);
        self.parts()
    }

    /// What a mover is made of. There is room in its lists.
    #[inline(always)]
    fn parts<const NOW: bool, const NEAR: bool, const WHOLE: bool>(
        &mut self,
    ) -> Mover<'_, NOW, NEAR, WHOLE> {
        Mover {
            in_seat: (self.layout.outs + BLOCK) << self.layout.shift,
            inject: self.layout.inject << self.layout.shift,
            nobody: self.layout.no_out(),
            multiplexed: self.multiplexed,
            shift: self.layout.shift,
            mask: self.layout.stride() - 1,
            input: &mut self.input,
            output: &mut self.output,
            out_channels: &mut self.out_channels,
            words: &mut self.words,
            lengths: self.lists.lengths,
            arrivals: &mut self.lists.arrivals,
            credits: &mut self.lists.credits,
            ends: &mut self.lists.ends,
        }
    }

    /// Does every flit go on by [`Fabric::pass_whole`]?
    #[inline(always)]
    pub(crate) fn passes_whole(&self) -> bool {
        self.is_whole && self.border.is_none()
    }

    /// A packet of one flit goes from `from` into `into`, in one visit; their two bits are at
    /// `seat`.
    #[inline(always)]
    pub(crate) fn pass_whole<const NOW: bool>(&mut self, from: u32, into: u32, seat: u32) {
        let mut mover = self.parts::<NOW, true, true>();
        mover.pass(from, into, seat);
        if !NOW {
            let lengths = mover.lengths;
            self.keep(lengths);
        }
        self.end_passes(Passing {
            from,
            into,
            ends: HEAD | TAIL,
        });
    }

    /// Keeps what a mover has left behind.
    #[inline(always)]
    pub(crate) fn keep(&mut self, lengths: [usize; 3]) {
        self.lists.lengths = lengths;
    }

    /// Works off what moving flits left behind.
    pub(crate) fn settle(&mut self) {
        let lengths = core::mem::take(&mut self.lists.lengths);
        if self.border.is_some() {
            self.cross(lengths);
        }
        let [arrivals, credits, ends] = lengths;
        self.send_on(arrivals);
        if credits > 0 {
            let slot = self.credits.at(self.now + self.credit_delay - 1);
            slot.extend_from_slice(&self.lists.credits[..credits]);
        }
        for index in 0..ends {
            self.end_passes(self.lists.ends[index]);
        }
    }

    /// Puts flits on their way.
    fn send_on(&mut self, count: usize) {
        let arrivals = &self.lists.arrivals[..count];
        if let Some(flight) = self.uniform_flight {
            let slot = self.arrivals.at(self.now + flight - 1);
            slot.extend(arrivals.iter().map(|(lane, _)| *lane));
            return;
        }
        for &(lane, out) in arrivals {
            let flight = u64::from(self.out_channels[out as usize].flight);
            self.arrivals.at(self.now + flight - 1).push(lane);
        }
    }

    /// A header, a tail, or the only flit of a packet has left its buffer. In which order those
    /// of a cycle are worked off doesn't matter: a header joins the lane that it goes into in the
    /// same state whether the tail before it has left that or is about to.
    #[inline(always)]
    fn end_passes(&mut self, passing: Passing) {
        let Passing { from, into, ends } = passing;
        let id = self.input[from as usize].front;
        let channel = self.out_channels[self.channel(into) as usize];
        let leads_on = channel.spend != 0;
        let at = self.now + u64::from(channel.flight) - 1;
        let packet = self.packets.get_mut(id);
        let length = packet.length;
        if ends & HEAD != 0 {
            packet.cross(channel.flight);
            if self.layout.sources << self.layout.shift <= from {
                packet.entered = self.now;
            }
            if leads_on {
                let lane = channel.target + (into & (self.layout.stride() - 1));
                if channel.flight == 1 {
                    self.header_joins(lane, id);
                } else {
                    self.headers.at(at).push((lane, id));
                }
            }
        }
        if ends & TAIL != 0 {
            self.count(into, length);
            self.tail_switched(from, into, id);
            if !leads_on {
                self.tail_ejected(into, id, at);
            }
        }
    }

    /// A packet has crossed a channel.
    #[inline(always)]
    pub(crate) fn count(&mut self, into: u32, flits: u16) {
        let out = self.channel(into);
        self.out_channels[out as usize].flits += u64::from(flits);
        let lane = into & (self.layout.stride() - 1);
        self.lane_flits[lane as usize % 32] += u64::from(flits);
    }

    /// The tail of `id` has left its buffer.
    #[inline(always)]
    pub(crate) fn tail_switched(&mut self, from: u32, into: u32, id: u32) {
        self.output[into as usize].link = self.layout.no_in();
        self.input[from as usize].link = self.layout.no_out();
        self.leave_seat(self.channel(self.seat(from, into)));
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
        let sender = self.input[lane as usize].before;
        if sender == self.layout.no_out() {
            return;
        }
        if self.credit_delay <= 1 {
            self.release_lane(sender);
        } else {
            self.releases
                .at(self.now + self.credit_delay - 1)
                .push(sender);
        }
    }

    /// Marks an output lane free.
    #[inline]
    pub(crate) fn release_lane(&mut self, lane: u32) {
        let out = self.channel(lane);
        let bit = lane & (self.layout.stride() - 1);
        let channel = &mut self.out_channels[out as usize];
        channel.free |= 1 << bit;
        if channel.waiting != NONE {
            self.note(out);
        }
    }

    /// The front packet `id` has left `lane`: the one behind it moves up.
    #[inline(always)]
    fn next_packet(&mut self, lane: u32, id: u32) {
        let is_source = self.is_source(lane);
        let next = core::mem::replace(&mut self.packets.get_mut(id).next, NONE);
        let state = &mut self.input[lane as usize];
        state.front = next;
        if next == NONE {
            state.last = NONE;
        }
        if is_source {
            self.vacated.push(lane);
            return;
        }
        if next == NONE {
            return;
        }
        let packet = self.packets.get(next);
        let here = state.count[1].min(packet.length);
        state.count = [here, state.count[1] - here];
        // Its `next` may still speak of the lane that its tail is in.
        state.behind = u16::from(state.last != next);
        state.left = packet.length | FRESH;
        let key = packet.key;
        self.note_key(lane, key);
        self.header_ready(lane, self.now + 1 + self.header_delay);
    }

    /// At the end of the cycle: what is on its way takes effect.
    pub(crate) fn arrive(&mut self) {
        self.flits_arrive();
        if self.credit_delay > 0 {
            let mut slot = core::mem::take(self.credits.at(self.now));
            let mut mover = self.mover::<false, false>(0);
            for &lane in &slot {
                mover.give_credit(lane);
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

    fn flits_arrive(&mut self) {
        let mut slot = core::mem::take(self.arrivals.at(self.now));
        let mut mover = self.mover::<false, false>(0);
        for &lane in &slot {
            mover.join(lane, 1);
        }
        slot.clear();
        *self.arrivals.at(self.now) = slot;
    }

    fn headers_arrive(&mut self) {
        let mut headers = core::mem::take(self.headers.at(self.now));
        for &(lane, id) in &headers {
            self.header_joins(lane, id);
        }
        headers.clear();
        *self.headers.at(self.now) = headers;
    }

    /// A header joins a lane: at its front, or behind what is there.
    #[inline(always)]
    fn header_joins(&mut self, lane: u32, id: u32) {
        let state = &mut self.input[lane as usize];
        let last = core::mem::replace(&mut state.last, id);
        if last != NONE {
            state.count[1] += 1;
            state.behind = 1;
            self.packets.get_mut(last).next = id;
            return;
        }
        let packet = self.packets.get(id);
        state.count[0] = 1;
        state.behind = 0;
        state.left = packet.length | FRESH;
        state.front = id;
        let key = packet.key;
        self.note_key(lane, key);
        self.header_ready(lane, self.now + 1 + self.header_delay);
    }
}
