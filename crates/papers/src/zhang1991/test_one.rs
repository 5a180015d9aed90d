//! Section 4.2.1, Test One: 60 flows of the same rate.

use backwater_net::outcome::PortOutcome;
use backwater_results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Table};

use super::clocks::{self, Quantity};
use super::disciplines::{self, Discipline};
use super::seen::{MIDDLE, Seeds, Seen, each, hops, seeds};
use super::{SEEDS, SEEDS_CONTRAST, SEEDS_SHOWN, TEST_ONE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{cell, curve, estimate};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Printed: utilization and its deviation, queue mean, deviation and 99-tile, at either switch.
const SWITCHES: [[f64; 5]; 2] = [[0.86, 0.11, 2.64, 1.8, 10.0], [0.86, 0.11, 2.61, 1.7, 9.0]];
/// Printed: packets a second and queueing delay in ms by hops.
const RATES: [f64; 3] = [9.59, 9.58, 9.62];
pub const DELAYS_MS: [f64; 3] = [7.76, 14.58, 22.37];
pub const HOPS: [usize; 3] = [1, 2, 3];
/// Queue lengths drawn.
const DRAWN: usize = 14;

const WORDS: &str = "The queue is counted at arrivals: the packets that wait, the one in \
    transmission and the arriving one. By Little's law the printed delays correspond to a \
    shorter time average, 2.15; the printed 2.64 is the queue at arrivals. Waiting excludes a \
    packet's own transmission. The printed 584 packets a second do not agree with the printed \
    rates of flows, 24 x 9.59 + 24 x 9.58 + 12 x 9.62 = 575.5.";

const SPLIT_WORDS: &str = "Flows that come from another trunk wait less than those directly \
    from a source: the first switch has delayed and spaced packets ahead of their rate. The \
    difference is larger with VirtualClock than with FIFO. The printed split between path \
    lengths is closer to that of FIFO.";
/// Trunks by what comes to them.
const PLACES: [(&str, [&str; 2]); 3] = [
    ("first", ["S1->S2", "S4->S3"]),
    ("middle", MIDDLE),
    ("last", ["S3->S4", "S2->S1"]),
];

pub fn test_one(lab: &Lab) -> Result<Evidence, LabError> {
    let found = seeds(lab, TEST_ONE, &Vec::new(), SEEDS)?;
    let settings: Vec<_> = disciplines::ALL.iter().map(Discipline::sets).collect();
    let others = each(lab, TEST_ONE, &settings, SEEDS_SHOWN)?;
    let waits = |n: usize| move |found: &Seeds| found.waits_ms(|flow| hops(flow) == n);
    let (one, two, three) = (waits(1), waits(2), waits(3));
    let quantities: [Quantity; 6] = [
        ("1 hop", "ms", &one, 2),
        ("2 hops", "ms", &two, 2),
        ("3 hops", "ms", &three, 2),
        (
            "per hop",
            "ms",
            &|found| found.each(Seen::wait_per_hop_ms),
            2,
        ),
        (
            "queue",
            "packets",
            &|found| found.middle(|port| port.queue.mean()),
            2,
        ),
        (
            "utilization",
            "",
            &|found| found.middle(|port| port.utilization_mean),
            3,
        ),
    ];
    let judged = (&found, SEEDS_CONTRAST);
    let clocks = clocks::table(lab, "sec421-clocks", TEST_ONE, judged, &quantities)?;
    let finding = |claim, measured| Finding {
        claim,
        scenario: TEST_ONE,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("zhang1991.test1.utilization", utilization(&found)),
            finding("zhang1991.test1.queue", queue(&found)),
            finding("zhang1991.test1.throughput", throughput(&found)),
            finding("zhang1991.test1.delay", delay(&found)),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(switches_table(&found)),
            Block::Table(flows_table(&found)),
            clocks,
            Block::Text(SPLIT_WORDS.into()),
            Block::Table(places_table(&found, &others[1])),
            Block::Table(contrast_table(&others)),
            Block::Plot(delay_plot(&others)),
            Block::Plot(queue_plot(&found)),
        ],
    })
}

