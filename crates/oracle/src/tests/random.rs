//! Invariants on random networks, and what breaks them.

use backwater_net::spec::CreditRule;

use super::*;
use crate::network::Leg;
use crate::unit::Load;
use crate::{first_difference, random_spec, with_rule};

const NETWORKS: u64 = 200;

fn promised(leg: &Leg) -> Option<i64> {
    leg.control.as_ref().map(crate::credit::promised)
}

/// What doesn't hold at the end of this instant.
fn broken(network: &Network, now: Time) -> Option<String> {
    for (index, leg) in network.legs.iter().enumerate() {
        let say = |what: &str| Some(format!("leg {index} at {now:?}: {what}"));
        let flying = network
            .on_the_way
            .iter()
            .filter(|unit| unit.leg == index && matches!(unit.load, Load::Data(_)))
            .count() as u64;
        if leg.starts.len() as u64 != leg.arrived + flying {
            return say("sent is not arrived + in flight");
        }
        if leg.arrived != leg.freed + leg.fill() as u64 {
            return say("arrived is not freed + stored");
        }
        let Some(promised) = promised(leg) else {
            continue;
        };
        if leg.max_fill as i64 > promised {
            return say("fill above N2 + N3");
        }
        if leg.credit.max(0) + flying as i64 + leg.fill() as i64 > promised {
            return say("credit + in flight + fill above N2 + N3");
        }
    }
    None
}

/// At most N2 + N3 starts in any half-open window of the length of the loop.
fn crowded_window(network: &Network) -> Option<String> {
    for (index, leg) in network.legs.iter().enumerate() {
        let (Some(control), Some(promised)) = (&leg.control, promised(leg)) else {
            continue;
        };
        for first in &leg.starts {
            let inside = |at: &&Time| **at >= *first && **at - *first < control.window;
            let count = leg.starts.iter().filter(inside).count();
            if count as i64 > promised {
                return Some(format!(
                    "leg {index}: {count} starts in a loop from {first:?}"
                ));
            }
        }
    }
    None
}

fn first_broken(mut network: Network) -> Option<String> {
    while let Some(now) = network.step().expect("a random network is supported") {
        if let Some(what) = broken(&network, now) {
            return Some(what);
        }
    }
    crowded_window(&network)
}

#[test]
fn no_buffer_overfills() {
    for seed in 0..NETWORKS {
        assert_eq!(
            first_broken(network_of(&random_spec(seed))),
            None,
            "seed {seed}"
        );
    }
}

#[test]
fn without_loss_all_counts_agree() {
    for seed in 0..NETWORKS {
        let spec = random_spec(seed);
        let [absolute, relative, cumulative] = [
            CreditRule::N23,
            CreditRule::Relative,
            CreditRule::Cumulative,
        ]
        .map(|rule| {
            let mut starts = run(&with_rule(&spec, rule)).starts;
            // The values differ, of course.
            starts
                .iter_mut()
                .filter(|start| start.control)
                .for_each(|start| start.number = 0);
            starts
        });
        for other in [&relative, &cumulative] {
            let difference = first_difference(&absolute, other);
            assert!(
                difference.is_none(),
                "seed {seed}: {}",
                difference.unwrap_or_default()
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_others_differ() {
    let starts = |seed| run(&random_spec(seed)).starts;
    assert_eq!(starts(3), starts(3));
    assert_ne!(starts(3), starts(4));
}

#[test]
fn random_networks_cover_what_they_should() {
    let specs: Vec<NetworkSpec> = (0..NETWORKS).map(random_spec).collect();
    let flows = || specs.iter().flat_map(|spec| &spec.flows);
    let children = |flow: &&FlowSpec, parent: Option<u32>| {
        flow.legs.iter().filter(|leg| leg.parent == parent).count()
    };
    assert!(flows().any(|flow| children(&flow, None) > 1));
    assert!(flows().any(|flow| children(&flow, Some(0)) > 1));
    assert!(flows().any(|flow| flow.legs.len() >= 4));
    let credit_units: usize = specs
        .iter()
        .map(|spec| {
            run(spec)
                .starts
                .iter()
                .filter(|start| start.control)
                .count()
        })
        .sum();
    assert!(credit_units > 20_000, "{credit_units}");
    let busy = specs.iter().filter(|spec| {
        let report = run(spec);
        report.legs.iter().any(|leg| leg.max_fill_units >= 10)
    });
    assert!(busy.count() > 50);
}

/// Cells above N2 + N3 = 40 behind one link with a loop of 40 cells and the window shortened. The
/// sink takes the first cell and then stands still while the burst of the first credit comes in.
fn short_window(missing_cells: u64) -> i64 {
    let mut spec = network(2, vec![link(0, 1, 200)], 5000 * CELL_PS);
    let flow = add_flow(&mut spec, 0, &[(0, None)], 1, 39);
    flow.sink = SinkSpec::Limited {
        interval: Duration(1000 * CELL_PS),
    };
    each_credit(flow, |credit| {
        credit.window = Duration(credit.window.ps() - missing_cells * CELL_PS);
    });
    run(&spec).legs[0].max_fill_units as i64 - 40
}

#[test]
fn a_window_too_short_by_k_overfills_by_k() {
    assert_eq!(short_window(0), 0);
    for missing in [1, 2, 5, 10] {
        assert_eq!(
            short_window(missing),
            missing as i64,
            "{missing} cells short"
        );
    }
}

#[test]
fn short_windows_break_random_networks() {
    let broken = (0..NETWORKS).filter(|seed| {
        let mut spec = random_spec(*seed);
        for flow in &mut spec.flows {
            each_credit(flow, |credit| {
                credit.window = Duration(credit.window.ps().saturating_sub(3 * 424_000));
            });
        }
        first_broken(network_of(&spec)).is_some()
    });
    let count = broken.count();
    assert!(count > 40, "only {count}");
}

#[test]
fn a_relative_update_with_one_unit_too_many_leaks_over() {
    let mut spec = network(2, vec![link(0, 1, 200)], 2000 * CELL_PS);
    add_flow(&mut spec, 0, &[(0, None)], 4, 36).sink = SinkSpec::Limited {
        interval: Duration(3 * CELL_PS),
    };
    let spec = with_rule(&spec, CreditRule::Relative);
    assert_eq!(first_broken(network_of(&spec)), None);
    let mut faulty = network_of(&spec);
    faulty.relative_fault = 1;
    let what = first_broken(faulty).expect("one unit too many each time");
    assert!(what.contains("above N2 + N3"), "{what}");
}
