//! Figures as PDF, for LaTeX: a drawing of this crate as one page of vectors. Letters stay text, in
//! Helvetica, which every reader has.
//!
//! It reads the SVG that the crate writes and no other: what it does not know is refused, so no
//! part of a figure is lost in silence.

use std::collections::BTreeMap;
use std::fmt::Write as _;

mod file;
mod letters;
mod markup;
mod path;
mod style;

use letters::Font;
use markup::{Element, Event};
use style::{Look, Sheet};

/// Points in a millimetre.
const POINTS: f64 = 72.0 / 25.4;
/// Control points of a quarter of a circle lie so far along its tangents.
const ROUND: f64 = 0.552_285;
/// Room around letters that stand on a ground of their own.
const AROUND: f64 = 2.0;

/// A drawing so many millimetres wide, as a file.
///
/// # Errors
/// What it holds that the drawings of this crate do not.
pub fn pdf(svg: &str, width_mm: f64) -> Result<Vec<u8>, String> {
    let mut page = Page::default();
    for event in markup::events(svg)? {
        match event {
            Event::Open(element) => page.open(element, width_mm)?,
            Event::Text(text) => page.text(&text)?,
            Event::Close => page.close(),
        }
    }
    let Page {
        size,
        mut content,
        opacities,
        title,
        ..
    } = page;
    let (wide, high) = size.ok_or("no drawing")?;
    content.push_str("Q\n");
    Ok(file::of(&content, (wide, high), &opacities, &title))
}

/// Letters of a drawing that none of the fonts has: they are question marks in the file.
///
/// # Errors
/// What is no drawing of this crate.
pub fn absent(svg: &str) -> Result<Vec<char>, String> {
    let words = markup::events(svg)?
        .into_iter()
        .filter_map(|event| match event {
            Event::Text(text) => Some(text),
            Event::Open(_) | Event::Close => None,
        });
    let letters = words.flat_map(|text| text.chars().collect::<Vec<_>>());
    Ok(letters
        .filter(|letter| letters::is_absent(*letter))
        .collect())
}

/// An element that is open, and how it looks.
struct Open {
    element: Element,
    look: Look,
    /// The state of the page before it is to come back.
    saved: bool,
}

#[derive(Default)]
struct Page {
    /// In points.
    size: Option<(f64, f64)>,
    content: String,
    sheet: Sheet,
    open: Vec<Open>,
    /// Rectangles that others are cut to, by name.
    clips: BTreeMap<String, [f64; 4]>,
    /// Shares of ink, in thousandths.
    opacities: Vec<u32>,
    title: String,
}

impl Page {
    fn open(&mut self, element: Element, width_mm: f64) -> Result<(), String> {
        let above: Vec<&Element> = self.open.iter().map(|one| &one.element).collect();
        let inherited = self.open.last().map_or_else(Look::default, |one| one.look);
        let look = self.sheet.look(inherited, &above, &element)?;
        let is_clip = self
            .open
            .last()
            .is_some_and(|one| one.element.name == "clipPath");
        let saved = element.name == "g" && element.get("clip-path").is_some();
        match &*element.name {
            "svg" => self.begin(&element, width_mm)?,
            "rect" if is_clip => self.note_clip(&element)?,
            "rect" => {
                let shape = rect(&element)?;
                self.paint(&shape, &look);
            }
            "circle" => {
                let [x, y, r] = element.numbers(["cx", "cy", "r"])?;
                self.paint(&rounded([x - r, y - r, 2.0 * r, 2.0 * r], r), &look);
            }
            "path" => {
                let shape = path::operators(element.get("d").unwrap_or(""))?;
                self.paint(&shape, &look);
            }
            "g" if saved => self.cut(&element)?,
            "g" | "text" | "title" | "style" | "clipPath" => {}
            other => return Err(format!("a drawing with `{other}` can't be a PDF")),
        }
        self.open.push(Open {
            element,
            look,
            saved,
        });
        Ok(())
    }

