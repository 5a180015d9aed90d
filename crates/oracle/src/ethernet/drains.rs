//! Stations that take frames at their own pace.

use backwater_kernel::{Rate, Time};

use super::network::{Frame, Network, WIRE_BYTES};

impl Network {
    /// The pace of the station behind a channel, if it has one at this instant.
    fn pace(&self, now: Time, channel: usize) -> Option<Rate> {
        let node = self.head(channel) as u32;
        let steps = self.spec.rules.drains.iter();
        let past = steps.filter(|step| step.node == node && step.from <= now);
        past.max_by_key(|step| step.from).map(|step| step.rate)
    }

    /// Does the station behind a channel let no data start now?
    pub fn is_held_up(&self, now: Time, channel: usize) -> bool {
        let is_taking = self.channels[channel].taken_at.is_some_and(|at| at > now);
        is_taking || self.pace(now, channel) == Some(Rate(0))
    }

    /// A frame starts.
    pub fn note_pace(&mut self, now: Time, channel: usize, frame: &Frame) {
        let bytes = frame.bytes + WIRE_BYTES;
        let sent = now + self.rate_of(channel).serialization(bytes);
        let taken = self
            .pace(now, channel)
            .map(|pace| now + pace.serialization(bytes));
        // One that is taken by its last bit holds nothing up.
        self.channels[channel].taken_at = taken.filter(|taken| *taken > sent);
    }

    /// When a station takes frames again, or at another pace.
    pub fn pace_times(&self) -> Vec<Time> {
        let steps = self.spec.rules.drains.iter().map(|step| step.from);
        let taken = self.channels.iter().filter_map(|channel| channel.taken_at);
        let later = |at: &Time| self.now.is_none_or(|now| *at > now);
        steps.chain(taken).filter(later).collect()
    }

    /// Will a station yet change its pace, and take frames then?
    pub fn pace_changes(&self) -> bool {
        let now = self.now.unwrap_or_default();
        let mut steps = self.spec.rules.drains.iter();
        steps.any(|step| step.from > now && step.from <= self.spec.stop_at && step.rate.0 > 0)
    }
}
