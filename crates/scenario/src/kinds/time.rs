//! Spans of time, with and without cells, and cable, which is one too.

use kernel::Duration;
use packet::spec::Span::{Exponential, Fixed};
use serde_json::json;

use super::or::or;
use super::{Facts, Kind, any_of, names, of};
use crate::diagnostics::Diagnostic;
use crate::reader::Reader;
use crate::record::Datum;
use crate::schema::quantity;
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

/// A span of time, or `{ mean = .. }` of an exponential one.
pub struct Span {
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

impl Span {
    fn time(&self) -> Time {
        Time {
            min_ps: self.min_ps,
        }
    }
}

impl Kind for Span {
    fn facts(&self) -> Facts {
        let time = self.time().facts();
        let exponential = json!({
            "type": "object", "properties": { "mean": time.schema },
            "required": ["mean"], "additionalProperties": false,
        });
        let allowed = time.allowed;
        Facts::new(
            "a span of time, fixed or exponential",
            "{ mean = \"50 cells\" }",
            any_of([time.schema, exponential]),
        )
        .allowed(format!(
            "{allowed}; `{{ mean = \"50 cells\" }}` for an exponential one"
        ))
        .units(time.units, "us")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let tree::Value::Table(entries) = &node.value else {
            return self.time().read(reader, key, node);
        };
        if let [entry] = entries.as_slice()
            && entry.key == "mean"
        {
            let mean = Time { min_ps: 1 }.ps(reader, key, &entry.node)?;
            return Some(Datum::Span(Exponential(mean)));
        }
        reader.mistakes.push(
            Diagnostic::error(
                "wrong-type",
                format!("`{}` must be {}", key.name, key.kind.facts().noun),
            )
            .at(node.at.clone(), "needs `mean` and nothing else")
            .help(format!("write `{} = {{ mean = \"50 cells\" }}`", key.name)),
        );
        None
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
    Time for kernel::Time { Datum::Span(Fixed(span)) => kernel::Time(span.0) }
        else |kind| kernel::Time(kind.min_ps);
    Clock for Duration { Datum::Span(Fixed(span)) => *span } else |kind| Duration(kind.min_ps);
    Clock for kernel::Time { Datum::Span(Fixed(span)) => kernel::Time(span.0) }
        else |kind| kernel::Time(kind.min_ps);
    Span for packet::spec::Span { Datum::Span(span) => *span }
        else |kind| Fixed(Duration(kind.min_ps));
    Cable for Duration { Datum::Span(Fixed(span)) => *span } else |_| Duration(0);
}
