//! Words of the language, and yes or no.

use serde_json::json;

use super::{Facts, Kind, of, usual};
use crate::diagnostics::Diagnostic;
use crate::reader::{Reader, clip, words};
use crate::record::Datum;
use crate::suggest;
use crate::table::{Choice, Key};
use crate::tree::{self, Node};

/// One of these words.
pub struct Words(pub &'static [Choice]);

/// Yes or no.
pub struct Truth;

impl Words {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|choice| choice.name)
    }
}

impl Kind for Words {
    fn facts(&self) -> Facts {
        let names: Vec<&str> = self.names().collect();
        let quoted: Vec<String> = names.iter().map(|word| format!("`\"{word}\"`")).collect();
        let example = format!("\"{}\"", names.first().copied().unwrap_or_default());
        Facts::new("one of the words below", example, json!({ "enum": names }))
            .allowed(quoted.join(", "))
            .summary("see below")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let text = reader.text(key, node)?;
        if let Some(word) = self.names().find(|word| *word == text) {
            return Some(Datum::Word(word));
        }
        let nearest = suggest::did_you_mean(&text, self.names());
        let word = (reader.guide.meant)(&text, reader.root, reader.root);
        let word = word.filter(|word| word.is_here || nearest.is_none());
        Diagnostic::error(
            "unknown-word",
            format!("unknown {} `{}`", key.name, clip(&text)),
        )
        .at(&node.at, "not one of the allowed words")
        .help_if(nearest)
        .help_if(word.map(|word| word.help))
        .note(format!("allowed: {}", words(self.0)))
        .tell(reader.mistakes);
        None
    }

    fn choices(&self) -> Option<&'static [Choice]> {
        Some(self.0)
    }
}

impl Kind for Truth {
    fn facts(&self) -> Facts {
        Facts::new("true or false", "true", json!({ "type": "boolean" }))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match node.value {
            tree::Value::Bool(truth) => Some(Datum::Truth(truth)),
            _ => reader.wrong_type(key, node),
        }
    }
}

of! {
    Truth for bool { Datum::Truth(truth) => *truth } else |_| false;
}
usual! { bool: Truth; }
