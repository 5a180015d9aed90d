//! The tables of a switch, out of all of its files: texts with their places, references, numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use backwater_formats::sonic::config::Entry;
use backwater_kernel::words::counted;
use backwater_scenario::{At, Diagnostic, Diagnostics, nearest};

use super::model::Said;

/// What a number may be, in words and as a range.
pub type Allowed = (&'static str, RangeInclusive<i64>);

/// No number of a file is larger: a terabyte, or 35 years in milliseconds. Sums of them fit.
const LARGEST: i64 = 1 << 40;
pub const BYTES: Allowed = ("a number of bytes up to 1 TiB", 0..=LARGEST);
pub const MILLISECONDS: Allowed = ("whole milliseconds", 0..=LARGEST);
pub const RATIO: Allowed = ("a whole number", 0..=LARGEST);
pub const PERCENT: Allowed = ("a share from 0 to 100", 0..=100);
pub const SPEED: Allowed = ("a speed in Mb/s", 1..=100_000_000);
pub const MTU: Allowed = ("an mtu from 68 to 9216", 68..=9_216);
pub const WEIGHT: Allowed = ("a weight from 1 to 100", 1..=100);
pub const EXPONENT: Allowed = ("an exponent from -8 to 7", -8..=7);
/// Of a traffic class, a queue or a priority.
pub const NUMBER: Allowed = ("a number from 0 to 15", 0..=15);

/// An entry.
#[derive(Clone, Default, Debug)]
pub struct Row {
    pub at: At,
    pub fields: BTreeMap<String, Said<String>>,
}

/// Entries by their keys.
pub type Rows = BTreeMap<String, Row>;

/// All tables by their names.
#[derive(Default, Debug)]
pub struct Tables {
    tables: BTreeMap<String, Rows>,
}

/// Where names lead nowhere.
static NONE: Rows = BTreeMap::new();

impl Tables {
    /// Adds the entries of a file; what two files say of one field has to be the same.
    pub fn add(&mut self, source: usize, entries: Vec<Entry>, mistakes: &mut Diagnostics) {
        for entry in entries {
            let at = |span: std::ops::Range<usize>| At {
                source,
                start: span.start,
                end: span.end,
            };
            let rows = self.tables.entry(entry.table.clone()).or_default();
            let row = rows.entry(entry.key.clone()).or_insert_with(|| Row {
                at: at(entry.at),
                ..Row::default()
            });
            for field in entry.fields {
                let said = Said {
                    value: field.value,
                    at: at(field.at),
                };
                let known = row.fields.entry(field.name.clone()).or_insert(said.clone());
                if known.value != said.value {
                    let name = format!("{}|{}", entry.table, entry.key);
                    Diagnostic::error(
                        "switch-table",
                        format!("`{}` of `{name}` is said twice, and differs", field.name),
                    )
                    .at(&said.at, "here")
                    .at(&known.at, "and here")
                    .help("give one value, or the files of one switch only")
                    .tell(mistakes);
                }
            }
        }
    }

    /// The rows of a table; none where it is absent.
    pub fn rows(&self, table: &str) -> &Rows {
        self.tables.get(table).unwrap_or(&NONE)
    }

    /// Names of its tables and their fields.
    pub fn names(&self) -> impl Iterator<Item = (&str, &Rows)> {
        self.tables.iter().map(|(name, rows)| (name.as_str(), rows))
    }

    /// A field of a row.
    pub fn text<'r>(row: &'r Row, field: &str) -> Option<&'r Said<String>> {
        row.fields.get(field).filter(|text| !text.value.is_empty())
    }

    /// A whole number; what is none, or not allowed, is a mistake.
    pub fn number<T: TryFrom<i64>>(
        text: Option<&Said<String>>,
        (what, range): &Allowed,
        mistakes: &mut Diagnostics,
    ) -> Option<Said<T>> {
        let text = text?;
        let number = text.value.trim().parse().ok();
        let number = number.filter(|number| range.contains(number));
        let value = number.and_then(|number| T::try_from(number).ok());
        if value.is_none() {
            wrong(text, what).tell(mistakes);
        }
        let at = text.at.clone();
        value.map(|value| Said { value, at })
    }

    /// The row that a text names in a table: `name`, `[TABLE|name]` or `[TABLE:name]`.
    pub fn refer<'t>(
        &'t self,
        text: &Said<String>,
        table: &str,
        mistakes: &mut Diagnostics,
    ) -> Option<(String, &'t Row)> {
        let name = referred(&text.value);
        let rows = self.rows(table);
        if let Some(row) = rows.get(name) {
            return Some((name.to_owned(), row));
        }
        let near = nearest(name, rows.keys().map(String::as_str));
        let near = near.map(|near| format!("did you mean `{near}`?"));
        let mut mistake = Diagnostic::error(
            "switch-table",
            format!("no `{name}` in the table `{table}`"),
        )
        .at(&text.at, "named here")
        .note(match rows.len() {
            0 => "no file of this switch has that table".to_owned(),
            count => format!("it has {}", counted(count, "entry")),
        });
        for help in near.into_iter().chain([format!(
            "add it to `{table}`, or import the file that has it together with this one"
        )]) {
            mistake = mistake.help(help);
        }
        mistake.tell(mistakes);
        None
    }
}

