//! The small buffer between a multiplexed switch and a channel.
//!
//! The switch takes the credit and frees the input when it puts a flit here; the channel sends
//! the first one each cycle, from the cycle after.

use crate::fabric::{Buffered, Fabric};
use crate::lane::{FRESH, NONE};
use crate::spec::Release;

impl Fabric {
    /// The front flits of the chosen input lanes of multiplexed switches go to their outputs.
    pub(crate) fn switch_chosen(&mut self) {
        let mut chosen = core::mem::take(&mut self.chosen_inputs);
        if self.watch.is_some() {
            for &from in &chosen {
                self.watch_switch(from, self.input[from as usize].link);
            }
        }
        if self.queues.is_some() {
            for &from in &chosen {
                self.buffer(from, self.input[from as usize].link);
            }
        } else if self.same_cycle {
            self.switch_by::<true>(&chosen);
        } else {
            self.switch_by::<false>(&chosen);
        }
        chosen.clear();
        self.chosen_inputs = chosen;
        self.settle();
    }

    fn switch_by<const NOW: bool>(&mut self, chosen: &[u32]) {
        let first = self.first_in_seat();
        self.flit_hops += chosen.len() as u64;
        if self.passes_whole() {
            self.lists.reserve(chosen.len());
            for &from in chosen {
                let into = self.input[from as usize].link;
                self.pass_whole::<NOW>(from, into, first + from);
            }
            return;
        }
        let mut mover = self.mover::<NOW, false>(chosen.len());
        for &from in chosen {
            let into = mover.input[from as usize].link;
            mover.pass(from, into, first + from);
        }
        let lengths = mover.lengths;
        self.keep(lengths);
    }

    fn buffer(&mut self, from: u32, into: u32) {
        let shift = self.layout.shift;
        let mask = self.layout.stride() - 1;
        let out = into >> shift;
        let sender = &mut self.output[into as usize];
        sender.credits -= self.out_channels[out as usize].spend;
        let lane = &mut self.input[from as usize];
        let is_header = lane.left & FRESH != 0;
        lane.left = (lane.left & !FRESH) - 1;
        lane.count[0] -= 1;
        let is_tail = lane.left == 0;
        let credit = lane.before;
        let gone = u64::from(lane.count[0] == 0) | u64::from(sender.credits == 0) << 32;
        let seat = self.first_in_seat() + from;
        self.words[(seat >> shift) as usize] &= !(gone << (seat & mask));
        let id = self.input[from as usize].front;
        let flit = Buffered {
            into,
            header: if is_header { id } else { NONE },
            tail: if is_tail { id } else { NONE },
        };
        if self.same_cycle {
            self.mover::<true, false>(0).give_credit(credit);
        } else {
            let at = self.now + self.credit_delay - 1;
            self.credits.at(at).push(credit);
        }
        if let Some(border) = &mut self.border {
            border.credit(credit >> shift, credit);
            if is_tail && self.release == Release::Drained {
                border.release(credit >> shift, credit);
            }
        }
        if let Some(queues) = &mut self.queues {
            let (filled, first) = &mut queues.filled[out as usize];
            let place = (*first + *filled) % queues.places;
            let slot = out as usize * queues.places as usize + place as usize;
            queues.flits[slot] = flit;
            *filled += 1;
            queues.busy.insert(out as usize);
        }
        self.moved_at = self.now;
        if is_tail {
            self.tail_switched(from, into, id);
        }
    }

    /// Every channel sends the first flit of its buffer.
    pub(crate) fn send_buffered(&mut self) {
        let Some(mut queues) = self.queues.take() else {
            return;
        };
        let mut from = 0;
        while let Some(out) = queues.busy.next_from(from) {
            from = out + 1;
            let (filled, first) = &mut queues.filled[out];
            let flit = queues.flits[out * queues.places as usize + *first as usize];
            *first = (*first + 1) % queues.places;
            *filled -= 1;
            if *filled == 0 {
                queues.busy.remove(out);
            }
            if self.watch.is_some() {
                self.watch_buffered(out as u32);
            }
            self.leave_buffer(out as u32, flit);
        }
        self.queues = Some(queues);
    }

    fn leave_buffer(&mut self, out: u32, flit: Buffered) {
        let channel = self.out_channels[out as usize];
        let at = self.now + u64::from(channel.flight) - 1;
        let lane = channel.target + (flit.into & (self.layout.stride() - 1));
        let leads_on = channel.spend != 0;
        if self
            .border
            .as_ref()
            .is_some_and(|border| border.is_far(out))
        {
            self.cross_from_buffer(out, lane, flit);
        } else if flit.header == NONE {
            if leads_on {
                self.arrivals.at(at).push(lane);
            }
        } else {
            self.packets.get_mut(flit.header).cross(channel.flight);
            if leads_on {
                self.headers.at(at).push((lane, flit.header));
            }
        }
        self.flit_hops += 1;
        if flit.tail == NONE {
            return;
        }
        self.count(flit.into, self.packets.get(flit.tail).length);
        if !leads_on {
            self.tail_ejected(flit.into, flit.tail, at);
        }
    }
}
