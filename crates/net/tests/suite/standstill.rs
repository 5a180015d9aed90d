//! Runs that end with units waiting say who waits for whom, down to what was lost or stopped.

use crate::common;

use backwater_kernel::{Rings, Stop, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{MissingCredit, Outcome, Reason, Standstill, Wait, WaitPlace};
use backwater_net::spec::*;
use common::*;

const RULES: [CreditRule; 5] = [
    CreditRule::N23,
    CreditRule::N123,
    CreditRule::N123Plus,
    CreditRule::Relative,
    CreditRule::Cumulative,
];

fn finite(total: u64) -> TrafficSpec {
    TrafficSpec::Greedy {
        start: Time::ZERO,
        total: Some(total),
    }
}

/// Hosts at both ends and `switches` between them; channels from left to right.
fn line(switches: usize, until: u64) -> (Net, Vec<u32>) {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(until));
    let mut last = net.node("A", NodeKind::Host);
    let mut channels = Vec::new();
    for _ in 0..switches {
        let next = net.node("S", NodeKind::Switch);
        channels.push(net.link(last, next));
        last = next;
    }
    let end = net.node("B", NodeKind::Host);
    channels.push(net.link(last, end));
    (net, channels)
}

fn still(outcome: &Outcome) -> &Standstill {
    outcome.standstill.as_ref().expect("something stands still")
}

/// What waits (flow, leg), and the reasons.
fn reasons(outcome: &Outcome) -> Vec<(u32, Option<u32>, Reason)> {
    let waits = still(outcome).waits.iter();
    waits
        .map(|wait| (wait.flow, wait.leg(), wait.reason.clone()))
        .collect()
}

#[test]
fn lost_credit_is_named_with_its_time() {
    let (mut net, channels) = line(0, 1000);
    let control = net.n23(2, 2);
    net.flow(0, &channels, control);
    net.spec.flows[0].traffic = finite(10);
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    let outcome = run(&net.spec);
    // Units at 0 to 3; credit cells leave at 11 and 13, and would have been there at 21 and 23.
    assert_eq!(outcome.stop, Stop::Standstill);
    let expected = Standstill {
        since: at(13),
        found_at: at(23),
        is_circle: false,
        others_move: false,
        waits: vec![Wait {
            flow: 0,
            place: WaitPlace::Leg(0),
            units: 1,
            since: Some(at(3)),
            reason: Reason::Credit(MissingCredit {
                control_lost: 2,
                last_lost: Some(at(23)),
                data_lost: 0,
                untold: 0,
                told_every: 2,
            }),
        }],
    };
    assert_eq!(outcome.standstill, Some(expected));
}

/// Credit of the last hop gets lost: each leg before it waits for the next, whatever the rule.
#[test]
fn every_scheme_shows_the_chain_to_the_lost_credit() {
    for rule in RULES {
        let (mut net, channels) = line(2, 5000);
        let n1 = match rule {
            CreditRule::N123 | CreditRule::N123Plus => 30,
            _ => 0,
        };
        let control = FlowControlSpec::Credit(net.credit(rule, n1, 2, 30));
        net.flow(0, &channels, control);
        net.spec.links[2].channels[1].errors.control_loss = 1.0;
        let outcome = run(&net.spec);
        assert!(outcome.stop == Stop::Standstill, "{rule:?}");
        let found = reasons(&outcome);
        for (leg, (flow, at, reason)) in found.iter().enumerate() {
            assert_eq!((*flow, *at), (0, Some(leg as u32)), "{rule:?}");
            let next = leg as u32 + 1;
            match reason {
                Reason::Buffer { stored, legs } if leg < 2 => {
                    assert_eq!(*legs, [next], "{rule:?}");
                    assert_eq!(*stored, outcome.legs[leg].fill, "{rule:?}");
                    assert!(*stored > 0, "{rule:?}");
                }
                Reason::Credit(missing) if leg == 2 => {
                    assert!(missing.control_lost > 0, "{rule:?}");
                    assert_eq!(missing.data_lost, 0, "{rule:?}");
                }
                other => panic!("{rule:?}, leg {leg}: {other:?}"),
            }
        }
        assert_eq!(found.len(), 3, "{rule:?}");
    }
}

#[test]
fn without_loss_nothing_stands_still() {
    for rule in RULES {
        let (mut net, channels) = line(2, 5000);
        let n1 = match rule {
            CreditRule::N123 | CreditRule::N123Plus => 30,
            _ => 0,
        };
        let control = FlowControlSpec::Credit(net.credit(rule, n1, 2, 30));
        net.flow(0, &channels, control);
        let outcome = run(&net.spec);
        assert_eq!(outcome.stop, Stop::TimeReached);
        assert_eq!(outcome.standstill, None, "{rule:?}");
    }
}

