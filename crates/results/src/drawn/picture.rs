//! The map as a drawing of one moment, for documents.

use std::fmt::Write as _;

use super::labels::{LETTER, Side, sides};
use super::{Arc, Map, Node, OverTime};
use crate::escape;
use crate::lines::{cut, wrapped};
use crate::number::significant;

/// Pixels between neighbours.
const SCALE: f64 = 92.0;
const MARGIN: f64 = 78.0;
/// Of a line from the middle between both directions.
const ASIDE: f64 = 4.5;
/// Of a node.
const RADIUS: f64 = 15.0;
/// Length of a bar that shows a queue.
const BAR: f64 = 26.0;
/// From line to line of the caption.
const LINE: f64 = 17.0;
/// Letters of a name between neighbours.
const LETTERS: usize = 13;

/// Letters of a name that stands in the box of its switch.
pub(super) const INSIDE: usize = 5;

const STYLE: &str = "text{font:12px -apple-system,'Segoe UI',Inter,Roboto,'Noto Sans',Arial,\
sans-serif;fill:#1c2128;text-anchor:middle}.s{fill:#fff;stroke:#5b6470;stroke-width:1.5}\
.h{fill:#f7f8f9;stroke:#8a929c;stroke-width:1.2}.b{stroke:#e4e7ea;stroke-width:8}\
.q{stroke:#0b6bb0;stroke-width:8}@media(prefers-color-scheme:dark){text{fill:#e8eaed}\
.s{fill:#14171b;stroke:#a3adb8}.h{fill:#1b1f24;stroke:#77818c}.b{stroke:#2b3138}\
.q{stroke:#5cb0ec}}";

