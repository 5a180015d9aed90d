//! What the charts of a page need, as compact JSON.

use serde_json::{Map, Value, json};

use crate::decimate;
use crate::model::{Axis, Curve, Direction, Plot, Style};
use crate::number;
use crate::svg;

/// Digits kept of positions: enough to zoom into one part in a thousand million.
const X_DIGITS: usize = 10;
/// Digits kept of values.
const Y_DIGITS: usize = 8;

/// A plot's data, and how many points its longest curve lost on the way (shown, of).
pub fn plot(plot: &Plot, id: &str) -> (Value, Option<(usize, usize)>) {
    let mut thinned = None;
    let mut curves: Vec<Value> = Vec::new();
    let mut positions: Vec<Vec<Value>> = Vec::new();
    for curve in &plot.curves {
        let kept = decimate::kept(curve, &plot.x, &plot.y, decimate::REPORT_POINTS);
        let whole = curve.x.len().min(curve.y.len());
        if whole > decimate::REPORT_POINTS && thinned.is_none_or(|(_, most)| whole > most) {
            thinned = Some((kept.len(), whole));
        }
        curves.push(one_curve(curve, &kept, &mut positions));
    }
    let marks: Vec<Value> = plot
        .marks
        .iter()
        .filter(|mark| svg::mark_drawn(plot, mark))
        .map(|mark| {
            json!({
                "vertical": mark.direction == Direction::Vertical,
                "at": number(mark.at, X_DIGITS),
                "label": mark.label,
            })
        })
        .collect();
    let value = json!({
        "id": id,
        "title": plot.title,
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "xs": positions,
        "curves": curves,
        "marks": marks,
    });
    (value, thinned)
}

/// Curves that share their positions store them once.
fn one_curve(curve: &Curve, kept: &[usize], positions: &mut Vec<Vec<Value>>) -> Value {
    let pick = |values: &[f64], digits: usize| -> Vec<Value> {
        kept.iter()
            .map(|&i| number(values.get(i).copied().unwrap_or(f64::NAN), digits))
            .collect()
    };
    let x = pick(&curve.x, X_DIGITS);
    let shared = positions.iter().position(|known| *known == x);
    let shared = shared.unwrap_or_else(|| {
        positions.push(x);
        positions.len() - 1
    });
    let style = match curve.style {
        Style::Line => "line",
        Style::Step => "step",
        Style::Points => "points",
        Style::Bars => "bars",
    };
    let mut value = Map::new();
    value.insert("name".into(), curve.name.clone().into());
    value.insert("style".into(), style.into());
    if curve.dashed {
        value.insert("dashed".into(), true.into());
    }
    value.insert("x".into(), shared.into());
    value.insert("y".into(), pick(&curve.y, Y_DIGITS).into());
    if let Some((low, high)) = &curve.interval {
        value.insert("low".into(), pick(low, Y_DIGITS).into());
        value.insert("high".into(), pick(high, Y_DIGITS).into());
    }
    Value::Object(value)
}

fn axis(axis: &Axis) -> Value {
    let mut value = Map::new();
    value.insert("label".into(), axis.label.clone().into());
    value.insert("unit".into(), axis.unit.clone().into());
    for (name, end) in [("min", axis.min), ("max", axis.max)] {
        if let Some(end) = end.filter(|end| end.is_finite()) {
            value.insert(name.into(), end.into());
        }
    }
    if let Some(steps) = axis.steps {
        value.insert("steps".into(), steps.into());
    }
    if axis.log {
        value.insert("log".into(), true.into());
    }
    if !axis.at.is_empty() {
        value.insert("at".into(), axis.at.clone().into());
    }
    if !axis.names.is_empty() {
        value.insert("names".into(), axis.names.clone().into());
    }
    if let Some(other) = &axis.other {
        value.insert(
            "other".into(),
            json!({ "unit": other.unit, "per": other.per_unit }),
        );
    }
    Value::Object(value)
}

/// Whole numbers without a point, everything else to `digits` digits, null for what isn't finite.
fn number(value: f64, digits: usize) -> Value {
    let value = number::rounded(value, digits);
    if !value.is_finite() {
        Value::Null
    } else if value.fract() == 0.0 && value.abs() < 1e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(5.0, 8).to_string(), "5");
        assert_eq!(number(1.0 / 3.0, 4).to_string(), "0.3333");
        assert_eq!(number(f64::NAN, 4), Value::Null);
    }

    #[test]
    fn shared_positions_are_stored_once() {
        let x = vec![0.0, 1.0, 2.0];
        let plot_of = |second: Vec<f64>| Plot {
            curves: vec![
                Curve::new("a", Style::Line, x.clone(), x.clone()),
                Curve::new("b", Style::Line, second, x.clone()),
            ],
            ..Plot::default()
        };
        let (same, _) = plot(&plot_of(x.clone()), "p");
        assert_eq!(same["xs"].as_array().map(Vec::len), Some(1));
        let (apart, _) = plot(&plot_of(vec![0.0, 1.0, 9.0]), "p");
        assert_eq!(apart["xs"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn thinning_is_told() {
        let x: Vec<f64> = (0..10_000).map(f64::from).collect();
        let long = Plot {
            curves: vec![Curve::new("a", Style::Line, x.clone(), x)],
            ..Plot::default()
        };
        let (_, thinned) = plot(&long, "p");
        assert_eq!(thinned.map(|(_, of)| of), Some(10_000));
    }
}
