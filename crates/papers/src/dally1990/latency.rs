//! Figure 9: latency against offered traffic.

use results::{Axis, Block, Cell, Plot, Table};

use super::point::{Point, Sets, cell, curve, estimate, points};
use super::{FIG09, LANES, SEEDS, counted};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Offered traffic in tenths of the capacity, as far as the figure goes.
const TENTHS: std::ops::RangeInclusive<u32> = 1..=8;

/// The curve of one number of lanes: a point for each load, up to the first beyond saturation.
struct Lanes {
    lanes: u32,
    points: Vec<Point>,
}

impl Lanes {
    fn run(lab: &Lab, lanes: u32) -> Result<Lanes, LabError> {
        let mut found = Vec::new();
        for tenths in TENTHS {
            let sets: Sets = vec![
                ("router.lanes", lanes.to_string()),
                ("traffic.load", format!("{}", f64::from(tenths) / 10.0)),
            ];
            let point = points(lab, FIG09, &[(sets, SEEDS)])?.remove(0);
            let beyond = point.saturated();
            found.push(point);
            if beyond {
                break;
            }
        }
        let points = found;
        Ok(Lanes { lanes, points })
    }

    /// The point at `tenths` of the capacity, if the curve goes so far.
    fn at(&self, tenths: usize) -> Option<&Point> {
        self.points.get(tenths - 1)
    }

    /// Points below saturation.
    fn below(&self) -> &[Point] {
        match self.points.split_last() {
            Some((last, others)) if last.saturated() => others,
            _ => &self.points,
        }
    }
}

const WORDS: &str = "The journal version of the paper (1992) adds that at medium load, and with \
    the same storage, more lanes mean more latency: random arbitration interleaves packets. Every \
    row shows it, but for the last point of a curve.";

pub fn figure_9(lab: &Lab) -> Result<Evidence, LabError> {
    let curves: Vec<Lanes> = lab.each(&LANES, |&lanes| Lanes::run(lab, lanes))?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "dally1990.fig9.latency-before-saturation",
            scenario: FIG09,
            measured: measured(&curves),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&curves)),
            Block::Table(table(&curves)),
        ],
    })
}

fn measured(curves: &[Lanes]) -> Vec<Measured> {
    let first = curves.iter().filter_map(|curve| curve.at(1));
    let first: Vec<f64> = first
        .map(|point| estimate(&point.latencies()).mean)
        .collect();
    let mut measured = vec![Measured::new("spread_at_0.1", spread(&first)).within(0.0, 0.1)];
    for curve in curves {
        // A curve that ended before has no value there, which no bound accepts.
        let delivered = |tenths: usize| {
            let shares = curve.at(tenths).map(Point::delivered_shares);
            shares.unwrap_or(vec![f64::NAN])
        };
        if curve.lanes == 1 {
            let at = Measured::over_seeds("delivered_1_lane_at_0.2", &delivered(2));
            measured.push(at.within(0.98, 1.02));
            let at = Measured::over_seeds("delivered_1_lane_at_0.3", &delivered(3));
            measured.push(at.within(0.0, 0.95));
        }
        if curve.lanes >= 4 {
            let name = format!("delivered_{}_lanes_at_0.3", curve.lanes);
            measured.push(Measured::over_seeds(&name, &delivered(3)).within(0.98, 1.02));
        }
    }
    measured
}

/// How much the largest is above the smallest, as a share of the smallest.
fn spread(values: &[f64]) -> f64 {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high / low - 1.0
}

fn plot(curves: &[Lanes]) -> Plot {
    let drawn = curves.iter().map(|lanes| {
        let points = lanes.below();
        let estimates: Vec<_> = points.iter().map(|p| estimate(&p.latencies())).collect();
        let loads = TENTHS.take(points.len());
        let x = loads.map(|tenths| f64::from(tenths) / 10.0).collect();
        curve(&counted(lanes.lanes), x, &estimates)
    });
    Plot {
        id: "fig9".into(),
        title: "Figure 9: latency of 2-ary 8-flies".into(),
        x: Axis {
            min: Some(0.0),
            max: Some(0.8),
            ..Axis::new("offered traffic", "of capacity")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("average latency", "cycles")
        },
        curves: drawn.collect(),
        note: "A curve ends at the last tenth of the capacity that the network takes.".into(),
        ..Plot::default()
    }
}

fn table(curves: &[Lanes]) -> Table {
    let mut columns = vec![column("offered", "of capacity", "offered traffic")];
    columns.extend(curves.iter().map(|lanes| {
        let name = counted(lanes.lanes);
        column(&name, "cycles", "mean latency, source queueing included")
    }));
    let row = |tenths: u32| {
        let mut row = vec![Cell::float(f64::from(tenths) / 10.0, 1)];
        row.extend(curves.iter().map(|lanes| {
            let point = lanes.below().get(tenths as usize - 1);
            point.map_or(Cell::from("saturated"), |point| cell(&point.latencies(), 1))
        }));
        row
    };
    Table {
        name: "fig9-latency".into(),
        caption: format!("Mean latency, and its 95 % interval over {SEEDS} seeds."),
        columns,
        rows: TENTHS.map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_that_of_the_ends() {
        assert!((spread(&[50.0, 55.0, 52.0]) - 0.1).abs() < 1e-12);
        assert_eq!(spread(&[3.0]), 0.0);
    }
}
