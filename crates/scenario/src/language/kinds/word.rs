//! Words of the language, and yes or no.

use serde_json::json;

use super::{Facts, Kind, of, usual};
use crate::language::diagnostics::Diagnostic;
use crate::language::reader::{Reader, clip, words};
use crate::language::record::Datum;
use crate::language::suggest;
use crate::language::table::{Choice, Key, Section};
use crate::language::tree::{self, Node};

/// One of these words.
pub struct Words(pub &'static [Choice]);

/// Yes or no.
pub struct Truth;

impl Words {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|choice| choice.name)
    }
}

impl Words {
    /// The words whose meaning speaks of this one, as a line of help.
    fn spoken_of(&self, text: &str) -> Option<String> {
        const MOST: usize = 3;
        let text = text.to_lowercase();
        let asked = text.split(|c: char| !c.is_alphanumeric());
        let asked: Vec<&str> = asked.filter(|word| word.len() >= 3).collect();
        let is_asked = |word: &str| {
            let mut asked = asked.iter();
            asked.any(|asked| is_one_word(asked, word))
        };
        let speaks = |choice: &&Choice| {
            let meaning = choice.meaning.to_lowercase();
            let mut words = meaning.split(|c: char| !c.is_alphanumeric());
            words.any(is_asked)
        };
        let found: Vec<&Choice> = self.0.iter().filter(speaks).take(MOST).collect();
        if found.is_empty() {
            return None;
        }
        let told = found.iter().map(|choice| {
            let meaning = choice.meaning.trim_end_matches('.');
            format!("`{}` ({meaning})", choice.name)
        });
        Some(format!(
            "perhaps {}",
            told.collect::<Vec<_>>().join(", or ")
        ))
    }
}

impl Words {
    /// Which engine has the word, and the keys that it brings there.
    fn abroad(&self, reader: &Reader<'_>, key: &Key, word: &str) -> Option<String> {
        if !reader.suggestions.spend() {
            return None;
        }
        let asked = (key.name, word);
        let found = reader.guide.choice_abroad(reader.root, reader.here, asked);
        let (engine, keys) = found?;
        let with = match keys.is_empty() {
            true => String::new(),
            false => format!(", with the keys {}", suggest::all_of(keys)),
        };
        Some(format!("`{word}` is for `engine = \"{engine}\"`{with}"))
    }

    /// The keys that those of the words bring which a line of help names.
    fn keys_of(&self, here: &Section, key: &Key, help: &str) -> Option<String> {
        let is_selector = here
            .selector
            .is_some_and(|selector| selector.key == key.name);
        let named = self
            .names()
            .filter(|word| help.contains(&format!("= \"{word}\"")));
        let told = named.filter(|_| is_selector).filter_map(|word| {
            let keys = here.keys.iter().filter(|key| key.only.contains(&word));
            let keys: Vec<&str> = keys.map(|key| key.name).collect();
            (!keys.is_empty()).then(|| format!("`{word}` has {}", suggest::all_of(keys)))
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Are they the same but for an ending?
fn is_one_word(one: &str, other: &str) -> bool {
    let stem = |word: &str| {
        let plural = ["sses", "ches", "shes", "xes"]
            .iter()
            .any(|end| word.ends_with(end));
        let cut = match word {
            _ if plural => 2,
            _ if word.ends_with('s') && !word.ends_with("ss") => 1,
            _ => 0,
        };
        word.len() - cut
    };
    one[..stem(one)] == other[..stem(other)]
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
        let abroad = self.abroad(reader, key, &text);
        let is_helped = nearest.is_some() || word.is_some() || abroad.is_some();
        let other = (!is_helped).then(|| {
            self.spoken_of(&text).unwrap_or_else(|| {
                let table = reader.here.name.trim_matches(['[', ']']);
                let path = match std::ptr::eq(reader.here, reader.root) {
                    true => key.name.to_owned(),
                    false => format!("{table}.{}", key.name),
                };
                format!("`backwater explain {path}` says what each of them means")
            })
        });
        Diagnostic::error(
            "unknown-word",
            format!("unknown {} `{}`", key.name, clip(&text)),
        )
        .at(&node.at, "not one of the allowed words")
        .help_if(nearest)
        .help_if(word.as_ref().map(|word| word.help.clone()))
        .help_if(abroad)
        .help_if(word.and_then(|word| self.keys_of(reader.here, key, &word.help)))
        .help_if(other)
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
