//! Closed-loop bursts and limited sources, against numbers worked out by hand.

use crate::common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::Simulation;
use backwater_net::alone::response;
use backwater_net::spec::*;
use common::*;

fn requests() -> RequestsSpec {
    RequestsSpec {
        start: Time::ZERO,
        requests: 1,
        request_units: 4,
        response_units: 8,
        inter_request: Span::Fixed(cells(2)),
        inter_cycle: Span::Fixed(cells(6)),
        service: Span::Fixed(cells(3)),
        cycles: None,
    }
}

fn asking(requests: RequestsSpec, stop_cells: u64) -> Net {
    let mut net = conversation(5, stop_cells);
    net.spec.flows[0].traffic = TrafficSpec::Requests(requests);
    net.spec.flows[1].traffic = TrafficSpec::Server;
    net
}

/// Responses of a client two hops of 5 cells away from its server.
fn responses(requests: RequestsSpec, stop_cells: u64) -> Ended {
    responses_of(&run(&asking(requests, stop_cells).spec), 1)
}

/// Units leave at 0 to 3, the last is there at 13, the server works until 16, 8 units leave from
/// then to 23, and the last is back at 33. The next cycle begins at 39.
#[test]
fn a_burst_takes_its_way_there_the_service_and_the_way_back() {
    let found = responses(requests(), 33 + 19 * 39);
    assert_eq!(found.count, 20);
    assert_eq!((found.min, found.max), (cells(33).ps(), cells(33).ps()));
    assert_eq!(responses(requests(), 32 + 19 * 39).count, 19);
    let cycles = RequestsSpec {
        cycles: Some(7),
        ..requests()
    };
    assert_eq!(responses(cycles, 10_000).count, 7);
}

/// What a slowdown compares with: the same, for unlike links each way, whole units or their first
/// bits, which the engine says as exactly.
#[test]
fn the_time_alone_is_that_of_an_idle_network() {
    assert_eq!(response(&asking(requests(), 9).spec, 1), Some(cells(33)));
    let parts = [1, 3, 2, 7];
    for (timing, turn) in [Timing::StoreAndForward, Timing::CutThrough]
        .into_iter()
        .flat_map(|timing| (0..4).map(move |turn| (timing, turn)))
    {
        let mut net = asking(requests(), 5_000);
        let channels = net
            .spec
            .links
            .iter_mut()
            .flat_map(|link| &mut link.channels);
        for (at, channel) in channels.enumerate() {
            channel.rate = Rate(RATE.0 / parts[(at + turn) % 4]);
            channel.timing = timing;
        }
        let found = responses_of(&run(&net.spec), 1);
        let alone = response(&net.spec, 1).expect("all are alike");
        assert!(found.count > 20, "{}", found.count);
        assert_eq!([found.min, found.max], [alone.ps(); 2], "{timing:?} {turn}");
    }
    let random = RequestsSpec {
        service: Span::Exponential(cells(3)),
        ..requests()
    };
    assert_eq!(
        response(&asking(random, 9).spec, 1),
        None,
        "requests differ"
    );
    assert_eq!(response(&asking(requests(), 9).spec, 0), None, "it asks");
}

/// Requests of one unit at 0 and 2 are there at 10 and 12, served until 13 and 16. Their responses
/// of two units are back at 24 and 27: after 24 and 25 cells. The next cycle begins at 33.
#[test]
fn the_requests_of_a_cycle_overlap_and_the_next_cycle_waits_for_all() {
    let two = RequestsSpec {
        requests: 2,
        request_units: 1,
        response_units: 2,
        ..requests()
    };
    let found = responses(two, 27);
    assert_eq!((found.count, found.mean), (2, halves(49).ps() as f64));
    assert_eq!(responses(two, 33 + 23).count, 2);
    assert_eq!(responses(two, 33 + 24).count, 3);
    assert_eq!(responses(two, 33 + 27).count, 4);
}

/// Exponential times move a run, the seed decides them.
#[test]
fn random_gaps_are_the_seeds() {
    let random = RequestsSpec {
        inter_cycle: Span::Exponential(cells(100)),
        ..requests()
    };
    let hash = |seed| {
        let mut net = asking(random, 10_000);
        net.spec.seed = seed;
        let outcome = run(&net.spec);
        assert!((50..120).contains(&responses_of(&outcome, 1).count));
        outcome.trace_hash
    };
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}

fn limited(limits: &[(u64, Option<u64>)]) -> TrafficSpec {
    let limit = |&(from, part): &(u64, Option<u64>)| LimitSpec {
        from: at(from),
        rate: part.map(|part| Rate(RATE.0 / part)),
    };
    TrafficSpec::Bottlenecked {
        start: at(10),
        limits: limits.iter().map(limit).collect(),
    }
}

