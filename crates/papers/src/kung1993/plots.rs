//! From series to plots in cell times.

use backwater_kernel::Series;
use backwater_results::{Axis, Block, Curve, Mark, OtherUnit, Plot, Style};

use crate::lab::Run;

/// A plot over time of some of a run's series.
pub struct TimePlot {
    plot: Plot,
}

impl TimePlot {
    pub fn new(id: &str, title: &str, y: &str, unit: &str) -> TimePlot {
        let x = Axis {
            label: "Time".into(),
            unit: "cells".into(),
            ..Axis::default()
        };
        let y = Axis {
            label: y.into(),
            unit: unit.into(),
            ..Axis::default()
        };
        let plot = Plot {
            id: id.into(),
            title: title.into(),
            x,
            y,
            ..Plot::default()
        };
        TimePlot { plot }
    }

    /// Adds the series called `name`.
    pub fn curve<P>(mut self, run: &Run<P>, name: &str) -> TimePlot {
        let per_cell = run.scenario.cell.seconds() * 1e6;
        self.plot.x.other = Some(OtherUnit {
            unit: "us".into(),
            per_unit: per_cell,
        });
        self.plot.curves.push(curve(run, run.series(name), name));
        self
    }

    /// Adds a series under another name.
    pub fn curve_as<P>(mut self, run: &Run<P>, name: &str, label: &str) -> TimePlot {
        self.plot.curves.push(curve(run, run.series(name), label));
        self
    }

    /// Shows only `low..high` of the vertical axis.
    pub fn y_range(mut self, low: f64, high: f64) -> TimePlot {
        (self.plot.y.min, self.plot.y.max) = (Some(low), Some(high));
        self
    }

    /// Shows only `low..high` cell times.
    pub fn x_range(mut self, low: f64, high: f64) -> TimePlot {
        for curve in &mut self.plot.curves {
            let keep: Vec<usize> = (0..curve.x.len())
                .filter(|&i| (low..=high).contains(&curve.x[i]))
                .collect();
            curve.x = keep.iter().map(|&i| curve.x[i]).collect();
            curve.y = keep.iter().map(|&i| curve.y[i]).collect();
        }
        self
    }

    /// A line at a value that the paper prints.
    pub fn printed(mut self, at: f64, label: &str) -> TimePlot {
        self.plot.marks.push(Mark::horizontal(at, label));
        self
    }

    /// A dashed line through points (cell times, value) that the paper gives.
    pub fn paper(mut self, points: &[(f64, f64)]) -> TimePlot {
        let (x, y) = points.iter().copied().unzip();
        self.plot.curves.push(Curve {
            dashed: true,
            ..Curve::new("paper", Style::Line, x, y)
        });
        self
    }

    /// Says what to see.
    pub fn note(mut self, note: &str) -> Block {
        self.plot.note = note.into();
        Block::Plot(self.plot)
    }
}

fn curve<P>(run: &Run<P>, series: &Series, label: &str) -> Curve {
    let in_cells = |value: &f64| {
        if series.unit == "ps" {
            run.cells(*value as u64)
        } else {
            *value
        }
    };
    Curve {
        name: label.into(),
        x: series.x.iter().map(|&at| run.cells(at)).collect(),
        y: series.y.iter().map(in_cells).collect(),
        style: if series.step {
            Style::Step
        } else {
            Style::Line
        },
        ..Curve::default()
    }
}
