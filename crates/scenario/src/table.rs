//! The shape of the tables that describe the language: sections, keys, kinds.
//!
//! The reader, `explain`, the editor schema, the reference page and the resolved scenario all
//! work from them, so a key exists once.

/// A table of the scenario file.
pub(crate) struct Section {
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
pub(crate) struct Selector {
    /// Its name.
    pub key: &'static str,
    /// What holds where it is absent; `None` if that is known only elsewhere.
    pub default: Option<&'static str>,
}

/// Keys that say the same in different ways.
pub(crate) struct Group {
    pub keys: &'static [&'static str],
    /// Must one be given?
    pub required: bool,
    /// Where it holds: choices of the selector; empty is everywhere.
    pub only: &'static [&'static str],
}

/// One key.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: Kind,
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
pub(crate) enum Default {
    /// The key must be given.
    Required,
    /// This, as TOML.
    Is(&'static str),
    /// This, in words: it depends on other keys.
    Derived(&'static str),
}

/// What holds where a key of a table that overrides another is absent.
pub(crate) const AS_ABOVE: &str = "as the table above it says";

/// What a value may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A name: not empty, without `->` and characters that can't be printed.
    Name,
    /// One name of something declared elsewhere; the text says of what.
    Reference(&'static str),
    /// One such name or a list of them.
    References(&'static str),
    /// A list of such names.
    ReferenceList(&'static str),
    /// A list of new names.
    Names,
    /// A whole number with its unit in words.
    Whole {
        min: u64,
        max: u64,
        unit: &'static str,
    },
    /// A word, or a whole number.
    WholeOr {
        word: &'static str,
        min: u64,
        max: u64,
        unit: &'static str,
    },
    /// A list of whole numbers.
    Wholes {
        min: u64,
        max: u64,
        unit: &'static str,
    },
    /// Yes or no.
    Truth,
    /// A decimal number.
    Decimal { min: f64, max: f64 },
    /// A list of lists of decimal numbers from 0 on.
    Rows,
    /// The path of a file, from the folder of the scenario.
    Path,
    /// A whole number of cycles.
    Cycles { min: u64, max: u64 },
    /// A word, or a whole number of cycles.
    CyclesOr {
        word: &'static str,
        min: u64,
        max: u64,
    },
    /// 0 to 1, or a percentage.
    Probability,
    /// 0 to 1 of a whole, or a percentage.
    Portion,
    /// A share of a rate, above 0 and at most 100 times it.
    Share,
    /// A span of time.
    Time { min_ps: u64 },
    /// A word, or a span of time.
    TimeOr { word: &'static str, min_ps: u64 },
    /// A span of time, or `{ mean = .. }` of an exponential one.
    Span { min_ps: u64 },
    /// A span of time where there are no cells.
    Clock { min_ps: u64 },
    /// A word, or such a span.
    ClockOr { word: &'static str, min_ps: u64 },
    /// A length of cable, read as its delay at 5 ns/m.
    Cable,
    /// Bits per second.
    Rate,
    /// Bits per second or cells per second; 0 too, if `min` is 0.
    CellRate { min: u64 },
    /// A rate, a share of the link's, or a word for all of it.
    RateOrShare { word: &'static str },
    /// Bytes with a unit.
    Size { min: u64, max: u64 },
    /// Bytes with a unit, or a share of the queue's limit.
    Threshold,
    /// A fraction, as `1/8` or as a decimal number.
    Ratio { max: u64 },
    /// A word, or 0 to 1 of a whole.
    PortionOr { word: &'static str },
    /// How many seeds, or a list of them.
    Seeds,
    /// Paths of keys, each with a list of values or a range.
    Axes,
    /// One of these words.
    Choice(&'static [Choice]),
    /// A table, or the value of one of its keys alone.
    Short(&'static Section, &'static str),
    /// A table.
    Table(&'static Section),
    /// A list of tables.
    Tables(&'static Section),
}

/// One word a key may hold.
pub(crate) struct Choice {
    pub name: &'static str,
    pub meaning: &'static str,
    pub cite: &'static str,
}

impl Key {
    /// A key with no default of its own and valid for every choice; refined by what follows.
    pub(crate) const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
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

    /// Does it repeat the key of a table above?
    pub(crate) fn repeats(&self) -> bool {
        matches!(self.default, Default::Derived(AS_ABOVE))
    }

    /// Is it the same key, in another section?
    pub(crate) fn is_same(&self, other: &Key) -> bool {
        let words = |key: &Key| match key.kind {
            Kind::Choice(choices) => {
                let mut words: Vec<&str> = choices.iter().map(|choice| choice.name).collect();
                words.sort_unstable();
                words
            }
            _ => Vec::new(),
        };
        (self.name, self.meaning) == (other.name, other.meaning) && words(self) == words(other)
    }

    /// Has it a meaning under this choice?
    pub(crate) fn applies(&self, choice: Option<&str>) -> bool {
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

impl Kind {
    /// The section that describes the table or tables.
    pub(crate) fn section(&self) -> Option<&'static Section> {
        match self {
            Self::Table(section) | Self::Tables(section) | Self::Short(section, _) => Some(section),
            _ => None,
        }
    }

    /// The key that may stand for its whole table.
    pub(crate) fn short_key(&self) -> Option<&'static Key> {
        match self {
            Self::Short(section, key) => section.key(key),
            _ => None,
        }
    }
}

impl Section {
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
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
