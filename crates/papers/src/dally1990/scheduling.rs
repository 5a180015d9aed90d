//! Figure 10: what the order in which packets get a channel does to latency.

use flit::outcome::CyclesOutcome;
use results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::point::{Point, Sets, cell, estimate, points, ratios};
use super::{FIG10, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// The two ways to arbitrate, random first.
const ARBITERS: [&str; 2] = ["\"random\"", "\"earliest\""];
/// The figure ends here, in cycles.
const DRAWN: u32 = 128;
/// Flits of a packet: what waiting for one costs.
const PACKET: u64 = 20;

/// A way to read what the paper leaves open.
struct Reading {
    what: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const READINGS: [Reading; 10] = [
    Reading {
        what: "as drawn: 6 stages, 8 lanes",
        sets: &[],
    },
    Reading {
        what: "header delay 1",
        sets: &[("router.header_delay", "\"1 cycles\"")],
    },
    Reading {
        what: "header delay 2",
        sets: &[("router.header_delay", "\"2 cycles\"")],
    },
    Reading {
        what: "header delay 3",
        sets: &[("router.header_delay", "\"3 cycles\"")],
    },
    Reading {
        what: "4 lanes",
        sets: &[("router.lanes", "4")],
    },
    Reading {
        what: "4 lanes, header delay 2",
        sets: &[
            ("router.lanes", "4"),
            ("router.header_delay", "\"2 cycles\""),
        ],
    },
    Reading {
        what: "16 lanes",
        sets: &[("router.lanes", "16")],
    },
    Reading {
        what: "a source for each lane",
        sets: &[("traffic.sources", "\"per-lane\"")],
    },
    Reading {
        what: "lanes, too, to the oldest or at random",
        sets: &[],
    },
    Reading {
        what: "3 stages, 2 lanes",
        sets: &[("topology.n", "3"), ("router.lanes", "2")],
    },
];
/// The reading in which lanes follow the same order as channels.
const LANES_TOO: usize = 8;
/// The reading with the printed minimum of 23 cycles.
const THREE_STAGES: usize = 9;

const WORDS: &str = "The paper prints means of 74.4 and 71.8 cycles, a minimum of 23 cycles with \
    over a quarter of the packets, and peaks of 4619, 949, 277 and 93 packets at 23, 43, 63 and \
    83 cycles. A packet of 20 flits crosses 6 stages in 26 cycles at the least, 3 stages in 23. \
    No reading gives both. The figure is drawn with the one nearest to the means; 3 stages with 2 \
    lanes have the printed minimum, share and first peaks.";

pub fn figure_10(lab: &Lab) -> Result<Evidence, LabError> {
    let drawn = points(lab, FIG10, &ARBITERS.map(|arbiter| setting(&[], arbiter)))?;
    let mut settings = Vec::new();
    for (index, reading) in READINGS.iter().enumerate().skip(1) {
        for arbiter in ARBITERS {
            let (mut sets, seeds) = setting(reading.sets, arbiter);
            sets.push(("run.measure", "\"12000 cycles\"".into()));
            if index == LANES_TOO {
                sets.push(("router.lane_arbiter", arbiter.into()));
            }
            settings.push((sets, seeds));
        }
    }
    let others = points(lab, FIG10, &settings)?;
    let pairs: Vec<[&Point; 2]> = std::iter::once(&drawn[..])
        .chain(others.chunks(ARBITERS.len()))
        .map(|pair| [&pair[0], &pair[1]])
        .collect();
    let finding = |claim, measured| Finding {
        claim,
        scenario: FIG10,
        measured,
    };
    Ok(Evidence {
        findings: vec![
            finding("dally1990.fig10.mean-latency", means(pairs[0])),
            finding(
                "dally1990.fig10.minimum-latency-share",
                shares(pairs[0], pairs[THREE_STAGES]),
            ),
            finding("dally1990.fig10.peaks", peaks(pairs[0])),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(
                "fig10",
                "Figure 10: latency in a 2-ary 6-fly",
                pairs[0],
            )),
            Block::Plot(plot(
                "fig10-three-stages",
                "The same in a 2-ary 3-fly with 2 lanes",
                pairs[THREE_STAGES],
            )),
            Block::Table(table(&pairs)),
        ],
    })
}

fn setting(own: &[(&'static str, &str)], arbiter: &str) -> (Sets, u64) {
    let own = own.iter().map(|(key, value)| (*key, (*value).to_owned()));
    let mut sets: Sets = own.collect();
    sets.push(("router.arbiter", arbiter.into()));
    (sets, SEEDS)
}

fn means([random, deadline]: [&Point; 2]) -> Vec<Measured> {
    let (random, deadline) = (random.latencies(), deadline.latencies());
    vec![
        Measured::over_seeds("random", &random),
        Measured::over_seeds("deadline", &deadline),
        Measured::over_seeds("ratio", &ratios(&deadline, &random)),
    ]
}

/// Share of packets with the smallest latency, by seed.
fn share_at_minimum(point: &Point) -> Vec<f64> {
    point.each(|run| {
        let latency = &run.outcome.latency;
        let first = latency.histogram.first();
        first.map_or(0.0, |(_, packets)| *packets as f64) / latency.count as f64
    })
}

fn smallest(point: &Point) -> f64 {
    let smallest = point.runs.iter().map(|run| run.outcome.latency.min);
    smallest.min().unwrap_or(0) as f64
}

fn shares([random, deadline]: [&Point; 2], three_stages: [&Point; 2]) -> Vec<Measured> {
    let (in_random, in_deadline) = (share_at_minimum(random), share_at_minimum(deadline));
    let ratio = ratios(&in_deadline, &in_random);
    let in_three = share_at_minimum(three_stages[1]);
    vec![
        Measured::over_seeds("deadline", &in_deadline).within(0.002, 0.02),
        Measured::over_seeds("random", &in_random),
        Measured::over_seeds("deadline_over_random", &ratio).at_least(1.5),
        Measured::new("minimum", smallest(deadline)).within(26.0, 26.0),
        Measured::over_seeds("three_stages_deadline", &in_three).within(0.2, 0.3),
        Measured::new("three_stages_minimum", smallest(three_stages[1])).within(23.0, 23.0),
    ]
}

/// What stands out of the histogram, whole packet times above the minimum.
fn peaks([random, deadline]: [&Point; 2]) -> Vec<Measured> {
    let deviation = |point: &Point| point.each(|run| run.outcome.latency.deviation);
    let falls = ratios(&deviation(deadline), &deviation(random));
    let mut measured = vec![
        Measured::over_seeds("deviation_deadline_over_random", &falls).within(0.0, 0.95),
        Measured::over_seeds("deviation_random", &deviation(random)),
        Measured::over_seeds("deviation_deadline", &deviation(deadline)),
    ];
    for packets in 1..=3 {
        let cycles = packets * PACKET;
        let height = |point: &Point| {
            let bins = pooled(point);
            height_over(&bins, smallest(point) as u64 + cycles)
        };
        let (in_deadline, in_random) = (height(deadline), height(random));
        let one = |name: &str, value| Measured::new(&format!("{name}_{cycles}"), value);
        let at = one("deadline_peak_at_minimum_plus", in_deadline);
        // The claim speaks of the first two.
        measured.push(if packets < 3 { at.at_least(1.0) } else { at });
        measured.push(one("random_peak_at_minimum_plus", in_random));
        if packets < 3 {
            let sharper = in_deadline / in_random;
            measured.push(one("sharper_at", sharper).at_least(1.0));
        }
    }
    measured
}

/// Packets of all seeds by latency, the index.
fn pooled(point: &Point) -> Vec<u64> {
    pool(point.runs.iter().map(|run| &run.outcome.latency))
}

fn pool<'a>(seeds: impl Iterator<Item = &'a CyclesOutcome>) -> Vec<u64> {
    let mut bins = Vec::new();
    for (cycles, packets) in seeds.flat_map(|seed| &seed.histogram) {
        let index = *cycles as usize;
        if bins.len() <= index {
            bins.resize(index + 1, 0);
        }
        bins[index] += packets;
    }
    bins
}

/// The bin at `at` over the higher of the two beside it: above 1 at a local maximum alone.
fn height_over(bins: &[u64], at: u64) -> f64 {
    let bin = |index: u64| bins.get(index as usize).copied().unwrap_or(0) as f64;
    bin(at) / bin(at - 1).max(bin(at + 1))
}

fn plot(id: &str, title: &str, pair: [&Point; 2]) -> Plot {
    let curves = ["random", "oldest first"]
        .iter()
        .zip(pair)
        .map(|(name, point)| {
            let bins = pooled(point);
            let all: u64 = point.runs.iter().map(|run| run.outcome.latency.count).sum();
            let share = |cycles: u32| {
                let packets = bins.get(cycles as usize).copied().unwrap_or(0);
                1000.0 * packets as f64 / all as f64
            };
            let y = (0..=DRAWN).map(share).collect();
            let x = (0..=DRAWN).map(f64::from).collect();
            Curve::new(*name, Style::Line, x, y)
        });
    Plot {
        id: id.into(),
        title: title.into(),
        x: Axis {
            min: Some(0.0),
            max: Some(DRAWN.into()),
            ..Axis::new("latency", "cycles")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("packets", "of 1000")
        },
        curves: curves.collect(),
        note: format!("Half of the capacity offered. Cut at {DRAWN} cycles, as in the paper."),
        ..Plot::default()
    }
}

fn table(pairs: &[[&Point; 2]]) -> Table {
    let row = |(reading, pair): (&Reading, &[&Point; 2])| {
        let [random, deadline] = pair.map(Point::latencies);
        let peak = |cycles: u64| {
            let at = smallest(pair[1]) as u64 + cycles;
            Cell::float(height_over(&pooled(pair[1]), at), 2)
        };
        vec![
            Cell::from(reading.what),
            cell(&random, 1),
            cell(&deadline, 1),
            Cell::float(estimate(&ratios(&deadline, &random)).mean, 3),
            Cell::float(smallest(pair[1]), 0),
            cell(&share_at_minimum(pair[0]), 4),
            cell(&share_at_minimum(pair[1]), 4),
            peak(PACKET),
            peak(2 * PACKET),
        ]
    };
    let printed = ["printed", "74.4", "71.8", "0.965", "23", "", "over 0.25"];
    let mut rows = vec![printed.map(Cell::from).to_vec()];
    rows.extend(READINGS.iter().zip(pairs).map(row));
    Table {
        name: "fig10-readings".into(),
        caption: format!(
            "Half of the capacity, random against oldest first, {SEEDS} seeds. No row has both \
             the printed means and the printed minimum."
        ),
        columns: vec![
            words("reading", "what differs from the first"),
            column("random", "cycles", "mean latency"),
            column("oldest first", "cycles", "mean latency"),
            column("ratio", "", "oldest first over random"),
            column("minimum", "cycles", "smallest latency with oldest first"),
            column(
                "random at it",
                "",
                "share of the packets with the minimum, random",
            ),
            column(
                "oldest at it",
                "",
                "share of the packets with the minimum, oldest first",
            ),
            column(
                "peak +20",
                "",
                "packets at the minimum + 20 over those one cycle beside it",
            ),
            column("peak +40", "", "the same at the minimum + 40"),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_what_stands_out() {
        let mut bins = vec![100; 60];
        assert_eq!(height_over(&bins, 30), 1.0);
        bins[30] = 150;
        assert_eq!(height_over(&bins, 30), 1.5);
        assert!(height_over(&bins, 31) < 0.9, "beside a peak is none");
        let slope: Vec<u64> = (0..60).collect();
        assert!(height_over(&slope, 30) < 1.0, "a slope has none");
    }

    #[test]
    fn seeds_are_added_bin_by_bin() {
        let seed = |histogram: &[(u32, u64)]| CyclesOutcome {
            histogram: histogram.to_vec(),
            ..CyclesOutcome::default()
        };
        let seeds = [seed(&[(1, 5), (3, 1)]), seed(&[(3, 4), (4, 2)])];
        assert_eq!(pool(seeds.iter()), [0, 5, 0, 5, 2]);
    }
}
