//! Section 4.2.2: flows of diverse rates.

use backwater_net::outcome::PortOutcome;
use backwater_net::spec::FlowSpec;
use backwater_results::{Block, Cell, Table};

use super::clocks::{self, Quantity};
use super::disciplines::{self, Discipline};
use super::seen::{MIDDLE, Seeds, each, hops, reserved, seeds};
use super::{DIVERSE, SEEDS, SEEDS_SHOWN};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Reserved packets a second.
const RATES: [u64; 5] = [50, 30, 20, 10, 5];
/// Printed throughput in packets a second and queueing delay in ms, by hops and rate; nothing
/// where no flow is.
const THROUGHPUT: [[Option<f64>; 5]; 3] = [
    [Some(48.2), Some(29.0), Some(19.3), Some(9.6), Some(4.7)],
    [Some(48.3), Some(28.8), Some(19.0), Some(9.6), Some(4.9)],
    [Some(47.8), Some(29.0), Some(19.4), None, None],
];
const DELAYS_MS: [[Option<f64>; 5]; 3] = [
    [Some(5.6), Some(4.2), Some(5.2), Some(10.8), Some(12.3)],
    [Some(8.5), Some(8.3), Some(7.8), Some(17.6), Some(21.3)],
    [Some(9.5), Some(8.0), Some(10.7), None, None],
];
/// What the claim says the rates get.
const GROUPS: [f64; 5] = [48.0, 29.0, 19.0, 9.6, 4.8];
/// Printed of the middle trunk: utilization, queue mean, deviation, 99-tile.
const SWITCHES: [[f64; 4]; 2] = [[0.81, 2.29, 1.41, 8.0], [0.82, 2.34, 1.60, 9.0]];

const WORDS: &str = "A flow's clock advances by 1 / AR per packet, so many packets of fast \
    flows go before a packet of a slow flow. The envelope drops a slightly different share of \
    slow and fast flows: AIR is AR times 5 s, 250 packets for the fastest and 25 for the \
    slowest.";

pub fn diverse(lab: &Lab) -> Result<Evidence, LabError> {
    let found = seeds(lab, DIVERSE, &Vec::new(), SEEDS)?;
    let settings: Vec<_> = disciplines::ALL.iter().map(Discipline::sets).collect();
    let others = each(lab, DIVERSE, &settings, SEEDS_SHOWN)?;
    let judged = (&found, SEEDS_SHOWN);
    let clocks = clocks::table(lab, "sec422-clocks", DIVERSE, judged, &clock_quantities())?;
    let finding = |claim, measured| Finding {
        claim,
        scenario: DIVERSE,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("zhang1991.diverse.throughput", throughput(&found)),
            finding("zhang1991.diverse.delay", delay(&found)),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&found, "throughput")),
            Block::Table(table(&found, "delay")),
            Block::Table(switches(&found)),
            clocks,
            Block::Table(contrast(&others)),
        ],
    })
}

fn class(n: usize, rate: u64) -> impl Fn(&FlowSpec) -> bool {
    move |flow| hops(flow) == n && reserved(flow) == rate
}

/// What the claim on delay bounds, under other clocks.
fn clock_quantities() -> [Quantity<'static>; 7] {
    [
        (
            "1 hop, 50/s",
            "ms",
            &|found| found.waits_ms(class(1, 50)),
            2,
        ),
        (
            "1 hop, 30/s",
            "ms",
            &|found| found.waits_ms(class(1, 30)),
            2,
        ),
        (
            "1 hop, 20/s",
            "ms",
            &|found| found.waits_ms(class(1, 20)),
            2,
        ),
        (
            "1 hop, 10/s",
            "ms",
            &|found| found.waits_ms(class(1, 10)),
            2,
        ),
        ("1 hop, 5/s", "ms", &|found| found.waits_ms(class(1, 5)), 2),
        (
            "2 hops, 10/s",
            "ms",
            &|found| found.waits_ms(class(2, 10)),
            2,
        ),
        ("2 hops, 5/s", "ms", &|found| found.waits_ms(class(2, 5)), 2),
    ]
}

