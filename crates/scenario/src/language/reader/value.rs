//! What kinds of values have in common: the simplest readings, and what goes wrong in them.
//!
//! What tells a mistake gives `None`, the value that was not read.

use super::forms::ungrouped;
use super::{Reader, clip};
use crate::language::diagnostics::Diagnostic;
use crate::language::table::{Default, Facts, Form, Key};
use crate::language::tree::{Node, Value};
use crate::language::units::{self, FASTEST, Fault};

/// Longest list of numbers read.
const MOST_NUMBERS: usize = 1 << 20;

impl Reader<'_> {
    pub(crate) fn text(&mut self, key: &Key, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) => Some(text.clone()),
            _ => self.wrong_type(key, node),
        }
    }

    /// The items of a list that is neither empty nor endless.
    pub(crate) fn items<'n>(&mut self, key: &Key, node: &'n Node) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(items) if items.is_empty() => self.out_of_range(key, node, "an empty list"),
            Value::List(items) if items.len() > MOST_NUMBERS => {
                self.out_of_range(key, node, "too many numbers")
            }
            Value::List(items) => Some(items),
            _ => self.wrong_type(key, node),
        }
    }

    /// A number with a unit, as `read` takes it.
    pub(crate) fn quantity<T>(
        &mut self,
        key: &Key,
        node: &Node,
        read: impl FnOnce(&str) -> Result<T, Fault>,
    ) -> Option<T> {
        let read = match (&node.value, node.number()) {
            (Value::Text(text), _) => read(text),
            // A bare number goes on to be refused for its sign or for its missing unit.
            (_, Some(number)) => read(&number),
            _ => return self.wrong_type(key, node),
        };
        match read {
            Ok(value) => Some(value),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
    }

    pub(crate) fn wrong_type<T>(&mut self, key: &Key, node: &Node) -> Option<T> {
        let help = match (key.kind.form(), &node.value) {
            (Form::Table, Value::List(_)) => {
                format!("write `[{0}]` in single brackets, once", key.name)
            }
            // A path into a list that is not there made a table.
            (Form::Tables, Value::Table(_)) if node.at.source > 0 => {
                let name = key.name;
                format!(
                    "the file has no `[[{name}]]` to change: give the list, `{name}=[{{ .. }}]`"
                )
            }
            (Form::Tables, Value::Table(_)) => {
                format!("write `[[{}]]` in double brackets, once for each", key.name)
            }
            _ if key.kind.refers() => format!("write {}", key.kind.facts().allowed),
            _ => format!("write it like this: `{}`", key.example()),
        };
        let help = self.in_right_form(key, node).unwrap_or(help);
        let Facts { noun, allowed, .. } = key.kind.facts();
        Diagnostic::error("wrong-type", format!("`{}` must be {noun}", key.name))
            .at(&node.at, format!("this is {}", node.kind()))
            .note(format!("allowed: {allowed}"))
            .help(help)
            .tell(self.mistakes);
        None
    }

    pub(crate) fn out_of_range<T>(&mut self, key: &Key, node: &Node, label: &str) -> Option<T> {
        let value = match &node.value {
            Value::Text(text) => clip(text),
            _ => clip(&node.to_toml()),
        };
        Diagnostic::error("out-of-range", format!("`{}` can't be {value}", key.name))
            .at(&node.at, label)
            .help_if(self.as_share(key, node))
            .note(format!("allowed: {}", key.kind.facts().allowed))
            .note(format!("{}: {}", key.name, key.meaning))
            .tell(self.mistakes);
        None
    }

    pub(crate) fn bad_quantity<T>(&mut self, key: &Key, node: &Node, fault: Fault) -> Option<T> {
        let shown = match &node.value {
            Value::Text(text) => text.trim().to_string(),
            _ => node.to_toml(),
        };
        let facts = key.kind.facts();
        let wrong = |message: String| Diagnostic::error("bad-quantity", message);
        let diagnostic = match fault {
            Fault::NoUnit => wrong(format!("`{}` needs a unit", key.name))
                .at(&node.at, "a number without a unit")
                .help(self.in_quotes(key, node, &shown)),
            Fault::NoNumber => wrong(format!("`{}` must be {}", key.name, facts.noun))
                .at(&node.at, "does not start with a number")
                .help(format!("write it like this: `{}`", key.example())),
            Fault::Negative => {
                wrong(format!("`{}` can't be negative", key.name)).at(&node.at, "below zero")
            }
            Fault::TooLarge => wrong(format!("`{}` is more than the simulator holds", key.name))
                .at(&node.at, "too large")
                .note(format!("a span of time reaches 53 days, a rate {FASTEST}")),
            Fault::Broken => {
                wrong(format!("`{}` must be whole", key.name)).at(&node.at, "a fraction")
            }
            Fault::UnknownUnit(unit) => wrong(format!("unknown unit `{}`", clip(&unit)))
                .at(&node.at, format!("no unit for `{}`", key.name))
                .help_if(
                    self.in_other_units(key, node, &shown, &unit)
                        .or_else(|| self.in_one(key, node, &shown)),
                ),
        };
        self.mistakes
            .push(diagnostic.note(format!("allowed: {}", facts.allowed)));
        None
    }

    /// The same quantity in units that the key takes.
    fn in_other_units(&self, key: &Key, node: &Node, text: &str, unit: &str) -> Option<String> {
        let meant = units::meant(text, unit, &key.kind.facts().units).into_iter();
        let meant = meant.filter(|meant| self.takes(key, node, &meant.quantity));
        let help: Vec<String> = meant.map(|meant| meant.help).collect();
        (!help.is_empty()).then(|| help.join(", "))
    }

    /// A number that is no share: a percentage, or what a share is.
    fn as_share(&self, key: &Key, node: &Node) -> Option<String> {
        let number = match &node.value {
            _ if self.is_trial || !key.kind.facts().units.contains(&"%") => return None,
            Value::Text(text) => text.trim().to_owned(),
            _ => node.number()?,
        };
        let percent = format!("{number} %");
        if !self.takes(key, node, &percent) {
            return None;
        }
        let name = key.name;
        let help = match self.is_beyond(key, node, &number) {
            true => {
                format!("a share of 1 is all of it: write `{name} = 0.5` or `{name} = \"50 %\"`")
            }
            false => format!("write it like this: `{name} = \"{percent}\"`"),
        };
        Some(help)
    }

    /// The same quantity where its digits stand in groups.
    fn in_one(&self, key: &Key, node: &Node, text: &str) -> Option<String> {
        let one = ungrouped(text);
        let is_taken = one != text && self.takes(key, node, &one);
        is_taken.then(|| format!("write it like this: `{} = \"{one}\"`", key.name))
    }

    /// The quantities that a bare number may be, of those that the key takes.
    fn in_quotes(&self, key: &Key, node: &Node, number: &str) -> String {
        let name = key.name;
        let likely = with_units(number, key).into_iter();
        let likely = likely.filter(|text| self.takes(key, node, text));
        let likely: Vec<String> = likely.collect();
        let Some(first) = likely.first() else {
            return format!("write it like this: `{}`", key.example());
        };
        let others = || likely.iter().filter(|text| !text.ends_with('%'));
        if first.ends_with('%') && self.is_beyond(key, node, number) {
            let or = others().next();
            let or = or.map_or(String::new(), |size| format!(", or `{name} = \"{size}\"`"));
            return format!("a share of 1 is all of it: write `{name} = \"50 %\"`{or}");
        }
        let cells = others().find(|text| text.ends_with(" cells") && *text != first);
        let or = cells.map_or(String::new(), |cells| {
            format!(", or `{name} = \"{cells}\"`")
        });
        format!("write the unit in quotes: `{name} = \"{first}\"`{or}")
    }

    /// Nobody means one or two percent by 1.5: it is a share of more than all there is.
    fn is_beyond(&self, key: &Key, node: &Node, number: &str) -> bool {
        let share = units::share(number);
        let is_beyond = share.is_ok_and(|share| share.exceeds(1) && !share.exceeds(2));
        is_beyond && self.takes(key, node, "50 %")
    }
}

