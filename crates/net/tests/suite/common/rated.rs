//! ABR circuits that keep their rate: no port tells them another.

use backwater_kernel::{Duration, Rate};
use backwater_net::spec::*;

use super::{Net, RATE};

/// Flows 0 and 1 are the two directions of a circuit that sends at `icr`; every fourth cell is a
/// forward RM cell, but for backward ones.
pub fn over_abr(net: &mut Net, icr: Rate) {
    let abr = AbrSpec {
        pcr: RATE,
        mcr: Rate(0),
        icr,
        nrm: 4,
        mrm: 2,
        trm: Duration(100_000_000_000),
        rif: 0.0,
        rdf: 0.0,
        crm: 1000,
        cdf: 0.0,
        tcr: Rate(0),
        is_eager: false,
        counts_backward: false,
        turn_around: TurnAround::Queue,
        format: RateFormat::Exact,
        uili: UiliSpec::None,
    };
    for (flow, partner) in [(0, 1), (1, 0)] {
        net.spec.flows[flow].source_control = SourceControlSpec::Abr(abr);
        net.spec.flows[flow].partner = Some(partner);
    }
}
