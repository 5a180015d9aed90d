//! Ports over time in rows: when each was stopped, and how long its queue was. As a drawing for
//! documents; the page draws the same.

use std::fmt::Write as _;

use super::{OverTime, Port, picture};
use crate::escape;
use crate::lines::{cut, left_out};
use crate::model::Axis;
use crate::ticks::{Scale, Ticks};

const WIDTH: f64 = 800.0;
const LEFT: f64 = 164.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 44.0;
/// From row to row, and what of it is drawn.
const ROW: f64 = 17.0;
const BAR: f64 = 13.0;
/// Letters of a name that fit beside a row.
const LETTERS: usize = 22;
/// Width of a letter, by estimate.
const LETTER: f64 = 7.0;
/// Colours between nothing and all.
const SHADES: f64 = 16.0;

const STYLE: &str = "text{font:12px -apple-system,'Segoe UI',Inter,Roboto,'Noto Sans',Arial,\
sans-serif;fill:#1c2128}.b{fill:#fff}.r{fill:#f1f3f5}.a{stroke:#9aa3ad}.m{fill:#5b6470}\
@media(prefers-color-scheme:dark){text{fill:#e8eaed}.b{fill:#14171b}.r{fill:#22272e}\
.a{stroke:#59626d}.m{fill:#9aa4af}}";

/// Rows of one kind.
pub struct Strip<'a> {
    /// Heading.
    pub title: &'static str,
    /// Name of its file.
    pub file: &'static str,
    /// How to read it.
    pub note: String,
    rows: Vec<(&'a Port, Vec<Part>)>,
    is_stop: bool,
}

/// A stretch of a row in one colour.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Part {
    from: f64,
    to: f64,
    /// From 0 to 1.
    level: f64,
}

/// When ports were stopped, by which; none if none was.
pub fn stops(drawn: &OverTime) -> Option<Strip<'_>> {
    let ports = &drawn.ports;
    let rows = ports.stops.iter().map(|at| &ports.ports[*at]);
    let is_exact = drawn.units.stops_are_exact;
    let rows = rows.map(|port| (port, spans(&port.stopped, &drawn.ends, is_exact)));
    let rows: Vec<_> = rows.collect();
    let left_out = left_out(
        ports.stops_all,
        rows.len(),
        "ports",
        "the ports stopped longest",
    );
    let exact = match is_exact {
        true => "; a stop that fills whole bins is drawn as long as it was",
        false => "",
    };
    (!rows.is_empty()).then(|| Strip {
        title: "Stops over time",
        file: "stops-over-time",
        note: format!(
            "A row for each port that was stopped ({}), the first stopped first. The colour \
             is the share of a bin for which it was stopped{exact}.{left_out} A click moves the \
             time of all drawings. Keys: left and right move time, up and down choose a port.",
            drawn.units.stop
        ),
        rows,
        is_stop: true,
    })
}

/// How long queues of ports were; none if nothing waited.
pub fn queues(drawn: &OverTime) -> Option<Strip<'_>> {
    let ports = &drawn.ports;
    let most = ports.queue_most();
    let rows = ports.queues.iter().map(|at| &ports.ports[*at]);
    let rows = rows.map(|port| (port, shades(&port.queued, most, &drawn.ends)));
    let rows: Vec<_> = rows.collect();
    let left_out = left_out(ports.queues_all, rows.len(), "ports", "the largest");
    let (hosts, larger) = match rows.iter().any(|(port, _)| port.is_host) {
        true => (
            ", hosts last",
            ", the largest inside the network; at hosts it may be more",
        ),
        false => ("", ""),
    };
    (!rows.is_empty()).then(|| Strip {
        title: "Queues over time",
        file: "queues-over-time",
        note: format!(
            "A row for each port, the largest queue first{hosts}: {}, the maximum of a bin. \
             The last colour stands for {}{larger}.{left_out}",
            drawn.units.buffer,
            drawn.units.queue_of(most, 4),
        ),
        rows,
        is_stop: false,
    })
}

