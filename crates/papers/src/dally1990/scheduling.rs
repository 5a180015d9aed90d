//! Figure 10: what the order in which packets get a channel does to latency.

use backwater_flit::outcome::CyclesOutcome;
use backwater_results::{Axis, Block, Cell, Curve, Direction, Mark, Plot, Style, Table};

use super::point::{Point, Sets, cell, cycles, points, ratios};
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
/// A peak stands so much above both bins beside it.
const PEAK: f64 = 1.05;
/// Cycles measured in readings that are not judged.
const SHORT: u32 = 12_000;

/// Printed latencies of the peaks, in cycles, and packets there.
const PRINTED: [(u32, u32); 4] = [(23, 4619), (43, 949), (63, 277), (83, 93)];
/// Printed means, oldest first and random.
const PRINTED_MEANS: [f64; 2] = [71.8, 74.4];

/// A way to read what the paper leaves open.
struct Reading {
    what: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

const fn reading(what: &'static str, sets: &'static [(&'static str, &'static str)]) -> Reading {
    Reading { what, sets }
}

const NONE: (&str, &str) = ("router.header_delay", "\"0 cycles\"");

const READINGS: [Reading; 11] = [
    reading("as in the figure: 6 stages, 4 VCs, header delay 2", &[]),
    reading("header delay 0", &[NONE]),
    reading("header delay 1", &[("router.header_delay", "\"1 cycles\"")]),
    reading("header delay 3", &[("router.header_delay", "\"3 cycles\"")]),
    reading("header delay 4", &[("router.header_delay", "\"4 cycles\"")]),
    reading("8 VCs", &[("router.vcs", "8")]),
    reading("16 VCs", &[("router.vcs", "16")]),
    reading("8 VCs, header delay 0", &[("router.vcs", "8"), NONE]),
    reading("one source per VC", &[("traffic.sources", "\"per-vc\"")]),
    reading("VCs also allocated to the oldest or at random", &[]),
    reading(
        "3 stages, 2 VCs, header delay 0",
        &[("topology.n", "3"), ("router.vcs", "2"), NONE],
    ),
];
/// The reading in which the smallest latency of six stages is least.
const NO_DELAY: usize = 1;
/// The reading in which VCs follow the same order as channels.
const VCS_TOO: usize = 9;
/// The reading with the printed minimum of 23 cycles.
const THREE_STAGES: usize = 10;

const WORDS: &str = "The paper prints means of 74.4 and 71.8 cycles, a minimum of 23 cycles \
    with over a quarter of the packets, and peaks of 4619, 949, 277 and 93 packets at 23, 43, \
    63 and 83 cycles. A packet of 20 flits crosses 6 stages in at least 26 cycles, in 38 if its \
    header takes 2 more cycles at each; it crosses 3 stages in 23. No reading gives both. The \
    figure uses the router of Figures 8 and 9 and 4 VCs; 3 stages with 2 VCs have the \
    printed minimum, share and first peaks.";

pub fn figure_10(lab: &Lab) -> Result<Evidence, LabError> {
    let drawn = ARBITERS.map(|arbiter| setting(&READINGS[0], arbiter));
    let drawn = points(lab, FIG10, &drawn, SEEDS)?;
    let mut settings = Vec::new();
    for (index, reading) in READINGS.iter().enumerate().skip(1) {
        for arbiter in ARBITERS {
            let mut sets = setting(reading, arbiter);
            sets.push(("run.measure", cycles(SHORT)));
            if index == VCS_TOO {
                sets.push(("router.vc_arbiter", arbiter.into()));
            }
            settings.push(sets);
        }
    }
    let others = points(lab, FIG10, &settings, SEEDS)?;
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
                shares(pairs[0], pairs[NO_DELAY][1], pairs[THREE_STAGES][1]),
            ),
            finding("dally1990.fig10.peaks", peaks(pairs[0])),
        ],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(pairs[0])),
            Block::Plot(three_stages_plot(pairs[THREE_STAGES])),
            Block::Table(table(&pairs)),
        ],
    })
}

fn setting(reading: &Reading, arbiter: &str) -> Sets {
    let own = reading.sets.iter();
    let mut sets: Sets = own.map(|(key, value)| (*key, (*value).into())).collect();
    sets.push(("router.arbiter", arbiter.into()));
    sets
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
    point.each(|outcome| {
        let latency = &outcome.latency;
        let first = latency.histogram.exact().next();
        first.map_or(0.0, |(_, packets)| packets as f64) / latency.count as f64
    })
}

