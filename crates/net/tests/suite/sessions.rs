//! Sessions: set-up, refusal and tear-down at exact instants, and what holds in any network.

use crate::common;

use backwater_kernel::{Rate, Rings, Stop, Time};
use backwater_net::outcome::{Outcome, SessionAnswer};
use backwater_net::probe::{Audit, ControlKind, Crossing, Probe, UnitKind};
use backwater_net::spec::*;
use backwater_net::{Network, Simulation, watched};
use common::*;

const MBPS: u64 = 1_000_000;

fn reserve(mbps: u64) -> Option<ReserveSpec> {
    Some(ReserveSpec {
        rate: Rate(mbps * MBPS),
        interval: None,
        burst_bytes: None,
        offset: backwater_kernel::Duration::ZERO,
        deadline: None,
    })
}

fn session(open: u64, close: Option<u64>) -> Option<SessionSpec> {
    Some(SessionSpec {
        open: at(open),
        close: close.map(at),
        message_bytes: BYTES,
    })
}

/// A flow over `channels` that reserves `mbps` and opens and closes at these cell times.
fn add(
    net: &mut Net,
    source: u32,
    channels: &[u32],
    mbps: u64,
    open: u64,
    close: Option<u64>,
) -> usize {
    let id = net.flow(source, channels, FlowControlSpec::None);
    let flow = &mut net.spec.flows[id];
    (flow.reserve, flow.session) = (reserve(mbps), session(open, close));
    id
}

/// A, C - S1 - S2 - B, D; each hop takes a message one cell time and ten of delay. The links:
/// A, C, the trunk, B, D.
fn two_switches() -> (Net, [u32; 4], [u32; 5]) {
    let mut net = Net::new(Timing::StoreAndForward, cells(10), at(2000));
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|name| net.node(name, NodeKind::Host));
    let [s1, s2] = ["S1", "S2"].map(|name| net.node(name, NodeKind::Switch));
    let links = [
        net.link(a, s1),
        net.link(c, s1),
        net.link(s1, s2),
        net.link(s2, b),
        net.link(s2, d),
    ];
    (net, [a, b, c, d], links)
}

fn answer(outcome: &Outcome, flow: usize) -> (SessionAnswer, Option<Time>) {
    let session = outcome.flows[flow].session.expect("it has one");
    (session.answer, session.answered_at)
}

fn first_starts(net: &Net, count: usize) -> Vec<Time> {
    watch(&net.spec, 0).starts[..count].to_vec()
}

#[test]
fn a_set_up_over_three_hops_is_answered_after_six() {
    let (mut net, [a, ..], [to_s1, _, trunk, to_b, _]) = two_switches();
    let flow = add(&mut net, a, &[to_s1, trunk, to_b], 100, 5, None);
    let outcome = run(&net.spec);
    assert_eq!(
        answer(&outcome, flow),
        (SessionAnswer::Admitted, Some(at(5 + 6 * 11)))
    );
    let found = outcome.flows[flow].session.expect("it has one");
    assert_eq!((found.asked_at, found.closed_at), (Some(at(5)), None));
    assert_eq!(first_starts(&net, 2), [at(71), at(72)]);
    // Messages of twice the size take a cell time more on each hop.
    net.spec.flows[flow].session = session(5, None).map(|session| SessionSpec {
        message_bytes: 2 * BYTES,
        ..session
    });
    assert_eq!(
        answer(&run(&net.spec), flow).1,
        Some(at(5 + 6 * 12)),
        "larger messages"
    );
}

