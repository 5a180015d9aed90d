//! TCP: a flavour, and what the file changes of it.

use ethernet::spec::TCP_IP_BYTES;
use kernel::{Duration, Rate};
use transport::spec::{AckSpec, Congestion, Ecn, Recovery, Reuse, TcpSpec};

use super::layers::Layers;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::{Datum, Record};
use crate::source::At;

const FAST_TICK: Duration = Duration(200_000_000_000);
const ACK_DELAY: Duration = Duration(40_000_000_000);

/// The TCP of a flow; `is_marked` if queues of its class mark.
pub(crate) fn tcp(
    root: &Record,
    flow: &Record,
    is_marked: bool,
    mistakes: &mut Diagnostics,
) -> TcpSpec {
    let own = flow.record("tcp");
    let starts_anew = own.is_some_and(|own| own.field("preset").is_some());
    let common = root.record("tcp").filter(|_| !starts_anew);
    let layers = common.into_iter().chain(own).collect();
    let place = &root.record("tcp").unwrap_or(root).at;
    let usual = Usual {
        mss: usual_mss(root),
        is_marked,
    };
    flavour(layers, usual, place, mistakes)
}

/// A full segment fills the MTU that the file gives; without one the preset says its size.
fn usual_mss(root: &Record) -> Option<u32> {
    let link = root.record("link").filter(|link| link.given("mtu"))?;
    Some(link.count("mtu")?.saturating_sub(TCP_IP_BYTES))
}

/// What the network says where the tables of TCP say nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usual {
    /// A full segment; goes before that of the preset.
    pub mss: Option<u32>,
    /// Frames may be marked.
    pub is_marked: bool,
}

/// The TCP that these tables describe, the last winning; `place` is where to point for what none
/// of them says.
pub(crate) fn flavour(
    tables: Vec<&Record>,
    usual: Usual,
    place: &At,
    mistakes: &mut Diagnostics,
) -> TcpSpec {
    let layers = Layers(tables);
    let mut spec = match (layers.word("preset"), layers.word("ecn")) {
        (Some("bsd"), _) => TcpSpec::bsd(),
        (Some("bsd-full"), _) => TcpSpec::bsd_full(),
        (Some("dctcp"), _) | (None, Some("dctcp")) => TcpSpec::dctcp(),
        (None, None) if usual.is_marked => TcpSpec::dctcp(),
        _ => TcpSpec::modern(),
    };
    spec.mss_bytes = usual.mss.unwrap_or(spec.mss_bytes);
    let count = |key: &str| {
        layers
            .whole(key)
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    };
    let set = |to: &mut u32, key: &str| *to = count(key).unwrap_or(*to);
    set(&mut spec.mss_bytes, "mss");
    set(&mut spec.initial_window_segments, "initial_window");
    set(&mut spec.window_bytes, "window");
    set(&mut spec.duplicate_threshold, "duplicate_threshold");
    spec.idle_restart = layers.truth("idle_restart").unwrap_or(spec.idle_restart);
    growth(&layers, &mut spec, mistakes);
    spec.recovery = match layers.word("recovery") {
        Some("tahoe") => Recovery::Tahoe,
        Some("reno") => Recovery::Reno,
        Some("new-reno") => Recovery::NewReno,
        Some("sack") => Recovery::Sack,
        _ => spec.recovery,
    };
    spec.reuse = match layers.word("reuse") {
        Some("persistent") => Reuse::Persistent,
        Some("fresh-window") => Reuse::FreshWindow,
        Some("handshake") => Reuse::Handshake,
        _ => spec.reuse,
    };
    timer(&layers, &mut spec, mistakes);
    spec.acks = acks(&layers, spec.acks, mistakes);
    spec.ecn = ecn(&layers, spec.ecn, mistakes);
    windows(&layers, place, &spec, mistakes);
    spec
}

/// The presets of the 1990s.
const OLD: [&str; 2] = ["bsd", "bsd-full"];
/// From here on they are warned of.
const FAST: Rate = Rate(10_000_000_000);

/// A preset of the 1990s, chosen in one of these tables, where a link is so fast that its window
/// and its timers decide the result.
pub(crate) fn old_on_fast(
    tables: Vec<&Record>,
    spec: &TcpSpec,
    (rate, channel): (Rate, &dyn Fn() -> String),
    mistakes: &mut Diagnostics,
) {
    let layers = Layers(tables);
    let Some((table, field)) = layers.last(&["preset"]).filter(|_| rate >= FAST) else {
        return;
    };
    let word = table.word("preset");
    if !OLD.contains(&word) {
        return;
    }
    let window_us = f64::from(spec.window_bytes) * 8e6 / rate.0 as f64;
    mistakes.push(
        Diagnostic::warning("old-tcp", "TCP of the 1990s on a fast link")
            .at(
                field.at.clone(),
                format!(
                    "`{word}`: a window of {} B, time-outs of {} s and more",
                    spec.window_bytes,
                    spec.timer.min_rto.seconds()
                ),
            )
            .note(format!(
                "on `{}`, {} Gbps, the window is gone in {window_us:.1} us; the rest of \
                 each round trip it is idle",
                channel(),
                rate.0 as f64 / 1e9
            ))
            .help("leave `preset` out: TCP is `modern` then, and `dctcp` where queues mark"),
    );
}

