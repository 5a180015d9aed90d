//! Spans of time, with and without cells, and cable, which is one too.

use backwater_kernel::Duration;
use backwater_net::spec::Span::{Exponential, Fixed, Uniform};
use serde_json::json;

use super::or::or;
use super::{Facts, Kind, any_of, names, of, quantity};
use crate::diagnostics::Diagnostic;
use crate::reader::Reader;
use crate::record::Datum;
use crate::table::Key;
use crate::tree::{self, Node};
use crate::units::{self, LENGTHS, TIMES};

/// A span of time.
#[derive(Clone, Copy)]
pub struct Time {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A word, or a span of time.
pub struct TimeOr {
    /// The word.
    pub word: &'static str,
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A span of time, or `{ mean = .. }` of a random one.
pub struct Span {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// The same where there are no cells.
pub struct ClockSpan {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A span of time where there are no cells.
pub struct Clock {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A word, or such a span.
pub struct ClockOr {
    /// The word.
    pub word: &'static str,
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A length of cable, read as its delay at 5 ns/m.
pub struct Cable;

impl Time {
    fn ps(self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Duration> {
        let cell_ps = reader.cell_ps;
        match reader.quantity(key, node, |text| units::time_ps(text, cell_ps))? {
            ps if ps >= self.min_ps => Some(Duration(ps)),
            _ => reader.out_of_range(key, node, "shorter than the clock's step of 1 ps"),
        }
    }
}

impl Kind for Time {
    fn facts(&self) -> Facts {
        let schema = quantity(&[names(TIMES), vec!["cells", "cell"]].concat());
        let units = [vec!["cells"], clock_units()].concat();
        Facts::new("a span of time", "\"50 us\"", schema).range(from(self.min_ps), units, "us")
    }

    fn example_for(&self, key: &str) -> String {
        match key {
            "duration" => "\"20000 cells\"".into(),
            _ => self.facts().example,
        }
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        self.ps(reader, key, node).map(fixed)
    }
}

/// What a random span may be besides a fixed one of this kind, with a mean as an example.
fn or_random(fixed: Facts, mean: &str) -> Facts {
    let random = json!({
        "type": "object",
        "properties": { "mean": fixed.schema, "law": { "enum": LAWS } },
        "required": ["mean"], "additionalProperties": false,
    });
    let allowed = fixed.allowed;
    Facts::new(
        "a span of time, fixed or random",
        format!("{{ mean = \"{mean}\" }}"),
        any_of([fixed.schema, random]),
    )
    .allowed(format!(
        "{allowed}; `{{ mean = \"{mean}\" }}` for an exponential one, with `law = \"uniform\"` \
         evenly from 0 to twice the mean"
    ))
    .units(fixed.units, "us")
}

/// The laws of random spans, the usual one first.
const LAWS: [&str; 2] = ["exponential", "uniform"];

/// A span of this kind, or a table with the mean of a random one, which is of the other kind.
fn fixed_or_random(
    (fixed, mean): (&dyn Kind, &dyn Kind),
    reader: &mut Reader<'_>,
    key: &Key,
    node: &Node,
) -> Option<Datum> {
    let tree::Value::Table(entries) = &node.value else {
        return fixed.read(reader, key, node);
    };
    let law = match node.get("law").map(|law| &law.value) {
        None => Some(Exponential as fn(Duration) -> backwater_net::spec::Span),
        Some(tree::Value::Text(word)) if word == LAWS[0] => Some(Exponential as _),
        Some(tree::Value::Text(word)) if word == LAWS[1] => Some(Uniform as _),
        Some(_) => None,
    };
    let known = entries
        .iter()
        .all(|entry| ["mean", "law"].contains(&entry.key.as_str()));
    if let (Some(law), Some(given), true) = (law, node.get("mean"), known) {
        return match mean.read(reader, key, given)? {
            Datum::Span(Fixed(span)) => Some(Datum::Span(law(span))),
            _ => None,
        };
    }
    let Facts { noun, example, .. } = key.kind.facts();
    Diagnostic::error("wrong-type", format!("`{}` must be {noun}", key.name))
        .at(&node.at, "needs `mean`, and `law` if it is not exponential")
        .note("laws: `exponential`, `uniform`")
        .help(format!("write `{} = {example}`", key.name))
        .tell(reader.mistakes);
    None
}

impl Kind for Span {
    fn facts(&self) -> Facts {
        let Self { min_ps } = *self;
        or_random(Time { min_ps }.facts(), "50 cells")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let Self { min_ps } = *self;
        fixed_or_random((&Time { min_ps }, &Time { min_ps: 1 }), reader, key, node)
    }
}

impl Kind for ClockSpan {
    fn facts(&self) -> Facts {
        let Self { min_ps } = *self;
        or_random(Clock { min_ps }.facts(), "1 ms")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let Self { min_ps } = *self;
        fixed_or_random((&Clock { min_ps }, &Clock { min_ps: 1 }), reader, key, node)
    }
}

impl Kind for Clock {
    fn facts(&self) -> Facts {
        Facts::new("a span of time", "\"50 us\"", quantity(&names(TIMES))).range(
            from(self.min_ps),
            clock_units(),
            "us",
        )
    }

    fn example_for(&self, key: &str) -> String {
        match key {
            "duration" => "\"10 s\"".into(),
            _ => self.facts().example,
        }
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::clock_ps)? {
            ps if ps >= self.min_ps => Some(fixed(Duration(ps))),
            _ => reader.out_of_range(key, node, "shorter than the clock's step"),
        }
    }
}

impl Kind for Cable {
    fn facts(&self) -> Facts {
        Facts::new("a length", "\"100 m\"", quantity(&names(LENGTHS))).range(
            "0 m to 1000 km",
            names(LENGTHS),
            "m",
        )
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let ps = reader.quantity(key, node, units::cable_ps)?;
        Some(fixed(Duration(ps)))
    }
}

fn fixed(span: Duration) -> Datum {
    Datum::Span(Fixed(span))
}

fn from(min_ps: u64) -> &'static str {
    match min_ps {
        0 => "0 s or longer",
        _ => "1 ps or longer",
    }
}

fn clock_units() -> Vec<&'static str> {
    let mut names = names(TIMES);
    names.retain(|name| name.is_ascii());
    names
}

or! {
    TimeOr: Time { min_ps };
    ClockOr: Clock { min_ps };
}
of! {
    Time for Duration { Datum::Span(Fixed(span)) => *span } else |kind| Duration(kind.min_ps);
    Time for backwater_kernel::Time { Datum::Span(Fixed(span)) => backwater_kernel::Time(span.0) }
        else |kind| backwater_kernel::Time(kind.min_ps);
    Clock for Duration { Datum::Span(Fixed(span)) => *span } else |kind| Duration(kind.min_ps);
    Clock for backwater_kernel::Time { Datum::Span(Fixed(span)) => backwater_kernel::Time(span.0) }
        else |kind| backwater_kernel::Time(kind.min_ps);
    Span for backwater_net::spec::Span { Datum::Span(span) => *span }
        else |kind| Fixed(Duration(kind.min_ps));
    ClockSpan for backwater_net::spec::Span { Datum::Span(span) => *span }
        else |kind| Fixed(Duration(kind.min_ps));
    Cable for Duration { Datum::Span(Fixed(span)) => *span } else |_| Duration(0);
}