/// Largest over smallest rate among the path lengths that have flows of it.
fn spread(found: &Seeds, rate: u64) -> Vec<f64> {
    found.each(|seen| {
        let rates = [1, 2, 3].map(|n| seen.rate(class(n, rate)));
        let there = rates.iter().copied().filter(|rate| rate.is_finite());
        let (low, high) = there.fold((f64::MAX, 0.0_f64), |(low, high), one| {
            (low.min(one), high.max(one))
        });
        high / low
    })
}

fn throughput(found: &Seeds) -> Vec<Measured> {
    let group = |(&rate, &printed): (&u64, &f64)| {
        let values = found.rates(|flow| reserved(flow) == rate);
        Measured::rate_over_seeds(&format!("rate_{rate}"), &values)
            .within(0.97 * printed, 1.03 * printed)
    };
    let mut measured: Vec<Measured> = RATES.iter().zip(&GROUPS).map(group).collect();
    let widest = RATES.map(|rate| spread(found, rate));
    let worst = (0..widest[0].len()).map(|run| {
        let of_run = widest.iter().map(|one| one[run]);
        of_run.fold(1.0, f64::max)
    });
    let worst: Vec<f64> = worst.collect();
    let middle = found.middle(|port| port.utilization_mean);
    let total = found.each(|seen| seen.total_rate());
    measured.push(Measured::rate_over_seeds("path_length_ratio", &worst).within(1.0, 1.05));
    measured.push(Measured::rate_over_seeds("loss", &found.losses(|_| true)).within(0.0, 0.0));
    measured.push(Measured::rate_over_seeds("utilization", &middle).within(0.80, 0.84));
    measured.push(Measured::rate_over_seeds("total", &total).within(550.0, 575.0));
    measured
}

fn delay(found: &Seeds) -> Vec<Measured> {
    let bounded = [
        (1, 50, 0.0, 6.5),
        (1, 30, 0.0, 6.5),
        (1, 20, 0.0, 6.5),
        (1, 10, 8.0, 12.0),
        (1, 5, 11.0, 16.5),
        (2, 10, 13.5, 19.0),
        (2, 5, 18.0, 25.0),
    ];
    let one = |(n, rate, low, high)| {
        let values = found.waits_ms(class(n, rate));
        Measured::rate_over_seeds(&format!("hop{n}_rate_{rate}"), &values).within(low, high)
    };
    bounded.map(one).to_vec()
}

fn table(found: &Seeds, what: &str) -> Table {
    let is_delay = what == "delay";
    let (printed, unit, meaning) = if is_delay {
        (&DELAYS_MS, "ms", "waiting in queues")
    } else {
        (&THROUGHPUT, "packets/s", "delivered, of a flow")
    };
    let mut columns = vec![words("hops", "trunks crossed; printed or measured")];
    columns.extend(RATES.map(|rate| column(&format!("{rate} packets/s"), unit, meaning)));
    let mut rows = Vec::new();
    for n in [1, 2, 3] {
        let shown = |value: &Option<f64>| value.map_or(Cell::Empty, |value| Cell::float(value, 1));
        let mut row = vec![Cell::from(format!("{n}, printed"))];
        row.extend(printed[n - 1].iter().map(shown));
        rows.push(row);
        let mut row = vec![Cell::from(format!("{n}"))];
        for (rate, printed) in RATES.iter().zip(&printed[n - 1]) {
            let values = if is_delay {
                found.waits_ms(class(n, *rate))
            } else {
                found.rates(class(n, *rate))
            };
            row.push(printed.map_or(Cell::Empty, |_| cell(&values, 2)));
        }
        rows.push(row);
    }
    Table {
        name: format!("sec422-{what}"),
        caption: format!(
            "Average {what} by path length and reserved rate; mean and 95 % interval over {SEEDS} \
             seeds."
        ),
        columns,
        rows,
    }
}

