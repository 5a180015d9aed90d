//! Rates, of bits and of cells.

use backwater_kernel::Rate as Speed;
use serde_json::json;

use super::or::word;
use super::share::{share, whole_or_less};
use super::{Facts, Kind, OrShare, OrWord, any_of, names, of, quantity, usual};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};
use crate::language::units::{self, FASTEST, RATES};

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

/// A rate, or a share of that of a port.
pub struct PortRate;

/// The same, or nothing.
pub struct Pace;

impl Kind for Rate {
    fn facts(&self) -> Facts {
        Facts::new("a rate", "\"622 Mbps\"", quantity(&names(&units::rates()))).range(
            format!("1 bps to {FASTEST}"),
            usual_units(),
            "Mbps",
        )
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::rate_bps)? {
            0 => reader.out_of_range(key, node, "nothing ever moves"),
            bps => Some(Datum::Rate(Speed(bps))),
        }
    }
}

impl Kind for CellRate {
    fn facts(&self) -> Facts {
        let schema = quantity(&[names(&units::rates()), vec!["cells/s"]].concat());
        let units = [usual_units(), vec!["cells/s"]].concat();
        Facts::new("a rate", "\"10 Mbps\"", schema).range(
            format!("{} bps to {FASTEST}", self.min),
            units,
            "Mbps",
        )
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let cell_bits = reader.cell_bits;
        match reader.quantity(key, node, |text| units::cell_rate_bps(text, cell_bits))? {
            bps if bps < self.min => reader.out_of_range(key, node, "nothing ever moves"),
            bps => Some(Datum::Rate(Speed(bps))),
        }
    }
}

impl Kind for RateOrShare {
    fn facts(&self) -> Facts {
        let word = self.word;
        Facts::new(
            format!("a rate, a share of the link's rate or `\"{word}\"`"),
            "\"100 Mbps\"",
            any_of([
                json!({ "const": word }),
                quantity(&["%"]),
                quantity(&names(&units::rates())),
            ]),
        )
        .allowed(format!(
            "`\"{word}\"`, a percentage (`\"64 %\"`) or a rate (`\"100 Mbps\"`)"
        ))
        .units([vec!["%"], usual_units()].concat(), "Mbps")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        if let Some(word) = word(node, self.word) {
            return Some(word);
        }
        rate_or_share(reader, key, node, "more than the link")
    }
}

impl Kind for PortRate {
    fn facts(&self) -> Facts {
        Facts::new(
            "a rate or a share of the port's rate",
            "\"40 %\"",
            any_of([quantity(&["%"]), quantity(&names(&units::rates()))]),
        )
        .allowed("a percentage (`\"40 %\"`) or a rate (`\"100 Mbps\"`)")
        .units([vec!["%"], usual_units()].concat(), "Mbps")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        rate_or_share(reader, key, node, "more than the port")
    }
}

impl Kind for Pace {
    fn facts(&self) -> Facts {
        Facts::new(
            "a rate or a share of the port's rate",
            "\"50 %\"",
            PortRate.facts().schema,
        )
        .allowed("`\"0 %\"` to `\"100 %\"`, or a rate (`\"10 Gbps\"`)")
        .units([vec!["%"], usual_units()].concat(), "%")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match &node.value {
            tree::Value::Text(text) if text.contains('%') => {
                whole_or_less(reader, key, node, "more than the port").map(Datum::Share)
            }
            _ => reader
                .quantity(key, node, units::rate_bps)
                .map(|bps| Datum::Rate(Speed(bps))),
        }
    }
}

/// A percentage is a share, `beyond` what there is above 100 %; all else a rate.
fn rate_or_share(reader: &mut Reader<'_>, key: &Key, node: &Node, beyond: &str) -> Option<Datum> {
    match &node.value {
        tree::Value::Text(text) if text.contains('%') => match share(reader, key, node)? {
            share if share.exceeds(1) => reader.out_of_range(key, node, beyond),
            share => Some(Datum::Share(share)),
        },
        _ => Rate.read(reader, key, node),
    }
}

/// Those to write; others are read too.
fn usual_units() -> Vec<&'static str> {
    let mut names = names(RATES);
    names.retain(|name| !name.contains('/'));
    names
}

of! {
    Rate for Speed { Datum::Rate(rate) => *rate } else |_| Speed(1);
    CellRate for Speed { Datum::Rate(rate) => *rate } else |kind| Speed(kind.min);
    RateOrShare for OrWord<OrShare<Speed>> {
        Datum::Word(_) => Self::Word,
        Datum::Share(share) => Self::Value(OrShare::Share(*share)),
        Datum::Rate(rate) => Self::Value(OrShare::Value(*rate)),
    } else |_| Self::Word;
    PortRate for OrShare<Speed> {
        Datum::Share(share) => Self::Share(*share),
        Datum::Rate(rate) => Self::Value(*rate),
    } else |_| Self::Value(Speed(1));
    Pace for OrShare<Speed> {
        Datum::Share(share) => Self::Share(*share),
        Datum::Rate(rate) => Self::Value(*rate),
    } else |_| Self::Value(Speed(1));
}
usual! { Speed: Rate; }
