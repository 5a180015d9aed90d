//! A pipe to run schemes against; the registries of schemes.

pub(crate) mod bottleneck;
mod loops;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::*;
use crate::spec::TcpSpec;
use backwater_kernel::Duration;

/// A large window, and a time between segments.
#[derive(Clone, Debug)]
pub(crate) struct Paced {
    gap: Duration,
    free_at: Time,
    /// The round-trip times it was told.
    pub samples: Vec<Duration>,
}

impl Control for Paced {
    fn next(&mut self, now: Time, _has_data: bool) -> Next {
        match self.free_at <= now {
            true => Next::Now(Item::Data),
            false => Next::At(self.free_at),
        }
    }

    fn on_sent(&mut self, now: Time, _is_last: bool) {
        self.free_at = now + self.gap;
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack) {
        self.samples.extend(ack.rtt);
    }
}

impl CongestionControl {
    pub(crate) fn paced(gap: Duration) -> CongestionControl {
        CongestionControl::Paced(Paced {
            gap,
            free_at: Time::ZERO,
            samples: Vec::new(),
        })
    }

    /// The round-trip times it was told.
    pub(crate) fn samples(&self) -> Vec<Duration> {
        match self {
            CongestionControl::Paced(paced) => paced.samples.clone(),
            _ => Vec::new(),
        }
    }
}

/// What a unit's way to the destination and the answer's way back take.
const ROUND_TRIP: Duration = Duration(1_000);

/// Runs `control` against a pipe that loses the units of `lost` (counted as they are sent) and
/// acknowledges the rest in order: when each unit was sent, and which. The application has a
/// backlog until `until`.
fn run(control: &mut impl Control, until: Time, lost: &[usize]) -> Vec<(Time, u32)> {
    let (mut sent, mut number, mut expected) = (Vec::new(), 0, 0);
    let mut answers: VecDeque<(Time, u32)> = VecDeque::new();
    let mut now = Time::ZERO;
    while now < until {
        while answers.front().is_some_and(|answer| answer.0 <= now) {
            let arrived = answers.pop_front().map(|answer| answer.1);
            expected += (arrived == Some(expected)) as u32;
            let ack = Ack {
                expected: expected.into(),
                ..Ack::default()
            };
            control.on_ack(now, &ack);
        }
        control.on_timer(now);
        number = control.position().map_or(number, |at| at.next);
        let slot = loop {
            match control.next(now, true) {
                Next::Now(_) => control.on_sent(now, false),
                Next::At(at) => break Some(at),
                Next::Wait => break None,
            }
            if !lost.contains(&sent.len()) {
                answers.push_back((now + ROUND_TRIP, number));
            }
            sent.push((now, number));
            number += 1;
        };
        let answer = answers.front().map(|answer| answer.0);
        let next = [slot, answer, control.timer()].into_iter().flatten().min();
        now = next.unwrap_or(until);
    }
    sent
}

#[test]
fn a_window_sends_once_a_round_trip() {
    let mut control = SourceControl::new(&SourceControlSpec::Window { units: 2 }, 53);
    let sent = run(&mut control, Time(2_500), &[]);
    let times: Vec<u64> = sent.iter().map(|unit| unit.0.0).collect();
    assert_eq!(times, [0, 0, 1_000, 1_000, 2_000, 2_000]);
    assert_eq!((control.window(), control.pacing()), (2, None));
    assert_eq!(control.awaits_ack(), Some(2));
}

/// Go-back-N: what follows the lost unit 1 is sent once more, and the window starts small.
#[test]
fn aimd_sends_again_what_was_lost() {
    let spec = SourceControlSpec::Aimd {
        initial_units: 3,
        maximum_units: 8,
        increase_units: 1.0,
        decrease: 0.5,
        timeout: Duration(5_000),
    };
    let mut control = SourceControl::new(&spec, 53);
    let sent = run(&mut control, Time(6_500), &[1]);
    let first: Vec<(u64, u32)> = sent.iter().map(|unit| (unit.0.0, unit.1)).collect();
    // Unit 0 is acknowledged at 1,000, which lets one more go; then nothing until the time-out.
    assert_eq!(first[..4], [(0, 0), (0, 1), (0, 2), (1_000, 3)]);
    assert_eq!(first[4], (6_000, 1));
}

#[test]
fn a_connection_holds_the_scheme_it_was_told() {
    let start = |spec: &TcpSpec| CongestionControl::new(spec, 0);
    assert!(matches!(start(&TcpSpec::bsd()), CongestionControl::Reno(_)));
    assert!(matches!(
        start(&TcpSpec::linux_3()),
        CongestionControl::Cubic(_)
    ));
    assert!(matches!(
        start(&TcpSpec::dctcp()),
        CongestionControl::Dctcp(_)
    ));
    let over_cubic = TcpSpec {
        congestion: Congestion::Cubic,
        ..TcpSpec::dctcp()
    };
    assert!(matches!(
        start(&over_cubic),
        CongestionControl::DctcpCubic(_)
    ));
    // Reno is the smallest, and the most there are of.
    assert!(size_of::<CongestionControl>() <= 56);
}
