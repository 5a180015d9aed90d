//! Spans of time, with and without cells, and cable, which is one too.

use kernel::Duration;
use packet::spec;
use serde_json::{Value, json};

use super::{Kind, Or, names, of};
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
    fn noun(&self) -> String {
        "a span of time".into()
    }

    fn example(&self) -> String {
        "\"50 us\"".into()
    }

    fn example_for(&self, key: &str) -> String {
        match key {
            "duration" => "\"20000 cells\"".into(),
            _ => self.example(),
        }
    }

    fn allowed(&self) -> String {
        from(self.min_ps, &self.units())
    }

    fn units(&self) -> Vec<&'static str> {
        [vec!["cells"], clock_units()].concat()
    }

    fn schema(&self) -> Value {
        quantity(&[names(TIMES), vec!["cells", "cell"]].concat())
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        self.ps(reader, key, node).map(fixed)
    }
}

impl Or for TimeOr {
    type Other = Time;

    fn word(&self) -> &'static str {
        self.word
    }

    fn other(&self) -> Time {
        Time {
            min_ps: self.min_ps,
        }
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
    fn noun(&self) -> String {
        "a span of time, fixed or exponential".into()
    }

    fn example(&self) -> String {
        "{ mean = \"50 cells\" }".into()
    }

    fn allowed(&self) -> String {
        let fixed = self.time().allowed();
        format!("{fixed}; `{{ mean = \"50 cells\" }}` for an exponential one")
    }

    fn units(&self) -> Vec<&'static str> {
        self.time().units()
    }

    fn schema(&self) -> Value {
        let time = self.time().schema();
        json!({ "anyOf": [
            time,
            { "type": "object", "properties": { "mean": time },
              "required": ["mean"], "additionalProperties": false },
        ] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let tree::Value::Table(entries) = &node.value else {
            return self.time().read(reader, key, node);
        };
        if let [entry] = entries.as_slice()
            && entry.key == "mean"
        {
            let mean = Time { min_ps: 1 }.ps(reader, key, &entry.node)?;
            return Some(Datum::Span(spec::Span::Exponential(mean)));
        }
        reader.mistakes.push(
            Diagnostic::error(
                "wrong-type",
                format!("`{}` must be {}", key.name, key.kind.noun()),
            )
            .at(node.at.clone(), "needs `mean` and nothing else")
            .help(format!("write `{} = {{ mean = \"50 cells\" }}`", key.name)),
        );
        None
    }
}

impl Kind for Clock {
    fn noun(&self) -> String {
        "a span of time".into()
    }

    fn example(&self) -> String {
        "\"50 us\"".into()
    }

    fn example_for(&self, key: &str) -> String {
        match key {
            "duration" => "\"10 s\"".into(),
            _ => self.example(),
        }
    }

    fn allowed(&self) -> String {
        from(self.min_ps, &self.units())
    }

    fn units(&self) -> Vec<&'static str> {
        clock_units()
    }

    fn schema(&self) -> Value {
        quantity(&names(TIMES))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::clock_ps)? {
            ps if ps >= self.min_ps => Some(fixed(Duration(ps))),
            _ => reader.out_of_range(key, node, "shorter than the clock's step"),
        }
    }
}

impl Or for ClockOr {
    type Other = Clock;

    fn word(&self) -> &'static str {
        self.word
    }

    fn other(&self) -> Clock {
        Clock {
            min_ps: self.min_ps,
        }
    }
}

impl Kind for Cable {
    fn noun(&self) -> String {
        "a length".into()
    }

    fn example(&self) -> String {
        "\"100 m\"".into()
    }

    fn allowed(&self) -> String {
        format!("0 m to 1000 km, in {}", self.units().join(", "))
    }

    fn units(&self) -> Vec<&'static str> {
        names(LENGTHS)
    }

    fn usual_unit(&self) -> &'static str {
        "m"
    }

    fn schema(&self) -> Value {
        quantity(&names(LENGTHS))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let ps = reader.quantity(key, node, units::cable_ps)?;
        Some(fixed(Duration(ps)))
    }
}

fn fixed(span: Duration) -> Datum {
    Datum::Span(spec::Span::Fixed(span))
}

fn from(min_ps: u64, units: &[&str]) -> String {
    let least = if min_ps == 0 { "0 s" } else { "1 ps" };
    format!("{least} or longer, in {}", units.join(", "))
}

fn clock_units() -> Vec<&'static str> {
    let mut names = names(TIMES);
    names.retain(|name| name.is_ascii());
    names
}

of! {
    Time for Duration: Datum::Span(spec::Span::Fixed(span)) => *span,
        else |kind| Duration(kind.min_ps);
    Time for kernel::Time: Datum::Span(spec::Span::Fixed(span)) => kernel::Time(span.0),
        else |kind| kernel::Time(kind.min_ps);
    Clock for Duration: Datum::Span(spec::Span::Fixed(span)) => *span,
        else |kind| Duration(kind.min_ps);
    Clock for kernel::Time: Datum::Span(spec::Span::Fixed(span)) => kernel::Time(span.0),
        else |kind| kernel::Time(kind.min_ps);
    Span for spec::Span: Datum::Span(span) => *span,
        else |kind| spec::Span::Fixed(Duration(kind.min_ps));
    Cable for Duration: Datum::Span(spec::Span::Fixed(span)) => *span,
        else |_| Duration(0);
}
