//! A memory that all queues of a switch share.

use alloc::vec::Vec;

use super::Ratio;

/// A shared memory with dynamic thresholds. A frame counts at its input port and class until its
/// last bit has left: in the reserve there and beyond that in the shared part, or, if it does not
/// fit (classes under back-pressure only), as a whole in the headroom there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedSpec {
    /// A frame takes whole cells of so many bytes; cells of one byte count bytes.
    pub cell_bytes: u32,
    /// What there is. Each input port and class has its part of one of them.
    pub pools: Vec<PoolSpec>,
    /// What an input port and class has, and the output queue of that port and class, where
    /// [`SharedSpec::own`] names no other.
    pub share: ShareSpec,
    /// What differs, the last entry for an input being the one that holds.
    pub own: Vec<OwnShareSpec>,
}

/// A part of the memory with thresholds of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolSpec {
    /// All of it, reserves and headroom included.
    pub bytes: u64,
    /// Headroom of all its inputs together.
    pub headroom_bytes: u64,
    /// Headroom is enough for any so many inputs at once: a frame under back-pressure that is lost
    /// while no more of them use it is a violation.
    pub safe_inputs: Option<u32>,
}

/// What an input port and class may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShareSpec {
    /// The pool it counts in, by its place in [`SharedSpec::pools`].
    pub pool: u8,
    /// What nobody else can take.
    pub reserve_bytes: u64,
    /// Headroom under back-pressure; [`PoolSpec::headroom_bytes`] limits all together.
    pub headroom_bytes: u64,
    /// It may hold alpha times what is free of the shared part. Above that it is stopped, or,
    /// without back-pressure, its frame is dropped.
    pub alpha: Ratio,
    /// The same for the output queue of the port and class, if that is without back-pressure. What
    /// is free is that of the pool of the frame's input.
    pub output_alpha: Ratio,
    /// It is resumed when it holds so much less than its threshold, or nothing shared,
    pub resume_offset_bytes: u64,
    /// or no more than this, its reserve included.
    pub resume_floor_bytes: u64,
}

/// What one input port and class may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnShareSpec {
    /// Channel into the switch.
    pub channel: u32,
    /// Class on it.
    pub class: u8,
    /// What it has.
    pub share: ShareSpec,
}

impl SharedSpec {
    /// One pool, counted in bytes, in which all inputs are alike.
    pub fn one(bytes: u64, headroom_bytes: u64, share: ShareSpec) -> SharedSpec {
        SharedSpec {
            cell_bytes: 1,
            pools: Vec::from([PoolSpec {
                bytes,
                headroom_bytes,
                safe_inputs: None,
            }]),
            share,
            own: Vec::new(),
        }
    }

    /// All memory.
    pub fn bytes(&self) -> u64 {
        let each = self.pools.iter().map(|pool| pool.bytes);
        each.fold(0, u64::saturating_add)
    }

    /// What an input port and class has.
    pub fn share(&self, channel: u32, class: u8) -> &ShareSpec {
        let mut differing = self.own.iter().rev();
        let last = differing.find(|own| (own.channel, own.class) == (channel, class));
        last.map_or(&self.share, |own| &own.share)
    }

    /// What contradicts itself.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let differing = self.own.iter().map(|own| &own.share);
        for share in differing.chain([&self.share]) {
            if share.alpha.denominator == 0 || share.output_alpha.denominator == 0 {
                return Err("a fraction has a denominator of 0");
            }
            if usize::from(share.pool) >= self.pools.len() {
                return Err("an input has its share of a pool that is not there");
            }
        }
        Ok(())
    }

    /// What a frame takes.
    #[inline]
    pub fn taken(&self, bytes: u64) -> u64 {
        in_cells(self.cell_bytes, bytes)
    }
}

/// Whole cells for so many bytes.
#[inline]
pub(crate) fn in_cells(cell_bytes: u32, bytes: u64) -> u64 {
    match u64::from(cell_bytes) {
        0 | 1 => bytes,
        cell => bytes.div_ceil(cell) * cell,
    }
}