/// `1 hop`, `2 hops`.
pub fn counted(n: usize) -> String {
    format!("{n} hop{}", if n == 1 { "" } else { "s" })
}

fn over(found: &Seeds, name: &str, value: impl Fn(&PortOutcome) -> f64) -> Measured {
    Measured::rate_over_seeds(name, &found.middle(value))
}

fn utilization(found: &Seeds) -> Vec<Measured> {
    vec![
        over(found, "mean", |port| port.utilization_mean),
        over(found, "dev", |port| port.utilization_deviation),
    ]
}

fn queue(found: &Seeds) -> Vec<Measured> {
    vec![
        over(found, "mean", |port| port.queue.mean()),
        over(found, "dev", |port| port.queue.deviation()),
        over(found, "p99", |port| port.queue.percentile(99.0) as f64),
        over(found, "time_average", |port| port.queue_mean),
    ]
}

fn throughput(found: &Seeds) -> Vec<Measured> {
    let mut measured: Vec<Measured> = HOPS
        .iter()
        .map(|&n| Measured::over_seeds(&format!("hop{n}"), &found.rates(|flow| hops(flow) == n)))
        .collect();
    measured.push(Measured::over_seeds("loss", &found.losses(|_| true)));
    let total = found.each(|seen| seen.total_rate());
    measured.push(Measured::over_seeds("total", &total));
    measured
}

fn delay(found: &Seeds) -> Vec<Measured> {
    let mut measured: Vec<Measured> = HOPS
        .iter()
        .map(|&n| Measured::over_seeds(&format!("hop{n}"), &found.waits_ms(|flow| hops(flow) == n)))
        .collect();
    let per_hop = found.each(|seen| seen.wait_per_hop_ms());
    measured.push(Measured::over_seeds("per_hop", &per_hop));
    measured
}

/// Printed and measured side by side.
fn pair(printed: f64, values: &[f64], digits: u8) -> [Cell; 2] {
    let shown = if printed == printed.trunc() { 0 } else { 2 };
    [
        Cell::float(printed, shown),
        cell(values, usize::from(digits)),
    ]
}

