//! How charts, their axes, curves and lines are declared, and in which units they are read.

use super::{Axis, Curve, Direction, Mark, OtherUnit, Plot, Style};
use crate::escape::arrows;
use crate::number::fitting_unit;

impl Axis {
    /// An axis that finds its own range.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            unit: unit.into(),
            ..Axis::default()
        }
    }

    /// An axis of things with names, at 1, 2, 3 and so on.
    pub fn of_names(label: impl Into<String>, names: impl IntoIterator<Item = String>) -> Axis {
        let names: Vec<String> = names.into_iter().collect();
        Axis {
            min: Some(0.5),
            max: Some(names.len() as f64 + 0.5),
            at: (1..=names.len()).map(|place| place as f64).collect(),
            names,
            ..Axis::new(label, "")
        }
    }

    /// It begins at zero.
    pub fn from_zero(self) -> Axis {
        Axis {
            min: Some(0.0),
            ..self
        }
    }

    /// It ends here.
    pub fn up_to(self, max: f64) -> Axis {
        Axis {
            max: Some(max),
            ..self
        }
    }

    /// A logarithmic one.
    pub fn log(self) -> Axis {
        Axis { log: true, ..self }
    }

    /// With a second unit to switch to, so many of which make one of its own.
    pub fn or(self, unit: &str, per_unit: f64) -> Axis {
        let unit = unit.into();
        Axis {
            other: Some(OtherUnit { unit, per_unit }),
            ..self
        }
    }

    /// Puts the axis and its limits into another unit, `factor` of which make one of the old.
    fn rescale(&mut self, unit: &str, factor: f64) {
        self.unit = unit.into();
        self.steps = self.steps.map(|steps| steps / factor);
        let ends = self.min.iter_mut().chain(&mut self.max);
        ends.chain(&mut self.at).for_each(|value| *value *= factor);
    }

    /// `label (unit)`, or the label alone.
    pub fn title(&self) -> String {
        if self.unit.is_empty() {
            self.label.clone()
        } else {
            format!("{} ({})", self.label, self.unit)
        }
    }
}

impl Plot {
    /// A chart of these curves; `id` is unique in its report.
    pub fn new(id: impl Into<String>, title: impl Into<String>, curves: Vec<Curve>) -> Plot {
        Plot {
            id: id.into(),
            title: title.into(),
            curves,
            ..Plot::default()
        }
    }

    /// Over this axis.
    pub fn x(self, x: Axis) -> Plot {
        Plot { x, ..self }
    }

    /// By this axis.
    pub fn y(self, y: Axis) -> Plot {
        Plot { y, ..self }
    }

    /// What to see in it.
    pub fn note(self, note: impl Into<String>) -> Plot {
        let note = note.into();
        Plot { note, ..self }
    }

    /// With these reference lines.
    pub fn marks(self, marks: Vec<Mark>) -> Plot {
        Plot { marks, ..self }
    }

    /// The plot as people read it: rates and times in the unit that fits the largest.
    pub(crate) fn legible(&self) -> Plot {
        let mut plot = self.clone();
        plot.fit_x();
        plot.fit_y();
        let names = plot.curves.iter_mut().map(|curve| &mut curve.name);
        let names = names.chain(&mut plot.x.names).chain([&mut plot.title]);
        names.for_each(|name| *name = arrows(name));
        plot
    }

    /// An axis with a second unit to switch to keeps both.
    fn fit_x(&mut self) {
        let largest = largest(self.curves.iter().flat_map(|curve| &curve.x));
        let unit = self.x.other.is_none().then_some(&self.x.unit);
        let Some((unit, factor)) = unit.and_then(|unit| fitting_unit(unit, largest)) else {
            return;
        };
        for curve in &mut self.curves {
            let ends = curve.x.iter_mut().chain(&mut curve.until);
            ends.for_each(|value| *value *= factor);
        }
        self.x.rescale(unit, factor);
        self.scale_marks(Direction::Vertical, factor);
    }

    fn fit_y(&mut self) {
        let largest = largest(self.curves.iter().flat_map(|curve| &curve.y));
        let Some((unit, factor)) = fitting_unit(&self.y.unit, largest) else {
            return;
        };
        for curve in &mut self.curves {
            curve.y.iter_mut().for_each(|value| *value *= factor);
            if let Some((low, high)) = &mut curve.interval {
                let ends = low.iter_mut().chain(high);
                ends.for_each(|value| *value *= factor);
            }
        }
        self.y.rescale(unit, factor);
        self.scale_marks(Direction::Horizontal, factor);
    }

    fn scale_marks(&mut self, direction: Direction, factor: f64) {
        let marks = self.marks.iter_mut();
        let marks = marks.filter(|mark| mark.direction == direction);
        marks.for_each(|mark| mark.at *= factor);
    }
}

pub(super) fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let finite = values.copied().filter(|value| value.is_finite());
    finite.map(f64::abs).fold(0.0, f64::max)
}

impl Curve {
    /// A curve without interval.
    pub fn new(name: impl Into<String>, style: Style, x: Vec<f64>, y: Vec<f64>) -> Curve {
        Curve {
            name: name.into(),
            x,
            y,
            style,
            ..Curve::default()
        }
    }

    /// From `x` to `until`, at `y`; in the order of `x`.
    pub fn spans(name: impl Into<String>, mut all: Vec<(f64, f64, f64)>) -> Curve {
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (x, until) = all.iter().map(|(x, until, _)| (*x, *until)).unzip();
        let y = all.iter().map(|(.., y)| *y).collect();
        Curve {
            until,
            ..Curve::new(name, Style::Spans, x, y)
        }
    }

    /// A curve of values at 1, 2, 3 and so on.
    pub fn in_order(name: impl Into<String>, style: Style, y: Vec<f64>) -> Curve {
        let x = (1..=y.len()).map(|place| place as f64).collect();
        Curve::new(name, style, x, y)
    }
}

impl Mark {
    /// A line at one `y`.
    pub fn horizontal(at: f64, label: impl Into<String>) -> Mark {
        Mark {
            direction: Direction::Horizontal,
            at,
            label: label.into(),
        }
    }

    /// A line at one `x`.
    pub fn vertical(at: f64, label: impl Into<String>) -> Mark {
        Mark {
            direction: Direction::Vertical,
            at,
            label: label.into(),
        }
    }
}
