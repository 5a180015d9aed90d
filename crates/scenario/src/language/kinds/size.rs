//! Bytes.

use super::share::whole_or_less;
use super::whole::{counts, narrow};
use super::{Facts, Kind, OrShare, any_of, names, of, quantity};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::{self, Node};
use crate::language::units::{self, SIZES};

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
    fn facts(&self) -> Facts {
        let mut units = names(SIZES);
        units.retain(|name| *name != "bytes");
        let range = format!("{} B to {} B", self.min, self.max);
        let most = self.max.min(1_000);
        let example = match (self.min..=self.max).contains(&6_000) {
            true => "\"6 kB\"".to_owned(),
            false => format!("\"{} B\"", self.min.max(most)),
        };
        Facts::new("a size", example, quantity(&names(SIZES))).range(range, units, "kB")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        match reader.quantity(key, node, units::size_bytes)? {
            bytes if (self.min..=self.max).contains(&bytes) => Some(Datum::Whole(bytes)),
            _ => reader.out_of_range(key, node, "outside the range"),
        }
    }
}

impl Kind for Threshold {
    fn facts(&self) -> Facts {
        let size = ANY.facts();
        let bytes = size.units.join(", ");
        let units = [vec!["%"], size.units].concat();
        let schema = any_of([quantity(&["%"]), size.schema]);
        Facts::new("a size or a share of the limit", "\"80 %\"", schema)
            .allowed(format!(
                "`\"0 %\"` to `\"100 %\"` of the limit, or bytes in {bytes}"
            ))
            .units(units, "kB")
    }

    /// What resumes is less than what stops.
    fn example_for(&self, key: &str) -> String {
        match key {
            "xon" => "\"70 %\"".into(),
            _ => self.facts().example,
        }
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
    Threshold for OrShare<u64> {
        Datum::Share(share) => Self::Share(*share),
        Datum::Whole(bytes) => Self::Value(*bytes),
    } else |_| Self::Value(0);
}
