//! Channels that are cut: what is lost, and how flows come back.

use crate::common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::outcome::{LossCause, RecoveryOutcome};
use backwater_net::probe::{Audit, Recovery, UnitKind};
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};
use common::*;

const MS: u64 = 1_000_000_000;

fn cut(channel: u32, from: Time, until: Time) -> OutageSpec {
    OutageSpec {
        channel,
        from,
        until,
    }
}

/// Units at 0, 10, 20, ... cells, 2 cells each on the wire; numbers of those lost.
fn lost(from: u64, until: u64) -> Vec<u64> {
    let mut net = alone(every(10, 0, Some(10)), at(1000));
    net.spec.outages = vec![cut(0, at(from), at(until)), cut(1, at(0), at(1000))];
    let (log, outcome) = observe(&net.spec);
    let flow = &outcome.flows[0];
    let wire = flow.drops.by(LossCause::Wire);
    assert_eq!((flow.lost_total, wire), (wire, log.losses.len() as u64));
    assert_eq!(flow.delivered_total + wire, 10);
    log.losses.iter().map(|(unit, _)| unit.value).collect()
}

#[test]
fn what_is_on_the_wire_while_it_is_cut_is_lost() {
    assert_eq!(lost(31, 50), [3, 4]);
    assert_eq!(lost(32, 50), [4]);
    assert_eq!(lost(32, 51), [4, 5]);
    assert_eq!(lost(44, 49), []);
    assert_eq!(lost(0, 1000).len(), 10);
}

/// Cells of data sent and credit cells lost, with the way of the credit cut for so many cells.
fn credit_cut(for_cells: u64, refresh: bool) -> (u64, u64) {
    let mut net = figure_20(10, 155, at(3000));
    net.spec.outages = vec![cut(1, at(1000), at(1000 + for_cells))];
    if let FlowControlSpec::Credit(credit) = &mut net.spec.flows[0].legs[0].flow_control {
        credit.refresh_every = refresh.then_some(cells(50));
    }
    let audit = Audit::new(&net.spec);
    let (probe, outcome) = watched(&net.spec, audit).expect("it is sound");
    let leg = outcome.legs[0].clone();
    assert_eq!(probe.checks().violations().total(), 0);
    (leg.sent_total, leg.credits_lost_total)
}

/// N23 states the buffer as it is, so the next credit that comes repairs what was lost. After a cut
/// longer than the credit lasts nothing provokes one, but a refresh.
#[test]
fn credit_is_lost_too_and_the_next_repairs_it() {
    let (sent, lost) = credit_cut(30, false);
    assert!((5..15).contains(&lost), "{lost}");
    assert!((2500..2735).contains(&sent), "{sent}");
    let (stuck, lost) = credit_cut(300, false);
    assert!(stuck < 1200 && lost > 10, "{stuck} {lost}");
    let (sent, _) = credit_cut(300, true);
    assert!((2200..2600).contains(&sent), "{sent}");
}

/// Units lost to an outage draw no number: after it as many are drawn as would be without them.
#[test]
fn outages_draw_no_random_numbers() {
    let mut net = alone(every(10, 0, Some(100)), at(2000));
    net.spec.links[0].channels[0].errors.data_loss = 0.3;
    let drawn: Vec<u64> = observe(&net.spec)
        .0
        .losses
        .iter()
        .map(|(unit, _)| unit.value)
        .collect();
    net.spec.outages = vec![cut(0, at(0), at(95))];
    let both = observe(&net.spec).0.losses;
    let exact = (0..10).chain(drawn.iter().map(|number| number + 10));
    let exact: Vec<u64> = exact.filter(|&number| number < 100).collect();
    let both: Vec<u64> = both.iter().map(|(unit, _)| unit.value).collect();
    assert!(drawn.len() > 15 && both == exact, "{both:?}, not {exact:?}");
}

#[test]
fn outages_that_make_no_sense_are_refused() {
    let refused = |outage| {
        let mut net = alone(every(10, 0, None), at(100));
        net.spec.outages = vec![outage];
        let built: Result<Simulation, _> = Simulation::new(&net.spec);
        built.is_err()
    };
    assert!(!refused(cut(1, at(5), at(6))));
    assert!(refused(cut(2, at(5), at(6))));
    assert!(refused(cut(0, at(6), at(6))));
    assert!(refused(cut(0, at(7), at(6))));
}

/// Two hosts over two links; what the flow sends, cut on the first link from 20 to 30 ms.
fn recover(traffic: TrafficSpec, net: impl FnOnce(&mut Net)) -> RecoveryOutcome {
    let mut conversation = conversation(10, 0);
    let spec = &mut conversation.spec;
    spec.stop_at = Time(80 * MS);
    spec.flows[0].traffic = traffic;
    spec.outages = vec![cut(0, Time(20 * MS), Time(30 * MS))];
    net(&mut conversation);
    let spec = &conversation.spec;
    let (probe, outcome) = watched(spec, Recovery::new(spec)).expect("sound");
    let ended_at = outcome.ended_at;
    probe.outcome(ended_at)
}

