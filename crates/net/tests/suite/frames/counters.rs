//! Counters of ports: CBFC, InfiniBand, grains. Small cases by hand; what becomes of loss.

use crate::frames::common::*;
use backwater_kernel::{Channels, Duration, Time};
use backwater_net::frames::probe::{Content, Frame, Probe, counters};
use backwater_net::frames::spec::*;
use backwater_net::outcome::{CreditOutcome, Outcome};
use backwater_net::watched;

/// A frame of 1,000 bytes at 100 Mbps, preamble and gap included.
const FRAME: u64 = 1020 * 80_000;
/// An ordered set of 8 bytes, which has neither.
const SET: u64 = 8 * 80_000;
/// Propagation of every link.
const AWAY: u64 = US / 2;
/// What a frame of 1,000 bytes costs in cells of 64, without the FCS.
const COST: u64 = 16;

/// Starts of data on the first link; updates and statements: when, of which classes, what.
#[derive(Default)]
struct Log {
    data: Vec<u64>,
    updates: Vec<(u64, Vec<(u8, u64)>)>,
    statements: Vec<(u64, Vec<(u8, u64)>)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        match frame.content {
            Content::Counters {
                is_update,
                classes,
                words,
                ..
            } => {
                let says = counters(classes, &words).collect();
                let (list, from) = match is_update {
                    true => (&mut self.updates, 1),
                    false => (&mut self.statements, 0),
                };
                assert_eq!(
                    channel, from,
                    "updates go against the data, statements along"
                );
                list.push((at.0, says));
            }
            _ if channel == 0 => self.data.push(at.0),
            _ => {}
        }
    }
}

fn cbfc(limit_units: u32) -> (LaneSpec, CountersSpec) {
    let lane = LaneSpec {
        limit_units,
        reserve_units: 0,
        shares: Shares::Nothing,
    };
    let counters = CountersSpec {
        update: UpdateSpec {
            says: Says::Freed { bits: 15 },
            bytes: 8,
            classes: 2,
            spacing: Duration(1),
            at_least_every: None,
            waits_for_idle: false,
        },
        statement: None,
        floor_units: 0,
        port_units: None,
    };
    (lane, counters)
}

/// S sends datagrams of these payloads over A to D, one class each; counters from S to A.
fn pair(payloads: &[u32], (lane, counters): (LaneSpec, CountersSpec)) -> Net {
    let mut net = Net::new(payloads.len(), None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    for (class, payload) in (0..).zip(payloads) {
        net.udp(s, d, *payload, endless());
        let last = net.spec.flows.len() - 1;
        net.spec.flows[last].class = class;
    }
    net.spec.stop_at = Time(20 * MS);
    net.spec.warm_up = Time::ZERO;
    let credit = ClassCreditSpec {
        owner: Owner::Class,
        unit_bytes: 64,
        overhead_bytes: -4,
        rule: ClassCreditRule::Counters(lane),
    };
    let first = net.spec.links.channel_mut(0);
    first.credits = vec![Some(credit); payloads.len()];
    first.counters = Some(counters);
    net
}

fn run(net: &Net) -> (Log, Outcome) {
    let (probe, outcome) = watched(&net.spec, Log::default()).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    (probe, outcome)
}

fn credit_of(outcome: &Outcome, class: usize) -> CreditOutcome {
    let queue = &outcome.channels[0].by_class.queues[class];
    *queue.credit.clone().expect("it has credit")
}

#[test]
fn one_frame_of_credit_is_one_frame_a_loop() {
    // In at A after a frame and the way, out after another frame; then an ordered set goes back.
    let period = 2 * FRAME + SET + 2 * AWAY;
    let (log, outcome) = run(&pair(&[954], cbfc(COST as u32)));
    let expected = (0..).map(|k| k * period).take(log.data.len());
    assert!(log.data.len() > 100 && log.data.iter().copied().eq(expected));
    let freed = |k: u64| ((k - 1) * period + 2 * FRAME + AWAY, vec![(0, k * COST)]);
    assert!(
        log.updates
            .iter()
            .cloned()
            .eq((1..).map(freed).take(log.updates.len()))
    );
    let credit = credit_of(&outcome, 0);
    assert_eq!(credit.consumed, COST * log.data.len() as u64);
    assert_eq!((credit.limit, credit.most_used), (COST, COST));
}

#[test]
fn updates_keep_their_distance_and_speak_of_two_classes() {
    let (lane, mut counters) = cbfc(64);
    counters.update.spacing = Duration(3 * FRAME);
    let (log, _) = run(&pair(&[954, 954, 954], (lane, counters)));
    assert!(log.updates.len() > 50);
    for pair in log.updates.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= 3 * FRAME);
    }
    assert!(
        log.updates
            .iter()
            .all(|(_, says)| matches!(says.len(), 1 | 2))
    );
    assert!(log.updates.iter().any(|(_, says)| says.len() == 2));
}