/// Data that is lost takes its credit along where credit is counted, not looked up.
#[test]
fn lost_data_takes_credit_along() {
    for rule in [CreditRule::Relative, CreditRule::Cumulative] {
        let (mut net, channels) = line(1, 5000);
        let control = FlowControlSpec::Credit(net.credit(rule, 0, 2, 30));
        net.flow(0, &channels, control);
        net.spec.links[1].channels[0].errors.data_loss = 1.0;
        let outcome = run(&net.spec);
        let found = reasons(&outcome);
        let Reason::Credit(missing) = found[1].2 else {
            panic!("{:?}", found[1]);
        };
        assert_eq!((missing.control_lost, missing.last_lost), (0, None));
        assert_eq!((missing.data_lost, missing.untold), (32, 0));
    }
}

/// Of two branches one has lost its credit: the other would go on, and is not named.
#[test]
fn only_the_branch_that_stands_still_is_waited_for() {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(5000));
    let (a, s) = (
        net.node("A", NodeKind::Host),
        net.node("S", NodeKind::Switch),
    );
    let (b, c) = (net.node("B", NodeKind::Host), net.node("C", NodeKind::Host));
    let channels = [net.link(a, s), net.link(s, b), net.link(s, c)];
    let control = net.n23(2, 30);
    net.flow(a, &channels, control);
    net.spec.flows[0].legs[2].parent = Some(0);
    net.spec.links[2].channels[1].errors.control_loss = 1.0;
    let outcome = run(&net.spec);
    let found = reasons(&outcome);
    assert_eq!(found.len(), 2);
    assert!(matches!(&found[0].2, Reason::Buffer { legs, .. } if *legs == [2]));
    assert_eq!(found[1].1, Some(2));
    assert!(matches!(found[1].2, Reason::Credit(_)));
}

/// A flow with a window from A to B, and the one that carries its acknowledgements.
fn windowed(net: &mut Net, channels: &[u32], units: u32, control: FlowControlSpec) {
    let back: Vec<u32> = channels.iter().rev().map(|channel| channel ^ 1).collect();
    let source = net.spec.nodes.len() as u32 - 1;
    let flow = net.flow(0, channels, FlowControlSpec::None);
    let answers = net.flow(source, &back, control);
    net.spec.flows[answers].traffic = TrafficSpec::Silent;
    net.spec.flows[flow].traffic = finite(10);
    net.spec.flows[flow].source_control = SourceControlSpec::Window { units };
    net.spec.flows[flow].partner = Some(answers as u32);
}

#[test]
fn a_window_waits_for_acknowledgements_that_were_lost() {
    let (mut net, channels) = line(1, 1000);
    windowed(&mut net, &channels, 3, FlowControlSpec::None);
    assert_eq!(run(&net.spec).stop, Stop::Drained);
    net.spec.links[0].channels[1].errors.data_loss = 1.0;
    let outcome = run(&net.spec);
    // The last acknowledgement leaves the switch at 2 + 3 * 10.
    assert_eq!(outcome.stop, Stop::Standstill);
    let lost = Reason::Window {
        unacknowledged: 3,
        legs: Vec::new(),
        units_lost: 0,
        answers_lost: 3,
    };
    assert_eq!(reasons(&outcome), [(0, None, lost)]);
    assert_eq!(still(&outcome).waits[0].units, 7);
}

#[test]
fn a_window_waits_for_the_leg_where_acknowledgements_stand_still() {
    let (mut net, channels) = line(1, 1000);
    let control = net.n23(1, 1);
    windowed(&mut net, &channels, 4, control);
    net.spec.links[0].channels[0].errors.control_loss = 1.0;
    let outcome = run(&net.spec);
    assert!(outcome.stop == Stop::Standstill);
    let found = reasons(&outcome);
    // Legs 0 and 1 carry the units, 2 and 3 the acknowledgements.
    assert!(matches!(&found[0].2, Reason::Window { legs, .. } if legs.contains(&3)));
    let last = found.last().expect("there are some");
    assert_eq!((last.0, last.1), (1, Some(3)));
    assert!(matches!(last.2, Reason::Credit(_)));
}

#[test]
fn a_sink_that_stops_holds_everything_behind_it() {
    let (mut net, channels) = line(1, 5000);
    let control = net.n23(2, 30);
    net.flow(0, &channels, control);
    net.spec.flows[0].sink = SinkSpec::Stalling {
        interval: cells(1),
        run: Span::Fixed(cells(500)),
        stall: Span::Fixed(cells(100_000)),
    };
    let outcome = run(&net.spec);
    // It would take again: the run goes to its end, and is not stuck.
    assert_eq!(outcome.stop, Stop::TimeReached);
    let legs = vec![1];
    let stored = 32;
    let expected = [
        (0, Some(0), Reason::Buffer { stored, legs }),
        (0, Some(1), Reason::Sink { stored }),
    ];
    assert_eq!(reasons(&outcome), expected);
    let found = still(&outcome);
    assert!(!found.others_move);
    let since = found.waits[1].since.expect("N23 counts starts");
    assert!(since > at(500) && since < at(600), "{since:?}");
    // One that pauses for a short time is no standstill.
    net.spec.flows[0].sink = SinkSpec::Stalling {
        interval: cells(1),
        run: Span::Fixed(cells(500)),
        stall: Span::Fixed(cells(200)),
    };
    assert_eq!(run(&net.spec).standstill, None);
}

