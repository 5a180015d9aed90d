//! The switch in which every lane has its own input (Dally 1990, Figure 6A): only the output
//! channels are contended for. Injection channels always work so.

use core::ops::Range;

use crate::arbiter::{Choose, Earliest, Random, RoundRobin, cycle_key};
use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::layout::BLOCK;
use crate::spec::Arbiter;

impl Fabric {
    /// One flit on each of these channels that has one to send. The range begins and ends at
    /// blocks, and no channel in it leads to another.
    pub(crate) fn cross(&mut self, channels: Range<u32>, arbiter: Arbiter) {
        match (arbiter, self.same_cycle) {
            (Arbiter::Random, same) => {
                let key = cycle_key(self.seed, self.now);
                if same {
                    self.cross_by::<_, true>(channels, Random { key });
                } else {
                    self.cross_by::<_, false>(channels, Random { key });
                }
            }
            (Arbiter::RoundRobin, true) => self.cross_by::<_, true>(channels, RoundRobin),
            (Arbiter::RoundRobin, false) => self.cross_by::<_, false>(channels, RoundRobin),
            (Arbiter::Earliest, true) => self.cross_by::<_, true>(channels, Earliest),
            (Arbiter::Earliest, false) => self.cross_by::<_, false>(channels, Earliest),
        }
    }

    fn cross_by<C: Choose + Copy, const SAME: bool>(&mut self, channels: Range<u32>, choose: C) {
        let blocks = channels.start / BLOCK..channels.end / BLOCK;
        let mut ready = [0_u32; BLOCK as usize];
        let mut block = blocks.start;
        while let Some(found) = self.next_block(block, blocks.end) {
            block = found + 1;
            let count = self.scan(found, &mut ready);
            let (mut heads, mut tails) = (0, 0);
            for &out in &ready[..count] {
                let word = self.words[out as usize];
                let set = word as u32 & (word >> 32) as u32;
                let first = out << self.layout.shift;
                let pointer = self.out_channels[out as usize].pointer;
                let (key, output) = (&self.key, &self.output);
                let urgency = |lane: u32| key[output[(first + lane) as usize].link as usize];
                let lane = choose.choose(set, out, pointer, urgency);
                self.out_channels[out as usize].pointer = lane + 1;
                let into = first + lane;
                let from = self.output[into as usize].link;
                self.pass::<SAME>(from, into, into, &mut heads, &mut tails);
                self.lane_flits[lane as usize & 31] += 1;
            }
            self.flit_hops += count as u64;
            self.settle(heads, tails);
        }
    }

    /// The next block in `from..end` that may have something to send.
    #[inline]
    pub(crate) fn next_block(&self, from: u32, end: u32) -> Option<u32> {
        let mut block = from;
        while block < end {
            let rest = self.summary[(block >> 6) as usize] >> (block & 63);
            if rest != 0 {
                let found = block + rest.trailing_zeros();
                return (found < end).then_some(found);
            }
            block = (block | 63) + 1;
        }
        None
    }

    /// Seat channels of `block` with a lane that has both a flit and room, in order. Clears the
    /// block's bit if none of them has a flit.
    #[inline(always)]
    pub(crate) fn scan(&mut self, block: u32, ready: &mut [u32; BLOCK as usize]) -> usize {
        let first = block * BLOCK;
        let words = &self.words[first as usize..(first + BLOCK) as usize];
        let (mut count, mut waiting) = (0_usize, 0_u64);
        for (index, &word) in words.iter().enumerate() {
            // Never more entries than channels: the mask only spares a check.
            ready[count & (BLOCK as usize - 1)] = first + index as u32;
            count += usize::from(word & (word >> 32) & 0xffff_ffff != 0);
            waiting |= word & 0xffff_ffff;
        }
        if waiting == 0 {
            self.summary[(block >> 6) as usize] &= !(1 << (block & 63));
        }
        count
    }

    /// Makes room on the lists of headers and tails for a whole block.
    pub(crate) fn prepare_lists(&mut self) {
        let nothing = crate::fabric::Passing {
            from: NONE,
            into: NONE,
        };
        self.heads.resize(BLOCK as usize + 1, nothing);
        self.tails.resize(BLOCK as usize + 1, nothing);
    }
}