/// Everything of a run that is drawn over time, with the names of files.
pub fn drawings(drawn: &OverTime) -> Vec<(&'static str, String)> {
    let map = drawn.map.as_ref();
    let map = map.map(|map| ("map", picture::picture(map, drawn)));
    let strips = [stops(drawn), queues(drawn)].into_iter().flatten();
    let strips = strips.map(|strip| (strip.file, strip.svg(drawn)));
    map.into_iter().chain(strips).collect()
}

/// Stops: where they were measured, a bin that is stopped in part, with one of stops alone at one
/// of its ends, is stopped at that end.
fn spans(shares: &[u8], ends: &[f64], is_exact: bool) -> Vec<Part> {
    let is_full = |at: Option<usize>| is_exact && at.and_then(|at| shares.get(at)) == Some(&200);
    let part = |bin: usize, share: u8| {
        let (from, to) = bounds(ends, bin);
        let length = (to - from) * f64::from(share) / 200.0;
        let level = 1.0;
        match (is_full(bin.checked_sub(1)), is_full(Some(bin + 1))) {
            (false, true) => Part {
                from: to - length,
                to,
                level,
            },
            (true, false) => Part {
                from,
                to: from + length,
                level,
            },
            _ => Part {
                from,
                to,
                level: f64::from(share) / 200.0,
            },
        }
    };
    let bins = shares.iter().enumerate();
    joined(
        bins.filter(|(_, share)| **share > 0)
            .map(|(bin, share)| part(bin, *share)),
    )
}

fn shades(queued: &[u64], most: u64, ends: &[f64]) -> Vec<Part> {
    let part = |(bin, queued): (usize, &u64)| {
        let (from, to) = bounds(ends, bin);
        let level = (*queued as f64 / most as f64).min(1.0);
        Part { from, to, level }
    };
    let bins = queued.iter().enumerate();
    joined(bins.filter(|(_, queued)| **queued > 0).map(part))
}

fn bounds(ends: &[f64], bin: usize) -> (f64, f64) {
    let from = bin.checked_sub(1).map_or(0.0, |before| ends[before]);
    (from, ends[bin])
}

/// Neighbours of one shade as one.
fn joined(parts: impl Iterator<Item = Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        let level = (part.level * SHADES).ceil() / SHADES;
        match joined.last_mut() {
            Some(last) if last.to == part.from && last.level == level => last.to = part.to,
            _ => joined.push(Part { level, ..part }),
        }
    }
    joined
}

