//! Stages of applications by hand: what TCP says is made up.

use alloc::vec::Vec;

use super::*;

const MS_PS: u64 = 1_000_000_000;

fn connection(traffic: TrafficSpec) -> Connection {
    let tcp = TcpSpec::bsd();
    Connection::new(1, 0, &traffic, (0, &tcp), [HostClock::default(); 2])
}

fn files(think: Span, count: Option<u64>) -> Connection {
    connection(TrafficSpec::Files {
        start: Time(MS_PS),
        bytes: 5_000,
        think,
        count,
    })
}

/// The think or service time is over; returns when that was.
fn wake(connection: &mut Connection) -> u64 {
    let at_ps = connection.wakes_at_ps;
    connection.wake(Time(at_ps), &TcpSpec::bsd(), &mut Vec::new());
    at_ps
}

fn delivered(bytes: u64) -> Received {
    Received {
        delivered_bytes: bytes,
        ..Received::default()
    }
}

fn finished() -> Received {
    Received {
        is_finished: true,
        ..Received::default()
    }
}

/// Files all in, and of those at the end without their last acknowledgement.
fn unacknowledged(connection: &Connection) -> (u64, u64) {
    let outcome = connection.outcome();
    (outcome.transfers_total, outcome.unacknowledged_total)
}

#[test]
fn a_file_after_a_think_time_after_a_file() {
    let mut found = files(Span::Fixed(Duration(3)), Some(2));
    assert_eq!(wake(&mut found), MS_PS + 3);
    assert_eq!(found.wakes_at_ps, NEVER_PS);
    let now = Time(2 * MS_PS);
    found.progress(now, DESTINATION, delivered(5_000), true);
    // What the destination's end finishes is not the file.
    found.progress(now, DESTINATION, finished(), true);
    assert_eq!(found.stage, Stage::Requesting);
    assert_eq!(unacknowledged(&found), (1, 1));
    found.progress(Time(3 * MS_PS), SOURCE, finished(), true);
    assert_eq!(wake(&mut found), 3 * MS_PS + 3);
    assert_eq!(unacknowledged(&found), (1, 0));
    found.progress(Time(4 * MS_PS), DESTINATION, delivered(5_000), false);
    found.progress(Time(4 * MS_PS), SOURCE, finished(), false);
    assert_eq!(found.wakes_at_ps, NEVER_PS);
    let outcome = found.outcome();
    // The second ended before the statistics started, if they ever did.
    assert_eq!(
        (outcome.transfers, outcome.offered_bytes_total),
        (1, 10_000)
    );
    assert_eq!(
        (outcome.transfers_total, outcome.last_transfer),
        (2, Time(4 * MS_PS))
    );
    // To the last byte, and to the last acknowledgement.
    assert_eq!(outcome.transfer_time.max, MS_PS - 3);
    let acknowledged = &outcome.acknowledged_time;
    assert_eq!((acknowledged.count, acknowledged.max), (1, 2 * MS_PS - 3));
}

#[test]
fn think_times_are_within_their_range() {
    let mean_ps = 10 * MS_PS;
    let mut found = files(Span::Uniform(Duration(mean_ps)), None);
    let (mut now_ps, mut sum_ps, mut most_ps) = (MS_PS, 0, 0);
    for _ in 0..10_000 {
        let think_ps = wake(&mut found) - now_ps;
        sum_ps += think_ps;
        most_ps = most_ps.max(think_ps);
        now_ps = found.began_ps + 7;
        found.progress(Time(now_ps), SOURCE, finished(), true);
    }
    assert!(most_ps < 2 * mean_ps && most_ps > 2 * mean_ps - mean_ps / 50);
    assert!((sum_ps / 10_000).abs_diff(mean_ps) < mean_ps / 50);
}

#[test]
fn a_response_comes_a_service_time_after_the_whole_request() {
    let mut found = connection(TrafficSpec::Requests {
        start: Time::ZERO,
        request_bytes: 300,
        response_bytes: 2_000,
        service: Span::Fixed(Duration(50)),
        think: Span::Fixed(Duration(20)),
        count: Some(1),
    });
    assert_eq!(wake(&mut found), 20);
    found.progress(Time(100), DESTINATION, delivered(299), true);
    // The acknowledgement of a request is not its end.
    found.progress(Time(110), SOURCE, finished(), true);
    assert_eq!(
        (found.stage, found.wakes_at_ps),
        (Stage::Requesting, NEVER_PS)
    );
    found.progress(Time(120), DESTINATION, delivered(1), true);
    assert_eq!((found.stage, found.wakes_at_ps), (Stage::Serving, 170));
    wake(&mut found);
    found.progress(Time(200), SOURCE, delivered(1_024), true);
    assert_eq!(found.stage, Stage::Responding);
    found.progress(Time(220), SOURCE, delivered(976), true);
    assert_eq!(
        (found.stage, found.wakes_at_ps),
        (Stage::Thinking, NEVER_PS)
    );
    let outcome = found.outcome();
    assert_eq!((outcome.transfers, outcome.transfer_time.min), (1, 200));
    assert_eq!(outcome.offered_bytes_total, 2_300);
}

#[test]
fn infinite_traffic_starts_when_it_is_told() {
    let mut found = connection(TrafficSpec::Infinite {
        start: Time(77),
        bytes: None,
    });
    assert_eq!(wake(&mut found), 77);
    assert_eq!((found.wakes_at_ps, found.left), (NEVER_PS, 1));
}

#[test]
fn a_constant_rate_is_not_for_tcp() {
    let found = connection(TrafficSpec::Constant {
        start: Time::ZERO,
        rate: backwater_kernel::Rate(1_000),
        random_phase: false,
    });
    assert_eq!(found.next_timer_ps(), NEVER_PS);
}
