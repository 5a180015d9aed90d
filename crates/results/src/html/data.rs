//! What the charts of a page need, as compact JSON.

use serde_json::{Value, json};

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
        Style::Spans => "spans",
    };
    let interval = curve.interval.as_ref();
    known(json!({
        "name": curve.name,
        "style": style,
        "dashed": curve.dashed.then_some(true),
        "x": shared,
        "y": pick(&curve.y, Y_DIGITS),
        "until": (!curve.until.is_empty()).then(|| pick(&curve.until, X_DIGITS)),
        "low": interval.map(|(low, _)| pick(low, Y_DIGITS)),
        "high": interval.map(|(_, high)| pick(high, Y_DIGITS)),
    }))
}

fn axis(axis: &Axis) -> Value {
    let finite = |end: Option<f64>| end.filter(|end| end.is_finite());
    let other = axis.other.as_ref();
    known(json!({
        "label": axis.label,
        "unit": axis.unit,
        "min": finite(axis.min),
        "max": finite(axis.max),
        "steps": axis.steps,
        "log": axis.log.then_some(true),
        "at": Some(&axis.at).filter(|at| !at.is_empty()),
        "names": Some(&axis.names).filter(|names| !names.is_empty()),
        "other": other.map(|other| json!({ "unit": other.unit, "per": other.per_unit })),
    }))
}

/// Without what is not there.
fn known(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
    }
    value
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
