//! How much a source sends: so many units, or bytes.

use super::{Facts, Kind, any_of, names, of, quantity};
use crate::language::reader::Reader;
use crate::language::record::Datum;
use crate::language::table::Key;
use crate::language::tree::Node;
use crate::language::units::{self, COUNTS, SIZES};

/// So many units (cells, packets), or bytes; 1 or more.
pub struct Amount {
    /// Most, of either.
    pub max: u64,
}

impl Kind for Amount {
    fn facts(&self) -> Facts {
        let (mut counts, mut sizes) = (names(COUNTS), names(SIZES));
        let schema = any_of([quantity(&counts), quantity(&sizes)]);
        counts.retain(|name| name.ends_with('s'));
        sizes.retain(|name| *name != "bytes");
        let allowed = format!(
            "1 to {}, in {}, or bytes, in {}",
            self.max,
            counts.join(", "),
            sizes.join(", ")
        );
        Facts::new("an amount", "\"500 cells\"", schema)
            .allowed(allowed)
            .units([counts, sizes].concat(), "kB")
    }

    fn read(&self, reader: &mut Reader<'_>, key: &Key, node: &Node) -> Option<Datum> {
        let amount = reader.quantity(key, node, units::amount)?;
        let (units::Amount::Units(number) | units::Amount::Bytes(number)) = amount;
        match (1..=self.max).contains(&number) {
            true => Some(Datum::Amount(amount)),
            false => reader.out_of_range(key, node, "outside the range"),
        }
    }
}

of! {
    Amount for units::Amount { Datum::Amount(amount) => *amount } else |_| Self::Units(1);
}
