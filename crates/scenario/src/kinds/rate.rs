//! Rates, of bits and of cells.

use serde_json::{Value, json};

use super::or::word;
use super::share::share;
use super::{Kind, OrShare, OrWord, names, of, usual};
use crate::reader::Reader;
use crate::record::Datum;
use crate::schema::quantity;
use crate::table::Key;
use crate::tree::{self, Node};
use crate::units::{self, RATES};

/// Bits per second.
pub struct Rate;

/// Bits per second or cells per second; 0 too, if `min` is 0.
pub struct CellRate {
    /// Least.
    pub min: u64,
}

/// A rate, a share of the link's, or a word for all of it.
pub struct RateOrShare {
    /// The word.
    pub word: &'static str,
}

impl Kind for Rate {
    fn noun(&self) -> String {
        "a rate".into()
    }

    fn example(&self) -> String {
        "\"622 Mbps\"".into()
    }

    fn allowed(&self) -> String {
        format!("1 bps to 1000000 Tbps, in {}", self.units().join(", "))
    }

    fn units(&self) -> Vec<&'static str> {
        let mut names = names(RATES);
        names.retain(|name| !name.contains('/'));
        names
    }

    fn usual_unit(&self) -> &'static str {
        "Mbps"
    }

    fn schema(&self) -> Value {
        quantity(&names(RATES))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::rate_bps)? {
            0 => reader.out_of_range(key, node, "nothing ever moves"),
            bps => Some(Datum::Rate(kernel::Rate(bps))),
        }
    }
}

impl Kind for CellRate {
    fn noun(&self) -> String {
        "a rate".into()
    }

    fn example(&self) -> String {
        "\"10 Mbps\"".into()
    }

    fn allowed(&self) -> String {
        let units = self.units().join(", ");
        format!("{} bps to 1000000 Tbps, in {units}", self.min)
    }

    fn units(&self) -> Vec<&'static str> {
        [Rate.units(), vec!["cells/s"]].concat()
    }

    fn usual_unit(&self) -> &'static str {
        "Mbps"
    }

    fn schema(&self) -> Value {
        quantity(&[names(RATES), vec!["cells/s"]].concat())
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let cell_bits = reader.cell_bits;
        match reader.quantity(key, node, |text| units::cell_rate_bps(text, cell_bits))? {
            bps if bps < self.min => reader.out_of_range(key, node, "nothing ever moves"),
            bps => Some(Datum::Rate(kernel::Rate(bps))),
        }
    }
}

impl Kind for RateOrShare {
    fn noun(&self) -> String {
        format!("a rate, a share of the link's rate or `\"{}\"`", self.word)
    }

    fn example(&self) -> String {
        "\"100 Mbps\"".into()
    }

    fn allowed(&self) -> String {
        let word = self.word;
        format!("`\"{word}\"`, a percentage (`\"64 %\"`) or a rate (`\"100 Mbps\"`)")
    }

    fn units(&self) -> Vec<&'static str> {
        [vec!["%"], Rate.units()].concat()
    }

    fn usual_unit(&self) -> &'static str {
        "Mbps"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [{ "const": self.word }, quantity(&["%"]), Rate.schema()] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        if let Some(word) = word(node, self.word) {
            return Some(word);
        }
        match &node.value {
            tree::Value::Text(text) if text.contains('%') => match share(reader, key, node)? {
                share if share.exceeds(1) => reader.out_of_range(key, node, "more than the link"),
                share => Some(Datum::Share(share)),
            },
            _ => Rate.read(reader, key, node),
        }
    }
}

of! {
    Rate for kernel::Rate: Datum::Rate(rate) => *rate, else |_| kernel::Rate(1);
    CellRate for kernel::Rate: Datum::Rate(rate) => *rate, else |kind| kernel::Rate(kind.min);
    RateOrShare for OrWord<OrShare<kernel::Rate>>:
        datum @ (Datum::Word(_) | Datum::Share(_) | Datum::Rate(_)) => match datum {
            Datum::Share(share) => Self::Value(OrShare::Share(*share)),
            Datum::Rate(rate) => Self::Value(OrShare::Value(*rate)),
            _ => Self::Word,
        },
        else |_| Self::Word;
}
usual! { kernel::Rate: Rate; }
