//! Short lists of what the flits of a cycle leave to be done.

use alloc::vec::Vec;

/// A flit that has left a buffer, as far as a header or a tail needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing {
    /// Lane it left.
    pub from: u32,
    /// Output lane it went into.
    pub into: u32,
    /// [`HEAD`], [`TAIL`] or both.
    pub ends: u16,
}

/// A header.
pub(crate) const HEAD: u16 = 1;
/// A tail.
pub(crate) const TAIL: u16 = 2;

/// What flits leave behind until the fabric settles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Lanes that flits other than headers join, and the channel each came by.
    pub arrivals: Vec<(u32, u32)>,
    /// Output lanes with a place more.
    pub credits: Vec<u32>,
    pub ends: Vec<Passing>,
    /// Entries of the three lists.
    pub lengths: [usize; 3],
}

impl Lists {
    /// Makes room for so many flits.
    pub fn reserve(&mut self, flits: usize) {
        let [arrivals, credits, ends] = self.lengths;
        let needed = flits + 1 + arrivals.max(credits).max(ends);
        if self.ends.len() < needed {
            let nothing = Passing {
                from: 0,
                into: 0,
                ends: 0,
            };
            let size = needed.next_power_of_two();
            self.arrivals.resize(size, (0, 0));
            self.credits.resize(size, 0);
            self.ends.resize(size, nothing);
        }
    }
}
