//! Reference [13]: ERICA comes to the max-min fair allocation at its target.

use std::sync::atomic::Ordering;

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::LOT;
use super::lots::Lot;
use super::policies::run;
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const LOTS: u64 = 60;
const TARGET: f64 = 0.9;
/// Load factors up to 1 + delta count as no overload.
const DELTAS: [&str; 2] = ["0.0", "0.1"];

/// Draws a network by its number; what tables call it.
type Draw = fn(u64) -> Lot;
const KINDS: [(&str, Draw); 2] = [
    ("parking lot: all leave at the end", Lot::parking),
    ("chain: they leave anywhere", Lot::chain),
];

const WORDS: &str = "Lines of 3 to 6 switches with links of 155.52, 77.76 and 51.84 Mbps, one \
    greedy circuit along all of them and 3 to 8 others that enter along the line, no policy, no \
    data in the other direction. Mean ACR from 200 to 300 ms against water filling at the \
    target of 0.9. With delta 0.1 ERICA settles anywhere between its target and 1.1 times that. \
    This holds for the load of a link, and in a parking lot for its circuits; if circuits leave \
    before the end, those of a link that are limited elsewhere don't use their part of the \
    slack. The others then share all of it, and may be off by more than delta.";

/// One lot under both deltas.
struct Compared {
    fair: Vec<f64>,
    /// Mean ACR in Mbps by delta and circuit.
    measured: Vec<Vec<f64>>,
}

pub fn reference_13(lab: &Lab) -> Result<Evidence, LabError> {
    let lots = lab.samples(LOTS);
    // Those left out count as run.
    let left_out = (LOTS - lots) * (KINDS.len() * DELTAS.len()) as u64;
    lab.runs.fetch_add(left_out, Ordering::Relaxed);
    let every = |(_, draw): (&str, Draw)| -> Result<Vec<Compared>, LabError> {
        let seeds: Vec<u64> = (1..=lots).collect();
        lab.each(&seeds, |&seed| compare(lab, &draw(seed)))
    };
    let [parking, chains] = KINDS.map(every);
    let found = [parking?, chains?];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "kalyanaraman1998.erica.max-min",
            scenario: LOT,
            measured: measured(&found),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&found)),
            Block::Table(table(&found)),
        ],
    })
}

fn measured(found: &[Vec<Compared>; 2]) -> Vec<Measured> {
    let worst = |kind: usize, delta: usize| {
        let all = found[kind].iter().map(|one| one.worst(delta));
        all.fold(0.0, f64::max)
    };
    vec![
        Measured::new("worst_delta_0", worst(0, 0)).within(0.0, 0.03),
        Measured::new("worst_delta_0_1", worst(0, 1)).within(0.0, 0.12),
        Measured::new("lots", found[0].len() as f64),
        Measured::new("chains_delta_0", worst(1, 0)).within(0.0, 0.03),
        Measured::new("chains_delta_0_1", worst(1, 1)),
    ]
}

fn compare(lab: &Lab, lot: &Lot) -> Result<Compared, LabError> {
    let measured = DELTAS.map(|delta| {
        let mut sets = lot.sets();
        sets.push(("link.explicit_rate.delta", delta.into()));
        let run = run(lab, LOT, &sets)?;
        let mean = |at: usize| {
            let abr = run.flow(&at.to_string()).abr.as_deref();
            abr.map_or(f64::NAN, |abr| abr.acr_mean_bps / 1e6)
        };
        Ok((1..=lot.circuits.len()).map(mean).collect())
    });
    Ok(Compared {
        fair: lot.max_min(TARGET),
        measured: measured.into_iter().collect::<Result<_, LabError>>()?,
    })
}

impl Compared {
    /// Deviations from the fair rates, as shares of them.
    fn deviations(&self, delta: usize) -> impl Iterator<Item = f64> + '_ {
        let both = self.measured[delta].iter().zip(&self.fair);
        both.map(|(measured, fair)| (measured / fair - 1.0).abs())
    }

    fn worst(&self, delta: usize) -> f64 {
        // A rate that is not a number is as wrong as can be.
        self.deviations(delta).fold(0.0, |worst: f64, one| {
            if one.is_nan() {
                f64::MAX
            } else {
                worst.max(one)
            }
        })
    }
}

fn plot(found: &[Vec<Compared>; 2]) -> Plot {
    let points = |delta: usize| {
        let all = found.iter().flatten();
        let all = all.flat_map(|one| one.fair.iter().zip(&one.measured[delta]));
        let mut points: Vec<(f64, f64)> = all.map(|(fair, acr)| (*fair, *acr)).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (x, y) = points.into_iter().unzip();
        Curve::new(format!("delta {}", DELTAS[delta]), Style::Points, x, y)
    };
    let equal = Curve {
        dashed: true,
        ..Curve::new("equal", Style::Line, vec![0.0, 140.0], vec![0.0, 140.0])
    };
    Plot {
        id: "max-min".into(),
        title: "ERICA against water filling".into(),
        x: Axis::new("max-min fair rate", "Mbps"),
        y: Axis::new("mean ACR", "Mbps"),
        curves: vec![points(0), points(1), equal],
        note: "One point per circuit.".into(),
        ..Plot::default()
    }
}

fn table(found: &[Vec<Compared>; 2]) -> Table {
    let row = |(kind, delta): (usize, usize)| {
        let all = || found[kind].iter().flat_map(|one| one.deviations(delta));
        let mean = all().sum::<f64>() / all().count() as f64;
        let worst = all().fold(0.0, f64::max);
        vec![
            KINDS[kind].0.into(),
            DELTAS[delta].into(),
            Cell::Int(found[kind].len() as i64),
            Cell::Int(all().count() as i64),
            Cell::float(100.0 * mean, 2),
            Cell::float(100.0 * worst, 2),
        ]
    };
    Table {
        name: "max-min".into(),
        caption: "Deviation of mean ACR from the max-min fair rate.".into(),
        columns: vec![
            words("circuits", "where circuits leave"),
            column("delta", "", "load factors up to 1 + delta are no overload"),
            column("networks", "", "drawn at random"),
            column("total", "circuits", "of these networks"),
            column("mean", "%", "mean deviation of a circuit"),
            column("worst", "%", "largest deviation of a circuit"),
        ],
        rows: [(0, 0), (0, 1), (1, 0), (1, 1)].map(row).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(delta_0: &[f64], delta_0_1: &[f64]) -> Compared {
        Compared {
            fair: vec![10.0, 20.0],
            measured: vec![delta_0.to_vec(), delta_0_1.to_vec()],
        }
    }

    #[test]
    fn the_worst_circuit_counts_above_and_below() {
        let parking = vec![
            compared(&[10.1, 20.0], &[10.0, 21.0]),
            compared(&[10.0, 19.6], &[10.0, 20.0]),
        ];
        let chains = vec![compared(&[10.0, 20.0], &[7.0, 20.0])];
        let found = measured(&[parking, chains]);
        let values: Vec<f64> = found
            .iter()
            .map(|one| (one.value * 1e6).round() / 1e6)
            .collect();
        assert_eq!(values, [0.02, 0.05, 2.0, 0.0, 0.3]);
        let lost = [vec![compared(&[f64::NAN, 20.0], &[10.0, 20.0])], Vec::new()];
        assert_eq!(measured(&lost)[0].value, f64::MAX);
    }
}
