//! Packets that are listed, pulled, or answer others.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{Purpose, Stream};

use super::{births, deviations};
use crate::spec::{ClassSpec, FabricSpec, Injection, Pattern, Size, Sources, TraceEntry};
use crate::traffic::testing::{class, crossbar};
use crate::traffic::{Born, Generator};

fn entry(cycle: u64, source: u32, destination: u32, length: u16) -> TraceEntry {
    TraceEntry {
        cycle,
        source,
        destination,
        length,
    }
}

fn list() -> Injection {
    Injection::Trace(vec![
        entry(0, 1, 0, 3),
        entry(5, 0, 2, 1),
        entry(5, 1, 1, 2),
        entry(5, 1, 2, 4),
        entry(5, 1, 2, 5),
        entry(1 << 40, 1, 0, 16_384),
    ])
}

/// Cycle, destination and length of what a process makes.
fn taken(generator: &mut Generator, process: u32) -> Vec<(u64, u32, u16)> {
    let found = births(generator, process, u64::MAX);
    let plain = |(now, born): (u64, Born)| (now, born.destination, born.length);
    found.into_iter().map(plain).collect()
}

#[test]
fn a_trace_is_replayed_as_listed() {
    let spec = crossbar(3, vec![class(list())]);
    let mut generator = Generator::new(&spec).unwrap();
    assert_eq!(generator.ends(), Some(1 << 40));
    assert_eq!(taken(&mut generator, 0), [(5, 2, 1)]);
    let second = [
        (0, 0, 3),
        (5, 1, 2),
        (5, 2, 4),
        (5, 2, 5),
        (1 << 40, 0, 16_384),
    ];
    assert_eq!(taken(&mut generator, 1), second);
    assert_eq!(taken(&mut generator, 2), []);
}

#[test]
fn the_sources_of_a_terminal_take_a_trace_in_turn() {
    let mut spec = crossbar(3, vec![class(list())]);
    spec.sources = Sources::PerLane;
    let mut generator = Generator::new(&spec).unwrap();
    assert_eq!(taken(&mut generator, 4), [(0, 0, 3), (1 << 40, 0, 16_384)]);
    assert_eq!(taken(&mut generator, 5), [(5, 1, 2)]);
    assert_eq!(taken(&mut generator, 7), [(5, 2, 5)]);
    assert_eq!(taken(&mut generator, 0), [(5, 2, 1)]);
}

#[test]
fn only_traces_end() {
    let both = vec![class(list()), class(Injection::Bernoulli { load: 0.0 })];
    assert_eq!(Generator::new(&crossbar(3, both)).unwrap().ends(), None);
    let short = Injection::Trace(vec![entry(7, 0, 0, 1)]);
    let both = vec![class(short), class(Injection::Trace(Vec::new()))];
    assert_eq!(Generator::new(&crossbar(3, both)).unwrap().ends(), Some(7));
}

#[test]
fn saturating_classes_are_pulled_equally() {
    let pulled = ClassSpec {
        pattern: Pattern::Neighbour,
        size: Size::Fixed(9),
        ..class(Injection::Saturation)
    };
    let idle = class(Injection::Bernoulli { load: 0.0 });
    let classes = vec![idle.clone(), pulled.clone(), pulled];
    let mut generator = Generator::new(&crossbar(4, classes)).unwrap();
    assert!(generator.pulls());
    assert_eq!(generator.first(1), None);
    let mut second = 0;
    for _ in 0..10_000 {
        let born = generator.pull(2).unwrap();
        assert_eq!((born.destination, born.length), (3, 9));
        assert!(born.class == 1 || born.class == 2);
        second += u64::from(born.class == 2);
    }
    assert!(deviations(second, 10_000, 0.5) < 4.0);
    let mut none = Generator::new(&crossbar(4, vec![idle])).unwrap();
    assert!(!none.pulls() && none.pull(0).is_none());
}

/// Requests of 2 flits, answered by 5 flits.
fn request_reply(outstanding: u32, think: u32) -> FabricSpec {
    let request = ClassSpec {
        size: Size::Fixed(2),
        pattern: Pattern::Uniform {
            include_self: false,
        },
        ..class(Injection::RequestReply {
            outstanding,
            think,
            reply_class: 1,
        })
    };
    let reply = ClassSpec {
        size: Size::Fixed(5),
        ..class(Injection::Replies)
    };
    crossbar(4, vec![request, reply])
}

