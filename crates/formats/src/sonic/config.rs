//! Tables of a configuration, in the three forms in which they are found:
//!
//! | form | written |
//! |---|---|
//! | nested, as a switch stores it | `{"PORT": {"Ethernet0": {"speed": "100000"}}}` |
//! | flat, as a data base is dumped | `{"PORT\|Ethernet0": {"speed": "100000"}}` |
//! | of applications, alone or in a list | `{"PORT_TABLE:Ethernet0": {..}, "OP": "SET"}` |
//!
//! All give the same entries. Values are texts, whatever the file has: numbers and truth values as
//! they are written, lists with commas.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{is_table, line_of, span_of};
use crate::FileError;
use crate::text::{clip, no};

/// An entry of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// `BUFFER_PG`.
    pub table: String,
    /// `Ethernet0|3-4`.
    pub key: String,
    /// In their order.
    pub fields: Vec<Field>,
    /// Where it stands in the text, bytes.
    pub at: Range<usize>,
}

/// A field of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty where the entry is a value and no object.
    pub name: String,
    /// As a text.
    pub value: String,
    /// Where its value stands, bytes.
    pub at: Range<usize>,
}

/// What may stand at the top.
const ALLOWED: &str = "tables of a switch, as `{\"PORT\": {\"Ethernet0\": {..}}}`";
/// An item of a list.
const OPERATION: &str = "`{\"TABLE:key\": {..}, \"OP\": \"SET\"}`";
/// Behind the names of tables of applications.
const OF_APPLICATIONS: &str = "_TABLE";

/// Keys and values in their order, the same key twice too.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Deserialize<'a> for Pairs<'a> {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Reader)
    }
}

struct Reader;

impl<'a> Visitor<'a> for Reader {
    type Value = Pairs<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Pairs<'a>, A::Error> {
        let mut all = Vec::new();
        while let Some(pair) = map.next_entry::<String, &'a RawValue>()? {
            all.push(pair);
        }
        Ok(Pairs(all))
    }
}

/// Reads all entries, in the order of the file.
///
/// # Errors
/// If it is no such JSON, or a template that is still to be filled in.
pub fn read(text: &str) -> Result<Vec<Entry>, FileError> {
    let bare = text.trim_start_matches('\u{feff}');
    let mut entries = Vec::new();
    if bare.trim_start().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(bare).map_err(|e| no_json(text, &e))?;
        for item in items {
            let line = line_of(text, span_of(text, item.get()).start);
            let pairs = serde_json::from_str(item.get());
            let pairs = pairs.map_err(|_| no((line, item.get()), OPERATION))?;
            operation(text, (pairs, line), &mut entries)?;
        }
        return Ok(entries);
    }
    let whole: Pairs = serde_json::from_str(bare).map_err(|error| no_json(text, &error))?;
    operation(text, (whole, 1), &mut entries)?;
    Ok(entries)
}

/// What stands at the top under this key: a table, or an entry with the name of its table.
fn top(text: &str, (key, raw): (&str, &RawValue), all: &mut Vec<Entry>) -> Result<(), FileError> {
    let at = span_of(text, raw.get());
    if let Some((table, key)) = key.split_once('|') {
        all.push(entry(text, (table, key), raw)?);
        return Ok(());
    }
    if let Some((table, key)) = key.split_once(':').filter(|(table, _)| is_table(table)) {
        let table = table.strip_suffix(OF_APPLICATIONS).unwrap_or(table);
        all.push(entry(text, (table, &key.replace(':', "|")), raw)?);
        return Ok(());
    }
    let line = line_of(text, at.start);
    if !is_table(key) {
        return Err(no((line, key), ALLOWED));
    }
    let entries: Pairs = serde_json::from_str(raw.get()).map_err(|_| {
        let message = format!("the table `{}` is `{}`", clip(key), clip(raw.get()));
        FileError::new(line, message).allowed("an object: its entries by their keys")
    })?;
    for (inner, raw) in entries.0 {
        all.push(entry(text, (key, &inner), raw)?);
    }
    Ok(())
}

/// Entries, and whether they are set, which is so where nothing is said, or taken away.
fn operation(
    text: &str,
    (item, line): (Pairs, u32),
    all: &mut Vec<Entry>,
) -> Result<(), FileError> {
    let (operations, entries): (Vec<_>, Vec<_>) =
        item.0.into_iter().partition(|(key, _)| key == "OP");
    let operation = operations.first().map_or("\"SET\"", |(_, raw)| raw.get());
    let from = all.len();
    for (key, raw) in &entries {
        top(text, (key, raw), all)?;
    }
    match operation {
        "\"SET\"" => Ok(()),
        "\"DEL\"" => {
            let gone = all.split_off(from);
            all.retain(|entry| {
                let is_it =
                    |other: &Entry| (&other.table, &other.key) == (&entry.table, &entry.key);
                !gone.iter().any(is_it)
            });
            Ok(())
        }
        other => Err(no((line, other), "`\"OP\"`: `\"SET\"` or `\"DEL\"`")),
    }
}

