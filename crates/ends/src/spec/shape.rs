//! What a flow is held to, and the sizes of its units.

use backwater_kernel::{Duration, Rate};

/// A size of units and how often it comes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SizeShare {
    /// Bytes on the wire.
    pub bytes: u32,
    /// Share of the units, against the sum of all shares of the flow.
    pub share: f64,
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
