//! TCP: a flavour, and what the file changes of it.

use backwater_ends::spec::{AckSpec, Congestion, Ecn, Recovery, SlowStart, TcpSpec};
use backwater_kernel::{Duration, Rate};

use crate::given::tcp::{self as given, Acks, EcnAnswer, Preset, Tcp};
use crate::language::kinds::OrWord;
use crate::language::typed::Word;
use crate::prelude::*;

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
    layers: &[&Tcp],
    usual: Usual,
    place: &At,
    mistakes: &mut Diagnostics,
) -> TcpSpec {
    let Some((first, rest)) = layers.split_first() else {
        return TcpSpec::modern();
    };
    let tcp = &rest
        .iter()
        .fold((*first).clone(), |below, own| own.over(&below));
    let mut spec = match (tcp.preset.value, *tcp.ecn) {
        (Some(Preset::Bsd), _) => TcpSpec::bsd(),
        (Some(Preset::BsdFull), _) => TcpSpec::bsd_full(),
        (Some(Preset::Dctcp), _) | (None, Some(EcnAnswer::Dctcp)) => TcpSpec::dctcp(),
        (None, None) if usual.is_marked => TcpSpec::dctcp(),
        (Some(Preset::Linux3), _) => TcpSpec::linux_3(),
        (Some(Preset::Linux6), _) => TcpSpec::linux_6(),
        (Some(Preset::Modern), _) | (None, _) => TcpSpec::modern(),
    };
    spec.mss_bytes = tcp.mss.or(usual.mss).unwrap_or(spec.mss_bytes);
    let set = |to: &mut u32, given: Option<u32>| *to = given.unwrap_or(*to);
    set(&mut spec.initial_window_segments, *tcp.initial_window);
    set(&mut spec.window_bytes, *tcp.window);
    set(&mut spec.duplicate_threshold, tcp.duplicate_threshold);
    spec.idle_restart = tcp.idle_restart.unwrap_or(spec.idle_restart);
    growth(tcp, &mut spec, mistakes);
    spec.recovery = tcp.recovery.map_or(spec.recovery, Into::into);
    spec.reuse = tcp.reuse.map_or(spec.reuse, Into::into);
    by_time(tcp, &mut spec, mistakes);
    spec.quick_acks = tcp.quick_acks.unwrap_or(spec.quick_acks);
    // Zero: to be that of the flow's path.
    spec.handshake_rtt = match tcp.handshake_rtt {
        Some(given) => given.then_some(Duration::ZERO),
        None => spec.handshake_rtt,
    };
    timer(layers, tcp, &mut spec, mistakes);
    spec.acks = acks(tcp, spec.acks, mistakes);
    spec.ecn = ecn(tcp, spec.ecn, mistakes);
    super::spacing::spacing(layers, tcp, &mut spec, mistakes);
    windows(layers, place, &spec, mistakes);
    spec
}

/// From here on presets of the 1990s are warned of.
const FAST: Rate = Rate(10_000_000_000);

/// A preset of the 1990s, chosen in one of these tables, where a link is so fast that its window
/// and its timers decide the result.
pub(crate) fn old_on_fast(
    layers: &[&Tcp],
    spec: &TcpSpec,
    (rate, channel): (Rate, &dyn Fn() -> String),
) -> Option<Diagnostic> {
    let chosen = layers.iter().rev().find(|tcp| tcp.preset.is_some());
    let preset = chosen.map(|tcp| &tcp.preset).filter(|_| rate >= FAST)?;
    let word = match preset.value {
        Some(old @ (Preset::Bsd | Preset::BsdFull)) => old.word(),
        Some(Preset::Linux3 | Preset::Linux6 | Preset::Modern | Preset::Dctcp) | None => {
            return None;
        }
    };
    let window_us = f64::from(spec.window_bytes) * 8e6 / rate.0 as f64;
    Diagnostic::warning("old-tcp", "TCP of the 1990s on a fast link")
        .at(
            &preset.at,
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
        .help("leave `preset` out: TCP is `modern` then, and `dctcp` where queues mark")
        .into()
}

/// The tables that say what the TCP of a flow is, the last winning; with a `preset` of its own it
/// starts anew from that.
pub(crate) fn layers<'a>(common: &'a Tcp, own: Option<&'a Tcp>) -> Vec<&'a Tcp> {
    let starts_anew = own.is_some_and(|own| own.preset.is_some());
    let common = (!starts_anew).then_some(common);
    common.into_iter().chain(own).collect()
}

/// Of some keys, the place of the first in the last table that has any.
pub(super) fn last<'a, const N: usize>(
    layers: &[&'a Tcp],
    places: impl Fn(&'a Tcp) -> [Option<&'a At>; N],
) -> Option<&'a At> {
    let mut layers = layers.iter().rev();
    layers.find_map(|tcp| places(tcp).into_iter().flatten().next())
}

