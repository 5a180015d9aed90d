//! The published cuts, step by step; against the slow one, in random runs.

use alloc::vec::Vec;

use backwater_kernel::Stream;
use backwater_kernel::stream::Purpose;

use super::slow::{Fault, Slow};
use super::*;
use crate::spec::rates::DcqcnProfile;

const US: u64 = 1_000_000;
const LINE: Rate = Rate(100_000_000_000);

fn notified(profile: DcqcnProfile, line: Rate) -> Dcqcn {
    let mut dcqcn = Dcqcn::new(&profile.spec(line), line);
    assert_eq!(dcqcn.pacing(), None, "no limiter yet");
    notify(&mut dcqcn, Time(7 * US));
    dcqcn
}

fn notify(dcqcn: &mut Dcqcn, now: Time) {
    match dcqcn.spec.notify {
        Notify::Echo => {
            let ack = Ack {
                is_marked: true,
                ..Ack::default()
            };
            dcqcn.on_ack(now, &ack);
        }
        Notify::Window(_) | Notify::Tick(_) => {
            dcqcn.on_control(now, &Signal::Notification);
        }
    }
}

/// Calls timers as they come until `until`: when the rate changed, and to what share of line rate.
fn changes(dcqcn: &mut Dcqcn, until: Time) -> Vec<(u64, f64)> {
    let mut seen = Vec::new();
    while let Some(at) = dcqcn.timer().filter(|at| *at <= until) {
        let before = dcqcn.rate;
        dcqcn.on_timer(at);
        if dcqcn.rate != before {
            seen.push((at.0, dcqcn.rate.0 as f64 / dcqcn.line.0 as f64));
        }
    }
    seen
}

#[test]
fn paper_form_halves_at_once_and_recovers_by_halves() {
    let mut dcqcn = notified(DcqcnProfile::Paper, LINE);
    assert_eq!(dcqcn.pacing(), Some(Rate(LINE.0 / 2)));
    let steps = changes(&mut dcqcn, Time(7 * US + 4 * 55 * US));
    let at = |n: u64| 7 * US + n * 55 * US;
    let expected = [
        (at(1), 0.75),
        (at(2), 0.875),
        (at(3), 0.9375),
        (at(4), 0.96875),
    ];
    assert_eq!(steps, expected);
    // The fifth is additive: 40 Mb/s on the target.
    dcqcn.on_timer(Time(at(5)));
    assert_eq!(dcqcn.target, Rate(LINE.0 + 40_000_000));
}

#[test]
fn nic_form_cuts_at_the_next_look() {
    for (profile, ticks, first, gain) in [
        (DcqcnProfile::Artifact, 4, 1.0, 1.0 / 256.0),
        (DcqcnProfile::ArtifactPaper, 1, 1.0, 1.0 / 256.0),
        (DcqcnProfile::Firmware, 4, 1_023.0 / 1_024.0, 5.0 / 1_024.0),
    ] {
        let mut dcqcn = notified(profile, LINE);
        assert_eq!(dcqcn.pacing(), Some(LINE), "{profile:?}: nothing is cut");
        let look = Time(7 * US) + profile.spec(LINE).decrease_interval;
        assert_eq!(dcqcn.timer(), Some(look));
        let mut alpha: f64 = first;
        for _ in 0..ticks {
            alpha *= 1.0 - gain;
        }
        assert_eq!(dcqcn.inner(look, Inner::Target), Some(LINE.0 as f64));
        dcqcn.on_timer(look);
        assert_eq!(dcqcn.inner(look, Inner::Alpha), Some(alpha));
        let cut = match profile {
            DcqcnProfile::Firmware => (alpha * 1_024.0) as u64 as f64 / 1_024.0,
            _ => alpha,
        };
        assert_eq!(dcqcn.rate, scaled(LINE, 1.0 - cut / 2.0));
        // Without another notification there is no other cut.
        let steps = changes(&mut dcqcn, look + Duration(2_000 * US));
        assert!(steps.windows(2).all(|two| two[0].1 < two[1].1));
    }
}