fn switches(found: &Seeds) -> Table {
    type Value = fn(&PortOutcome) -> f64;
    let values: [(&str, Value); 4] = [
        ("utilization", |port| port.utilization_mean),
        ("queue", |port| port.queue.mean()),
        ("its deviation", |port| port.queue.deviation()),
        ("99th percentile", |port| port.queue.percentile(99.0) as f64),
    ];
    let row = |(row, (name, value)): (usize, &(&str, Value))| {
        let mut cells = vec![Cell::from(*name)];
        for (end, channel) in MIDDLE.iter().enumerate() {
            let measured = found.each(|seen| value(seen.port(channel)));
            let printed = SWITCHES[end][row];
            let digits = if printed == printed.trunc() { 0 } else { 2 };
            cells.push(Cell::float(printed, digits));
            cells.push(cell(&measured, 3));
        }
        cells
    };
    let mut rows: Vec<Vec<Cell>> = values.iter().enumerate().map(row).collect();
    let total = found.each(|seen| seen.total_rate());
    rows.push(vec![
        "effective throughput, all flows".into(),
        Cell::float(564.0, 0),
        cell(&total, 1),
    ]);
    Table {
        name: "sec422-switches".into(),
        caption: "The middle trunk at switches 2 and 3; queues at arrivals.".into(),
        columns: vec![
            words("quantity", "what is measured"),
            column("switch 2, printed", "", "in the paper"),
            column("switch 2", "", "measured"),
            column("switch 3, printed", "", "in the paper"),
            column("switch 3", "", "measured"),
        ],
        rows,
    }
}

fn contrast(others: &[Seeds]) -> Table {
    let row = |(discipline, found): (&Discipline, &Seeds)| {
        let mut row = vec![Cell::from(discipline.name)];
        row.extend(RATES.map(|rate| cell(&found.waits_ms(class(1, rate)), 2)));
        row
    };
    let mut columns = vec![words("discipline", "of every port")];
    let one = |rate| column(&format!("{rate} packets/s"), "ms", "waiting over one trunk");
    columns.extend(RATES.map(one));
    Table {
        name: "sec422-disciplines".into(),
        caption: format!(
            "Waiting of one-hop flows under other disciplines, {SEEDS_SHOWN} seeds. FIFO \
             ignores rates."
        ),
        columns,
        rows: disciplines::ALL.iter().zip(others).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::seen::sets;
    use super::*;

    #[test]
    fn each_group_gets_its_rate_and_who_has_less_waits_longer() {
        let sets = sets([("run.duration", "20 s")]);
        let found = seeds(&Lab::default(), DIVERSE, &sets, 2).expect("it runs");
        let measured = throughput(&found);
        let value = |measured: &[Measured], name: &str| {
            let one = measured.iter().find(|one| one.name == name);
            one.expect(name).value
        };
        for rate in RATES {
            let got = value(&measured, &format!("rate_{rate}"));
            assert!((0.8..1.02).contains(&(got / rate as f64)), "{rate}: {got}");
        }
        // Five groups: 3 x 50, 3 x 30, 5 x 20, 22 x 10 and 4 x 5 packets/s reserved.
        assert!((value(&measured, "total") / 580.0 - 0.97).abs() < 0.05);
        let flows = &found.0[0].run.scenario.network.flows;
        let count = |rate| flows.iter().filter(|flow| reserved(flow) == rate).count();
        assert_eq!(RATES.map(count), [3, 3, 5, 22, 4]);
        let delays = delay(&found);
        let waits = |name| value(&delays, name);
        assert!(
            waits("hop1_rate_5") > 1.5 * waits("hop1_rate_30"),
            "{delays:?}"
        );
        assert!(
            waits("hop2_rate_10") > 1.2 * waits("hop1_rate_10"),
            "{delays:?}"
        );
    }
}
