//! What each kind of value is called, looks like and may be.

use crate::keys::sweep::MOST_SEEDS;
use crate::table::{Key, Kind};
use crate::units::{LENGTHS, RATES, SIZES, TIMES, Unit};

impl Kind {
    /// "a span of time".
    pub(crate) fn noun(&self) -> String {
        match self {
            Self::Text => "text".into(),
            Self::Name => "a name".into(),
            Self::Reference(what) => format!("the name of a {what}"),
            Self::References(what) => format!("the name of a {what} or a list of names"),
            Self::ReferenceList(what) => format!("a list of names of {what}s"),
            Self::Names => "a list of names".into(),
            Self::Whole { .. } => "a whole number".into(),
            Self::WholeOr { word, .. } => format!("a whole number or `\"{word}\"`"),
            Self::Wholes { .. } => "a list of whole numbers".into(),
            Self::Truth => "true or false".into(),
            Self::Decimal { .. } => "a decimal number".into(),
            Self::Rows => "a list of lists of numbers".into(),
            Self::Path => "the path of a file".into(),
            Self::Cycles { .. } => "a number of cycles".into(),
            Self::CyclesOr { word, .. } => format!("a number of cycles or `\"{word}\"`"),
            Self::Probability => "a probability".into(),
            Self::Portion => "a number from 0 to 1".into(),
            Self::Share => "a share of a rate".into(),
            Self::Time { .. } => "a span of time".into(),
            Self::TimeOr { word, .. } => format!("a span of time or `\"{word}\"`"),
            Self::Span { .. } => "a span of time, fixed or exponential".into(),
            Self::Clock { .. } => "a span of time".into(),
            Self::ClockOr { word, .. } => format!("a span of time or `\"{word}\"`"),
            Self::Cable => "a length".into(),
            Self::Rate | Self::CellRate { .. } => "a rate".into(),
            Self::RateOrShare { word } => {
                format!("a rate, a share of the link's rate or `\"{word}\"`")
            }
            Self::Size { .. } => "a size".into(),
            Self::Threshold => "a size or a share of the limit".into(),
            Self::Ratio { .. } => "a fraction".into(),
            Self::PortionOr { word } => format!("a share or `\"{word}\"`"),
            Self::Seeds => "a number of seeds or a list of them".into(),
            Self::Axes => "a table of paths and their values".into(),
            Self::Choice(_) => "one of the words below".into(),
            Self::Short(..) => match self.short_key().map(|key| key.kind) {
                Some(Self::Choice(_)) => "a word or a table".into(),
                Some(kind) => format!("{} or a table", kind.noun()),
                None => "a table".into(),
            },
            Self::Table(_) => "a table".into(),
            Self::Tables(_) => "a list of tables".into(),
        }
    }