/// Two flows over one output: the first loses its credit, the second goes on to the end.
fn one_of_two(rule: CreditRule) -> Net {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(5000));
    let (a, c) = (net.node("A", NodeKind::Host), net.node("C", NodeKind::Host));
    let s = net.node("S", NodeKind::Switch);
    let b = net.node("B", NodeKind::Host);
    let (left, right, out) = (net.link(a, s), net.link(c, s), net.link(s, b));
    let control = FlowControlSpec::Credit(net.credit(rule, 0, 2, 60));
    net.flow(a, &[left, out], control);
    net.flow(c, &[right, out], control);
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    net.spec.links[0].channels[1].errors.from = at(1000);
    net
}

#[test]
fn dead_circuits_are_named_while_others_move() {
    for rule in [CreditRule::N23, CreditRule::Relative] {
        let net = one_of_two(rule);
        let outcome = run(&net.spec);
        assert_eq!(outcome.stop, Stop::TimeReached);
        let found = still(&outcome);
        assert!(found.others_move);
        assert_eq!(found.waits.len(), 1);
        let wait = &found.waits[0];
        assert_eq!((wait.flow, wait.leg()), (0, Some(0)));
        assert!(matches!(wait.reason, Reason::Credit(missing) if missing.control_lost > 0));
        // The unit that waits was made when the last one started.
        assert_eq!(wait.since, Some(found.since));
        assert!(found.since > at(1000) && found.since < at(1200));
    }
}

/// The last tenth of the run decides, in steps or in one go.
#[test]
fn a_circuit_is_dead_when_it_stood_for_a_tenth_of_the_run() {
    let mut net = one_of_two(CreditRule::N23);
    net.spec.links[0].channels[1].errors.from = at(4700);
    assert_eq!(run(&net.spec).standstill, None);
    net.spec.links[0].channels[1].errors.from = at(4000);
    let whole = run(&net.spec);
    assert!(whole.standstill.is_some());
    let mut simulation = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    let mut steps = 0;
    while simulation.run_until(at(700 * (steps + 1))) {
        assert_eq!(simulation.outcome().standstill, None);
        steps += 1;
    }
    assert_eq!(steps, 7);
    assert_eq!(format!("{:?}", simulation.outcome()), format!("{whole:?}"));
}

/// Ten control loops are longer than this run: too short to tell.
#[test]
fn a_short_run_says_nothing() {
    let mut net = one_of_two(CreditRule::N23);
    net.spec.links[0].channels[1].errors.from = Time::ZERO;
    net.spec.stop_at = at(190);
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::TimeReached);
    assert_eq!(outcome.standstill, None);
}

/// Requests keep the run alive, not the circuit, while every answer is lost.
#[test]
fn requests_that_are_never_answered_are_a_standstill() {
    let (mut net, channels) = line(0, 1000);
    let mut credit = net.credit(CreditRule::N23, 0, 2, 2);
    credit.request_after = Some(cells(50));
    net.flow(0, &channels, FlowControlSpec::Credit(credit));
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::TimeReached);
    assert!(!still(&outcome).others_move);
    let expected = outcome.legs[0].credits_lost_total;
    assert!(expected > 10);
    let found = reasons(&outcome);
    assert!(matches!(found[0].2, Reason::Credit(missing) if missing.control_lost == expected));
    // When errors end in time, it recovers.
    net.spec.links[0].channels[1].errors.control_loss = 0.5;
    assert_eq!(run(&net.spec).standstill, None);
}