impl Strip<'_> {
    /// What the colours stand for, at the right of the heading.
    fn scale(&self, drawn: &OverTime, svg: &mut String) {
        let (least, most) = match self.is_stop {
            true => ("time stopped 0", "100 %".into()),
            false => ("0", drawn.units.queue_of(drawn.ports.queue_most(), 4)),
        };
        let right = WIDTH - RIGHT - most.chars().count() as f64 * LETTER - 6.0;
        let step = 90.0 / SHADES;
        for shade in 0..SHADES as u32 {
            let x = right - 90.0 + f64::from(shade) * step;
            let color = picture::color(f64::from(shade + 1) / SHADES, self.is_stop);
            let _ = write!(
                svg,
                "<rect x=\"{x:.1}\" y=\"16\" width=\"{step:.1}\" height=\"10\" fill=\"{color}\"/>"
            );
        }
        let _ = writeln!(
            svg,
            "<text class=\"m\" x=\"{:.0}\" y=\"25\" text-anchor=\"end\">{least}</text>\
             <text class=\"m\" x=\"{:.0}\" y=\"25\">{most}</text>",
            right - 96.0,
            right + 6.0,
        );
    }

    fn svg(&self, drawn: &OverTime) -> String {
        let rows = self.rows.len() as f64 * ROW;
        let (bottom, height) = (TOP + rows + 4.0, TOP + rows + 56.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n<style>{STYLE}</style>\n\
             <rect class=\"b\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
             <text x=\"{LEFT}\" y=\"26\" style=\"font-size:16px;font-weight:600\">{}</text>\n",
            self.title
        );
        self.scale(drawn, &mut svg);
        let last = drawn.ends.last().copied().unwrap_or(1.0);
        let axis = Axis::new("Time", drawn.units.time);
        let scale = Scale::new(&axis, 0.0, last, Ticks::about(8), true);
        let px = |at: f64| LEFT + scale.share(at) * (WIDTH - LEFT - RIGHT);
        for (index, (port, parts)) in self.rows.iter().enumerate() {
            let y = TOP + index as f64 * ROW;
            let _ = write!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
                 <rect class=\"r\" x=\"{LEFT}\" y=\"{y:.1}\" width=\"{}\" height=\"{BAR}\"/>",
                LEFT - 8.0,
                y + 10.5,
                escape::html(&cut(&port.name(), LETTERS)),
                WIDTH - LEFT - RIGHT,
            );
            for part in parts {
                let (from, to) = (px(part.from), px(part.to));
                let _ = write!(
                    svg,
                    "<rect x=\"{from:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{BAR}\" \
                     fill=\"{}\"/>",
                    to - from,
                    picture::color(part.level, self.is_stop)
                );
            }
            svg.push('\n');
        }
        for &tick in &scale.ticks {
            let _ = writeln!(
                svg,
                "<path class=\"a\" d=\"M{x:.1} {bottom}v5\"/><text class=\"m\" x=\"{x:.1}\" \
                 y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 19.0,
                scale.label(tick),
                x = px(tick),
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"a\" d=\"M{LEFT} {bottom}H{}\"/>\
             <text class=\"m\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>",
            WIDTH - RIGHT,
            (LEFT + WIDTH - RIGHT) / 2.0,
            bottom + 40.0,
            escape::html(&axis.title()),
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [f64; 6] = [10.0, 20.0, 30.0, 40.0, 50.0, 55.0];

    fn parts(parts: &[Part]) -> Vec<(f64, f64, f64)> {
        parts
            .iter()
            .map(|part| (part.from, part.to, part.level))
            .collect()
    }

    /// Stopped from 15 to 42, then half of the last bin.
    #[test]
    fn a_stop_is_drawn_as_long_as_it_was() {
        let drawn = spans(&[0, 100, 200, 200, 40, 100], &ENDS, true);
        assert_eq!(parts(&drawn), [(15.0, 42.0, 1.0), (50.0, 55.0, 0.5)]);
    }

    /// Several short stops, or one: a bin alone does not tell.
    #[test]
    fn a_bin_alone_is_as_dark_as_its_share() {
        let drawn = spans(&[100, 0, 50, 0, 0, 0], &ENDS, true);
        assert_eq!(parts(&drawn), [(0.0, 10.0, 0.5), (20.0, 30.0, 0.25)]);
        let between = spans(&[200, 100, 200, 0, 0, 0], &ENDS, true);
        let all = [(0.0, 10.0, 1.0), (10.0, 20.0, 0.5), (20.0, 30.0, 1.0)];
        assert_eq!(parts(&between), all);
        let seen = spans(&[0, 100, 200, 0, 0, 0], &ENDS, false);
        assert_eq!(parts(&seen), [(10.0, 20.0, 0.5), (20.0, 30.0, 1.0)]);
    }

    #[test]
    fn queues_are_shades_of_the_largest() {
        let drawn = shades(&[0, 8, 8, 16, 99, 1], 16, &ENDS);
        let all = [(10.0, 30.0, 0.5), (30.0, 50.0, 1.0), (50.0, 55.0, 0.0625)];
        assert_eq!(parts(&drawn), all);
    }
}
