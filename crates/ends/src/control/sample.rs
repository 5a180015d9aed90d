//! What an acknowledgement says about delivery: the sample that model-based schemes go by.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

/// A sample of delivery (draft-cheng-iccrg-delivery-rate-estimation-02, section 3). What is
/// "delivered" was acknowledged, selectively or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Bytes delivered since the connection began: C.delivered.
    pub delivered: u64,
    /// What that was when the segment that this speaks of was sent: P.delivered.
    pub prior_delivered: u64,
    /// When the segment that this speaks of was sent.
    pub sent_at: Time,
    /// How many bytes were delivered in which time, if that could be told: RS.delivered,
    /// RS.interval.
    pub rate: Option<Delivered>,
    /// The source had nothing to send for a part of that time.
    pub is_app_limited: bool,
    /// Of the segment sent last among those it delivers, if that was sent once.
    pub rtt: Option<Duration>,
    /// Bytes it delivers.
    pub acked_bytes: u64,
    /// Bytes it shows to be lost.
    pub lost_bytes: u64,
    /// Bytes lost since the connection began: C.lost.
    pub lost: u64,
    /// What that was when the segment was sent: P.lost.
    pub prior_lost: u64,
    /// Of the segment sent last among those it shows to be lost: P.tx_in_flight and P.lost.
    pub lost_segment: Option<(u64, u64)>,
    /// Bytes in flight when the segment was sent, it included: P.tx_in_flight.
    pub sent_flight_bytes: u64,
    /// Bytes in flight before it came,
    pub prior_flight_bytes: u64,
    /// and after.
    pub flight_bytes: u64,
    /// Losses are being repaired.
    pub is_repairing: bool,
    /// The next segment may go then, by its pacing.
    pub free_at: Time,
    /// A random word of its own.
    pub draw: u64,
}

/// So many bytes were delivered in this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivered {
    /// Bytes.
    pub bytes: u64,
    /// Time.
    pub over: Duration,
}

impl Delivered {
    /// As a rate, rounded down.
    pub fn rate(self) -> Rate {
        let bits = u128::from(self.bytes) * 8 * u128::from(PS_PER_SECOND);
        let rate = bits / u128::from(self.over.ps().max(1));
        Rate(u64::try_from(rate).unwrap_or(u64::MAX))
    }
}