/// Says that a value is not what should stand there.
pub fn wrong(text: &Said<String>, what: &str) -> Diagnostic {
    let message = format!("`{}` where {what} is needed", text.value);
    Diagnostic::error("switch-table", message)
        .at(&text.at, "here")
        .help(format!("write {what}"))
}

/// A name without the brackets and the table of older files.
pub fn referred(text: &str) -> &str {
    match text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        None => text,
        Some(inner) => inner.rsplit(['|', ':']).next().unwrap_or(inner),
    }
}

/// Numbers as `3`, `3-4` or `3,4`, up to 63.
pub fn numbers(text: &str) -> Option<BTreeSet<u8>> {
    let mut all = BTreeSet::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u8, u8) = (from.parse().ok()?, to.parse().ok()?);
        if to > 63 || from > to {
            return None;
        }
        all.extend(from..=to);
    }
    Some(all)
}

/// Ports that a part of a key names: one, a list, or a range where no port has that name.
pub fn ports<'k>(text: &'k str, known: &BTreeSet<String>) -> Vec<String> {
    let expanded = |name: &'k str| -> Vec<String> {
        let range = name.split_once('-').filter(|_| !known.contains(name));
        let range = range.and_then(|(from, to)| {
            let (stem, first) = stem(from);
            let (other, last) = stem_or_number(to);
            let is_same = other.is_empty() || other == stem;
            Some((stem, first?, last?)).filter(|_| is_same)
        });
        let Some((prefix, first, last)) = range else {
            return Vec::from([name.to_owned()]);
        };
        let within = |name: &&String| {
            let (own, number) = stem(name);
            own == prefix && number.is_some_and(|number| (first..=last).contains(&number))
        };
        let inside: Vec<String> = known.iter().filter(within).cloned().collect();
        match inside.is_empty() {
            true => Vec::from([name.to_owned()]),
            false => inside,
        }
    };
    text.split(',').map(str::trim).flat_map(expanded).collect()
}

/// Letters, and the number behind them: `Ethernet` and 16.
pub fn stem(name: &str) -> (&str, Option<u64>) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().ok())
}

fn stem_or_number(text: &str) -> (&str, Option<u64>) {
    match text.parse() {
        Ok(number) => ("", Some(number)),
        Err(_) => stem(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_expanded() {
        let known: BTreeSet<String> = ["Ethernet0", "Ethernet4", "Ethernet12", "Ethernet-BP0"]
            .map(str::to_owned)
            .into();
        let all = [
            ("Ethernet0", vec!["Ethernet0"]),
            ("Ethernet0,Ethernet4", vec!["Ethernet0", "Ethernet4"]),
            ("Ethernet-BP0", vec!["Ethernet-BP0"]),
            ("Ethernet0-4", vec!["Ethernet0", "Ethernet4"]),
            ("Ethernet4-Ethernet12", vec!["Ethernet12", "Ethernet4"]),
            ("Ethernet7-9", vec!["Ethernet7-9"]),
        ];
        for (text, names) in all {
            assert_eq!(ports(text, &known), names, "{text}");
        }
    }

    #[test]
    fn numbers_and_references_are_read() {
        assert_eq!(numbers("3-4,6"), Some([3, 4, 6].into()));
        assert_eq!(numbers(""), Some(BTreeSet::new()));
        for wrong in ["a", "4-3", "3-", "0-64", "300"] {
            assert_eq!(numbers(wrong), None, "{wrong}");
        }
        for text in ["a", "[T|a]", "[T_TABLE:a]", "[T|b|a]"] {
            assert_eq!(referred(text), "a");
        }
    }
}
