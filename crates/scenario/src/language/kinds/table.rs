//! Tables, one or many, written out or short.

use serde_json::{Value, json};

use super::{Facts, Form, Kind, any_of};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::{Key, Section};
use crate::language::tree::{self, Entry, Node};

/// A table.
pub struct Table(pub &'static Section);

/// A list of tables.
pub struct Tables(pub &'static Section);

/// A table, or the value of one of its keys alone: a word or a whole number.
pub struct Short(pub &'static Section, pub &'static str);

/// Kinds of one table.
pub trait One {}
impl One for Table {}
impl One for Short {}

impl Kind for Table {
    fn facts(&self) -> Facts {
        let keys: Vec<&str> = self.0.keys.iter().map(|key| key.name).collect();
        let needed: Vec<String> = self.0.needed().map(Key::example).collect();
        let example = match needed.is_empty() {
            true => "{}".to_owned(),
            false => format!("{{ {} }}", needed.join(", ")),
        };
        Facts::new("a table", example, json!({ "type": "object" }))
            .allowed(format!("keys {}", keys.join(", ")))
            .summary(format!("see `{}`", self.0.name))
    }

    fn schema(&self, place: &dyn Fn(&Section) -> Value) -> Value {
        json!({ "allOf": [place(self.0)] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match node.value {
            tree::Value::Table(_) => Some(Datum::Record(reader.section(self.0, node))),
            _ => reader.wrong_type(key, node),
        }
    }

    fn form(&self) -> Form {
        Form::Table
    }

    fn section(&self) -> Option<&'static Section> {
        Some(self.0)
    }
}

impl Kind for Tables {
    fn facts(&self) -> Facts {
        Facts {
            noun: "a list of tables".into(),
            example: "[]".into(),
            schema: json!({ "type": "array" }),
            ..Table(self.0).facts()
        }
    }

    fn schema(&self, place: &dyn Fn(&Section) -> Value) -> Value {
        json!({ "type": "array", "items": place(self.0) })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let tree::Value::List(items) = &node.value else {
            return reader.wrong_type(key, node);
        };
        let table = |item: &Node| match item.value {
            tree::Value::Table(_) => Some(reader.section(self.0, item)),
            _ => reader.wrong_type(key, item),
        };
        Some(Datum::Records(items.iter().filter_map(table).collect()))
    }

    fn form(&self) -> Form {
        Form::Tables
    }

    fn section(&self) -> Option<&'static Section> {
        Some(self.0)
    }
}

impl Kind for Short {
    fn facts(&self) -> Facts {
        let table = Table(self.0).facts();
        let Some(kind) = self.short_key().map(|key| key.kind) else {
            return table;
        };
        let alone = kind.facts();
        let (noun, summary) = match kind.choices() {
            Some(_) => ("a word", "a word"),
            None => (alone.noun.as_str(), alone.allowed.as_str()),
        };
        let schema = any_of([alone.schema, table.schema]);
        Facts::new(format!("{noun} or a table"), alone.example, schema)
            .allowed(format!(
                "{}; or a table with {}",
                alone.allowed, table.allowed
            ))
            .summary(format!("{summary}, or a table: {}", table.summary))
    }

    fn schema(&self, place: &dyn Fn(&Section) -> Value) -> Value {
        let table = Table(self.0).schema(place);
        match self.short_key() {
            Some(key) => any_of([key.kind.schema(place), table]),
            None => table,
        }
    }

    /// A value alone is told under the name of `key`.
    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let inner = self.short_key()?;
        match (&node.value, inner.kind.choices()) {
            (tree::Value::Table(_), _) => {
                return Some(Datum::Record(reader.section(self.0, node)));
            }
            (tree::Value::Text(_), Some(_)) | (tree::Value::Integer(..), None) => {}
            _ => return reader.wrong_type(key, node),
        }
        let named = Key {
            name: key.name,
            ..*inner
        };
        inner.kind.read(reader, &named, node)?;
        let entry = Entry {
            key: self.1.into(),
            key_at: node.at.clone(),
            node: node.clone(),
        };
        let table = Node {
            value: tree::Value::Table(vec![entry]),
            at: node.at.clone(),
        };
        Some(Datum::Record(reader.section(self.0, &table)))
    }

    fn section(&self) -> Option<&'static Section> {
        Some(self.0)
    }

    fn short_key(&self) -> Option<&'static Key> {
        self.0.key(self.1)
    }
}
