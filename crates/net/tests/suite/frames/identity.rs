//! The same scenario is the same run: whatever orders the events, whoever looks on, however the
//! run is cut into slices; and as it was before.

use crate::frames::common::*;
use backwater_kernel::{Duration, Heap, Rings, Series, Stop, Time};
use backwater_net::frames::probe::{Frame, Probe, Recorder};
use backwater_net::frames::spec::*;
use backwater_net::frames::{Network, Simulation};
use backwater_net::outcome::Outcome;
use backwater_net::probe::AnyProbe;
use backwater_net::spec::{Measure, SeriesSpec, Subject};

/// Counts what it is told.
#[derive(Default, PartialEq, Debug)]
struct Onlooker {
    starts: u64,
    bytes: u64,
    instants: u64,
}

impl Probe for Onlooker {
    fn on_frame_start(&mut self, _at: Time, _channel: u32, frame: &Frame<'_>) {
        self.starts += 1;
        self.bytes += u64::from(frame.bytes);
    }

    fn after_instant(&mut self, _at: Time, _network: &Network) {
        self.instants += 1;
    }
}

/// Two switches, mixed rates, files and datagrams, three classes of schemes.
fn network(rules: Option<BackPressureSpec>) -> EthernetSpec {
    let mut net = Net::new(2, rules);
    let (a, b) = (net.switch("A"), net.switch("B"));
    net.link(a, b, 100);
    let mut stations = Vec::new();
    for (at, mbps) in [(a, 100), (a, 100), (b, 10), (b, 100), (b, 10)] {
        let station = net.station(&format!("S{}", stations.len()));
        net.link(at, station, mbps);
        stations.push(station);
    }
    net.flow(stations[0], stations[2], files(200_000));
    net.flow(stations[0], stations[2], files(50_000));
    net.flow(stations[1], stations[3], endless());
    net.flow(stations[3], stations[0], files(100_000));
    let udp = TransportSpec::Udp {
        payload_bytes: 700,
        has_rtp: true,
        is_ect: false,
    };
    net.add(stations[1], stations[4], 1, udp, constant(4.0));
    net.udp(stations[4], stations[3], 1000, endless());
    net.spec.stop_at = Time(3 * S);
    net.spec.warm_up = Time(S);
    net.spec
}

fn schemes() -> Vec<(&'static str, Option<BackPressureSpec>)> {
    let quanta = Message::Quanta {
        quanta: 200,
        refresh_percent: Some(50),
    };
    let of = |select, notify, message| {
        Some(BackPressureSpec {
            select,
            notify,
            message,
            ..simple()
        })
    };
    let all = Select::Destination(Choose::AllFound);
    let random = Select::Destination(Choose::Random { frames: 2 });
    vec![
        ("none", None),
        (
            "pause",
            of(Select::Port, Notify::All, Message::UntilCancelled),
        ),
        ("pause by quanta", of(Select::Port, Notify::Others, quanta)),
        ("class", of(Select::Class, Notify::Contributing, quanta)),
        (
            "destination",
            of(all, Notify::Others, Message::UntilCancelled),
        ),
        (
            "random destination",
            of(random, Notify::All, Message::UntilCancelled),
        ),
    ]
}

fn finish<Q: backwater_kernel::EventQueue, P: Probe>(mut run: Simulation<Q, P>) -> Outcome {
    run.run();
    let outcome = run.outcome();
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    assert_eq!(outcome.stop, Stop::TimeReached);
    outcome
}

/// A probe that is compiled with the engine and one behind a pointer are told the same.
fn looked_at(spec: &EthernetSpec) -> Outcome {
    let mut compiled =
        Simulation::<Rings, _>::with_probe(spec, Onlooker::default()).expect("sound");
    compiled.run();
    let mut onlooker = Onlooker::default();
    let pointer: Box<dyn AnyProbe + '_> = Box::new(&mut onlooker);
    let outcome = finish(Simulation::<Rings, _>::with_probe(spec, pointer).expect("sound"));
    assert_eq!(outcome.trace_hash, compiled.outcome().trace_hash);
    assert_eq!(onlooker, compiled.into_probe());
    assert!(onlooker.starts > 0 && onlooker.instants > 0);
    outcome
}

#[test]
fn queue_of_events_onlookers_and_slices_change_nothing() {
    for (name, rules) in schemes() {
        let spec = network(rules);
        let plain = finish(Simulation::<Rings>::with_probe(&spec, ()).expect(name));
        let heap = finish(Simulation::<Heap>::with_probe(&spec, ()).expect(name));
        let seen = looked_at(&spec);
        let mut sliced: Simulation = Simulation::new(&spec).expect(name);
        let mut until = Time::ZERO;
        while sliced.run_until(until) {
            until += Duration(7_777_777_777);
        }
        for other in [heap, seen, finish(sliced)] {
            assert_eq!(other.trace_hash, plain.trace_hash, "{name}");
            let goodput = |o: &Outcome| o.flows[0].ends.goodput_bytes;
            assert_eq!(goodput(&other), goodput(&plain), "{name}");
        }
    }
}

