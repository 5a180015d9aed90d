//! What came over a lane and has not left the node that the lane leads to.
//!
//! A frame remembers the account that holds it, so that whoever frees it needs nothing else.

use alloc::vec::Vec;

use backwater_kernel::{Survey, Time};

/// What came over one lane and has not left. A cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Account {
    pub bytes: u64,
    pub high_bytes: u64,
    pub low_bytes: u64,
    pub limit_bytes: u64,
    pub most_bytes: u64,
    /// Shared memory: parts of it.
    pub shared_bytes: u64,
    pub headroom_bytes: u64,
    /// The channel over which it comes,
    pub channel: u32,
    /// Which share of its switch it has.
    pub share: u16,
    /// and the class in which it comes.
    pub class: u8,
    pub is_congested: bool,
}

/// What is seldom touched of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountTimes {
    pub headroom_most_bytes: u64,
    /// The last data frame that came.
    pub last: Time,
    /// The same by station, where destinations can be stopped.
    pub last_to: Vec<(u32, Time)>,
}

impl Account {
    /// What it holds, for a run that repeats itself.
    pub fn survey_account(&mut self, survey: &mut Survey) {
        let Account {
            bytes,
            high_bytes: _,
            low_bytes: _,
            limit_bytes: _,
            most_bytes: _,
            shared_bytes,
            headroom_bytes,
            channel: _,
            share: _,
            class: _,
            is_congested,
        } = self;
        survey.fixed(*bytes);
        survey.fixed(*shared_bytes);
        survey.fixed(*headroom_bytes);
        survey.flag(*is_congested);
    }
}

impl AccountTimes {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_one_cache_line() {
        assert_eq!(size_of::<Account>(), 64);
    }
}