#[test]
fn traffic_starts_with_the_acceptance_or_later() {
    let (mut net, [a, ..], [to_s1, _, trunk, to_b, _]) = two_switches();
    add(&mut net, a, &[to_s1, trunk, to_b], 100, 5, None);
    let constant = |start| TrafficSpec::Constant {
        start: at(start),
        interval: cells(7),
        random_phase: false,
        total: None,
    };
    for (start, first) in [(0, 71), (50, 71), (71, 71), (100, 100)] {
        net.spec.flows[0].traffic = constant(start);
        assert_eq!(first_starts(&net, 2), [at(first), at(first + 7)], "{start}");
    }
    net.spec.flows[0].traffic = TrafficSpec::OnOff {
        start: at(10),
        on: Span::Fixed(cells(6)),
        off: Span::Fixed(cells(20)),
        on_interval: cells(2),
        off_interval: None,
    };
    let bursts = [0, 2, 4, 26, 28, 30].map(|n| at(71 + n));
    assert_eq!(first_starts(&net, 6), bursts);
}

/// The second flow finds 222 of 622 Mbps left on the trunk. What it held on its first link, of
/// 400 Mbps, is free again for the third.
#[test]
fn a_refusal_names_the_channel_and_gives_back_the_rest() {
    let (mut net, [a, _, c, _], [to_a, to_c, trunk, to_b, to_d]) = two_switches();
    net.spec.links[1].channels[0].rate = Rate(400 * MBPS);
    let message = Rate(400 * MBPS).serialization(BYTES as u64);
    let first = add(&mut net, a, &[to_a, trunk, to_b], 400, 0, None);
    let second = add(&mut net, c, &[to_c, trunk, to_d], 300, 100, None);
    let third = add(&mut net, c, &[to_c, trunk, to_d], 222, 200, None);
    let outcome = run(&net.spec);
    assert_eq!(answer(&outcome, first).0, SessionAnswer::Admitted);
    let refused = SessionAnswer::Refused {
        channel: trunk,
        missing: Rate(78 * MBPS),
    };
    // There and back over the first hop.
    let answered_at = at(100) + message + cells(10) + cells(11);
    assert_eq!(answer(&outcome, second), (refused, Some(answered_at)));
    assert_eq!(outcome.flows[second].offered_total, 0);
    assert_eq!(answer(&outcome, third).0, SessionAnswer::Admitted);
    // At its own port a source needs no message to be refused.
    net.spec.flows[second].reserve = reserve(401);
    let refused = SessionAnswer::Refused {
        channel: to_c,
        missing: Rate(MBPS),
    };
    assert_eq!(answer(&run(&net.spec), second), (refused, Some(at(100))));
}

#[test]
fn what_is_reserved_from_the_start_counts_and_nothing_always_fits() {
    let (mut net, [a, _, c, _], [to_a, to_c, trunk, to_b, to_d]) = two_switches();
    let standing = net.flow(a, &[to_a, trunk, to_b], FlowControlSpec::None);
    net.spec.flows[standing].reserve = reserve(622);
    let some = add(&mut net, c, &[to_c, trunk, to_d], 1, 0, None);
    let none = add(&mut net, c, &[to_c, trunk, to_d], 1, 0, None);
    net.spec.flows[none].reserve = None;
    let outcome = run(&net.spec);
    let refused = SessionAnswer::Refused {
        channel: trunk,
        missing: Rate(MBPS),
    };
    assert_eq!(answer(&outcome, some).0, refused);
    assert_eq!(answer(&outcome, none).0, SessionAnswer::Admitted);
}

/// Two set-ups reach the trunk at one instant: the flow that is first in the scenario gets it,
/// whatever the numbers of the channels.
#[test]
fn set_ups_of_one_instant_reserve_in_the_order_of_flows() {
    let (mut net, [a, _, c, _], [to_a, to_c, trunk, to_b, to_d]) = two_switches();
    let first = add(&mut net, c, &[to_c, trunk, to_d], 400, 0, None);
    let second = add(&mut net, a, &[to_a, trunk, to_b], 400, 0, None);
    let outcome = run(&net.spec);
    assert_eq!(answer(&outcome, first).0, SessionAnswer::Admitted);
    assert_ne!(answer(&outcome, second).0, SessionAnswer::Admitted);
}

