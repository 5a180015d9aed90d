//! Queues that state rates to sources: RoCC's congestion point.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec;

use crate::language::typed::Placed;

/// RoCC's congestion point: each output queue of a switch computes one fair rate, and states it to
/// the sources under `control = "rocc"` of all frames in it. What is left out is that of the
/// published set for the rate of the port: the largest of those for 10, 40 and 100 Gbps that is
/// not for more; above 100 Gbps thresholds grow with the rate.
#[table("buffer.rocc")]
pub(crate) struct Rocc {
    /// T: it computes and states its rate so often.
    #[key(is = Clock { min_ps: 1_000_000 })]
    #[key(
        otherwise = "40 us; 100 us at ports below 40 Gbps",
        cite = "Taheri and others 2020"
    )]
    pub interval: Option<Duration>,
    /// Fmin: it never states less.
    #[key(is = Rate, otherwise = "100 Mbps; a hundredth of the port's rate below 10 Gbps")]
    pub least: Placed<Option<Rate>>,
    /// Fmax: it never states more.
    #[key(is = Rate, otherwise = "the rate of the port")]
    pub most: Placed<Option<Rate>>,
    /// Qref: what the queue is to hold.
    #[key(is = Size { min: 0, max: 1 << 40 })]
    #[key(otherwise = "75 kB; 150 kB from 40 Gbps, 300 kB from 100 Gbps")]
    pub reference: Placed<Option<u64>>,
    /// Qmid: growth within an interval that halves the rate.
    #[key(is = Size { min: 600, max: 1 << 40 })]
    #[key(otherwise = "150 kB; 300 kB from 40 Gbps, 600 kB from 100 Gbps")]
    pub growth: Option<u64>,
    /// Qmax: from here on the rate is cut.
    #[key(is = Size { min: 600, max: 1 << 40 })]
    #[key(otherwise = "210 kB; 360 kB from 40 Gbps, 660 kB from 100 Gbps")]
    pub max: Placed<Option<u64>>,
    /// a0: what each 600 bytes beyond the reference take from the rate, in 10 Mbps, at rates from
    /// half of Fmax; of each lower half it is half.
    #[key(is = Decimal { min: 0.0, max: 1000.0 }, otherwise = "0.3; 0.45 from 100 Gbps")]
    pub offset_gain: Option<f64>,
    /// b0: the same of each 600 bytes that the queue has grown.
    #[key(is = Decimal { min: 0.0, max: 1000.0 }, otherwise = "1.5; 2.25 from 100 Gbps")]
    pub growth_gain: Option<f64>,
    /// Bits of the rate behind its unit of 10 Mbps, at the switch and in messages.
    #[key(is = Whole { min: 0, max: 16, unit: "bits" }, default = "8")]
    pub rate_bits: u8,
    /// What a queue of `max` does to the rate.
    #[key(default = "\"least\"")]
    pub max_cut: MaxCut,
}

/// Words of `max_cut`: What a queue of `max` does to the rate.
#[word(of = spec::MaxCut)]
pub(crate) enum MaxCut {
    /// It becomes the least, as printed.
    Least,
    /// It is halved.
    Half,
}
