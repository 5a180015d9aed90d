//! EPRCA, enhanced proportional rate control (Roberts 1994, ATM Forum 94-0735; as in Jain 1996,
//! section 8): a switch keeps a mean of the rates that circuits claim and, while its queue is
//! long, brings those above it down. It measures no load and has no state per circuit.
//!
//! On a forward RM cell: MACR := MACR + weight (CCR - MACR); MACR begins with the first CCR. On a
//! backward one, more than `very_cells` waiting: ER := min(ER, MRF MACR). Else, the queue being
//! long, and CCR > DPF MACR: ER := min(ER, ERF MACR).
//!
//! | Symbol | Field |
//! |---|---|
//! | MACR | `mean` |
//! | DPF, ERF, MRF | `down_pressure`, `reduction`, `major_reduction` |
//!
//! Not modelled: that MACR is left as it is by rates far from it (VCS), and CI marks of
//! switches without explicit rates, which are EFCI's or relative-rate marking's.

use backwater_ends::control::{Ratio, RmCell};
use backwater_kernel::Rate;

use super::marks::Marks;
use super::{BACKGROUND, PortView, RateInterval, Rule};
use crate::spec::EprcaSpec;

/// EPRCA at one port.
pub(crate) struct Eprca {
    weight: Ratio,
    down_pressure: Ratio,
    reduction: Ratio,
    major_reduction: Ratio,
    congestion: Marks,
    very_cells: u32,
    /// None before the first forward RM cell.
    mean: Option<Rate>,
}

impl Eprca {
    pub fn new(spec: &EprcaSpec) -> Eprca {
        Eprca {
            weight: Ratio::new(spec.weight.min(1.0)),
            down_pressure: Ratio::new(spec.down_pressure),
            reduction: Ratio::new(spec.reduction),
            major_reduction: Ratio::new(spec.major_reduction),
            congestion: Marks::new(&spec.congestion),
            very_cells: spec.very_cells,
            mean: None,
        }
    }
}

impl Rule for Eprca {
    #[inline]
    fn on_cell(&mut self, port: &PortView, seat: u32, _bits: u32) -> Option<RateInterval> {
        if seat != BACKGROUND {
            self.congestion.look(port.queue_cells);
        }
        None
    }

    fn on_forward(&mut self, _port: &PortView, _seat: u32, cell: &mut RmCell) {
        let mean = self.mean.unwrap_or(cell.ccr);
        // The difference, not two products: equal rates leave the mean where it is.
        self.mean = Some(if cell.ccr >= mean {
            Rate(mean.0 + self.weight.times(Rate(cell.ccr.0 - mean.0)).0)
        } else {
            Rate(mean.0 - self.weight.times(Rate(mean.0 - cell.ccr.0)).0)
        });
    }

    fn on_backward(&mut self, port: &PortView, _seat: u32, cell: &mut RmCell) {
        let is_long = self.congestion.look(port.queue_cells);
        let Some(mean) = self.mean else {
            return;
        };
        if port.queue_cells > self.very_cells {
            cell.er = cell.er.min(self.major_reduction.times(mean));
        } else if is_long && cell.ccr > self.down_pressure.times(mean) {
            cell.er = cell.er.min(self.reduction.times(mean));
        }
    }

    /// DPF MACR.
    fn fair_share(&self) -> Rate {
        self.down_pressure.times(self.mean.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marking::testing::port;
    use crate::spec::MarkSpec;

    fn eprca() -> Eprca {
        Eprca::new(&EprcaSpec {
            weight: 1.0 / 16.0,
            down_pressure: 7.0 / 8.0,
            reduction: 15.0 / 16.0,
            major_reduction: 0.25,
            congestion: MarkSpec {
                high_cells: 100,
                low_cells: 50,
            },
            very_cells: 500,
        })
    }

    fn forward(rule: &mut Eprca, ccr: u64) -> u64 {
        let mut cell = RmCell {
            ccr: Rate(ccr),
            ..RmCell::default()
        };
        rule.on_forward(&port(0, 0), 0, &mut cell);
        rule.mean.unwrap().0
    }

    fn backward(rule: &mut Eprca, queue_cells: u32, ccr: u64) -> u64 {
        let mut cell = RmCell {
            ccr: Rate(ccr),
            er: Rate(1_000_000),
            ..RmCell::default()
        };
        rule.on_backward(&port(0, queue_cells), 0, &mut cell);
        assert!(!cell.ci && !cell.ni);
        cell.er.0
    }

    #[test]
    fn the_mean_follows_the_rates_of_the_cells() {
        let mut rule = eprca();
        assert_eq!(rule.fair_share(), Rate(0));
        // A sixteenth of the way each time: 160; + 160/16; - (170 - 10)/16; - 160/16 ...
        let found = [160, 320, 10, 0, 150].map(|ccr| forward(&mut rule, ccr));
        assert_eq!(found, [160, 170, 160, 150, 150]);
        // 7/8 of it, rounded down.
        assert_eq!(rule.fair_share(), Rate(131));
    }

    #[test]
    fn the_more_congested_the_less() {
        let mut rule = eprca();
        forward(&mut rule, 160_000);
        assert_eq!(backward(&mut rule, 100, 500_000), 1_000_000);
        assert_eq!(backward(&mut rule, 101, 500_000), 150_000);
        // At 7/8 of the mean: left alone, until very congested.
        assert_eq!(backward(&mut rule, 101, 140_000), 1_000_000);
        assert_eq!(backward(&mut rule, 101, 140_001), 150_000);
        assert_eq!(backward(&mut rule, 500, 140_000), 1_000_000);
        assert_eq!(backward(&mut rule, 501, 140_000), 40_000);
        // Hysteresis.
        assert_eq!(backward(&mut rule, 51, 500_000), 150_000);
        assert_eq!(backward(&mut rule, 50, 500_000), 1_000_000);
        assert_eq!(backward(&mut rule, 100, 500_000), 1_000_000);
    }

    #[test]
    fn a_port_that_saw_no_rate_says_nothing() {
        let mut rule = eprca();
        assert_eq!(backward(&mut rule, 10_000, 5), 1_000_000);
    }
}
