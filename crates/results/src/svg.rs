//! A plot as a static SVG that needs nothing else and follows the reader's light or dark setting.

use std::fmt::Write as _;

use crate::decimate;
use crate::escape;
use crate::model::{Axis, Curve, Direction, Mark, Plot, Style};
use crate::number;
use crate::ticks::{Scale, Ticks};

mod intervals;
mod marks;
mod names;

use names::Names;

/// Most points a curve of a figure holds: about four a pixel column.
const POINTS: usize = 2000;
/// Units in a millimetre of paper: letters, 13 of them high, are 8 pt.
const PER_MM: f64 = 13.0 * 72.0 / 25.4 / 8.0;
/// At least; more where numbers or names need it.
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
/// With fewer points a line shows each of them.
const DOTTED: usize = 40;
/// Colours of curves on paper; then they repeat, dotted and hollow.
const LIGHT: [&str; 8] = [
    "#0b6bb0", "#d1530a", "#0a8a66", "#b0589a", "#b87d00", "#3b9bd4", "#6b5bb5", "#5f6b76",
];
/// Colours of curves on a dark page, in the order of those on paper.
const DARK: [&str; 8] = [
    "#5cb0ec", "#f58e52", "#3dc79d", "#e39acd", "#efb73e", "#8fd0f7", "#ab9df2", "#a9b4bf",
];
/// Curves go this far beyond the axes: half a dot.
const BEYOND: f64 = 4.0;

const STYLE: &str = "\
.b{fill:#fff}.h{paint-order:stroke;stroke:#fff;stroke-width:4;stroke-linejoin:round}\
.t{fill:#1c2128}.m{fill:#5b6470}.g{stroke:#e6e8eb}.a{stroke:#9aa3ad}.k{stroke:#8a929c}\
text{font-family:-apple-system,'Segoe UI',Inter,Roboto,'Noto Sans','Helvetica Neue',Arial,\
sans-serif}\
.s{fill:none;stroke-width:1.75;stroke-linejoin:round}.i{fill-opacity:.15}\
.w{fill:none;stroke-width:1.25}";
const STYLE_AGAIN: &str = "\
.again .s{stroke-dasharray:2 3}.again .f{fill-opacity:.2;stroke-width:1.5}";
const STYLE_DARK: &str = "\
.b{fill:#14171b}.h{stroke:#14171b}.t{fill:#e8eaed}.m{fill:#9aa4af}\
.g{stroke:#272c33}.a{stroke:#59626d}.k{stroke:#77818c}";

/// The style sheet, with colours for so many curves. No variables: not all programs that show
/// SVG know them.
fn style(curves: usize) -> String {
    let colours = |all: [&str; 8]| {
        let one = |(index, colour): (usize, &&str)| {
            format!(
                ".c{index} .s,.c{index} .w{{stroke:{colour}}}\
                 .c{index} .f,.c{index} .i{{fill:{colour}}}"
            ) + &match index + LIGHT.len() < curves {
                true => format!(".c{index}.again .f{{stroke:{colour}}}"),
                false => String::new(),
            }
        };
        let used = all.iter().take(curves).enumerate();
        used.map(one).collect::<String>()
    };
    let (light, dark) = (colours(LIGHT), colours(DARK));
    let again = if curves > LIGHT.len() {
        STYLE_AGAIN
    } else {
        ""
    };
    format!("{STYLE}{again}{light}@media (prefers-color-scheme:dark){{{STYLE_DARK}{dark}}}")
}

/// The classes of a curve, which give it its colour.
fn class(index: usize) -> String {
    let again = if index < LIGHT.len() { "" } else { " again" };
    format!("c{}{again}", index % LIGHT.len())
}

/// How large a drawing is, and what is on it.
#[derive(Clone, Copy)]
struct Sheet {
    width: f64,
    /// Between the axes' ends.
    plot_height: f64,
    /// On paper the words below a figure say what it is.
    has_title: bool,
}

impl Sheet {
    const SCREEN: Sheet = Sheet {
        width: 800.0,
        plot_height: 260.0,
        has_title: true,
    };

    fn paper(width_mm: f64) -> Sheet {
        let width = width_mm * PER_MM;
        Sheet {
            width,
            plot_height: (width / 2.0).clamp(120.0, 260.0),
            has_title: false,
        }
    }

