//! February 1995 (Barnhart, AF-TM 95-0193; Kalyanaraman et al. 1998, section 3).
//!
//! After TOF forward RM cells without an answer or a decrease, ACR := ACR (1 - T ACR / RDF), T
//! since that answer or decrease. RDF here is a number of cells. Nothing keeps the answer that
//! comes next from raising ACR again, and the only floor is MCR.

use backwater_kernel::{Rate, Time};

use super::{Due, cells_over_rdf, less};
use crate::marking::Ratio;

/// State of the policy.
#[derive(Debug)]
pub(crate) struct February {
    tof: u32,
    rdf: Ratio,
    /// Forward RM cells since.
    sent: u32,
    since: Time,
}

impl February {
    pub fn new(tof: u32, rdf_cells: f64) -> February {
        February {
            tof,
            rdf: Ratio::new(rdf_cells),
            // The first one is sent without asking.
            sent: 1,
            since: Time::ZERO,
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        if self.sent < self.tof {
            self.sent += 1;
            return due.acr;
        }
        let elapsed = due.now.since(self.since);
        let share = cells_over_rdf(due.acr, elapsed, due.bits, self.rdf);
        self.start_again(due.now);
        self.sent = 1;
        less(due.acr, share)
    }

    pub fn on_answer(&mut self, now: Time) -> bool {
        self.start_again(now);
        true
    }

    fn start_again(&mut self, now: Time) {
        (self.sent, self.since) = (0, now);
    }
}
