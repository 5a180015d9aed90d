//! What a flow reserves, what it is held to, how it is set up.

use backwater_kernel::{Duration, Rate, Time};

/// A size of units and how often it comes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SizeShare {
    /// Bytes on the wire.
    pub bytes: u32,
    /// Share of the units, against the sum of all shares of the flow.
    pub share: f64,
}

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

/// What a flow is held to. Time for `bytes` at a rate is rounded up to the picosecond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnvelopeSpec {
    /// How much may pass when.
    pub rule: EnvelopeRule,
    /// What becomes of the rest.
    pub excess: Excess,
}

/// How much may pass when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EnvelopeRule {
    /// So many units in each window; windows follow each other without a gap (UBE of Zhang 1991
    /// with fixed windows).
    FixedWindow {
        /// AIR.
        units: u32,
        /// AI.
        interval: Duration,
        /// When the first window ends; `None` draws it evenly from (0, interval].
        phase: Option<Duration>,
    },
    /// So many units in any window: unit k no earlier than `interval` after unit k - units.
    SlidingWindow {
        /// AIR.
        units: u32,
        /// AI.
        interval: Duration,
    },
    /// A leaky bucket, also the GCRA of ATM: TAT, the theoretical arrival time, starts at 0. A
    /// unit conforms if TAT - now <= tolerance; then TAT = max(now, TAT) + bytes / rate. One
    /// that doesn't changes nothing.
    Bucket {
        /// How fast the bucket leaks.
        rate: Rate,
        /// tau. A burst of whole units conforms up to tau rate + one unit.
        tolerance: Duration,
    },
}

/// What becomes of a unit that does not conform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// It is dropped.
    Drop,
    /// It waits until it conforms, and what comes behind it too.
    Delay,
    /// The application stands still until it conforms (an envelope of the source only).
    Freeze,
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
