//! Stages of applications by hand: what TCP says is made up.

use alloc::vec::Vec;

use super::*;
use crate::spec::Span;
use crate::tcp::HostClock;
use backwater_kernel::Duration;

const MS_PS: u64 = 1_000_000_000;

fn connection(traffic: TrafficSpec) -> Connection<Endpoint> {
    let tcp = TcpSpec::bsd();
    let ends = [true, false].map(|opens| Endpoint::new(&tcp, HostClock::default(), opens));
    Connection::new(1, 0, &traffic, 0, ends, Tally::new(1))
}

fn files(think: Span, count: Option<u64>) -> Connection<Endpoint> {
    connection(TrafficSpec::Files {
        start: Time(MS_PS),
        bytes: 5_000,
        think,
        count,
    })
}

/// The think or service time is over; returns when that was.
fn wake(connection: &mut Connection<Endpoint>) -> u64 {
    let at = connection.transfers.wakes_at.expect("it waits");
    connection.wake(at, &TcpSpec::bsd(), &mut Vec::new());
    at.ps()
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
fn unacknowledged(connection: &Connection<Endpoint>) -> (u64, u64) {
    let outcome = connection.outcome();
    (outcome.transfers_total, outcome.unacknowledged_total)
}

#[test]
fn a_file_after_a_think_time_after_a_file() {
    let mut found = files(Span::Fixed(Duration(3)), Some(2));
    assert_eq!(wake(&mut found), MS_PS + 3);
    assert_eq!(found.transfers.wakes_at, None);
    let now = Time(2 * MS_PS);
    found.progress(now, End::Answerer, delivered(5_000), true);
    // What the destination's end finishes is not the file.
    found.progress(now, End::Answerer, finished(), true);
    assert_eq!(unacknowledged(&found), (1, 1));
    found.progress(Time(3 * MS_PS), End::Opener, finished(), true);
    assert_eq!(wake(&mut found), 3 * MS_PS + 3);
    assert_eq!(unacknowledged(&found), (1, 0));
    found.progress(Time(4 * MS_PS), End::Answerer, delivered(5_000), false);
    found.progress(Time(4 * MS_PS), End::Opener, finished(), false);
    assert_eq!(found.transfers.wakes_at, None);
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
    assert_eq!(outcome.transfer_time.max(), Some((MS_PS - 3) as f64));
    let acknowledged = &outcome.acknowledged_time;
    let longest = Some((2 * MS_PS - 3) as f64);
    assert_eq!((acknowledged.count(), acknowledged.max()), (1, longest));
    assert_eq!(outcome.first_start, Some(Time(MS_PS + 3)));
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
    found.progress(Time(100), End::Answerer, delivered(299), true);
    // The acknowledgement of a request is not its end.
    found.progress(Time(110), End::Opener, finished(), true);
    assert_eq!(found.transfers.wakes_at, None);
    found.progress(Time(120), End::Answerer, delivered(1), true);
    assert_eq!(wake(&mut found), 170);
    found.progress(Time(200), End::Opener, delivered(1_024), true);
    found.progress(Time(220), End::Opener, delivered(976), true);
    assert_eq!(found.transfers.wakes_at, None);
    let outcome = found.outcome();
    assert_eq!(
        (outcome.transfers, outcome.transfer_time.min()),
        (1, Some(200.0))
    );
    assert_eq!(outcome.offered_bytes_total, 2_300);
}
