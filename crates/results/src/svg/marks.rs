//! Reference lines, and beside each its words where no others are.

use std::fmt::Write as _;

use super::{Frame, mark_drawn};
use crate::escape;
use crate::model::{Direction, Plot, Style};

/// Width of a letter, by estimate.
const LETTER: f64 = 6.6;
/// From row to row of words, and how many rows are tried.
const ROW: f64 = 15.0;
const ROWS: u32 = 12;
/// Between points that stand for a curve, px.
const STEP: f64 = 6.0;

/// Where words may begin or end, on their base line.
#[derive(Clone, Copy, Debug)]
struct LabelSpot {
    x: f64,
    y: f64,
    is_end: bool,
}

/// What words take: from left to right, and their base line.
type Taken = (f64, f64, f64);

/// All that can be placed on their axes.
pub fn draw(plot: &Plot, frame: &Frame, out: &mut String) {
    let mut taken = Vec::new();
    let inked = match plot.marks.is_empty() {
        true => Vec::new(),
        false => inked(plot, frame),
    };
    for mark in plot.marks.iter().filter(|mark| mark_drawn(plot, mark)) {
        let width = mark.label.chars().count() as f64 * LETTER;
        let (line, places) = match mark.direction {
            Direction::Horizontal => {
                let y = frame.py(mark.at);
                let line = format!("M{} {y:.1}H{}", frame.left, frame.right());
                (line, beside_level(y, frame))
            }
            Direction::Vertical => {
                let x = frame.px(mark.at);
                let line = format!("M{x:.1} {}V{}", frame.top, frame.bottom());
                (line, beside_upright(x, width, frame))
            }
        };
        let LabelSpot { x, y, is_end } = free(&places, width, &inked, &mut taken);
        let _ = writeln!(
            out,
            "<path class=\"k\" stroke-dasharray=\"2 3\" d=\"{line}\"/>\
             <text class=\"m h\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor} font-size=\"12\">{label}</text>",
            anchor = if is_end { " text-anchor=\"end\"" } else { "" },
            label = escape::html(&mark.label),
        );
    }
}

/// Above a level line and below it, from its left to its right end.
fn beside_level(y: f64, frame: &Frame) -> Vec<LabelSpot> {
    let width = frame.right() - frame.left;
    let along = [0.0, 0.25, 0.5, 0.75].map(|part| (frame.left + 6.0 + part * width, false));
    let places = along.into_iter().chain([(frame.right() - 6.0, true)]);
    let of = |(x, is_end)| [y - 5.0, y + 14.0].map(|y| LabelSpot { x, y, is_end });
    places.flat_map(of).collect()
}

/// Where curves are, a point every few pixels along them.
fn inked(plot: &Plot, frame: &Frame) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for curve in &plot.curves {
        let own = curve.x.iter().zip(&curve.y);
        let own = own.filter(|(x, y)| x.is_finite() && y.is_finite());
        let own: Vec<(f64, f64)> = own.map(|(x, y)| (frame.px(*x), frame.py(*y))).collect();
        let is_joined = matches!(curve.style, Style::Line | Style::Step);
        for pair in own.windows(2).filter(|_| is_joined) {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            let steps = ((bx - ax).abs().max((by - ay).abs()) / STEP)
                .ceil()
                .max(1.0);
            let at = |step: u32| {
                let part = f64::from(step) / steps;
                (ax + (bx - ax) * part, ay + (by - ay) * part)
            };
            points.extend((0..steps as u32).map(at));
        }
        points.extend(own.last().copied());
    }
    points
}

/// To the right of an upright line, to the left at the end of the axis, as high as there is room.
fn beside_upright(x: f64, width: f64, frame: &Frame) -> Vec<LabelSpot> {
    let is_end = x + 5.0 + width > frame.right();
    let x = if is_end { x - 5.0 } else { x + 5.0 };
    let row = |row| LabelSpot {
        x,
        y: frame.top + 12.0 + ROW * f64::from(row),
        is_end,
    };
    (0..ROWS).map(row).collect()
}

/// Of these places where nothing is written the one with the least of curves in it; the first of
/// all if there is none.
fn free(
    places: &[LabelSpot],
    width: f64,
    inked: &[(f64, f64)],
    taken: &mut Vec<Taken>,
) -> LabelSpot {
    let rect = |place: &LabelSpot| match place.is_end {
        true => (place.x - width, place.x, place.y),
        false => (place.x, place.x + width, place.y),
    };
    let is_free = |place: &&LabelSpot| {
        let (left, right, y) = rect(place);
        let crosses =
            |other: &Taken| left < other.1 && right > other.0 && (y - other.2).abs() < ROW - 1.0;
        !taken.iter().any(crosses)
    };
    let ink = |place: &&LabelSpot| {
        let (left, right, y) = rect(place);
        let is_in = |point: &&(f64, f64)| {
            (left..right).contains(&point.0) && (y - ROW..y + 4.0).contains(&point.1)
        };
        inked.iter().filter(is_in).count()
    };
    let found = places.iter().filter(is_free).min_by_key(ink);
    let best = *found.unwrap_or(&places[0]);
    taken.push(rect(&best));
    best
}
