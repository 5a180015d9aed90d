//! What is seen of frames between two instants: a stop by hand, and that nothing is missing.

use crate::frames::common::*;
use backwater_kernel::{Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::*;
use backwater_net::inspect::{Hold, Inspection, Why};
use backwater_net::outcome::Outcome;

/// A frame of 1,000 bytes at 100 Mbps, preamble and gap included.
const FRAME: u64 = 1020 * 80_000;
/// A control frame.
const CONTROL: u64 = 84 * 80_000;
/// Propagation of every link.
const AWAY: u64 = US / 2;

/// S sends frames of 1,000 bytes without end over A to D, which is ten times as slow. A stops S
/// above 2,500 bytes.
fn slow_end() -> EthernetSpec {
    let mut net = Net::new(1, Some(simple()));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 10);
    net.udp(s, d, 954, endless());
    let queue = &mut net.spec.links[1].channels[0].queues[0];
    (queue.high_bytes, queue.low_bytes) = (2_500, 1_500);
    net.spec.stop_at = Time(100 * MS);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

fn seen(spec: &EthernetSpec, at: Time) -> Inspection {
    let mut run = Simulation::<Rings>::new(spec).expect("a sound network");
    run.run_until(at);
    run.inspect(at, 10)
}

#[test]
fn a_stop_is_seen_with_its_cause() {
    // Frames leave S one after another; the third makes the queue at A too long as it arrives.
    let third = 3 * FRAME + AWAY;
    let stopped = third + CONTROL + AWAY;
    let seen = seen(&slow_end(), Time(stopped + US));
    let [at_s, at_a] = &seen.queues[..] else {
        panic!("two queues hold something: {:?}", seen.queues);
    };
    // The fourth is on the wire, the fifth waits since that started.
    let numbers = |units: &[backwater_net::inspect::Unit]| -> Vec<(u64, u64)> {
        units
            .iter()
            .map(|unit| (unit.number, unit.since.ps()))
            .collect()
    };
    assert_eq!(numbers(&at_s.units), [(4, 3 * FRAME)]);
    let asked = vec![(2, 0, 3_000, 1_500)];
    let hold = Hold::Stopped {
        gate: Gate::Port,
        since: Time(stopped),
        until: None,
        why: Why::Queues(asked),
    };
    assert_eq!(at_s.hold, Some(hold));
    assert_eq!(at_s.waits_for, [1]);
    assert_eq!((at_a.channel, &at_a.hold), (2, &None));
    assert_eq!(numbers(&at_a.units), [(1, 2 * FRAME + AWAY), (2, third)]);
    let wire = |channel: usize| -> Vec<(u64, u64)> {
        let all = seen.ports[channel].wire.iter();
        all.map(|own| (own.unit.number, own.arrives.ps())).collect()
    };
    assert_eq!(wire(0), [(3, 4 * FRAME + AWAY)]);
    assert_eq!(wire(2), [(0, FRAME + AWAY + 10 * FRAME + AWAY)]);
    assert_eq!(seen.ports[0].busy_until, Some(Time(4 * FRAME)));
}

#[test]
fn before_the_stop_arrives_it_is_on_the_wire() {
    let third = 3 * FRAME + AWAY;
    let seen = seen(&slow_end(), Time(third));
    let back = &seen.ports[1].wire;
    assert_eq!(back.len(), 1);
    let stop = back[0].unit.frame.expect("a frame");
    assert!(stop.stops(), "{stop:?}");
    assert_eq!(back[0].arrives, Time(third + CONTROL + AWAY));
    assert!(seen.queues.iter().all(|queue| queue.hold.is_none()));
}

/// S sends frames of 1,000 bytes without end over A to D, with credit for one from S to A.
fn one_credit() -> EthernetSpec {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.udp(s, d, 954, endless());
    let rule = CreditSpec {
        message_bytes: None,
        ..CreditSpec::n23(1, 0, Duration(CONTROL + AWAY))
    };
    let unit_bytes = 1_016;
    net.spec.links[0].channels[0].credits = vec![Some(ClassCreditSpec {
        owner: Owner::Class,
        unit_bytes,
        overhead_bytes: 0,
        rule: ClassCreditRule::Zones(rule),
    })];
    net.spec.stop_at = Time(20 * MS);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

#[test]
fn credit_of_a_class_goes_around() {
    let spec = one_credit();
    let (arrives, leaves) = (FRAME + AWAY, 2 * FRAME + AWAY);
    let back = Time(leaves + CONTROL + AWAY);
    // On the wire, in the buffer at the far end, on the way back.
    let cases = [
        (FRAME / 2, [1, 0], None),
        (arrives, [0, 1], None),
        (leaves, [0, 0], Some(back)),
    ];
    for (at, [forward, stored], back) in cases {
        let seen = seen(&spec, Time(at));
        let queue = &seen.queues[0];
        let credit = queue.credit.as_ref().expect("it has credit");
        assert_eq!(
            (credit.has, credit.needs, credit.room),
            (0, 1, 1),
            "at {at}"
        );
        assert_eq!(
            (credit.forward, credit.stored),
            (forward, stored),
            "at {at}"
        );
        assert_eq!(credit.back.first().map(|(at, _)| *at), back, "at {at}");
        let since = Some(Time::ZERO);
        assert_eq!(queue.hold, Some(Hold::NoCredit { since }), "at {at}");
    }
}

/// Two stations send to one that is slower, over two switches, in two classes.
fn merging(back_pressure: Option<BackPressureSpec>, seed: u64) -> EthernetSpec {
    let mut net = Net::new(2, back_pressure);
    let (s1, s2, d) = (net.station("S1"), net.station("S2"), net.station("D"));
    let (a, b) = (net.switch("A"), net.switch("B"));
    net.link(s1, a, 100);
    net.link(s2, a, 100);
    net.link(a, b, 100);
    net.link(b, d, 10);
    net.flow(s1, d, endless());
    net.flow(s2, d, endless());
    net.flow(d, s1, files(30_000));
    let high = net.udp(s1, d, 500, constant(2.0));
    net.spec.flows[high as usize].class = 1;
    net.spec.seed = seed;
    net.spec.stop_at = Time(400 * MS);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

fn specs() -> Vec<EthernetSpec> {
    let with = |select| Some(BackPressureSpec { select, ..simple() });
    let at_inputs = BackPressureSpec {
        detect: Detect::Inputs,
        ..simple()
    };
    let all = [
        None,
        with(Select::Port),
        with(Select::Class),
        with(Select::Destination(Choose::AllFound)),
        Some(at_inputs),
    ];
    (1..)
        .zip(all)
        .map(|(seed, rules)| merging(rules, seed))
        .collect()
}

/// Flows of which more or less is seen than the engine's own books say is inside.
fn missed(seen: &Inspection, outcome: &Outcome) -> Vec<u32> {
    let mut shown = vec![0; outcome.flows.len()];
    let waiting = seen.queues.iter().flat_map(|queue| &queue.units);
    let wires = seen
        .ports
        .iter()
        .flat_map(|port| &port.wire)
        .map(|own| &own.unit);
    for flow in waiting.chain(wires).filter_map(|unit| unit.flow) {
        shown[flow as usize] += 1;
    }
    let flows = (0..).zip(&outcome.flows).zip(shown);
    let wrong = flows.filter(|((_, own), shown)| {
        own.offered_total != own.delivered_total + own.lost_total + shown
    });
    wrong.map(|((flow, _), _)| flow).collect()
}

fn units(seen: &Inspection) -> usize {
    let waiting: usize = seen.queues.iter().map(|queue| queue.units.len()).sum();
    let wires: usize = seen.ports.iter().map(|port| port.wire.len()).sum();
    waiting + wires
}

#[test]
fn nothing_is_missing_at_any_instant() {
    let (mut found_out, mut held) = (0, 0);
    for spec in specs() {
        let mut run = Simulation::<Rings>::new(&spec).expect("a sound network");
        let mut at = Time::ZERO;
        while at.ps() < 390 * MS {
            at = at + Duration(1 + (at.ps() * 7 + 1_234_567_891) % (9 * MS));
            run.run_until(at);
            let mut seen = run.inspect(at, 10);
            assert_eq!(units(&seen), run.network().frames_inside() as usize);
            let outcome = run.outcome();
            assert_eq!(missed(&seen, &outcome), [], "at {at:?}");
            held += seen
                .queues
                .iter()
                .filter(|queue| queue.hold.is_some())
                .count();
            // Negative control: one that is left out is missed.
            if let Some(queue) = seen.queues.iter_mut().find(|queue| !queue.units.is_empty()) {
                queue.units.pop();
                found_out += 1;
                assert_eq!(missed(&seen, &outcome).len(), 1, "at {at:?}");
            }
        }
    }
    assert!(
        found_out > 100 && held > 50,
        "{found_out} times, {held} held up"
    );
}

#[test]
fn looking_and_stepping_change_nothing() {
    for mut spec in specs() {
        spec.stop_at = Time(60 * MS);
        let mut steps = Simulation::<Rings>::new(&spec).expect("a sound network");
        let mut looks = 0;
        while steps.run_some(Time::MAX, 1).is_none() {
            looks += 1;
            if looks % 16 == 0 {
                let seen = steps.inspect(steps.now(), 3);
                assert!(seen.upcoming.iter().all(|next| next.at > seen.at));
            }
        }
        let mut whole = Simulation::<Rings>::new(&spec).expect("a sound network");
        whole.run();
        assert_eq!(steps.outcome().trace_hash, whole.outcome().trace_hash);
    }
}
