//! Asynchronous traffic shaping (IEEE 802.1Qcr): token buckets that say when a unit may go.

use backwater_kernel::{Duration, Time};

use super::{Arrival, Seat};
use crate::fault::Fault;

/// A bucket for each leg, and the latest eligibility time for each group of legs.
pub(crate) struct Buckets {
    /// MaximumResidenceTime.
    longest: Option<Duration>,
    /// Leg, and the instant from which its bucket fills: BucketEmptyTime.
    empty_at: Vec<(usize, i128)>,
    /// Priority group, where its units come from, GroupEligibilityTime.
    latest: Vec<((u8, Origin), i128)>,
}

/// Units from one place keep their order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Channel(usize),
    /// A leg at its source is a group of its own.
    Source(usize),
}

impl Buckets {
    pub fn new(longest: Option<Duration>) -> Buckets {
        Buckets {
            longest,
            empty_at: Vec::new(),
            latest: Vec::new(),
        }
    }

    /// When a unit that arrives may go; `None` if that is too late, which leaves no trace.
    pub fn eligible_at(&mut self, seat: &Seat, arrival: Arrival) -> Option<Time> {
        let burst = seat.reserve.and_then(|reserve| reserve.burst_bytes);
        let empty_to_full = seat.tick(burst.unwrap_or(seat.unit_bytes));
        let known = self.empty_at.iter().find(|(leg, _)| *leg == seat.leg);
        // The bucket is full at time 0.
        let empty_at = known.map_or(-empty_to_full, |(_, at)| *at);
        let own = empty_at + seat.tick(arrival.bytes);
        let full_at = empty_at + empty_to_full;

        let origin = arrival
            .came_over
            .map_or(Origin::Source(seat.leg), Origin::Channel);
        let group = (seat.group, origin);
        let known = self.latest.iter().find(|(known, _)| *known == group);
        let latest = known.map_or(0, |(_, at)| *at);

        let at = own.max(latest).max(i128::from(arrival.now.ps()));
        let waits = at - i128::from(arrival.now.ps());
        let is_late = self.longest.is_some_and(|longest| {
            let longest = i128::from(longest.ps());
            waits > longest || arrival.fault == Some(Fault::LateAtLimit) && waits == longest
        });
        if is_late && arrival.fault != Some(Fault::LateTakesTokens) {
            return None;
        }
        let empty_at = if at < full_at {
            own
        } else {
            own + at - full_at
        };
        self.latest.retain(|(known, _)| *known != group);
        self.latest.push((group, at));
        self.empty_at.retain(|(leg, _)| *leg != seat.leg);
        self.empty_at.push((seat.leg, empty_at));
        if is_late {
            return None;
        }
        Some(Time(u64::try_from(at).unwrap_or(u64::MAX)))
    }
}
