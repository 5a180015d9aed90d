//! Figure 2: multiplicative against additive headroom.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::FIVE;
use super::policies::{COUNT, ICR, Policy, Sets, TIME_FLOOR_HELD, run};
use super::steps::Steps;
use crate::Evidence;
use crate::columns::column;
use crate::lab::{Lab, LabError};

/// What sources may send, in Mbps.
const RATES: [u32; 6] = [2, 5, 10, 15, 20, 25];
/// The additive headroom, in Mbps, and the multiplicative one.
const HEADROOM: u32 = 10;
const TOF: u32 = 2;
/// Where ACR is looked at, in ms.
const LATE_MS: (f64, f64) = (300.0, 399.0);

const WORDS: &str = "Final ACR of a policy, by the rate of the source. The five sources of \
    Figure 5 start with ACR at the link's rate and never wake up. Additive: the count-based \
    policy with a headroom of 10 Mbps. Multiplicative: the time-based policy with its other \
    floor, max(10 Mbps, 2 SR), and a hold, so that ACR stays where the reductions end. The \
    sudden increase of a source is at most ACR - SR: constant with additive headroom, growing \
    with the rate with multiplicative headroom.";

/// ACR in Mbps of one source rate.
struct Point {
    rate: u32,
    additive: f64,
    multiplicative: f64,
}

pub fn figure_2(lab: &Lab) -> Result<Evidence, LabError> {
    let points = lab.each(&RATES, |&rate| {
        Ok(Point {
            rate,
            additive: settled(lab, COUNT, rate)?,
            multiplicative: settled(lab, TIME_FLOOR_HELD, rate)?,
        })
    })?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Plot(plot(&points)),
            Block::Table(table(&points)),
        ],
    })
}

/// Largest ACR late in a run with sources at `rate`, in Mbps.
fn settled(lab: &Lab, policy: Policy, rate: u32) -> Result<f64, LabError> {
    let limits = format!("[{{ rate = \"{rate} Mbps\" }}]");
    let mut sets: Sets = policy.sets(&format!("{HEADROOM} Mbps"));
    sets.extend([
        (ICR, "\"155.52 Mbps\"".into()),
        ("flows.VC.traffic.limits", limits.clone()),
        ("flows.VC.back.limits", limits),
    ]);
    let run = run(lab, FIVE, &sets)?;
    let acr = Steps::new(run.series("ACR 1"));
    Ok(acr.range(LATE_MS.0, LATE_MS.1).1)
}

fn plot(points: &[Point]) -> Plot {
    let rates: Vec<f64> = points.iter().map(|point| point.rate.into()).collect();
    let found = |name: &str, acr: &dyn Fn(&Point) -> f64| {
        let acr = points.iter().map(acr).collect();
        Curve::new(name, Style::Points, rates.clone(), acr)
    };
    let line = |name: &str, goal: &dyn Fn(f64) -> f64| {
        let rates: Vec<f64> = (0..=25).map(f64::from).collect();
        let acr = rates.iter().map(|rate| goal(*rate)).collect();
        Curve {
            dashed: true,
            ..Curve::new(name, Style::Line, rates, acr)
        }
    };
    let headroom = f64::from(HEADROOM);
    Plot {
        id: "fig02".into(),
        title: "Figure 2: multiplicative and additive headroom".into(),
        x: Axis {
            min: Some(0.0),
            ..Axis::new("source rate SR", "Mbps")
        },
        y: Axis {
            min: Some(0.0),
            ..Axis::new("ACR", "Mbps")
        },
        curves: vec![
            found("additive", &|point| point.additive),
            found("multiplicative", &|point| point.multiplicative),
            line("paper: SR + headroom", &|rate| rate + headroom),
            line("paper: TOF SR", &|rate| f64::from(TOF) * rate),
            line("ACR = SR", &|rate| rate),
        ],
        note: "Headroom 10 Mbps, TOF 2.".into(),
        ..Plot::default()
    }
}

fn table(points: &[Point]) -> Table {
    let row = |point: &Point| {
        let rate = f64::from(point.rate);
        vec![
            point.rate.into(),
            Cell::float(point.additive, 2),
            Cell::float(point.additive - rate, 2),
            Cell::float(point.multiplicative, 2),
            Cell::float(point.multiplicative - rate, 2),
        ]
    };
    Table {
        name: "fig02-headroom".into(),
        caption: "Largest ACR after 300 ms, and its excess over the source rate.".into(),
        columns: vec![
            column("SR", "Mbps", "what the application may send"),
            column("additive", "Mbps", "ACR with SR + 10 Mbps"),
            column("additive - SR", "Mbps", "its excess over SR"),
            column("multiplicative", "Mbps", "ACR with max(10 Mbps, 2 SR)"),
            column("multiplicative - SR", "Mbps", "the same of it"),
        ],
        rows: points.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_rest_at_their_headroom() {
        let lab = Lab::default();
        let near = |policy, rate, goal: f64| {
            let acr = settled(&lab, policy, rate).expect("it runs");
            assert!((acr - goal).abs() < 0.02 * goal, "{acr} of {goal}");
        };
        near(COUNT, 5, 15.0);
        near(TIME_FLOOR_HELD, 5, 10.0);
        near(TIME_FLOOR_HELD, 15, 30.0);
    }
}