fn smallest(point: &Point) -> u64 {
    let smallest = point.outcomes.iter().map(|outcome| outcome.latency.min);
    smallest.min().unwrap_or(0)
}

fn shares(
    [random, deadline]: [&Point; 2],
    no_delay: &Point,
    three_stages: &Point,
) -> Vec<Measured> {
    let (in_random, in_deadline) = (share_at_minimum(random), share_at_minimum(deadline));
    let ratio = ratios(&in_deadline, &in_random);
    let share = |name: &str, values: &[f64]| Measured::share_over_seeds(name, values);
    let minimum = |name: &str, point: &Point, cycles: f64| {
        Measured::new(name, smallest(point) as f64).within(cycles, cycles)
    };
    vec![
        share("deadline", &in_deadline),
        share("random", &in_random),
        Measured::rate_over_seeds("deadline_over_random", &ratio).at_least(1.0),
        low_end("deadline_over_random_low", &ratio).at_least(1.0),
        minimum("minimum", deadline, 38.0),
        minimum("no_header_delay_minimum", no_delay, 26.0),
        share("no_header_delay_deadline", &share_at_minimum(no_delay)).at_most(0.04),
        minimum("three_stages_minimum", three_stages, 23.0),
        share("three_stages_deadline", &share_at_minimum(three_stages)).within(0.2, 0.3),
    ]
}

/// The low end of the interval over seeds: what a mean that is not chance has to stay above.
fn low_end(name: &str, values: &[f64]) -> Measured {
    let over = Measured::over_seeds(name, values);
    Measured {
        value: over.interval.map_or(f64::NAN, |interval| interval.low),
        interval: None,
        ..over
    }
}

/// What stands out of the histogram, whole packet times above the minimum.
fn peaks([random, deadline]: [&Point; 2]) -> Vec<Measured> {
    let deviation = |point: &Point| point.each(|outcome| outcome.latency.deviation);
    let falls = ratios(&deviation(deadline), &deviation(random));
    let rate = |name: &str, values: &[f64]| Measured::rate_over_seeds(name, values);
    let mut measured = vec![
        rate("deviation_deadline_over_random", &falls).within(0.0, 0.95),
        rate("deviation_random", &deviation(random)),
        rate("deviation_deadline", &deviation(deadline)),
    ];
    for packets in 1..=3 {
        let after = packets * PACKET;
        let (in_deadline, in_random) = (heights(deadline, after), heights(random, after));
        let name = |name: &str| format!("{name}_{after}");
        let at = rate(&name("deadline_peak_at_minimum_plus"), &in_deadline);
        let beside = rate(&name("random_peak_at_minimum_plus"), &in_random);
        // The claim speaks of the first two.
        if packets < 3 {
            let low = low_end(&name("deadline_peak_low_at"), &in_deadline);
            let sharper = rate(&name("sharper_at"), &ratios(&in_deadline, &in_random));
            measured.push(at.at_least(PEAK));
            measured.push(low.at_least(1.0));
            measured.push(beside);
            measured.push(sharper.at_least(1.0));
        } else {
            measured.extend([at, beside]);
        }
    }
    measured
}

/// By seed, how high the histogram stands so many cycles after its minimum, over the higher of
/// the two bins beside it.
fn heights(point: &Point, after: u64) -> Vec<f64> {
    point.each(|outcome| {
        let bins = pool([&outcome.latency].into_iter());
        height_over(&bins, outcome.latency.min + after)
    })
}

/// Packets of all seeds by latency, the index.
fn pooled(point: &Point) -> Vec<u64> {
    pool(point.outcomes.iter().map(|outcome| &outcome.latency))
}

