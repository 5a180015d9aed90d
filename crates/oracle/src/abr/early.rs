//! EPRCA (Roberts 1994) and CAPC (Barnhart 1994), as Jain's survey of 1996 puts them.

use backwater_net::spec::{CapcSpec, EprcaSpec};

use super::math::{ONE, factor, rate_of, ratio, times};
use super::rates::{Mark, Now};
use super::source::Rm;

/// A mean of claimed rates, and a queue.
pub(super) struct Eprca {
    spec: EprcaSpec,
    queue: Mark,
    /// MACR; `None` before the first CCR.
    mean: Option<u64>,
}

impl Eprca {
    pub fn new(spec: EprcaSpec) -> Eprca {
        Eprca {
            spec,
            queue: Mark::new(spec.congestion),
            mean: None,
        }
    }

    /// An ABR cell joins; `forward` if it is a forward RM cell.
    pub fn on_join(&mut self, now: Now, forward: Option<&Rm>) {
        self.queue.look(now.queue_cells);
        let Some(rm) = forward else { return };
        let weight = factor(self.spec.weight);
        self.mean = Some(match self.mean {
            None => rm.ccr,
            Some(mean) if rm.ccr > mean => mean + times(rm.ccr - mean, weight),
            Some(mean) => mean - times(mean - rm.ccr, weight),
        });
    }

    pub fn on_backward(&mut self, now: Now, rm: &mut Rm) {
        let is_long = self.queue.look(now.queue_cells);
        let Some(mean) = self.mean else { return };
        let of_mean = |share: f64| times(mean, factor(share));
        if now.queue_cells > u64::from(self.spec.very_cells) {
            rm.limit(of_mean(self.spec.major_reduction));
        } else if is_long && rm.ccr > of_mean(self.spec.down_pressure) {
            rm.limit(of_mean(self.spec.reduction));
        }
    }
}

/// One share for all, which follows the load.
pub(super) struct Capc {
    spec: CapcSpec,
    link: u64,
    /// A cell a second.
    least: u64,
    start_ps: u64,
    bits: u64,
    background_bits: u64,
    /// ERS.
    share: u64,
}

impl Capc {
    pub fn new(spec: CapcSpec, link: u64, cell_bits: u64) -> Capc {
        Capc {
            spec,
            link,
            least: cell_bits.min(link),
            start_ps: 0,
            bits: 0,
            background_bits: 0,
            share: times(link, factor(spec.target)),
        }
    }

    pub fn on_join(&mut self, is_abr: bool, bits: u64) {
        match is_abr {
            true => self.bits += bits,
            false => self.background_bits += bits,
        }
    }

    pub fn on_backward(&mut self, now: Now, rm: &mut Rm) {
        rm.limit(self.share);
        rm.ci |= now.queue_cells > u64::from(self.spec.congestion_cells);
    }

    pub fn end_ps(&self) -> u64 {
        self.start_ps + self.spec.interval.ps()
    }

    pub fn end_interval(&mut self, now: Now) {
        let span_ps = now.at_ps - self.start_ps;
        let background = rate_of(self.background_bits, span_ps);
        let left = self.link.saturating_sub(background);
        let capacity = times(left, factor(self.spec.target));
        let load = ratio(rate_of(self.bits, span_ps), capacity);
        let change = match load.filter(|_| capacity > 0) {
            None => factor(self.spec.fall_least),
            Some(load) if load < ONE => {
                let rise = ((ONE - load) * factor(self.spec.rise)) >> 32;
                (ONE + rise).min(factor(self.spec.rise_most))
            }
            Some(load) => {
                let fall = ((load - ONE) * factor(self.spec.fall)) >> 32;
                let kept = ONE.saturating_sub(fall);
                kept.max(factor(self.spec.fall_least))
            }
        };
        self.share = times(self.share, change).min(self.link).max(self.least);
        self.start_ps = now.at_ps;
        self.bits = 0;
        self.background_bits = 0;
    }
}
