//! TCP: who spaces segments, what a host hands down at once, and what BBR needs.

use backwater_ends::spec::{BurstSpec, Ecn, Queued, Recovery, TcpSpec};

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
    if spec.recovery != Recovery::Sack {
        let why = match spec.recovery {
            Recovery::Rack => "with `recovery = \"rack\"` it is not told what was delivered",
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno | Recovery::Sack => {
                "what is delivered is not known without them"
            }
        };
        Diagnostic::error("bbr-needs", "BBR goes by selective acknowledgements")
            .at(place, why)
            .help("write `recovery = \"sack\"`, or a preset that has it (`linux-3`, `dctcp`)")
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
    if let (Some(at), true) = (tcp.burst.place(), spec.recovery == Recovery::Rack) {
        Diagnostic::error(
            "bad-window",
            "losses that go by time are of segments one by one",
        )
        .at(at, "`recovery` is `rack`")
        .help("write `recovery = \"sack\"`, or leave `burst` out")
        .tell(mistakes);
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
