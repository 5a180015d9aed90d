//! Earliest deadline first: a unit is due a fixed time after it came.

use super::{Arrival, Ratio, Seat};

/// Arrival + deadline; without one, the time a unit of the flow (the largest) takes at the
/// reserved rate.
pub(crate) fn deadline(seat: &Seat, arrival: Arrival) -> Ratio {
    let given = seat.reserve.and_then(|reserve| reserve.deadline);
    let within = given.map_or(seat.tick(seat.unit_bytes), |span| i128::from(span.ps()));
    Ratio::whole(i128::from(arrival.now.ps()) + within)
}
