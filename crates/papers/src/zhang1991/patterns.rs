//! Section 4.2.5: three patterns of data.

use backwater_net::spec::{FlowSpec, TrafficSpec};
use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::clocks::{self, Quantity};
use super::disciplines::{ALL, Discipline, FIFO, VIRTUAL_CLOCK, WFQ};
use super::seen::{Seeds, Sets, each, hops, seeds};
use super::test_one::{HOPS, counted};
use super::{PATTERNS, SEEDS, SEEDS_CONTRAST, SEEDS_SHOWN};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{cell, curve, estimate, ratios};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// How a flow generates data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Constant,
    Poisson,
    Train,
}

const ALL_PATTERNS: [(Pattern, &str); 3] = [
    (Pattern::Constant, "constant"),
    (Pattern::Poisson, "poisson"),
    (Pattern::Train, "train"),
];
/// Printed delay and its deviation in ms, by pattern and hops.
const DELAYS_MS: [[f64; 3]; 3] = [
    [1.76, 4.50, 5.57],
    [4.55, 8.37, 11.40],
    [6.49, 10.47, 15.25],
];
const DEVIATIONS_MS: [[f64; 3]; 3] = [
    [1.58, 3.40, 4.09],
    [6.44, 9.74, 11.15],
    [9.50, 12.17, 15.49],
];
/// Waits that a discipline that does not charge bursts may let the patterns differ by.
const ALIKE: f64 = 1.5;

const WORDS: &str = "Constant sources of the same rate keep their phases, so their delays vary \
    from seed to seed. Under VirtualClock the burst of a flow delays that flow; FIFO, WFQ and \
    deficit round robin serve these packets nearly in order of arrival, so it delays all flows.";

pub fn patterns(lab: &Lab) -> Result<Evidence, LabError> {
    let found = seeds(lab, PATTERNS, &Vec::new(), SEEDS)?;
    let settings: Vec<Sets> = ALL.iter().map(Discipline::sets).collect();
    let others = each(lab, PATTERNS, &settings, SEEDS_CONTRAST)?;
    let quantities: [Quantity; 3] = [
        (
            "constant",
            "ms",
            &|found| found.waits_ms(class(Pattern::Constant, 1)),
            2,
        ),
        (
            "poisson",
            "ms",
            &|found| found.waits_ms(class(Pattern::Poisson, 1)),
            2,
        ),
        (
            "train",
            "ms",
            &|found| found.waits_ms(class(Pattern::Train, 1)),
            2,
        ),
    ];
    let judged = (&found, SEEDS_SHOWN);
    let clocks = clocks::table(lab, "sec425-clocks", PATTERNS, judged, &quantities)?;
    let finding = |claim, measured| Finding {
        claim,
        scenario: PATTERNS,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("zhang1991.patterns.delay", delay(&found)),
            finding(
                "zhang1991.contrast.only-virtualclock-charges-bursts",
                charges(&others),
            ),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&found)),
            clocks,
            Block::Table(contrast_table(&others)),
            Block::Plot(plot(&others)),
        ],
    })
}

fn pattern(flow: &FlowSpec) -> Pattern {
    match flow.traffic {
        TrafficSpec::Constant { .. } => Pattern::Constant,
        TrafficSpec::Poisson { .. } => Pattern::Poisson,
        _ => Pattern::Train,
    }
}

fn class(which: Pattern, n: usize) -> impl Fn(&FlowSpec) -> bool {
    move |flow| pattern(flow) == which && hops(flow) == n
}

fn delay(found: &Seeds) -> Vec<Measured> {
    let waits = |which| found.waits_ms(class(which, 1));
    let mut measured: Vec<Measured> = ALL_PATTERNS
        .iter()
        .map(|(which, name)| Measured::over_seeds(name, &waits(*which)))
        .collect();
    // "Grow with burstiness" on every path length: each pattern over the one before.
    for n in HOPS {
        for pair in ALL_PATTERNS.windows(2) {
            let [less, more] = [pair[0], pair[1]].map(|(which, _)| {
                let waits = found.waits_ms(class(which, n));
                let deviations = found.each(|seen| seen.wait_deviation_ms(class(which, n)));
                (waits, deviations)
            });
            let name = format!("{}_over_{}_hop{n}", pair[1].1, pair[0].1);
            let by_delay = ratios(&more.0, &less.0);
            measured.push(Measured::over_seeds(&name, &by_delay).at_least(1.0));
            let by_deviation = ratios(&more.1, &less.1);
            let name = format!("{name}_deviation");
            measured.push(Measured::over_seeds(&name, &by_deviation).at_least(1.0));
        }
    }
    let middle = found.middle(|port| port.utilization_mean);
    measured.push(Measured::over_seeds("utilization", &middle).within(0.77, 0.79));
    measured
}

/// What one-hop trains wait, over what constant flows do.
fn trains_over_constant(found: &Seeds) -> Vec<f64> {
    let waits = |which| found.waits_ms(class(which, 1));
    ratios(&waits(Pattern::Train), &waits(Pattern::Constant))
}

