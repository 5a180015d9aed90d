//! The count-based policy (Kalyanaraman et al. 1998, section 5.2 and its pseudo code, 5.2.7).
//!
//! Regions of operation (Figure 3), as a forward RM cell finds them:
//! A: ACR > SR + headroom; ACR falls by TDF, to SR + headroom at least; no increase.
//! B: SR < ACR <= SR + headroom; no increase.
//! C and D: ACR <= SR; answers may raise ACR.
//!
//! ACR_ok -> `is_used`, PR5 -> `was_raised`. Cells leave at whole picoseconds and rates are
//! rounded, so ACR counts as used up to SR (1 + slack); the paper names the same trap.

use backwater_kernel::Rate;

use super::{Answer, Due, less};
use crate::marking::Ratio;

/// State of the policy.
#[derive(Debug)]
pub(crate) struct Count {
    headroom: Rate,
    tdf: Ratio,
    slack: Ratio,
    has_pr5: bool,
    is_used: bool,
    was_raised: bool,
}

impl Count {
    pub fn new(headroom: Rate, tdf: f64, has_pr5: bool, slack: f64) -> Count {
        Count {
            headroom,
            tdf: Ratio::new(tdf),
            slack: Ratio::new(1.0 + slack),
            has_pr5,
            is_used: true,
            was_raised: false,
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        self.is_used = self.tdf == Ratio(0) || due.acr <= self.slack.times(due.source_rate);
        if self.has_pr5 && self.was_raised {
            self.was_raised = false;
            return due.acr;
        }
        let floor = Rate(due.source_rate.0.saturating_add(self.headroom.0));
        if due.acr <= floor {
            return due.acr;
        }
        less(due.acr, self.tdf).max(floor)
    }

    pub fn permits(&mut self, answer: &Answer) -> bool {
        if answer.may_increase && self.is_used {
            self.was_raised = answer.acr < answer.er;
        }
        self.is_used
    }
}
