//! A control that spaces segments, which no flavour does.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use crate::control::CongestionControl;
use crate::tcp::{HostClock, Segment};
use crate::{Endpoint, TcpSpec};

const MS: u64 = 1_000_000_000;

fn paced(tcp: &TcpSpec) -> Endpoint {
    let mut end = Endpoint::new(tcp, HostClock::default(), true);
    end.sender.control = CongestionControl::paced(Duration(MS));
    end
}

/// What goes until `until`, and when, ms.
fn sent(end: &mut Endpoint, tcp: &TcpSpec, until: Time) -> Vec<(u64, u64)> {
    let (mut found, mut now) = (Vec::new(), Time::ZERO);
    while now < until {
        while let Some(segment) = end.poll(now, tcp) {
            found.push((now.ps() / MS, segment.seq));
        }
        now = end.timer().unwrap_or(until);
        end.on_timer(now.min(until), tcp);
    }
    found
}

#[test]
fn segments_are_spaced_as_source_control_says() {
    let tcp = TcpSpec::linux_3();
    let mut end = paced(&tcp);
    let mss = u64::from(tcp.mss_bytes);
    end.send(Time::ZERO, &tcp, 4 * mss);
    let expected: Vec<(u64, u64)> = (0..4).map(|n| (n, n * mss)).collect();
    assert_eq!(sent(&mut end, &tcp, Time(10 * MS)), expected);
    assert_eq!(end.sender.slot_at(), Time::MAX, "nothing waits for a slot");
}

/// What acknowledges needs no slot.
#[test]
fn acknowledgements_do_not_wait() {
    let tcp = TcpSpec::linux_3();
    let mut end = paced(&tcp);
    let mss = u64::from(tcp.mss_bytes);
    end.send(Time::ZERO, &tcp, 2 * mss);
    assert!(end.poll(Time::ZERO, &tcp).is_some());
    assert_eq!(end.poll(Time::ZERO, &tcp), None);
    assert_eq!(end.timer(), Some(Time(MS)));
    for seq in [0, mss] {
        let data = Segment {
            seq,
            bytes: tcp.mss_bytes,
            ..Segment::default()
        };
        end.on_segment(Time(1), &tcp, &data, false);
    }
    let ack = end.poll(Time(1), &tcp).expect("an acknowledgement");
    assert_eq!((ack.bytes, ack.ack), (0, 2 * mss));
}

#[test]
fn a_control_is_told_each_round_trip_time_that_was_measured() {
    let tcp = TcpSpec::linux_3();
    let mut end = paced(&tcp);
    let mss = u64::from(tcp.mss_bytes);
    end.send(Time::ZERO, &tcp, 3 * mss);
    assert_eq!(sent(&mut end, &tcp, Time(3 * MS)).len(), 3);
    // The first is timed; the second was on its way meanwhile.
    for (at, ack) in [(5, mss), (6, 2 * mss)] {
        let ack = Segment {
            ack,
            window: tcp.window_bytes,
            flags: crate::tcp::flags::ACK,
            ..Segment::default()
        };
        end.on_segment(Time(at * MS), &tcp, &ack, false);
    }
    assert_eq!(end.sender.control.samples(), [Duration(5 * MS)]);
}