/// The quantities that a bare number may be, the likeliest first: a fraction of what may be a share
/// is a percentage, a small fraction of time is in seconds, a number of many digits in the smallest
/// unit, and what may be counted is.
fn with_units(number: &str, key: &Key) -> Vec<String> {
    let facts = key.kind.facts();
    let share = units::share(number).ok();
    let is_above = |most: u128| share.is_some_and(|number| number.exceeds(most));
    let is_fraction = share.is_some_and(|share| share.scale > 0 && !share.exceeds(1));
    let is_small = share.is_some_and(|share| share.approximate() < 0.1);
    let example = units::split_number(facts.example.trim_matches('"'));
    let counted = example.map_or("", |(_, unit)| unit);
    let usual = match facts.usual_unit {
        "us" if is_small => "s",
        "kB" if is_above(9_999) => "B",
        "Mbps" if is_above(999_999) => "bps",
        usual => usual,
    };
    // What holds without the key is in the unit that suits it.
    let own = match key.default {
        Default::Is(toml) => units::split_number(toml.trim_matches('"')).ok(),
        _ => None,
    };
    let own = own
        .filter(|(number, _)| !number.is_zero())
        .map(|(_, unit)| unit)
        .filter(|unit| facts.units.contains(unit));
    let first = match (counted, own) {
        _ if is_fraction && facts.units.contains(&"%") => "%",
        (_, Some(own)) => own,
        ("%" | "cells", None) => counted,
        _ => usual,
    };
    let more = facts.units.iter().copied();
    let quantity = |unit: &str| match (unit, share) {
        ("%", Some(share)) if is_fraction => format!("{} %", share.in_percent()),
        _ => format!("{number} {unit}"),
    };
    let units = [first, usual, facts.usual_unit].into_iter().chain(more);
    units.map(quantity).collect()
}
