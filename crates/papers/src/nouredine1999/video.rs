//! Figures 12 and 13, section 3.3: video behind stops that are meant for data.

use kernel::Histogram;
use results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Table};

use super::runs::{
    CLASS, DESTINATION, NONE, SIMPLE, Scheme, Seeds, Sets, cell, each, finding, mean,
};
use super::{ONE_LINK, SEEDS, SEEDS_CONTRAST, VIDEO};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::Measured;

const CONNECTIONS: [u64; 6] = [1, 2, 3, 5, 7, 9];
/// Scheme, source and seeds of each column of the table.
const COLUMNS: [(Scheme, &str, u64); 5] = [
    (NONE, "bsd", SEEDS),
    (SIMPLE, "bsd", SEEDS),
    (SIMPLE, "bsd-full", SEEDS),
    (CLASS, "bsd", SEEDS),
    (DESTINATION, "bsd", SEEDS_CONTRAST),
];
const PS_PER_MS: f64 = 1e9;

const WORDS: &str = "Inferred: S1 at 100 Mbps, S2 and D at 10 Mbps on one switch; with S2 at 100 \
    Mbps nothing is late. The video is a stand-in of 1.5 Mbps in packets of 1000 bytes, of a \
    higher class and in a queue of its own. Saturated data leave S2 one packet a cycle, about 1.0 \
    Mbps: less than the video's mean, so its queue grows without end and the share of late \
    packets depends on how long the run is. Which number of connections begins to saturate \
    depends on the source: `bsd` agrees with \"more than 5 % for 3 connections\", `bsd-full` is \
    closer to \"about 50 % for 9\". Control by destination names the class too, so it does no \
    harm here either.";
const ONE_LINK_WORDS: &str = "Here one station sends both. Video goes first as soon as a stop \
    ends, so a packet waits for about one stop. The stop lasts while the port works off the \
    margin between the thresholds: 7 kB take 5.6 ms at 10 Mbps. A margin ten times as large \
    makes the wait ten times as long; hence the paper's advice to keep it small.";

pub fn figure_13(lab: &Lab) -> Result<Evidence, LabError> {
    let mut found = Vec::new();
    for (scheme, source, seeds) in COLUMNS {
        let settings = CONNECTIONS.map(|n| settings(&scheme, source, n));
        found.push(each(lab, VIDEO, &settings, seeds)?);
    }
    let late = |column: usize, n: u64| {
        let at = CONNECTIONS.iter().position(|one| *one == n);
        found[column][at.expect("a number that ran")].each(late_share)
    };
    let most = |column: usize| {
        let rows = found[column].iter();
        rows.map(|at| mean(&at.each(late_share)))
            .fold(0.0, f64::max)
    };
    let measured = vec![
        Measured::over_seeds("simple_n3", &late(1, 3)),
        Measured::over_seeds("simple_n9", &late(1, 9)),
        Measured::new("class_based", most(3)),
        Measured::new("none", most(0)),
        Measured::over_seeds("bsd_full_n3", &late(2, 3)),
        Measured::over_seeds("bsd_full_n9", &late(2, 9)),
    ];
    Ok(Evidence {
        findings: vec![finding("nouredine1999.fig13.video-delay", VIDEO, measured)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot("fig13", "bsd", &found[1])),
            Block::Plot(plot("fig13-bsd-full", "bsd-full", &found[2])),
            Block::Table(late_table(&found)),
            Block::Table(rates_table(&found)),
        ],
    })
}

fn settings(scheme: &Scheme, source: &str, connections: u64) -> Sets {
    scheme.with([
        ("tcp", format!("{{ preset = \"{source}\" }}")),
        ("flows.data.count", connections.to_string()),
    ])
}

/// Share of video packets that came later than the deadline, or not at all.
fn late_share(run: &EthernetRun) -> f64 {
    let (late, due) = run
        .flows("video")
        .fold((0, 0), |sum, flow| (sum.0 + flow.late, sum.1 + flow.due));
    late as f64 / due.max(1) as f64
}

/// Delays of all video packets of all seeds.
fn delays(at: &Seeds) -> Histogram {
    let mut all = Histogram::new();
    for run in &at.0 {
        for flow in run.flows("video") {
            all.merge(&flow.delay.histogram);
        }
    }
    all
}

/// Share of packets delayed by more than x.
fn complementary(name: &str, delays: &Histogram) -> Curve {
    let total = delays.count() as f64;
    let mut left = delays.count();
    let (mut x, mut y) = (vec![0.0], vec![1.0]);
    for bucket in delays.buckets() {
        left -= bucket.count;
        x.push(bucket.high as f64 / PS_PER_MS);
        y.push(left as f64 / total);
    }
    Curve {
        name: name.into(),
        x,
        y,
        ..Curve::default()
    }
}

fn plot(id: &str, source: &str, found: &[Seeds]) -> Plot {
    let shown = CONNECTIONS.iter().zip(found).filter(|(n, _)| *n % 2 == 1);
    let curves = shown.map(|(n, at)| complementary(&format!("n = {n}"), &delays(at)));
    Plot {
        id: id.into(),
        title: format!("Figure 13: delay of video packets, simple control, source `{source}`"),
        x: Axis {
            min: Some(0.0),
            max: Some(300.0),
            ..Axis::new("delay", "ms")
        },
        y: Axis {
            min: Some(1e-3),
            max: Some(1.0),
            log: true,
            ..Axis::new("share of packets delayed longer", "")
        },
        curves: curves.collect(),
        note: format!("All packets of {SEEDS} seeds; n data connections."),
        marks: vec![Mark {
            direction: Direction::Vertical,
            at: 100.0,
            label: "limit".into(),
        }],
    }
}

