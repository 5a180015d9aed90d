//! Reads what is counted: numbers of cycles, lists of numbers, and tables written short.

use super::Reader;
use crate::diagnostics::Diagnostic;
use crate::record::Datum;
use crate::table::{Key, Kind, Section};
use crate::tree::{Entry, Node, Value};
use crate::units::{self, Fault};

/// Longest list of numbers read.
const MOST_NUMBERS: usize = 1 << 20;

impl Reader<'_> {
    pub(super) fn cycles(&mut self, key: &Key, node: &Node, min: u64, max: u64) -> Option<Datum> {
        let Value::Text(text) = &node.value else {
            return self.whole(key, node, min, max);
        };
        match units::cycles(text) {
            Ok(cycles) if cycles < min => self.out_of_range(key, node, "too few"),
            Ok(cycles) if cycles > max => self.out_of_range(key, node, "too many"),
            Ok(cycles) => return Some(Datum::Whole(cycles)),
            Err(Fault::TooLarge) => self.out_of_range(key, node, "too many"),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    pub(super) fn wholes(&mut self, key: &Key, node: &Node, min: u64, max: u64) -> Option<Datum> {
        let items = self.items(key, node)?;
        let mut numbers = Vec::with_capacity(items.len());
        for item in items {
            let Some(Datum::Whole(number)) = self.whole(key, item, min, max) else {
                return None;
            };
            numbers.push(number);
        }
        Some(Datum::Wholes(numbers))
    }

    pub(super) fn rows(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let mut rows = Vec::new();
        for item in self.items(key, node)? {
            let mut row = Vec::new();
            for cell in self.items(key, item)? {
                let Some(number) = cell.number() else {
                    self.wrong_type(key, cell);
                    return None;
                };
                match number.parse::<f64>() {
                    Ok(number) if number >= 0.0 && number.is_finite() => row.push(number),
                    _ => {
                        self.out_of_range(key, cell, "not a number from 0 on");
                        return None;
                    }
                }
            }
            rows.push(row);
        }
        Some(Datum::Rows(rows))
    }

    /// The items of a list that is neither empty nor endless.
    fn items<'n>(&mut self, key: &Key, node: &'n Node) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(items) if items.is_empty() => {
                self.out_of_range(key, node, "an empty list");
                None
            }
            Value::List(items) if items.len() > MOST_NUMBERS => {
                self.out_of_range(key, node, "too many numbers");
                None
            }
            Value::List(items) => Some(items),
            _ => {
                self.wrong_type(key, node);
                None
            }
        }
    }

    pub(super) fn truth(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let Value::Bool(truth) = node.value else {
            self.wrong_type(key, node);
            return None;
        };
        Some(Datum::Truth(truth))
    }

    pub(super) fn path(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let text = self.text(key, node)?;
        if text.trim().is_empty() || text.contains('\0') {
            self.mistakes.push(
                Diagnostic::error("bad-name", format!("`{}` names no file", key.name))
                    .at(node.at.clone(), "no path")
                    .help(format!("write it like this: `{}`", key.example())),
            );
            return None;
        }
        Some(Datum::Text(text))
    }

    /// A table, or the value of its key `alone`, which is told under the name of `key`.
    pub(super) fn short(
        &mut self,
        key: &'static Key,
        section: &'static Section,
        alone: &'static str,
        node: &Node,
    ) -> Option<Datum> {
        if let Value::Table(_) = node.value {
            return Some(Datum::Record(self.section(section, node)));
        }
        let inner = section.key(alone)?;
        let named = Key {
            name: key.name,
            ..*inner
        };
        match (inner.kind, &node.value) {
            (Kind::Choice(choices), Value::Text(_)) => {
                self.chosen(&named, node, choices)?;
            }
            (Kind::Whole { min, max, .. }, Value::Integer(..)) => {
                self.whole(&named, node, min, max)?;
            }
            _ => {
                self.wrong_type(key, node);
                return None;
            }
        }
        let entry = Entry {
            key: alone.into(),
            key_at: node.at.clone(),
            node: node.clone(),
        };
        let table = Node {
            value: Value::Table(vec![entry]),
            at: node.at.clone(),
        };
        Some(Datum::Record(self.section(section, &table)))
    }
}
