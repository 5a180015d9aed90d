//! Reads one value as its key's kind.

use kernel::words::is_unprintable;
use kernel::{Duration, Rate};
use packet::spec::Span;

use super::{Reader, clip, words};
use crate::diagnostics::Diagnostic;
use crate::glossary;
use crate::record::Datum;
use crate::source::At;
use crate::suggest;
use crate::table::{Choice, Key, Kind};
use crate::tree::{Node, Value};
use crate::units::{self, Decimal, Fault};

impl Reader<'_> {
    pub(super) fn value(&mut self, key: &'static Key, node: &Node) -> Option<Datum> {
        match key.kind {
            Kind::Text | Kind::Reference(_) => self.text(key, node).map(Datum::Text),
            Kind::Name => self.name(key, node).map(Datum::Text),
            Kind::References(_) => self.one_or_list(key, node),
            Kind::ReferenceList(_) | Kind::Names => self.list(key, node),
            Kind::Whole { min, max, .. } => self.whole(key, node, min, max),
            Kind::WholeOr { word, min, max, .. } => self
                .word(node, word)
                .or_else(|| self.whole(key, node, min, max)),
            Kind::Wholes { min, max, .. } => self.wholes(key, node, min, max),
            Kind::Rows => self.rows(key, node),
            Kind::Path => self.path(key, node),
            Kind::Cycles { min, max } => self.cycles(key, node, min, max),
            Kind::CyclesOr { word, min, max } => self
                .word(node, word)
                .or_else(|| self.cycles(key, node, min, max)),
            Kind::Truth => self.truth(key, node),
            Kind::Decimal { min, max } => self.decimal(key, node, min, max),
            Kind::Probability => self.part(key, node, "more than certain"),
            Kind::Portion => self.part(key, node, "more than all of it"),
            Kind::Share => self.share(key, node),
            Kind::Time { min_ps } => self.time(key, node, min_ps),
            Kind::TimeOr { word, min_ps } => self
                .word(node, word)
                .or_else(|| self.time(key, node, min_ps)),
            Kind::Span { min_ps } => self.span(key, node, min_ps),
            Kind::Clock { min_ps } => self.clock(key, node, min_ps),
            Kind::ClockOr { word, min_ps } => self
                .word(node, word)
                .or_else(|| self.clock(key, node, min_ps)),
            Kind::Cable => self.cable(key, node),
            Kind::Threshold => self.threshold(key, node),
            Kind::Ratio { max } => self.ratio(key, node, max),
            Kind::PortionOr { word } => {
                self.word(node, word).or_else(|| self.inner_part(key, node))
            }
            Kind::Rate => self.rate(key, node),
            Kind::CellRate { min } => self.cell_rate(key, node, min),
            Kind::RateOrShare { word } => self
                .word(node, word)
                .or_else(|| self.rate_or_share(key, node)),
            Kind::Size { min, max } => self.size(key, node, min, max),
            // Both need to know the whole file.
            Kind::Seeds | Kind::Axes => Some(Datum::Tree(node.clone())),
            Kind::Choice(choices) => self.chosen(key, node, choices),
            Kind::Short(section, alone) => self.short(key, section, alone, node),
            Kind::Table(_) | Kind::Tables(_) => self.nested(key, node),
        }
    }

    pub(super) fn text(&mut self, key: &Key, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) => Some(text.clone()),
            _ => {
                self.wrong_type(key, node);
                None
            }
        }
    }

    fn name(&mut self, key: &Key, node: &Node) -> Option<String> {
        let text = self.text(key, node)?;
        self.check_name(key, &text, &node.at).then_some(text)
    }

    fn check_name(&mut self, key: &Key, text: &str, at: &At) -> bool {
        let fault = if text.trim().is_empty() {
            "it is empty"
        } else if text.contains("->") {
            "`->` joins two nodes to a channel"
        } else if text.chars().any(char::is_control) {
            "it holds a control character"
        } else if text.chars().any(is_unprintable) {
            "it holds a character that can't be seen and changes how others look"
        } else {
            return true;
        };
        self.mistakes.push(
            Diagnostic::error(
                "bad-name",
                format!("`{}` is no name for `{}`", clip(text), key.name),
            )
            .at(at.clone(), fault)
            .help("give it a name of letters, digits and signs, such as `S1`"),
        );
        false
    }

    fn one_or_list(&mut self, key: &'static Key, node: &Node) -> Option<Datum> {
        match &node.value {
            Value::Text(text) => {
                let mut names = Vec::new();
                expand_range(text, &node.at, &mut names);
                Some(Datum::List(names))
            }
            _ => self.list(key, node),
        }
    }

    fn list(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let Value::List(items) = &node.value else {
            self.wrong_type(key, node);
            return None;
        };
        let mut names = Vec::with_capacity(items.len());
        for item in items {
            match &item.value {
                Value::Text(text) => {
                    let known = names.len();
                    expand_range(text, &item.at, &mut names);
                    if matches!(key.kind, Kind::Names) && !self.check_name(key, text, &item.at) {
                        names.truncate(known);
                    }
                }
                _ => self.wrong_type(key, item),
            }
        }
        Some(Datum::List(names))
    }

    /// The word itself; anything else is left to the caller.
    fn word(&self, node: &Node, word: &'static str) -> Option<Datum> {
        match &node.value {
            Value::Text(text) if text == word => Some(Datum::Word(word)),
            _ => None,
        }
    }

    pub(super) fn whole(&mut self, key: &Key, node: &Node, min: u64, max: u64) -> Option<Datum> {
        let Value::Integer(text, radix) = &node.value else {
            self.wrong_type(key, node);
            return None;
        };
        match i128::from_str_radix(text, *radix) {
            Ok(number) if (i128::from(min)..=i128::from(max)).contains(&number) => {
                Some(Datum::Whole(number as u64))
            }
            Ok(number) if number < i128::from(min) => {
                self.out_of_range(key, node, "too small");
                None
            }
            _ => {
                self.out_of_range(key, node, "too large");
                None
            }
        }
    }

    fn decimal(&mut self, key: &Key, node: &Node, min: f64, max: f64) -> Option<Datum> {
        let Some(number) = node.number() else {
            self.wrong_type(key, node);
            return None;
        };
        match number.parse::<f64>() {
            Ok(number) if (min..=max).contains(&number) => Some(Datum::Decimal(number)),
            Ok(number) if number.is_nan() => {
                self.out_of_range(key, node, "not a number");
                None
            }
            _ => {
                self.out_of_range(key, node, "outside the range");
                None
            }
        }
    }

    pub(super) fn part(&mut self, key: &Key, node: &Node, beyond: &str) -> Option<Datum> {
        let share = self.any_share(key, node)?;
        if share.exceeds(1) {
            self.out_of_range(key, node, beyond);
            return None;
        }
        Some(Datum::Decimal(share.approximate()))
    }

    fn share(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let share = self.any_share(key, node)?;
        if share.is_zero() {
            self.out_of_range(key, node, "nothing at all");
        } else if share.exceeds(100) {
            self.out_of_range(key, node, "too large");
        } else {
            return Some(Datum::Share(share));
        }
        None
    }

    pub(super) fn any_share(&mut self, key: &Key, node: &Node) -> Option<Decimal> {
        let text = match (&node.value, node.number()) {
            (Value::Text(text), _) => text.clone(),
            (_, Some(number)) => number,
            _ => {
                self.wrong_type(key, node);
                return None;
            }
        };
        units::share(&text)
            .map_err(|fault| self.bad_quantity(key, node, fault))
            .ok()
    }

    fn time(&mut self, key: &Key, node: &Node, min_ps: u64) -> Option<Datum> {
        self.time_ps(key, node, min_ps)
            .map(|ps| Datum::Span(Span::Fixed(Duration(ps))))
    }

    fn time_ps(&mut self, key: &Key, node: &Node, min_ps: u64) -> Option<u64> {
        let text = self.quantity_text(key, node)?;
        match units::time_ps(&text, self.cell_ps) {
            Ok(ps) if ps < min_ps => {
                self.out_of_range(key, node, "shorter than the clock's step of 1 ps");
                None
            }
            Ok(ps) => Some(ps),
            Err(fault) => {
                self.bad_quantity(key, node, fault);
                None
            }
        }
    }

    fn span(&mut self, key: &Key, node: &Node, min_ps: u64) -> Option<Datum> {
        if let Value::Table(entries) = &node.value {
            if let [entry] = entries.as_slice()
                && entry.key == "mean"
            {
                let ps = self.time_ps(key, &entry.node, 1)?;
                return Some(Datum::Span(Span::Exponential(Duration(ps))));
            }
            self.mistakes.push(
                Diagnostic::error(
                    "wrong-type",
                    format!("`{}` must be {}", key.name, key.kind.noun()),
                )
                .at(node.at.clone(), "needs `mean` and nothing else")
                .help(format!("write `{} = {{ mean = \"50 cells\" }}`", key.name)),
            );
            return None;
        }
        self.time(key, node, min_ps)
    }

    fn rate(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        match units::rate_bps(&text) {
            Ok(0) => self.out_of_range(key, node, "nothing ever moves"),
            Ok(bps) => return Some(Datum::Rate(Rate(bps))),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    fn rate_or_share(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        if let Value::Text(text) = &node.value
            && text.contains('%')
        {
            let datum = self.share(key, node)?;
            if matches!(datum, Datum::Share(share) if share.exceeds(1)) {
                self.out_of_range(key, node, "more than the link");
                return None;
            }
            return Some(datum);
        }
        self.rate(key, node)
    }

    pub(super) fn size(&mut self, key: &Key, node: &Node, min: u64, max: u64) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        match units::size_bytes(&text) {
            Ok(bytes) if (min..=max).contains(&bytes) => return Some(Datum::Whole(bytes)),
            Ok(_) => self.out_of_range(key, node, "outside the range"),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    pub(super) fn quantity_text(&mut self, key: &Key, node: &Node) -> Option<String> {
        match (&node.value, node.number()) {
            (Value::Text(text), _) => Some(text.clone()),
            // A bare number goes on to be refused for its sign or for its missing unit.
            (_, Some(number)) => Some(number),
            _ => {
                self.wrong_type(key, node);
                None
            }
        }
    }

    pub(super) fn chosen(
        &mut self,
        key: &Key,
        node: &Node,
        choices: &'static [Choice],
    ) -> Option<Datum> {
        let text = self.text(key, node)?;
        if let Some(choice) = choices.iter().find(|choice| choice.name == text) {
            return Some(Datum::Word(choice.name));
        }
        let known = choices.iter().map(|choice| choice.name);
        let nearest = suggest::did_you_mean(&text, known);
        let word = glossary::meant(&text, self.root, self.root);
        let word = word.filter(|word| word.is_here || nearest.is_none());
        self.mistakes.push(
            Diagnostic::error(
                "unknown-word",
                format!("unknown {} `{}`", key.name, clip(&text)),
            )
            .at(
                node.at.clone(),
                format!("not {} there is", suggest::with_article(key.name)),
            )
            .help_if(nearest)
            .help_if(word.map(|word| word.help))
            .note(format!("allowed: {}", words(choices))),
        );
        None
    }

    pub(super) fn wrong_type(&mut self, key: &Key, node: &Node) {
        let help = match (key.kind, &node.value) {
            (Kind::Table(_), Value::List(_)) => {
                format!("write `[{0}]` in single brackets, once", key.name)
            }
            (Kind::Tables(_), Value::Table(_)) => {
                format!("write `[[{}]]` in double brackets, once for each", key.name)
            }
            _ => format!("write it like this: `{}`", key.example()),
        };
        self.mistakes.push(
            Diagnostic::error(
                "wrong-type",
                format!("`{}` must be {}", key.name, key.kind.noun()),
            )
            .at(node.at.clone(), format!("this is {}", node.kind()))
            .note(format!("allowed: {}", key.kind.allowed()))
            .help(help),
        );
    }

    pub(super) fn out_of_range(&mut self, key: &Key, node: &Node, label: &str) {
        let value = match &node.value {
            Value::Text(text) => clip(text),
            _ => clip(&node.to_toml()),
        };
        self.mistakes.push(
            Diagnostic::error("out-of-range", format!("`{}` can't be {value}", key.name))
                .at(node.at.clone(), label)
                .note(format!("allowed: {}", key.kind.allowed()))
                .note(format!("{}: {}", key.name, key.meaning)),
        );
    }

    pub(super) fn bad_quantity(&mut self, key: &Key, node: &Node, fault: Fault) {
        let shown = match &node.value {
            Value::Text(text) => text.trim().to_string(),
            _ => node.to_toml(),
        };
        let units = key.kind.units();
        let usual = key.kind.usual_unit();
        let allowed = format!("allowed: {}", key.kind.allowed());
        let wrong = |message: String| Diagnostic::error("bad-quantity", message);
        let diagnostic = match fault {
            Fault::NoUnit => wrong(format!("`{}` needs a unit", key.name))
                .at(node.at.clone(), "a number without a unit")
                .help(format!(
                    "write the unit in quotes: `{} = \"{shown} {usual}\"`{}",
                    key.name,
                    if units.contains(&"cells") {
                        format!(", or `\"{shown} cells\"`")
                    } else {
                        String::new()
                    }
                )),
            Fault::NoNumber => wrong(format!("`{}` must be {}", key.name, key.kind.noun()))
                .at(node.at.clone(), "does not start with a number")
                .help(format!("write it like this: `{}`", key.example())),
            Fault::Negative => {
                wrong(format!("`{}` can't be negative", key.name)).at(node.at.clone(), "below zero")
            }
            Fault::TooLarge => wrong(format!("`{}` is more than the simulator holds", key.name))
                .at(node.at.clone(), "too large")
                .note("a span of time reaches 53 days, a rate 1000000 Tbps"),
            Fault::Broken => {
                wrong(format!("`{}` must be whole", key.name)).at(node.at.clone(), "a fraction")
            }
            Fault::UnknownUnit(unit) => wrong(format!("unknown unit `{}`", clip(&unit)))
                .at(node.at.clone(), format!("no unit for `{}`", key.name))
                .help_if(
                    units::meant_unit(&unit, &units)
                        .map(|meant| format!("did you mean `{meant}`?")),
                ),
        };
        self.mistakes.push(diagnostic.note(allowed));
    }
}

/// Names that one range may stand for.
const LONGEST_RANGE: u64 = 1_000_000;

/// `D{1..5}` stands for `D1` to `D5`; a name without a range for itself.
fn expand_range(text: &str, at: &At, names: &mut Vec<(String, At)>) {
    match range(text) {
        Some((before, first, last, after)) => {
            let numbers = first..=last;
            names.extend(numbers.map(|number| (format!("{before}{number}{after}"), at.clone())));
        }
        None => names.push((text.into(), at.clone())),
    }
}

fn range(text: &str) -> Option<(&str, u64, u64, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    let (first, last) = inside.split_once("..")?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last - first < LONGEST_RANGE).then_some((before, first, last, after))
}
