//! Section 3.1.3: with back-pressure the threshold margin sets the shares.

use backwater_results::{Block, Cell, Table};

use super::runs::{SIMPLE, Seeds, Sets, each, finding, mean};
use super::{INPUTS, SEEDS, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::column;
use crate::estimate::{cell, ratios};
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

/// Segments in bytes, and margins in tenths of a per cent of 70 kB.
const SEGMENTS: [u64; 3] = [536, 1_024, 1_460];
const MARGINS: [u64; 5] = [25, 50, 75, 100, 125];
/// Segment and margin of what is judged, and of what is shown beside it.
const JUDGED: [(u64, u64); 3] = [(1_024, 100), (1_024, 50), (1_460, 100)];
/// What is not judged runs for half the time.
const SHORTER: (&str, &str) = ("run.duration", "30 s");
/// Segment and margin, and the ratio by seed.
type Found = ((u64, u64), Vec<f64>);
const LIMIT_BYTES: f64 = 70_000.0;
const HEADERS: f64 = 58.0;
/// S1's link is so much faster than S2's.
const SPEEDS: f64 = 10.0;

const WORDS: &str = "When a stop ends, S1 fills the margin between the thresholds at ten times \
    the speed of S2, which sends one frame meanwhile; then both are stopped again. So the ratio \
    is a number of frames per cycle: an integer close to x + 1.3 to x + 2.6, where x is the \
    margin in frames. With segments of 1024 bytes it is about 8 at the paper's margin of 10 %, \
    with 1460 bytes about 6: 8:1 indicates segments near 1 KB. Where x + 1.3 exceeds 10, the \
    ratio of speeds, S2 sends a second frame per cycle and the ratio falls: a larger margin \
    does not always raise S1's share.";

pub fn section_313(lab: &Lab) -> Result<Evidence, LabError> {
    let (judged, others): (Vec<_>, Vec<_>) = all().partition(|one| JUDGED.contains(one));
    let judged = ratios_of(lab, &judged, &[], SEEDS)?;
    let others = ratios_of(lab, &others, &[SHORTER], SEEDS_CONTRAST)?;
    let mut found: Vec<Found> = judged.into_iter().chain(others).collect();
    found.sort_by_key(|((mss, margin), _)| (*mss, *margin));
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig6.ratio-eight",
            INPUTS,
            measured(&found),
        )],
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&found))],
    })
}

/// Every segment with every margin.
fn all() -> impl Iterator<Item = (u64, u64)> {
    let segments = SEGMENTS.iter();
    segments.flat_map(|mss| MARGINS.map(|margin| (*mss, margin)))
}

fn ratios_of(
    lab: &Lab,
    pairs: &[(u64, u64)],
    more: &[(&str, &str)],
    seeds: u64,
) -> Result<Vec<Found>, LabError> {
    let sets = |(mss, margin): &(u64, u64)| {
        let mut sets = settings(*mss, *margin);
        sets.extend(
            more.iter()
                .map(|(key, value)| ((*key).into(), (*value).into())),
        );
        sets
    };
    let all: Vec<Sets> = pairs.iter().map(sets).collect();
    let found = each(lab, INPUTS, &all, seeds)?;
    Ok(pairs.iter().copied().zip(found.iter().map(ratio)).collect())
}

fn measured(found: &[Found]) -> Vec<Measured> {
    let names = [
        "ratio_10_percent_margin",
        "ratio_5_percent_margin",
        "ratio_mss_1460",
    ];
    let measured = names.iter().zip(JUDGED).map(|(name, wanted)| {
        let at = found.iter().find(|(setting, _)| *setting == wanted);
        Measured::over_seeds(name, &at.expect("a setting that ran").1)
    });
    measured.collect()
}

fn settings(mss: u64, margin: u64) -> Sets {
    let low = 800 - margin;
    SIMPLE.with([
        ("tcp", format!("{{ preset = \"bsd\", mss = \"{mss} B\" }}")),
        (
            "flow_control.xon",
            format!("\"{}.{} %\"", low / 10, low % 10),
        ),
    ])
}

fn ratio(at: &Seeds) -> Vec<f64> {
    ratios(&at.mbps("S1"), &at.mbps("S2"))
}

/// The margin in frames of a segment of `mss` bytes.
fn frames(mss: u64, margin: u64) -> f64 {
    margin as f64 / 1000.0 * LIMIT_BYTES / (mss as f64 + HEADERS)
}

fn table(found: &[Found]) -> Table {
    let row = |((mss, margin), measured): &Found| {
        let (mss, margin) = (*mss, *margin);
        let x = frames(mss, margin);
        let rule = if x + 1.3 > SPEEDS {
            Cell::from("S2 sends two per cycle")
        } else {
            format!("{:.1} to {:.1}", x + 1.3, x + 2.6).into()
        };
        vec![
            mss.into(),
            Cell::float(margin as f64 / 10.0, 1),
            Cell::float(x, 2),
            rule,
            cell(measured, 2),
            Cell::float(mean(measured).round(), 0),
        ]
    };
    Table {
        name: "margins".into(),
        caption: format!(
            "Ratio of S1's throughput to S2's, 10 connections, files of 500 kB; mean and 95 % \
             interval over {SEEDS_CONTRAST} seeds of 30 s; over {SEEDS} of 60 s with 1024 bytes \
             at 5 % and 10 %, and with 1460 at 10 %."
        ),
        columns: vec![
            column("segment", "bytes", "payload of a full segment"),
            column(
                "margin",
                "% of 70 kB",
                "XOFF threshold (80 %) minus the low one",
            ),
            column("x", "frames", "the margin in frames"),
            column("rule", "", "x + 1.3 to x + 2.6, up to the ratio of speeds"),
            column("ratio", "", "measured"),
            column("integer", "", "next to it"),
        ],
        rows: found.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_of_the_paper_holds_six_and_a_half_frames() {
        assert!((frames(1_024, 100) - 6.47).abs() < 0.01);
    }

    #[test]
    fn the_judged_settings_are_found_by_segment_and_margin() {
        let value = |(mss, margin): (u64, u64)| mss as f64 + margin as f64 / 1000.0;
        let found: Vec<Found> = all().map(|one| (one, vec![value(one); 2])).collect();
        assert_eq!(found.len(), 15);
        let values: Vec<f64> = measured(&found).iter().map(|one| one.value).collect();
        assert_eq!(values, [1_024.1, 1_024.05, 1_460.1]);
    }
}
