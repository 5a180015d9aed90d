//! What kinds of values have in common: the simplest readings, and what goes wrong in them.
//!
//! What tells a mistake gives `None`, the value that was not read.

use super::{Reader, clip};
use crate::diagnostics::Diagnostic;
use crate::table::{Facts, Form, Key};
use crate::tree::{Node, Value};
use crate::units::{self, Fault};

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
            (Form::Tables, Value::Table(_)) => {
                format!("write `[[{}]]` in double brackets, once for each", key.name)
            }
            _ => format!("write it like this: `{}`", key.example()),
        };
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
                .help(format!(
                    "write the unit in quotes: `{} = \"{}\"`{}",
                    key.name,
                    with_unit(&shown, &facts),
                    if facts.units.contains(&"cells") {
                        format!(", or `\"{shown} cells\"`")
                    } else {
                        String::new()
                    }
                )),
            Fault::NoNumber => wrong(format!("`{}` must be {}", key.name, facts.noun))
                .at(&node.at, "does not start with a number")
                .help(format!("write it like this: `{}`", key.example())),
            Fault::Negative => {
                wrong(format!("`{}` can't be negative", key.name)).at(&node.at, "below zero")
            }
            Fault::TooLarge => wrong(format!("`{}` is more than the simulator holds", key.name))
                .at(&node.at, "too large")
                .note("a span of time reaches 53 days, a rate 1000000 Tbps"),
            Fault::Broken => {
                wrong(format!("`{}` must be whole", key.name)).at(&node.at, "a fraction")
            }
            Fault::UnknownUnit(unit) => wrong(format!("unknown unit `{}`", clip(&unit)))
                .at(&node.at, format!("no unit for `{}`", key.name))
                .help_if(
                    units::meant_unit(&unit, &facts.units)
                        .map(|meant| format!("did you mean `{meant}`?")),
                ),
        };
        self.mistakes
            .push(diagnostic.note(format!("allowed: {}", facts.allowed)));
        None
    }
}

/// The quantity that a bare number may be: a fraction of what may be a share is a percentage, and
/// a number of many digits is in the smallest unit.
fn with_unit(number: &str, facts: &Facts) -> String {
    let share = units::share(number).ok();
    let is_share =
        |share: &units::Decimal| facts.units.contains(&"%") && share.scale > 0 && !share.exceeds(1);
    if let Some(share) = share.filter(is_share) {
        return format!("{} %", share.in_percent());
    }
    let is_above = |most: u128| share.is_some_and(|number| number.exceeds(most));
    let unit = match facts.usual_unit {
        "kB" if is_above(9_999) => "B",
        "Mbps" if is_above(999_999) => "bps",
        usual => usual,
    };
    format!("{number} {unit}")
}
