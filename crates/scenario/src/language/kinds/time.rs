//! Spans of time, with and without cells, and cable, which is one too.

use backwater_kernel::Duration;
use backwater_net::spec::Span::{Exponential, Fixed, Uniform};
use serde_json::json;

use super::{Facts, Kind, any_of, names, of, quantity};
use crate::language::diagnostics::Diagnostic;
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};
use crate::language::units::{self, LENGTHS, TIMES};

/// A span of time, counted in cells too where there are some.
#[derive(Clone, Copy)]
pub struct Lasting<const CELLS: bool> {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A span of time.
pub type Time = Lasting<true>;
/// A span of time where there are no cells.
pub type Clock = Lasting<false>;

/// A span of time, or `{ mean = .. }` of a random one.
pub struct Drawn<const CELLS: bool> {
    /// Least, in picoseconds.
    pub min_ps: u64,
}

/// A span of time, or `{ mean = .. }` of a random one.
pub type Span = Drawn<true>;
/// The same where there are no cells.
pub type ClockSpan = Drawn<false>;

/// A length of cable, read as its delay at 5 ns/m.
pub struct Cable;

impl<const CELLS: bool> Kind for Lasting<CELLS> {
    fn facts(&self) -> Facts {
        let cells: &[&str] = if CELLS { &["cells", "cell"] } else { &[] };
        let mut clock_units = names(TIMES);
        clock_units.retain(|name| name.is_ascii());
        let units = [cells.get(..1).unwrap_or_default(), &clock_units].concat();
        let schema = quantity(&[&names(TIMES), cells].concat());
        let range = match self.min_ps {
            0 => "0 s or longer",
            _ => "1 ps or longer",
        };
        Facts::new("a span of time", "\"50 us\"", schema).range(range, units, "us")
    }

    fn example_for(&self, key: &str) -> String {
        match (key, CELLS) {
            ("duration", true) => "\"20000 cells\"".into(),
            ("duration", false) => "\"10 s\"".into(),
            _ => self.facts().example,
        }
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let cell_ps = reader.cell_ps;
        let ps = |text: &str| match CELLS {
            true => units::time_ps(text, cell_ps),
            false => units::clock_ps(text),
        };
        match reader.quantity(key, node, ps)? {
            ps if ps >= self.min_ps => Some(fixed(Duration(ps))),
            _ if CELLS => reader.out_of_range(key, node, "shorter than the clock's step of 1 ps"),
            _ => reader.out_of_range(key, node, "shorter than the clock's step"),
        }
    }
}

/// The laws of random spans, the usual one first.
const LAWS: [&str; 2] = ["exponential", "uniform"];

impl<const CELLS: bool> Kind for Drawn<CELLS> {
    fn facts(&self) -> Facts {
        let fixed = Lasting::<CELLS> {
            min_ps: self.min_ps,
        };
        let (fixed, mean) = (fixed.facts(), if CELLS { "50 cells" } else { "1 ms" });
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
            "{allowed}; `{{ mean = \"{mean}\" }}` for an exponential one, with \
             `law = \"uniform\"` evenly from 0 to twice the mean"
        ))
        .units(fixed.units, "us")
    }

    /// A span, or a table with the mean of a random one.
    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let at_least = |min_ps| Lasting::<CELLS> { min_ps };
        let tree::Value::Table(entries) = &node.value else {
            return at_least(self.min_ps).read(reader, key, node);
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
            return match at_least(1).read(reader, key, given)? {
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
}

impl Kind for Cable {
    fn facts(&self) -> Facts {
        Facts::new("a length", "\"100 m\"", quantity(&names(LENGTHS))).range(
            "0 m to 1000000 km",
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
