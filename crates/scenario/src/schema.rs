//! The language as a JSON schema, for editors that complete and check TOML.

use serde_json::{Map, Value, json};

use crate::keys;
use crate::keys::compare::{COMPARE, MARK};
use crate::keys::sweep::MOST_SEEDS;
use crate::table::{Choice, Default, Group, Key, Kind, Section, Selector};
use crate::units;

/// The schema of scenarios and comparisons (JSON Schema, draft 7: the one TOML editors know).
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    for section in [keys::sections(), keys::sections_of_comparisons()].concat() {
        definitions.insert(reference_name(section), section_schema(section));
    }
    let file = |root| json!({ "$ref": format!("#/definitions/{}", reference_name(root)) });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "backwater scenario or comparison",
        "type": "object",
        "properties": all_properties(),
        "if": says("kind", MARK),
        "then": file(&COMPARE),
        "else": {
            "if": says("engine", "flit"),
            "then": file(&keys::FLIT),
            "else": {
                "if": says("engine", "ethernet"),
                "then": file(&keys::ETHERNET),
                "else": file(&keys::PACKET),
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
    let roots = keys::ROOTS.iter().map(|(_, root)| *root);
    let keys = roots.chain([&COMPARE]).flat_map(|root| root.keys);
    for key in keys {
        let schema = key_schema(key);
        match all.get_mut(key.name) {
            Some(known) if *known == schema || matches!(key.kind, Kind::Choice(_)) => {}
            Some(known) => {
                let first = known.take();
                *known = json!({ "anyOf": [first, schema] });
            }
            None => {
                all.insert(key.name.into(), schema);
            }
        }
    }
    all
}

/// Sections of one engine whose name another engine has too carry the engine's; those of
/// comparisons carry that word.
fn reference_name(section: &Section) -> String {
    let name = if keys::is_root(section) {
        "file"
    } else {
        section.name.trim_matches(['[', ']'])
    };
    let name = name.replace('.', "-");
    match keys::engine_of(section) {
        _ if keys::is_of_comparisons(section) => format!("comparison-{name}"),
        Some(engine) if engine != "packet" => format!("{engine}-{name}"),
        _ => name,
    }
}

fn section_schema(section: &Section) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in section.keys {
        properties.insert(key.name.into(), key_schema(key));
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
        && let Some(Kind::Choice(choices)) = section.key(selector.key).map(|key| key.kind)
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
        .filter(|_| word != "none")
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
    let mut schema = kind_schema(&key.kind);
    if let Value::Object(schema) = &mut schema {
        let mut words = format!("{}\nAllowed: {}.", key.meaning, key.kind.allowed());
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

fn kind_schema(kind: &Kind) -> Value {
    let text = json!({ "type": "string" });
    let list = json!({ "type": "array", "items": text });
    match kind {
        Kind::Text | Kind::Name | Kind::Reference(_) => text,
        Kind::References(_) => json!({ "anyOf": [text, list] }),
        Kind::ReferenceList(_) | Kind::Names => list,
        Kind::Whole { min, max, .. } => {
            json!({ "type": "integer", "minimum": min, "maximum": max })
        }
        Kind::WholeOr { word, min, max, .. } => json!({ "anyOf": [
            { "type": "integer", "minimum": min, "maximum": max }, { "const": word },
        ] }),
        Kind::Wholes { min, max, .. } => json!({
            "type": "array", "minItems": 1,
            "items": { "type": "integer", "minimum": min, "maximum": max },
        }),
        Kind::Rows => json!({
            "type": "array", "minItems": 1,
            "items": { "type": "array", "items": { "type": "number", "minimum": 0 } },
        }),
        Kind::Path => json!({ "type": "string", "minLength": 1 }),
        Kind::Cycles { min, max } => cycles(*min, *max),
        Kind::CyclesOr { word, min, max } => {
            json!({ "anyOf": [{ "const": word }, cycles(*min, *max)] })
        }
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Decimal { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Probability | Kind::Portion => json!({ "anyOf": [
            { "type": "number", "minimum": 0, "maximum": 1 }, quantity(&["%"]),
        ] }),
        Kind::Share => json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": 100 }, quantity(&["%"]),
        ] }),
        Kind::Time { .. } => quantity(&times()),
        Kind::TimeOr { word, .. } => {
            json!({ "anyOf": [{ "const": word }, quantity(&times())] })
        }
        Kind::Span { .. } => json!({ "anyOf": [
            quantity(&times()),
            { "type": "object", "properties": { "mean": quantity(&times()) },
              "required": ["mean"], "additionalProperties": false },
        ] }),
        Kind::Rate => quantity(&names(&units::rates())),
        Kind::RateOrShare { word } => json!({ "anyOf": [
            { "const": word }, quantity(&["%"]), quantity(&names(&units::rates())),
        ] }),
        Kind::Size { .. } => quantity(&names(units::SIZES)),
        Kind::Seeds => seeds(),
        Kind::Axes => json!({
            "type": "object", "additionalProperties": { "type": ["array", "object"] },
        }),
        Kind::Choice(choices) => words(choices),
        Kind::Short(section, _) => {
            let alone = kind.short_key().map(|key| kind_schema(&key.kind));
            let table = kind_schema(&Kind::Table(section));
            json!({ "anyOf": [alone, table] })
        }
        Kind::Table(section) => {
            let path = format!("#/definitions/{}", reference_name(section));
            json!({ "allOf": [{ "$ref": path }] })
        }
        Kind::Tables(section) => {
            let path = format!("#/definitions/{}", reference_name(section));
            json!({ "type": "array", "items": { "$ref": path } })
        }
        _ => amount(kind),
    }
}

/// What only one engine measures.
fn amount(kind: &Kind) -> Value {
    match kind {
        Kind::CellRate { .. } => quantity(&[names(&units::rates()), vec!["cells/s"]].concat()),
        Kind::Clock { .. } => quantity(&names(units::TIMES)),
        Kind::ClockOr { word, .. } => {
            json!({ "anyOf": [{ "const": word }, quantity(&names(units::TIMES))] })
        }
        Kind::Cable => quantity(&names(units::LENGTHS)),
        Kind::Threshold => json!({ "anyOf": [quantity(&["%"]), quantity(&names(units::SIZES))] }),
        Kind::Ratio { max } => json!({ "anyOf": [
            { "type": "number", "exclusiveMinimum": 0, "maximum": max },
            { "type": "string", "pattern": r"^\s*[0-9]+\s*/\s*[0-9]+\s*$" },
            quantity(&["", "%"]),
        ] }),
        Kind::PortionOr { word } => json!({ "anyOf": [
            { "const": word },
            { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            quantity(&["%"]),
        ] }),
        _ => json!({}),
    }
}

fn words(choices: &[Choice]) -> Value {
    json!({ "enum": choices.iter().map(|choice| choice.name).collect::<Vec<_>>() })
}

fn seeds() -> Value {
    json!({ "anyOf": [
        { "type": "integer", "minimum": 1, "maximum": MOST_SEEDS },
        { "type": "array", "minItems": 1, "uniqueItems": true,
          "items": { "type": "integer", "minimum": 0 } },
    ] })
}

fn names(units: &[units::Unit]) -> Vec<&'static str> {
    units.iter().map(|unit| unit.0).collect()
}

fn times() -> Vec<&'static str> {
    [names(units::TIMES), vec!["cells", "cell"]].concat()
}

fn cycles(min: u64, max: u64) -> Value {
    json!({ "anyOf": [
        { "type": "integer", "minimum": min, "maximum": max },
        { "type": "string", "pattern": r"^\s*\+?[0-9][0-9_]*\s*(cycles?)?\s*$" },
    ] })
}

/// A string that holds a number and one of these units.
fn quantity(units: &[&str]) -> Value {
    let number = r"^\s*\+?([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*";
    json!({ "type": "string", "pattern": format!("{number}({})\\s*$", units.join("|")) })
}
