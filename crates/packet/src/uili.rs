//! Use it or lose it: what a source does about an allowed rate it does not use (rule 5 of ABR
//! sources). One file a policy; Kalyanaraman et al. 1998 compare them.
//!
//! A policy is asked before every forward RM cell but the first, and may lower ACR; and whether
//! the answer that has just come may raise it. It never raises ACR itself, and never goes below
//! MCR. Symbols: T -> `Due::elapsed`, SR -> `Due::source_rate`, ACR -> `Due::acr`.
//!
//! To add one: a file, a variant of `Uili` with its arms, a variant of `UiliSpec`.

mod april;
mod august;
mod baseline;
mod count;
mod february;
#[cfg(test)]
mod tests;
mod time;
mod time_out;

use backwater_kernel::{Duration, Rate, Time};

use crate::marking::Ratio;
use crate::spec::UiliSpec;
use april::April;
use august::August;
use baseline::Baseline;
use count::Count;
use february::February;
use time::TimeBased;
use time_out::TimeOut;

/// What a policy is told as a forward RM cell is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub now: Time,
    /// Since the forward RM cell before.
    pub elapsed: Duration,
    pub acr: Rate,
    /// Nrm cells in that time.
    pub source_rate: Rate,
    pub icr: Rate,
    pub mcr: Rate,
    /// Nrm cells at ACR take this long.
    pub nrm_gap: Duration,
    /// Of a cell.
    pub bits: u32,
}

/// What a policy is told of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub now: Time,
    pub acr: Rate,
    pub er: Rate,
    /// Neither CI nor NI is set.
    pub may_increase: bool,
}

/// A policy and its state.
#[derive(Debug)]
pub(crate) enum Uili {
    None,
    February(February),
    April(April),
    August(August),
    /// The joint proposal is the baseline with a small TDF.
    Baseline(Baseline),
    Count(Count),
    Time(TimeBased),
    TimeOut(TimeOut),
}

impl Uili {
    pub fn new(spec: &UiliSpec) -> Uili {
        match *spec {
            UiliSpec::None => Uili::None,
            UiliSpec::February1995 { tof, rdf_cells } => {
                Uili::February(February::new(tof, rdf_cells))
            }
            UiliSpec::April1995 {
                tof,
                rdf_cells,
                floor_icr,
            } => Uili::April(April::new(tof, rdf_cells, floor_icr)),
            UiliSpec::August1995 {
                tof,
                tdf_per_second,
                rule_5b,
            } => Uili::August(August::new(tof, tdf_per_second, rule_5b)),
            UiliSpec::Baseline { tdf, rule_5b } | UiliSpec::Joint { tdf, rule_5b } => {
                Uili::Baseline(Baseline::new(tdf, rule_5b))
            }
            UiliSpec::Count {
                headroom,
                tdf,
                pr5,
                slack,
            } => Uili::Count(Count::new(headroom, tdf, pr5, slack)),
            UiliSpec::Time {
                constant,
                floor,
                headroom,
                rule_5b,
                hold,
            } => Uili::Time(TimeBased::new(constant, floor, headroom, rule_5b, hold)),
            UiliSpec::TimeOut { adtf } => Uili::TimeOut(TimeOut::new(adtf)),
        }
    }

    /// A forward RM cell is due: the new ACR.
    pub fn on_forward(&mut self, due: &Due) -> Rate {
        let acr = match self {
            Uili::None => due.acr,
            Uili::February(policy) => policy.on_forward(due),
            Uili::April(policy) => policy.on_forward(due),
            Uili::August(policy) => policy.on_forward(due),
            Uili::Baseline(policy) => policy.on_forward(due),
            Uili::Count(policy) => policy.on_forward(due),
            Uili::Time(policy) => policy.on_forward(due),
            Uili::TimeOut(policy) => policy.on_forward(due),
        };
        acr.max(due.mcr).min(due.acr)
    }

    /// An answer came: may it raise ACR?
    pub fn permits(&mut self, answer: &Answer) -> bool {
        match self {
            Uili::None | Uili::April(_) | Uili::TimeOut(_) => true,
            Uili::February(policy) => policy.on_answer(answer.now),
            Uili::August(policy) => policy.once.take(),
            Uili::Baseline(policy) => policy.once.take(),
            Uili::Count(policy) => policy.permits(answer),
            Uili::Time(policy) => policy.permits(),
        }
    }
}

/// Rule 5b: the answer after a reduction does not raise ACR.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    is_on: bool,
    is_set: bool,
}

impl Once {
    fn new(is_on: bool) -> Once {
        let is_set = false;
        Once { is_on, is_set }
    }

    /// There was a reduction.
    fn set(&mut self) {
        self.is_set = self.is_on;
    }

    /// May this answer raise ACR? The next one may.
    fn take(&mut self) -> bool {
        !core::mem::take(&mut self.is_set)
    }
}

/// `rate - rate * share`.
fn less(rate: Rate, share: Ratio) -> Rate {
    Rate(rate.0.saturating_sub(share.times(rate).0))
}

/// `span` as a share of `whole`.
fn share_of(span: Duration, whole: Duration) -> Ratio {
    Ratio::of(span.ps() as u128, whole.ps() as u128)
}

/// Cells that `rate` makes in `span`, in units of `rdf` cells.
fn cells_over_rdf(rate: Rate, span: Duration, bits: u32, rdf: Ratio) -> Ratio {
    let sent = rate.0 as u128 * span.ps() as u128;
    let cell = bits as u128 * backwater_kernel::time::PS_PER_SECOND as u128;
    Ratio::of(sent, ((cell * rdf.0 as u128) >> 32).max(1))
}

/// `factor` times `span`.
fn stretch(span: Duration, factor: Ratio) -> Duration {
    let ps = (span.ps() as u128 * factor.0 as u128) >> 32;
    Duration(ps.min(u64::MAX as u128) as u64)
}
