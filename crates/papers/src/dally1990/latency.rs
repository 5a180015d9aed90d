//! Figure 9: latency against offered traffic.

use std::sync::atomic::Ordering;

use backwater_kernel::words::counted;
use backwater_results::{Axis, Block, Cell, Direction, Mark, Plot, Table};

use super::point::{Point, Sets, cell, curve, estimate, points};
use super::{FIG09, SEEDS, VCS};
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Offered traffic in tenths of the capacity, as far as the figure goes.
const TENTHS: std::ops::RangeInclusive<u32> = 1..=8;
/// A network that delivers less of what is offered is saturated.
const DELIVERS: f64 = 0.98;
/// Where a single VC saturates, says the paper.
const SATURATION: f64 = 0.2;

/// The curve of one number of VCs: a point for each load, up to the first beyond saturation.
struct Curve {
    vcs: u32,
    points: Vec<Point>,
}

impl Curve {
    fn run(lab: &Lab, vcs: u32) -> Result<Curve, LabError> {
        let mut found = Vec::new();
        for tenths in TENTHS {
            let sets: Sets = vec![
                ("router.vcs", vcs.to_string()),
                ("traffic.load", format!("{}", f64::from(tenths) / 10.0)),
            ];
            let point = points(lab, FIG09, &[sets], SEEDS)?.remove(0);
            let beyond = point.saturated();
            found.push(point);
            if beyond {
                // The loads above count as run.
                let left = u64::from(TENTHS.end() - tenths) * SEEDS;
                lab.runs.fetch_add(left, Ordering::Relaxed);
                break;
            }
        }
        let points = found;
        Ok(Curve { vcs, points })
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
    the same storage, more VCs increase latency: random arbitration interleaves packets. \
    Every row shows it, except for the last point of a curve.";

pub fn figure_9(lab: &Lab) -> Result<Evidence, LabError> {
    let curves: Vec<Curve> = lab.each(&VCS, |&vcs| Curve::run(lab, vcs))?;
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

fn measured(curves: &[Curve]) -> Vec<Measured> {
    let first = curves.iter().filter_map(|curve| curve.at(1));
    let first: Vec<Vec<f64>> = first.map(Point::latencies).collect();
    let spread = Measured::rate_over_seeds("spread_at_0.1", &spreads(&first));
    let mut measured = vec![spread.within(0.0, 0.1)];
    for curve in curves {
        // A curve that ended before has no value there, which no bound accepts.
        let delivered = |tenths: usize| {
            let shares = curve.at(tenths).map(Point::delivered_shares);
            shares.unwrap_or(vec![f64::NAN])
        };
        if curve.vcs == 1 {
            let at = Measured::rate_over_seeds("delivered_1_lane_at_0.2", &delivered(2));
            measured.push(at.within(DELIVERS, 1.02));
            let at = Measured::rate_over_seeds("delivered_1_lane_at_0.3", &delivered(3));
            measured.push(at.within(0.0, DELIVERS));
        }
        if curve.vcs >= 4 {
            let name = format!("delivered_{}_lanes_at_0.3", curve.vcs);
            measured.push(Measured::rate_over_seeds(&name, &delivered(3)).within(DELIVERS, 1.02));
        }
    }
    measured
}

/// By seed, how much the largest value is above the smallest, as a share of the smallest; `curves`
/// holds the seeds of each curve.
fn spreads(curves: &[Vec<f64>]) -> Vec<f64> {
    let seeds = curves.iter().map(Vec::len).min().unwrap_or(0);
    let spread = |seed: usize| {
        let values = || curves.iter().map(|curve| curve[seed]);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        high / low - 1.0
    };
    (0..seeds).map(spread).collect()
}

fn plot(curves: &[Curve]) -> Plot {
    let drawn = curves.iter().map(|of| {
        let points = of.below();
        let estimates: Vec<_> = points.iter().map(|p| estimate(&p.latencies())).collect();
        let loads = TENTHS.take(points.len());
        let x = loads.map(|tenths| f64::from(tenths) / 10.0).collect();
        curve(&counted(of.vcs, "VC"), x, &estimates)
    });
    Plot {
        id: "fig09".into(),
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
        note: "A curve ends at the last tenth of the capacity that the network carries.".into(),
        marks: vec![Mark {
            direction: Direction::Vertical,
            at: SATURATION,
            label: "paper: a single VC saturates".into(),
        }],
    }
}

fn table(curves: &[Curve]) -> Table {
    let mut columns = vec![column("offered", "of capacity", "offered traffic")];
    columns.extend(curves.iter().map(|curve| {
        let name = counted(curve.vcs, "VC");
        column(&name, "cycles", "mean latency, source queueing included")
    }));
    let row = |tenths: u32| {
        let mut row = vec![Cell::float(f64::from(tenths) / 10.0, 1)];
        row.extend(curves.iter().map(|curve| {
            let point = curve.below().get(tenths as usize - 1);
            point.map_or(Cell::from("saturated"), |point| cell(&point.latencies(), 1))
        }));
        row
    };
    Table {
        name: "fig09-latency".into(),
        caption: format!("Mean latency, and its 95 % interval over {SEEDS} seeds."),
        columns,
        rows: TENTHS.map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use backwater_flit::outcome::{CyclesOutcome, FabricOutcome};

    use super::*;

    #[test]
    fn the_spread_of_each_seed_is_that_of_its_ends() {
        let curves = [vec![50.0, 60.0], vec![55.0, 60.0], vec![52.0, 90.0]];
        let spreads = spreads(&curves);
        assert!((spreads[0] - 0.1).abs() < 1e-12 && spreads[1] == 0.5);
        assert_eq!(spreads.len(), 2);
    }

    /// A load at which every seed has this latency and delivers this share.
    fn point(latency: f64, share: f64) -> Point {
        let outcome = FabricOutcome {
            offered: 0.5,
            accepted: 0.5 * share,
            latency: CyclesOutcome {
                mean: latency,
                ..CyclesOutcome::default()
            },
            ..FabricOutcome::default()
        };
        Point {
            outcomes: vec![outcome; 5],
        }
    }

    /// One VC saturates at 0.3, where it delivers `at_saturation`; the others don't.
    fn curves(at_saturation: f64) -> Vec<Curve> {
        let vcs = |vcs| Curve {
            vcs,
            points: vec![
                point(50.0 + f64::from(vcs) / 4.0, 1.0),
                point(60.0, 1.0),
                point(70.0, if vcs == 1 { at_saturation } else { 0.999 }),
            ],
        };
        VCS.map(vcs).into()
    }

    fn outside(curves: &[Curve]) -> Vec<String> {
        let measured = measured(curves).into_iter();
        let is_outside = |one: &Measured| {
            let bounds = one.bounds.expect("bounds");
            !(bounds.low..=bounds.high).contains(&one.value)
        };
        measured.filter(is_outside).map(|one| one.name).collect()
    }

    #[test]
    fn claims_are_about_the_loads_they_name() {
        assert_eq!(outside(&curves(0.9)), [""; 0]);
        assert_eq!(outside(&curves(0.99)), ["delivered_1_lane_at_0.3"]);
        let mut curves = curves(0.9);
        curves[4].points[0] = point(56.0, 1.0);
        curves[3].points.truncate(2);
        curves[0].points[1] = point(60.0, 0.9);
        assert_eq!(
            outside(&curves),
            [
                "spread_at_0.1",
                "delivered_1_lane_at_0.2",
                "delivered_8_lanes_at_0.3"
            ]
        );
        assert_eq!(measured(&curves)[0].seeds, Some(5));
    }
}
