//! Baseline rule 5 (Kalyanaraman et al. 1998, end of section 4.2), and the joint proposal of
//! December 1995 (section 5.4), which is the same with a small TDF.
//!
//! If ACR > SR + ICR: ACR := max(SR + ICR, ACR (1 - TDF)), and the next answer does not raise it
//! (rule 5b). Later answers may, though the rate is still not used: ACR re-enters the danger
//! zone.

use backwater_kernel::Rate;

use super::{Due, Once, less};
use crate::marking::Ratio;

/// State of the policy.
#[derive(Debug)]
pub(crate) struct Baseline {
    tdf: Ratio,
    pub once: Once,
}

impl Baseline {
    pub fn new(tdf: f64, rule_5b: bool) -> Baseline {
        Baseline {
            tdf: Ratio::new(tdf),
            once: Once::new(rule_5b),
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        let floor = Rate(due.source_rate.0.saturating_add(due.icr.0));
        if due.acr <= floor {
            return due.acr;
        }
        self.once.set();
        less(due.acr, self.tdf).max(floor)
    }
}
