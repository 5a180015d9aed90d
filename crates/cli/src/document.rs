//! `--format json`: what a command found, as one document on standard output.
//!
//! While it runs, what is worth telling is put here in place of being printed: fields by name,
//! diagnostics, and messages of one line or more.

use std::sync::{Mutex, MutexGuard, PoisonError};

use backwater_kernel::words::printable;
use backwater_scenario::Diagnostics;
use serde_json::{Map, Value, json};

use crate::{BAD_INPUT, FAILED, SHORT_OF_MEMORY, SUCCESS};

/// Of the command that runs, where it is asked for.
static DOCUMENT: Mutex<Option<Document>> = Mutex::new(None);

#[derive(Default)]
struct Document {
    fields: Map<String, Value>,
    diagnostics: Vec<Value>,
    messages: Vec<String>,
}

fn document() -> MutexGuard<'static, Option<Document>> {
    DOCUMENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command begins: with a document or without.
pub fn begin(is_wanted: bool) {
    *document() = is_wanted.then(Document::default);
}

/// Is there one?
pub fn is_wanted() -> bool {
    document().is_some()
}

/// Puts a field there; nothing happens where no document is wanted.
pub fn put(name: &str, value: impl Into<Value>) {
    if let Some(document) = &mut *document() {
        document.fields.insert(name.into(), value.into());
    }
}

/// Takes diagnostics; false where no document is wanted.
pub fn takes(mistakes: &Diagnostics) -> bool {
    let mut document = document();
    let Some(document) = &mut *document else {
        return false;
    };
    if let Value::Array(all) = mistakes.to_json() {
        document.diagnostics.extend(all.into_iter().map(placed));
    }
    true
}

/// With the main place in fields of its own.
fn placed(mut diagnostic: Value) -> Value {
    for name in ["file", "line", "column"] {
        diagnostic[name] = diagnostic["places"][0][name].clone();
    }
    diagnostic
}

/// Takes a message; false where no document is wanted.
pub fn hears(message: &str) -> bool {
    let mut document = document();
    let Some(document) = &mut *document else {
        return false;
    };
    let lines: Vec<String> = message.trim().lines().map(printable).collect();
    if !lines.is_empty() {
        document.messages.push(lines.join("\n"));
    }
    true
}

/// The document of this command, which ends with this status; `None` where none is wanted.
pub fn end(command: &str, status: u8) -> Option<String> {
    let Document {
        fields,
        diagnostics,
        messages,
    } = document().take()?;
    let mut all = Map::new();
    all.insert("command".into(), json!(command));
    all.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    all.insert("verdict".into(), json!(verdict(status)));
    all.insert("exit_status".into(), json!(status));
    all.extend(fields);
    all.insert("diagnostics".into(), diagnostics.into());
    all.insert("messages".into(), messages.into());
    Some(format!("{:#}\n", Value::Object(all)))
}

/// What an exit status says.
fn verdict(status: u8) -> &'static str {
    match status {
        SUCCESS => "done",
        FAILED => "failed",
        BAD_INPUT => "error",
        SHORT_OF_MEMORY => "short of memory",
        _ => "interrupted",
    }
}
