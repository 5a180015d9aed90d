//! How elements look: what their attributes and the style sheet say.

use super::markup::Element;

/// A colour, of 255 parts each.
pub type Color = [u8; 3];

/// How an element looks.
#[derive(Clone, Copy)]
pub struct Look {
    /// The colour inside.
    pub fill: Option<Color>,
    /// How much of it covers what is below.
    pub fill_opacity: f64,
    /// The colour of the line.
    pub stroke: Option<Color>,
    /// How wide the line is.
    pub stroke_width: f64,
    /// How long its dashes are, and the gaps between them.
    pub dashes: Option<[f64; 2]>,
    /// Height of letters.
    pub font_size: f64,
    /// Bold letters.
    pub is_bold: bool,
    /// The share of words that stands left of their place.
    pub anchor: f64,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            fill: Some([0; 3]),
            fill_opacity: 1.0,
            stroke: None,
            stroke_width: 1.0,
            dashes: None,
            font_size: 16.0,
            is_bold: false,
            anchor: 0.0,
        }
    }
}

/// A rule: what it is for, from the outermost element inwards, and what it says.
struct Rule {
    selector: Vec<Simple>,
    says: Vec<(String, String)>,
}

/// What one element must be.
struct Simple {
    name: Option<String>,
    classes: Vec<String>,
}

/// A style sheet, without what is for dark screens.
#[derive(Default)]
pub struct Sheet {
    rules: Vec<Rule>,
}

impl Sheet {
    /// The rules of a text.
    pub fn read(text: &str) -> Result<Sheet, String> {
        let mut rules = Vec::new();
        let mut rest = text;
        while let Some((heads, after)) = rest.split_once('{') {
            if heads.trim_start().starts_with('@') {
                rest = beyond(after);
                continue;
            }
            let (body, others) = after.split_once('}').ok_or("a rule without an end")?;
            rest = others;
            for head in heads.split(',') {
                rules.push(Rule {
                    selector: head.split_whitespace().map(Simple::read).collect(),
                    says: declarations(body),
                });
            }
        }
        Ok(Sheet { rules })
    }

    /// How an element in others looks.
    pub fn look(
        &self,
        inherited: Look,
        above: &[&Element],
        element: &Element,
    ) -> Result<Look, String> {
        let mut look = inherited;
        for (name, value) in element.attributes() {
            look.set(name, value, true)?;
        }
        let mut rules: Vec<&Rule> = self.rules.iter().collect();
        rules.retain(|rule| rule.is_for(above, element));
        rules.sort_by_key(|rule| rule.weight());
        for rule in rules {
            for (name, value) in &rule.says {
                look.set(name, value, false)?;
            }
        }
        for (name, value) in declarations(element.get("style").unwrap_or("")) {
            look.set(&name, &value, false)?;
        }
        Ok(look)
    }
}

/// Behind a block with blocks in it.
fn beyond(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

fn declarations(text: &str) -> Vec<(String, String)> {
    let all = text.split(';').filter_map(|one| one.split_once(':'));
    let all = all.map(|(name, value)| (name.trim().into(), value.trim().into()));
    all.collect()
}

impl Simple {
    fn read(text: &str) -> Simple {
        let mut parts = text.split('.');
        let name = parts.next().filter(|name| !name.is_empty());
        Simple {
            name: name.map(String::from),
            classes: parts.map(String::from).collect(),
        }
    }

    fn is(&self, element: &Element) -> bool {
        let name = self.name.as_ref().is_none_or(|name| *name == element.name);
        name && self.classes.iter().all(|class| element.is_of(class))
    }
}

impl Rule {
    fn is_for(&self, above: &[&Element], element: &Element) -> bool {
        let Some((last, others)) = self.selector.split_last() else {
            return false;
        };
        let mut left = others.iter().rev().peekable();
        for outer in above.iter().rev() {
            if left.peek().is_some_and(|one| one.is(outer)) {
                left.next();
            }
        }
        last.is(element) && left.next().is_none()
    }

    /// What says more of an element counts more.
    fn weight(&self) -> (usize, usize) {
        let classes = self.selector.iter().map(|one| one.classes.len()).sum();
        let names = self.selector.iter().filter(|one| one.name.is_some());
        (classes, names.count())
    }
}

impl Look {
    fn set(&mut self, name: &str, value: &str, is_attribute: bool) -> Result<(), String> {
        match name {
            "fill" => self.fill = color(value)?,
            "stroke" => self.stroke = color(value)?,
            "fill-opacity" => self.fill_opacity = number(value)?,
            "stroke-width" => self.stroke_width = number(value)?,
            "stroke-dasharray" => {
                let (dash, gap) = value.split_once(' ').ok_or("dashes without gaps")?;
                self.dashes = Some([number(dash)?, number(gap)?]);
            }
            "font-size" => self.font_size = number(value)?,
            "font" => self.font_size = number(value.split(' ').next().unwrap_or(""))?,
            "font-weight" => self.is_bold = value == "bold" || number(value)? >= 600.0,
            "text-anchor" => {
                self.anchor = match value {
                    "middle" => 0.5,
                    "end" => 1.0,
                    _ => 0.0,
                }
            }
            // The line of words is a ground behind them.
            "paint-order" | "stroke-linejoin" | "font-family" => {}
            _ if is_attribute => {}
            other => return Err(format!("a style sheet with `{other}`")),
        }
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches("px").parse();
    number.map_err(|_| format!("`{text}` is no number"))
}

fn color(text: &str) -> Result<Option<Color>, String> {
    if text == "none" {
        return Ok(None);
    }
    let wrong = || format!("`{text}` is no colour");
    let digits = text.strip_prefix('#').ok_or_else(wrong)?;
    let digits: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => digits.into(),
    };
    let part = |at: usize| {
        let two = digits.get(at..at + 2).ok_or_else(wrong)?;
        u8::from_str_radix(two, 16).map_err(|_| wrong())
    };
    Ok(Some([part(0)?, part(2)?, part(4)?]))
}
