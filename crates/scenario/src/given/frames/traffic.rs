//! What applications send.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::language::typed::{Chosen, Placed};

/// What the application sends.
#[table("flows.traffic")]
pub(crate) struct Traffic {
    #[key(flatten)]
    pub kind: Chosen<TrafficKind>,
    /// Nothing is sent before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
}

/// What the kind of flows.traffic sets.
#[table(part, by(kind, "The kind of source."))]
pub(crate) enum TrafficKind {
    /// Always has more to send.
    Greedy {
        /// Bytes in all.
        #[key(is = Size { min: 1, max: 1 << 60 }, otherwise = "without end")]
        total: Option<u64>,
    },
    /// Files one after another (TCP), a think time after all of one was acknowledged.
    #[word(cite = "Nouredine, Tobagi 1999, section 1")]
    Files {
        /// Each file.
        #[key(is = Size { min: 1, max: 1 << 60 })]
        size: u64,
        /// Time before the first and between two.
        #[key(is = ClockSpan { min_ps: 0 }, default = "\"0 s\"")]
        #[key(cite = "Nouredine, Tobagi 1999, section 1")]
        think: Span,
        /// Files or requests in all.
        #[key(is = Whole { min: 1, max: 1 << 60, unit: "transfers" }, otherwise = "without end")]
        transfers: Option<u64>,
    },
    /// Requests one way, responses back (TCP).
    Requests {
        /// Each request.
        #[key(is = Size { min: 1, max: 1 << 60 }, default = "\"100 B\"")]
        request: u64,
        /// Each response.
        #[key(is = Size { min: 1, max: 1 << 60 })]
        response: u64,
        /// Server's time for each.
        #[key(is = ClockSpan { min_ps: 0 }, default = "\"0 s\"")]
        service: Span,
        think: Span,
        transfers: Option<u64>,
    },
    /// Full datagrams at even gaps (UDP).
    Constant {
        /// Mean rate of payload.
        rate: Placed<Rate>,
        /// When the first datagram comes.
        #[key(default = "\"fixed\"")]
        phase: Phase,
    },
    /// Full datagrams at exponential gaps (UDP).
    Poisson { rate: Placed<Rate> },
    /// The sum of on-off sources with Pareto times (UDP).
    SelfSimilar {
        rate: Placed<Rate>,
        /// On-off sources it is the sum of.
        #[key(is = Whole { min: 1, max: 10_000, unit: "sources" }, default = "20")]
        sources: u32,
        /// Rate of one of them while it is on.
        peak: Placed<Rate>,
        /// Shape of the Pareto times; below 2 the sum is self-similar.
        #[key(is = Decimal { min: 1.01, max: 10.0 }, default = "1.5")]
        #[key(cite = "Willinger, Taqqu, Sherman, Wilson 1997")]
        shape: f64,
        /// Mean time on.
        #[key(is = Clock { min_ps: 1 }, default = "\"10 ms\"")]
        mean_on: Duration,
    },
    /// A stand-in for H.261 at a variable rate (UDP), measured against a playout deadline.
    Video {
        rate: Placed<Rate>,
        #[key(flatten)]
        video: Video,
    },
}

/// Pictures of a variable size, and when they are late.
#[table(part)]
pub(crate) struct Video {
    /// Pictures a second.
    #[key(is = Whole { min: 1, max: 1000, unit: "pictures a second" }, default = "30")]
    pub pictures: u32,
    /// Standard deviation of picture sizes over their mean.
    #[key(is = Decimal { min: 0.0, max: 10.0 }, default = "0.45")]
    pub variation: f64,
    /// Mean length of a scene.
    #[key(is = Clock { min_ps: 1 }, default = "\"4 s\"")]
    pub scene: Duration,
    /// Of neighbouring pictures in a scene.
    #[key(is = Decimal { min: 0.0, max: 0.999 }, default = "0.8")]
    pub correlation: f64,
    /// Least picture, in means.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.1")]
    pub clip_least: f64,
    /// Largest picture, in means.
    #[key(is = Decimal { min: 1.0, max: 100.0 }, default = "5.0")]
    pub clip_most: f64,
    /// A datagram delivered later than this after its birth is late.
    #[key(is = Clock { min_ps: 1 }, default = "\"100 ms\"")]
    #[key(cite = "Nouredine, Tobagi 1999, section 3.3")]
    pub deadline: Duration,
}

/// Words of `phase`: When the first datagram comes.
#[word]
pub(crate) enum Phase {
    /// At `start`.
    Fixed,
    /// Up to a gap later, drawn evenly.
    Random,
}