/// The moment of the largest backlog, links coloured by the share of time stopped, or by load
/// where nothing was.
pub fn picture(map: &Map, drawn: &OverTime) -> String {
    let bin = drawn.start;
    let least = |of: fn(&Node) -> f64| map.nodes.iter().map(of).fold(f64::MAX, f64::min);
    let most = |of: fn(&Node) -> f64| map.nodes.iter().map(of).fold(f64::MIN, f64::max);
    let (left, top) = (least(|node| node.place.0), least(|node| node.place.1));
    let inner = (most(|node| node.place.0) - left) * SCALE + 2.0 * MARGIN;
    let width = inner.max(420.0);
    let drawn_high = (most(|node| node.place.1) - top) * SCALE + 2.0 * MARGIN;
    let (by_stops, most_queued) = (map.opens_with_stops(), map.queue_most());
    let caption = caption(drawn, by_stops, most_queued);
    let caption = wrapped(&caption, (width / LETTER) as usize - 2);
    let height = drawn_high + 12.0 + LINE * caption.len() as f64;
    let at = |node: usize| {
        let (x, y) = map.nodes[node].place;
        let x = (x - left) * SCALE + MARGIN + (width - inner) / 2.0;
        (x, (y - top) * SCALE + MARGIN)
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<style>{STYLE}</style>\n"
    );
    for arc in &map.arcs {
        let share = if by_stops {
            arc.stopped[bin]
        } else {
            arc.load[bin]
        };
        let fill = arc.queued[bin] as f64 / most_queued as f64;
        draw_arc(
            &mut svg,
            arc,
            (at(arc.from), at(arc.to)),
            (fill, share, by_stops),
        );
    }
    let loads = map.node_loads(bin);
    for (index, (node, side)) in map.nodes.iter().zip(sides(map)).enumerate() {
        let load = (!by_stops).then(|| loads[index]);
        draw_node(&mut svg, (node, load), side, at(index));
    }
    for (line, words) in caption.iter().enumerate() {
        let y = drawn_high + 4.0 + LINE * line as f64;
        let (x, words) = (width / 2.0, escape::html(words));
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"{y:.0}\">{words}</text>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// What the colours and bars mean.
fn caption(drawn: &OverTime, by_stops: bool, most_queued: u64) -> String {
    let units = &drawn.units;
    let end = drawn.ends.get(drawn.start).copied().unwrap_or(0.0);
    let (time, unit) = (significant(end, 4), units.time);
    let scale = "from grey (none) to dark (all of it)";
    match by_stops {
        true => format!(
            "at {time} {unit}: links by share of time stopped, {scale}; bars: {buffer}, full at \
             {most}",
            buffer = units.buffer,
            most = units.queue_of(most_queued, 3),
        ),
        false => format!(
            "at {time} {unit}: links by load, {scale}; switches by the mean load of their links"
        ),
    }
}

fn draw_arc(
    svg: &mut String,
    arc: &Arc,
    ((ax, ay), (bx, by)): ((f64, f64), (f64, f64)),
    (fill, share, by_stops): (f64, u8, bool),
) {
    let length = ((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        .sqrt()
        .max(1.0);
    let (ux, uy) = ((bx - ax) / length, (by - ay) / length);
    // To the right of the way.
    let (sx, sy) = (-uy * ASIDE, ux * ASIDE);
    let point = |along: f64| (ax + ux * along + sx, ay + uy * along + sy);
    let (from, to) = (point(RADIUS), point(length - RADIUS));
    let color = match arc.stuck.is_empty() {
        true => color(f64::from(share) / 200.0, by_stops),
        false => "#c4136f".into(),
    };
    let tip = point(length - RADIUS - 7.0);
    let side = |sign: f64| (tip.0 + sign * sx * 1.1, tip.1 + sign * sy * 1.1);
    let (left, right) = (side(1.0), side(-0.4));
    let _ = writeln!(
        svg,
        "<g><path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{color}\" stroke-width=\"4\"/>\
         <path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z\" fill=\"{color}\"/>",
        from.0, from.1, tip.0, tip.1, to.0, to.1, left.0, left.1, right.0, right.1,
    );
    if by_stops && arc.queued.iter().any(|queued| *queued > 0) {
        let bar = BAR.min(length / 2.0 - RADIUS);
        let (start, end) = (point(RADIUS + 2.0), point(RADIUS + 2.0 + bar));
        let full = point(RADIUS + 2.0 + bar * fill.min(1.0));
        for (class, to) in [("b", end), ("q", full)] {
            let _ = write!(
                svg,
                "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                start.0, start.1, to.0, to.1
            );
        }
    }
    svg.push_str("</g>\n");
}

/// A node, filled by its load where that is shown.
fn draw_node(svg: &mut String, (node, load): (&Node, Option<f64>), side: Side, (x, y): (f64, f64)) {
    let (fill, ink) = match load {
        Some(load) if !node.is_host => (
            format!(" style=\"fill:{}\"", color(load, false)),
            if load > 0.45 { "#fff" } else { "#1c2128" },
        ),
        _ => (String::new(), ""),
    };
    let _ = match node.is_host {
        true => write!(
            svg,
            "<circle class=\"h\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"10\"/>"
        ),
        false => write!(
            svg,
            "<rect class=\"s\"{fill} x=\"{:.1}\" y=\"{:.1}\" width=\"28\" height=\"28\" \
             rx=\"6\"/>",
            x - 14.0,
            y - 14.0
        ),
    };
    let name = cut(&node.name, LETTERS);
    let length = name.chars().count();
    let beside = 20.0 + length as f64 * LETTER / 2.0;
    let is_inside = !node.is_host && length <= INSIDE;
    let mut style = match (is_inside, length) {
        (true, 4..) => "font-size:9px;".to_owned(),
        _ => String::new(),
    };
    if is_inside && !ink.is_empty() {
        style.push_str(&format!("fill:{ink}"));
    }
    let style = match style.is_empty() {
        true => style,
        false => format!(" style=\"{style}\""),
    };
    let (x, y) = match side {
        _ if is_inside => (x, y + 4.0),
        Side::Below => (x, y + 30.0),
        Side::Above => (x, y - 20.0),
        Side::Left => (x - beside, y + 4.0),
        Side::Right => (x + beside, y + 4.0),
    };
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\"{style}>{}</text>",
        escape::html(&name)
    );
}

/// From grey to dark, in a hue of its own for stops; lightness alone tells it too.
pub(super) fn color(share: f64, is_stop: bool) -> String {
    let scale: [[f64; 3]; 3] = match is_stop {
        true => [
            [205.0, 211.0, 218.0],
            [240.0, 140.0, 60.0],
            [155.0, 20.0, 15.0],
        ],
        false => [
            [205.0, 211.0, 218.0],
            [80.0, 160.0, 220.0],
            [8.0, 62.0, 120.0],
        ],
    };
    let at = share.clamp(0.0, 1.0) * 2.0;
    let (low, part) = if at < 1.0 { (0, at) } else { (1, at - 1.0) };
    let [r, g, b] = [0, 1, 2]
        .map(|i| (scale[low][i] + (scale[low + 1][i] - scale[low][i]) * part).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
