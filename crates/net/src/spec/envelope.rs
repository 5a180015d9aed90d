//! What a flow reserves, how it takes warnings, how it is set up.

use backwater_kernel::{Duration, Rate, Time};

/// What a flow reserves at every port on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReserveSpec {
    /// AR, the average rate, counted on the wire.
    pub rate: Rate,
    /// AI, the average interval: VirtualClock checks the flow every AIR = max(1, floor(AR AI))
    /// units, counted in units of `unit_bytes`. `None`: it is never checked.
    pub interval: Option<Duration>,
    /// Bits beyond the rate that it may send at once, in bytes: the bucket of ATS; `None` is
    /// one unit.
    pub burst_bytes: Option<u64>,
    /// P of VirtualClock: real time counts as so much earlier.
    pub offset: Duration,
    /// Deadline at each port for EDF; `None` is the time a unit takes at `rate`.
    pub deadline: Option<Duration>,
}

/// What a source makes of a warning that its flow runs too fast.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum OnAlarm {
    /// Nothing.
    #[default]
    Ignore,
    /// From then on it sends at its reserved rate at most, evenly spaced.
    Obey,
    /// From then on it sends at most `factor` times as fast as it did since the warning before
    /// (or the start), evenly spaced, but not slower than it reserved.
    SlowDown {
        /// Below 1.
        factor: f64,
    },
}

/// A flow that is set up and torn down while the network runs. A set-up request goes along its
/// way and reserves at every port; the first port that can't refuses, what was reserved is given
/// back, and the source stays silent. The destination answers; then the traffic starts.
///
/// Messages are not repeated: links that lose or corrupt control units are refused. So are flows
/// that carry answers of others, and `close` with a source that sends again what was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionSpec {
    /// The source asks.
    pub open: Time,
    /// The source falls silent; what it has handed over is sent, then a tear-down follows and
    /// frees what was reserved. `None` is never.
    pub close: Option<Time>,
    /// Size of its messages on the wire.
    pub message_bytes: u32,
}
