//! What came over a channel and has not left the node it enters.

use alloc::vec::Vec;

use backwater_kernel::Time;

/// What came over a channel in one class and has not left.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Input {
    pub bytes: u64,
    pub high_bytes: u64,
    pub low_bytes: u64,
    pub limit_bytes: u64,
    pub most_bytes: u64,
    /// Shared memory: parts of it.
    pub shared_bytes: u64,
    pub headroom_bytes: u64,
    /// Which share of its switch it has.
    pub share: u16,
    pub is_congested: bool,
}

/// What is seldom touched of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputTimes {
    pub headroom_most_bytes: u64,
    /// The last data frame that came.
    pub last: Time,
    /// The same by station, where destinations can be stopped.
    pub last_to: Vec<(u32, Time)>,
}

impl InputTimes {
    /// A data frame to `station` has come.
    pub fn note(&mut self, now: Time, station: Option<u32>) {
        self.last = now;
        let Some(station) = station else { return };
        match self.last_to.iter_mut().find(|(to, _)| *to == station) {
            Some((_, last)) => *last = now,
            None => self.last_to.push((station, now)),
        }
    }
}
