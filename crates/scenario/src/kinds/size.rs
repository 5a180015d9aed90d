//! Bytes.

use serde_json::{Value, json};

use super::share::whole_or_less;
use super::whole::{counts, narrow};
use super::{Kind, OrShare, names, of};
use crate::reader::Reader;
use crate::record::Datum;
use crate::schema::quantity;
use crate::table::Key;
use crate::tree::{self, Node};
use crate::units::{self, SIZES};

/// Bytes with a unit.
pub struct Size {
    /// Least.
    pub min: u64,
    /// Most.
    pub max: u64,
}

/// Bytes with a unit, or a share of the queue's limit.
pub struct Threshold;

/// What a threshold in bytes may be.
const ANY: Size = Size {
    min: 0,
    max: 1 << 50,
};

impl Kind for Size {
    fn noun(&self) -> String {
        "a size".into()
    }

    fn example(&self) -> String {
        "\"6 kB\"".into()
    }

    fn allowed(&self) -> String {
        let units = self.units().join(", ");
        format!("{} B to {} B, in {units}", self.min, self.max)
    }

    fn units(&self) -> Vec<&'static str> {
        let mut names = names(SIZES);
        names.retain(|name| *name != "bytes");
        names
    }

    fn usual_unit(&self) -> &'static str {
        "kB"
    }

    fn schema(&self) -> Value {
        quantity(&names(SIZES))
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::size_bytes)? {
            bytes if (self.min..=self.max).contains(&bytes) => Some(Datum::Whole(bytes)),
            _ => reader.out_of_range(key, node, "outside the range"),
        }
    }
}

impl Kind for Threshold {
    fn noun(&self) -> String {
        "a size or a share of the limit".into()
    }

    fn example(&self) -> String {
        "\"80 %\"".into()
    }

    fn allowed(&self) -> String {
        let units = ANY.units().join(", ");
        format!("`\"0 %\"` to `\"100 %\"` of the limit, or bytes in {units}")
    }

    fn units(&self) -> Vec<&'static str> {
        [vec!["%"], ANY.units()].concat()
    }

    fn usual_unit(&self) -> &'static str {
        "kB"
    }

    fn schema(&self) -> Value {
        json!({ "anyOf": [quantity(&["%"]), ANY.schema()] })
    }

    /// A percentage is a share of the limit, all else a size.
    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match &node.value {
            tree::Value::Text(text) if text.contains('%') => {
                whole_or_less(reader, key, node, "more than all of it").map(Datum::Share)
            }
            _ => ANY.read(reader, key, node),
        }
    }
}

counts! {
    Size for u32;
    Size for u64;
}
of! {
    Threshold for OrShare<u64>: datum @ (Datum::Whole(_) | Datum::Share(_)) => match datum {
            Datum::Share(share) => Self::Share(*share),
            Datum::Whole(bytes) => Self::Value(*bytes),
            _ => return None,
        },
        else |_| Self::Value(0);
}
