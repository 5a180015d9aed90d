//! Tables as types: what `#[table(..)]` and `#[word]` make, and how values are taken
//! from what was read.
//!
//! A value that was not given as it should be has a stand-in, so that the rest of a file can be
//! built and checked: its mistake is told, and no run follows.

use std::ops::Deref;

use crate::language::diagnostics::Diagnostics;
use crate::language::kinds::{self, Of};
use crate::language::reader::Reader;
use crate::language::record::{Datum, Record};
use crate::language::source::At;
use crate::language::table::{AS_ABOVE, Choice, Default, Group, Key, Section, Selector};
use crate::language::tree::{Entry, Node, Value};

/// A table of the language.
pub(crate) trait Table: Sized {
    /// What may stand in it.
    const TABLE: &'static Section;
    /// May every key be left open, for a table above to say?
    const IS_LAYERED: bool = false;

    /// Its value, with stand-ins for what was not given as it should be.
    fn read(record: &Record) -> Self;
}

/// A word that a key may hold.
pub(crate) trait Word: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];
    /// The same, with what each stands for.
    const WORDS: &'static [Choice];

    /// The word, if it is one of them.
    fn of_word(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|known| known.word() == word).copied()
    }

    /// How it is written.
    fn word(&self) -> &'static str;
}

/// A table that overrides another.
pub(crate) trait Layered: Table {
    /// The keys given in it, as far as their places are kept.
    fn given(&self) -> Vec<(&'static Key, &At)>;
}

/// The table where only the word that chooses is given: every default that holds under it.
pub(crate) fn defaults<T: Table>(chosen: &str, at: &At) -> T {
    let node = |value| Node {
        value,
        at: at.clone(),
    };
    let entry = T::TABLE.selector.map(|selector| Entry {
        key: selector.key.into(),
        key_at: at.clone(),
        node: node(Value::Text(chosen.into())),
    });
    let table = node(Value::Table(entry.into_iter().collect()));
    T::read(&Reader::of(T::TABLE, &mut Diagnostics::default()).section(T::TABLE, &table))
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    pub value: T,
    /// Its place, or that of its table where it is absent.
    pub at: At,
    /// Does it stand in the file (or on the command line)?
    pub is_given: bool,
    /// Is it missing or wrong, so that a stand-in is in its place?
    pub is_faulty: bool,
}

impl<T> Deref for Placed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Placed<T> {
    /// The value, unless a stand-in is in its place.
    pub(crate) fn sure(&self) -> Option<&T> {
        (!self.is_faulty).then_some(&self.value)
    }

    /// Is the key there at all, read or not?
    pub(crate) fn is_mentioned(&self) -> bool {
        self.is_given || self.is_faulty
    }
}

/// A table whose variant a word chooses, and where that word stands.
#[derive(Clone, Debug)]
pub(crate) struct Chosen<T> {
    pub value: T,
    /// The word; empty if it is missing or wrong, so that a stand-in is in the table's place.
    pub word: &'static str,
    /// Its place, or that of the table where it is absent.
    pub at: At,
}

impl<T> Chosen<T> {
    /// The table, unless a stand-in is in its place.
    pub(crate) fn sure(&self) -> Option<&T> {
        (!self.word.is_empty()).then_some(&self.value)
    }
}

impl<T> Deref for Chosen<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Table> Table for Chosen<T> {
    const TABLE: &'static Section = T::TABLE;

    fn read(record: &Record) -> Self {
        let selector = T::TABLE.selector;
        Self {
            value: T::read(record),
            word: record.chosen(),
            at: selector.map_or_else(At::default, |selector| record.at(selector.key)),
        }
    }
}

impl<T: Table> kinds::Usual for Chosen<T> {
    type Kind = kinds::Table;
    const KIND: kinds::Table = kinds::Table(T::TABLE);
}

impl<T> Placed<Option<T>> {
    /// Where it stands, if it does.
    pub(crate) fn place(&self) -> Option<&At> {
        self.value.is_some().then_some(&self.at)
    }
}

/// Nothing, anywhere.
impl<T> std::default::Default for Placed<Option<T>> {
    fn default() -> Self {
        Self {
            value: None,
            at: At::default(),
            is_given: false,
            is_faulty: false,
        }
    }
}

impl Record {
    /// The word that chooses the variant; empty if it could not be read.
    pub(crate) fn chosen(&self) -> &'static str {
        self.section
            .selector
            .map_or("", |selector| self.word(selector.key))
    }

    pub(crate) fn value<K, T: Of<K>>(&self, name: &str, kind: &K) -> T {
        let read = self.optional(name, kind);
        read.unwrap_or_else(|| T::stand_in(kind))
    }

    pub(crate) fn optional<K, T: Of<K>>(&self, name: &str, kind: &K) -> Option<T> {
        self.datum(name).and_then(|datum| T::of(kind, datum))
    }

    pub(crate) fn placed<K, T: Of<K>>(&self, name: &'static str, kind: &K) -> Placed<T> {
        let read = self.optional(name, kind);
        let key = self.section.key_under(name, Some(self.chosen()));
        let may_be_absent = key.is_some_and(|key| matches!(key.default, Default::Derived(_)));
        let is_faulty = read.is_none() && (!may_be_absent || self.faulty.contains(&name));
        Placed {
            value: read.unwrap_or_else(|| T::stand_in(kind)),
            at: self.at(name),
            is_given: self.given(name),
            is_faulty,
        }
    }

