//! What switches tell the sources of ABR circuits.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate};

use crate::language::typed::Placed;

/// What the sending port tells the sources of ABR circuits through it. In `[link]` it holds for
/// every channel that leaves a switch; in `[[links]]`, `links.forward`, `links.backward` or
/// `topology.trunk` it replaces that as a whole.
#[table("link.explicit_rate", by(kind, "The rule."))]
pub(crate) enum ExplicitRate {
    /// ERICA: measures load and active circuits over intervals and shares out a target; ERICA+
    /// with `queue`.
    #[word(cite = "Kalyanaraman et al. 1997, the ERICA switch algorithm")]
    Erica {
        #[key(flatten)]
        aim: Aim,
        #[key(flatten)]
        own: Box<Erica>,
    },
    /// It tells nothing.
    None,
    /// Data cells are marked while the queue is long.
    Efci(Long),
    /// RM cells get CI and NI while the queue is long.
    RelativeRate {
        #[key(flatten)]
        long: Long,
        /// NI is set above this many ABR cells.
        #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "100")]
        ni_high: Placed<u32>,
        /// NI is set until the queue holds no more than this.
        #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "50")]
        ni_low: Placed<u32>,
        /// RM cells that are marked.
        #[key(default = "\"backward\"")]
        marks: Marks,
        /// While congested the switch makes RM cells of its own (BN = 1), at most one per circuit
        /// in this time.
        #[key(is = Time { min_ps: 1 }, otherwise = "it makes none")]
        notice_every: Option<Duration>,
    },
    /// EPRCA: a mean of the rates that sources state, and a queue that says when to reduce.
    #[word(cite = "Roberts 1994, ATM Forum 94-0735")]
    Eprca {
        #[key(flatten)]
        long: Long,
        #[key(flatten)]
        own: Eprca,
    },
    /// CAPC: the fair share follows the load.
    #[word(cite = "Barnhart 1994, ATM Forum 94-0983")]
    Capc {
        #[key(flatten)]
        aim: Aim,
        #[key(flatten)]
        own: Capc,
    },
}

/// What a port aims at, and how often it measures.
#[table(part, cite = "Kalyanaraman et al. 1998, section 7.2.2")]
pub(crate) struct Aim {
    /// Share of the capacity left to ABR that it aims at.
    #[key(is = Decimal { min: 0.0, max: 2.0 }, default = "0.9")]
    pub target: Placed<f64>,
    /// A measuring interval ends after this time.
    #[key(is = Time { min_ps: 1000000 }, default = "\"1 ms\"")]
    pub interval: Duration,
}

/// What ERICA has besides.
#[table(part, cite = "Kalyanaraman et al. 1997, the ERICA switch algorithm")]
pub(crate) struct Erica {
    /// Or after this many ABR cells, if that is sooner; 0: by time alone.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "100")]
    #[key(cite = "Kalyanaraman et al. 1998, section 7.2.2")]
    pub interval_cells: Placed<u32>,
    /// Load up to 1 + `delta` counts as no overload.
    #[key(is = Decimal { min: 0.0, max: 10.0 }, default = "0.1")]
    pub delta: Placed<f64>,
    /// A circuit below the fair share goes no higher than the fair share in one step.
    #[key(default = "true")]
    pub limit_jump: bool,
    /// Where a circuit's current rate comes from.
    #[key(default = "\"field\"")]
    pub ccr: Ccr,
    /// A circuit gets one answer per interval, repeated to further RM cells.
    #[key(default = "true")]
    pub one_feedback: bool,
    /// The explicit rate is at most the link's rate, not the target.
    #[key(default = "false", cite = "")]
    pub up_to_link: bool,
    /// What a circuit still counts as active after each interval without a cell; 0: nothing.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.0")]
    pub activity_decay: f64,
    /// ERICA+: the target follows the queue.
    #[key(otherwise = "it does not")]
    #[key(cite = "Kalyanaraman 1997, thesis, chapter 5")]
    pub queue: Option<Queue>,
    /// Use it or lose it, in the switch.
    #[key(otherwise = "none", cite = "Kalyanaraman et al. 1998, section 5.5")]
    pub aging: Option<Aging>,
}

