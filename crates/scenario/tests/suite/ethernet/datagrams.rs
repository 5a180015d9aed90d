//! Datagrams: their sizes, and marks of congestion on them.

use backwater_kernel::{Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::{Span, TrafficSpec, TransportSpec};

use super::{EVERYTHING, read};

#[test]
fn datagrams_and_requests_are_read() {
    let spec = read(EVERYTHING);
    let datagrams = |payload_bytes, has_rtp| TransportSpec::Udp {
        payload_bytes,
        has_rtp,
        is_ect: false,
    };
    assert_eq!(spec.flows[5].transport, datagrams(1_000, true));
    assert_eq!(spec.flows[6].transport, datagrams(9_000 - 28, false));
    assert_eq!(
        spec.flows[8].transport,
        datagrams(9_000 - 40, true),
        "video has RTP"
    );
    let flood = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: Some(1_000_000_000),
    };
    assert_eq!(spec.flows[9].traffic, flood);
    let requests = TrafficSpec::Requests {
        start: Time::ZERO,
        request_bytes: 1_000,
        response_bytes: 10_000,
        service: Span::Uniform(Duration(1_000_000_000)),
        think: Span::Uniform(Duration(2_000_000_000)),
        count: None,
    };
    assert_eq!(spec.flows[4].traffic, requests);
}

/// Frames of 1,000 bytes from two hosts, each as fast as the link they share.
fn marked(buffer: &str, ecn: &str) -> (u64, u64, u64) {
    let text = format!(
        r#"
engine = "ethernet"
[run]
duration = "1 ms"
[topology]
kind = "star"
hosts_per_switch = 3
[link]
rate = "10 Gbps"
[buffer]
{buffer}
[[flows]]
name = "f"
from = ["H1_1", "H1_2"]
to = "H1_3"
transport = "udp"
payload = "954 B"
traffic = {{ kind = "constant", rate = "9 Gbps" }}
{ecn}
"#
    );
    let mut run = Simulation::<Rings>::new(&read(&text)).expect("a sound network");
    run.run();
    let outcome = run.outcome();
    let sum =
        |of: fn(&backwater_net::outcome::FlowOutcome) -> u64| outcome.flows.iter().map(of).sum();
    let at_queues = outcome.channels.iter().flat_map(|own| &own.by_class.queues);
    let at_queues = at_queues.map(|queue| queue.marked).sum();
    (
        sum(|flow| flow.delivered),
        sum(|flow| flow.marked),
        at_queues,
    )
}

/// All but the first frames find the queue above its threshold.
#[test]
fn datagrams_are_marked_where_they_may_be() {
    let buffer = "mark_above = \"10 kB\"";
    let (delivered, marked_frames, at_queues) = marked(buffer, "ecn = true");
    assert!(delivered > 1_100, "{delivered}");
    // The queue has 10 kB after some 25 frames.
    let first = delivered - marked_frames;
    assert!((11..40).contains(&first), "{first} of {delivered}");
    assert!(at_queues >= marked_frames && at_queues < marked_frames + 1_200);
    assert_eq!(marked(buffer, "").1, 0);
    assert_eq!(marked(buffer, "ecn = false").1, 0);
}

/// The probability of a mark grows from one threshold to the other.
#[test]
fn some_datagrams_are_marked_between_the_thresholds() {
    let buffer = "ecn = { min = \"1 kB\", max = \"10 MB\" }";
    let (delivered, some, _) = marked(buffer, "ecn = true");
    assert!(some > 0 && some < delivered / 10, "{some} of {delivered}");
}