/// What was seen of a terminal's requests.
#[derive(Default)]
struct Seen {
    under_way: [u32; 4],
    most: [u32; 4],
    requests: u64,
    replies: u64,
}

/// Carries packets with random delays to their destinations until `end`.
fn carry(spec: &FabricSpec, end: u64) -> Seen {
    let mut generator = Generator::new(spec).unwrap();
    let sources = generator.sources_per_terminal();
    let mut stream = Stream::new(1, 0, Purpose::Pattern);
    let mut seen = Seen::default();
    // By cycle and order: births (terminal, packet) and arrivals (source, packet).
    let mut events: BTreeMap<(u64, u64), (bool, u32, Born)> = BTreeMap::new();
    let mut order = 0_u64;
    let mut next = || {
        order += 1;
        order
    };
    for process in 0..generator.processes() {
        for (now, born) in births(&mut generator, process, end) {
            let terminal = process / 2 / sources;
            events.insert((now, next()), (true, terminal, born));
        }
    }
    while let Some(((now, _), (is_birth, terminal, born))) = events.pop_first() {
        if now >= end {
            break;
        }
        if is_birth {
            if born.class == 0 {
                let count = &mut seen.under_way[terminal as usize];
                *count += 1;
                seen.most[terminal as usize] = seen.most[terminal as usize].max(*count);
                seen.requests += 1;
                assert_eq!(born.length, 2);
            } else {
                assert_eq!(born.length, 5);
            }
            let arrival = now + 1 + stream.below(20);
            events.insert((arrival, next()), (false, terminal, born));
            continue;
        }
        if born.class == 1 {
            seen.under_way[born.destination as usize] -= 1;
            seen.replies += 1;
        }
        let reaction = generator.arrived(born.class, terminal, born.destination, now);
        let reaction = reaction.unwrap();
        assert_eq!(reaction.at_terminal, born.destination);
        assert!(reaction.source_lane < sources);
        if born.class == 0 {
            assert_eq!((reaction.cycle, reaction.born.class), (now, 1));
            assert_eq!(reaction.born.destination, terminal);
        } else {
            assert_eq!(reaction.born.class, 0);
            assert_ne!(reaction.born.destination, reaction.at_terminal);
        }
        let when = (reaction.cycle, next());
        events.insert(when, (true, reaction.at_terminal, reaction.born));
    }
    seen
}

#[test]
fn no_more_requests_are_under_way_than_allowed() {
    for outstanding in [1, 3, 10] {
        let seen = carry(&request_reply(outstanding, 0), 20_000);
        assert_eq!(seen.most, [outstanding; 4]);
        // With no time to think all are under way all the time: one for each 21 cycles.
        let expected = 4.0 * f64::from(outstanding) * 20_000.0 / 21.0;
        assert!((seen.requests as f64 / expected - 1.0).abs() < 0.05);
        assert!(seen.requests - seen.replies <= u64::from(4 * outstanding));
    }
}

#[test]
fn thinking_takes_its_time() {
    let seen = carry(&request_reply(2, 79), 20_000);
    let expected = 4.0 * 2.0 * 20_000.0 / 100.0;
    assert!((seen.requests as f64 / expected - 1.0).abs() < 0.05);
}

#[test]
fn requests_are_spread_over_the_sources_of_a_terminal() {
    let mut spec = request_reply(6, 0);
    spec.sources = Sources::PerLane;
    let seen = carry(&spec, 5_000);
    assert_eq!(seen.most, [6; 4]);
    let mut generator = Generator::new(&spec).unwrap();
    let firsts: Vec<usize> = (0..4)
        .map(|source| births(&mut generator, 2 * source, 1).len())
        .collect();
    assert_eq!(firsts, [2, 2, 1, 1]);
}

#[test]
fn other_packets_bring_nothing_about() {
    let spec = crossbar(2, vec![class(Injection::Saturation)]);
    let mut generator = Generator::new(&spec).unwrap();
    assert_eq!(generator.arrived(0, 0, 1, 5), None);
}