/// Marked once, alpha is half after 177 updates.
#[test]
fn alpha_halves_in_177_updates() {
    for (profile, tick) in [(DcqcnProfile::Paper, 55), (DcqcnProfile::Artifact, 1)] {
        let mut dcqcn = notified(profile, LINE);
        dcqcn.spec.releases = false;
        let alpha = |ticks: u64| {
            let shown = dcqcn.inner(Time((7 + ticks * tick) * US), Inner::Alpha);
            shown.unwrap_or(f64::NAN)
        };
        let below = (0..1_000).find(|ticks| alpha(*ticks) <= 0.5);
        assert_eq!(below, Some(178), "{profile:?}");
        assert!((alpha(177) - 0.5).abs() < 0.001);
    }
}

/// Marked without end, it falls to the least rate, and no further.
#[test]
fn the_least_rate_is_kept() {
    for profile in DcqcnProfile::ALL {
        let spec = profile.spec(LINE);
        let mut dcqcn = Dcqcn::new(&spec, LINE);
        for n in 0..20_000 {
            let now = Time(n * US);
            notify(&mut dcqcn, now);
            dcqcn.on_timer(now);
        }
        assert_eq!(dcqcn.rate, spec.least, "{profile:?}");
        // Below the least rate from the start: it stays there.
        let slow = Rate(300_000);
        let mut dcqcn = Dcqcn::new(&profile.spec(slow), slow);
        notify(&mut dcqcn, Time(0));
        dcqcn.on_timer(Time(4 * US));
        assert_eq!(dcqcn.rate, slow, "{profile:?}");
    }
}

/// Left alone it comes back to line rate, and asks for no timer then: a run can end.
#[test]
fn recovery_ends() {
    for profile in DcqcnProfile::ALL {
        let mut dcqcn = notified(profile, LINE);
        let mut last = 0;
        while let Some(at) = dcqcn.timer() {
            last = at.0;
            assert!(last < 60_000_000 * US, "{profile:?}: {:?}", dcqcn.rate);
            dcqcn.on_timer(at);
        }
        assert!(last > 7 * US);
        let expected = match profile.spec(LINE).releases {
            true => None,
            false => Some(LINE),
        };
        assert_eq!(dcqcn.pacing(), expected, "{profile:?}");
    }
}

/// Without a clamp only the first cut after a stage moves the target.
#[test]
fn a_burst_costs_rate_but_no_target() {
    let spec = DcqcnSpec {
        clamp: Clamp::AfterStage,
        ..DcqcnProfile::Ns3Rdma.spec(LINE)
    };
    let mut dcqcn = Dcqcn::new(&spec, LINE);
    for n in 0..3 {
        notify(&mut dcqcn, Time(n * US));
    }
    assert_eq!((dcqcn.rate, dcqcn.target), (Rate(LINE.0 / 8), LINE));
    dcqcn.on_timer(Time(62 * US));
    let rate = dcqcn.rate;
    assert_eq!(rate, Rate(LINE.0 * 9 / 16));
    notify(&mut dcqcn, Time(63 * US));
    assert_eq!(dcqcn.target, rate);
    let by_bytes = DcqcnSpec {
        clamp: Clamp::AfterBytes,
        ..spec
    };
    let mut dcqcn = Dcqcn::new(&by_bytes, LINE);
    notify(&mut dcqcn, Time(0));
    dcqcn.on_timer(Time(60 * US));
    notify(&mut dcqcn, Time(61 * US));
    assert_eq!(dcqcn.target, LINE, "a stage of the timer does not count");
}

/// A pause holds the timers up only if it is told to.
#[test]
fn timers_stand_still_on_request() {
    for (freezes, next) in [(false, 110), (true, 155)] {
        let spec = DcqcnSpec {
            freezes,
            ..DcqcnProfile::Paper.spec(LINE)
        };
        let mut dcqcn = Dcqcn::new(&spec, LINE);
        notify(&mut dcqcn, Time(0));
        dcqcn.on_stop(Time(10 * US), true);
        assert_eq!(dcqcn.timer().is_none(), freezes);
        dcqcn.on_timer(Time(60 * US));
        dcqcn.on_stop(Time(110 * US), false);
        assert_eq!(dcqcn.timer(), Some(Time(next * US)));
    }
}

