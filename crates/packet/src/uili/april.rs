//! April 1995 (AF-TM 95-0267R1, 95-0340; Kalyanaraman et al. 1998, section 3): the harmonic
//! reduction 1/ACR := 1/ACR + T/RDF, T since the last forward RM cell. `floor_icr` is the floor
//! that May and June 1995 added.

use backwater_kernel::Rate;

use super::{Due, cells_over_rdf, stretch};
use crate::marking::Ratio;

/// The policy; it has no state.
#[derive(Debug)]
pub(crate) struct April {
    tof: Ratio,
    rdf: Ratio,
    floor_icr: bool,
}

impl April {
    pub fn new(tof: f64, rdf_cells: f64, floor_icr: bool) -> April {
        April {
            tof: Ratio::new(tof),
            rdf: Ratio::new(rdf_cells),
            floor_icr,
        }
    }

    pub fn on_forward(&mut self, due: &Due) -> Rate {
        let is_within = due.elapsed <= stretch(due.nrm_gap, self.tof);
        if is_within || self.floor_icr && due.acr <= due.icr {
            return due.acr;
        }
        let share = cells_over_rdf(due.acr, due.elapsed, due.bits, self.rdf);
        let reduced = Ratio(Ratio::ONE.0.saturating_add(share.0)).divides(due.acr);
        if self.floor_icr {
            return reduced.max(due.icr);
        }
        reduced
    }
}
