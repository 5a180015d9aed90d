//! The loads of a search: an axis that the options of a command line stand for.

use std::ops::Range;

use super::axes::{self, Draft};
use super::overrides;
use super::range;
use crate::language::source::Source;
use crate::language::tree::{self, Entry, Node, Value};
use crate::prelude::*;

/// Multiples of a step between two ends, and the key that they are put at.
#[derive(Clone, Debug)]
pub struct Grid {
    /// A path, as `--set` takes it, or its last name.
    pub over: String,
    /// The smallest value.
    pub low: GridEnd,
    /// The largest one.
    pub high: GridEnd,
    /// Between two neighbours.
    pub precision: GridEnd,
}

/// One number of a grid.
#[derive(Clone, Debug)]
pub struct GridEnd {
    /// As it stands on the command line, for messages.
    pub typed: String,
    /// As TOML has it.
    pub value: String,
}

/// A command line, and where its values stand in it.
struct Typed {
    text: String,
    places: Vec<Range<usize>>,
}

impl Grid {
    fn typed(&self) -> Typed {
        let mut typed = Typed {
            text: String::new(),
            places: Vec::new(),
        };
        for (option, value) in [
            ("--over", &self.over),
            ("--low", &self.low.typed),
            ("--high", &self.high.typed),
            ("--precision", &self.precision.typed),
        ] {
            let space = if typed.text.is_empty() { "" } else { " " };
            typed.text += &format!("{space}{option} ");
            let start = typed.text.len();
            typed.text += value;
            typed.places.push(start..typed.text.len());
        }
        typed
    }

    /// As a source, so that messages can point into it.
    pub(super) fn source(&self) -> Source {
        Source::new("--over, --low, --high, --precision", self.typed().text)
    }

    /// Puts the axis among the others.
    pub(super) fn read(
        &self,
        source: usize,
        base: &Node,
        drafts: &mut Vec<Draft>,
        mistakes: &mut Diagnostics,
    ) {
        let Typed { text, places } = self.typed();
        let place = |index: usize| At::range(source, places[index].clone());
        let mut path = overrides::owned(&self.over, source);
        for (_, at) in &mut path {
            at.start += places[0].start;
            at.end += places[0].start;
        }
        let end = |index: usize, end: &GridEnd| Node {
            at: place(index),
            ..tree::read_value(&end.value, source, places[index].start)
        };
        let (low, high) = (end(1, &self.low), end(2, &self.high));
        if range::is_above(&low, &high) {
            let (smaller, larger) = (&self.high.typed, &self.low.typed);
            Diagnostic::error("bad-range", "`--low` is above `--high`")
                .at(&low.at, "the lowest load tried")
                .at(&high.at, "the highest")
                .help(format!("write `--low {smaller} --high {larger}`"))
                .tell(mistakes);
            return;
        }
        let entry = |key: &str, node: Node| Entry {
            key: key.into(),
            key_at: node.at.clone(),
            node,
        };
        let values = Node {
            value: Value::Table(vec![
                entry("from", low),
                entry("to", high),
                entry("step", end(3, &self.precision)),
            ]),
            at: At::range(source, places[1].start..text.len()),
        };
        axes::add(path, values, base, drafts, mistakes);
    }
}