fn pool<'a>(seeds: impl Iterator<Item = &'a CyclesOutcome>) -> Vec<u64> {
    let mut bins = Vec::new();
    for (cycles, packets) in seeds.flat_map(|seed| seed.histogram.exact()) {
        let index = cycles as usize;
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

/// Both histograms, in packets of 1000.
fn histograms(pair: [&Point; 2]) -> Vec<Curve> {
    let curves = ["random", "oldest first"]
        .iter()
        .zip(pair)
        .map(|(name, point)| {
            let bins = pooled(point);
            let all = point.outcomes.iter().map(|outcome| outcome.latency.count);
            let all: u64 = all.sum();
            let share = |cycles: u32| {
                let packets = bins.get(cycles as usize).copied().unwrap_or(0);
                1000.0 * packets as f64 / all as f64
            };
            let y = (0..=DRAWN).map(share).collect();
            let x = (0..=DRAWN).map(f64::from).collect();
            Curve::new(*name, Style::Line, x, y)
        });
    curves.collect()
}

fn axes() -> (Axis, Axis) {
    let x = Axis {
        min: Some(0.0),
        max: Some(DRAWN.into()),
        ..Axis::new("latency", "cycles")
    };
    let y = Axis {
        min: Some(0.0),
        ..Axis::new("packets", "of 1000")
    };
    (x, y)
}

fn vertical(at: f64, label: String) -> Mark {
    Mark {
        direction: Direction::Vertical,
        at,
        label,
    }
}

fn plot(pair: [&Point; 2]) -> Plot {
    let (x, y) = axes();
    let peaks = PRINTED.iter();
    let peaks = peaks.map(|(at, packets)| vertical((*at).into(), packets.to_string()));
    let mut curves = histograms(pair);
    curves.push(Curve::new(
        "paper: means",
        Style::Points,
        PRINTED_MEANS.to_vec(),
        vec![0.0; PRINTED_MEANS.len()],
    ));
    Plot {
        id: "fig10".into(),
        title: "Figure 10: latency in a 2-ary 6-fly".into(),
        x,
        y,
        curves,
        note: format!(
            "Half of the capacity offered. Cut at {DRAWN} cycles, as in the paper. Dotted: where \
             it has its peaks, and the packets there."
        ),
        marks: peaks.collect(),
    }
}

fn three_stages_plot(pair: [&Point; 2]) -> Plot {
    let (x, y) = axes();
    let mut curves = histograms(pair);
    // The paper prints packets, not how many there are: "over one quarter" of them is 4619.
    let per_packet = 250.0 / f64::from(PRINTED[0].1);
    let (at, packets): (Vec<u32>, Vec<u32>) = PRINTED.into_iter().unzip();
    let printed = packets
        .iter()
        .map(|packets| f64::from(*packets) * per_packet);
    curves.push(Curve {
        dashed: true,
        ..Curve::new(
            "paper, 4619 packets taken as a quarter",
            Style::Points,
            at.into_iter().map(f64::from).collect(),
            printed.collect(),
        )
    });
    Plot {
        id: "fig10-three-stages".into(),
        title: "The same in a 2-ary 3-fly with 2 VCs, without header delay".into(),
        x,
        y,
        curves,
        ..Plot::default()
    }
}

fn table(pairs: &[[&Point; 2]]) -> Table {
    let row = |(reading, pair): (&Reading, &[&Point; 2])| {
        let [random, deadline] = pair.map(Point::latencies);
        let peak = |packets: u64| cell(&heights(pair[1], packets * PACKET), 2);
        vec![
            Cell::from(reading.what),
            cell(&random, 1),
            cell(&deadline, 1),
            cell(&ratios(&deadline, &random), 3),
            Cell::float(smallest(pair[1]) as f64, 0),
            cell(&share_at_minimum(pair[0]), 4),
            cell(&share_at_minimum(pair[1]), 4),
            peak(1),
            peak(2),
            peak(3),
        ]
    };
    let printed = [
        "printed",
        "74.4",
        "71.8",
        "0.965",
        "23",
        "",
        "over 0.25",
        "",
        "",
        "",
    ];
    let mut rows = vec![printed.map(Cell::from).to_vec()];
    rows.extend(READINGS.iter().zip(pairs).map(row));
    Table {
        name: "fig10-readings".into(),
        caption: format!(
            "Half of the capacity, random against oldest first, {SEEDS} seeds; {SHORT} cycles \
             except for the first reading. No row has both the printed means and the printed \
             minimum."
        ),
        columns: vec![
            words("reading", "what differs from the first"),
            column("random", "cycles", "mean latency"),
            column("oldest first", "cycles", "mean latency"),
            column("ratio", "", "oldest first over random"),
            column("minimum", "cycles", "smallest latency with oldest first"),
            column(
                "random, share at minimum",
                "",
                "share of the packets with the minimum, random",
            ),
            column(
                "oldest first, share at minimum",
                "",
                "share of the packets with the minimum, oldest first",
            ),
            column(
                "peak +20",
                "",
                "packets at the minimum + 20 over those one cycle before and after",
            ),
            column("peak +40", "", "the same at the minimum + 40"),
            column("peak +60", "", "the same at the minimum + 60"),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests;