    /// A value, as TOML.
    pub(crate) fn example(&self) -> &'static str {
        match self {
            Self::Text => "\"Two switches\"",
            Self::Name | Self::Reference("flow") => "\"VC1\"",
            Self::Reference("channel") => "\"S1->S2\"",
            Self::Reference(_) | Self::References(_) => "\"A\"",
            Self::ReferenceList("node") => "[\"A\", \"S1\"]",
            Self::ReferenceList(_) | Self::Names => "[\"A\", \"B\"]",
            Self::Whole { .. } | Self::WholeOr { .. } => "10",
            Self::Wholes { min: 0, .. } => "[0, 1]",
            Self::Wholes { .. } => "[8, 8]",
            Self::Truth => "true",
            Self::Decimal { .. } => "0.5",
            Self::Rows => "[[0, 1], [1, 0]]",
            Self::Path => "\"demand.csv\"",
            Self::Cycles { .. } | Self::CyclesOr { .. } => "\"20000 cycles\"",
            Self::Probability => "0.001",
            Self::Portion => "0.3",
            Self::Share => "\"33 %\"",
            Self::Time { .. } | Self::TimeOr { .. } => "\"50 us\"",
            Self::Span { .. } => "{ mean = \"50 cells\" }",
            Self::Clock { .. } | Self::ClockOr { .. } => "\"50 us\"",
            Self::Cable => "\"100 m\"",
            Self::Rate => "\"622 Mbps\"",
            Self::CellRate { .. } => "\"10 Mbps\"",
            Self::RateOrShare { .. } => "\"100 Mbps\"",
            Self::Size { .. } => "\"6 kB\"",
            Self::Threshold => "\"80 %\"",
            Self::Ratio { .. } => "\"1/8\"",
            Self::PortionOr { .. } => "\"50 %\"",
            Self::Seeds => "5",
            Self::Axes => "{ load = [0.1, 0.2, 0.4] }",
            Self::Choice(choices) => choices.first().map_or("", |choice| choice.name),
            Self::Short(..) => self.short_key().map_or("{}", |key| key.kind.example()),
            Self::Table(_) => "{}",
            Self::Tables(_) => "[]",
        }
    }

    /// What may be given, with units and range.
    pub(crate) fn allowed(&self) -> String {
        match self {
            Self::Whole { min, max, unit } => range(*min, *max, unit),
            Self::WholeOr {
                word,
                min,
                max,
                unit,
            } => {
                format!("`\"{word}\"`, or {}", range(*min, *max, unit))
            }
            Self::Wholes { min, max, unit } => format!("a list of {}", range(*min, *max, unit)),
            Self::Decimal { min, max } => format!("{min} to {max}"),
            Self::Rows => "a list of lists of numbers from 0 on, all of one length".into(),
            Self::Path => "the path of a file, from the folder of the scenario".into(),
            Self::Cycles { min, max } => cycles(*min, *max),
            Self::CyclesOr { word, min, max } => format!("`\"{word}\"`, or {}", cycles(*min, *max)),
            Self::Probability | Self::Portion => "0 to 1, or `\"0 %\"` to `\"100 %\"`".into(),
            Self::Share => "above 0, at most 100; or a percentage, `\"33 %\"`".into(),
            Self::Time { min_ps } => times(*min_ps),
            Self::TimeOr { word, min_ps } => format!("`\"{word}\"`, or {}", times(*min_ps)),
            Self::Span { min_ps } => {
                format!(
                    "{}; `{{ mean = \"50 cells\" }}` for an exponential one",
                    times(*min_ps)
                )
            }
            Self::Rate => format!("1 bps to 1000000 Tbps, in {}", units(&rate_units())),
            Self::RateOrShare { word } => {
                format!("`\"{word}\"`, a percentage (`\"64 %\"`) or a rate (`\"100 Mbps\"`)")
            }
            Self::Size { min, max } => {
                format!("{min} B to {max} B, in {}", units(&size_units()))
            }
            Self::Choice(choices) => {
                let words: Vec<String> = choices
                    .iter()
                    .map(|choice| format!("`\"{}\"`", choice.name))
                    .collect();
                words.join(", ")
            }
            Self::Seeds => format!(
                "a whole number from 1 to {MOST_SEEDS}, or a list of different whole numbers"
            ),
            Self::Axes => "for each axis a list of values, `{ from = 0.1, to = 0.9, step = 0.1 }` \
                           or `{ from = 1, to = 16, factor = 2 }`"
                .into(),
            Self::Name => "any text that is not empty and has no `->` in it".into(),
            Self::Reference("channel") => "`from->to`, two nodes that a link joins".into(),
            Self::Short(section, _) => {
                let alone = self
                    .short_key()
                    .map_or_else(String::new, |key| key.kind.allowed());
                format!(
                    "{alone}; or a table with {}",
                    Self::Table(section).allowed()
                )
            }
            Self::Table(section) | Self::Tables(section) => {
                let keys: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
                format!("keys {}", keys.join(", "))
            }
            _ => self.amounts(),
        }
    }

    /// The same of what only one engine measures.
    fn amounts(&self) -> String {
        match self {
            Self::CellRate { min } => {
                format!(
                    "{min} bps to 1000000 Tbps, in {}",
                    units(&cell_rate_units())
                )
            }
            Self::Clock { min_ps } => clocks(*min_ps),
            Self::ClockOr { word, min_ps } => format!("`\"{word}\"`, or {}", clocks(*min_ps)),
            Self::Cable => format!("0 m to 1000 km, in {}", units(&names(LENGTHS))),
            Self::Threshold => format!(
                "`\"0 %\"` to `\"100 %\"` of the limit, or bytes in {}",
                units(&size_units())
            ),
            Self::Ratio { max } => {
                format!("above 0, at most {max}: `\"1/8\"`, `0.125` or `\"12.5 %\"`")
            }
            Self::PortionOr { word } => {
                format!("`\"{word}\"`, or above 0 and below 1: `\"50 %\"`")
            }
            _ => self.noun(),
        }
    }

    /// The units a value may have.
    pub(crate) fn units(&self) -> Vec<&'static str> {
        match self {
            Self::Time { .. } | Self::TimeOr { .. } | Self::Span { .. } => time_units(),
            Self::Clock { .. } | Self::ClockOr { .. } => clock_units(),
            Self::Cable => names(LENGTHS),
            Self::Threshold => [vec!["%"], size_units()].concat(),
            Self::Rate => rate_units(),
            Self::CellRate { .. } => cell_rate_units(),
            Self::RateOrShare { .. } => [vec!["%"], rate_units()].concat(),
            Self::Size { .. } => size_units(),
            Self::Probability | Self::Portion | Self::Share => vec!["%"],
            Self::Ratio { .. } | Self::PortionOr { .. } => vec!["%"],
            Self::Cycles { .. } | Self::CyclesOr { .. } => vec!["cycles"],
            _ => Vec::new(),
        }
    }

    /// The unit to show in an example with the user's own number.
    pub(crate) fn usual_unit(&self) -> &'static str {
        match self {
            Self::Rate | Self::CellRate { .. } | Self::RateOrShare { .. } => "Mbps",
            Self::Size { .. } | Self::Threshold => "kB",
            Self::Cable => "m",
            Self::Ratio { .. } | Self::PortionOr { .. } => "%",
            Self::Probability | Self::Portion | Self::Share => "%",
            Self::Cycles { .. } | Self::CyclesOr { .. } => "cycles",
            _ => "us",
        }
    }
}