/// Late calls change nothing: one is called at each timer, the other hardly ever.
#[test]
fn what_is_due_happens_at_its_own_instant() {
    for profile in DcqcnProfile::ALL {
        let spec = profile.spec(LINE);
        let (mut prompt, mut late) = (Dcqcn::new(&spec, LINE), Dcqcn::new(&spec, LINE));
        for n in 0..50 {
            let now = Time(n * 733 * US);
            for dcqcn in [&mut prompt, &mut late] {
                notify(dcqcn, now);
            }
            changes(&mut prompt, now + Duration(700 * US));
        }
        let end = Time(50 * 733 * US);
        prompt.on_timer(end);
        late.on_timer(end);
        assert_eq!((prompt.rate, prompt.target), (late.rate, late.target));
        let alpha = [&prompt, &late].map(|dcqcn| dcqcn.inner(end, Inner::Alpha));
        assert_eq!(alpha[0], alpha[1]);
    }
}

/// A spec with everything drawn.
fn drawn(stream: &mut Stream) -> DcqcnSpec {
    let profile = DcqcnProfile::ALL[stream.below(5) as usize];
    let clamps = [Clamp::Always, Clamp::AfterStage, Clamp::AfterBytes];
    DcqcnSpec {
        notify: Notify::Window(Duration(1)),
        clamp: clamps[stream.below(3) as usize],
        byte_counter: [None, Some(20_000), Some(200_000)][stream.below(3) as usize],
        stages: 1 + stream.below(5) as u32,
        first_share: [1.0, 0.5][stream.below(2) as usize],
        cuts_first: stream.below(2) == 0,
        releases: stream.below(2) == 0,
        ..profile.spec(LINE)
    }
}

/// The same calls to both: the first difference, if there is one.
fn difference(seed: u64, fault: Fault) -> Option<u32> {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let spec = drawn(&mut stream);
    let mut fast = Dcqcn::new(&spec, LINE);
    let mut slow = Slow::new(&spec, LINE, fault);
    let mut now = 0;
    for step in 0..2_000 {
        now += match stream.below(4) {
            0 => stream.below(3) * US,
            1 => stream.below(120 * US),
            2 => stream.below(2_000) * US,
            _ => 0,
        };
        // At times on the very instant of a timer.
        if let (Some(at), 0) = (fast.timer(), stream.below(3)) {
            now = now.max(at.0);
        }
        match stream.below(4) {
            0 => {
                fast.on_control(Time(now), &Signal::Notification);
                slow.notify(now);
            }
            1 => {
                let bytes = 64 + stream.below(9_000);
                fast.on_packet(Time(now), bytes as u32);
                slow.packet(now, bytes);
            }
            _ => {}
        }
        fast.on_timer(Time(now));
        slow.advance(now, true);
        let alpha = fast.inner(Time(now), Inner::Alpha);
        let same_alpha = alpha == Some(if slow.limited { slow.alpha } else { 0.0 });
        let same = (fast.rate.0, fast.target.0) == (slow.rate, slow.target);
        if !same || !same_alpha || fast.pacing().is_some() != slow.limited {
            return Some(step);
        }
    }
    None
}

#[test]
fn agrees_with_the_slow_one() {
    for seed in 0..200 {
        assert_eq!(difference(seed, Fault::None), None, "seed {seed}");
    }
}

#[test]
fn a_fault_of_the_slow_one_is_seen() {
    for fault in [
        Fault::KeepsTimer,
        Fault::AlphaLate,
        Fault::CountsOtherwise,
        Fault::ForgetsNothing,
    ] {
        let seen = (0..40).filter(|seed| difference(*seed, fault).is_some());
        assert!(seen.count() >= 5, "{fault:?}");
    }
}