/// Gaps of 10 cells up to 35, then of 2; what was due at 40 comes at 35.
#[test]
fn a_limited_source_keeps_its_units_apart() {
    let net = alone(limited(&[(0, Some(10)), (35, Some(2))]), at(42));
    let (log, _) = observe(&net.spec);
    let exact = [10, 20, 30, 35, 37, 39, 41].map(at);
    let starts = log.times(0);
    assert_eq!(starts.len(), exact.len());
    for (start, exact) in starts.iter().zip(exact) {
        // Each gap is rounded up to the picosecond.
        assert!(
            start.since(exact) < Duration(10),
            "{start:?}, not {exact:?}"
        );
    }
}

#[test]
fn without_a_limit_the_link_is_full_and_no_queue_grows() {
    let outcome = run(&alone(limited(&[(110, Some(10))]), at(210)).spec);
    // 100 cells at the link's rate and ten at a tenth of it.
    assert!((109..=111).contains(&outcome.flows[0].offered_total));
    assert!(outcome.flows[0].source_backlog_max <= 1);
}

/// Instants that are these cells and a few picoseconds, as each gap is rounded up.
fn are_at(found: &[Time], exact: &[u64]) {
    let cells: Vec<u64> = found.iter().map(|at| at.ps() / cell().ps()).collect();
    assert_eq!(cells, exact);
    assert!(found.iter().all(|at| at.ps() % cell().ps() < 1000));
}

/// Under ABR the limit is on all in-rate cells. The first is a forward RM cell, the answer to that
/// of the other direction goes at 20, forward RM cells are due at 50, 90 and 101. At 95 the gap
/// falls from 10 to 2, which was over at 92.
#[test]
fn under_abr_the_limit_is_the_sources_pace() {
    let mut net = conversation(5, 108);
    net.spec.flows[0].traffic = TrafficSpec::Bottlenecked {
        start: Time::ZERO,
        limits: [(0, 10), (95, 2)]
            .map(|(from, part)| LimitSpec {
                from: at(from),
                rate: Some(Rate(RATE.0 / part)),
            })
            .to_vec(),
    };
    over_abr(&mut net, RATE);
    let (log, _) = observe(&net.spec);
    let data = [10, 30, 40, 60, 70, 80, 95, 97, 99, 103, 105, 107];
    are_at(&log.times(0), &data);
}

/// At a tenth of the link. Cells of the client at 0 (RM), 10, 20 (an answer), 30, 40, 50 (RM), 60:
/// the request is there at 70, served at 73. Cells of the server at 10 (RM), 20 and 60 (answers),
/// 73, 83, 93, 103 (RM), 113, 123, 133, 143 (RM), 153, 163: the last is back at 173.
#[test]
fn requests_wait_for_abr_both_ways() {
    let mut net = asking(requests(), 174);
    over_abr(&mut net, Rate(RATE.0 / 10));
    let (log, outcome) = observe(&net.spec);
    are_at(&log.times(0), &[10, 30, 40, 60]);
    are_at(&log.times(2), &[73, 83, 93, 113, 123, 133, 153, 163]);
    let responses = responses_of(&outcome, 1);
    assert_eq!(responses.count, 1);
    are_at(&[Time(responses.max)], &[173]);
}

fn refusal(traffic: TrafficSpec) -> Option<String> {
    let mut net = conversation(5, 100);
    net.spec.flows[0].traffic = traffic;
    let built: Result<Simulation, _> = Simulation::new(&net.spec);
    built.err().map(|error| error.0)
}

#[test]
fn what_contradicts_itself_is_refused() {
    let bad = |requests: RequestsSpec| refusal(TrafficSpec::Requests(requests)).is_some();
    assert!(!bad(requests()));
    let none = |change: fn(&mut RequestsSpec)| {
        let mut changed = requests();
        change(&mut changed);
        bad(changed)
    };
    assert!(none(|requests| requests.requests = 0));
    assert!(none(|requests| requests.request_units = 0));
    assert!(none(|requests| requests.response_units = 0));
    assert!(refusal(limited(&[(1, Some(2)), (3, None), (4, Some(2))])).is_none());
    for limits in [&[(1, Some(2)), (1, None)], &[(2, None), (1, None)]] {
        let refusal = refusal(limited(limits)).expect("it is refused");
        assert!(refusal.contains("limit"), "{refusal}");
    }
    let mut net = asking(requests(), 100);
    net.spec.flows[0].partner = None;
    let alone: Result<Simulation, _> = Simulation::new(&net.spec);
    assert!(alone.is_err_and(|error| error.0.contains("partner")));
}
