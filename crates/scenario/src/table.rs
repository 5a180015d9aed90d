//! The shape of the tables that describe the language: sections and keys.
//!
//! The reader, `explain`, the editor schema, the reference page and the resolved scenario all
//! work from them, so a key exists once.

use crate::kinds::Kind;

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
pub struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// Where it comes from; empty if from nowhere in particular.
    pub cite: &'static str,
}

impl Key {
    /// A key with no default of its own and valid for every choice; refined by what follows.
    pub(crate) const fn new(
        name: &'static str,
        kind: &'static dyn Kind,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            default: Default::Required,
            meaning,
            cite: "",
            only: &[],
        }
    }

    /// Holds this where absent.
    pub(crate) const fn or(self, toml: &'static str) -> Self {
        Self {
            default: Default::Is(toml),
            ..self
        }
    }

    /// The same key in a table that overrides another.
    pub(crate) const fn as_above(self) -> Self {
        Self {
            default: Default::Derived(AS_ABOVE),
            ..self
        }
    }

    /// Is worked out, or simply absent, where absent.
    pub(crate) const fn otherwise(self, words: &'static str) -> Self {
        Self {
            default: Default::Derived(words),
            ..self
        }
    }

    /// Has a meaning only for these choices of the selector.
    pub(crate) const fn only(self, choices: &'static [&'static str]) -> Self {
        Self {
            only: choices,
            ..self
        }
    }

    /// Where it comes from.
    pub(crate) const fn cite(self, cite: &'static str) -> Self {
        Self { cite, ..self }
    }

    /// `name = value`, as an example.
    pub(crate) fn example(&self) -> String {
        format!("{} = {}", self.name, self.kind.example_for(self.name))
    }

    /// Does it repeat the key of a table above?
    pub(crate) fn repeats(&self) -> bool {
        matches!(self.default, Default::Derived(AS_ABOVE))
    }

    /// Is it the same key, in another section?
    pub(crate) fn is_same(&self, other: &Key) -> bool {
        let words = |key: &Key| {
            let choices = key.kind.choices().unwrap_or_default().iter();
            let mut words: Vec<&str> = choices.map(|choice| choice.name).collect();
            words.sort_unstable();
            words
        };
        (self.name, self.meaning) == (other.name, other.meaning) && words(self) == words(other)
    }

    /// Has it a meaning under this choice?
    pub fn applies(&self, choice: Option<&str>) -> bool {
        self.only.is_empty() || choice.is_none_or(|choice| self.only.contains(&choice))
    }
}

/// All keys of several lists; `N` is how many they are.
pub(crate) const fn joined<const N: usize>(lists: &[&[Key]]) -> [Key; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut filled) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[filled] = lists[list][index];
            filled += 1;
            index += 1;
        }
        list += 1;
    }
    assert!(filled == N);
    all
}

/// The same keys, with a meaning only for these choices of the selector.
pub(crate) const fn only_for<const N: usize>(
    keys: &[Key; N],
    choices: &'static [&'static str],
) -> [Key; N] {
    let mut own = *keys;
    let mut index = 0;
    while index < N {
        own[index].only = choices;
        index += 1;
    }
    own
}

impl Section {
    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl Choice {
    pub(crate) const fn new(name: &'static str, meaning: &'static str) -> Self {
        Self {
            name,
            meaning,
            cite: "",
        }
    }

    pub(crate) const fn cite(self, cite: &'static str) -> Self {
        Self { cite, ..self }
    }
}
