//! At what pace a station takes frames.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Rate, Time};

/// A port in front of a station with a pace of its own.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drain {
    pub channel: u32,
    /// From when on which rate holds, in order.
    pub steps: Vec<(Time, Rate)>,
    /// The last frame has been taken.
    pub free_from: Time,
}

impl Drain {
    /// One with its first step.
    pub fn new(channel: u32, step: (Time, Rate)) -> Drain {
        Drain {
            channel,
            steps: vec![step],
            free_from: Time::ZERO,
        }
    }

    /// The rate of the station, if it has one by then.
    pub fn rate(&self, now: Time) -> Option<Rate> {
        let mut steps = self.steps.iter().rev();
        steps.find(|(from, _)| *from <= now).map(|(_, rate)| *rate)
    }

    /// Does the station let no data start now?
    pub fn holds(&self, now: Time) -> bool {
        now < self.free_from || self.rate(now) == Some(Rate(0))
    }

    /// Will it take frames again, or faster?
    pub fn changes(&self, now: Time, stop_at: Time) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|(from, rate)| *from > now && *from <= stop_at && rate.0 > 0)
    }
}
