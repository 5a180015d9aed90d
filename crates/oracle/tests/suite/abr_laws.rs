//! What holds of ABR sources on random networks, seen from outside, and what breaks it.

use crate::abr;

use abr::{Event, Log, abr_of, ends, observe};
use backwater_kernel::{Rate, Time};
use backwater_net::outcome::Outcome;
use backwater_net::probe::UnitKind;
use backwater_net::spec::{AbrSpec, NetworkSpec, SourceControlSpec, UiliSpec};
use backwater_oracle::abr::random_spec;

const NETWORKS: u64 = 100;
const SLACK: f64 = 0.001;

/// The ABR flows of a network and their parameters.
fn circuits(spec: &NetworkSpec) -> Vec<(u32, AbrSpec)> {
    let flows = 0..spec.flows.len() as u32;
    flows
        .filter_map(|flow| Some((flow, abr_of(spec, flow)?)))
        .collect()
}

fn each_abr(mut spec: NetworkSpec, change: impl Fn(&mut AbrSpec)) -> NetworkSpec {
    for flow in &mut spec.flows {
        if let SourceControlSpec::Abr(abr) = &mut flow.source_control {
            change(abr);
        }
    }
    spec
}

/// Breaches of MCR <= ACR <= PCR, and changes looked at.
fn rates_out_of_bounds(log: &Log, spec: &NetworkSpec) -> (u32, u32) {
    let (mut breaches, mut changes) = (0, 0);
    for change in log.changes() {
        let abr = abr_of(spec, change.flow).expect("an ABR flow");
        changes += 1;
        breaches += (change.acr < abr.mcr || change.acr > abr.pcr) as u32;
        breaches += (change.acr == change.old) as u32;
    }
    (breaches, changes)
}

#[test]
fn acr_stays_between_mcr_and_pcr() {
    let (mut looked_at, mut seen) = (0, 0);
    for seed in 0..NETWORKS {
        let spec = random_spec(seed);
        let (log, _) = observe(&spec);
        let (breaches, changes) = rates_out_of_bounds(&log, &spec);
        assert_eq!(breaches, 0, "seed {seed}");
        looked_at += changes;
        // The control: sources that may go a tenth higher.
        let higher = each_abr(spec.clone(), |abr| abr.pcr = Rate(abr.pcr.0 * 11 / 10));
        seen += (rates_out_of_bounds(&observe(&higher).0, &spec).0 > 0) as u32;
    }
    assert!(looked_at > 15_000, "{looked_at} changes");
    assert!(seen > 20, "{seen} networks with too high a rate");
}

const COUNT: UiliSpec = UiliSpec::Count {
    headroom: Rate(500_000),
    tdf: 0.125,
    pr5: false,
    slack: SLACK,
};

/// What the count-based policy promises.
#[derive(Default, Debug)]
struct CountBreaches {
    /// Rises between a forward RM cell that found ACR above SR and the next.
    rises: u32,
    /// One forward RM cell took more than TDF.
    too_much: u32,
    /// It went below SR + headroom.
    too_low: u32,
    reductions: u32,
}

fn count_breaches(log: &Log, flows: usize) -> CountBreaches {
    let mut found = CountBreaches::default();
    let mut is_unused = vec![false; flows];
    for event in &log.events {
        match event {
            Event::Forward(flow, cell) => {
                let Some(source_rate) = cell.source_rate else {
                    continue;
                };
                let (before, acr) = (cell.acr_before.0 as f64, cell.acr.0 as f64);
                let used = source_rate.0 as f64 * (1.0 + SLACK);
                is_unused[*flow as usize] = before > used + 1.0;
                found.reductions += (acr < before) as u32;
                found.too_much += (acr < before * 0.875 - 1.0) as u32;
                let floor = before.min(source_rate.0 as f64 + 500_000.0);
                found.too_low += (acr < floor - 1.0) as u32;
            }
            Event::Change(change) => {
                let rises = change.acr > change.old && is_unused[change.flow as usize];
                found.rises += rises as u32;
            }
        }
    }
    found
}