    /// Where the legend begins.
    fn top(self) -> f64 {
        if self.has_title { 48.0 } else { 18.0 }
    }

    /// About so many numbers have room below.
    fn ticks(self) -> Ticks {
        Ticks::about((self.width / 100.0) as usize)
    }
}

struct Frame {
    sheet: Sheet,
    x: Scale,
    y: Scale,
    names: Names,
    left: f64,
    top: f64,
    /// From bar to bar, px.
    bars: f64,
}

impl Frame {
    fn px(&self, x: f64) -> f64 {
        self.left + self.x.share(x).clamp(-10.0, 10.0) * (self.right() - self.left)
    }

    fn py(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.share(y).clamp(-10.0, 10.0)) * self.sheet.plot_height
    }

    fn bottom(&self) -> f64 {
        self.top + self.sheet.plot_height
    }

    fn right(&self) -> f64 {
        self.sheet.width - RIGHT
    }
}

/// The plot as an SVG document.
pub fn svg(plot: &Plot) -> String {
    drawing(plot, Sheet::SCREEN)
}

/// The plot for a column of paper so wide, with letters of 8 pt and without its title.
pub fn for_paper(plot: &Plot, width_mm: f64) -> String {
    drawing(plot, Sheet::paper(width_mm))
}

fn drawing(plot: &Plot, sheet: Sheet) -> String {
    let plot = &plot.legible();
    let curves: Vec<Vec<usize>> = plot
        .curves
        .iter()
        .map(|curve| decimate::kept(curve, &plot.x, &plot.y, POINTS))
        .collect();
    let (legend, legend_height) = legend(plot, sheet);
    let (x, y) = scales(plot, &curves, sheet);
    let left = left(&y);
    let mut frame = Frame {
        sheet,
        x,
        y,
        names: Names::of(&plot.x, sheet.width - left - RIGHT),
        left,
        top: sheet.top() - 8.0 + legend_height,
        bars: 60.0,
    };
    frame.bars = between_bars(plot, &curves, &frame);
    let (frame, width) = (frame, sheet.width);
    let height = frame.bottom() + 56.0 + frame.names.more_height();
    let id = number::slug(&plot.id);
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title\" \
         font-size=\"13\">\n\
         <title id=\"{id}-title\">{title}</title>\n<style>{style}</style>\n\
         <rect class=\"b\" width=\"{width}\" height=\"{height}\"/>\n\
         {heading}{legend}",
        heading = heading(plot, sheet),
        title = escape::html(&plot.title),
        style = style(plot.curves.len()),
    );
    grid(plot, &frame, &mut out);
    let _ = write!(
        out,
        "<clipPath id=\"{id}-clip\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
         </clipPath>\n<g clip-path=\"url(#{id}-clip)\">\n",
        left - BEYOND,
        frame.top - BEYOND,
        frame.right() - left + 2.0 * BEYOND,
        sheet.plot_height + 2.0 * BEYOND
    );
    for (index, (curve, kept)) in plot.curves.iter().zip(&curves).enumerate() {
        let _ = writeln!(out, "<g class=\"{}\">", class(index));
        draw_curve(curve, kept, &frame, &mut out);
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    marks::draw(plot, &frame, &mut out);
    out.push_str("</svg>\n");
    out
}

/// The least distance of the bars of all curves, px.
fn between_bars(plot: &Plot, curves: &[Vec<usize>], frame: &Frame) -> f64 {
    let bars = plot.curves.iter().zip(curves);
    let bars = bars.filter(|(curve, _)| curve.style == Style::Bars);
    let bars = bars.flat_map(|(curve, kept)| kept.iter().map(|at| frame.px(curve.x[*at])));
    let mut bars: Vec<f64> = bars.collect();
    bars.sort_by(f64::total_cmp);
    let gaps = bars.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.filter(|gap| *gap > 0.5).fold(frame.bars, f64::min)
}

/// The title as words of the drawing.
fn heading(plot: &Plot, sheet: Sheet) -> String {
    if !sheet.has_title {
        return String::new();
    }
    format!(
        "<text class=\"t\" x=\"{LEFT}\" y=\"26\" font-size=\"16\" font-weight=\"600\">{}</text>\n",
        escape::html(&plot.title)
    )
}

