//! What a sweep varies: read where the whole file is known.

use serde_json::json;

use super::{Facts, Kind, any_of, of};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::source::At;
use crate::language::table::Key;
use crate::language::tree::Node;

/// Most seeds of a sweep.
pub(crate) const MOST_SEEDS: u64 = 10_000;

/// How many seeds, or a list of them.
pub struct Seeds;

/// Paths of keys, each with a list of values or a range.
pub struct Axes;

impl Kind for Seeds {
    fn facts(&self) -> Facts {
        let number = json!({ "type": "integer", "minimum": 1, "maximum": MOST_SEEDS });
        let list = json!({
            "type": "array", "minItems": 1, "uniqueItems": true,
            "items": { "type": "integer", "minimum": 0 },
        });
        let schema = any_of([number, list]);
        Facts::new("a number of seeds or a list of them", "5", schema).allowed(format!(
            "a whole number from 1 to {MOST_SEEDS}, or a list of different whole numbers"
        ))
    }

    fn read(&self, _: &mut Reader<'_>, _: &Key, node: &Node) -> Option<Datum> {
        Some(Datum::Tree(node.clone()))
    }
}

impl Kind for Axes {
    fn facts(&self) -> Facts {
        let axis = json!({ "type": ["array", "object"] });
        let schema = json!({ "type": "object", "additionalProperties": axis });
        let example = "{ load = [0.1, 0.2, 0.4] }";
        Facts::new("a table of paths and their values", example, schema).allowed(
            "for each axis a list of values, `{ from = 0.1, to = 0.9, step = 0.1 }` \
         or `{ from = 1, to = 16, factor = 2 }`",
        )
    }

    fn read(&self, _: &mut Reader<'_>, _: &Key, node: &Node) -> Option<Datum> {
        Some(Datum::Tree(node.clone()))
    }
}

of! {
    Seeds for Node { Datum::Tree(node) => node.clone() } else |_| Node::empty(At::default());
    Axes for Node { Datum::Tree(node) => node.clone() } else |_| Node::empty(At::default());
}
