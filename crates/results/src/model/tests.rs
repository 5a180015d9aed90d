use super::*;

fn rates(most: f64) -> Plot {
    Plot {
        y: Axis {
            min: Some(0.0),
            max: Some(2.0 * most),
            ..Axis::new("rate", "Mbps")
        },
        curves: vec![Curve {
            interval: Some((vec![most / 2.0], vec![most])),
            ..Curve::new("a", Style::Line, vec![3_000.0], vec![most])
        }],
        marks: vec![Mark::horizontal(most, ""), Mark::vertical(3_000.0, "")],
        ..Plot::default()
    }
}

#[test]
fn rates_past_ten_gigabits_are_drawn_in_gbps() {
    let plot = rates(98_405.0).legible();
    assert_eq!((plot.y.unit.as_str(), plot.y.min), ("Gbps", Some(0.0)));
    assert!((plot.curves[0].y[0] - 98.405).abs() < 1e-9);
    let (low, high) = plot.curves[0].interval.as_ref().unwrap();
    assert!((low[0] - 49.2025).abs() < 1e-9 && (high[0] - 98.405).abs() < 1e-9);
    assert!((plot.y.max.unwrap() - 196.81).abs() < 1e-9);
    assert!((plot.marks[0].at - 98.405).abs() < 1e-9);
    assert_eq!((plot.marks[1].at, plot.curves[0].x[0]), (3_000.0, 3_000.0));
}

#[test]
fn slower_rates_and_other_units_stay() {
    assert_eq!(rates(9_999.0).legible().y.unit, "Mbps");
    let mut other = rates(98_405.0);
    other.y.unit = "cells".into();
    let kept = other.legible();
    assert_eq!(
        (kept.y.unit.as_str(), kept.curves[0].y[0]),
        ("cells", 98_405.0)
    );
    other.y.unit = "kB".into();
    assert_eq!(other.legible().y.unit, "MB");
}
