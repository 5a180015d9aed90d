//! Random tables: what a section needs, and some of what it may have besides.

use backwater_scenario::language::kinds::Form;
use backwater_scenario::reference::tables::{Default, Key, Section};
use serde_json::{Map, Value, json};

use super::values::Context;

/// A key that shall be there, perhaps with this word.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// The section it stands in.
    pub section: &'static Section,
    /// The key.
    pub key: &'static Key,
    /// The word it shall hold.
    pub word: Option<&'static str>,
}

/// A value for a key, a table if need be.
pub fn value(context: &mut Context<'_>, key: &Key, extra: u64) -> Option<Value> {
    let Some(section) = key.kind.section() else {
        return context.value(key);
    };
    let alone = key.kind.short_key();
    match (alone, key.kind.form()) {
        (Some(alone), _) if context.random.chance(50) => context.value(alone),
        (_, Form::Tables) => Some(json!([table(context, section, extra)])),
        _ => Some(Value::Object(table(context, section, extra))),
    }
}

/// A table of a section: what it needs, and each other key with a chance of `extra` in a hundred.
fn table(context: &mut Context<'_>, section: &'static Section, extra: u64) -> Map<String, Value> {
    let mut table = Map::new();
    complete(context, section, &mut table);
    for key in section.keys {
        if key.applies(chosen(section, &table)) && context.random.chance(extra) {
            put(context, section, &mut table, key, None, extra / 3);
        }
    }
    table
}

/// The word of the selector.
fn chosen<'a>(section: &Section, table: &'a Map<String, Value>) -> Option<&'a str> {
    let selector = section.selector?;
    let given = table.get(selector.key).and_then(Value::as_str);
    given.or(selector.default)
}

/// Adds what must be there, with a choice for the selector if it has none.
pub fn complete(
    context: &mut Context<'_>,
    section: &'static Section,
    table: &mut Map<String, Value>,
) {
    if let Some(selector) = section.selector
        && selector.default.is_none()
        && let Some(key) = section.key(selector.key)
        && matches!(key.default, Default::Required)
        && !table.contains_key(key.name)
        && let Some(value) = context.value(key)
    {
        table.insert(key.name.into(), value);
    }
    for key in section.keys {
        let is_needed = matches!(key.default, Default::Required);
        if is_needed && key.applies(chosen(section, table)) && !table.contains_key(key.name) {
            put(context, section, table, key, None, 0);
        }
    }
    for group in section.groups.iter().filter(|group| group.required) {
        let word = chosen(section, table);
        let holds = group.only.is_empty() || word.is_some_and(|word| group.only.contains(&word));
        if holds && !group.keys.iter().any(|name| table.contains_key(*name)) {
            let name = context.random.word(group.keys);
            if let Some(key) = section.key(name) {
                put(context, section, table, key, None, 0);
            }
        }
    }
}

/// Gives a key a value, this word if one is wanted; what excludes it goes.
pub fn put(
    context: &mut Context<'_>,
    section: &'static Section,
    table: &mut Map<String, Value>,
    key: &'static Key,
    word: Option<&str>,
    extra: u64,
) {
    allow(context, section, table, key);
    let value = match word {
        Some(word) => Some(json!(word)),
        None => value(context, key, extra),
    };
    let Some(value) = value else {
        return;
    };
    for group in section
        .groups
        .iter()
        .filter(|group| group.keys.contains(&key.name))
    {
        for other in group.keys {
            table.remove(*other);
        }
    }
    table.insert(key.name.into(), value);
    if section
        .selector
        .is_some_and(|selector| selector.key == key.name)
    {
        settle(context, section, table);
    }
}

/// Chooses what the selector must say for this key to mean anything.
pub fn allow(
    context: &mut Context<'_>,
    section: &'static Section,
    table: &mut Map<String, Value>,
    key: &Key,
) {
    let Some(selector) = section.selector else {
        return;
    };
    let word = chosen(section, table);
    if key.only.is_empty() || word.is_some_and(|word| key.only.contains(&word)) {
        return;
    }
    table.insert(selector.key.into(), json!(context.random.word(key.only)));
    settle(context, section, table);
}

/// After another choice of the selector: what means nothing goes, what is missing comes.
fn settle(context: &mut Context<'_>, section: &'static Section, table: &mut Map<String, Value>) {
    let word = chosen(section, table).map(str::to_owned);
    table.retain(|name, _| {
        let key = section.key_under(name, word.as_deref());
        key.is_none_or(|key| key.applies(word.as_deref()))
    });
    complete(context, section, table);
}
