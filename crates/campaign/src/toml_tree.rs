//! A scenario as a tree that can be changed, and its text.

use serde_json::{Map, Value};

/// The tree of a TOML text.
pub fn read(text: &str) -> Option<Value> {
    toml::from_str(text).ok()
}

/// As TOML: one table a heading, what is below on one line.
pub fn write(tree: &Value) -> String {
    let mut text = String::new();
    let Value::Object(root) = tree else {
        return text;
    };
    let is_tables = |value: &Value| match value {
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    };
    for (name, value) in root {
        if !value.is_object() && !is_tables(value) {
            text += &format!("{} = {}\n", key(name), inline(value));
        }
    }
    for (name, value) in root {
        match value {
            Value::Object(table) => text += &table_text(&format!("[{}]", key(name)), table),
            Value::Array(items) if is_tables(value) => {
                for item in items.iter().filter_map(Value::as_object) {
                    text += &table_text(&format!("[[{}]]", key(name)), item);
                }
            }
            _ => {}
        }
    }
    text
}

fn table_text(heading: &str, table: &Map<String, Value>) -> String {
    let mut text = format!("\n{heading}\n");
    for (name, value) in table {
        text += &format!("{} = {}\n", key(name), inline(value));
    }
    text
}

/// A value on one line.
pub fn inline(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let pairs = table.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{} = {}", key(name), inline(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() => format!("{value:?}"),
            _ => number.to_string(),
        },
        Value::String(text) => quoted(text),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "\"\"".into(),
    }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.into()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A way into a tree.
pub type Path = Vec<Step>;

/// A step on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Item(usize),
}

/// What lies at the end of a way.
pub fn at<'a>(tree: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(tree, |value, step| match step {
        Step::Key(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}

/// The ways to everything in a tree, tables and lists included.
pub fn paths(tree: &Value) -> Vec<Path> {
    let mut all = Vec::new();
    add_paths(tree, &mut Vec::new(), &mut all);
    all
}

fn add_paths(value: &Value, here: &mut Path, all: &mut Vec<Path>) {
    let children: Vec<(Step, &Value)> = match value {
        Value::Object(table) => {
            let pairs = table.iter();
            pairs
                .map(|(name, value)| (Step::Key(name.clone()), value))
                .collect()
        }
        Value::Array(items) => {
            let pairs = items.iter().enumerate();
            pairs
                .map(|(index, value)| (Step::Item(index), value))
                .collect()
        }
        _ => Vec::new(),
    };
    for (step, child) in children {
        here.push(step);
        all.push(here.clone());
        add_paths(child, here, all);
        here.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_back() {
        let tree = json!({
            "title": "a \"b\" \\ \n", "n": 1, "x": 0.5, "small": 1e-7, "empty": [],
            "run": { "duration": "1 ms", "odd key": true },
            "flows": [{ "name": "a", "traffic": { "kind": "greedy" } }, { "to": ["b", "c"] }],
        });
        assert_eq!(read(&write(&tree)), Some(tree.clone()));
        let ways = paths(&tree);
        assert_eq!(ways.len(), 17);
        let mut tree = tree;
        for way in ways {
            assert!(at(&mut tree, &way).is_some(), "{way:?}");
        }
    }
}
