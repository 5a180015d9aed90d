//! August 1995 (Kalyanaraman et al. 1998, end of section 3).
//!
//! If T > TOF Nrm / ACR and ACR > ICR: ACR := max(ICR, ACR (1 - T TDF)), and the next answer does
//! not raise it (rule 5b, unless PNI is set). TDF is a number per second: TDFF / RDF times the
//! power of two next above PCR. With the large values this allows, one reduction goes down to ICR
//! whatever the source's rate.

use backwater_kernel::Rate;
use backwater_kernel::time::PS_PER_SECOND;

use super::{Due, Once, less, stretch};
use crate::marking::Ratio;

/// State of the policy.
#[derive(Debug)]
pub(crate) struct August {
    tof: Ratio,
    tdf_per_second: Ratio,
    pub once: Once,
}

impl August {
    pub fn new(tof: f64, tdf_per_second: f64, rule_5b: bool) -> August {
        August {
            tof: Ratio::new(tof),
            tdf_per_second: Ratio::new(tdf_per_second),
            once: Once::new(rule_5b),
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        if due.elapsed <= stretch(due.nrm_gap, self.tof) || due.acr <= due.icr {
            return due.acr;
        }
        self.once.set();
        let elapsed_ps = due.elapsed.ps() as u128;
        let share = elapsed_ps * self.tdf_per_second.0 as u128 / PS_PER_SECOND as u128;
        let share = Ratio(share.min(u64::MAX as u128) as u64);
        less(due.acr, share).max(due.icr)
    }
}
