//! TIMELY: how the source goes by the change of its round-trip time.

use backwater_kernel::{Duration, Rate};

/// What a round-trip time between the two thresholds does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimelyForm {
    /// It falls or stays: an increase. It rises: a decrease by the gradient (Mittal and others
    /// 2015).
    Gradient,
    /// Both at once, weighted by the gradient, toward a round-trip time (Zhu and others 2016,
    /// patched TIMELY).
    Patched {
        /// beta of the distance from it.
        decrease: f64,
        /// The round-trip time.
        reference: Duration,
    },
}

/// What one sample of the round-trip time stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Segment {
    /// All that was sent when the last sample was taken: one a round trip.
    RoundTrip,
    /// So many bytes acknowledged.
    Bytes(u64),
}

/// TIMELY's source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimelySpec {
    /// Between the thresholds.
    pub form: TimelyForm,
    /// Weight of the new difference.
    pub weight: f64,
    /// beta: what a decrease takes.
    pub decrease: f64,
    /// Below, the rate rises.
    pub low: Duration,
    /// Above, it falls by the distance.
    pub high: Duration,
    /// The round-trip time that differences are divided by.
    pub least_rtt: Duration,
    /// What an increase adds.
    pub additive: Rate,
    /// What one adds after `hyper_after` in a row.
    pub hyper: Rate,
    /// Increases before that.
    pub hyper_after: u32,
    /// Increases below `low` count among those, and become hyper too.
    pub counts_low: bool,
    /// One sample for so much.
    pub segment: Segment,
    /// No rate below.
    pub least: Rate,
    /// A new rate changes the wait of the packet that is next by now.
    pub rescales: bool,
}

impl TimelySpec {
    /// As the paper prints it.
    pub fn paper() -> TimelySpec {
        TimelySpec {
            form: TimelyForm::Gradient,
            weight: 0.875,
            decrease: 0.8,
            low: Duration(50_000_000),
            high: Duration(500_000_000),
            least_rtt: Duration(20_000_000),
            additive: Rate(10_000_000),
            hyper: Rate(50_000_000),
            hyper_after: 5,
            counts_low: false,
            segment: Segment::Bytes(16_000),
            least: Rate(10_000_000),
            rescales: false,
        }
    }

    /// As HPCC was compared with it, behind a NIC of this rate.
    pub fn artifact(line: Rate) -> TimelySpec {
        TimelySpec {
            additive: Rate((line.0 / 1_000).max(1)),
            hyper: Rate((line.0 / 200).max(1)),
            counts_low: true,
            segment: Segment::RoundTrip,
            least: Rate(1_000_000_000),
            ..TimelySpec::paper()
        }
    }

    /// With the patch.
    pub fn patched() -> TimelySpec {
        let paper = TimelySpec::paper();
        TimelySpec {
            form: TimelyForm::Patched {
                decrease: 0.008,
                reference: paper.low,
            },
            segment: Segment::RoundTrip,
            ..paper
        }
    }
}
