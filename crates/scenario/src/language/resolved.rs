//! The scenario as TOML with every default written out.

use crate::language::kinds::Form;
use crate::language::record::{Datum, Field, Record};
use crate::language::table::{AS_ABOVE, Default, Key};

/// Writes the whole file.
pub(crate) fn write(root: &Record) -> String {
    let mut text = String::new();
    for key in root.section.keys {
        match key.kind.form() {
            Form::Table => {
                if let Some(record) = root.record(key.name) {
                    header(&mut text, &format!("[{}]", key.name), record);
                }
            }
            Form::Tables => {
                for record in root.records(key.name) {
                    header(&mut text, &format!("[[{}]]", key.name), record);
                }
            }
            Form::Value => line(&mut text, root, key),
        }
    }
    text
}

fn header(text: &mut String, title: &str, record: &Record) {
    text.push('\n');
    text.push_str(title);
    text.push('\n');
    for key in record.section.keys {
        line(text, record, key);
    }
}

fn line(text: &mut String, record: &Record, key: &Key) {
    match own(record, key) {
        Some(field) => text.push_str(&format!("{} = {}\n", key.name, value(field))),
        None => comment(text, record, key),
    }
}

/// What was read for this key, not for another of its name.
fn own<'a>(record: &'a Record, key: &Key) -> Option<&'a Field> {
    let field = record.field(key.name);
    field.filter(|field| std::ptr::eq(field.key, key))
}

/// Says what holds where a key is absent and has a meaning.
fn comment(text: &mut String, record: &Record, key: &Key) {
    let choice = record
        .section
        .selector
        .map(|selector| record.word(selector.key));
    if let Default::Derived(words) = key.default
        && key.applies(choice)
        && words != AS_ABOVE
        && !said_otherwise(record, key)
        && key.kind.form() == Form::Value
    {
        text.push_str(&format!("# {}: {words}\n", key.name));
    }
}

/// Is another key given that says the same?
fn said_otherwise(record: &Record, key: &Key) -> bool {
    let mut groups = record
        .section
        .groups
        .iter()
        .filter(|group| group.keys.contains(&key.name));
    groups.any(|group| group.keys.iter().any(|other| record.field(other).is_some()))
}

fn value(field: &Field) -> String {
    match &field.datum {
        Datum::Record(record) => inline(record),
        Datum::Records(records) => {
            format!(
                "[{}]",
                records.iter().map(inline).collect::<Vec<_>>().join(", ")
            )
        }
        _ => field.toml.clone(),
    }
}

fn inline(record: &Record) -> String {
    let keys = record.section.keys.iter();
    let pairs: Vec<String> = keys
        .filter_map(|key| own(record, key))
        .map(|field| format!("{} = {}", field.key.name, value(field)))
        .collect();
    if pairs.is_empty() {
        "{}".into()
    } else {
        format!("{{ {} }}", pairs.join(", "))
    }
}