    fn close(&mut self) {
        if self.open.pop().is_some_and(|one| one.saved) {
            self.content.push_str("Q\n");
        }
    }

    fn begin(&mut self, svg: &Element, width_mm: f64) -> Result<(), String> {
        let numbers = svg.get("viewBox").unwrap_or("").split(' ');
        let numbers: Vec<f64> = numbers.filter_map(|text| text.parse().ok()).collect();
        let &[0.0, 0.0, width, height] = numbers.as_slice() else {
            return Err("a drawing without a size".into());
        };
        let scale = width_mm * POINTS / width;
        let high = height * scale;
        self.size = Some((width * scale, high));
        let _ = writeln!(
            self.content,
            "q {scale:.5} 0 0 -{scale:.5} 0 {high:.3} cm 1 j"
        );
        Ok(())
    }

    fn note_clip(&mut self, rect: &Element) -> Result<(), String> {
        let [x, y, width, height] = rect.numbers(["x", "y", "width", "height"])?;
        let name = self.open.last().and_then(|one| one.element.get("id"));
        let name = name.unwrap_or("").to_owned();
        self.clips.insert(name, [x, y, width, height]);
        Ok(())
    }

    fn cut(&mut self, group: &Element) -> Result<(), String> {
        let name = group.get("clip-path").unwrap_or("");
        let name = name.trim_start_matches("url(#").trim_end_matches(')');
        let [x, y, width, height] = self.clips.get(name).ok_or("a cut to nothing")?;
        let _ = writeln!(
            self.content,
            "q {x:.2} {y:.2} {width:.2} {height:.2} re W n"
        );
        Ok(())
    }

    /// Fills and draws a shape.
    fn paint(&mut self, shape: &str, look: &Look) {
        let paints = match (look.fill.is_some(), look.stroke.is_some()) {
            (true, true) => "B",
            (true, false) => "f",
            (false, true) => "S",
            (false, false) => return,
        };
        self.ink(look);
        let _ = writeln!(self.content, "{shape} {paints}");
    }

    /// Colours, width and dashes.
    fn ink(&mut self, look: &Look) {
        for (color, operator) in [(look.fill, "rg"), (look.stroke, "RG")] {
            if let Some([red, green, blue]) =
                color.map(|color| color.map(|one| f64::from(one) / 255.0))
            {
                let _ = write!(self.content, "{red:.3} {green:.3} {blue:.3} {operator} ");
            }
        }
        let thousandths = (look.fill_opacity * 1000.0) as u32;
        let known = self.opacities.iter().position(|one| *one == thousandths);
        let opacity = known.unwrap_or_else(|| {
            self.opacities.push(thousandths);
            self.opacities.len() - 1
        });
        let _ = write!(self.content, "/O{opacity} gs ");
        if look.stroke.is_some() {
            let [dash, gap] = look.dashes.unwrap_or_default();
            let dashes = match look.dashes {
                Some(_) => format!("[{dash} {gap}] 0 d"),
                None => "[] 0 d".into(),
            };
            let _ = write!(self.content, "{} w {dashes} ", look.stroke_width);
        }
    }

    fn text(&mut self, text: &str) -> Result<(), String> {
        let Some(own) = self.open.last() else {
            return Ok(());
        };
        match &*own.element.name {
            "style" => {
                self.sheet = Sheet::read(text)?;
                Ok(())
            }
            "title" => {
                self.title = text.into();
                Ok(())
            }
            "text" => {
                let (look, place) = (own.look, place(&own.element)?);
                self.write(text, &look, &place);
                Ok(())
            }
            _ if text.trim().is_empty() => Ok(()),
            other => Err(format!("words in `{other}`")),
        }
    }