#[test]
fn count_never_rises_in_regions_a_and_b() {
    let mut reductions = 0;
    let mut seen = CountBreaches::default();
    for seed in 0..NETWORKS {
        let spec = |uili| {
            each_abr(random_spec(seed), |abr| {
                (abr.uili, abr.cdf) = (uili, 0.0);
            })
        };
        for pr5 in [false, true] {
            let mut uili = COUNT;
            if let UiliSpec::Count { pr5: option, .. } = &mut uili {
                *option = pr5;
            }
            let spec = spec(uili);
            let found = count_breaches(&observe(&spec).0, spec.flows.len());
            let breaches = found.rises + found.too_much + found.too_low;
            assert_eq!(breaches, 0, "seed {seed}: {found:?}");
            reductions += found.reductions;
        }
        // The control: another policy, with a floor of its own.
        let baseline = spec(UiliSpec::Baseline {
            tdf: 0.5,
            rule_5b: true,
        });
        let time = spec(UiliSpec::Time {
            constant: backwater_kernel::Duration(20_000_000_000),
            floor: backwater_net::spec::TimeFloor::Sum,
            headroom: Rate(0),
            rule_5b: true,
            hold: None,
        });
        for other in [baseline, time] {
            let found = count_breaches(&observe(&other).0, other.flows.len());
            seen.rises += found.rises;
            seen.too_much += found.too_much;
            seen.too_low += found.too_low;
        }
    }
    assert!(reductions > 3000, "{reductions} reductions");
    assert!(seen.rises > 100 && seen.too_much > 100, "{seen:?}");
    assert!(seen.too_low > 100, "{seen:?}");
}

/// When the units of each leg joined its queue, and what those were that have started.
type Joined = Vec<Vec<(Time, Option<UnitKind>)>>;

fn joined(log: &Log, spec: &NetworkSpec) -> Joined {
    let legs = ends(spec).last().map_or(0, |last| last.1 + 1);
    let mut joined: Joined = vec![Vec::new(); legs as usize];
    for (leg, at) in &log.joins {
        joined[*leg as usize].push((*at, None));
    }
    for start in &log.starts {
        let of_leg = &mut joined[start.leg as usize];
        if let Some(place) = of_leg.get_mut(start.value as usize) {
            place.1 = Some(start.kind);
        }
    }
    joined
}

/// The largest ACR of a flow at each of some instants: before and after what happens then.
fn largest_acr(log: &Log, flow: u32, icr: Rate, at: &[Time]) -> Vec<Rate> {
    let changes: Vec<_> = log.changes().filter(|change| change.flow == flow).collect();
    let mut next = 0;
    let mut acr = icr;
    let of_instant = |at: &Time| {
        let mut largest = acr;
        while changes.get(next).is_some_and(|change| change.at <= *at) {
            acr = changes[next].acr;
            let is_now = changes[next].at == *at;
            largest = if is_now { largest.max(acr) } else { acr };
            next += 1;
        }
        largest
    };
    at.iter().map(of_instant).collect()
}

/// Cells sent sooner than 1 / ACR after the one before, and cells looked at.
fn early_cells(log: &Log, spec: &NetworkSpec, only: impl Fn(&AbrSpec) -> bool) -> (u32, u32) {
    let joined = joined(log, spec);
    let (mut early, mut cells) = (0, 0);
    for (flow, abr) in circuits(spec).into_iter().filter(|one| only(&one.1)) {
        let first = ends(spec)[flow as usize].0;
        let sent: Vec<Time> = joined[first as usize].iter().map(|unit| unit.0).collect();
        let rates = largest_acr(log, flow, abr.icr, &sent);
        for (pair, rate) in sent.windows(2).zip(&rates[1..]) {
            cells += 1;
            early += (pair[1].since(pair[0]) < rate.tick(53)) as u32;
        }
    }
    (early, cells)
}

#[test]
fn in_rate_cells_are_at_least_a_gap_apart() {
    let (mut looked_at, mut seen) = (0, 0);
    for seed in 0..NETWORKS {
        let spec = random_spec(seed);
        let (log, _) = observe(&spec);
        let (early, cells) = early_cells(&log, &spec, |abr| abr.tcr.0 == 0);
        assert_eq!(early, 0, "seed {seed}");
        looked_at += cells;
        // The control: cells beside the allowed rate, which do come early.
        let slow = each_abr(spec, |abr| {
            (abr.icr, abr.mcr, abr.pcr) = (Rate(10_000), Rate(0), Rate(20_000));
            abr.tcr = Rate(2_000_000);
        });
        seen += early_cells(&observe(&slow).0, &slow, |_| true).0;
    }
    assert!(looked_at > 50_000, "{looked_at} cells");
    assert!(seen > 1000, "{seen} early cells");
}

/// Most cells, of those that count, between two forward RM cells, less Nrm - 1.
fn longest_run(log: &Log, spec: &NetworkSpec) -> (i64, u32) {
    let joined = joined(log, spec);
    let (mut longest, mut forwards) = (i64::MIN, 0);
    for (flow, abr) in circuits(spec) {
        if abr.tcr.0 > 0 {
            continue;
        }
        let first = ends(spec)[flow as usize].0 as usize;
        let mut run = 0;
        for (_, kind) in &joined[first] {
            match kind {
                Some(UnitKind::ForwardRm) => (run, forwards) = (0, forwards + 1),
                Some(UnitKind::BackwardRm) => run += abr.counts_backward as i64,
                Some(_) => run += 1,
                None => break,
            }
            longest = longest.max(run - (abr.nrm as i64 - 1));
        }
    }
    (longest, forwards)
}

