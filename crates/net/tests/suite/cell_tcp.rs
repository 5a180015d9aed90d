//! TCP over cells, against numbers worked out by hand.

use crate::common;

use backwater_ends::TcpSpec;
use backwater_kernel::{Duration, Rate, Stop, Time};
use backwater_net::Simulation;
use backwater_net::alone::response;
use backwater_net::outcome::{CellTcpOutcome, Outcome};
use backwater_net::spec::*;
use common::*;

const S: u64 = 1_000_000_000_000;

fn tcp(tcp: TcpSpec, application: CellApplication) -> TrafficSpec {
    TrafficSpec::Tcp(CellTcpSpec {
        start: Time::ZERO,
        tcp,
        application,
        overhead_bytes: 56,
        payload_bytes: 48,
    })
}

fn bulk(bytes: Option<u64>) -> TrafficSpec {
    tcp(TcpSpec::bsd(), CellApplication::Bulk(bytes))
}

/// Three small requests with larger responses.
fn web() -> CellApplication {
    CellApplication::Requests {
        request_bytes: 300,
        response_bytes: 2000,
        service: Span::Fixed(cells(10)),
        think: Span::Fixed(cells(5)),
        count: Some(3),
    }
}

/// Two hops of 10 cells each way.
fn over(traffic: TrafficSpec, stop_at: Time) -> Net {
    let mut net = conversation(10, 0);
    net.spec.stop_at = stop_at;
    net.spec.flows[0].traffic = traffic;
    net.spec.flows[1].traffic = TrafficSpec::TcpBack;
    net
}

fn found(outcome: &Outcome) -> CellTcpOutcome {
    assert!(outcome.flows[1].tcp.is_none(), "it does not open one");
    *outcome.flows[0].tcp.clone().expect("it opens a connection")
}

/// 1024 bytes and 56 around them are 23 cells, an acknowledgement is 2. The first segment leaves
/// from 0 to 22, its last cell is there at 42, the acknowledgement back at 63. Then there are two,
/// 46 cells from 63 on; the first of them is there at 105 and acknowledged at 126, when two more
/// follow, the second at 128 and 149, when two more queue up behind those. 172 is where they begin.
#[test]
fn the_first_segments_leave_when_they_should() {
    let (log, outcome) = observe(&over(bulk(None), at(217)).spec);
    let exact = (0..23).chain(63..109).chain(126..218).map(at);
    assert_eq!(log.times(0), exact.collect::<Vec<_>>());
    let acknowledged = [42, 105, 128, 168, 191, 214].into_iter();
    let exact = acknowledged.flat_map(|first| [first, first + 1]).map(at);
    assert_eq!(log.times(2), exact.collect::<Vec<_>>());
    let tcp = found(&outcome);
    assert_eq!(tcp.delivered_bytes_total, 6 * 1024);
    // Two more for each of the five acknowledgements that are back; some wait at the port.
    assert_eq!((tcp.opener.segments, tcp.answerer.segments), (11, 6));
}

/// 300 bytes and 56 are 8 cells, there at 27; the server works until 37 and has a first window of
/// one segment: 23 cells, there at 79 and acknowledged at 100, then 976 bytes and 56, 22 cells, the
/// last of which is there at 141. The next request comes 5 cells later.
#[test]
fn a_request_is_answered_when_it_should_be() {
    let answered = |stop: u64| {
        let outcome = run(&over(tcp(TcpSpec::bsd(), web()), at(stop)).spec);
        (found(&outcome), responses_of(&outcome, 1))
    };
    let (tcp, responses) = answered(10_000);
    assert_eq!((tcp.requests_total, responses.count), (3, 3));
    let exact = cells(141).ps();
    assert_eq!((responses.min, responses.max), (exact, exact));
    assert_eq!(tcp.delivered_bytes_total, 900);
    assert_eq!((tcp.returned_bytes, tcp.returned_bytes_total), (6000, 6000));
    assert_eq!(answered(2 * 146 - 1).0.requests_total, 1);
    assert_eq!(answered(2 * 146).0.requests_total, 2);
}

