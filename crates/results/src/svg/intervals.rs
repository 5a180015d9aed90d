//! Intervals: a band behind lines, whiskers on points and bars, as far as the axis reaches. Where
//! one goes on beyond it, an open arrow says so.

use std::fmt::Write as _;

use super::Frame;
use crate::model::{Curve, Style};

/// Half the width of a whisker's end and of an arrow, and the arrow's height.
const ASIDE: f64 = 4.0;
const ARROW: f64 = 7.0;
/// Between arrows at the edge of a band.
const BETWEEN: f64 = 40.0;

/// The interval at one place: both ends where they are drawn, and which of them lie further.
struct Span {
    x: f64,
    low: f64,
    high: f64,
    is_cut: [bool; 2],
}

/// Draws the intervals of one curve, in its colour.
pub fn draw(curve: &Curve, kept: &[usize], frame: &Frame, out: &mut String) {
    let spans = spans(curve, kept, frame);
    if spans.is_empty() {
        return;
    }
    let mut path = String::new();
    if matches!(curve.style, Style::Points | Style::Bars) {
        for span in &spans {
            whisker(span, &mut path);
        }
    } else {
        band(&spans, out);
        let mut last = f64::NEG_INFINITY;
        for span in spans.iter().filter(|span| span.is_cut.contains(&true)) {
            if span.x - last >= BETWEEN {
                last = span.x;
                arrows(span, &mut path);
            }
        }
    }
    if !path.is_empty() {
        let _ = writeln!(out, "<path class=\"w\" d=\"{path}\"/>");
    }
}

fn spans(curve: &Curve, kept: &[usize], frame: &Frame) -> Vec<Span> {
    let Some((low, high)) = &curve.interval else {
        return Vec::new();
    };
    let (least, most) = (frame.y.min, frame.y.max);
    let inside = |value: f64| frame.py(value.clamp(least, most));
    let ends = kept
        .iter()
        .filter_map(|&i| Some((frame.px(curve.x[i]), *low.get(i)?, *high.get(i)?)));
    let finite = ends.filter(|(_, low, high)| low.is_finite() && high.is_finite());
    let span = |(x, low, high)| Span {
        x,
        low: inside(low),
        high: inside(high),
        is_cut: [low < least, high > most],
    };
    finite.map(span).collect()
}

fn whisker(span: &Span, path: &mut String) {
    let Span { x, low, high, .. } = span;
    let _ = write!(path, "M{x:.1} {low:.1}V{high:.1}");
    for (y, _) in [low, high].iter().zip(span.is_cut).filter(|end| !end.1) {
        let _ = write!(path, "M{:.1} {y:.1}h{}", x - ASIDE, 2.0 * ASIDE);
    }
    arrows(span, path);
}

fn arrows(span: &Span, path: &mut String) {
    for ((y, is_cut), down) in [span.low, span.high].iter().zip(span.is_cut).zip([1, -1]) {
        let rise = f64::from(down) * ARROW;
        if is_cut {
            let left = span.x - ASIDE;
            let _ = write!(
                path,
                "M{left:.1} {:.1}l{ASIDE} {rise}l{ASIDE} {}",
                y - rise,
                -rise
            );
        }
    }
}

fn band(spans: &[Span], out: &mut String) {
    let mut path = String::new();
    for (nth, Span { x, low, .. }) in spans.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {low:.1}", if nth == 0 { 'M' } else { 'L' });
    }
    for Span { x, high, .. } in spans.iter().rev() {
        let _ = write!(path, "L{x:.1} {high:.1}");
    }
    let _ = writeln!(out, "<path class=\"i\" d=\"{path}Z\"/>");
}