#[test]
fn a_forward_cell_comes_at_least_every_nrm_cells() {
    let (mut forwards, mut seen) = (0, 0);
    for seed in 0..NETWORKS {
        let spec = random_spec(seed);
        let (log, _) = observe(&spec);
        let (longest, found) = longest_run(&log, &spec);
        assert!(longest <= 0, "seed {seed}: {longest} too many");
        forwards += found;
        // The control: sources that send one cell more.
        let longer = each_abr(spec.clone(), |abr| abr.nrm += 1);
        seen += (longest_run(&observe(&longer).0, &spec).0 > 0) as u32;
    }
    assert!(forwards > 20_000, "{forwards} forward RM cells");
    assert!(seen > 40, "{seen} networks with longer runs");
}

/// What does not balance, in words.
fn imbalances(log: &Log, outcome: &Outcome, spec: &NetworkSpec) -> Vec<String> {
    let mut wrong = Vec::new();
    let ends = ends(spec);
    let count = |list: &[backwater_net::probe::Crossing], flow: u32, leg: Option<u32>, kind| {
        let mut count = 0;
        for crossing in list {
            let here = leg.is_none_or(|leg| crossing.leg == leg);
            count += (crossing.flow == flow && here && crossing.kind == kind) as u64;
        }
        count
    };
    for (flow, _) in circuits(spec) {
        let (first, last) = ends[flow as usize];
        let found = outcome.flows[flow as usize].abr.as_ref();
        let Some(found) = found else {
            wrong.push(format!("flow {flow}: nothing found"));
            continue;
        };
        let kinds = [
            (UnitKind::ForwardRm, found.forward),
            (UnitKind::BackwardRm, found.backward),
        ];
        for (kind, cells) in kinds {
            let arrived = count(&log.arrivals, flow, Some(last), kind);
            let lost = count(&log.losses, flow, None, kind);
            let started = count(&log.starts, flow, Some(first), kind);
            let is_right = cells.sent == cells.received + cells.lost + cells.inside
                && cells.received == arrived
                && cells.lost == lost
                && (started..).contains(&cells.sent);
            if !is_right {
                wrong.push(format!(
                    "flow {flow}, {kind:?}: {cells:?}, seen {started} {arrived} {lost}"
                ));
            }
        }
        let joined = log.joins.iter().filter(|join| join.0 == first).count() as u64;
        if joined != found.in_rate_total + found.out_of_rate_total {
            wrong.push(format!("flow {flow}: {joined} cells sent"));
        }
        let partner = spec.flows[flow as usize].partner.unwrap_or(flow);
        let Some(back) = &outcome.flows[partner as usize].abr else {
            continue;
        };
        let turned = back.backward.sent + back.waiting + back.overwritten_total;
        if found.forward.received != turned {
            wrong.push(format!(
                "flow {flow}: {} received, {turned} turned around",
                found.forward.received
            ));
        }
    }
    wrong
}

#[test]
fn rm_cells_are_conserved() {
    let (mut lost, mut overwritten, mut seen) = (0, 0, 0);
    for seed in 0..NETWORKS {
        let mut spec = random_spec(seed);
        for link in &mut spec.links {
            for channel in &mut link.channels {
                let loss = [0.0, 0.01, 0.1][seed as usize % 3];
                channel.errors.data_loss = loss;
                // RM cells are lost as control units are.
                channel.errors.control_loss = loss;
            }
        }
        let (mut log, outcome) = observe(&spec);
        let wrong = imbalances(&log, &outcome, &spec);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        let abr = outcome.flows.iter().filter_map(|flow| flow.abr.as_ref());
        for found in abr {
            lost += found.forward.lost + found.backward.lost;
            overwritten += found.overwritten_total;
        }
        // The control: one arrival that goes unnoticed.
        let is_rm = |kind| matches!(kind, UnitKind::ForwardRm | UnitKind::BackwardRm);
        let ends = ends(&spec);
        let mut arrivals = log.arrivals.iter();
        let place =
            arrivals.position(|one| is_rm(one.kind) && ends[one.flow as usize].1 == one.leg);
        if let Some(place) = place {
            log.arrivals.remove(place);
            seen += !imbalances(&log, &outcome, &spec).is_empty() as u64;
        }
    }
    assert!(lost > 300, "{lost} RM cells lost");
    assert!(overwritten > 100, "{overwritten} overwritten");
    assert!(seen > 95, "{seen} faults seen");
}
