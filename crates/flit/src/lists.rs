//! Short lists of what the flits of a cycle leave to be done.

use alloc::vec::Vec;

/// A flit that has left a buffer, as far as a header or a tail needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing {
    /// Lane it left.
    pub from: u32,
    /// Output lane it went into.
    pub into: u32,
}

/// What flits leave behind until the fabric settles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Lanes that flits other than headers join, and the channel each came by.
    pub arrivals: Vec<(u32, u32)>,
    /// Output lanes with a place more.
    pub credits: Vec<u32>,
    pub heads: Vec<Passing>,
    pub tails: Vec<Passing>,
    /// Entries of the four lists.
    pub lengths: [usize; 4],
}

impl Lists {
    /// Makes room for so many flits.
    pub fn reserve(&mut self, flits: usize) {
        let [arrivals, credits, heads, tails] = self.lengths;
        let needed = flits + 1 + arrivals.max(credits).max(heads).max(tails);
        if self.heads.len() < needed {
            let nothing = Passing { from: 0, into: 0 };
            let size = needed.next_power_of_two();
            self.arrivals.resize(size, (0, 0));
            self.credits.resize(size, 0);
            self.heads.resize(size, nothing);
            self.tails.resize(size, nothing);
        }
    }
}
