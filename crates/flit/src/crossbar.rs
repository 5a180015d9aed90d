//! The switch in which every lane has its own input (Dally 1990, Figure 6A): only the output
//! channels are contended for. Injection channels always work so.

use core::ops::Range;

use crate::arbiter::{
    Choose, Earliest, Only, Random, RandomOfFew, RandomOfSome, RoundRobin, cycle_key,
};
use crate::fabric::Fabric;
use crate::layout::BLOCK;
use crate::spec::Arbiter;

/// Up to so many channels of a block are looked at one by one.
const FEW: u32 = 20;

impl Fabric {
    /// Chooses a flit for each of these channels that has one to send. The range begins and ends
    /// at blocks.
    pub(crate) fn choose(&mut self, channels: Range<u32>, arbiter: Arbiter) {
        let key = cycle_key(self.seed, self.now);
        match (arbiter, self.layout.shift) {
            (_, 0) => self.choose_by(channels, Only),
            (Arbiter::Random, 1..=3) => self.choose_by(channels, RandomOfFew { key }),
            (Arbiter::Random, 4) => self.choose_by(channels, RandomOfSome { key }),
            (Arbiter::Random, _) => self.choose_by(channels, Random { key }),
            (Arbiter::RoundRobin, _) => self.choose_by(channels, RoundRobin),
            (Arbiter::Earliest, _) => self.choose_by(channels, Earliest),
        }
    }

    fn choose_by<C: Choose>(&mut self, channels: Range<u32>, choose: C) {
        let shift = self.layout.shift;
        let end = channels.end / BLOCK;
        let mut block = channels.start / BLOCK;
        while let Some(found) = self.next_block(block, end) {
            block = found + 1;
            let mut ready = self.scan(found);
            let at = self.chosen.len();
            self.chosen.resize(at + ready.count_ones() as usize, 0);
            for place in &mut self.chosen[at..] {
                let out = found * BLOCK + ready.trailing_zeros();
                ready &= ready.wrapping_sub(1);
                let word = self.words[out as usize];
                let set = word as u32 & (word >> 32) as u32;
                let first = out << shift;
                let (key, output) = (&self.key, &self.output);
                let urgency = |lane: u32| key[output[(first + lane) as usize].link as usize];
                let mut pointer = 0;
                if C::POINTS {
                    pointer = self.out_channels[out as usize].pointer;
                }
                let lane = choose.choose(set, out, pointer, urgency);
                if C::POINTS {
                    self.out_channels[out as usize].pointer = lane + 1;
                }
                *place = first + lane;
            }
        }
    }

    /// The flits chosen move. No channel among them leads to another if credits take effect in
    /// the same cycle.
    pub(crate) fn move_chosen(&mut self) {
        let near = self.uniform_flight == Some(1);
        if self.border.is_some() {
            self.note_chosen(self.credit_delay <= 1, near);
        }
        if self.watch.is_some() {
            self.watch_chosen();
        }
        let mut chosen = core::mem::take(&mut self.chosen);
        match (self.credit_delay <= 1, near) {
            (true, _) if self.passes_whole() => self.move_whole::<true>(&chosen),
            (false, _) if self.passes_whole() => self.move_whole::<false>(&chosen),
            (true, true) => self.move_by::<true, true>(&chosen),
            (true, false) => self.move_by::<true, false>(&chosen),
            (false, true) => self.move_by::<false, true>(&chosen),
            (false, false) => self.move_by::<false, false>(&chosen),
        }
        self.flit_hops += chosen.len() as u64;
        chosen.clear();
        self.chosen = chosen;
        self.settle();
    }

    fn move_by<const NOW: bool, const NEAR: bool>(&mut self, chosen: &[u32]) {
        let mut mover = self.mover::<NOW, NEAR>(chosen.len());
        for &into in chosen {
            let from = mover.output[into as usize].link;
            mover.pass(from, into, into);
        }
        let lengths = mover.lengths;
        self.keep(lengths);
    }

    fn move_whole<const NOW: bool>(&mut self, chosen: &[u32]) {
        self.lists.reserve(chosen.len());
        for &into in chosen {
            let from = self.output[into as usize].link;
            self.pass_whole::<NOW>(from, into, into);
        }
    }

    /// The next block in `from..end` that may have something to send.
    #[inline]
    pub(crate) fn next_block(&self, from: u32, end: u32) -> Option<u32> {
        let mut block = from;
        while block < end {
            let rest = self.summary[(block >> 6) as usize] >> (block & 63);
            if rest != 0 {
                let next = block + rest.trailing_zeros();
                return (next < end).then_some(next);
            }
            block = (block | 63) + 1;
        }
        None
    }

    /// Seat channels of `block` with a lane that has both a flit and room, a bit each. Clears the
    /// block's own bit if no packet holds a seat in it.
    #[inline(always)]
    pub(crate) fn scan(&mut self, block: u32) -> u64 {
        let active = self.active[block as usize];
        if active.count_ones() > FEW {
            return self.scan_all(block);
        }
        if active == 0 {
            self.summary[(block >> 6) as usize] &= !(1 << (block & 63));
        }
        let first = block * BLOCK;
        let (mut rest, mut ready) = (active, 0);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let word = self.words[(first + bit) as usize];
            ready |= u64::from(word & (word >> 32) & 0xffff_ffff != 0) << bit;
        }
        ready
    }

    /// The same for a block with many that may be ready: all 64 at once.
    #[inline(always)]
    fn scan_all(&self, block: u32) -> u64 {
        let first = (block * BLOCK) as usize;
        let mut flags = [0_u8; BLOCK as usize];
        for (flag, word) in flags
            .iter_mut()
            .zip(&self.words[first..first + BLOCK as usize])
        {
            *flag = u8::from(word & (word >> 32) & 0xffff_ffff != 0);
        }
        let mut ready = 0;
        for (index, bytes) in flags.as_chunks::<8>().0.iter().enumerate() {
            // Each byte is 0 or 1: the product gathers them in its top byte, first byte lowest.
            let bits = u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            ready |= bits << (8 * index);
        }
        ready
    }
}
