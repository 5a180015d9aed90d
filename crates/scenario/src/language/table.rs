//! The shape of the tables that describe the language: sections, keys, and what a kind of values
//! has to say.
//!
//! The reader, `explain`, the editor schema, the reference page and the resolved scenario all
//! work from them, so a key exists once.

use std::any::Any;
use std::fmt::Display;

use serde_json::Value;

use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::tree::Node;

/// A table of the scenario file.
pub struct Section {
    /// As the reference names it: `[link]`, `[[flows]]`, `flows.traffic`.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What may stand in it.
    pub keys: &'static [Key],
    /// The key whose choice decides which of the others have a meaning.
    pub selector: Option<Selector>,
    /// Keys of which at most or exactly one may be given.
    pub groups: &'static [Group],
}

/// The key whose choice decides which of the others have a meaning.
#[derive(Clone, Copy)]
pub struct Selector {
    /// Its name.
    pub key: &'static str,
    /// What holds where it is absent; `None` if that is known only elsewhere.
    pub default: Option<&'static str>,
}

/// Keys that say the same in different ways.
#[derive(Clone, Copy)]
pub struct Group {
    /// Their names.
    pub keys: &'static [&'static str],
    /// Must one be given?
    pub required: bool,
    /// Where it holds: choices of the selector; empty is everywhere.
    pub only: &'static [&'static str],
}

/// One key.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value may be.
    pub kind: &'static dyn Kind,
    /// What holds where it is absent.
    pub default: Default,
    /// In one or two sentences.
    pub meaning: &'static str,
    /// Where it comes from; empty if from nowhere in particular.
    pub cite: &'static str,
    /// Where it has a meaning: choices of the section's selector; empty is everywhere.
    pub only: &'static [&'static str],
}

/// What holds where a key is absent.
#[derive(Clone, Copy)]
pub enum Default {
    /// The key must be given.
    Required,
    /// This, as TOML.
    Is(&'static str),
    /// This, in words: it depends on other keys.
    Derived(&'static str),
}

/// What holds where a key of a table that overrides another is absent.
pub(crate) const AS_ABOVE: &str = "as the table above it says";

/// One word a key may hold.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// Where it comes from; empty if from nowhere in particular.
    pub cite: &'static str,
}

impl Key {
    /// Does it repeat the key of a table above?
    pub(crate) fn repeats(&self) -> bool {
        matches!(self.default, Default::Derived(AS_ABOVE))
    }

    /// Is it the same key, in another section?
    pub(crate) fn is_same(&self, other: &Key) -> bool {
        let words = |key: &Key| {
            let choices = key.kind.choices().unwrap_or_default().iter();
            let words = choices.map(|choice| (choice.name, choice.meaning));
            let mut words: Vec<(&str, &str)> = words.collect();
            words.sort_unstable();
            words
        };
        (self.name, self.meaning) == (other.name, other.meaning) && words(self) == words(other)
    }

    /// `name = value`, as an example.
    pub(crate) fn example(&self) -> String {
        format!("{} = {}", self.name, self.kind.example_for(self.name))
    }

    /// Has it a meaning under this choice?
    pub fn applies(&self, choice: Option<&str>) -> bool {
        self.only.is_empty() || choice.is_none_or(|choice| self.only.contains(&choice))
    }
}

impl Section {
    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.key_under(name, None)
    }

