//! What is seen between two instants: small cases by hand, and that nothing is missing in others.

use crate::common;

use backwater_kernel::{Rings, Time};
use backwater_net::inspect::{Hold, Inspection};
use backwater_net::outcome::Outcome;
use backwater_net::spec::*;
use backwater_net::{Simulation, Watched};
use common::*;

/// A to B over one switch, ten cells each; credit for four cells from A to the switch.
fn four_credits() -> NetworkSpec {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(100));
    let a = net.node("A", NodeKind::Host);
    let s = net.node("S", NodeKind::Switch);
    let b = net.node("B", NodeKind::Host);
    let channels = [net.link(a, s), net.link(s, b)];
    let control = net.n23(2, 2);
    net.flow(a, &channels, control);
    net.spec.flows[0].legs[1].flow_control = FlowControlSpec::None;
    net.spec
}

fn seen(spec: &NetworkSpec, cell: u64) -> Inspection {
    let mut run = Simulation::<Rings>::new(spec).expect("a sound network");
    run.run_until(at(cell));
    run.inspect(at(cell), 100)
}

#[test]
fn credit_is_found_wherever_it_is() {
    let spec = four_credits();
    // Cells start at 0 to 3 and pass the switch ten later, each at once; two of them provoke a
    // credit unit, at 11 and at 13, which takes ten cells back.
    let cases: [(u64, i64, u64, u32, &[u64]); 5] = [
        (2, 1, 3, 0, &[]),
        (5, 0, 4, 0, &[]),
        (10, 0, 3, 1, &[]),
        (11, 0, 2, 0, &[21]),
        (13, 0, 0, 0, &[21, 23]),
    ];
    for (cell, has, forward, untold, back) in cases {
        let seen = seen(&spec, cell);
        let queue = &seen.queues[0];
        let credit = queue.credit.as_ref().expect("it has credit");
        assert_eq!((credit.has, credit.forward), (has, forward), "at {cell}");
        assert_eq!(
            (credit.stored, credit.untold, credit.told_every),
            (0, untold, 2),
            "at {cell}"
        );
        let arrivals: Vec<Time> = credit.back.iter().map(|(at, _)| *at).collect();
        let expected: Vec<Time> = back.iter().map(|cell| at(*cell)).collect();
        assert_eq!(arrivals, expected, "at {cell}");
        assert_eq!(queue.hold.is_some(), has == 0, "at {cell}");
    }
}

#[test]
fn queues_and_wires_hold_what_was_counted_by_hand() {
    let seen = seen(&four_credits(), 5);
    let wire: Vec<(u64, Time)> = seen.ports[0]
        .wire
        .iter()
        .map(|own| (own.unit.number, own.arrives))
        .collect();
    assert_eq!(wire, [(0, at(10)), (1, at(11)), (2, at(12)), (3, at(13))]);
    // A greedy source makes its next cell when the last has left.
    let waiting: Vec<(u64, Time)> = seen.queues[0]
        .units
        .iter()
        .map(|unit| (unit.number, unit.since))
        .collect();
    assert_eq!(waiting, [(4, at(3))]);
    assert_eq!(seen.queues[0].hold, Some(Hold::NoCredit { since: None }));
    assert_eq!((seen.sources[0].made, seen.sources[0].backlog), (5, None));
    let next: Vec<Time> = seen.upcoming.iter().map(|next| next.at).collect();
    assert_eq!(next, [at(10), at(11), at(12), at(13)]);
}

/// Switches, hosts and circuits to one host each, some with credit, as chance has it.
fn drawn(seed: u64) -> NetworkSpec {
    let dice = &mut Dice::new(seed);
    let mut drawn = Drawn::new(dice, at(2_000));
    for _ in 0..6 {
        let flow = drawn.flow(dice);
        let control = drawn.net.n23(2, 1 + dice.between(1, 30) as u32);
        let own = &mut drawn.net.spec.flows[flow];
        own.traffic = draw_traffic(dice);
        let branches = |leg: &LegSpec| own.legs.iter().filter(|o| o.parent == leg.parent).count();
        if own.legs.iter().any(|leg| branches(leg) > 1) {
            drawn.net.spec.flows.pop();
            continue;
        }
        if dice.one_in(2) {
            own.legs
                .iter_mut()
                .for_each(|leg| leg.flow_control = control);
        }
    }
    let losses = if dice.one_in(3) { 0.02 } else { 0.0 };
    for link in &mut drawn.net.spec.links {
        link.channels[0].errors.data_loss = losses;
    }
    drawn.net.spec
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
    let at_sinks = seen.at_sinks.iter().flat_map(|sink| &sink.units);
    let all = waiting.chain(wires).chain(at_sinks);
    for unit in all.filter(|unit| unit.kind.is_queued()) {
        shown[unit.flow.expect("data has a flow") as usize] += 1;
    }
    let flows = (0..).zip(&outcome.flows).zip(shown);
    let is_wrong = |own: &backwater_net::outcome::FlowOutcome, shown: u64| {
        let ended = own.delivered_total + own.lost_total;
        own.offered_total != ended + shown || own.inside_total != shown
    };
    let wrong = flows.filter(|((_, own), shown)| is_wrong(own, *shown));
    wrong.map(|((flow, _), _)| flow).collect()
}

#[test]
fn nothing_is_missing_at_any_instant() {
    let (mut units, mut found_out) = (0, 0);
    for seed in 1..=40 {
        let spec = drawn(seed);
        let dice = &mut Dice::new(1_000 + seed);
        let mut run = Simulation::<Rings>::new(&spec).expect("a sound network");
        let mut now = 0;
        while now < 1_900 {
            now += dice.between(1, 300);
            let instant = Time::ZERO + halves(now);
            run.run_until(instant);
            let mut seen = run.inspect(instant, 10);
            let outcome = run.outcome();
            assert_eq!(missed(&seen, &outcome), [], "seed {seed} at {now}");
            // Negative control: one that is left out is missed.
            if let Some(queue) = seen.queues.iter_mut().find(|queue| !queue.units.is_empty()) {
                units += queue.units.len();
                queue.units.pop();
                found_out += 1;
                assert_eq!(missed(&seen, &outcome).len(), 1, "seed {seed} at {now}");
            }
        }
    }
    assert!(
        units > 1_000 && found_out > 100,
        "{units} units, {found_out} times"
    );
}

#[test]
fn looking_and_stepping_change_nothing() {
    for seed in 1..=10 {
        let spec = drawn(seed);
        let mut steps = Watched::new(&spec, &[], None).expect("a sound network");
        while steps.run_some(Time::MAX, 1).is_none() {
            let seen = steps.inspect(steps.now(), 3);
            assert!(seen.upcoming.iter().all(|next| next.at > seen.at));
        }
        let (steps, whole) = (steps.outcome(), run(&spec));
        assert_eq!(steps.trace_hash, whole.trace_hash, "seed {seed}");
        assert_eq!(steps.events, whole.events, "seed {seed}");
    }
}