    /// Writes words: in runs of one font each, from where they begin.
    fn write(&mut self, text: &str, look: &Look, place: &TextOrigin) {
        let runs = letters::runs(text, look.is_bold);
        let width = runs.iter().map(|run| run.width).sum::<f64>() * look.font_size;
        let left = place.x - width * look.anchor;
        let _ = write!(self.content, "q ");
        if let Some([x, y, angle]) = place.turned {
            let (sin, cos) = angle.to_radians().sin_cos();
            let back = -sin;
            let _ = write!(
                self.content,
                "{cos:.4} {sin:.4} {back:.4} {cos:.4} {x:.2} {y:.2} cm "
            );
        }
        if let Some(ground) = look.stroke {
            let size = look.font_size;
            let ground = Look {
                fill: Some(ground),
                stroke: None,
                ..*look
            };
            let (x, y) = (left - AROUND, place.y - 0.8 * size);
            let (wide, high) = (width + 2.0 * AROUND, 1.05 * size);
            self.paint(&format!("{x:.2} {y:.2} {wide:.2} {high:.2} re"), &ground);
        }
        self.ink(&Look {
            stroke: None,
            ..*look
        });
        let mut x = left;
        for run in runs {
            let font = match run.font {
                Font::Plain => "F0",
                Font::Bold => "F1",
                Font::Symbol => "F2",
            };
            let (size, y) = (look.font_size, place.y);
            let _ = write!(
                self.content,
                "BT /{font} {size} Tf 1 0 0 -1 {x:.2} {y:.2} Tm <{}> Tj ET ",
                run.hex()
            );
            x += run.width * size;
        }
        self.content.push_str("Q\n");
    }
}

/// Where words stand.
struct TextOrigin {
    x: f64,
    y: f64,
    /// The origin and the angle of what is turned.
    turned: Option<[f64; 3]>,
}

fn place(text: &Element) -> Result<TextOrigin, String> {
    let number = |name: &str| match text.get(name) {
        None => Ok(0.0),
        Some(_) => text.numbers([name]).map(|[number]| number),
    };
    let turned = match text.get("transform") {
        None => None,
        Some(words) => {
            let wrong = || format!("`transform` is `{words}`");
            let numbers = words.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c)));
            let numbers = numbers.filter_map(|text| text.parse().ok());
            let numbers: Vec<f64> = numbers.collect();
            let is_known = words.starts_with("translate(") && words.contains(") rotate(");
            let three: Result<[f64; 3], _> = numbers.try_into();
            Some(three.ok().filter(|_| is_known).ok_or_else(wrong)?)
        }
    };
    Ok(TextOrigin {
        x: number("x")?,
        y: number("y")?,
        turned,
    })
}

fn rect(rect: &Element) -> Result<String, String> {
    let [width, height] = rect.numbers(["width", "height"])?;
    let number = |name: &str| rect.get(name).and_then(|text| text.parse().ok());
    let [x, y, radius] = ["x", "y", "rx"].map(|name| number(name).unwrap_or(0.0));
    Ok(match radius > 0.0 {
        true => rounded([x, y, width, height], radius),
        false => format!("{x:.2} {y:.2} {width:.2} {height:.2} re"),
    })
}

/// A rectangle with round corners; a circle, if nothing else is left.
fn rounded([x, y, width, height]: [f64; 4], radius: f64) -> String {
    let radius = radius.min(width / 2.0).min(height / 2.0);
    let (right, bottom) = (x + width, y + height);
    let corners = [
        ([right - radius, y], [right, y], [right, y + radius]),
        (
            [right, bottom - radius],
            [right, bottom],
            [right - radius, bottom],
        ),
        ([x + radius, bottom], [x, bottom], [x, bottom - radius]),
        ([x, y + radius], [x, y], [x + radius, y]),
    ];
    let mut shape = format!("{:.2} {y:.2} m", x + radius);
    for ([ax, ay], [cx, cy], [bx, by]) in corners {
        let near = |from: f64, corner: f64| from + (corner - from) * ROUND;
        let _ = write!(
            shape,
            " {ax:.2} {ay:.2} l {:.2} {:.2} {:.2} {:.2} {bx:.2} {by:.2} c",
            near(ax, cx),
            near(ay, cy),
            near(bx, cx),
            near(by, cy),
        );
    }
    shape + " h"
}

#[cfg(test)]
mod tests;