#[test]
fn a_silent_port_speaks_after_a_while() {
    let (lane, mut counters) = cbfc(64);
    counters.update.at_least_every = Some(Duration(MS));
    let mut net = pair(&[954], (lane, counters));
    net.spec.flows.clear();
    net.udp(0, 2, 954, endless());
    net.spec.flows[0].traffic = TrafficSpec::Infinite {
        bytes: Some(954),
        start: Time(7 * MS + MS / 2),
    };
    net.spec.stop_at = Time(10 * MS);
    let (log, _) = run(&net);
    let at: Vec<u64> = log.updates.iter().map(|(at, _)| *at).collect();
    let freed = 7 * MS + MS / 2 + 2 * FRAME + AWAY;
    let mut expected: Vec<u64> = (1..=7).map(|k| k * MS).collect();
    expected.push(freed);
    assert_eq!(
        at, expected,
        "then all that was sent is known to be free, and the run is over"
    );
}

/// Both ways without end, or this way alone; messages may wait until their link is idle.
fn waiting(is_both: bool, may_wait: bool) -> (Log, Outcome) {
    let (lane, mut counters) = cbfc(20 * COST as u32);
    counters.update.at_least_every = Some(Duration(EVERY));
    counters.update.waits_for_idle = may_wait;
    counters.statement = Some(StatementSpec {
        every: Duration(EVERY),
        bits: 20,
        bytes: 8,
        classes: 16,
        waits_for_idle: may_wait,
    });
    let mut net = pair(&[954], (lane, counters));
    if is_both {
        net.udp(2, 0, 954, endless());
    }
    run(&net)
}

/// Ten frames and a half.
const EVERY: u64 = 10 * FRAME + FRAME / 2;

/// A link that is never idle sends an update as the first frame ends after the longest silence, and
/// a statement as the first one ends after the next was due.
#[test]
fn messages_wait_for_an_idle_link_as_long_as_they_may() {
    let (log, outcome) = waiting(true, true);
    // Frames against the data go from here on, one behind the other.
    let first = FRAME + AWAY;
    let step = |from: u64, until: u64| from + (until - from).div_ceil(FRAME) * FRAME;
    let mut expected = vec![step(first, EVERY)];
    while expected.len() < log.updates.len() {
        let last = expected[expected.len() - 1];
        expected.push(step(last + SET, last + EVERY));
    }
    let at: Vec<u64> = log.updates.iter().map(|(at, _)| *at).collect();
    assert!(at.len() > 10, "{}", at.len());
    assert_eq!(at, expected);
    // Along with the data, which starts at 0. Each waits for a period, in the place of the next.
    let mut expected = vec![step(0, 2 * EVERY)];
    while expected.len() < log.statements.len() {
        let last = expected[expected.len() - 1];
        let due = 2 * EVERY * (expected.len() as u64 + 1);
        expected.push(step(last + SET, due));
    }
    let at: Vec<u64> = log.statements.iter().map(|(at, _)| *at).collect();
    assert!(at.len() > 5, "{}", at.len());
    assert_eq!(at, expected);
    assert!(outcome.channels[0].data_share > 0.99);
}

/// A link with nothing to send against the data sends an update as soon as one that never waits;
/// statements go beside data and wait.
#[test]
fn nothing_waits_for_a_link_that_is_idle() {
    let ([waits, at_once], statements): ([Vec<u64>; 2], Vec<usize>) = {
        let logs = [true, false].map(|may_wait| waiting(false, may_wait).0);
        let counts = logs.iter().map(|log| log.statements.len()).collect();
        let first = |log: &Log| log.updates.iter().take(9).map(|(at, _)| *at).collect();
        (logs.each_ref().map(first), counts)
    };
    assert_eq!(waits, at_once);
    assert!(statements[0] <= statements[1] / 2 + 1, "{statements:?}");
    let (both, _) = waiting(true, false);
    assert!(both.updates.len() > 100, "{}", both.updates.len());
}

