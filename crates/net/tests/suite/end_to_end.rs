//! Windows, AIMD and the client-server loop, against numbers worked out by hand.

use crate::common;

use backwater_kernel::{Duration, Stop, Time};
use backwater_net::outcome::Outcome;
use backwater_net::spec::*;
use common::*;

/// Two hops of 10 cells each way: an acknowledgement is back 40 cell times after its unit.
fn window(units: u32) -> u64 {
    let mut net = conversation(10, 4399);
    net.spec.warm_up = at(400);
    net.spec.flows[0].source_control = SourceControlSpec::Window { units };
    run(&net.spec).legs[0].sent
}

#[test]
fn a_fixed_window_sends_one_window_a_loop() {
    for units in [1, 2, 7, 20, 39] {
        assert_eq!(window(units), 100 * units as u64, "window {units}");
    }
    for units in [40, 41, 100] {
        assert_eq!(window(units), 4000, "window {units}");
    }
}

/// An application that asks for a unit each cell time, under a window that lets one go each loop of
/// 40 cells: what waits for the window is not offered yet, and its wait is no delay.
#[test]
fn what_waits_for_a_window_is_not_offered() {
    let mut net = conversation(10, 4399);
    let flow = &mut net.spec.flows[0];
    flow.source_control = SourceControlSpec::Window { units: 1 };
    flow.traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: cells(1),
        random_phase: false,
        total: None,
    };
    let flow = &run(&net.spec).flows[0];
    assert_eq!(flow.offered_total, 110);
    assert!(flow.inside_total <= 1);
    assert!(flow.delay.max <= cells(20).ps());
}

/// A second link of half the rate behind a buffer of 20 units: a sender without control loses
/// half of what it sends.
fn narrow(control: SourceControlSpec, total: u64) -> Outcome {
    let mut net = conversation(10, 200_000);
    net.spec.links[1].channels[0].rate.0 /= 2;
    let flow = &mut net.spec.flows[0];
    flow.source_control = control;
    flow.traffic = TrafficSpec::Greedy {
        start: Time::ZERO,
        total: Some(total),
    };
    flow.legs[0].buffer = BufferSpec {
        limit_units: Some(20),
        overflow: Overflow::Drop,
    };
    run(&net.spec)
}

fn aimd(maximum_units: u32, timeout: Duration) -> SourceControlSpec {
    SourceControlSpec::Aimd {
        initial_units: 4,
        maximum_units,
        increase_units: 1.0,
        decrease: 0.5,
        timeout,
    }
}

#[test]
fn aimd_recovers_from_drops_and_delivers_in_order() {
    let outcome = narrow(aimd(1000, cells(400)), 5000);
    let flow = &outcome.flows[0];
    assert_eq!(outcome.stop, Stop::Drained);
    assert!(outcome.legs[0].dropped_total > 0, "nothing was lost");
    assert!(flow.retransmitted_total > 0);
    // The destination accepts a unit only when it is the next in order.
    assert_eq!(flow.accepted, 5000);
    assert_eq!(flow.offered_total, 5000 + flow.retransmitted_total);
}

#[test]
fn aimd_within_the_path_loses_nothing() {
    let outcome = narrow(aimd(20, cells(400)), 5000);
    let flow = &outcome.flows[0];
    assert_eq!((flow.accepted, flow.retransmitted_total), (5000, 0));
    assert_eq!(outcome.legs[0].dropped_total, 0);
}

/// The control of the two above: nothing repairs a loss without sending again.
#[test]
fn without_control_what_is_dropped_stays_lost() {
    let outcome = narrow(SourceControlSpec::None, 5000);
    let flow = &outcome.flows[0];
    assert!(flow.lost_total > 2000, "{}", flow.lost_total);
    assert_eq!(flow.delivered_total + flow.lost_total, 5000);
}

/// A time-out shorter than the loop sends everything again and again, yet in order.
#[test]
fn aimd_survives_a_time_out_shorter_than_the_loop() {
    let outcome = narrow(aimd(1000, cells(30)), 500);
    let flow = &outcome.flows[0];
    assert_eq!(flow.accepted, 500, "{:?}", outcome.stop);
    assert!(flow.retransmitted_total > 100);
}

fn client(outstanding: u32, file_bytes: u64) -> ClientSpec {
    ClientSpec {
        start: Time::ZERO,
        request_units: 1,
        lookups: 1,
        lookup_units: 2,
        file_median_bytes: file_bytes,
        file_sigma: 0.0,
        block_bytes: 480,
        header_bytes: 24,
        payload_bytes: 48,
        outstanding,
        lookup_service: Span::Fixed(cells(7)),
        read_service: Span::Fixed(cells(11)),
        think: Span::Fixed(cells(5)),
    }
}

/// Responses of a client two hops of 5 cells away from its server.
fn responses(client: ClientSpec, stop_cells: u64) -> Ended {
    let mut net = conversation(5, stop_cells);
    net.spec.flows[0].traffic = TrafficSpec::Client(client);
    net.spec.flows[1].traffic = TrafficSpec::Server;
    responses_of(&run(&net.spec), 1)
}

/// Look-up: request there after 10, served until 17, units leave at 17 and 18 and are back at 27
/// and 28. Read of 100 bytes and 24 around them, 3 units: asked after 5 cells of thought, at 33,
/// there at 43, served until 54, back at 64, 65 and 66. The next file begins at 71.
#[test]
fn the_response_time_of_one_client_is_the_sum_of_its_parts() {
    let found = responses(client(1, 100), 709);
    assert_eq!(found.count, 20);
    assert_eq!(found.min, cells(28).ps());
    assert_eq!(found.max, cells(33).ps());
    assert_eq!(found.mean, halves(61).ps() as f64);
    assert_eq!(responses(client(1, 100), 705).count, 20);
    assert_eq!(responses(client(1, 100), 704).count, 19);
}

/// A file of 960 bytes, two blocks of 11 units each, 20 cells of service each. Both reads are
/// under way at once: asked at 33 and, after a thought, at 38. The server works on the first from
/// 43 to 63, on the second from then to 83; the first is back from 73 to 83, the second from 93 to
/// 103. One at a time, the second is asked at 88, ready at 118 and back at 138.
#[test]
fn two_outstanding_reads_overlap() {
    let asking = |outstanding| {
        let mut client = client(outstanding, 960);
        client.read_service = Span::Fixed(cells(20));
        client
    };
    let one = responses(asking(1), 138);
    assert_eq!((one.count, one.max), (3, cells(50).ps()));
    assert_eq!(responses(asking(1), 137).count, 2);
    let two = responses(asking(2), 103);
    assert_eq!((two.count, two.max), (3, cells(65).ps()));
    assert_eq!(responses(asking(2), 102).count, 2);
}
