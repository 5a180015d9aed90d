//! When the source may send, end to end.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{self, AbrSpec, SourceControlSpec};

use crate::given::usual::{Usual, usual};
use crate::language::typed::{Chosen, Placed};

/// ICR where it is not given, if it lies between MCR and PCR.
pub(crate) const ICR: Usual<Rate> = usual!(10 Mbps);
/// Headroom of the count-based policy where it is not given.
pub(crate) const HEADROOM: Usual<Rate> = usual!(1 Mbps);
/// TDF where it is not given.
pub(crate) const TDF: Usual<f64> = usual!(0.125);
/// The same of `joint`.
pub(crate) const JOINT_TDF: Usual<f64> = usual!(0.0625);

/// When the source may send what the application wants, end to end.
#[table("flows.source_control", by(kind, "The kind of control."))]
pub(crate) enum SourceControl {
    /// It may send at once.
    None,
    /// A fixed number of cells unacknowledged. Needs a `partner`.
    #[word(cite = "Kung 1993, section 8.3")]
    Window {
        /// The window: cells unacknowledged at most.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" })]
        cells: u32,
    },
    /// A window that grows additively and shrinks by a factor on loss. Needs a `partner`.
    Aimd {
        /// First window.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" }, default = "1")]
        initial: u32,
        /// Largest window.
        #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" })]
        maximum: u32,
        /// Cells added for each window acknowledged.
        #[key(is = Decimal { min: 1e-6, max: 1e6 }, default = "1.0")]
        increase: f64,
        /// Factor on the window when an acknowledgement is late.
        #[key(is = Decimal { min: 0.001, max: 0.999 }, default = "0.5")]
        decrease: f64,
        /// An acknowledgement later than this counts as a loss; what was unacknowledged is sent
        /// again.
        #[key(is = Time { min_ps: 1 })]
        timeout: Duration,
    },
    /// At the rate that the network allows, told by RM cells. The flow back is made unless
    /// `partner` names one.
    #[word(cite = "ATM Forum TM 4.0")]
    Abr(Box<Abr>),
}

impl SourceControl {
    /// What the engine is told; `abr` builds what an ABR source is told.
    pub(crate) fn spec(&self, abr: impl FnOnce(&Abr) -> AbrSpec) -> SourceControlSpec {
        match self {
            Self::None => SourceControlSpec::None,
            Self::Window { cells } => SourceControlSpec::Window { units: *cells },
            Self::Aimd {
                initial,
                maximum,
                increase,
                decrease,
                timeout,
            } => SourceControlSpec::Aimd {
                initial_units: *initial,
                maximum_units: *maximum,
                increase_units: *increase,
                decrease: *decrease,
                timeout: *timeout,
            },
            Self::Abr(own) => SourceControlSpec::Abr(abr(own)),
        }
    }
}

