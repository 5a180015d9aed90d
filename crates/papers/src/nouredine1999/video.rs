//! Figures 12 and 13, section 3.3: video behind stops that are meant for data.

use backwater_kernel::Histogram;
use backwater_results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Table};

use super::runs::{
    CLASS, DESTINATION, NONE, SIMPLE, Scheme, Seeds, Sets, cell, each, finding, level, most_of,
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
    (SIMPLE, "bsd-full", SEEDS_CONTRAST),
    (CLASS, "bsd", SEEDS),
    (DESTINATION, "bsd", SEEDS_CONTRAST),
];
/// Places of the columns that are judged.
const WITHOUT: usize = 0;
const BY_SIMPLE: usize = 1;
const FULL: usize = 2;
const BY_CLASS: usize = 3;
const PS_PER_MS: f64 = 1e9;

const WORDS: &str = "Inferred: S1 at 100 Mbps, S2 and D at 10 Mbps on one switch; with S2 at \
    100 Mbps nothing is late. The video is a model of 1.5 Mbps in packets of 1000 bytes, of a \
    higher class and in a separate queue. Saturated data leave S2 one packet per cycle, about \
    1.0 Mbps: less than the video's mean, so its queue grows without limit and the share of \
    late packets depends on the length of the run. The number of connections at which \
    saturation begins depends on the source: `bsd` agrees with \"more than 5 % for 3 \
    connections\", `bsd-full` is closer to \"about 50 % for 9\". Destination control also stops \
    by class, so it does no harm here either.";
const ONE_LINK_WORDS: &str = "Here one host sends both. Video goes first as soon as a stop \
    ends, so a packet waits for about one stop. The stop lasts while the port drains the margin \
    between the thresholds: 7 kB take 5.6 ms at 10 Mbps. The wait grows with the margin; hence \
    the paper's advice to keep it small.";

pub fn figure_13(lab: &Lab) -> Result<Evidence, LabError> {
    let mut found = Vec::new();
    for (scheme, source, seeds) in COLUMNS {
        let settings = CONNECTIONS.map(|n| settings(&scheme, source, n));
        found.push(each(lab, VIDEO, &settings, seeds)?);
    }
    let late = |rows: &Vec<Seeds>| rows.iter().map(|at| at.each(late_share)).collect();
    let late: Vec<Vec<Vec<f64>>> = found.iter().map(late).collect();
    let measured = measured(&late);
    Ok(Evidence {
        findings: vec![finding("nouredine1999.fig13.video-delay", VIDEO, measured)],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot("fig13", "bsd", &found[BY_SIMPLE], SEEDS)),
            Block::Plot(plot(
                "fig13-bsd-full",
                "bsd-full",
                &found[FULL],
                SEEDS_CONTRAST,
            )),
            Block::Table(late_table(&late)),
            Block::Table(rates_table(&found)),
        ],
    })
}

/// From shares of late packets by column, number of connections and seed.
fn measured(late: &[Vec<Vec<f64>>]) -> Vec<Measured> {
    let of = |column: usize, n: u64| {
        let at = CONNECTIONS.iter().position(|one| *one == n);
        &late[column][at.expect("a number that ran")]
    };
    let share = |name: &str, values: &[f64]| Measured::share_over_seeds(name, values);
    vec![
        share("simple_n3", of(BY_SIMPLE, 3)),
        share("simple_n9", of(BY_SIMPLE, 9)),
        share("class_based", &most_of(&late[BY_CLASS])),
        share("none", &most_of(&late[WITHOUT])),
        share("bsd_full_n3", of(FULL, 3)),
        share("bsd_full_n9", of(FULL, 9)),
    ]
}

fn settings(scheme: &Scheme, source: &str, connections: u64) -> Sets {
    scheme.with([
        ("tcp", format!("{{ preset = \"{source}\" }}")),
        ("flows.data.count", connections.to_string()),
    ])
}