/// When the queue is long.
#[table(part)]
pub(crate) struct Long {
    /// The queue is long (congestion) above this many ABR cells.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "300")]
    pub high: Placed<u32>,
    /// A long queue is so until it holds no more than this.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "200")]
    pub low: Placed<u32>,
}

/// What EPRCA has besides.
#[table(part, cite = "Roberts 1994, ATM Forum 94-0735")]
pub(crate) struct Eprca {
    /// Weight of a CCR in the mean allowed rate MACR.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.0625")]
    pub weight: f64,
    /// DPF: under congestion a circuit above this share of MACR is reduced
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.875")]
    pub down_pressure: f64,
    /// ERF: to this share of MACR.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.9375")]
    pub reduction: f64,
    /// MRF: all circuits are reduced to this share of MACR when very congested.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.25")]
    pub major_reduction: f64,
    /// Very congested above this many ABR cells.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "1000")]
    pub very_high: Placed<u32>,
}

/// What CAPC has besides.
#[table(part, cite = "Barnhart 1994, ATM Forum 94-0983")]
pub(crate) struct Capc {
    /// Rup: underload multiplies the fair share by 1 + (1 - z) `rise`,
    #[key(is = Decimal { min: 0.0, max: 100.0 }, default = "0.1")]
    pub rise: f64,
    /// ERU: at most by this.
    #[key(is = Decimal { min: 1.0, max: 100.0 }, default = "1.5")]
    pub rise_most: f64,
    /// Rdn: overload multiplies it by 1 - (z - 1) `fall`,
    #[key(is = Decimal { min: 0.0, max: 100.0 }, default = "0.8")]
    pub fall: f64,
    /// ERF: at least by this.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.5")]
    pub fall_least: f64,
    /// CI is set above this many ABR cells.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, default = "300")]
    pub congestion: u32,
}

/// ERICA+: with Q0 cells in `delay` at the target, it aims at b Q0 / ((b - 1) q + Q0) of it for a
/// queue q up to Q0, and at a Q0 / ((a - 1) q + Q0) above.
#[table("explicit_rate.queue")]
pub(crate) struct Queue {
    /// T0: queueing delay aimed at.
    #[key(is = Time { min_ps: 1 }, default = "\"1 ms\"")]
    pub delay: Duration,
    /// How fast it falls with a longer queue.
    #[key(is = Decimal { min: 1.0, max: 100.0 }, default = "1.15")]
    pub a: f64,
    /// What it aims at with an empty queue.
    #[key(is = Decimal { min: 1.0, max: 100.0 }, default = "1.05")]
    pub b: f64,
    /// QDLF: it never aims at less.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.5")]
    pub least: f64,
}

/// With r the smoothed rate of a circuit and u = CCR / r: above `delta` it gets at most
/// max(`delta` r, `floor`, CCR (1 - (e^(`alpha` u) - e^(`alpha` `delta`)))).
#[table("explicit_rate.aging")]
pub(crate) struct Aging {
    /// How fast an unused rate ages.
    #[key(is = Decimal { min: 0.0, max: 10.0 }, default = "0.1")]
    pub alpha: f64,
    /// A rate up to `delta` times what is used does not age.
    #[key(is = Decimal { min: 1.0, max: 100.0 }, default = "1.5")]
    pub delta: f64,
    /// Not below this (ICR).
    #[key(is = CellRate { min: 0 }, default = "\"1 Mbps\"")]
    pub floor: Rate,
    /// Weight of a new measurement in the smoothed rate.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.25")]
    pub weight: f64,
}

/// Words of `ccr`: Where a circuit's current rate comes from.
#[word(of = backwater_net::spec::CurrentRate)]
pub(crate) enum Ccr {
    /// The CCR field of its forward RM cells.
    Field,
    /// Its cells, counted over the interval before.
    Measured,
}

/// Words of `marks`: RM cells that are marked.
#[word]
pub(crate) enum Marks {
    /// On their way back to the source.
    Backward,
    /// On their way to the destination.
    Forward,
}