/// What an ABR source is given.
#[table(part, cite = "ATM Forum TM 4.0, section 5.10.4")]
pub(crate) struct Abr {
    /// PCR, peak cell rate: ACR never goes above.
    #[key(is = CellRate { min: 1 }, otherwise = "rate of the flow's first link")]
    pub pcr: Placed<Option<Rate>>,
    /// MCR, minimum cell rate: ACR never goes below.
    #[key(is = CellRate { min: 0 }, default = "\"0 bps\"")]
    pub mcr: Placed<Rate>,
    /// ICR, initial cell rate: ACR before the first feedback; from MCR to PCR.
    #[key(is = CellRate { min: 0 }, otherwise = "{ICR}, or the nearest from MCR to PCR")]
    pub icr: Placed<Option<Rate>>,
    /// Nrm: one of this many in-rate cells is a forward RM cell.
    #[key(is = Whole { min: 2, max: 1 << 20, unit: "cells" }, default = "32")]
    pub nrm: Placed<u32>,
    /// Mrm: after this many in-rate cells a forward RM cell is also sent when `trm` has passed.
    #[key(is = Whole { min: 1, max: 1 << 24, unit: "cells" }, default = "2")]
    pub mrm: u32,
    /// Trm: longest time between forward RM cells of a source that sends, see `mrm`.
    #[key(is = Time { min_ps: 1 }, default = "\"100 ms\"")]
    pub trm: Duration,
    /// RIF: an increase adds so much of PCR.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "1.0")]
    pub rif: f64,
    /// RDF: a backward RM cell with CI takes so much of ACR.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.001953125")]
    pub rdf: f64,
    /// CDF: what each forward RM cell takes of ACR once `crm` are without an answer; 0 turns
    /// rule 6 off.
    #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.0")]
    pub cdf: f64,
    /// CRM: forward RM cells without an answer before rule 6.
    #[key(is = Whole { min: 1, max: 1 << 24, unit: "cells" })]
    #[key(otherwise = "min(`tbe` / `nrm`, `pcr` `frtt` / `nrm`), at least 1")]
    #[key(cite = "Kalyanaraman et al. 1998, section 7.1")]
    pub crm: Option<u32>,
    /// TBE, transient buffer exposure: cells that it may send before the first feedback.
    #[key(is = Whole { min: 1, max: 16_777_215, unit: "cells" }, default = "16777215")]
    pub tbe: Placed<u32>,
    /// FRTT, fixed round-trip time, as measured at set-up.
    #[key(is = Time { min_ps: 1 })]
    #[key(otherwise = "delay, handling and one cell time of every link, there and back")]
    pub frtt: Option<Duration>,
    /// ICR is at most `tbe` cells in `frtt`.
    #[key(default = "true")]
    pub clip_icr: bool,
    /// TCR: rate of out-of-rate RM cells while ACR is below it; 0 sends none.
    #[key(is = CellRate { min: 0 }, default = "\"10 cells/s\"")]
    pub tcr: Rate,
    /// When a forward RM cell is sent that is due by count.
    #[key(default = "\"eager\"", cite = "")]
    pub rm: Rm,
    /// Backward RM cells count towards `nrm`.
    #[key(default = "true")]
    pub counts_backward: Placed<bool>,
    /// What becomes of RM cells that wait at the destination to be turned around.
    #[key(default = "\"queue\"")]
    #[key(cite = "ATM Forum TM 4.0, destination rules 3 and 4")]
    pub turn_around: TurnAround,
    /// How rates are written into RM cells.
    #[key(default = "\"exact\"", cite = "ATM Forum TM 4.0, section 5.10.3.1")]
    pub rate_format: RateFormat,
    /// What is done about an allocation that is not used (source rule 5).
    #[key(default = "{ kind = \"time-out\" }", cite = "")]
    pub uili: Chosen<Uili>,
}