/// With a first window of two segments nothing waits: 8 cells there at 27, served until 37, 45
/// cells back at 101.
#[test]
fn the_time_alone_leaves_slow_start_out() {
    for (window, exact) in [(1, 141), (2, 101)] {
        let mut spec = TcpSpec::bsd();
        spec.initial_window_segments = window;
        let net = over(tcp(spec, web()), at(10_000));
        let responses = responses_of(&run(&net.spec), 1);
        assert_eq!((responses.count, responses.min), (3, cells(exact).ps()));
        assert_eq!(response(&net.spec, 1), Some(cells(101)));
    }
    assert_eq!(response(&over(bulk(None), at(9)).spec, 1), None);
}

#[test]
fn statistics_start_behind_the_warm_up() {
    let mut net = over(bulk(None), at(217));
    net.spec.warm_up = at(100);
    let tcp = found(&run(&net.spec));
    assert_eq!(tcp.delivered_bytes_total, 6 * 1024);
    assert_eq!(tcp.delivered_bytes, 5 * 1024);
}

/// Links of 10 Mbps behind one of 622, and this many cells of buffer before the second.
fn narrow(traffic: TrafficSpec, buffer: Option<u32>, stop_at: Time) -> Net {
    let mut net = over(traffic, stop_at);
    net.spec.links[1].channels[0].rate = Rate(10_000_000);
    net.spec.flows[0].legs[0].buffer.limit_units = buffer;
    net
}

#[test]
fn without_loss_every_byte_comes_once() {
    for tcp_spec in [TcpSpec::bsd(), TcpSpec::bsd_full(), TcpSpec::modern()] {
        let traffic = tcp(tcp_spec, CellApplication::Bulk(Some(1_000_001)));
        let (_, outcome) = observe(&narrow(traffic, None, Time(60 * S)).spec);
        let tcp = found(&outcome);
        assert_eq!(tcp.delivered_bytes_total, 1_000_001);
        assert_eq!(tcp.opener.sent_bytes, 1_000_001);
        assert_eq!((tcp.opener.again_bytes, tcp.broken_frames_total), (0, 0));
        assert_eq!(outcome.flows[0].lost_total, 0);
    }
}

/// A run ends with the last acknowledgement, not with the time-out that it stopped.
#[test]
fn a_transfer_that_is_acknowledged_ends_the_run() {
    for tcp_spec in [TcpSpec::bsd(), TcpSpec::bsd_full(), TcpSpec::modern()] {
        let traffic = tcp(tcp_spec, CellApplication::Bulk(Some(1_000_001)));
        let long = run(&narrow(traffic.clone(), None, Time(60 * S)).spec);
        assert_eq!(long.stop, Stop::Drained);
        assert_eq!(found(&long).delivered_bytes_total, 1_000_001);
        // 10 Mbps take about a second for the payload; BSD opens its window slowly.
        assert!(long.ended_at < Time(3 * S), "{:?}", long.ended_at);
        let short = run(&narrow(traffic, None, Time(long.ended_at.ps() + 1)).spec);
        assert_eq!((short.stop, short.ended_at), (Stop::Drained, long.ended_at));
        assert_eq!(short.trace_hash, long.trace_hash);
    }
}

/// What a buffer loses is sent again until all is there. Cells of broken frames come in vain.
#[test]
fn a_small_buffer_breaks_frames_and_tcp_repairs_them() {
    for tcp_spec in [TcpSpec::bsd(), TcpSpec::bsd_full(), TcpSpec::modern()] {
        let traffic = tcp(tcp_spec, CellApplication::Bulk(Some(1_000_001)));
        let (_, outcome) = observe(&narrow(traffic, Some(200), Time(300 * S)).spec);
        let (tcp, flow) = (found(&outcome), &outcome.flows[0]);
        assert!(flow.lost_total > 100, "{}", flow.lost_total);
        assert!(tcp.broken_frames_total > 0);
        assert!(tcp.opener.again_bytes > 0);
        assert_eq!(tcp.delivered_bytes_total, 1_000_001);
        let payload = 48 * flow.delivered_total;
        assert!(payload > tcp.delivered_bytes_total + 24 * tcp.broken_frames_total);
    }
}