/// Share of video packets that came later than the deadline, or not at all.
pub fn late_share(run: &EthernetRun) -> f64 {
    let (late, due) = run.flows("video").fold((0, 0), |sum, flow| {
        (sum.0 + flow.ends.late, sum.1 + flow.ends.due)
    });
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

fn plot(id: &str, source: &str, found: &[Seeds], seeds: u64) -> Plot {
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
        note: format!("All packets of {seeds} seeds; n data connections."),
        marks: vec![
            Mark {
                direction: Direction::Vertical,
                at: 100.0,
                label: "limit".into(),
            },
            level(0.05, "paper: more with n = 3"),
            level(0.5, "paper: n = 9"),
        ],
    }
}

fn late_table(late: &[Vec<Vec<f64>>]) -> Table {
    let mut columns = vec![column("connections", "", "of data, from S1 to D")];
    columns.extend(COLUMNS.map(|(scheme, source, _)| {
        let meaning = "share of packets later than 100 ms: mean [min, max] over seeds";
        column(&format!("{}, {source}", scheme.name), "", meaning)
    }));
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        row.extend(late.iter().map(|rows| cell(&rows[at], 3)));
        row
    };
    Table {
        name: "fig13-late".into(),
        caption: format!(
            "Share of video packets later than 100 ms in 50 s; {SEEDS} seeds, {SEEDS_CONTRAST} \
             with `bsd-full` and by destination."
        ),
        columns,
        rows: CONNECTIONS.iter().enumerate().map(row).collect(),
    }
}