fn growth(layers: &Layers<'_>, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    let eighth = layers.truth("eighth");
    spec.congestion = match (layers.word("congestion"), spec.congestion) {
        (Some("cubic"), _) => Congestion::Cubic,
        (Some("reno"), Congestion::Cubic) => Congestion::Reno { eighth: false },
        (_, preset) => preset,
    };
    match (&mut spec.congestion, eighth) {
        (Congestion::Reno { eighth }, Some(given)) => *eighth = given,
        (Congestion::Cubic, Some(true)) => {
            meaningless(
                layers,
                "eighth",
                "the congestion control is `cubic`",
                mistakes,
            );
        }
        _ => {}
    }
}

fn timer(layers: &Layers<'_>, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    let timer = &mut spec.timer;
    match layers.datum("tick") {
        Some(Datum::Word(_)) => timer.tick = None,
        Some(_) => timer.tick = layers.duration("tick"),
        None => {}
    }
    let span = |key: &str, usual: Duration| layers.duration(key).unwrap_or(usual);
    timer.initial_rto = span("initial_rto", timer.initial_rto);
    timer.min_rto = span("min_rto", timer.min_rto);
    timer.max_rto = span("max_rto", timer.max_rto);
    let given = layers.last(&["min_rto", "max_rto", "initial_rto"]);
    if let (true, Some((_, field))) = (timer.min_rto > timer.max_rto, given) {
        mistakes.push(
            Diagnostic::error("bad-times", "the least time-out is above the largest")
                .at(
                    field.at.clone(),
                    format!(
                        "{} s to {} s",
                        timer.min_rto.seconds(),
                        timer.max_rto.seconds()
                    ),
                )
                .help("lower `min_rto` or raise `max_rto`"),
        );
    }
}

fn acks(layers: &Layers<'_>, preset: AckSpec, mistakes: &mut Diagnostics) -> AckSpec {
    let given = layers.duration("ack_delay");
    let known = match preset {
        AckSpec::Every => None,
        AckSpec::Delayed(delay) | AckSpec::DelayedTick(delay) => Some(delay),
    };
    let kept = |same: bool| known.filter(|_| same);
    match (layers.word("acks"), preset) {
        (Some("every"), _) | (None, AckSpec::Every) => {
            if given.is_some() {
                meaningless(
                    layers,
                    "ack_delay",
                    "each segment is acknowledged at once",
                    mistakes,
                );
            }
            AckSpec::Every
        }
        (Some("delayed-tick"), _) | (None, AckSpec::DelayedTick(_)) => {
            let same = kept(matches!(preset, AckSpec::DelayedTick(_)));
            AckSpec::DelayedTick(given.or(same).unwrap_or(FAST_TICK))
        }
        _ => {
            let same = kept(matches!(preset, AckSpec::Delayed(_)));
            AckSpec::Delayed(given.or(same).unwrap_or(ACK_DELAY))
        }
    }
}

fn ecn(layers: &Layers<'_>, preset: Ecn, mistakes: &mut Diagnostics) -> Ecn {
    let gain = layers.whole("gain_shift");
    let mut ecn = match (layers.word("ecn"), preset) {
        (Some("off"), _) => Ecn::Off,
        (Some("classic"), _) => Ecn::Classic,
        (Some("dctcp"), Ecn::Dctcp { .. }) | (None, _) => preset,
        _ => Ecn::Dctcp { gain_shift: 4 },
    };
    match (&mut ecn, gain) {
        (Ecn::Dctcp { gain_shift }, Some(gain)) => *gain_shift = gain as u8,
        (_, Some(_)) => meaningless(layers, "gain_shift", "only DCTCP has a gain", mistakes),
        _ => {}
    }
    ecn
}

fn windows(layers: &Layers<'_>, place: &At, spec: &TcpSpec, mistakes: &mut Diagnostics) {
    let at = || {
        let given = layers.last(&["initial_window", "window", "mss"]);
        given.map_or_else(|| place.clone(), |(_, field)| field.at.clone())
    };
    let (mss, window) = (spec.mss_bytes, spec.window_bytes);
    let first = u64::from(mss) * u64::from(spec.initial_window_segments);
    if window < mss {
        mistakes.push(
            Diagnostic::error("bad-window", "the window holds no segment")
                .at(at(), format!("{window} B, segments of {mss} B"))
                .help("raise `window`, or lower `mss`"),
        );
    } else if first > u64::from(window) {
        mistakes.push(
            Diagnostic::warning("bad-window", "the first window is more than the receiver's")
                .at(at(), format!("{first} B; the receiver's is {window} B"))
                .note("the receiver's window limits it from the start")
                .help("lower `initial_window`, or raise `window`"),
        );
    }
}

fn meaningless(layers: &Layers<'_>, key: &'static str, why: &str, mistakes: &mut Diagnostics) {
    if let Some(field) = layers.field(key) {
        mistakes.push(
            Diagnostic::error("no-meaning", format!("`{key}` has no meaning here"))
                .at(field.at.clone(), why)
                .help("leave it out"),
        );
    }
}
