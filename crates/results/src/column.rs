//! Columns of tables: their words, their unit, and the name that programs know them by.

use std::collections::BTreeSet;

/// One column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its words, without the unit.
    pub name: String,
    /// Unit of its values; empty where there is none.
    pub unit: String,
    /// Its heading in a terminal, where it is shown there: [`Column::UNIT`] for the unit in which
    /// its values are read best; empty for its words.
    pub short: String,
    /// What the values mean, for the tool tip and `columns.json`.
    pub meaning: String,
    /// Where values sit.
    pub align: Align,
    /// What its values are, where that is known without them.
    pub kind: Option<Kind>,
    /// It holds half the width of the 95 % interval of the column with the same words.
    pub is_interval: bool,
    /// Its values are of times, and bounds from below where some of what they are of has not ended.
    pub may_be_bound: bool,
}

/// Why there is no such column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoColumn {
    /// What is wrong with what was asked for.
    pub what: String,
    /// What there is instead.
    pub known: Vec<String>,
}

impl NoColumn {
    /// With what there is instead in the order of the alphabet, each once.
    pub(crate) fn sorted(
        what: impl Into<String>,
        known: impl IntoIterator<Item = String>,
    ) -> NoColumn {
        let known: BTreeSet<String> = known.into_iter().collect();
        NoColumn {
            what: what.into(),
            known: known.into_iter().collect(),
        }
    }
}

/// Where the values of a column sit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Align {
    /// Text.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Counts.
    Int,
    /// Measurements.
    Float,
    /// Words.
    Text,
}

impl Kind {
    /// The word for it in `columns.json`.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Int => "int",
            Kind::Float => "float",
            Kind::Text => "text",
        }
    }

    /// What this word stands for.
    pub fn named(word: &str) -> Option<Kind> {
        let all = [Kind::Int, Kind::Float, Kind::Text];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

impl Column {
    /// For a heading that is the unit.
    pub const UNIT: &str = "{}";

    /// A column of words.
    pub fn text(name: &str, meaning: &str) -> Column {
        Column {
            name: name.into(),
            unit: String::new(),
            short: String::new(),
            meaning: meaning.into(),
            align: Align::Left,
            kind: None,
            is_interval: false,
            may_be_bound: false,
        }
    }

    /// A column of numbers in `unit`.
    pub fn number(name: &str, unit: &str, meaning: &str) -> Column {
        Column {
            unit: unit.into(),
            align: Align::Right,
            ..Column::text(name, meaning)
        }
    }

    /// A column of numbers in the words of a reader: its heading and, behind a colon, its meaning.
    /// `sent [cells]: after the warm-up` is `sent` in cells.
    pub fn declared(told: &str) -> Column {
        let (heading, meaning) = told.split_once(": ").unwrap_or((told, ""));
        let with_unit = heading.strip_suffix(']');
        let with_unit = with_unit.and_then(|heading| heading.split_once(" ["));
        let (name, unit) = with_unit.unwrap_or((heading, ""));
        Column::number(name, unit, meaning)
    }

    /// This column, its values being bounds from below in some rows.
    pub fn or_bound(self) -> Column {
        Column {
            may_be_bound: true,
            ..self
        }
    }

    /// Half the width of the 95 % interval of the column `name` in `unit`.
    pub fn interval(name: &str, unit: &str, meaning: &str) -> Column {
        Column {
            is_interval: true,
            ..Column::number(name, unit, meaning)
        }
    }

    /// This column, headed like this in a terminal.
    pub fn short(self, heading: &str) -> Column {
        Column {
            short: heading.into(),
            ..self
        }
    }

    /// Its words as a heading, without the unit.
    pub fn heading(&self) -> String {
        match self.is_interval {
            true => format!("{} ± 95 %", self.name),
            false => self.name.clone(),
        }
    }

    /// The heading with the unit: `delay p99 [us]`.
    pub fn header(&self) -> String {
        match self.unit.as_str() {
            "" => self.heading(),
            unit => format!("{} [{unit}]", self.heading()),
        }
    }

    /// The name that programs know it by: in CSV headers, `columns.json`, `summary.json` and
    /// stored points, such as `delay_p99_us`.
    pub fn key(&self) -> String {
        let key = key(&self.name, &self.unit);
        match self.is_interval {
            true => format!("{key}_ci95"),
            false => key,
        }
    }
}

/// The words and the unit of a number as one name of lower-case ASCII letters, digits and `_` that
/// can be typed in pandas and R: `delay p99` in us is `delay_p99_us`.
pub fn key(name: &str, unit: &str) -> String {
    let (words, unit) = (snake(name), unit_key(unit));
    let says_it = words == unit || words.ends_with(&format!("_{unit}"));
    let key = match (words.as_str(), unit.as_str()) {
        ("", "") => "value".into(),
        ("", unit) => unit.into(),
        (words, "") => words.into(),
        (words, _) if says_it => words.into(),
        (words, unit) => format!("{words}_{unit}"),
    };
    // R takes no name that begins with a digit.
    match key.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("x{key}"),
        false => key,
    }
}

/// How a unit ends a name.
fn unit_key(unit: &str) -> String {
    match unit {
        "%" => "pct".into(),
        "kB" => "kbytes".into(),
        "1/s" => "per_s".into(),
        // Of a terminal, which the heading and `columns.json` say.
        "flits/cycle/terminal" => "flits_per_cycle".into(),
        _ => snake(&unit.replace('/', " per ")),
    }
}

fn snake(words: &str) -> String {
    let letters = words.replace('%', " pct ").replace(['µ', 'μ'], "u");
    let is_word = |word: &&str| !word.is_empty();
    let parts = letters.split(|letter: char| !letter.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(is_word).collect();
    parts.join("_").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_typed() {
        for (name, unit, wanted) in [
            ("delay p99", "us", "delay_p99_us"),
            ("delay p99.9", "us", "delay_p99_9_us"),
            ("goodput", "Mbps", "goodput_mbps"),
            ("flow", "", "flow"),
            ("frames", "frames", "frames"),
            (
                "accepted",
                "flits/cycle/terminal",
                "accepted_flits_per_cycle",
            ),
            ("rate", "units/s", "rate_units_per_s"),
            ("transfers", "1/s", "transfers_per_s"),
            ("stopped", "%", "stopped_pct"),
            ("dropped: queue full", "frames", "dropped_queue_full_frames"),
            ("ACR mean", "Mbps", "acr_mean_mbps"),
            ("router.vcs", "", "router_vcs"),
            ("400G", "Gbps", "x400g_gbps"),
            ("", "", "value"),
            ("ß", "", "value"),
            ("delay", "µs", "delay_us"),
        ] {
            assert_eq!(key(name, unit), wanted);
        }
    }

    #[test]
    fn an_interval_is_named_after_its_value() {
        let column = Column::interval("delay p99", "us", "");
        assert_eq!(column.key(), "delay_p99_us_ci95");
        assert_eq!(column.heading(), "delay p99 ± 95 %");
    }
}