/// A - S - B, the second link half as fast. The acceptance is there at 45; of 21 units, the last
/// (its port held it at the close) starts at 65. At S it waits until 96.
fn closing(other_opens: u64) -> (Net, usize) {
    let mut net = Net::new(Timing::StoreAndForward, cells(10), at(1000));
    let [a, b, c] = ["A", "B", "C"].map(|name| net.node(name, NodeKind::Host));
    let s = net.node("S", NodeKind::Switch);
    let (to_a, to_c, out) = (net.link(a, s), net.link(c, s), net.link(s, b));
    net.spec.links[2].channels[0].rate.0 /= 2;
    add(&mut net, a, &[to_a, out], 300, 0, Some(65));
    let other = add(&mut net, c, &[to_c, out], 12, other_opens, None);
    net.spec.flows[other].traffic = TrafficSpec::Silent;
    (net, other)
}

/// Starts of tear-downs and of the last data unit, by leg; what is reserved after each instant.
#[derive(Default)]
struct Ends {
    data: Vec<(u32, Time)>,
    tear_downs: Vec<(u32, Time)>,
    reserved: Vec<(Time, u64, u64)>,
}

impl Probe for Ends {
    fn on_start(&mut self, crossing: Crossing) {
        match (crossing.kind, crossing.value) {
            (UnitKind::Data, _) => self.data.push((crossing.leg, crossing.at)),
            (UnitKind::Control(ControlKind::Session), 3) => {
                self.tear_downs.push((crossing.leg, crossing.at))
            }
            _ => {}
        }
    }
    fn after_instant(&mut self, at: Time, network: &Network) {
        let of = |channel| network.reserved(channel).expect("there are sessions").0 / MBPS;
        let now = (of(0), of(4));
        if self.reserved.last().map(|last| (last.1, last.2)) != Some(now) {
            self.reserved.push((at, now.0, now.1));
        }
    }
}

#[test]
fn a_tear_down_follows_the_last_unit_out_of_each_port() {
    let (net, _) = closing(900);
    let (ends, outcome) = watched(&net.spec, Ends::default()).expect("it is sound");
    assert_eq!(outcome.violations.total(), 0);
    let flow = &outcome.flows[0];
    assert_eq!((flow.offered_total, flow.delivered_total), (21, 21));
    let session = flow.session.expect("it has one");
    assert_eq!(session.answered_at, Some(at(45)));
    assert_eq!(session.closed_at, Some(at(98 + 2 + 10)));
    assert_eq!(ends.tear_downs, [(0, at(66)), (1, at(98))]);
    let last = |leg| ends.data.iter().rfind(|start| start.0 == leg);
    assert_eq!(last(0), Some(&(0, at(65))));
    assert_eq!(last(1), Some(&(1, at(96))));
    let reserved = [
        (at(0), 300, 0),
        (at(11), 300, 300),
        (at(66), 0, 300),
        (at(98), 0, 0),
    ];
    assert_eq!(ends.reserved[..4], reserved);
}

/// 311 Mbps hold 300 and 11, not 12. Who comes while the tear-down starts comes too early.
#[test]
fn the_rate_is_free_once_the_tear_down_has_left() {
    for (reaches_port, expected) in [(97, false), (98, false), (99, true)] {
        let (net, other) = closing(reaches_port - 11);
        let is_admitted = answer(&run(&net.spec), other).0 == SessionAnswer::Admitted;
        assert_eq!(is_admitted, expected, "{reaches_port}");
    }
}

#[test]
fn a_session_that_closes_before_its_answer_sends_nothing_and_gives_back() {
    let (mut net, _) = closing(100);
    net.spec.flows[0].session = session(0, Some(20));
    let outcome = run(&net.spec);
    let found = outcome.flows[0].session.expect("it has one");
    assert_eq!(found.answer, SessionAnswer::Admitted);
    assert_eq!(found.closed_at, Some(at(45 + 11 + 12)));
    assert_eq!(outcome.flows[0].offered_total, 0);
    assert_eq!(answer(&outcome, 1).0, SessionAnswer::Admitted);
    assert_eq!(outcome.stop, Stop::Drained);
}

