//! Cycles of the clock that all routers share.

use serde_json::json;

use super::whole::{counts, narrow};
use super::{Facts, Kind, Whole, any_of, of};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};
use crate::language::units::{self, Fault};

/// A whole number of cycles.
pub struct Cycles {
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
    fn facts(&self) -> Facts {
        let (min, max) = (self.min, self.max);
        // The length of a run, or a delay.
        let example = if max < 20_000 {
            2.clamp(min, max)
        } else {
            20_000
        };
        let pattern = r"^\s*\+?[0-9][0-9_]*\s*(cycles?)?\s*$";
        let text = json!({ "type": "string", "pattern": pattern });
        let schema = any_of([self.number().facts().schema, text]);
        Facts::new(
            "a number of cycles",
            format!("\"{example} cycles\""),
            schema,
        )
        .allowed(format!(
            "{min} to {max} cycles: `{example}` or `\"{example} cycles\"`"
        ))
        .units(vec!["cycles"], "cycles")
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

counts! {
    Cycles for u16;
    Cycles for u32;
    Cycles for u64;
}