/// A full pool refuses: the flow under a window loses all that it may send.
#[test]
fn a_full_pool_closes_the_window_of_another_flow() {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(1000));
    let (a, s) = (
        net.node("A", NodeKind::Host),
        net.node("S", NodeKind::Switch),
    );
    let b = net.node("B", NodeKind::Host);
    let (up, out) = (net.link(a, s), net.link(s, b));
    let c = net.node("C", NodeKind::Host);
    let side = net.link(c, s);
    let first = net.flow(a, &[up, out], FlowControlSpec::None);
    net.spec.flows[first].traffic = finite(6);
    net.spec.flows[first].legs[1].flow_control = net.n23(1, 1);
    let second = net.flow(c, &[side, out], FlowControlSpec::None);
    net.spec.flows[second].traffic = TrafficSpec::Greedy {
        start: at(100),
        total: Some(10),
    };
    net.spec.flows[second].source_control = SourceControlSpec::Window { units: 2 };
    let answers = net.flow(b, &[out ^ 1, side ^ 1], FlowControlSpec::None);
    net.spec.flows[answers].traffic = TrafficSpec::Silent;
    net.spec.flows[second].partner = Some(answers as u32);
    net.spec.links[1].channels[1].errors.control_loss = 1.0;
    net.spec.nodes[s as usize].pool = Some(PoolSpec {
        limit_units: Some(4),
        limit_bytes: None,
        when_full: WhenFull::TailDrop,
        hold: Hold::Start,
        alpha: None,
    });
    let outcome = run(&net.spec);
    let found = reasons(&outcome);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].0, found[0].1), (0, Some(1)));
    assert!(matches!(found[0].2, Reason::Credit(missing) if missing.control_lost == 2));
    let refused = Reason::Window {
        unacknowledged: 2,
        legs: Vec::new(),
        units_lost: 2,
        answers_lost: 0,
    };
    assert_eq!(found[1], (1, None, refused));
}

/// Windows and credit in both directions over the same links, with all kinds of losses: what is
/// waited for lies further on, or is the cause.
#[test]
fn whoever_follows_the_waits_gets_to_an_end() {
    let (mut stood, mut windows, mut buffers) = (0, 0, 0);
    for seed in 0..60 {
        let (mut net, channels) = line(2, 4000);
        net.spec.seed = seed;
        let back: Vec<u32> = channels.iter().rev().map(|channel| channel ^ 1).collect();
        let rule = RULES[3 + seed as usize % 2];
        let control = FlowControlSpec::Credit(net.credit(rule, 0, 2, 12));
        let flows = [(0, &channels), (3, &back), (3, &back), (0, &channels)];
        for (source, way) in flows {
            net.flow(source, way, control);
        }
        for (asker, answers) in [(0, 1), (2, 3)] {
            net.spec.flows[asker].source_control = SourceControlSpec::Window { units: 20 };
            net.spec.flows[asker].partner = Some(answers);
            net.spec.flows[answers as usize].traffic = TrafficSpec::Silent;
        }
        for link in &mut net.spec.links {
            for side in &mut link.channels {
                side.errors.control_loss = 0.05;
                side.errors.data_loss = if seed < 30 { 0.0 } else { 0.01 };
            }
        }
        let outcome = run(&net.spec);
        let Some(found) = &outcome.standstill else {
            continue;
        };
        stood += 1;
        for wait in &found.waits {
            let known = |leg: &u32| found.waits.iter().any(|other| other.leg() == Some(*leg));
            match (&wait.reason, wait.leg()) {
                (Reason::Buffer { legs, .. }, Some(leg)) => {
                    buffers += 1;
                    assert!(legs.iter().all(known), "{seed}: {found:?}");
                    let is_behind = |next: &u32| outcome.legs[*next as usize].parent == Some(leg);
                    assert!(!legs.is_empty() && legs.iter().all(is_behind), "{seed}");
                }
                (Reason::Credit(missing), Some(_)) => {
                    assert!(missing.control_lost + missing.data_lost > 0, "{seed}");
                }
                (
                    Reason::Window {
                        legs,
                        units_lost,
                        answers_lost,
                        ..
                    },
                    None,
                ) => {
                    windows += 1;
                    assert!(legs.iter().all(known), "{seed}: {found:?}");
                    let is_explained = !legs.is_empty() || units_lost + answers_lost > 0;
                    assert!(is_explained, "{seed}: {found:?}");
                }
                other => panic!("{seed}: {other:?}"),
            }
        }
    }
    assert!(stood > 40, "{stood}");
    assert!(windows > 20 && buffers > 10, "{windows} {buffers}");
}

/// Forty circuits share a port: credit for ten units comes to each once in 400 cells, more than ten
/// control loops. Nobody stands still.
#[test]
fn a_circuit_whose_buffer_drains_slowly_is_not_stuck() {
    for until in [1_900, 2_000, 2_050, 2_111] {
        let mut net = Net::new(Timing::CutThrough, cells(10), at(until));
        let switch = net.node("S", NodeKind::Switch);
        let end = net.node("B", NodeKind::Host);
        let last = net.link(switch, end);
        for _ in 0..40 {
            let host = net.node("A", NodeKind::Host);
            let first = net.link(host, switch);
            let control = net.n23(10, 10);
            net.flow(host, &[first, last], control);
        }
        let outcome = run(&net.spec);
        assert_eq!(outcome.standstill, None, "after {until} cells");
    }
}
