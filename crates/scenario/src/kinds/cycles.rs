//! Cycles of the clock that all routers share.

use serde_json::{Value, json};

use super::whole::{counts, narrow};
use super::{Kind, Or, Whole, of};
use crate::reader::Reader;
use crate::record::Datum;
use crate::table::Key;
use crate::tree::{self, Node};
use crate::units::{self, Fault};

/// A whole number of cycles.
pub struct Cycles {
    /// Least.
    pub min: u64,
    /// Most.
    pub max: u64,
}

/// A word, or a whole number of cycles.
pub struct CyclesOr {
    /// The word.
    pub word: &'static str,
    /// Least.
    pub min: u64,
    /// Most.
    pub max: u64,
}

impl Cycles {
    fn number(&self) -> Whole {
        Whole {
            min: self.min,
            max: self.max,
            unit: "cycles",
        }
    }
}

impl Kind for Cycles {
    fn noun(&self) -> String {
        "a number of cycles".into()
    }

    fn example(&self) -> String {
        "\"20000 cycles\"".into()
    }

    fn allowed(&self) -> String {
        let (min, max) = (self.min, self.max);
        let example = max.min(20_000);
        format!("{min} to {max} cycles: `{example}` or `\"{example} cycles\"`")
    }

    fn units(&self) -> Vec<&'static str> {
        vec!["cycles"]
    }

    fn usual_unit(&self) -> &'static str {
        "cycles"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [
            self.number().schema(),
            { "type": "string", "pattern": r"^\s*\+?[0-9][0-9_]*\s*(cycles?)?\s*$" },
        ] })
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let tree::Value::Text(text) = &node.value else {
            return self.number().read(reader, key, node);
        };
        match units::cycles(text) {
            Ok(cycles) if cycles < self.min => reader.out_of_range(key, node, "too few"),
            Ok(cycles) if cycles <= self.max => Some(Datum::Whole(cycles)),
            Ok(_) | Err(Fault::TooLarge) => reader.out_of_range(key, node, "too many"),
            Err(fault) => reader.bad_quantity(key, node, fault),
        }
    }
}

impl Or for CyclesOr {
    type Other = Cycles;

    fn word(&self) -> &'static str {
        self.word
    }

    fn other(&self) -> Cycles {
        Cycles {
            min: self.min,
            max: self.max,
        }
    }
}

counts! {
    Cycles for u16;
    Cycles for u32;
    Cycles for u64;
}