/// From A over S to B and C, C ten cell times further.
fn fork(mbps_to_c: u64) -> (Net, u32) {
    let mut net = Net::new(Timing::StoreAndForward, cells(10), at(1000));
    let [a, b, c] = ["A", "B", "C"].map(|name| net.node(name, NodeKind::Host));
    let s = net.node("S", NodeKind::Switch);
    let (first, to_b) = (net.link(a, s), net.link(s, b));
    net.delay = cells(20);
    let to_c = net.link(s, c);
    add(&mut net, a, &[first, to_b], 100, 0, Some(200));
    net.spec.flows[0].legs.push(leg(to_c, Some(0)));
    if mbps_to_c > 0 {
        let standing = net.flow(s, &[to_c], FlowControlSpec::None);
        net.spec.flows[standing].reserve = reserve(mbps_to_c);
        net.spec.flows[standing].traffic = TrafficSpec::Silent;
    }
    // Asks for all of the way to B once a refusal should have given it back.
    let late = add(&mut net, s, &[to_b], 622, 60, None);
    net.spec.flows[late].traffic = TrafficSpec::Silent;
    (net, to_c)
}

#[test]
fn a_tree_is_accepted_with_its_last_leaf() {
    let (net, _) = fork(0);
    let outcome = run(&net.spec);
    // 11 to S, 21 to C and back, 11 to A.
    assert_eq!(
        answer(&outcome, 0),
        (SessionAnswer::Admitted, Some(at(11 + 42 + 11)))
    );
    let flow = &outcome.flows[0];
    assert_eq!(flow.delivered_total, 2 * (201 - 64));
    // The last unit starts at 200, the tear-down behind it reaches C last.
    let session = flow.session.expect("it has one");
    assert_eq!(session.closed_at, Some(at(201 + 11 + 21)));
    let late = answer(&outcome, outcome.flows.len() - 1).0;
    assert_ne!(late, SessionAnswer::Admitted);
}

#[test]
fn a_refusal_at_one_branch_gives_back_the_others() {
    let (net, to_c) = fork(523);
    let outcome = run(&net.spec);
    // S knows at 11 that C is refused, at 33 that B accepts.
    let refused = SessionAnswer::Refused {
        channel: to_c,
        missing: Rate(MBPS),
    };
    assert_eq!(answer(&outcome, 0), (refused, Some(at(33 + 11))));
    let session = outcome.flows[0].session.expect("it has one");
    assert_eq!(session.closed_at, None);
    let late = answer(&outcome, outcome.flows.len() - 1).0;
    assert_eq!(late, SessionAnswer::Admitted);
}

#[test]
fn sessions_that_could_hang_are_refused() {
    let refusal = |change: &dyn Fn(&mut NetworkSpec)| {
        let (mut net, _) = closing(900);
        change(&mut net.spec);
        let built = Simulation::<Rings>::new(&net.spec);
        built.err().map_or(String::new(), |error| error.0)
    };
    assert_eq!(refusal(&|_| {}), "");
    let loses = |spec: &mut NetworkSpec| spec.links[2].channels[1].errors.control_loss = 0.1;
    assert!(refusal(&loses).contains("errors in control units"));
    let corrupts =
        |spec: &mut NetworkSpec| spec.links[0].channels[0].errors.control_corruption = 0.1;
    assert!(refusal(&corrupts).contains("errors in control units"));
    let backward = |spec: &mut NetworkSpec| spec.flows[0].session = session(5, Some(5));
    assert!(refusal(&backward).contains("before it opens"));
    let empty = |spec: &mut NetworkSpec| {
        spec.flows[0]
            .session
            .as_mut()
            .expect("it has one")
            .message_bytes = 0;
    };
    assert!(refusal(&empty).contains("at least one byte"));
    let answers = |spec: &mut NetworkSpec| spec.flows[1].partner = Some(0);
    assert!(refusal(&answers).contains("answers of another flow"));
}

