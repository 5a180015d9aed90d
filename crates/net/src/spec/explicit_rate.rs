//! What switches tell ABR sources.

use backwater_kernel::{Duration, Time};

/// The rule of one port.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExplicitRateSpec {
    /// ERICA (Kalyanaraman et al. 1997), with or without queue control and aging.
    Erica(EricaSpec),
    /// Data cells are marked while the queue is long.
    Efci(MarkSpec),
    /// RM cells get CI and NI while the queue is long.
    RelativeRate(RelativeRateSpec),
    /// EPRCA (Roberts 1994).
    Eprca(EprcaSpec),
    /// CAPC (Barnhart 1994).
    Capc(CapcSpec),
}

impl ExplicitRateSpec {
    /// As it is called.
    pub fn name(&self) -> &'static str {
        match self {
            ExplicitRateSpec::Erica(erica) if erica.queue.is_some() => "ERICA+",
            ExplicitRateSpec::Erica(_) => "ERICA",
            ExplicitRateSpec::Efci(_) => "EFCI",
            ExplicitRateSpec::RelativeRate(_) => "relative rate",
            ExplicitRateSpec::Eprca(_) => "EPRCA",
            ExplicitRateSpec::Capc(_) => "CAPC",
        }
    }

    /// The part of what is left that it gives to ABR, where it aims at one.
    pub fn target(&self) -> Option<f64> {
        match self {
            ExplicitRateSpec::Erica(spec) => Some(spec.target),
            ExplicitRateSpec::Capc(spec) => Some(spec.target),
            ExplicitRateSpec::Efci(_)
            | ExplicitRateSpec::RelativeRate(_)
            | ExplicitRateSpec::Eprca(_) => None,
        }
    }

    /// Over which it measures.
    pub fn interval(&self) -> Option<Duration> {
        match self {
            ExplicitRateSpec::Erica(spec) => Some(spec.interval),
            ExplicitRateSpec::Capc(spec) => Some(spec.interval),
            ExplicitRateSpec::Efci(_)
            | ExplicitRateSpec::RelativeRate(_)
            | ExplicitRateSpec::Eprca(_) => None,
        }
    }
}

/// ERICA: measures load and active circuits over intervals, shares out a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EricaSpec {
    /// An interval ends after this time,
    pub interval: Duration,
    /// or after so many ABR cells, if that is sooner; 0: by time alone.
    pub interval_cells: u32,
    /// Share of the capacity left to ABR that it aims at. With `queue`, of all of it.
    pub target: f64,
    /// Load up to 1 + delta counts as no overload.
    pub delta: f64,
    /// A circuit below the fair share goes no higher than the fair share in one step.
    pub limit_jump: bool,
    /// Where a circuit's current rate comes from.
    pub ccr: CurrentRate,
    /// A circuit gets one answer per interval, repeated to further RM cells.
    pub one_feedback: bool,
    /// The explicit rate is at most the link's rate, not the target.
    pub up_to_link: bool,
    /// What a circuit still counts as active in each interval without a cell: 0 is not at all.
    pub activity_decay: f64,
    /// ERICA+.
    pub queue: Option<QueueControlSpec>,
    /// Switch-based use-it-or-lose-it.
    pub aging: Option<AgingSpec>,
}

/// Where a circuit's current rate comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CurrentRate {
    /// The CCR field of its forward RM cells.
    Field,
    /// Its cells, counted over the interval before.
    Measured,
}

/// ERICA+: the target depends on the queue. With Q0 = `delay` at the ABR capacity, the share is
/// b Q0 / ((b - 1) q + Q0) for q <= Q0, a Q0 / ((a - 1) q + Q0) above, not below `least`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QueueControlSpec {
    /// T0: queueing delay aimed at.
    pub delay: Duration,
    /// a, above 1.
    pub a: f64,
    /// b, above 1.
    pub b: f64,
    /// QDLF: the share is not below this.
    pub least: f64,
}

/// Switch-based aging (Kalyanaraman et al. 1998, section 5.5, with the completion that a circuit
/// gets max(d r, `floor`, CCR (1 - (e^(au) - e^(ad)))), r its smoothed rate, u = CCR / r, when
/// u > d).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AgingSpec {
    /// a.
    pub alpha: f64,
    /// d.
    pub delta: f64,
    /// Not below this (ICR).
    pub floor: backwater_kernel::Rate,
    /// Weight of a new measurement in the smoothed rate.
    pub weight: f64,
}

/// A queue is long from `high` cells until it is at `low` again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkSpec {
    /// More than so many cells wait.
    pub high_cells: u32,
    /// So many or fewer wait.
    pub low_cells: u32,
}

/// Relative-rate marking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RelativeRateSpec {
    /// CI is set while the queue is long in this sense.
    pub congestion: MarkSpec,
    /// NI is set while it is long in this sense.
    pub no_increase: MarkSpec,
    /// Backward RM cells are marked as they pass (else forward ones).
    pub marks_backward: bool,
    /// While congested the switch makes RM cells of its own (BN = 1), at most one per circuit in
    /// this time.
    pub backward_notice_every: Option<Duration>,
}

/// EPRCA (Roberts 1994).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EprcaSpec {
    /// Weight of a CCR in the mean allowed rate MACR.
    pub weight: f64,
    /// DPF: a circuit above this share of MACR is reduced under congestion.
    pub down_pressure: f64,
    /// ERF: to this share of MACR.
    pub reduction: f64,
    /// MRF: to this share of MACR, all circuits, when very congested.
    pub major_reduction: f64,
    /// Congested.
    pub congestion: MarkSpec,
    /// Very congested above so many cells.
    pub very_cells: u32,
}

/// CAPC (Barnhart 1994): the fair share follows the load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CapcSpec {
    /// Measuring interval.
    pub interval: Duration,
    /// Share of the ABR capacity aimed at.
    pub target: f64,
    /// Rup: what underload adds, times 1 - z.
    pub rise: f64,
    /// ERU: most that an interval multiplies by.
    pub rise_most: f64,
    /// Rdn: what overload takes, times z - 1.
    pub fall: f64,
    /// ERF: least that an interval multiplies by.
    pub fall_least: f64,
    /// CI is set above so many cells.
    pub congestion_cells: u32,
}

/// A channel is cut: what is on it or would start is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutageSpec {
    /// Channel.
    pub channel: u32,
    /// From here
    pub from: Time,
    /// to here, where it works again.
    pub until: Time,
}