fn entry(text: &str, (table, key): (&str, &str), raw: &RawValue) -> Result<Entry, FileError> {
    let at = span_of(text, raw.get());
    let pairs: Pairs = match raw.get().starts_with('{') {
        true => serde_json::from_str(raw.get()).map_err(|error| no_json(text, &error))?,
        false => Pairs(Vec::from([(String::new(), raw)])),
    };
    let fields = pairs.0.into_iter().map(|(name, raw)| Field {
        name,
        value: written(raw),
        at: span_of(text, raw.get()),
    });
    Ok(Entry {
        table: table.into(),
        key: key.into(),
        fields: fields.collect(),
        at,
    })
}

/// A value as a text.
fn written(raw: &RawValue) -> String {
    fn of(value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(all) => all.iter().map(of).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }
    serde_json::from_str(raw.get()).map_or_else(|_| raw.get().into(), |value| of(&value))
}

fn no_json(text: &str, error: &serde_json::Error) -> FileError {
    let marks = ["{%", "{{", "{#"].map(|mark| text.find(mark));
    if let Some(at) = marks.into_iter().flatten().min() {
        return FileError::new(line_of(text, at), "a template, no JSON yet")
            .allowed(ALLOWED)
            .hint("render it first, as `sonic-cfggen -t FILE` does, and import what comes out");
    }
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    FileError::new(line, format!("no JSON of a switch: {said}")).allowed(ALLOWED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &str = "{\"PORT\": {\n  \"Ethernet0\": {\"speed\": 100000, \"up\": true},\n  \
        \"Ethernet4\": {}},\n \"BUFFER_PG\": {\"Ethernet0|3-4\": {\"profile\": \"a\"}}}\n";

    /// Table, key, fields.
    type Plain = (String, String, Vec<(String, String)>);

    fn plain(text: &str) -> Vec<Plain> {
        let entries = read(text).expect(text).into_iter();
        let entry = |entry: Entry| {
            let fields = entry
                .fields
                .into_iter()
                .map(|field| (field.name, field.value));
            (entry.table, entry.key, fields.collect())
        };
        entries.map(entry).collect()
    }

    #[test]
    fn all_forms_give_the_same_entries() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let entries = [
            (
                "PORT",
                "Ethernet0",
                vec![pair("speed", "100000"), pair("up", "true")],
            ),
            ("PORT", "Ethernet4", vec![]),
            ("BUFFER_PG", "Ethernet0|3-4", vec![pair("profile", "a")]),
        ];
        let entries = entries.map(|(table, key, fields)| (table.into(), key.into(), fields));
        let flat = "{\"PORT|Ethernet0\": {\"speed\": \"100000\", \"up\": \"true\"},\
            \"PORT|Ethernet4\": {}, \"BUFFER_PG|Ethernet0|3-4\": {\"profile\": \"a\"}}";
        let alone = flat
            .replace("PORT|", "PORT_TABLE:")
            .replace("BUFFER_PG|Ethernet0|", "BUFFER_PG_TABLE:Ethernet0:");
        let list = alone
            .replacen('{', "[{\"OP\": \"SET\", ", 1)
            .replace(",\"PORT", "},{\"PORT")
            .replace(", \"BUFFER", "},{\"BUFFER")
            + "]";
        for text in [NESTED, flat, &alone, &list] {
            assert_eq!(plain(text), entries, "{text}");
        }
        let gone = list.replacen(']', ", {\"OP\": \"DEL\", \"PORT_TABLE:Ethernet4\": {}}]", 1);
        assert_eq!(plain(&gone), [entries[0].clone(), entries[2].clone()]);
    }

    #[test]
    fn places_lead_to_what_is_written() {
        let entries = read(NESTED).expect("it is right");
        let field = &entries[0].fields[0];
        assert_eq!(&NESTED[field.at.clone()], "100000");
        assert_eq!(line_of(NESTED, field.at.start), 2);
        assert_eq!(&NESTED[entries[1].at.clone()], "{}");
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("{\"PORT\": {\n{% for x in y %}}}", 2, "a template"),
            ("{\"PORT\": {},\n \"A\": {{ x }}}", 2, "a template"),
            (
                "{\"PORT\": {},\n}",
                2,
                "no JSON of a switch: trailing comma",
            ),
            ("{\"PORT\": {},\n \"port\": {}}", 2, "`port`"),
            ("{\"PORT\": {},\n \"A\": 5}", 2, "the table `A` is `5`"),
            (
                "[{\"PORT:a\": {}},\n {\"OP\": \"GET\", \"PORT:b\": {}}]",
                2,
                "`\"GET\"`",
            ),
            ("[{\"PORT:a\": {}},\n 7]", 2, "`7`"),
        ];
        for (text, line, message) in wrong {
            let mistake = read(text).expect_err(text);
            let is_it = mistake.line == line && mistake.found.starts_with(message);
            assert!(is_it && mistake.allowed.is_some(), "{text}: {mistake}");
        }
    }
}
