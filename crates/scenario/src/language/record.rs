//! A section as read: every value checked against its key, every default filled in.

use backwater_kernel::Rate;
use backwater_net::spec::Span;

use crate::language::source::At;
use crate::language::table::{Key, Section};
use crate::language::tree::Node;
use crate::language::units::{Amount, Decimal};

/// A checked table.
#[derive(Clone)]
pub struct Record {
    pub section: &'static Section,
    pub at: At,
    pub fields: Vec<Field>,
    /// Keys that are given, but not as they should be: a mistake already told.
    pub faulty: Vec<&'static str>,
}

/// A checked value.
#[derive(Clone)]
pub struct Field {
    pub key: &'static Key,
    pub at: At,
    /// Does it stand in the file (or on the command line)?
    pub given: bool,
    pub datum: Datum,
    /// The value as TOML.
    pub toml: String,
}

/// A value, in the units of the simulator.
#[derive(Clone)]
pub enum Datum {
    Text(String),
    Word(&'static str),
    List(Vec<(String, At)>),
    Whole(u64),
    Signed(i64),
    Wholes(Vec<u64>),
    Rows(Vec<Vec<f64>>),
    Truth(bool),
    Decimal(f64),
    Share(Decimal),
    Ratio(u32, u32),
    Span(Span),
    Amount(Amount),
    Rate(Rate),
    /// Read where more is known of it.
    Tree(Node),
    Record(Record),
    Records(Vec<Record>),
}

impl Record {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        debug_assert!(
            self.section.key(name).is_some(),
            "{}.{name}",
            self.section.name
        );
        self.fields.iter().find(|field| field.key.name == name)
    }

    /// Takes a value that was read for a key, of this text at this place.
    pub(crate) fn put(
        &mut self,
        key: &'static Key,
        at: &At,
        toml: String,
        datum: Datum,
        given: bool,
    ) {
        self.fields.push(Field {
            key,
            at: at.clone(),
            given,
            datum,
            toml,
        });
    }

    /// Where the value stands, or the table if it has a default.
    pub(crate) fn at(&self, name: &str) -> At {
        self.field(name)
            .map_or_else(|| self.at.clone(), |field| field.at.clone())
    }

    pub(crate) fn given(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.given)
    }

    /// Where a kind was chosen from outside, here or below; the first place.
    pub(crate) fn chosen_outside(&self) -> Option<At> {
        let selector = self.section.selector.map(|selector| selector.key);
        let mut fields = self.fields.iter();
        fields.find_map(|field| match &field.datum {
            Datum::Record(below) => below.chosen_outside(),
            Datum::Records(below) => below.iter().find_map(Self::chosen_outside),
            _ if Some(field.key.name) == selector && field.given => {
                Some(field.at.clone()).filter(At::is_outside)
            }
            _ => None,
        })
    }

    pub(crate) fn word(&self, name: &str) -> &'static str {
        match self.datum(name) {
            Some(Datum::Word(word)) => word,
            _ => "",
        }
    }

    pub(crate) fn record(&self, name: &str) -> Option<&Record> {
        match self.datum(name) {
            Some(Datum::Record(record)) => Some(record),
            _ => None,
        }
    }

    pub(crate) fn records(&self, name: &str) -> &[Record] {
        match self.datum(name) {
            Some(Datum::Records(records)) => records,
            _ => &[],
        }
    }

    pub(crate) fn datum(&self, name: &str) -> Option<&Datum> {
        self.field(name).map(|field| &field.datum)
    }
}