/// What an ABR source does about an allocation (ACR) that it does not use: its rate SR is Nrm
/// cells in T, the time since its last forward RM cell. Looked at as each forward RM cell is
/// sent; ACR never falls below MCR.
#[table("source_control.uili", by(kind, "The policy."))]
pub(crate) enum Uili {
    /// ACR falls to ICR after a pause longer than `adtf` (the rule of TM 4.0).
    #[word(cite = "Kalyanaraman et al. 1998, section 6")]
    TimeOut {
        /// ADTF: ACR falls to ICR when T is longer.
        #[key(is = Time { min_ps: 1 }, default = "\"500 ms\"")]
        #[key(cite = "ATM Forum TM 4.0, section 5.10.4")]
        adtf: Duration,
    },
    /// Nothing: the allocation stays.
    None,
    /// ACR (1 - T ACR / RDF), T since the last answer or decrease, after `tof` RM cells.
    #[word(
        name = "february-1995",
        cite_all = "Kalyanaraman et al. 1998, section 3"
    )]
    February1995 {
        /// TOF: forward RM cells without an answer (february-1995, a whole number), times `nrm`
        /// cells at ACR (april-1995, august-1995), times SR (`floor = "product"`).
        #[key(is = Decimal { min: 0.0, max: 1e6 }, default = "2.0")]
        #[key(cite = "Kalyanaraman et al. 1998, section 7.1")]
        tof: Placed<f64>,
        /// RDF of the formula, in cells.
        #[key(is = Decimal { min: 0.001, max: 1e12 }, default = "512.0")]
        rdf: f64,
    },
    /// 1 / (1/ACR + T/RDF), when T is more than `tof` Nrm cells at ACR.
    #[word(name = "april-1995", cite_all = "Kalyanaraman et al. 1998, section 3")]
    April1995 {
        tof: Placed<f64>,
        rdf: f64,
        /// ACR does not fall below ICR (May and June 1995).
        #[key(default = "false")]
        floor_icr: bool,
    },
    /// ACR (1 - T TDF), not below ICR, when T is more than `tof` Nrm cells at ACR.
    #[word(name = "august-1995", cite_all = "Kalyanaraman et al. 1998, section 3")]
    August1995 {
        tof: Placed<f64>,
        /// TDF, in 1/s: each reduction takes T times so much of ACR.
        #[key(is = Decimal { min: 0.0, max: 1e12 }, default = "16384.0")]
        tdf_per_second: Placed<f64>,
        /// The next increase after a reduction is ignored (PNI = 0).
        #[key(default = "true")]
        rule_5b: bool,
    },
    /// ACR (1 - TDF), not below SR + ICR, when ACR is above that.
    #[word(cite = "Kalyanaraman et al. 1998, section 4.2")]
    Baseline {
        /// TDF: what each reduction takes of ACR; 0 turns the policy off.
        #[key(is = Decimal { min: 0.0, max: 1.0 }, otherwise = "{TDF}; {JOINT_TDF} with `joint`")]
        #[key(cite = "Kalyanaraman et al. 1998, section 7.1")]
        tdf: Option<f64>,
        rule_5b: bool,
    },
    /// ACR (1 - TDF), not below SR + headroom, when ACR is above that; no increase until ACR is
    /// used.
    #[word(cite = "Kalyanaraman et al. 1998, section 5.2")]
    Count {
        tdf: Option<f64>,
        /// Added to SR: ACR up to the sum counts as used.
        #[key(is = CellRate { min: 0 }, otherwise = "{HEADROOM}; ICR with `time`")]
        #[key(cite = "Kalyanaraman et al. 1998, section 5.2.6")]
        headroom: Placed<Option<Rate>>,
        /// PR5: the test is left out once after an increase.
        #[key(default = "false", cite = "Kalyanaraman et al. 1998, section 5.2.4")]
        pr5: bool,
        /// ACR may rise only if the last forward RM cell found it at most SR (1 + `slack`).
        #[key(is = Decimal { min: 0.0, max: 1.0 }, default = "0.001")]
        #[key(cite = "Kalyanaraman et al. 1998, section 5.2.7")]
        slack: Placed<f64>,
    },
    /// ACR (1 - T / Tc), not below the floor, when ACR is above that.
    #[word(cite_all = "Kalyanaraman et al. 1998, section 5.3")]
    Time {
        tof: Placed<f64>,
        rule_5b: bool,
        headroom: Placed<Option<Rate>>,
        /// Tc: each reduction takes T / Tc of ACR.
        #[key(is = Time { min_ps: 1 }, otherwise = "max(2 `frtt`, `tbe` / `pcr`)")]
        constant: Placed<Option<Duration>>,
        /// What ACR may fall to.
        #[key(default = "\"sum\"")]
        floor: Floor,
        /// Not in the paper: no increase unless ACR is at most SR (1 + `hold`), as with `count`.
        #[key(is = Decimal { min: 0.0, max: 1.0 }, otherwise = "increases are not held back")]
        #[key(cite = "")]
        hold: Option<f64>,
    },
    /// As `baseline`, with a small TDF.
    #[word(cite = "Kalyanaraman et al. 1998, section 5.4")]
    Joint { tdf: Option<f64>, rule_5b: bool },
}

/// Words of `floor`: What ACR may fall to.
#[word]
pub(crate) enum Floor {
    /// `headroom` + SR.
    Sum,
    /// The larger of `headroom` and `tof` SR.
    Product,
}

/// Words of `rm`: When a forward RM cell is sent that is due by count.
#[word]
pub(crate) enum Rm {
    /// At its turn, though nothing else waits.
    Eager,
    /// Together with the next data or backward RM cell that waits.
    Lazy,
}

/// Words of `turn_around`: What becomes of RM cells that wait at the destination to be turned
/// around.
#[word(of = spec::TurnAround)]
pub(crate) enum TurnAround {
    /// All go back, in order.
    Queue,
    /// The newest takes the place of those that wait.
    Latest,
}

/// Words of `rate_format`: How rates are written into RM cells.
#[word(of = spec::RateFormat)]
pub(crate) enum RateFormat {
    /// Whole bits per second.
    Exact,
    /// nz 2^e (1 + m/512) cells per second, e of 5 bits and m of 9, rounded down.
    #[word(name = "16-bit", of = Bits16)]
    SixteenBit,
}