fn growth(tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    match (*tcp.congestion, &spec.congestion) {
        (Some(given::Congestion::Cubic), _) => spec.congestion = Congestion::Cubic,
        (Some(given::Congestion::Reno), Congestion::Cubic | Congestion::Bbr | Congestion::Bbr3) => {
            spec.congestion = Congestion::Reno { eighth: false };
        }
        (Some(given::Congestion::Bbr), _) => spec.congestion = Congestion::Bbr,
        (Some(given::Congestion::Bbr3), _) => spec.congestion = Congestion::Bbr3,
        (Some(given::Congestion::Reno) | None, _) => {}
    }
    match (&mut spec.congestion, *tcp.eighth) {
        (Congestion::Reno { eighth }, Some(given)) => *eighth = given,
        (Congestion::Cubic | Congestion::Bbr | Congestion::Bbr3, Some(true)) => {
            let why = "only Reno has that term";
            mistakes.push(Diagnostic::useless_here("eighth", &tcp.eighth.at, why));
        }
        (
            Congestion::Cubic | Congestion::Bbr | Congestion::Bbr3 | Congestion::Outside(_),
            Some(_),
        )
        | (_, None) => {}
    }
}

/// What needs losses by time; what a preset has of it goes with them.
fn by_time(tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    let has_times = spec.recovery == Recovery::Rack;
    let has_start = has_times && spec.congestion == Congestion::Cubic;
    let given = [
        (
            "tail_loss_probe",
            &tcp.tail_loss_probe,
            &mut spec.tail_probe,
        ),
        ("prr", &tcp.prr, &mut spec.is_proportional),
        ("dsack_undo", &tcp.dsack_undo, &mut spec.undo),
    ];
    for (key, given, is_on) in given {
        *is_on = has_times && given.unwrap_or(*is_on);
        if let (Some(true), false) = (given.value, has_times) {
            let why = "losses do not go by time: `recovery` is not `rack`";
            mistakes.push(Diagnostic::useless_here(key, &given.at, why));
        }
    }
    let start = tcp.slow_start.map_or(spec.slow_start, Into::into);
    spec.slow_start = if has_start { start } else { SlowStart::Loss };
    let is_given = tcp
        .slow_start
        .is_some_and(|it| it != given::SlowStart::Loss);
    if is_given && !has_start {
        let why = match has_times {
            true => "the congestion control is not `cubic`",
            false => "not every acknowledgement is timed: `recovery` is not `rack`",
        };
        mistakes.push(Diagnostic::useless_here(
            "slow_start",
            &tcp.slow_start.at,
            why,
        ));
    }
}

fn timer(layers: &[&Tcp], tcp: &Tcp, spec: &mut TcpSpec, mistakes: &mut Diagnostics) {
    let timer = &mut spec.timer;
    timer.tick = tcp.tick.map_or(timer.tick, OrWord::value);
    timer.initial_rto = tcp.initial_rto.unwrap_or(timer.initial_rto);
    timer.min_rto = tcp.min_rto.unwrap_or(timer.min_rto);
    timer.max_rto = tcp.max_rto.unwrap_or(timer.max_rto);
    let given = last(layers, |tcp| {
        [
            tcp.min_rto.place(),
            tcp.max_rto.place(),
            tcp.initial_rto.place(),
        ]
    });
    if let (true, Some(at)) = (timer.min_rto > timer.max_rto, given) {
        Diagnostic::error("bad-times", "the least time-out is above the largest")
            .at(
                at,
                format!(
                    "{} s to {} s",
                    timer.min_rto.seconds(),
                    timer.max_rto.seconds()
                ),
            )
            .help("lower `min_rto` or raise `max_rto`")
            .tell(mistakes);
    }
}