/// The control of the one above: nothing repairs cells that nobody sends again.
#[test]
fn without_tcp_what_is_lost_stays_lost() {
    let total = Some(20_000);
    let start = Time::ZERO;
    let mut net = narrow(
        TrafficSpec::Greedy { start, total },
        Some(200),
        Time(300 * S),
    );
    net.spec.flows[1].traffic = TrafficSpec::Silent;
    let outcome = run(&net.spec);
    let flow = &outcome.flows[0];
    assert!(flow.lost_total > 10_000 && flow.delivered_total < 10_000);
}

#[test]
fn losses_cost_goodput() {
    let goodput = |buffer| {
        let outcome = run(&narrow(bulk(None), buffer, Time(30 * S)).spec);
        found(&outcome).delivered_bytes_total as f64 * 8.0 / 30.0
    };
    // 1024 of 23 x 53 bytes are payload.
    let most = 10e6 * 1024.0 / (23.0 * 53.0);
    let (large, small) = (goodput(Some(2000)), goodput(Some(100)));
    assert!((large / most - 1.0).abs() < 0.01, "{large} of {most}");
    assert!(small < 0.9 * large, "{small} of {large}");
}

/// Random errors hit data and acknowledgements, as frames.
#[test]
fn errors_on_the_wire_break_frames_of_both_directions() {
    let run = |seed| {
        let mut net = over(bulk(Some(2_000_000)), Time(900 * S));
        net.spec.seed = seed;
        net.spec.links[0].channels[0].errors.data_loss = 1e-3;
        net.spec.links[1].channels[1].errors.data_loss = 1e-2;
        observe(&net.spec).1
    };
    let outcome = run(1);
    let tcp = found(&outcome);
    assert_eq!(tcp.delivered_bytes_total, 2_000_000);
    let lost = outcome.flows[0].lost_total + outcome.flows[1].lost_total;
    // Whole acknowledgements, and last cells behind which nothing came, do not count as broken.
    assert!(tcp.broken_frames_total > lost / 2 && tcp.broken_frames_total <= lost);
    assert_eq!(outcome.trace_hash, run(1).trace_hash);
    assert_ne!(outcome.trace_hash, run(2).trace_hash);
}

fn tcp_over_abr(traffic: TrafficSpec, icr: Rate, stop_at: Time) -> Net {
    let mut net = over(traffic, stop_at);
    over_abr(&mut net, icr);
    net
}

/// At a tenth of the link a cell goes every 10 cells, and every fourth is a forward RM cell. The
/// first of these is there at 20 and wants an answer, but the other direction must begin with a
/// forward RM cell of its own, which is there at 40 and is answered by number 5. So 23 cells of
/// data are the rest of 32, the last of which leaves at 310 and is there at 330.
#[test]
fn frames_wait_for_abr_and_rm_cells_stand_among_their_cells() {
    let icr = Rate(RATE.0 / 10);
    let (log, outcome) = observe(&tcp_over_abr(bulk(None), icr, at(330)).spec);
    let numbers: Vec<u64> = log.of_leg(0).iter().map(|&(_, number)| number).collect();
    let data = [1, 2, 3].into_iter();
    let data = data.chain((6..32).filter(|number| number % 4 != 1));
    assert_eq!(numbers, data.collect::<Vec<_>>());
    let last = log.times(0)[22];
    assert!(last.since(at(310)) < Duration(1000), "{last:?}");
    assert_eq!(found(&outcome).delivered_bytes_total, 0);
    let (_, outcome) = observe(&tcp_over_abr(bulk(None), icr, at(331)).spec);
    let tcp = found(&outcome);
    assert_eq!(tcp.delivered_bytes_total, 1024);
    assert_eq!(tcp.answerer.segments, 1);
}

