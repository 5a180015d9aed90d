//! A stored point as text: JSON with the digest of its content.

use backwater_results::key;
use backwater_results::sweep::Measure;
use serde_json::{Map, Value, json};

use super::digest::{hex, sha256};
use backwater_results::sweep::Point;

/// Field of a stored point: the digest of all its other fields.
const DIGEST: &str = "sha256";
/// Within so many bytes of the end it stands.
const END_BYTES: usize = 128;

/// The text of a point: of which program version, sources and scenario it is, and what it holds.
pub fn encode(of: [&str; 3], measures: &[Measure], point: &Point) -> String {
    let [version, sources, scenario] = of;
    let pairs = measures.iter().zip(&point.values);
    // What is not a number becomes null.
    let values: Map<String, Value> = pairs
        .map(|(measure, value)| (key(&measure.name, &measure.unit), Value::from(*value)))
        .collect();
    let mut fields = Map::new();
    fields.insert("program".into(), json!("backwater"));
    fields.insert("version".into(), json!(version));
    fields.insert("sources".into(), json!(sources));
    fields.insert("scenario".into(), json!(scenario));
    fields.insert("trace_hash".into(), json!(point.trace_hash));
    fields.insert("values".into(), Value::Object(values));
    sealed(fields)
}

/// The fields with their digest, as a file holds them.
pub fn sealed(mut fields: Map<String, Value>) -> String {
    let digest = digest_of(&fields);
    fields.insert(DIGEST.into(), digest.into());
    format!("{:#}\n", Value::Object(fields))
}

/// Reads the text of a point of `scenario`.
///
/// # Errors
/// If it is anything else; says how that shows.
pub fn decode(text: &[u8], scenario: &str, measures: &[Measure]) -> Result<Point, String> {
    let stored = unsealed(text)?;
    if stored.get("scenario").and_then(Value::as_str) != Some(scenario) {
        return Err("it is of another scenario".into());
    }
    point(&stored, measures)
}

/// The fields of such a file.
///
/// # Errors
/// If it is not whole; says how that shows.
pub fn unsealed(text: &[u8]) -> Result<Map<String, Value>, String> {
    // The digest is the last field: without it there is nothing to read, however long that is.
    let end = &text[text.len().saturating_sub(END_BYTES)..];
    if !end
        .windows(DIGEST.len())
        .any(|part| part == DIGEST.as_bytes())
    {
        return Err("it is truncated or not JSON".into());
    }
    let stored: Result<Value, _> = serde_json::from_slice(text);
    let Ok(Value::Object(mut stored)) = stored else {
        return Err("it is truncated or not JSON".into());
    };
    let digest = stored.shift_remove(DIGEST);
    if digest.as_ref().and_then(Value::as_str) != Some(digest_of(&stored).as_str()) {
        return Err("its digest does not match its content".into());
    }
    Ok(stored)
}

/// The digest of the fields, as they are written without a space.
fn digest_of(fields: &Map<String, Value>) -> String {
    let text = serde_json::to_string(fields).unwrap_or_default();
    hex(&sha256(text.as_bytes()))
}

/// What the fields of a stored point say.
pub fn point(stored: &Map<String, Value>, measures: &[Measure]) -> Result<Point, String> {
    let value = |measure: &Measure| {
        let values = stored.get("values");
        match values.and_then(|values| values.get(key(&measure.name, &measure.unit))) {
            Some(Value::Null) => Ok(f64::NAN),
            Some(value) => value.as_f64().ok_or("a value is not a number"),
            None => Err("a value is missing"),
        }
    };
    let trace_hash = stored.get("trace_hash").and_then(Value::as_str);
    Ok(Point {
        values: measures.iter().map(value).collect::<Result<_, _>>()?,
        trace_hash: trace_hash.ok_or("the trace hash is missing")?.into(),
    })
}