fn switches_table(found: &Seeds) -> Table {
    type Value = fn(&PortOutcome) -> f64;
    let values: [(&str, Value, u8); 5] = [
        ("utilization", |port| port.utilization_mean, 3),
        ("its deviation", |port| port.utilization_deviation, 3),
        ("queue", |port| port.queue.mean(), 2),
        ("its deviation", |port| port.queue.deviation(), 2),
        (
            "99th percentile",
            |port| port.queue.percentile(99.0) as f64,
            1,
        ),
    ];
    let rows = values
        .iter()
        .enumerate()
        .map(|(row, (name, value, digits))| {
            let mut cells = vec![Cell::from(*name)];
            for (end, channel) in MIDDLE.iter().enumerate() {
                let measured = found.each(|seen| value(seen.port(channel)));
                cells.extend(pair(SWITCHES[end][row], &measured, *digits));
            }
            cells
        });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    let time = |channel: &&str| cell(&found.each(|seen| seen.port(channel).queue_mean), 2);
    let time: Vec<Cell> = MIDDLE.iter().map(time).collect();
    rows.push(vec![
        "queue, average over time".into(),
        Cell::Empty,
        time[0].clone(),
        Cell::Empty,
        time[1].clone(),
    ]);
    Table {
        name: "sec421-switches".into(),
        caption: format!(
            "The middle trunk (link 12) at switches 2 and 3, windows of 100 ms; mean and 95 % \
             interval over {SEEDS} seeds."
        ),
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

fn flows_table(found: &Seeds) -> Table {
    let row = |&n: &usize| {
        let mut row = vec![Cell::from(n as u64)];
        row.extend(pair(RATES[n - 1], &found.rates(|flow| hops(flow) == n), 2));
        row.extend(pair(
            DELAYS_MS[n - 1],
            &found.waits_ms(|flow| hops(flow) == n),
            2,
        ));
        row
    };
    let mut rows: Vec<Vec<Cell>> = HOPS.iter().map(row).collect();
    let mut all = vec![Cell::from("all, and per hop")];
    all.extend(pair(584.0, &found.each(|seen| seen.total_rate()), 1));
    all.extend(pair(7.45, &found.each(|seen| seen.wait_per_hop_ms()), 2));
    rows.push(all);
    Table {
        name: "sec421-flows".into(),
        caption: "Throughput and queueing delay by path length; the printed delays give 7.45 ms \
                  per hop."
            .into(),
        columns: vec![
            words("hops", "trunks crossed"),
            column("rate, printed", "packets/s", "of a flow"),
            column("rate", "packets/s", "of a flow, measured"),
            column("delay, printed", "ms", "waiting in queues"),
            column("delay", "ms", "waiting in queues, measured"),
        ],
        rows,
    }
}

/// Where flows of each length wait, under VirtualClock and FIFO.
fn places_table(found: &Seeds, fifo: &Seeds) -> Table {
    let row = |(name, channels): &(&str, [&str; 2])| {
        let mut row = vec![Cell::from(*name)];
        for seeds in [found, fifo] {
            row.extend(HOPS.map(|n| {
                let waits = seeds.each(|seen| seen.wait_at_ms(channels, |flow| hops(flow) == n));
                match waits.first() {
                    Some(wait) if wait.is_finite() => cell(&waits, 2),
                    _ => Cell::Empty,
                }
            }));
        }
        row
    };
    let mut columns = vec![words("trunk", "where packets wait")];
    for name in ["VirtualClock", "FIFO"] {
        columns.extend(HOPS.map(|n| {
            let heading = format!("{name}, {}", counted(n));
            column(
                &heading,
                "ms",
                "waiting of flows that cross this number of trunks",
            )
        }));
    }
    Table {
        name: "sec421-places".into(),
        caption:
            "Where packets wait. All flows of the first trunk come from their sources; on the \
                  last, one-hop flows come from their sources and meet flows that have been \
                  smoothed."
                .into(),
        columns,
        rows: PLACES.iter().map(row).collect(),
    }
}

fn contrast_table(others: &[Seeds]) -> Table {
    let row = |(discipline, found): (&Discipline, &Seeds)| {
        let mut row = vec![Cell::from(discipline.name)];
        row.extend(HOPS.map(|n| cell(&found.waits_ms(|flow| hops(flow) == n), 2)));
        row.push(cell(&found.each(|seen| seen.wait_per_hop_ms()), 2));
        row.push(cell(&found.each(|seen| seen.total_rate()), 1));
        row
    };
    Table {
        name: "sec421-disciplines".into(),
        caption: format!(
            "The same traffic under other disciplines, {SEEDS_SHOWN} seeds. Printed for \
             VirtualClock: 7.76, 14.58, 22.37 ms."
        ),
        columns: vec![
            words("discipline", "of every port"),
            column("1 hop", "ms", "waiting of flows over one trunk"),
            column("2 hops", "ms", "over two"),
            column("3 hops", "ms", "over three"),
            column("per hop", "ms", "waiting per packet and trunk"),
            column("total", "packets/s", "delivered"),
        ],
        rows: disciplines::ALL.iter().zip(others).map(row).collect(),
    }
}

/// How far each discipline is from the printed waits: the waits themselves grow threefold with the
/// path, and all their curves would lie on one line.
fn delay_plot(others: &[Seeds]) -> Plot {
    let x = || HOPS.map(|n| n as f64).to_vec();
    let one = |(discipline, found): (&Discipline, &Seeds)| {
        let more = |(n, printed): (usize, f64)| {
            let waits = found.waits_ms(|flow| hops(flow) == n);
            let more = waits.iter().map(|wait| 100.0 * (wait / printed - 1.0));
            estimate(&more.collect::<Vec<f64>>())
        };
        let estimates: Vec<_> = HOPS.into_iter().zip(DELAYS_MS).map(more).collect();
        curve(discipline.name, x(), &estimates)
    };
    let curves: Vec<Curve> = disciplines::ALL.iter().zip(others).map(one).collect();
    Plot {
        id: "sec421-delay".into(),
        title: "Test One: waiting by path length".into(),
        x: Axis {
            at: x(),
            ..Axis::new("trunks crossed", "")
        },
        y: Axis::new("waiting, more than printed", "%"),
        curves,
        marks: vec![Mark {
            direction: Direction::Horizontal,
            at: 0.0,
            label: "paper: 7.76, 14.58, 22.37 ms".into(),
        }],
        note: "With equal flows and equal packets the sum of waits at a port does not depend on \
               the order of service; disciplines only split it differently."
            .into(),
    }
}

/// Share of arrivals that find 1, 2, .. packets with themselves.
fn queue_plot(found: &Seeds) -> Plot {
    let shares = |channel: &str, n: usize| {
        found.each(|seen| {
            let queue = &seen.port(channel).queue;
            let mut buckets = queue.histogram().buckets();
            let bucket = buckets.find(|bucket| bucket.low == n as u64);
            bucket.map_or(0.0, |bucket| bucket.count as f64) / queue.count() as f64
        })
    };
    let lengths: Vec<f64> = (1..=DRAWN).map(|n| n as f64).collect();
    let one = |channel: &str| {
        let estimates: Vec<_> = (1..=DRAWN).map(|n| estimate(&shares(channel, n))).collect();
        curve(channel, lengths.clone(), &estimates)
    };
    Plot {
        id: "sec421-queue".into(),
        title: "Test One: queue at arrivals on the middle trunk".into(),
        x: Axis::new("queue with the arriving packet", "packets"),
        y: Axis {
            min: Some(0.0),
            ..Axis::new("share of arrivals", "")
        },
        curves: MIDDLE.iter().map(|channel| one(channel)).collect(),
        note: "Mean 2.6; one packet in a hundred sees 8 or more.".into(),
        marks: vec![
            Mark::vertical(SWITCHES[0][2], "paper: mean"),
            Mark::vertical(SWITCHES[0][4], "paper: 99th percentile"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::super::seen::sets;
    use super::*;

    #[test]
    fn even_sources_by_hand() {
        let even = "{ kind = \"constant\", rate = \"20 kbps\", phase = \"random\" }";
        let sets = sets([("run.duration", "10 s"), ("flows.*.traffic", even)]);
        let found = seeds(&Lab::default(), TEST_ONE, &sets, 2).expect("it runs");
        let value = |measured: &[Measured], name: &str| {
            let one = measured.iter().find(|one| one.name == name);
            one.expect(name).value
        };
        let near = |value: f64, expected: f64| {
            assert!(
                (value / expected - 1.0).abs() < 0.02,
                "{value}, not {expected}"
            );
        };
        let rates = throughput(&found);
        near(value(&rates, "hop1"), 10.0);
        near(value(&rates, "hop3"), 10.0);
        near(value(&rates, "total"), 600.0);
        assert_eq!(value(&rates, "loss"), 0.0);
        // 18 packets of 5 ms in a window of 100 ms, or one fewer.
        near(value(&utilization(&found), "mean"), 0.9);
        assert!(value(&utilization(&found), "dev") < 0.06);
        // Eighteen flows on a trunk meet at most once each in 100 ms.
        let queue = queue(&found);
        assert!((1.0..18.0).contains(&value(&queue, "mean")), "{queue:?}");
        assert!(value(&queue, "p99") >= value(&queue, "mean"));
        // By Little's law the queue over time holds what is sent and what waits.
        let waits = value(&delay(&found), "per_hop");
        let port = found.middle(|port| port.queue_mean);
        assert!(
            waits > 0.5 && port.iter().all(|mean| *mean > 0.9),
            "{waits}"
        );
    }
}