impl Key {
    /// `name = value`, as an example.
    pub(crate) fn example(&self) -> String {
        match self.kind {
            Kind::Choice(_) => format!("{} = \"{}\"", self.name, self.kind.example()),
            Kind::Short(..) => self.kind.short_key().map_or_else(String::new, |key| {
                Key {
                    name: self.name,
                    ..*key
                }
                .example()
            }),
            Kind::Decimal { min, .. } if min > 0.5 => format!("{} = {}", self.name, 1.5 * min),
            Kind::Whole { min, .. } if min > 10 => format!("{} = {min}", self.name),
            Kind::Time { .. } if self.name == "duration" => "duration = \"20000 cells\"".into(),
            Kind::Clock { .. } if self.name == "duration" => "duration = \"10 s\"".into(),
            _ => format!("{} = {}", self.name, self.kind.example()),
        }
    }
}

fn range(min: u64, max: u64, unit: &str) -> String {
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    match max {
        u64::MAX => format!("whole numbers from {min} on{unit}"),
        _ => format!("whole numbers from {min} to {max}{unit}"),
    }
}

fn cycles(min: u64, max: u64) -> String {
    let example = max.min(20_000);
    format!("{min} to {max} cycles: `{example}` or `\"{example} cycles\"`")
}

fn times(min_ps: u64) -> String {
    let least = if min_ps == 0 { "0 s" } else { "1 ps" };
    format!("{least} or longer, in {}", units(&time_units()))
}

fn clocks(min_ps: u64) -> String {
    let least = if min_ps == 0 { "0 s" } else { "1 ps" };
    format!("{least} or longer, in {}", units(&clock_units()))
}

fn units(names: &[&str]) -> String {
    names.join(", ")
}

fn time_units() -> Vec<&'static str> {
    [vec!["cells"], clock_units()].concat()
}

fn clock_units() -> Vec<&'static str> {
    let mut names = names(TIMES);
    names.retain(|name| name.is_ascii());
    names
}

fn names(units: &[Unit]) -> Vec<&'static str> {
    units.iter().map(|unit| unit.0).collect()
}

fn rate_units() -> Vec<&'static str> {
    RATES
        .iter()
        .map(|unit| unit.0)
        .filter(|name| !name.contains('/'))
        .collect()
}

fn cell_rate_units() -> Vec<&'static str> {
    [rate_units(), vec!["cells/s"]].concat()
}

fn size_units() -> Vec<&'static str> {
    SIZES
        .iter()
        .map(|unit| unit.0)
        .filter(|name| *name != "bytes")
        .collect()
}
