//! Instants that no run reaches.

use backwater_kernel::{Duration, Time};

/// `time + span`, or the end of the clock, which no run reaches.
pub(crate) fn later(time: Time, span: Duration) -> Time {
    time.checked_add(span).unwrap_or(Time::MAX)
}
