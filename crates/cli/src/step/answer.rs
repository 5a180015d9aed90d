//! What is said to a command: to people in lines, to programs as an object.

use backwater_results::stepping::{Clock, Happening};
use serde_json::{Map, Value, json};

/// An answer in both forms.
#[derive(Default)]
pub struct Answer {
    /// Lines for people.
    pub text: String,
    /// Fields for programs.
    pub fields: Map<String, Value>,
}

/// What comes of a command.
pub enum Said {
    /// To be shown.
    Answer(Answer),
    /// To be shown: the run is over, and nothing more comes of going on.
    Over(Answer),
    /// None: it ends.
    Quit,
}

impl Answer {
    /// Text that is its own data.
    pub fn text(text: String) -> Answer {
        let lines: Vec<&str> = text.lines().collect();
        let fields = Map::from_iter([("lines".to_owned(), json!(lines))]);
        Answer { text, fields }
    }

    /// Text, and the object that has the same.
    pub fn of(text: String, value: Value) -> Answer {
        let fields = match value {
            Value::Object(fields) => fields,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        Answer { text, fields }
    }

    /// Adds a field.
    pub fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// Adds what happened, to those that are there already.
    pub fn happened(&mut self, clock: Clock, happened: &[Happening]) {
        let key = format!("at_{}", clock.key());
        let all = happened.iter().map(|own| {
            let fields = [
                (key.clone(), json!(own.at)),
                ("what".to_owned(), json!(own.text)),
            ];
            Value::Object(Map::from_iter(fields))
        });
        let list = self.fields.entry("happened").or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.extend(all);
        }
    }
}
