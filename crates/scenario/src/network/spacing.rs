//! TCP: who spaces segments, what a host hands down at once, and what BBR needs.

use backwater_ends::spec::{BurstSpec, Ecn, Queued, TcpSpec};

use super::tcp::last;
use crate::given::tcp::Tcp;
use crate::prelude::*;

/// What the tables say of it, the last winning; all else of the flavour is known.
pub(super) fn spacing(layers: &[&Tcp], tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    spec.pacing = tcp.pacing.unwrap_or(false);
    burst(tcp, spec, mistakes);
    if spec.congestion.goes_by_delivery() {
        by_delivery(layers, tcp, spec, mistakes);
    }
}

/// BBR is paced, hears of deliveries by SACK and times them exactly; it does not hear marks.
fn by_delivery(layers: &[&Tcp], tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    if let (Some(at), Some(false)) = (tcp.pacing.place(), *tcp.pacing) {
        Diagnostic::error("bbr-needs", "BBR sends at the rate that it finds")
            .at(at, "segments would not be spaced")
            .help("leave `pacing` out")
            .tell(mistakes);
    }
    if let (Some(at), true) = (tcp.ecn.place(), spec.ecn != Ecn::Off) {
        mistakes.push(Diagnostic::useless_here(
            "ecn",
            at,
            "BBR does not hear marks",
        ));
    }
    spec.ecn = Ecn::Off;
    let Some(place) = last(layers, |tcp| [tcp.congestion.place()]) else {
        return;
    };
    if !spec.recovery.has_sack() {
        Diagnostic::error("bbr-needs", "BBR goes by selective acknowledgements")
            .at(place, "what is delivered is not known without them")
            .help("write `recovery = \"rack\"` or `\"sack\"`, or a preset that has one (`modern`)")
            .tell(mistakes);
    }
    if spec.timer.tick.is_some() {
        Diagnostic::error("bbr-needs", "BBR measures round trips exactly")
            .at(place, "a timer that ticks can't measure them")
            .help("write `tick = \"exact\"`, or a preset that has it (`modern`, `dctcp`)")
            .tell(mistakes);
    }
}

/// What a host hands down at once.
fn burst(tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    spec.burst = tcp.burst.map(|most_bytes| BurstSpec {
        most_bytes,
        queued: tcp.burst_queued.map_or(Queued::Frames, Into::into),
    });
    if let (Some(at), None) = (tcp.burst_queued.place(), spec.burst) {
        let why = "segments go one by one without `burst`";
        mistakes.push(Diagnostic::useless_here("burst_queued", at, why));
    }
    if let (Some(at), Some(burst)) = (tcp.burst.place(), spec.burst)
        && burst.most_bytes < 2 * spec.mss_bytes
    {
        let size = format!("{} B, segments of {} B", burst.most_bytes, spec.mss_bytes);
        Diagnostic::error("bad-window", "a burst is of two segments at least")
            .at(at, size)
            .help("raise `burst`, or leave it out: segments go one by one then")
            .tell(mistakes);
    }
}