    /// The key of this name that has a meaning under this choice, or else the first so called:
    /// choices may have keys of one name with defaults of their own.
    pub fn key_under(&self, name: &str, choice: Option<&str>) -> Option<&'static Key> {
        let mut named = self.keys.iter().filter(|key| key.name == name);
        let here = named.clone().find(|key| key.applies(choice));
        here.or_else(|| named.next())
    }

    /// The choices under which a key of this name has a meaning.
    pub(crate) fn homes(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let named = self.keys.iter().filter(move |key| key.name == name);
        named.flat_map(|key| key.only.iter().copied())
    }

    /// Keys that must be given, of the first choice where there are several, and the first of those
    /// of which one must.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &'static Key> {
        let selector = self.selector.and_then(|selector| self.key(selector.key));
        let choices = selector.and_then(|key| key.kind.choices());
        let first = choices.and_then(|choices| choices.first());
        let first = first.map(|choice| choice.name);
        let groups = self.groups;
        let is_of_group = move |key: &Key| {
            let here = |group: &Group| {
                group.only.is_empty() || first.is_some_and(|first| group.only.contains(&first))
            };
            let mut needed = groups.iter().filter(|group| group.required && here(group));
            needed.any(|group| group.keys[0] == key.name)
        };
        let required = move |key: &&Key| {
            let is_required = matches!(key.default, Default::Required) || is_of_group(key);
            is_required && key.applies(first)
        };
        self.keys.iter().filter(required)
    }

    /// Itself and all sections below it, each once.
    pub(crate) fn below(&'static self) -> Vec<&'static Section> {
        let mut all = Vec::new();
        self.add_below(&mut all);
        all
    }

    /// Adds itself and those below it that are not known yet.
    pub(crate) fn add_below(&'static self, all: &mut Vec<&'static Section>) {
        let mut next = all.len();
        all.push(self);
        while next < all.len() {
            for key in all[next].keys {
                if let Some(section) = key.kind.section()
                    && !all.iter().any(|known| std::ptr::eq(*known, section))
                {
                    all.push(section);
                }
            }
            next += 1;
        }
    }
}

/// What a value may be.
pub trait Kind: Any + Sync {
    /// What is said of it.
    fn facts(&self) -> Facts;

    /// Are values names, which the file declares elsewhere or only once, so that no example fits
    /// all files?
    fn refers(&self) -> bool {
        false
    }

    /// Reads a value for this key and tells what is wrong with it.
    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum>;

    /// As JSON schema; `place` says where that of a section stands.
    fn schema(&self, _place: &dyn Fn(&Section) -> Value) -> Value {
        self.facts().schema
    }

    /// A value for the key of this name, as TOML.
    fn example_for(&self, _key: &str) -> String {
        self.facts().example
    }

    /// How a value is laid out in a file.
    fn form(&self) -> Form {
        Form::Value
    }

    /// The section that describes the table or tables.
    fn section(&self) -> Option<&'static Section> {
        None
    }

    /// The words of which a value is one.
    fn choices(&self) -> Option<&'static [Choice]> {
        None
    }

    /// The key whose value may stand for the whole table.
    fn short_key(&self) -> Option<&'static Key> {
        None
    }
}

impl dyn Kind {
    /// Is it a `K`?
    pub fn is<K: Kind>(&self) -> bool {
        self.cast::<K>().is_some()
    }

    /// This kind, if it is a `K`.
    pub fn cast<K: Kind>(&self) -> Option<&K> {
        (self as &dyn Any).downcast_ref()
    }
}

/// What is said of a kind of values.
pub struct Facts {
    /// "a span of time".
    pub noun: String,
    /// A value, as TOML.
    pub example: String,
    /// What may be given, with units and range.
    pub allowed: String,
    /// The same where words and tables have a place of their own.
    pub summary: String,
    /// The units a value may have.
    pub units: Vec<&'static str>,
    /// The unit to show in an example with the user's own number.
    pub usual_unit: &'static str,
    /// What numbers without a unit count, in words; empty if nothing in particular.
    pub counted: &'static str,
    /// As JSON schema.
    pub schema: Value,
}

impl Facts {
    pub(crate) fn new(noun: impl Into<String>, example: impl Into<String>, schema: Value) -> Self {
        let noun = noun.into();
        Self {
            allowed: noun.clone(),
            summary: noun.clone(),
            noun,
            example: example.into(),
            units: Vec::new(),
            usual_unit: "us",
            counted: "",
            schema,
        }
    }

    pub(crate) fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self.summary = self.allowed.clone();
        self
    }

    pub(crate) fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    /// A range with its units.
    pub(crate) fn range(
        self,
        range: impl Display,
        units: Vec<&'static str>,
        usual: &'static str,
    ) -> Self {
        self.allowed(format!("{range}, in {}", units.join(", ")))
            .units(units, usual)
    }

    pub(crate) fn counted(mut self, counted: &'static str) -> Self {
        self.counted = counted;
        self
    }

    pub(crate) fn units(mut self, units: Vec<&'static str>, usual: &'static str) -> Self {
        self.units = units;
        self.usual_unit = usual;
        self
    }
}

/// How a value is laid out in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `key = value`.
    Value,
    /// `[key]`, once.
    Table,
    /// `[[key]]`, once for each.
    Tables,
}