    pub(crate) fn placed_optional<K, T: Of<K>>(&self, name: &str, kind: &K) -> Placed<Option<T>> {
        Placed {
            value: self.optional(name, kind),
            at: self.at(name),
            is_given: self.given(name),
            is_faulty: self.faulty.contains(&name),
        }
    }

    /// The typed table.
    pub(crate) fn typed<T: Table>(&self) -> Placed<T> {
        debug_assert!(
            std::ptr::eq(self.section, T::TABLE),
            "{}",
            self.section.name
        );
        Placed {
            value: T::read(self),
            at: self.at.clone(),
            is_given: true,
            is_faulty: false,
        }
    }
}

/// A large table in an enum of small ones.
impl<T: Table> Table for Box<T> {
    const TABLE: &'static Section = T::TABLE;

    fn read(record: &Record) -> Self {
        Self::new(T::read(record))
    }
}

/// A record of which nothing is known.
fn nothing(section: &'static Section) -> Record {
    Record {
        section,
        at: At::default(),
        fields: Vec::new(),
        faulty: Vec::new(),
    }
}

impl<T: Word> Of<kinds::Words> for T {
    fn of(_: &kinds::Words, datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Word(word) => T::of_word(word),
            _ => None,
        }
    }

    fn stand_in(_: &kinds::Words) -> Self {
        T::ALL[0]
    }
}

impl<T: Table, K: kinds::One> Of<K> for T {
    fn of(_: &K, datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Record(record) => Some(T::read(record)),
            _ => None,
        }
    }

    fn stand_in(_: &K) -> Self {
        T::read(&nothing(T::TABLE))
    }
}

impl<T: Table> kinds::Usual for Vec<Placed<T>> {
    type Kind = kinds::Tables;
    const KIND: kinds::Tables = kinds::Tables(T::TABLE);
}

impl<T: Table> Of<kinds::Tables> for Vec<Placed<T>> {
    fn of(_: &kinds::Tables, datum: &Datum) -> Option<Self> {
        match datum {
            Datum::Records(records) => Some(records.iter().map(Record::typed).collect()),
            _ => None,
        }
    }

    fn stand_in(_: &kinds::Tables) -> Self {
        Vec::new()
    }
}

impl Key {
    /// Stands in an array until its own keys do.
    pub(crate) const FILLER: Self = Self {
        name: "",
        kind: &kinds::Truth,
        default: Default::Required,
        meaning: "",
        cite: "",
        only: &[],
    };
}

impl Group {
    /// Stands in an array until its own groups do.
    pub(crate) const FILLER: Self = Self {
        keys: &[],
        required: false,
        only: &[],
    };
}

/// How many there are in all lists together.
pub(crate) const fn total<T>(lists: &[&[T]]) -> usize {
    let (mut list, mut sum) = (0, 0);
    while list < lists.len() {
        sum += lists[list].len();
        list += 1;
    }
    sum
}

/// All of several lists; `N` is how many they are.
pub(crate) const fn joined<T: Copy, const N: usize>(filler: T, lists: &[&[T]]) -> [T; N] {
    let mut all = [filler; N];
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

/// Each of a list, changed while compiling; `N` is how many they are.
macro_rules! each {
    ($list:expr, $filler:expr, $one:ident => $changed:expr) => {{
        let mut all = [$filler; N];
        let mut index = 0;
        while index < N {
            let $one = $list[index];
            all[index] = $changed;
            index += 1;
        }
        all
    }};
}

/// The same keys, with a meaning under these words alone.
pub(crate) const fn limited<const N: usize>(
    keys: &[Key],
    only: &'static [&'static str],
) -> [Key; N] {
    each!(keys, Key::FILLER, key => Key { only, ..key })
}

/// The same of groups.
pub(crate) const fn limited_groups<const N: usize>(
    groups: &[Group],
    only: &'static [&'static str],
) -> [Group; N] {
    each!(groups, Group::FILLER, group => Group { only, ..group })
}

/// The same keys in a table that overrides another.
pub(crate) const fn repeated<T: Table, const N: usize>() -> [Key; N] {
    assert!(T::IS_LAYERED);
    let default = Default::Derived(AS_ABOVE);
    each!(T::TABLE.keys, Key::FILLER, key => Key { default, ..key })
}

/// The same, where the table above decides.
pub(crate) const fn undecided(selector: Option<Selector>) -> Option<Selector> {
    match selector {
        Some(Selector { key, .. }) => Some(Selector { key, default: None }),
        None => None,
    }
}

/// Refuses what is no word of `T`, while compiling.
pub(crate) const fn assert_words<T: Word>(words: &[&str]) {
    let mut index = 0;
    while index < words.len() {
        let mut known = 0;
        while !is_same(words[index], T::WORDS[known].name) {
            known += 1;
            assert!(
                known < T::WORDS.len(),
                "`only` names a word that there is not"
            );
        }
        index += 1;
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// The selector of the one flattened table that has one.
pub(crate) const fn only_selector(selectors: &[Option<Selector>]) -> Option<Selector> {
    let mut found = None;
    let mut index = 0;
    while index < selectors.len() {
        if selectors[index].is_some() {
            assert!(found.is_none());
            found = selectors[index];
        }
        index += 1;
    }
    found
}