#[test]
fn over_abr_every_byte_comes_with_and_without_loss() {
    for loss in [0.0, 1e-3] {
        let traffic = tcp(TcpSpec::modern(), CellApplication::Bulk(Some(500_000)));
        let mut net = tcp_over_abr(traffic, RATE, Time(300 * S));
        net.spec.links[0].channels[0].errors.data_loss = loss;
        net.spec.links[0].channels[0].errors.control_loss = loss;
        let (_, outcome) = observe(&net.spec);
        let tcp = found(&outcome);
        assert_eq!(tcp.delivered_bytes_total, 500_000);
        assert_eq!(tcp.opener.again_bytes > 0, loss > 0.0);
        assert_eq!(tcp.broken_frames_total > 0, loss > 0.0);
    }
}

#[test]
fn two_connections_do_not_mix() {
    let mut net = narrow(bulk(Some(300_000)), Some(200), Time(200 * S));
    let (forth, back) = (net.spec.flows[0].clone(), net.spec.flows[1].clone());
    net.spec.flows.extend([forth, back]);
    net.spec.flows[2].partner = Some(3);
    net.spec.flows[2].traffic = bulk(Some(400_000));
    let (_, outcome) = observe(&net.spec);
    let bytes = |flow: usize| {
        outcome.flows[flow]
            .tcp
            .as_ref()
            .map(|tcp| tcp.delivered_bytes_total)
    };
    let exact = [Some(300_000), None, Some(400_000), None];
    assert_eq!([0, 1, 2, 3].map(bytes), exact);
}

fn refusal(change: impl FnOnce(&mut NetworkSpec)) -> Option<String> {
    let mut net = over(bulk(None), at(100));
    change(&mut net.spec);
    let built: Result<Simulation, _> = Simulation::new(&net.spec);
    built.err().map(|error| error.0)
}

#[test]
fn connections_that_cannot_work_are_refused() {
    assert_eq!(refusal(|_| {}), None);
    let refused = |change: fn(&mut NetworkSpec), why: &str| {
        let what = refusal(change).expect("it is refused");
        assert!(what.contains(why), "{what}");
    };
    refused(|spec| spec.flows[0].partner = None, "partner");
    refused(|spec| spec.flows[0].partner = Some(9), "partner");
    refused(
        |spec| spec.flows[1].traffic = TrafficSpec::Silent,
        "tcp-back",
    );
    refused(|spec| spec.flows[0].traffic = TrafficSpec::Silent, "0 TCP");
    refused(
        |spec| {
            let other = spec.flows[0].clone();
            spec.flows.push(other);
        },
        "2 TCP",
    );
    refused(
        |spec| {
            spec.flows[1] = FlowSpec {
                traffic: TrafficSpec::TcpBack,
                ..spec.flows[0].clone()
            }
        },
        "lead back",
    );
    refused(
        |spec| spec.flows[0].source_control = SourceControlSpec::Window { units: 4 },
        "window",
    );
    refused(
        |spec| spec.flows[1].source_control = SourceControlSpec::Window { units: 4 },
        "window",
    );
    refused(|spec| spec.flows[0].sizes = mix(), "sizes");
    let with = |change: fn(&mut CellTcpSpec)| {
        refusal(|spec| {
            if let TrafficSpec::Tcp(tcp) = &mut spec.flows[0].traffic {
                change(tcp);
            }
        })
    };
    assert!(with(|tcp| tcp.payload_bytes = 0).is_some());
    assert!(with(|tcp| tcp.tcp.mss_bytes = 0).is_some());
    assert!(with(|tcp| tcp.tcp.timer.tick = Some(Duration::ZERO)).is_some());
    assert!(with(|tcp| tcp.tcp.timer.min_rto = Duration::ZERO).is_some());
}
