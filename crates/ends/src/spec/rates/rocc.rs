//! RoCC: how the source obeys the rate that a switch states.

use backwater_kernel::Duration;

/// RoCC's reaction point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoccSpec {
    /// Without a message for so long the rate doubles.
    pub recovery: Duration,
}

impl Default for RoccSpec {
    /// Five periods of the congestion point's at 40 and 100 Gb/s.
    fn default() -> RoccSpec {
        RoccSpec {
            recovery: Duration(200_000_000),
        }
    }
}
