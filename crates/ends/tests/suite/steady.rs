//! Windows in the steady state against the closed forms for one loss in every 1 / p segments.

use std::collections::VecDeque;

use backwater_ends::spec::{AckSpec, Congestion, Ecn, Recovery};
use backwater_ends::tcp::HostClock;
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Time};

const ROUND_TRIP: Duration = Duration(100_000_000_000);

fn spec(congestion: Congestion, recovery: Recovery) -> TcpSpec {
    let mut spec = TcpSpec::linux_3();
    spec.congestion = congestion;
    spec.recovery = recovery;
    spec.acks = AckSpec::Every;
    spec
}

/// Runs an endless transfer over a way that delays and nothing else, for so many round trips.
/// `hits` says which new segments (from 1) are lost, or marked; `look` sees the sender after each
/// arrival.
fn run(
    spec: &TcpSpec,
    rounds: u64,
    hits: impl Fn(u64) -> bool,
    mut look: impl FnMut(Time, &Endpoint),
) {
    let clock = HostClock::default();
    let mut ends = [true, false].map(|opens| Endpoint::new(spec, clock, opens));
    let mut wire: VecDeque<(Time, usize, Segment, bool)> = VecDeque::new();
    let (mut now, mut born) = (Time::ZERO, 0);
    ends[0].send(now, spec, u64::MAX / 4);
    while now < Time(ROUND_TRIP.0 * rounds) {
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(segment) = end.poll(now, spec) {
                let is_new = segment.bytes > 0 && !segment.is_again;
                born += u64::from(is_new);
                let is_hit = is_new && hits(born);
                if !is_hit || spec.ecn != Ecn::Off {
                    let at = now + Duration(ROUND_TRIP.0 / 2);
                    wire.push_back((at, 1 - from, segment, is_hit));
                }
            }
        }
        let timers = ends.iter().filter_map(Endpoint::timer);
        let timer = timers.min().unwrap_or(Time::MAX);
        match wire.front() {
            Some(&(at, to, segment, is_marked)) if at <= timer => {
                wire.pop_front();
                now = at;
                ends[to].on_segment(now, spec, &segment, is_marked);
            }
            _ => {
                now = timer;
                for end in &mut ends {
                    end.on_timer(now, spec);
                }
            }
        }
        look(now, &ends[0]);
    }
    assert_eq!(ends[0].counts().time_outs, 0);
}

/// Segments acknowledged per round trip when each `gap`-th new segment is lost, or marked.
fn segments_per_round(spec: &TcpSpec, gap: u64, rounds: u64) -> f64 {
    let warm_up = Time(ROUND_TRIP.0 * rounds / 5);
    let (mut before, mut after) = (None, 0);
    let look = |now: Time, end: &Endpoint| {
        after = end.positions().0;
        if now >= warm_up && before.is_none() {
            before = Some(after);
        }
    };
    run(spec, rounds, |born| born % gap == 0, look);
    let bytes = after - before.unwrap();
    bytes as f64 / f64::from(spec.mss_bytes) / (rounds - rounds / 5) as f64
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let off = found / expected - 1.0;
    assert!(off.abs() < tolerance, "{found} instead of {expected}");
}

/// Mathis and others (1997): sqrt(3 / (2 p)) segments a round trip, less the round trip that a
/// recovery takes and the half segment that halving leaves out, which count for more the smaller
/// the window.
#[test]
fn reno_as_the_square_root() {
    let reno = Congestion::Reno { eighth: false };
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        for (gap, tolerance) in [(500, 0.08), (8_000, 0.03)] {
            let found = segments_per_round(&spec(reno.clone(), recovery), gap, 4_000);
            assert_near(found, (1.5 * gap as f64).sqrt(), tolerance);
        }
    }
}

/// The term that BSD added makes it faster: each round trip adds cwnd / 8 more.
#[test]
fn the_eighth_is_faster() {
    let found = |eighth| {
        let spec = spec(Congestion::Reno { eighth }, Recovery::NewReno);
        segments_per_round(&spec, 500, 1_000)
    };
    assert!(found(true) > 1.5 * found(false));
}

/// Classic ECN is Reno without the losses.
#[test]
fn marks_as_losses() {
    let mut spec = spec(Congestion::Reno { eighth: false }, Recovery::Sack);
    spec.ecn = Ecn::Classic;
    let found = segments_per_round(&spec, 500, 2_000);
    assert_near(found, (1.5_f64 * 500.0).sqrt(), 0.08);
}

/// RFC 9438, section 4.2: one loss, then `W(t) = C (t - K)^3 + W_max`, with
/// `K = cbrt(0.3 W_max / C)`, from the first growth after it until well past K. The window
/// is within a round trip of it, or a tenth of a segment.
#[test]
fn cubic_as_its_curve() {
    let spec = spec(Congestion::Cubic, Recovery::Sack);
    let mss = f64::from(spec.mss_bytes);
    let (mut last, mut w_max, mut epoch, mut checked) = (0.0, 0.0, None, 0);
    let look = |now: Time, end: &Endpoint| {
        let window = end.window_bytes() as f64 / mss;
        if window < last {
            w_max = last;
            assert_near(window, 0.7 * w_max, 0.001);
        } else if window > last && w_max > 0.0 && epoch.is_none() {
            epoch = Some(now);
        }
        last = window;
        let Some(epoch) = epoch else { return };
        let from_k = now.since(epoch).seconds() - (0.3 * w_max / 0.4_f64).cbrt();
        let curve = |t: f64| 0.4 * t.powi(3) + w_max;
        let (behind, ahead) = (curve(from_k - 0.1), curve(from_k + 0.1));
        assert!(
            behind - 0.1 < window && window < ahead + 0.1,
            "{behind} {window} {ahead}"
        );
        checked += 1;
    };
    run(&spec, 130, |born| born == 300, look);
    assert!(
        checked > 20_000 && last > 1.25 * w_max,
        "{checked} {last} {w_max}"
    );
}
