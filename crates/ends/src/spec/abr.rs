//! ABR sources and destinations (ATM Forum TM 4.0) and their use-it-or-lose-it policies.

use backwater_kernel::{Duration, Rate};

/// The two ends of one direction of an ABR circuit. The other direction is the flow's partner,
/// which is an ABR flow too: it carries the backward RM cells of this one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AbrSpec {
    /// PCR: peak cell rate.
    pub pcr: Rate,
    /// MCR: minimum cell rate.
    pub mcr: Rate,
    /// ICR: rate before the first feedback, as used (already clipped to TBE / FRTT if wanted).
    pub icr: Rate,
    /// Nrm: one forward RM cell in so many in-rate cells, itself included.
    pub nrm: u32,
    /// Mrm: after so many in-rate cells, one is also sent when `trm` has passed.
    pub mrm: u32,
    /// Trm.
    pub trm: Duration,
    /// RIF: an increase adds so much of PCR.
    pub rif: f64,
    /// RDF: congestion takes so much of ACR.
    pub rdf: f64,
    /// CRM: forward RM cells without an answer before rule 6.
    pub crm: u32,
    /// CDF: what each further one takes of ACR; 0 disables rule 6.
    pub cdf: f64,
    /// TCR: rate of out-of-rate RM cells, used while ACR is below it; 0 sends none.
    pub tcr: Rate,
    /// A forward RM cell that is due by count is sent though nothing else waits.
    pub is_eager: bool,
    /// Backward RM cells count towards Nrm.
    pub counts_backward: bool,
    /// What becomes of forward RM cells that wait to be turned around.
    pub turn_around: TurnAround,
    /// How rates are written into RM cells.
    pub format: RateFormat,
    /// What is done about an allocation that is not used (rule 5).
    pub uili: UiliSpec,
}

/// What becomes of forward RM cells that wait at the destination to be turned around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnAround {
    /// All go back, in order.
    Queue,
    /// The newest takes the place of those that wait.
    Latest,
}

/// How rates are written into RM cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateFormat {
    /// In whole bits per second.
    Exact,
    /// TM 4.0, 16 bits: nz 2^e (1 + m / 512) cells per second, e of 5 bits, m of 9, rounded down.
    Bits16,
}

/// Use-it-or-lose-it policies (Kalyanaraman et al. 1998). T is the time since the last forward
/// RM cell was sent (but for February 1995), SR = Nrm / T the source's own rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum UiliSpec {
    /// No rule 5.
    None,
    /// Section 3, Barnhart: ACR (1 - T ACR / RDF), T since the last backward RM cell or the last
    /// decrease, once `tof` RM cells were sent since.
    February1995 {
        /// TOF, in RM cells.
        tof: u32,
        /// RDF of the formula, in cells.
        rdf_cells: f64,
    },
    /// Section 3: 1 / (1/ACR + T / RDF), when T is more than TOF Nrm / ACR.
    April1995 {
        /// TOF.
        tof: f64,
        /// RDF of the formula, in cells.
        rdf_cells: f64,
        /// Not below ICR (May and June 1995).
        floor_icr: bool,
    },
    /// Section 3: ACR (1 - T TDF), not below ICR, when T is more than TOF Nrm / ACR and
    /// ACR > ICR.
    August1995 {
        /// TOF.
        tof: f64,
        /// TDF, in 1/s.
        tdf_per_second: f64,
        /// Rule 5b: the next increase after a reduction is ignored (PNI = 0).
        rule_5b: bool,
    },
    /// Section 4.2: when ACR > SR + ICR, ACR (1 - TDF), not below SR + ICR.
    Baseline {
        /// TDF.
        tdf: f64,
        /// Rule 5b.
        rule_5b: bool,
    },
    /// Section 5.2: when ACR > SR + headroom, ACR (1 - TDF), not below SR + headroom; no increase
    /// unless the last forward RM cell found ACR within SR.
    Count {
        /// Added to SR.
        headroom: Rate,
        /// TDF; 0 disables the policy.
        tdf: f64,
        /// PR5: the test is left out once after an increase.
        pr5: bool,
        /// ACR counts as used up to SR (1 + slack).
        slack: f64,
    },
    /// Section 5.3: when ACR > floor, ACR (1 - T / Tc), not below the floor.
    Time {
        /// Tc.
        constant: Duration,
        /// The floor.
        floor: TimeFloor,
        /// In place of ICR in the floor.
        headroom: Rate,
        /// Rule 5b.
        rule_5b: bool,
        /// Not in the paper: no increase while ACR > SR (1 + slack), as in the count-based policy.
        hold: Option<f64>,
    },
    /// Section 5.4: as the baseline, with TDF small.
    Joint {
        /// TDF.
        tdf: f64,
        /// Rule 5b.
        rule_5b: bool,
    },
    /// Section 6 and TM 4.0 rule 5: ACR = ICR when T > ADTF and ACR > ICR.
    TimeOut {
        /// ADTF.
        adtf: Duration,
    },
}

impl UiliSpec {
    /// As it is called.
    pub fn name(&self) -> &'static str {
        match self {
            UiliSpec::None => "none",
            UiliSpec::February1995 { .. } => "February 1995",
            UiliSpec::April1995 { .. } => "April 1995",
            UiliSpec::August1995 { .. } => "August 1995",
            UiliSpec::Baseline { .. } => "baseline",
            UiliSpec::Count { .. } => "count",
            UiliSpec::Time { .. } => "time",
            UiliSpec::Joint { .. } => "joint",
            UiliSpec::TimeOut { .. } => "time-out",
        }
    }
}

/// The floor of the time-based policy (section 5.3).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimeFloor {
    /// ICR + SR.
    Sum,
    /// max(ICR, TOF SR).
    Product {
        /// TOF.
        tof: f64,
    },
}
