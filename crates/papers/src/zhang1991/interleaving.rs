//! Sections 3.1 and 3.2.4: whose packets go first when bursts meet.

use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::{FlowSpec, TrafficSpec};
use backwater_results::{Block, Cell, Table};

use super::disciplines::{Discipline, FIFO, WFQ};
use super::seen::{Seeds, Sets, each, sets};
use super::{INTERLEAVING, NO_CREDIT, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{cell, ratios};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Keeps the order in which data starts, by channel.
#[derive(Default)]
struct Order(Vec<(u32, u32)>);

impl Probe for Order {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data {
            self.0.push((crossing.channel, crossing.flow));
        }
    }
}

/// The order in which packets of A and B leave the switch.
fn departures(lab: &Lab, sets: &[(&str, &str)]) -> Result<String, LabError> {
    let run = lab.run_watched(INTERLEAVING, sets, |_| Order::default())?;
    let channel = run.channel_id("S->E");
    let flows = &run.scenario.network.flows;
    let left = run.probe.0.iter().filter(|(at, _)| *at == channel);
    let names = left.map(|(_, flow)| flows[*flow as usize].name.as_str());
    Ok(names.filter(|name| name.len() == 1).collect())
}

/// Departures that are not where `pattern`, repeated, has them.
fn out_of_place(departures: &str, pattern: &str) -> usize {
    let expected = pattern.chars().cycle();
    let pairs = departures.chars().zip(expected);
    pairs.filter(|(found, expected)| found != expected).count()
}

pub fn interleaving(lab: &Lab) -> Result<Evidence, LabError> {
    let equal = [
        ("flows.B.reserve.rate", "20 kbps"),
        ("flows.B.traffic.total", "6 packets"),
    ];
    let fifo = [("scheduler", "{ kind = \"fifo\" }")];
    let equal = departures(lab, &equal)?;
    let double = departures(lab, &[])?;
    let fifo = departures(lab, &fifo)?;
    let count = |name: &str, value: usize| Measured::new(name, value as f64);
    let measured = vec![
        count("equal_departures", equal.len()).within(12.0, 12.0),
        count("equal_out_of_place", out_of_place(&equal, "AB")).within(0.0, 0.0),
        count("double_departures", double.len()).within(18.0, 18.0),
        count("double_out_of_place", out_of_place(&double, "ABB")).within(0.0, 0.0),
    ];
    let row = |what: &str, order: String| vec![Cell::from(what), Cell::from(order)];
    let table = Table {
        name: "sec31-interleaving".into(),
        caption: "Order in which two bursts leave; A's arrived first.".into(),
        columns: vec![
            words("reserved", "by A and B, and the discipline"),
            words("order", "of departures"),
        ],
        rows: vec![
            row("the same, VirtualClock", equal),
            row("B twice as much, VirtualClock", double),
            row("B twice as much, FIFO", fifo),
        ],
    };
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.design.interleaving",
            scenario: INTERLEAVING,
            measured,
        }],
        blocks: vec![Block::Table(table)],
    })
}

fn is_other(flow: &FlowSpec) -> bool {
    matches!(flow.traffic, TrafficSpec::Constant { .. })
}

pub fn no_credit(lab: &Lab) -> Result<Evidence, LabError> {
    let settings: [(&str, Sets); 4] = [
        ("VirtualClock, stamped with auxVC", Sets::new()),
        (
            "VirtualClock, stamped with VirtualClock",
            sets([("scheduler.stamp", "virtual-clock")]),
        ),
        (WFQ.name, scheduler(&WFQ)),
        (FIFO.name, scheduler(&FIFO)),
    ];
    let all: Vec<Sets> = settings.iter().map(|(_, sets)| sets.clone()).collect();
    let found = each(lab, NO_CREDIT, &all, SEEDS_CONTRAST)?;
    let longest = |found: &Seeds| found.each(|seen| seen.wait_max_ms(is_other));
    let [aux, clock] = [longest(&found[0]), longest(&found[1])];
    let measured = vec![
        Measured::over_seeds("auxvc_longest_wait_ms", &aux),
        Measured::over_seeds("virtualclock_longest_wait_ms", &clock),
        Measured::over_seeds("ratio", &ratios(&clock, &aux)).at_least(5.0),
    ];
    let row = |((name, _), found): (&(&str, Sets), &Seeds)| {
        vec![
            Cell::from(*name),
            cell(&longest(found), 1),
            cell(&found.waits_ms(is_other), 2),
            cell(&found.waits_ms(|flow| !is_other(flow)), 1),
        ]
    };
    let table = Table {
        name: "sec324-no-credit".into(),
        caption: format!(
            "A flow sends 50 packets at once, half of what it reserves on average; \
             {SEEDS_CONTRAST} seeds. Wait of the other flows:"
        ),
        columns: vec![
            words("discipline", "of every port"),
            column("longest", "ms", "wait of a packet of another flow"),
            column("mean", "ms", "wait of the other flows"),
            column("bursts", "ms", "mean wait of the flow that sends them"),
        ],
        rows: settings.iter().zip(&found).map(row).collect(),
    };
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.design.no-credit-saving",
            scenario: NO_CREDIT,
            measured,
        }],
        blocks: vec![Block::Table(table)],
    })
}

/// The discipline alone: this scenario has no pool.
fn scheduler(discipline: &Discipline) -> Sets {
    let mut all = discipline.sets();
    all.retain(|(key, _)| key == "scheduler");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_compared_with_the_pattern_repeated() {
        assert_eq!(out_of_place("ABABAB", "AB"), 0);
        assert_eq!(out_of_place("ABBABB", "ABB"), 0);
        assert_eq!(out_of_place("AABB", "AB"), 2);
        assert_eq!(out_of_place("BABA", "AB"), 4);
    }

    #[test]
    fn bursts_interleave_by_their_rates_but_under_fifo() {
        let evidence = interleaving(&Lab::default()).expect("it runs");
        let measured = &evidence.findings[0].measured;
        let values: Vec<f64> = measured.iter().map(|one| one.value).collect();
        assert_eq!(values, [12.0, 0.0, 18.0, 0.0]);
        let fifo = [("scheduler", "{ kind = \"fifo\" }")];
        let order = departures(&Lab::default(), &fifo).expect("it runs");
        assert!(out_of_place(&order, "ABB") > 5, "{order}");
    }

    #[test]
    fn a_late_burst_hurts_others_only_where_credit_is_saved() {
        let lab = Lab {
            packet_sets: vec![("run.duration".into(), "21 s".into())],
            at_most_seeds: Some(2),
            ..Lab::default()
        };
        let evidence = no_credit(&lab).expect("it runs");
        let measured = &evidence.findings[0].measured;
        let [aux, clock, ratio] = &measured[..] else {
            panic!("two waits and their ratio")
        };
        // Fifty packets of 5 ms that go first.
        assert!((180.0..300.0).contains(&clock.value), "{measured:?}");
        assert!(aux.value < 40.0 && ratio.value > 5.0, "{measured:?}");
    }
}