fn rates_table(found: &[Vec<Seeds>]) -> Table {
    let row = |(at, n): (usize, &u64)| {
        let mut row = vec![(*n).into()];
        for rows in [WITHOUT, BY_SIMPLE, BY_CLASS].map(|column| &found[column]) {
            row.extend(["data", "video"].map(|flow| cell(&rows[at].mbps(flow), 2)));
        }
        row
    };
    let meaning = "payload that D got: mean [min, max] over seeds";
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

/// Schemes and XON thresholds (per cent; XOFF is 80) of section 3.3.
const MARGINS: [(Scheme, u64); 5] = [
    (NONE, 70),
    (SIMPLE, 70),
    (SIMPLE, 40),
    (SIMPLE, 10),
    (CLASS, 70),
];
/// So many of them are judged, the others take fewer seeds.
const JUDGED: usize = 2;
const DATA: [u64; 2] = [3, 9];

pub fn section_33(lab: &Lab) -> Result<Evidence, LabError> {
    let mut found = Vec::new();
    for (at, (scheme, low)) in MARGINS.iter().enumerate() {
        let settings = DATA.map(|n| one_link(scheme, *low, n));
        let seeds = if at < JUDGED { SEEDS } else { SEEDS_CONTRAST };
        found.extend(each(lab, ONE_LINK, &settings, seeds)?);
    }
    let measured = one_link_measured(&found);
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

/// From settings without control, then simple, each with 3 and 9 connections.
fn one_link_measured(found: &[Seeds]) -> Vec<Measured> {
    let (none, simple) = (&found[..DATA.len()], &found[DATA.len()..2 * DATA.len()]);
    let late: Vec<Vec<f64>> = simple.iter().map(|at| at.each(late_share)).collect();
    let rate = |name: &str, values: &[f64]| Measured::rate_over_seeds(name, values);
    vec![
        Measured::share_over_seeds("late_simple", &most_of(&late)).within(0.0, 0.001),
        rate("mean_delay_ms_none_n9", &none[1].each(mean_ms)),
        rate("mean_delay_ms_simple_n9", &simple[1].each(mean_ms)).within(0.0, 10.0),
        rate("p99_delay_ms_simple_n9", &simple[1].each(p99_ms)).within(0.0, 50.0),
    ]
}

fn one_link(scheme: &Scheme, low: u64, connections: u64) -> Sets {
    let mut sets = scheme.with([("flows.data.count", connections.to_string())]);
    if low != 70 {
        sets.push(("flow_control.xon".into(), format!("\"{low} %\"")));
    }
    sets
}

fn mean_ms(run: &EthernetRun) -> f64 {
    run.flows("video").map(|flow| flow.delay.mean).sum::<f64>() / PS_PER_MS
}

fn p99_ms(run: &EthernetRun) -> f64 {
    let mut flows = run.flows("video");
    let video = flows
        .next()
        .map(|flow| flow.delay.histogram.percentile(99.0));
    video.unwrap_or(0) as f64 / PS_PER_MS
}

fn most_ms(run: &EthernetRun) -> f64 {
    let most = run.flows("video").map(|flow| flow.delay.max).max();
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
    let over = "mean [min, max] over seeds";
    Table {
        name: "sec33".into(),
        caption: format!(
            "Delay of video that shares its incoming link with data; {SEEDS} seeds without control \
             and with the paper's margin, else {SEEDS_CONTRAST}."
        ),
        columns: vec![
            words("back-pressure", "the scheme"),
            column("margin", "% of the buffer", "80 % minus the XON threshold"),
            column("connections", "", "of data"),
            column("mean delay", "ms", over),
            column("99th percentile", "ms", over),
            column("largest", "ms", over),
            column("late", "", "share of packets later than 100 ms"),
        ],
        rows: settings.zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::runs::made;
    use super::*;

    #[test]
    fn late_packets_are_a_share_of_those_that_were_due() {
        let run = made::run(VIDEO, |name, flow| {
            (flow.ends.late, flow.ends.due) = if name == "video" { (30, 80) } else { (5, 10) };
        });
        assert_eq!(late_share(&run), 0.375);
        let idle = made::run(VIDEO, |_, flow| (flow.ends.late, flow.ends.due) = (0, 0));
        assert_eq!(late_share(&idle), 0.0);
    }

    #[test]
    fn columns_and_numbers_of_connections_are_kept_apart() {
        // The value says where it is from; the second seed is larger by a tenth.
        let one = |column: usize, n: u64| {
            let value = (10 * column as u64 + n) as f64 / 1000.0;
            vec![value, 1.1 * value]
        };
        let rows = |column: usize| CONNECTIONS.map(|n| one(column, n)).to_vec();
        let mut late: Vec<Vec<Vec<f64>>> = (0..COLUMNS.len()).map(rows).collect();
        // Largest in one seed at 2 connections, in the other at 9.
        late[BY_CLASS][1] = vec![0.2, 0.0];
        let found = measured(&late);
        let expected = [13.0, 19.0, 200.0, 9.0, 23.0, 29.0];
        for (at, (one, expected)) in found.iter().zip(expected).enumerate() {
            let factor = if at == 2 {
                (0.2 + 1.1 * 0.039) / 0.4
            } else {
                1.05
            };
            assert!(
                (one.value * 1000.0 - expected * factor).abs() < 1e-9,
                "{one:?}"
            );
        }
        assert_eq!(COLUMNS[BY_CLASS].0.name, "class");
        assert_eq!(COLUMNS[FULL].1, "bsd-full");
    }

    #[test]
    fn delays_are_those_of_the_video_under_simple_control() {
        let of = |ms: f64| {
            let run = made::run(ONE_LINK, |name, flow| {
                flow.delay.mean = if name == "video" { ms * 1e9 } else { 9e9 };
                flow.delay.histogram = Histogram::new();
                flow.delay.histogram.record((2.0 * ms * 1e9) as u64);
                (flow.ends.late, flow.ends.due) = (ms as u64, 1000);
            });
            Seeds(vec![run])
        };
        let found = one_link_measured(&[of(1.0), of(2.0), of(8.0), of(4.0), of(20.0)]);
        let values: Vec<f64> = found.iter().map(|one| one.value).collect();
        assert_eq!(values[..3], [0.008, 2.0, 4.0]);
        assert!((values[3] / 8.0 - 1.0).abs() < 0.02, "{values:?}");
    }

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
