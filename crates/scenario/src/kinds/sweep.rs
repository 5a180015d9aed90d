//! What a sweep varies: read where the whole file is known.

use serde_json::{Value, json};

use super::{Kind, of};
use crate::given::sweep::MOST_SEEDS;
use crate::reader::Reader;
use crate::record::Datum;
use crate::table::Key;
use crate::tree::{self, Node};

/// How many seeds, or a list of them.
pub struct Seeds;

/// Paths of keys, each with a list of values or a range.
pub struct Axes;

impl Kind for Seeds {
    fn noun(&self) -> String {
        "a number of seeds or a list of them".into()
    }

    fn example(&self) -> String {
        "5".into()
    }

    fn allowed(&self) -> String {
        format!("a whole number from 1 to {MOST_SEEDS}, or a list of different whole numbers")
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": MOST_SEEDS },
            { "type": "array", "minItems": 1, "uniqueItems": true,
              "items": { "type": "integer", "minimum": 0 } },
        ] })
    }

    fn read(&self, _: &mut Reader<'_>, _: &Key, node: &Node) -> Option<Datum> {
        Some(Datum::Tree(node.clone()))
    }
}

impl Kind for Axes {
    fn noun(&self) -> String {
        "a table of paths and their values".into()
    }

    fn example(&self) -> String {
        "{ load = [0.1, 0.2, 0.4] }".into()
    }

    fn allowed(&self) -> String {
        "for each axis a list of values, `{ from = 0.1, to = 0.9, step = 0.1 }` \
         or `{ from = 1, to = 16, factor = 2 }`"
            .into()
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "additionalProperties": { "type": ["array", "object"] } })
    }

    fn read(&self, _: &mut Reader<'_>, _: &Key, node: &Node) -> Option<Datum> {
        Some(Datum::Tree(node.clone()))
    }
}

of! {
    Seeds for Node: Datum::Tree(node) => node.clone(), else |_| nothing();
    Axes for Node: Datum::Tree(node) => node.clone(), else |_| nothing();
}

/// An empty table, which varies nothing.
fn nothing() -> Node {
    Node {
        value: tree::Value::Table(Vec::new()),
        at: Default::default(),
    }
}
