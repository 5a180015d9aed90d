//! Reference lines, and beside each its words where no others are.

use std::fmt::Write as _;

use super::{Frame, mark_drawn};
use crate::escape;
use crate::model::{Direction, Plot};

/// Width of a letter, by estimate.
const LETTER: f64 = 6.6;
/// From row to row of words, and how many rows are tried.
const ROW: f64 = 15.0;
const ROWS: u32 = 12;

/// Where words may begin or end, on their base line.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: f64,
    y: f64,
    is_end: bool,
}

/// What words take: from left to right, and their base line.
type Taken = (f64, f64, f64);

/// All that can be placed on their axes.
pub fn draw(plot: &Plot, frame: &Frame, out: &mut String) {
    let mut taken = Vec::new();
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
        let Place { x, y, is_end } = free(&places, width, &mut taken);
        let _ = writeln!(
            out,
            "<path class=\"k\" stroke-dasharray=\"2 3\" d=\"{line}\"/>\
             <text class=\"m h\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor} font-size=\"12\">{label}</text>",
            anchor = if is_end { " text-anchor=\"end\"" } else { "" },
            label = escape::html(&mark.label),
        );
    }
}

/// Above a level line and below it, at its left and at its right end.
fn beside_level(y: f64, frame: &Frame) -> Vec<Place> {
    let ends = [(frame.left + 6.0, false), (frame.right() - 6.0, true)];
    let of = |(x, is_end)| [y - 5.0, y + 14.0].map(|y| Place { x, y, is_end });
    ends.into_iter().flat_map(of).collect()
}

/// To the right of an upright line, to the left at the end of the axis, as high as there is room.
fn beside_upright(x: f64, width: f64, frame: &Frame) -> Vec<Place> {
    let is_end = x + 5.0 + width > frame.right();
    let x = if is_end { x - 5.0 } else { x + 5.0 };
    let row = |row| Place {
        x,
        y: frame.top + 12.0 + ROW * f64::from(row),
        is_end,
    };
    (0..ROWS).map(row).collect()
}

/// The first of these places where nothing is written; the first of all if there is none.
fn free(places: &[Place], width: f64, taken: &mut Vec<Taken>) -> Place {
    let rect = |place: &Place| match place.is_end {
        true => (place.x - width, place.x, place.y),
        false => (place.x, place.x + width, place.y),
    };
    let is_free = |place: &&Place| {
        let (left, right, y) = rect(place);
        let crosses =
            |other: &Taken| left < other.1 && right > other.0 && (y - other.2).abs() < ROW - 1.0;
        !taken.iter().any(crosses)
    };
    let found = *places.iter().find(is_free).unwrap_or(&places[0]);
    taken.push(rect(&found));
    found
}
