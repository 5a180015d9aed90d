//! ABR end systems: from tables to what the simulator runs.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{AbrSpec, TimeFloor, UiliSpec};

use crate::circuits::route::Tree;
use crate::circuits::topology::Graph;
use crate::given::circuits::source::{self as given, Abr, Floor, Rm, Uili};
use crate::language::units::LONGEST_PS;

/// The way of a flow, as far as its source has to know it.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    /// Rate of the first link.
    pub first: Rate,
    /// One cell there and back, nothing else on the way.
    pub round_trip: Duration,
    pub cell_bits: u64,
}

impl Path {
    /// The way along `tree` and back over the same links.
    pub(crate) fn along(graph: &Graph, tree: &Tree, unit_bytes: u32) -> Self {
        let mut round_trip = 0_u128;
        for (channel, _) in tree {
            for channel in [*channel, *channel ^ 1] {
                let link = graph.channel_spec(channel);
                let cell = link.rate.serialization(u64::from(unit_bytes));
                round_trip += u128::from(cell.0) + u128::from(link.delay.0);
                round_trip += u128::from(link.handling.0);
            }
        }
        let first = tree
            .first()
            .map(|(channel, _)| graph.channel_spec(*channel));
        Self {
            first: first.map_or(Rate(1), |link| link.rate),
            round_trip: Duration(clip(round_trip).clamp(1, LONGEST_PS)),
            cell_bits: 8 * u64::from(unit_bytes.max(1)),
        }
    }
}

fn clip(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Whose settings these are. Those of a way back that was made are taken from the way forth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Of a flow of the file.
    Forth,
    /// The way back, with data of its own.
    Back,
    /// The way back, which carries answers only: it uses no minimum, and none is kept for it.
    Answers,
}

/// What the settings of a source come to, for checks too.
#[derive(Clone, Copy)]
pub(crate) struct Derived {
    pub pcr: Rate,
    pub mcr: Rate,
    /// As given, or the nearest to `given::ICR`, not clipped.
    pub icr: Rate,
    pub frtt: Duration,
    pub tbe: u64,
}

impl Derived {
    pub(crate) fn new(own: &Abr, path: Path, way: Way) -> Self {
        let pcr = own.pcr.unwrap_or(path.first);
        let mcr = match way {
            Way::Answers => own.mcr.min(pcr),
            Way::Forth | Way::Back => *own.mcr,
        };
        let usual = Rate(given::ICR.value.0.min(pcr.0).max(mcr.0));
        Self {
            pcr,
            mcr,
            icr: match (*own.icr, way) {
                (Some(icr), Way::Forth) => icr,
                (Some(icr), Way::Back | Way::Answers) => icr.min(pcr),
                (None, _) => usual,
            },
            frtt: own.frtt.unwrap_or(path.round_trip),
            tbe: u64::from(*own.tbe),
        }
    }

    /// TBE cells in FRTT.
    pub(crate) fn exposed(&self, cell_bits: u64) -> Rate {
        let bits = u128::from(self.tbe) * u128::from(cell_bits);
        Rate(clip(
            bits * u128::from(PS_PER_SECOND) / u128::from(self.frtt.0.max(1)),
        ))
    }

    /// CRM = min(TBE / Nrm, PCR FRTT / Nrm), at least 1.
    fn crm(&self, nrm: u32, cell_bits: u64) -> u32 {
        let bits = self.pcr.bits_in(self.frtt);
        let cells = clip(bits / u128::from(cell_bits)).min(self.tbe);
        u32::try_from(cells / u64::from(nrm.max(1)))
            .unwrap_or(u32::MAX)
            .max(1)
    }

    /// Tc = max(2 FRTT, TBE / PCR), the second rounded up.
    pub(crate) fn time_constant(&self, cell_bits: u64) -> Duration {
        let bits = u128::from(self.tbe) * u128::from(cell_bits) * u128::from(PS_PER_SECOND);
        let exposure = clip(bits.div_ceil(u128::from(self.pcr.0.max(1))));
        Duration(exposure.max(self.frtt.0.saturating_mul(2)).min(LONGEST_PS))
    }
}

/// The source control of an ABR flow.
pub(crate) fn spec(own: &Abr, path: Path, way: Way) -> AbrSpec {
    let derived = Derived::new(own, path, way);
    let most = match own.clip_icr {
        true => derived.exposed(path.cell_bits).0.max(derived.mcr.0),
        false => u64::MAX,
    };
    let icr = Rate(derived.icr.0.min(most));
    let crm = || derived.crm(*own.nrm, path.cell_bits);
    let uili = own.uili.sure();
    AbrSpec {
        pcr: derived.pcr,
        mcr: derived.mcr,
        icr,
        nrm: *own.nrm,
        mrm: own.mrm,
        trm: own.trm,
        rif: own.rif,
        rdf: own.rdf,
        crm: own.crm.unwrap_or_else(crm),
        cdf: own.cdf,
        tcr: own.tcr,
        is_eager: own.rm == Rm::Eager,
        counts_backward: *own.counts_backward,
        turn_around: own.turn_around.into(),
        format: own.rate_format.into(),
        uili: uili.map_or(UiliSpec::None, |uili| policy(uili, &derived, icr, path)),
    }
}

/// What is done about an allocation that is not used.
fn policy(own: &Uili, derived: &Derived, icr: Rate, path: Path) -> UiliSpec {
    match own {
        Uili::TimeOut { adtf } => UiliSpec::TimeOut { adtf: *adtf },
        Uili::None => UiliSpec::None,
        Uili::February1995 { tof, rdf } => UiliSpec::February1995 {
            tof: **tof as u32,
            rdf_cells: *rdf,
        },
        Uili::April1995 {
            tof,
            rdf,
            floor_icr,
        } => UiliSpec::April1995 {
            tof: **tof,
            rdf_cells: *rdf,
            floor_icr: *floor_icr,
        },
        Uili::August1995 {
            tof,
            tdf_per_second,
            rule_5b,
        } => UiliSpec::August1995 {
            tof: **tof,
            tdf_per_second: **tdf_per_second,
            rule_5b: *rule_5b,
        },
        Uili::Baseline { tdf, rule_5b } => UiliSpec::Baseline {
            tdf: tdf.unwrap_or(given::TDF.value),
            rule_5b: *rule_5b,
        },
        Uili::Joint { tdf, rule_5b } => UiliSpec::Joint {
            tdf: tdf.unwrap_or(given::JOINT_TDF.value),
            rule_5b: *rule_5b,
        },
        Uili::Count {
            tdf,
            headroom,
            pr5,
            slack,
        } => UiliSpec::Count {
            headroom: headroom.unwrap_or(given::HEADROOM.value),
            tdf: tdf.unwrap_or(given::TDF.value),
            pr5: *pr5,
            slack: **slack,
        },
        Uili::Time {
            tof,
            rule_5b,
            headroom,
            constant,
            floor,
            hold,
        } => UiliSpec::Time {
            constant: constant.unwrap_or_else(|| derived.time_constant(path.cell_bits)),
            floor: match floor {
                Floor::Sum => TimeFloor::Sum,
                Floor::Product => TimeFloor::Product { tof: **tof },
            },
            headroom: headroom.unwrap_or(icr),
            rule_5b: *rule_5b,
            hold: *hold,
        },
    }
}
