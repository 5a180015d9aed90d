//! Use-it-or-lose-it policies that never act, or never stop.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Rate, Time};
use backwater_net::spec::{TrafficSpec, UiliSpec};

use super::{Circuit, bps};
use crate::given::circuits::source::Uili;
use crate::prelude::*;

pub(super) fn check(circuit: &Circuit<'_>, stop_at: Time, mistakes: &mut Diagnostics) {
    match &*circuit.own.uili {
        Uili::February1995 { tof, .. } => february(tof, mistakes),
        Uili::August1995 {
            tof,
            tdf_per_second,
            ..
        } => mistakes.extend(august(circuit, **tof, tdf_per_second)),
        Uili::Count {
            headroom,
            tdf,
            slack,
            ..
        } if tdf.is_none_or(|tdf| tdf > 0.0) => count(circuit, headroom, slack, mistakes),
        Uili::Time { constant, .. } if !constant.is_given => {
            mistakes.extend(slow(circuit, stop_at))
        }
        Uili::Count { .. }
        | Uili::Time { .. }
        | Uili::TimeOut { .. }
        | Uili::None
        | Uili::April1995 { .. }
        | Uili::Baseline { .. }
        | Uili::Joint { .. } => {}
    }
}

/// TOF of February 1995 counts cells.
fn february(tof: &Placed<f64>, mistakes: &mut Diagnostics) {
    if tof.fract() != 0.0 || **tof < 1.0 {
        Diagnostic::error("out-of-range", format!("`tof` can't be {} here", **tof))
            .at(&tof.at, "forward RM cells are counted")
            .note("allowed with `february-1995`: whole numbers from 1")
            .help("write `tof = 2`")
            .tell(mistakes);
    }
}

/// Reductions start when ACR is above TOF SR and take T TDF of it. If that leaves ACR above SR
/// for every source at ICR or faster, ACR settles at TOF SR and the floor ICR is out of reach.
fn august(circuit: &Circuit<'_>, tof: f64, given: &Placed<f64>) -> Option<Diagnostic> {
    let tdf = **given;
    if tdf == 0.0 || tof <= 1.0 {
        return None;
    }
    let slowest = slowest_rate(circuit).0.max(circuit.spec.icr.0).max(1);
    let bits = f64::from(circuit.spec.nrm) * circuit.path.cell_bits as f64;
    let seconds = bits / slowest as f64;
    let least = (1.0 - 1.0 / tof) / seconds;
    if tdf >= least {
        return None;
    }
    Diagnostic::warning("slow", "TDF is so small that ACR never comes near ICR")
        .at(&given.at, format!("{tdf} per second"))
        .note(format!(
            "at {} a forward RM cell is sent every {:.3} ms, and each takes {:.2} % of ACR: \
                 reductions end near TOF SR",
            bps(Rate(slowest)),
            1e3 * seconds,
            100.0 * tdf * seconds
        ))
        .note("`tdf_per_second` is in 1/s: it is multiplied by the time T")
        .help(format!(
            "{:.0} or more lets ACR fall below SR",
            least.ceil()
        ))
        .help("for a share of ACR at each RM cell, use `kind = \"baseline\"` with `tdf`")
        .into()
}

/// The least limit of a bottlenecked application, or 0.
fn slowest_rate(circuit: &Circuit<'_>) -> Rate {
    match &circuit.flow.traffic {
        TrafficSpec::Bottlenecked { limits, .. } => {
            let rates = limits.iter().filter_map(|limit| limit.rate);
            rates.min().unwrap_or(Rate(0))
        }
        _ => Rate(0),
    }
}

/// Settings with which ACR stays down.
fn count(
    circuit: &Circuit<'_>,
    headroom: &Placed<Option<Rate>>,
    slack: &Placed<f64>,
    mistakes: &mut Diagnostics,
) {
    let mut warn = |at: &At, what: &str, why: &str, help: &str| {
        Diagnostic::warning("never-increases", what)
            .at(at, why)
            .note("ACR rises only while the source is seen to use it, and SR is at most ACR")
            .help(help)
            .tell(mistakes);
    };
    if headroom.is_some_and(|rate| rate.0 == 0) {
        warn(
            &headroom.at,
            "without headroom ACR never increases for long",
            "every pause takes it down to SR",
            "1 Mbps is the paper's in Figure 6, 10 Mbps its advice",
        );
    }
    if **slack == 0.0 {
        warn(
            &slack.at,
            "without slack ACR never increases once it fell",
            "gaps are rounded up, so SR is always a little below ACR",
            "leave `slack` out",
        );
    }
    if !circuit.spec.counts_backward {
        warn(
            &circuit.own.counts_backward.at,
            "ACR never increases once it fell",
            "SR counts Nrm cells where Nrm and backward RM cells were sent",
            "leave `counts_backward` out, or use another policy",
        );
    }
}

fn slow(circuit: &Circuit<'_>, stop_at: Time) -> Option<Diagnostic> {
    let UiliSpec::Time { constant, .. } = circuit.spec.uili else {
        return None;
    };
    if constant.0 <= stop_at.ps() {
        return None;
    }
    let (own, constant) = (circuit.own, constant.seconds());
    let cell = circuit.path.cell_bits as f64 / circuit.spec.pcr.0.max(1) as f64;
    let run = format!("Tc is {constant:.2} s, longer than the run");
    Diagnostic::warning("slow", "the time-based policy hardly ever acts")
        .at(&own.uili.at, run)
        .at(&own.tbe.at, "from this")
        .note(format!(
            "Tc = max(2 FRTT, TBE / PCR) = max({:.3} s, {:.3} s)",
            2.0 * frtt_seconds(circuit),
            f64::from(*own.tbe) * cell
        ))
        .help("give `tbe` (4096 in the paper's Figure 6), or `constant`")
        .into()
}

fn frtt_seconds(circuit: &Circuit<'_>) -> f64 {
    let frtt = circuit.own.frtt;
    frtt.unwrap_or(circuit.path.round_trip).ps() as f64 / PS_PER_SECOND as f64
}