/// A million frames leave the counter where arithmetic says: 20 bits of it.
#[test]
fn counters_go_round() {
    for (payload, cost) in [(18, 1), (23, 2), (1_472, 24)] {
        let (lane, mut counters) = cbfc(2_000);
        counters.statement = Some(StatementSpec {
            every: Duration(100 * US),
            bits: 20,
            bytes: 64,
            classes: 16,
            waits_for_idle: false,
        });
        let mut net = pair(&[payload], (lane, counters));
        net.spec
            .links
            .iter_mut()
            .flat_map(|link| &mut link.channels)
            .for_each(|channel| {
                channel.rate = backwater_kernel::Rate(400_000_000_000);
            });
        net.spec.flows[0].traffic = TrafficSpec::Infinite {
            bytes: Some(1_000_000 * u64::from(payload)),
            start: Time::ZERO,
        };
        net.spec.stop_at = Time(1_000 * MS);
        let (log, outcome) = run(&net);
        let credit = credit_of(&outcome, 0);
        assert_eq!(credit.consumed, 1_000_000 * cost);
        assert_eq!(
            (credit.freed, credit.used, credit.lost),
            (credit.consumed, 0, 0)
        );
        let stated = log.statements.last().map(|(_, says)| says[0].1);
        assert!(stated.is_some_and(|stated| stated < 1 << 20));
        let most = log.updates.iter().map(|(_, says)| says[0].1).max();
        assert!(
            most.is_some_and(|most| most < 1 << 15 && most > 32_000),
            "{most:?}"
        );
    }
}

fn losing(every: Option<Duration>) -> Outcome {
    let (lane, mut counters) = cbfc(160);
    counters.update.at_least_every = Some(Duration(MS));
    counters.statement = every.map(|every| StatementSpec {
        every,
        bits: 20,
        bytes: 64,
        classes: 16,
        waits_for_idle: false,
    });
    let mut net = pair(&[954], (lane, counters));
    net.spec.stop_at = Time(400 * MS);
    net.spec.links.channel_mut(0).errors.data_loss = 0.01;
    net.spec.links.channel_mut(1).errors.control_loss = 0.01;
    run(&net).1
}

/// What is lost costs credit until it is stated; without a statement the class stops for ever.
#[test]
fn a_leak_is_mended_by_statements_alone() {
    let mended = losing(Some(Duration(MS)));
    let credit = credit_of(&mended, 0);
    assert!(credit.lost > 30 * COST, "{credit:?}");
    assert!(mended.channels[0].data_share > 0.98, "{mended:?}");
    let leaking = losing(None);
    assert_eq!(credit_of(&leaking, 0).lost, 0);
    assert!(leaking.channels[0].data_share < 0.5);
}

/// Grains: with 31 credits, of frames that cost 24 each, the rest of a grain of 16 is never told.
#[test]
fn less_than_a_grain_is_never_given_back() {
    let sent = |limit: u32| {
        let (mut lane, mut counters) = cbfc(limit);
        lane.limit_units = limit;
        counters.update.says = Says::Grains { units: 16 };
        counters.update.classes = 8;
        let (log, _) = run(&pair(&[1_472], (lane, counters)));
        log.data.len()
    };
    assert_eq!(sent(31), 1, "24 spent, 16 of them back: 23");
    assert!(sent(32) > 50);
}

/// With one limit for the port, classes keep to it together, and each to its part.
#[test]
fn classes_share_the_limit_of_a_port() {
    let (lane, mut counters) = cbfc(80);
    let own = run(&pair(&[954, 954], (lane, counters))).1;
    assert!(own.channels[0].data_share > 0.99);
    counters.port_units = Some(80);
    let shared = LaneSpec {
        reserve_units: 16,
        shares: Shares::OfFree(0),
        ..lane
    };
    let port = run(&pair(&[954, 954], (shared, counters))).1;
    let used: u64 = (0..2).map(|class| credit_of(&port, class).most_used).sum();
    assert!(used <= 80, "both together: {used}");
    // 2^0 of what is free: half of the 48 shared, beside the reserve.
    assert!((0..2).all(|class| credit_of(&port, class).most_used <= 16 + 24));
}