/// Series of some ports, nodes and flows.
fn series(spec: &EthernetSpec) -> Vec<SeriesSpec> {
    let channels = 2 * spec.links.len() as u32;
    let mut of = vec![(Measure::Stored, Subject::Node(0))];
    for channel in (0..channels).step_by(3) {
        let class = 1;
        of.push((Measure::Queue, Subject::Class { channel, class: 0 }));
        of.push((Measure::Stopped, Subject::Class { channel, class }));
        of.extend([Measure::Rate, Measure::Stops].map(|it| (it, Subject::Channel(channel))));
    }
    of.push((Measure::Goodput, Subject::Flows));
    let one = |(measure, of)| SeriesSpec {
        name: format!("{measure:?} {of:?}"),
        measure,
        of,
        window: (measure != Measure::Queue).then_some(Duration(S / 100)),
        from: Time::ZERO,
        until: spec.stop_at,
    };
    of.into_iter().map(one).collect()
}

/// A port of which nothing is recorded has no event for a last bit that nobody waits for. Beside a
/// probe that looks at all ports there are more events, and the series are the same.
#[test]
fn series_are_the_same_whoever_else_looks_on() {
    for (name, rules) in schemes() {
        let spec = network(rules);
        let series = series(&spec);
        let mut alone =
            Simulation::<Rings, _>::with_probe(&spec, Recorder::new(&series)).expect(name);
        let both = (Recorder::new(&series), Onlooker::default());
        let mut beside = Simulation::<Rings, _>::with_probe(&spec, both).expect(name);
        alone.run();
        beside.run();
        assert!(alone.events_handled() < beside.events_handled(), "{name}");
        let recorded = alone.probe().series(spec.stop_at);
        assert_eq!(recorded, beside.probe().0.series(spec.stop_at), "{name}");
        let tells = |one: &&Series| one.y.iter().any(|y| *y != one.y[0]);
        assert!(recorded.iter().filter(tells).count() > 5, "{name}");
    }
}

#[test]
fn another_seed_is_another_run() {
    let mut spec = network(None);
    let first = finish(Simulation::<Rings>::new(&spec).expect("sound"));
    spec.seed = 2;
    let second = finish(Simulation::<Rings>::new(&spec).expect("sound"));
    assert_ne!(first.trace_hash, second.trace_hash);
}

/// Changes here are named in the changelog, under *Results changed*.
#[test]
fn hashes_are_those_of_the_table() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/suite/frames/golden/trace_hashes.txt"
    );
    let mut found = String::new();
    for (name, rules) in schemes() {
        let outcome = finish(Simulation::<Rings>::new(&network(rules)).expect(name));
        let hash = outcome.trace_hash;
        found += &format!("{name:<20} {hash:016x} {}\n", outcome.unit_hops);
    }
    if std::env::var_os("BACKWATER_BLESS").is_some() {
        std::fs::write(path, &found).expect("the table can be written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(kept, found, "BACKWATER_BLESS=1 writes the table anew");
}

/// Where nothing else happens, a port that leaves out events must not wait for one.
#[test]
fn a_lonely_flow_is_the_same_run_with_and_without_onlookers() {
    let mut net = Net::new(1, Some(simple()));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.udp(s, d, 1000, endless());
    net.spec.stop_at = Time(100 * MS);
    net.spec.warm_up = Time::ZERO;
    let plain = finish(Simulation::<Rings>::new(&net.spec).expect("sound"));
    let seen = looked_at(&net.spec);
    assert_eq!(plain.trace_hash, seen.trace_hash);
    assert!(plain.events < seen.events);
    // 1,046 bytes and 20 more at 100 Mbps: 85.28 us each, and the first takes two links.
    assert_eq!(
        plain.flows[0].delivered_total,
        (100_000_000 - 85_280 - 1_000) / 85_280
    );
    let share = plain.channels[0].data_share;
    assert!((0.999..1.0001).contains(&share), "{share}");
}

/// A queue that stays congested until its last frame has left: nobody waits for that port, but the
/// source waits for the resume.
#[test]
fn a_resume_with_the_last_frame_is_the_same_run_with_and_without_onlookers() {
    let mut net = Net::new(1, Some(simple()));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    let queue = &mut net.spec.links[1].channels[0].queues[0];
    (queue.high_bytes, queue.low_bytes) = (5_000, 500);
    net.udp(s, d, 1000, endless());
    net.spec.stop_at = Time(100 * MS);
    net.spec.warm_up = Time::ZERO;
    let plain = finish(Simulation::<Rings>::new(&net.spec).expect("sound"));
    let seen = looked_at(&net.spec);
    assert_eq!(plain.trace_hash, seen.trace_hash);
    // Of 852.8 us each at 10 Mbps, with pauses.
    assert!((100..117).contains(&plain.flows[0].delivered_total));
    assert!(plain.channels[1].by_class.resumes_sent > 10);
}
