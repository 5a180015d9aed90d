//! The language as a JSON schema, for editors that complete and check TOML.

use serde_json::{Map, Value, json};

use crate::given;
use crate::given::COMPARISON;
use crate::given::compare::MARK;
use crate::language::table::{Default, Group, Key, Section, Selector};

/// The schema of scenarios and comparisons (JSON Schema, draft 7: the one TOML editors know).
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    for section in [given::sections(), COMPARISON.below()].concat() {
        definitions.insert(reference_name(section), section_schema(section));
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "backwater scenario or comparison",
        "type": "object",
        "properties": all_properties(),
        "if": says("kind", MARK),
        "then": reference(COMPARISON),
        "else": {
            "if": says("engine", "flit"),
            "then": reference(given::FLIT),
            "else": {
                "if": says("engine", "ethernet"),
                "then": reference(given::ETHERNET),
                "else": reference(given::PACKET),
            },
        },
        "definitions": definitions,
    })
}

fn says(key: &str, word: &str) -> Value {
    json!({ "properties": { key: { "const": word } }, "required": [key] })
}

/// What stands at the top of any file: editors that don't follow `if` complete by it.
fn all_properties() -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    let roots = given::ROOTS.iter().map(|(_, root)| *root);
    let keys = roots.chain([COMPARISON]).flat_map(|root| root.keys);
    keys.for_each(|key| add_property(&mut all, key));
    all
}

/// The schema of a key, beside that of another of its name.
fn add_property(all: &mut Map<String, Value>, key: &Key) {
    let schema = key_schema(key);
    match all.get_mut(key.name) {
        Some(known) if *known == schema || key.kind.choices().is_some() => {}
        Some(known) => {
            let first = known.take();
            *known = json!({ "anyOf": [first, schema] });
        }
        None => {
            all.insert(key.name.into(), schema);
        }
    }
}

/// Sections of one engine whose name another engine has too carry the engine's; those of
/// comparisons carry that word.
fn reference_name(section: &Section) -> String {
    let name = if given::is_root(section) {
        "file"
    } else {
        section.name.trim_matches(['[', ']'])
    };
    let name = name.replace('.', "-");
    match given::engine_of(section) {
        _ if given::is_of_comparisons(section) => format!("comparison-{name}"),
        Some(engine) if engine != "packet" => format!("{engine}-{name}"),
        _ => name,
    }
}

fn section_schema(section: &Section) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in section.keys {
        add_property(&mut properties, key);
        if matches!(key.default, Default::Required) && key.only.is_empty() {
            required.push(key.name);
        }
    }
    let mut schema = json!({
        "type": "object",
        "description": section.about,
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    });
    let rules = rules(section);
    if !rules.is_empty() {
        schema["allOf"] = Value::Array(rules);
    }
    schema
}

/// What holds for some keys together: those that only one kind has, and those that say the same.
fn rules(section: &Section) -> Vec<Value> {
    let everywhere = section.groups.iter().filter(|group| group.only.is_empty());
    let mut rules: Vec<Value> = everywhere.map(group_rule).collect();
    if let Some(selector) = section.selector
        && let Some(choices) = section.key(selector.key).and_then(|key| key.kind.choices())
    {
        rules.extend(
            choices
                .iter()
                .filter_map(|choice| choice_rule(section, selector, choice.name)),
        );
    }
    rules
}

/// What holds where the selector is `word`. Beside `none` any key may stand: it turns a table off.
fn choice_rule(section: &Section, selector: Selector, word: &str) -> Option<Value> {
    let limited = section.keys.iter().filter(|key| !key.only.is_empty());
    let (here, elsewhere): (Vec<&Key>, Vec<&Key>) =
        limited.partition(|key| key.only.contains(&word));
    let required = here
        .iter()
        .filter(|key| matches!(key.default, Default::Required))
        .map(|key| key.name)
        .collect::<Vec<_>>();
    let refused = elsewhere
        .iter()
        .filter(|key| word != "none" && here.iter().all(|own| own.name != key.name))
        .map(|key| (key.name.to_owned(), Value::Bool(false)))
        .collect::<Map<_, _>>();
    let groups = section.groups.iter();
    let groups = groups.filter(|group| group.only.contains(&word));
    let groups: Vec<Value> = groups.map(group_rule).collect();
    if required.is_empty() && refused.is_empty() && groups.is_empty() {
        return None;
    }
    let mut then = json!({ "properties": refused, "required": required });
    if !groups.is_empty() {
        then["allOf"] = Value::Array(groups);
    }
    let mut condition = json!({ "properties": { selector.key: { "const": word } } });
    if selector.default != Some(word) {
        condition["required"] = json!([selector.key]);
    }
    Some(json!({ "if": condition, "then": then }))
}

/// One of these keys at most, or one in any case.
fn group_rule(group: &Group) -> Value {
    let given = |key: &&str| json!({ "required": [key] });
    let one: Vec<Value> = group.keys.iter().map(given).collect();
    let none = (!group.required).then(|| json!({ "not": { "anyOf": one } }));
    json!({ "oneOf": one.into_iter().chain(none).collect::<Vec<_>>() })
}

fn key_schema(key: &Key) -> Value {
    let allowed = key.kind.facts().allowed;
    let mut schema = key.kind.schema(&reference);
    if let Value::Object(schema) = &mut schema {
        let mut words = format!("{}\nAllowed: {}.", key.meaning, allowed);
        if !key.cite.is_empty() {
            words.push_str(&format!("\nSource: {}.", key.cite));
        }
        match key.default {
            Default::Derived(default) => words.push_str(&format!("\nDefault: {default}.")),
            Default::Is(toml) => {
                if let Some(default) = plain(toml) {
                    schema.insert("default".into(), default);
                }
            }
            Default::Required => {}
        }
        schema.insert("description".into(), json!(words));
    }
    schema
}

/// A default that is the same in TOML and JSON.
fn plain(toml: &str) -> Option<Value> {
    serde_json::from_str(toml).ok()
}

/// Where the schema of a section stands.
fn reference(section: &Section) -> Value {
    json!({ "$ref": format!("#/definitions/{}", reference_name(section)) })
}