fn scales(plot: &Plot, curves: &[Vec<usize>], sheet: Sheet) -> (Scale, Scale) {
    let are_whole = |values: &dyn Fn(&Curve, usize) -> f64| {
        let all = plot.curves.iter().zip(curves);
        all.flat_map(|(curve, kept)| kept.iter().map(move |i| (curve, *i)))
            .all(|(curve, i)| values(curve, i).fract() == 0.0)
    };
    let mut x = (f64::INFINITY, f64::NEG_INFINITY);
    let mut y = x;
    let widen = |range: &mut (f64, f64), value: f64, axis: &Axis| {
        if decimate::drawn(value, axis) {
            *range = (range.0.min(value), range.1.max(value));
        }
    };
    for (curve, kept) in plot.curves.iter().zip(curves) {
        for &i in kept {
            widen(&mut x, curve.x[i], &plot.x);
            if let Some(until) = curve.until.get(i) {
                widen(&mut x, *until, &plot.x);
            }
            // Its interval does not count: one that few runs give may be many times the values.
            widen(&mut y, curve.y[i], &plot.y);
        }
    }
    for mark in &plot.marks {
        match mark.direction {
            Direction::Horizontal => widen(&mut y, mark.at, &plot.y),
            Direction::Vertical => widen(&mut x, mark.at, &plot.x),
        }
    }
    if plot.curves.iter().any(|c| c.style == Style::Bars) {
        // A bar needs something to stand on.
        let base = if plot.y.log { y.0 / 2.0 } else { 0.0 };
        widen(&mut y, base, &plot.y);
    }
    let loose = plot
        .curves
        .iter()
        .any(|c| matches!(c.style, Style::Bars | Style::Points | Style::Spans));
    let x_whole = are_whole(&|curve, i| curve.x[i]);
    let y_whole = are_whole(&|curve, i| curve.y[i]);
    (
        Scale::new(&plot.x, x.0, x.1, sheet.ticks().whole(x_whole), !loose),
        Scale::new(&plot.y, y.0, y.1, Ticks::about(5).whole(y_whole), false),
    )
}

/// Rows of names with their colours, wrapped by an estimate of how wide letters are.
fn legend(plot: &Plot, sheet: Sheet) -> (String, f64) {
    let (mut x, mut row) = (LEFT, 0.0);
    let mut out = String::new();
    for (index, curve) in plot.curves.iter().enumerate() {
        let width = 40.0 + curve.name.chars().count() as f64 * 7.0;
        if x > LEFT && x + width > sheet.width - RIGHT {
            x = LEFT;
            row += 1.0;
        }
        let y = sheet.top() + row * 20.0;
        let sample = match curve.style {
            Style::Points => format!(
                "<circle class=\"f\" cx=\"{}\" cy=\"{y}\" r=\"3.5\"/>",
                x + 9.0
            ),
            Style::Bars | Style::Spans => format!(
                "<rect class=\"f\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>",
                x + 4.0,
                y - 5.0
            ),
            Style::Line | Style::Step => {
                format!("<path class=\"s\"{} d=\"M{x} {y}h18\"/>", dash(curve))
            }
        };
        let _ = writeln!(
            out,
            "<g class=\"{}\">{sample}<text class=\"m\" x=\"{}\" y=\"{}\">{}</text></g>",
            class(index),
            x + 24.0,
            y + 4.5,
            escape::html(&curve.name)
        );
        x += width;
    }
    let rows = if plot.curves.is_empty() {
        0.0
    } else {
        row + 1.0
    };
    (out, rows * 20.0 + 6.0)
}

fn dash(curve: &Curve) -> &'static str {
    if curve.dashed {
        " stroke-dasharray=\"6 4\""
    } else {
        ""
    }
}

/// Room for the numbers of the axis, and left of them its title.
fn left(y: &Scale) -> f64 {
    let letters = y.ticks.iter().map(|tick| y.label(*tick).chars().count());
    LEFT.max(34.0 + 7.5 * letters.max().unwrap_or(0) as f64)
}

