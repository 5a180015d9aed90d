//! What a source holds itself to, and what the edge of the network holds it to.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate};
use backwater_net::spec::Excess;

use crate::language::typed::{Chosen, Placed};

/// What the source holds itself to, between the application and `source_control`.
#[table("flows.envelope")]
pub(crate) struct Envelope {
    #[key(flatten)]
    pub rule: Chosen<Conformance>,
    /// What becomes of a unit that does not conform.
    #[key(default = "\"drop\"")]
    pub excess: EnvelopeExcess,
}

/// What the edge of the network holds the flow to, behind `source_control` and before the first
/// port.
#[table("flows.policer")]
pub(crate) struct Policer {
    #[key(flatten)]
    pub rule: Chosen<Conformance>,
    /// What becomes of a unit that does not conform. A policer can't stop the application.
    #[key(default = "\"drop\"")]
    pub excess: PolicerExcess,
}

/// How much may pass when.
#[table(part, by(kind, "How much may pass when."))]
pub(crate) enum Conformance {
    /// So many units in each window, one after another. Up to twice as many may pass back to back
    /// over a boundary.
    #[word(cite = "Zhang 1991, section 3.3")]
    FixedWindow {
        /// Units in each window, or in any.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "units" })]
        #[key(otherwise = "what `reserve.rate` brings in the interval (AIR)")]
        units: Placed<Option<u32>>,
        /// Length of a window.
        #[key(is = Time { min_ps: 1 }, otherwise = "`reserve.interval` (AI)")]
        interval: Placed<Option<Duration>>,
        /// When the first window ends; at most one interval.
        #[key(is = Time { min_ps: 1 }, otherwise = "at random")]
        phase: Placed<Option<Duration>>,
    },
    /// So many units in any window of this length.
    SlidingWindow {
        units: Placed<Option<u32>>,
        interval: Placed<Option<Duration>>,
    },
    /// A leaky bucket, also the GCRA of ATM: a rate and a burst.
    #[word(cite = "ITU-T I.371, annex A")]
    #[table(at_most_one(burst, tolerance))]
    Bucket {
        /// How fast the bucket leaks.
        #[key(otherwise = "`reserve.rate`")]
        rate: Placed<Option<Rate>>,
        /// What may pass at once; `tolerance` = (`burst` - unit) / `rate`.
        #[key(is = Size { min: 1, max: 1 << 40 })]
        #[key(otherwise = "from `tolerance`; else `reserve.burst`, or one unit")]
        burst: Placed<Option<u64>>,
        /// tau of the GCRA: how much too early a unit may come.
        #[key(is = Time { min_ps: 0 }, otherwise = "from `burst`", cite = "ITU-T I.371, annex A")]
        tolerance: Option<Duration>,
    },
}

/// Words of `excess`: What becomes of a unit that does not conform.
#[word(of = Excess)]
pub(crate) enum EnvelopeExcess {
    /// It is dropped.
    Drop,
    /// It waits until it conforms, and what comes behind it too.
    Delay,
    /// The application stands still until it conforms (an envelope only).
    Freeze,
}

/// Words of `excess`: What becomes of a unit that does not conform. A policer can't stop the
/// application.
#[word(of = Excess)]
pub(crate) enum PolicerExcess {
    /// It is dropped.
    Drop,
    /// It waits until it conforms, and what comes behind it too.
    Delay,
}

/// What the source makes of a warning that its flow runs too fast.
#[table("flows.on_alarm", by(kind, "What it does."))]
pub(crate) enum OnAlarm {
    /// Nothing.
    Ignore,
    /// From the warning on it sends at its reserved rate at most, evenly spaced.
    Obey,
    /// From the warning on it sends at most `factor` times as fast as before, but not slower than
    /// it reserved.
    SlowDown {
        /// How fast it sends from then on, against what it did since the warning before.
        #[key(is = Decimal { min: 1e-6, max: 0.999999 })]
        factor: f64,
    },
}