fn greedy(total: Option<u64>) -> TrafficSpec {
    let start = Time::ZERO;
    TrafficSpec::Greedy { start, total }
}

/// A full link is back when 90 % of a window of 1 ms is full again, 20 cells behind the repair.
#[test]
fn a_full_link_is_full_again_at_once() {
    let found = recover(greedy(None), |_| {});
    assert_eq!(found.outages.len(), 1);
    let outage = &found.outages[0];
    assert_eq!((outage.channel, outage.is_both_ways), (0, false));
    assert_eq!(outage.flows.len(), 1, "the way back is not cut");
    let flow = outage.flows[0];
    // Cells that ended in 10 ms, and so a few bits more or less.
    assert!((flow.before_bps / RATE.0 as f64 - 1.0).abs() < 1e-3);
    let back = flow.recovered_after.expect("it is back");
    let exact = cells(20).ps() + 9 * MS / 10;
    assert!(
        back.ps().abs_diff(exact) <= 2 * cell().ps(),
        "{back:?}, not {exact}"
    );
}

/// The control of the one above: sources that stop, or come back slower.
#[test]
fn who_does_not_come_back_is_not_said_to() {
    // Until 21 ms.
    let cells_in_20_ms = 20 * MS / cell().ps();
    let ending = recover(greedy(Some(cells_in_20_ms + 1500)), |_| {});
    let flow = ending.outages[0].flows[0];
    assert!(flow.before_bps > 0.99 * RATE.0 as f64);
    assert_eq!(flow.recovered_after, None);
    let to = |percent: u64| {
        let limits = vec![LimitSpec {
            from: Time(25 * MS),
            rate: Some(Rate(RATE.0 / 100 * percent)),
        }];
        let start = Time::ZERO;
        recover(TrafficSpec::Bottlenecked { start, limits }, |_| {}).outages[0].flows[0]
    };
    assert_eq!(to(85).recovered_after, None);
    let slower = to(95).recovered_after.expect("it is back");
    assert!(slower > cells(20) + Duration(9 * MS / 10));
}

/// Go-back-N waits for its time-out before it comes back, and then from one unit on.
#[test]
fn a_window_that_must_grow_takes_longer() {
    let aimd = SourceControlSpec::Aimd {
        initial_units: 4,
        maximum_units: 40,
        increase_units: 1.0,
        decrease: 0.5,
        timeout: Duration(2 * MS),
    };
    let found = recover(greedy(None), |net| net.spec.flows[0].source_control = aimd);
    let back = found.outages[0].flows[0].recovered_after;
    assert!(
        back.is_some_and(|back| back > Duration(3 * MS / 2)),
        "{back:?}"
    );
}

/// RM cells are lost with the data, counted by themselves, and the circuit goes on.
#[test]
fn an_abr_circuit_loses_rm_cells_and_goes_on() {
    let mut net = conversation(10, 6000);
    net.spec.outages = vec![cut(0, at(1000), at(2000)), cut(1, at(1000), at(2000))];
    over_abr(&mut net, Rate(RATE.0 / 10));
    let (log, outcome) = observe(&net.spec);
    let abr = outcome.flows[0].abr.as_ref().expect("it is ABR");
    assert!((20..30).contains(&abr.forward.lost), "{:?}", abr.forward);
    let flow = &outcome.flows[0];
    let lost = flow.drops.by(LossCause::Wire);
    assert!((60..80).contains(&lost), "{lost}");
    assert_eq!(
        log.losses
            .iter()
            .filter(|(unit, _)| unit.flow == 0 && unit.kind == UnitKind::Data)
            .count() as u64,
        lost
    );
    assert!(flow.delivered_total > 300);
}

#[test]
fn both_channels_cut_at_once_are_one_outage() {
    let (from, until) = (Time(20 * MS), Time(30 * MS));
    let found = recover(greedy(None), |net| {
        let extra = [
            cut(3, from, until),
            cut(1, from, until),
            cut(2, from, Time(31 * MS)),
        ];
        net.spec.outages.extend(extra);
    });
    let seen: Vec<_> = found
        .outages
        .iter()
        .map(|outage| {
            let flows: Vec<u32> = outage.flows.iter().map(|flow| flow.flow).collect();
            (outage.channel, outage.is_both_ways, flows)
        })
        .collect();
    let exact = [
        (0, true, vec![0, 1]),
        (3, false, vec![1]),
        (2, false, vec![0]),
    ];
    assert_eq!(seen, exact);
    // The way back is silent.
    let silent = found.outages[0].flows[1];
    assert_eq!((silent.before_bps, silent.recovered_after), (0.0, None));
}