fn charges(others: &[Seeds]) -> Vec<Measured> {
    let of = |wanted: &Discipline| {
        let mut both = ALL.iter().zip(others);
        let found = both.find(|(discipline, _)| discipline.name == wanted.name);
        trains_over_constant(found.expect("a discipline of the list").1)
    };
    vec![
        Measured::over_seeds("virtual_clock", &of(&VIRTUAL_CLOCK)).at_least(2.0),
        Measured::over_seeds("fifo", &of(&FIFO)).within(1.0 / ALIKE, ALIKE),
        Measured::over_seeds("wfq", &of(&WFQ)).within(1.0 / ALIKE, ALIKE),
    ]
}

fn table(found: &Seeds) -> Table {
    let mut rows = Vec::new();
    for (row, (which, name)) in ALL_PATTERNS.iter().enumerate() {
        let mut printed = vec![Cell::from(format!("{name}, printed"))];
        printed.extend(DELAYS_MS[row].map(|value| Cell::float(value, 2)));
        printed.extend(DEVIATIONS_MS[row].map(|value| Cell::float(value, 2)));
        rows.push(printed);
        let mut measured = vec![Cell::from(*name)];
        measured.extend(HOPS.map(|n| cell(&found.waits_ms(class(*which, n)), 2)));
        measured.extend(HOPS.map(|n| {
            let deviations = found.each(|seen| seen.wait_deviation_ms(class(*which, n)));
            cell(&deviations, 2)
        }));
        rows.push(measured);
    }
    let mut columns = vec![words("pattern", "how flows generate data")];
    columns.extend(HOPS.map(|n| column(&format!("delay, {}", counted(n)), "ms", "mean waiting")));
    columns.extend(HOPS.map(|n| column(&format!("deviation, {}", counted(n)), "ms", "of waiting")));
    Table {
        name: "sec425-delay".into(),
        caption: format!(
            "Delay by pattern and path length; mean and 95 % interval over {SEEDS} seeds."
        ),
        columns,
        rows,
    }
}

fn contrast_table(others: &[Seeds]) -> Table {
    let row = |(discipline, found): (&Discipline, &Seeds)| {
        let mut row = vec![Cell::from(discipline.name)];
        row.extend(ALL_PATTERNS.map(|(which, _)| cell(&found.waits_ms(class(which, 1)), 2)));
        row.push(cell(&trains_over_constant(found), 2));
        row
    };
    let mut columns = vec![words("discipline", "of every port")];
    columns.extend(ALL_PATTERNS.map(|(_, name)| column(name, "ms", "waiting over one trunk")));
    columns.push(column(
        "trains over constant",
        "",
        "how much a burst costs its own flow",
    ));
    Table {
        name: "sec425-disciplines".into(),
        caption: format!(
            "Waiting of one-hop flows under other disciplines, {SEEDS_CONTRAST} seeds: which \
             ones charge a burst to its own flow?"
        ),
        columns,
        rows: ALL.iter().zip(others).map(row).collect(),
    }
}

fn plot(others: &[Seeds]) -> Plot {
    let x = || vec![1.0, 2.0, 3.0];
    let one = |(discipline, found): (&Discipline, &Seeds)| {
        let waits = ALL_PATTERNS.map(|(which, _)| estimate(&found.waits_ms(class(which, 1))));
        curve(discipline.name, x(), &waits)
    };
    let mut curves: Vec<Curve> = ALL.iter().zip(others).map(one).collect();
    let printed = DELAYS_MS.map(|delays| delays[0]).to_vec();
    curves.push(Curve {
        dashed: true,
        ..Curve::new("paper", Style::Line, x(), printed)
    });
    Plot {
        id: "sec425-delay".into(),
        title: "One-hop flows: waiting by pattern (1 constant, 2 Poisson, 3 train)".into(),
        x: Axis {
            at: x(),
            ..Axis::new("pattern", "")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("waiting", "ms")
        },
        curves,
        note: "A steep curve charges bursts to the flow that sends them.".into(),
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtualclock_charges_bursts_and_fifo_does_not() {
        let short = |discipline: &Discipline| {
            let mut sets = discipline.sets();
            sets.push(("run.duration".into(), "40 s".into()));
            seeds(&Lab::default(), PATTERNS, &sets, 2).expect("it runs")
        };
        let found = ALL.map(|discipline| short(&discipline));
        let charged = charges(&found);
        let [clock, fifo, wfq] = &charged[..] else {
            panic!("three disciplines")
        };
        assert!(
            clock.value > 1.7 && fifo.value < 1.4 && wfq.value < 1.4,
            "{charged:?}"
        );
        let grows = delay(&found[0]);
        let over = |name: &str| {
            let one = grows.iter().find(|one| one.name == name);
            one.expect(name).value
        };
        assert!(over("poisson_over_constant_hop1") > 1.3, "{grows:?}");
        let waits = over("poisson") / over("constant");
        assert!((over("poisson_over_constant_hop1") / waits - 1.0).abs() < 0.1);
        let flows = &found[0].0[0].run.scenario.network.flows;
        let count = |which| flows.iter().filter(|flow| pattern(flow) == which).count();
        assert_eq!(ALL_PATTERNS.map(|(which, _)| count(which)), [18, 18, 20]);
    }
}
