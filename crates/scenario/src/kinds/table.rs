//! Tables, one or many, written out or short.

use serde_json::{Value, json};

use super::{Form, Kind};
use crate::reader::Reader;
use crate::record::Datum;
use crate::schema::reference;
use crate::table::{Key, Section};
use crate::tree::{self, Entry, Node};

/// A table.
pub struct Table(pub &'static Section);

/// A list of tables.
pub struct Tables(pub &'static Section);

/// A table, or the value of one of its keys alone: a word or a whole number.
pub struct Short(pub &'static Section, pub &'static str);

impl Kind for Table {
    fn noun(&self) -> String {
        "a table".into()
    }

    fn example(&self) -> String {
        "{}".into()
    }

    fn allowed(&self) -> String {
        let keys: Vec<&str> = self.0.keys.iter().map(|key| key.name).collect();
        format!("keys {}", keys.join(", "))
    }

    fn summary(&self) -> String {
        format!("see `{}`", self.0.name)
    }

    fn schema(&self) -> Value {
        json!({ "allOf": [reference(self.0)] })
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
    fn noun(&self) -> String {
        "a list of tables".into()
    }

    fn example(&self) -> String {
        "[]".into()
    }

    fn allowed(&self) -> String {
        Table(self.0).allowed()
    }

    fn summary(&self) -> String {
        Table(self.0).summary()
    }

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": reference(self.0) })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let tree::Value::List(items) = &node.value else {
            return reader.wrong_type(key, node);
        };
        let table = |item| Table(self.0).read(reader, key, item);
        let records = items
            .iter()
            .filter_map(table)
            .filter_map(|datum| match datum {
                Datum::Record(record) => Some(record),
                _ => None,
            });
        Some(Datum::Records(records.collect()))
    }

    fn form(&self) -> Form {
        Form::Tables
    }

    fn section(&self) -> Option<&'static Section> {
        Some(self.0)
    }
}

impl Kind for Short {
    fn noun(&self) -> String {
        match self.short_key().map(|key| key.kind) {
            Some(alone) if alone.choices().is_some() => "a word or a table".into(),
            Some(alone) => format!("{} or a table", alone.noun()),
            None => "a table".into(),
        }
    }

    fn example(&self) -> String {
        let alone = self.short_key().map(|key| key.kind.example());
        alone.unwrap_or_default()
    }

    fn allowed(&self) -> String {
        let alone = self.short_key().map(|key| key.kind.allowed());
        let table = Table(self.0).allowed();
        format!("{}; or a table with {table}", alone.unwrap_or_default())
    }

    fn summary(&self) -> String {
        let alone = self.short_key().map(|key| match key.kind.choices() {
            Some(_) => "a word".into(),
            None => key.kind.allowed(),
        });
        format!(
            "{}, or a table: see `{}`",
            alone.unwrap_or_default(),
            self.0.name
        )
    }

    fn schema(&self) -> Value {
        let alone = self.short_key().map(|key| key.kind.schema());
        json!({ "anyOf": [alone, Table(self.0).schema()] })
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