fn acks(tcp: &Tcp, preset: AckSpec, mistakes: &mut Diagnostics) -> AckSpec {
    let word = tcp.acks.unwrap_or(match preset {
        AckSpec::Every => Acks::Every,
        AckSpec::DelayedTick(_) => Acks::DelayedTick,
        AckSpec::Delayed { .. } => Acks::Delayed,
    });
    let of_preset = match (word, preset) {
        (Acks::DelayedTick, AckSpec::DelayedTick(usual)) => Some(usual),
        (Acks::Delayed, AckSpec::Delayed { after, .. }) => Some(after),
        _ => None,
    };
    let delay = tcp.ack_delay.or(of_preset);
    if let (Some(at), true) = (tcp.push.place(), word != Acks::Delayed) {
        let why = "acknowledgements are not `delayed`";
        mistakes.push(Diagnostic::useless_here("push", at, why));
    }
    match word {
        Acks::Every => {
            if let Some(at) = tcp.ack_delay.place() {
                let why = "each segment is acknowledged at once";
                mistakes.push(Diagnostic::useless_here("ack_delay", at, why));
            }
            AckSpec::Every
        }
        Acks::DelayedTick => AckSpec::DelayedTick(delay.unwrap_or(given::FAST_TICK.value)),
        Acks::Delayed => AckSpec::Delayed {
            after: delay.unwrap_or(given::ACK_DELAY.value),
            push: tcp.push.unwrap_or(true),
        },
    }
}

fn ecn(tcp: &Tcp, preset: Ecn, mistakes: &mut Diagnostics) -> Ecn {
    let mut ecn = match (*tcp.ecn, preset) {
        (Some(EcnAnswer::Off), _) => Ecn::Off,
        (Some(EcnAnswer::Classic), _) => Ecn::Classic,
        (Some(EcnAnswer::Dctcp), Ecn::Dctcp { .. }) | (None, _) => preset,
        (Some(EcnAnswer::Dctcp), Ecn::Off | Ecn::Classic) => Ecn::Dctcp {
            gain_shift: given::GAIN_SHIFT.value,
        },
    };
    match (&mut ecn, *tcp.gain_shift) {
        (Ecn::Dctcp { gain_shift }, Some(gain)) => *gain_shift = gain,
        (Ecn::Off | Ecn::Classic, Some(_)) => {
            let why = "only DCTCP has a gain";
            mistakes.push(Diagnostic::useless_here(
                "gain_shift",
                &tcp.gain_shift.at,
                why,
            ));
        }
        (_, None) => {}
    }
    ecn
}

fn windows(layers: &[&Tcp], place: &At, spec: &TcpSpec, mistakes: &mut Diagnostics) {
    let at = || {
        let given = last(layers, |tcp| {
            [
                tcp.initial_window.place(),
                tcp.window.place(),
                tcp.mss.place(),
            ]
        });
        given.unwrap_or(place).clone()
    };
    let (mss, window) = (spec.mss_bytes, spec.window_bytes);
    let first = u64::from(mss) * u64::from(spec.initial_window_segments);
    if window < mss {
        Diagnostic::error("bad-window", "the window holds no segment")
            .at(&at(), format!("{window} B, segments of {mss} B"))
            .help("raise `window`, or lower `mss`")
            .tell(mistakes);
    } else if first > u64::from(window) {
        Diagnostic::warning("bad-window", "the first window is more than the receiver's")
            .at(&at(), format!("{first} B; the receiver's is {window} B"))
            .note("the receiver's window limits it from the start")
            .help("lower `initial_window`, or raise `window`")
            .tell(mistakes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_of_dctcp_is_that_of_the_preset() {
        let gain_shift = given::GAIN_SHIFT.value;
        assert_eq!(TcpSpec::dctcp().ecn, Ecn::Dctcp { gain_shift });
    }
}