fn late_table(found: &[Vec<Seeds>]) -> Table {
    let mut columns = vec![column("connections", "", "of data, from S1 to D")];
    columns.extend(COLUMNS.map(|(scheme, source, _)| {
        let meaning = "share of packets later than 100 ms: mean [least, most] over seeds";
        column(&format!("{}, {source}", scheme.name), "", meaning)
    }));
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        row.extend(found.iter().map(|rows| cell(&rows[at].each(late_share), 3)));
        row
    };
    Table {
        name: "fig13-late".into(),
        caption: "Share of video packets later than 100 ms in 50 s.".into(),
        columns,
        rows: CONNECTIONS.iter().enumerate().map(row).collect(),
    }
}

fn rates_table(found: &[Vec<Seeds>]) -> Table {
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        for rows in [&found[0], &found[1], &found[3]] {
            row.extend(["data", "video"].map(|flow| cell(&rows[at].mbps(flow), 2)));
        }
        row
    };
    let meaning = "payload that D got: mean [least, most] over seeds";
    let mut columns = vec![column("connections", "", "of data, from S1 to D")];
    for scheme in [NONE, SIMPLE, CLASS] {
        for flow in ["data", "video"] {
            columns.push(column(&format!("{flow}, {}", scheme.name), "Mbps", meaning));
        }
    }
    Table {
        name: "fig13-throughput".into(),
        caption: "Throughput of data and video, source `bsd`.".into(),
        columns,
        rows: CONNECTIONS.iter().enumerate().map(row).collect(),
    }
}

/// Schemes and low thresholds (per cent; the high one is 80) of section 3.3.
const MARGINS: [(Scheme, u64); 5] = [
    (NONE, 70),
    (SIMPLE, 70),
    (SIMPLE, 40),
    (SIMPLE, 10),
    (CLASS, 70),
];
const DATA: [u64; 2] = [3, 9];

pub fn section_33(lab: &Lab) -> Result<Evidence, LabError> {
    let settings: Vec<Sets> = MARGINS
        .iter()
        .flat_map(|(scheme, low)| DATA.map(|n| one_link(scheme, *low, n)))
        .collect();
    let found = each(lab, ONE_LINK, &settings, SEEDS)?;
    let simple = &found[DATA.len()..2 * DATA.len()];
    let late = simple.iter().map(|at| mean(&at.each(late_share)));
    let measured = vec![
        Measured::new("late_simple", late.fold(0.0, f64::max)).within(0.0, 0.001),
        Measured::over_seeds("mean_delay_ms_none_n9", &found[1].each(mean_ms)),
        Measured::over_seeds("mean_delay_ms_simple_n9", &simple[1].each(mean_ms)).within(0.0, 10.0),
        Measured::over_seeds("p99_delay_ms_simple_n9", &simple[1].each(p99_ms)).within(0.0, 50.0),
    ];
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.sec33.shared-incoming-link",
            ONE_LINK,
            measured,
        )],
        blocks: vec![
            Block::Text(ONE_LINK_WORDS.into()),
            Block::Table(one_link_table(&found)),
        ],
    })
}

fn one_link(scheme: &Scheme, low: u64, connections: u64) -> Sets {
    let mut sets = scheme.with([("flows.data.count", connections.to_string())]);
    if low != 70 {
        sets.push(("back_pressure.low".into(), format!("\"{low} %\"")));
    }
    sets
}

fn mean_ms(run: &EthernetRun) -> f64 {
    run.flows("video")
        .map(|flow| flow.delay.mean_ps)
        .sum::<f64>()
        / PS_PER_MS
}

fn p99_ms(run: &EthernetRun) -> f64 {
    let mut flows = run.flows("video");
    let video = flows
        .next()
        .map(|flow| flow.delay.histogram.percentile(99.0));
    video.unwrap_or(0) as f64 / PS_PER_MS
}

fn most_ms(run: &EthernetRun) -> f64 {
    let most = run.flows("video").map(|flow| flow.delay.most_ps).max();
    most.unwrap_or(0) as f64 / PS_PER_MS
}

fn one_link_table(found: &[Seeds]) -> Table {
    let settings = MARGINS
        .iter()
        .flat_map(|(scheme, low)| DATA.map(|n| (scheme, *low, n)));
    let row = |((scheme, low, n), at): ((&Scheme, u64, u64), &Seeds)| {
        vec![
            scheme.name.into(),
            if scheme.name == NONE.name {
                Cell::Empty
            } else {
                (80 - low).into()
            },
            n.into(),
            cell(&at.each(mean_ms), 2),
            cell(&at.each(p99_ms), 1),
            cell(&at.each(most_ms), 1),
            cell(&at.each(late_share), 4),
        ]
    };
    let over = "mean [least, most] over seeds";
    Table {
        name: "sec33".into(),
        caption: format!("Delay of video that shares its incoming link with data, {SEEDS} seeds."),
        columns: vec![
            words("back-pressure", "the scheme"),
            column("margin", "% of the buffer", "80 % less the low threshold"),
            column("connections", "", "of data"),
            column("mean delay", "ms", over),
            column("99-tile", "ms", over),
            column("largest", "ms", over),
            column("late", "", "share of packets later than 100 ms"),
        ],
        rows: settings.zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complementary_distribution_falls_from_one_to_zero() {
        let mut delays = Histogram::new();
        for ms in [1, 1, 2, 50] {
            delays.record(ms * 1_000_000_000);
        }
        let curve = complementary("x", &delays);
        assert_eq!(curve.y, [1.0, 0.5, 0.25, 0.0]);
        assert!(curve.x.is_sorted() && (curve.x[1] - 1.0).abs() < 0.04);
    }
}