/// Sessions come and go at random; all of them have closed long before the end.
fn drawn(seed: u64) -> NetworkSpec {
    let mut dice = Dice::new(seed);
    let mut drawn = Drawn::new(&mut dice, at(20_000));
    for _ in 0..dice.between(3, 10) {
        let flow = drawn.flow(&mut dice);
        let flow = &mut drawn.net.spec.flows[flow];
        flow.reserve = reserve(dice.between(1, 150));
        flow.traffic = draw_traffic(&mut dice);
        if !dice.one_in(5) {
            let open = dice.between(0, 300);
            flow.session = session(open, Some(open + dice.between(1, 400)));
        } else {
            flow.traffic = TrafficSpec::Silent;
        }
    }
    drawn.net.spec
}

#[test]
fn reservations_fit_and_end_in_any_network() {
    let (mut admitted, mut refused) = (0, 0);
    for seed in 0..60 {
        let spec = drawn(seed);
        if spec.flows.iter().all(|flow| flow.session.is_none()) {
            continue;
        }
        let probe = (Audit::new(&spec), Books::of(&spec));
        let (probe, outcome) = watched(&spec, probe).expect("it is sound");
        assert_eq!(
            outcome.violations.total(),
            0,
            "{seed}: {:?}",
            outcome.violations
        );
        assert_eq!(outcome.stop, Stop::Drained, "{seed}");
        let (audit, books) = probe;
        assert_eq!(
            audit.checks().violations().total(),
            0,
            "{seed}: {:?}",
            audit.checks().violations().kept()
        );
        assert_eq!(complaints(&spec, &books), [""; 0], "{seed}");
        for session in outcome.flows.iter().filter_map(|flow| flow.session) {
            match session.answer {
                SessionAnswer::Admitted => {
                    admitted += 1;
                    assert!(session.closed_at > session.answered_at, "{seed}");
                }
                SessionAnswer::Refused { missing, .. } => {
                    refused += 1;
                    assert!(missing.0 > 0 && session.closed_at.is_none(), "{seed}");
                }
                SessionAnswer::Pending => panic!("{seed}: no answer"),
            }
        }
    }
    assert!(admitted > 50 && refused > 50, "{admitted} {refused}");
}

#[test]
fn wrong_books_are_seen() {
    let (net, _) = closing(900);
    let rate = net.spec.links[2].channels[0].rate.0;
    let tampered = |change: &dyn Fn(&mut Books)| {
        let mut books = Books::of(&net.spec);
        books.most[4] = rate;
        change(&mut books);
        complaints(&net.spec, &books).len()
    };
    assert_eq!(tampered(&|_| {}), 0);
    assert_eq!(tampered(&|books| books.most[4] += 1), 1);
    assert_eq!(tampered(&|books| books.last[0] = 1), 1);
    assert_eq!(tampered(&|books| books.late_units = 1), 1);
}

/// An audit told of slower links finds what is reserved too much for them.
#[test]
fn the_audit_sees_an_overbooked_channel() {
    let (net, _) = closing(900);
    let mut slower = net.spec.clone();
    slower.links[2].channels[0].rate = Rate(299 * MBPS);
    for (spec, expected) in [(&net.spec, false), (&slower, true)] {
        let audit = Audit::new(spec);
        let (probe, _) = watched(&net.spec, audit).expect("it is sound");
        let violations = probe.checks().violations().kept();
        assert_eq!(!violations.is_empty(), expected);
        assert!(
            violations
                .iter()
                .all(|one| one.what.contains("reserved on channel 4"))
        );
    }
}
