//! What the ATM Forum decided (Kalyanaraman et al. 1998, section 6; TM 4.0, source rule 5): a
//! source that has sent no forward RM cell for ADTF starts again from ICR.

use backwater_kernel::{Duration, Rate};

use super::Due;

/// The rule; it has no state.
#[derive(Debug)]
pub(crate) struct TimeOut {
    adtf: Duration,
}

impl TimeOut {
    pub fn new(adtf: Duration) -> TimeOut {
        TimeOut { adtf }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        if due.elapsed > self.adtf {
            due.acr.min(due.icr)
        } else {
            due.acr
        }
    }
}
