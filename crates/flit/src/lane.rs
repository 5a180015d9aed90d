//! The state of lanes and channels: small records, touched by every flit.

/// No lane, channel or packet.
pub(crate) const NONE: u32 = u32::MAX;

/// In [`InLane::left`]: the header is still here.
pub(crate) const FRESH: u16 = 1 << 15;

/// A lane at its receiving end, or a source lane: a buffer as two counters.
///
/// Flits carry nothing, so a buffer is a number. A lane may hold the end of one packet and others
/// behind it; those behind are complete but for the last, so one number tells them apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InLane {
    /// Flits here: of the front packet, and of all packets behind it.
    pub count: [u16; 2],
    /// Flits of the front packet yet to leave; [`FRESH`] while its header is one of them.
    pub left: u16,
    /// 1 while what arrives belongs to a packet behind the front.
    pub behind: u16,
    /// Output lane of the front packet, or the lane nobody uses.
    pub link: u32,
    /// Output lane that leads here, where freed places are reported; the lane nobody uses for
    /// source lanes.
    pub before: u32,
    /// The front packet and the last one.
    pub front: u32,
    pub last: u32,
    /// The next header that waits for the same channel, and for which lanes; none once it has got
    /// one that it can't use yet.
    pub wait_next: u32,
    pub wait_lanes: u32,
}

/// A lane at its sending end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutLane {
    /// Lane that sends into it, or the lane nobody uses.
    pub link: u32,
    /// Free places in its buffer that the sender knows of.
    pub credits: u16,
}

/// A channel at its sending end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutChannel {
    /// Flits of packets whose tails have crossed since the window began.
    pub flits: u64,
    /// Its lane 0 at the receiving end.
    pub target: u32,
    /// Round robin goes on here.
    pub pointer: u32,
    /// Lanes that no packet holds.
    pub free: u32,
    /// First of the headers that wait for one of its lanes.
    pub waiting: u32,
    /// Credits a flit takes: 1, or 0 into an ejection channel, whose terminal takes all at once.
    pub spend: u16,
    /// Cycles from leaving a buffer to being able to leave the next.
    pub flight: u16,
    /// It will be looked at in the next allocation.
    pub noted: bool,
}

/// A channel at its receiving end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InChannel {
    /// Router it leads to; the terminal for source lanes.
    pub node: u32,
    /// The router's first output channel.
    pub first_out: u32,
    /// Its number in the spec; that of the terminal's injection channel for source lanes.
    pub spec: u32,
    /// Round robin among its lanes goes on here.
    pub pointer: u8,
    /// Round robin among the router's outputs goes on here.
    pub accept_pointer: u16,
}

/// A ring of cycles: what was put at a cycle is found there again.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    slots: alloc::vec::Vec<T>,
    mask: u64,
}

impl<T: Default + Clone> Ring<T> {
    /// For what lies at most `ahead` cycles ahead.
    pub fn new(ahead: u32) -> Ring<T> {
        let size = (ahead as usize + 1).next_power_of_two();
        Ring {
            slots: alloc::vec![T::default(); size],
            mask: size as u64 - 1,
        }
    }

    /// The slot of `cycle`.
    #[inline(always)]
    pub fn at(&mut self, cycle: u64) -> &mut T {
        &mut self.slots[(cycle & self.mask) as usize]
    }

    /// The slots of `cycle` and those after it, in order.
    pub fn from(&self, cycle: u64) -> impl Iterator<Item = (u64, &T)> {
        let cycles = (0..self.slots.len() as u64).map(move |ahead| cycle.wrapping_add(ahead));
        cycles.map(|cycle| (cycle, &self.slots[(cycle & self.mask) as usize]))
    }

    /// All slots, in no order of cycles.
    pub fn slots(&self) -> &[T] {
        &self.slots
    }
}

impl<T> Ring<alloc::vec::Vec<T>> {
    /// Holds from now on what several rings of its size hold; `entry` makes it of an entry and
    /// the index of the ring that had it.
    pub fn join(&mut self, rings: &[&Self], entry: impl Fn(&T, usize) -> T) {
        for (at, slot) in self.slots.iter_mut().enumerate() {
            slot.clear();
            for (index, ring) in rings.iter().enumerate() {
                slot.extend(ring.slots[at].iter().map(|old| entry(old, index)));
            }
        }
    }
}