fn grid(plot: &Plot, frame: &Frame, out: &mut String) {
    let (left, right, bottom) = (frame.left, frame.right(), frame.bottom());
    for &tick in &frame.y.ticks {
        let y = frame.py(tick);
        let _ = writeln!(
            out,
            "<path class=\"g\" d=\"M{left} {y:.1}H{right}\"/>\
             <text class=\"m\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            y + 4.5,
            frame.y.label(tick)
        );
    }
    let y = bottom + 20.0;
    let mark = |x: f64| format!("<path class=\"a\" d=\"M{x:.1} {bottom}v5\"/>");
    for place in frame.names.shown(&plot.x) {
        let x = frame.px((place + 1) as f64);
        out.push_str(&mark(x));
        frame.names.write(&plot.x.names[place], (x, y), out);
        out.push('\n');
    }
    let is_of_numbers = plot.x.names.is_empty();
    for &tick in frame.x.ticks.iter().filter(|_| is_of_numbers) {
        let x = frame.px(tick);
        let _ = writeln!(
            out,
            "{}<text class=\"m\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
            mark(x),
            frame.x.label(tick)
        );
    }
    let middle = (frame.top + frame.bottom()) / 2.0;
    let _ = writeln!(
        out,
        "<path class=\"a\" d=\"M{left} {bottom}H{right}\"/>\n\
         <text class=\"m\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text class=\"m\" transform=\"translate(18 {middle}) rotate(-90)\" \
         text-anchor=\"middle\">{}</text>",
        (left + right) / 2.0,
        bottom + 44.0 + frame.names.more_height(),
        escape::html(&plot.x.title()),
        escape::html(&plot.y.title())
    );
}

fn draw_curve(curve: &Curve, kept: &[usize], frame: &Frame, out: &mut String) {
    intervals::draw(curve, kept, frame, out);
    match curve.style {
        Style::Line | Style::Step => {
            let mut path = String::new();
            let mut last_y = f64::NAN;
            for (nth, &i) in kept.iter().enumerate() {
                let (x, y) = (frame.px(curve.x[i]), frame.py(curve.y[i]));
                if nth == 0 {
                    let _ = write!(path, "M{x:.1} {y:.1}");
                } else if curve.style == Style::Line {
                    let _ = write!(path, "L{x:.1} {y:.1}");
                } else if y == last_y {
                    let _ = write!(path, "H{x:.1}");
                } else {
                    let _ = write!(path, "H{x:.1}V{y:.1}");
                }
                last_y = y;
            }
            let _ = writeln!(out, "<path class=\"s\"{} d=\"{path}\"/>", dash(curve));
            if curve.style == Style::Line && !curve.dashed && kept.len() < DOTTED {
                dots(curve, kept, frame, 2.5, out);
            }
        }
        Style::Points => dots(curve, kept, frame, 3.5, out),
        Style::Bars => bars(curve, kept, frame, out),
        Style::Spans => spans(curve, kept, frame, out),
    }
}

/// As high as there is room for between one whole `y` and the next.
fn spans(curve: &Curve, kept: &[usize], frame: &Frame, out: &mut String) {
    let between = (frame.py(0.0) - frame.py(1.0)).abs();
    let height = (between * 0.7).clamp(1.0, 16.0);
    for &i in kept {
        let (x, y) = (frame.px(curve.x[i]), frame.py(curve.y[i]));
        let until = curve.until.get(i).map_or(x, |until| frame.px(*until));
        let _ = writeln!(
            out,
            "<rect class=\"f\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            y - height / 2.0,
            (until - x).max(0.8),
        );
    }
}

fn dots(curve: &Curve, kept: &[usize], frame: &Frame, radius: f64, out: &mut String) {
    for &i in kept {
        let (x, y) = (frame.px(curve.x[i]), frame.py(curve.y[i]));
        let _ = writeln!(
            out,
            "<circle class=\"f\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"
        );
    }
}

fn bars(curve: &Curve, kept: &[usize], frame: &Frame, out: &mut String) {
    let gap = frame.bars;
    let base = if frame.y.log {
        frame.bottom()
    } else {
        frame.py(0.0).clamp(frame.top, frame.bottom())
    };
    for &i in kept {
        let (x, y) = (frame.px(curve.x[i]), frame.py(curve.y[i]));
        let _ = writeln!(
            out,
            "<rect class=\"f\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            x - gap * 0.35,
            y.min(base),
            (gap * 0.7).max(1.0),
            (base - y).abs()
        );
    }
}

/// A mark that can be placed on its axis.
pub fn mark_drawn(plot: &Plot, mark: &Mark) -> bool {
    match mark.direction {
        Direction::Horizontal => decimate::drawn(mark.at, &plot.y),
        Direction::Vertical => decimate::drawn(mark.at, &plot.x),
    }
}
