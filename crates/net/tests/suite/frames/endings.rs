//! When a run is over: with the last thing that can happen, not with a timer left over.

use crate::frames::common::*;
use backwater_ends::TcpSpec;
use backwater_ends::spec::AckSpec;
use backwater_kernel::{Distribution, Duration, Rings, Stop, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;

fn run(spec: &EthernetSpec) -> Outcome {
    let mut engine = Simulation::<Rings>::new(spec).expect("a sound network");
    engine.run();
    engine.outcome()
}

/// In ps.
fn longest(times: &Distribution) -> u64 {
    times.max().expect("some were complete") as u64
}

/// A file of 1,000,000 bytes over one switch, which may stop its neighbours.
fn one_file(tcp: TcpSpec, back_pressure: Option<BackPressureSpec>) -> Net {
    let mut net = Net::new(1, back_pressure);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 1_000);
    net.link(a, d, 1_000);
    let file = TrafficSpec::Files {
        start: Time(MS),
        bytes: 1_000_000,
        think: Span::Fixed(Duration::ZERO),
        count: Some(1),
    };
    net.add(s, d, 0, TransportSpec::Tcp(tcp), file);
    (net.spec.warm_up, net.spec.stop_at) = (Time::ZERO, Time(10 * S));
    net
}

/// The retransmission timer is set for a tick of 500 ms, and ports look for a standstill each
/// 200 ms: neither has anything to do once the last acknowledgement is in.
#[test]
fn a_run_ends_with_the_last_acknowledgement() {
    for back_pressure in [None, Some(simple())] {
        let outcome = run(&one_file(TcpSpec::bsd(), back_pressure).spec);
        assert_eq!(outcome.stop, Stop::Drained);
        let flow = &outcome.flows[0];
        assert_eq!(
            (flow.ends.transfers, flow.ends.unacknowledged_total),
            (1, 0)
        );
        let over = Time(MS + longest(&flow.ends.acknowledged_time));
        assert_eq!(outcome.ended_at, over);
        assert!(flow.ends.last_transfer < over && over < Time(20 * MS));
    }
}

/// 685 segments, and every second is acknowledged at once; so is the last one, which says that
/// nothing follows.
#[test]
fn the_last_segment_of_a_file_is_acknowledged_at_once() {
    let outcome = run(&one_file(TcpSpec::modern(), None).spec);
    assert_eq!(outcome.stop, Stop::Drained);
    let flow = &outcome.flows[0];
    assert_eq!(
        (flow.ends.transfers, flow.ends.unacknowledged_total),
        (1, 0)
    );
    let waited = outcome.ended_at.since(flow.ends.last_transfer);
    assert!(waited < Duration(10 * US), "{waited:?}");
}

/// 977 segments, and every second is acknowledged at once: as in 4.4BSD the last waits for a tick.
#[test]
fn a_file_is_complete_before_its_delayed_acknowledgement() {
    let mut tcp = TcpSpec::bsd();
    tcp.acks = AckSpec::DelayedTick(Duration(200 * MS));
    tcp.initial_window_segments = 2;
    let mut net = one_file(tcp, None);
    net.spec.stop_at = Time(20 * MS);
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::TimeReached);
    let flow = &outcome.flows[0];
    assert_eq!(
        (flow.ends.goodput_bytes, flow.ends.transfers),
        (1_000_000, 1)
    );
    assert_eq!(flow.ends.unacknowledged_total, 1);
    assert_eq!(flow.ends.acknowledged_time.count(), 0);
    assert_eq!(
        flow.ends.last_transfer,
        Time(MS + longest(&flow.ends.transfer_time))
    );

    net.spec.stop_at = Time(10 * S);
    let longer = run(&net.spec);
    assert_eq!(longer.stop, Stop::Drained);
    let (flow, before) = (&longer.flows[0], flow.ends.last_transfer);
    assert_eq!(
        (flow.ends.last_transfer, flow.ends.unacknowledged_total),
        (before, 0)
    );
    let waited = longer.ended_at.since(before);
    assert!(waited > Duration(MS) && waited < Duration(201 * MS));
}

/// Datagrams end with the last of them.
#[test]
fn a_total_over_udp_ends_with_its_last_byte() {
    let mut net = one_file(TcpSpec::bsd(), Some(simple()));
    net.spec.flows.clear();
    let total = TrafficSpec::Infinite {
        start: Time(2 * MS),
        bytes: Some(100_000),
    };
    net.udp(0, 2, 1_000, total);
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::Drained);
    assert_eq!(outcome.flows[0].ends.goodput_bytes, 100_000);
    assert!(outcome.ended_at < Time(4 * MS));
}

/// A storm goes on without any data.
#[test]
fn a_storm_keeps_a_run_alive() {
    let mut net = one_file(TcpSpec::bsd(), None);
    net.spec.nodes[0].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(100 * MS),
            until: Time(160 * MS),
            classes: Some(1),
            quanta: 1000,
        }),
    };
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::Drained);
    assert!(outcome.ended_at >= Time(160 * MS) && outcome.ended_at < Time(170 * MS));
    assert!(outcome.channels[0].by_class.stops_sent > 10);
}

/// What waits at a station is dropped too; its source without end goes on once it may.
#[test]
fn an_endless_source_goes_on_after_its_own_watchdog() {
    let mut net = Net::new(1, None);
    let (s, d) = (net.station("S"), net.station("D"));
    net.link(s, d, 100);
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(10 * MS),
            until: Time(30 * MS),
            classes: None,
            quanta: 1000,
        }),
    };
    net.spec.nodes[s as usize].watchdog = Some(WatchdogSpec {
        detect: Duration(5 * MS),
        restore: Duration(10 * MS),
        action: WatchdogAction::Drop,
    });
    net.udp(s, d, 954, endless());
    net.spec.stop_at = Time(100 * MS);
    net.spec.warm_up = Time::ZERO;
    let outcome = run(&net.spec);
    assert!(outcome.flows[0].lost_total > 0);
    // 81.6 us each, for 10 ms before the first stop and 62 ms after the watchdog.
    let delivered = outcome.flows[0].delivered_total;
    assert!((870..=890).contains(&delivered), "{delivered}");
}

/// A slice that ends after so many events stops between instants; what follows is the same run.
#[test]
fn slices_by_events_change_nothing() {
    let net = one_file(TcpSpec::bsd(), Some(simple()));
    let whole = format!("{:?}", run(&net.spec));
    for events in [1, 7, 500, 1 << 40] {
        let mut engine = Simulation::<Rings>::new(&net.spec).expect("a sound network");
        let mut slices = 1;
        while engine.run_some(Time::MAX, events).is_none() {
            slices += 1;
            assert!(engine.outcome().ended_at <= engine.now());
        }
        assert_eq!(format!("{:?}", engine.outcome()), whole, "{events}");
        assert_eq!(slices > 1, events < 1 << 40, "{events}: {slices} slices");
    }
}
