//! Reads rates of cells, and what the Ethernet engine measures: clock times, cables, thresholds
//! and fractions.

use kernel::{Duration, Rate};
use packet::spec::Span;

use super::Reader;
use crate::record::Datum;
use crate::table::Key;
use crate::tree::{Node, Value};
use crate::units;

impl Reader<'_> {
    pub(super) fn cell_rate(&mut self, key: &Key, node: &Node, min: u64) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        match units::cell_rate_bps(&text, self.cell_bits) {
            Ok(bps) if bps < min => self.out_of_range(key, node, "nothing ever moves"),
            Ok(bps) => return Some(Datum::Rate(Rate(bps))),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    pub(super) fn clock(&mut self, key: &Key, node: &Node, min_ps: u64) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        match units::clock_ps(&text) {
            Ok(ps) if ps < min_ps => self.out_of_range(key, node, "shorter than the clock's step"),
            Ok(ps) => return Some(Datum::Span(Span::Fixed(Duration(ps)))),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    pub(super) fn cable(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        units::cable_ps(&text)
            .map(|ps| Datum::Span(Span::Fixed(Duration(ps))))
            .map_err(|fault| self.bad_quantity(key, node, fault))
            .ok()
    }

    /// A percentage is a share of the limit, all else a size.
    pub(super) fn threshold(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let is_share = matches!(&node.value, Value::Text(text) if text.contains('%'));
        if !is_share {
            return self.size(key, node, 0, 1 << 50);
        }
        let share = self.any_share(key, node)?;
        if share.exceeds(1) {
            self.out_of_range(key, node, "more than all of it");
            return None;
        }
        Some(Datum::Share(share))
    }

    pub(super) fn ratio(&mut self, key: &Key, node: &Node, max: u64) -> Option<Datum> {
        let text = self.quantity_text(key, node)?;
        match units::ratio(&text) {
            Ok((0, _) | (_, 0)) => self.out_of_range(key, node, "nothing, or without end"),
            Ok((above, below)) if u64::from(above) > max * u64::from(below) => {
                self.out_of_range(key, node, "too large");
            }
            Ok((above, below)) => return Some(Datum::Ratio(above, below)),
            Err(fault) => self.bad_quantity(key, node, fault),
        }
        None
    }

    /// A part of a whole that is neither nothing nor all.
    pub(super) fn inner_part(&mut self, key: &Key, node: &Node) -> Option<Datum> {
        let datum = self.part(key, node, "more than all of it")?;
        match datum {
            Datum::Decimal(part) if part <= 0.0 || part >= 1.0 => {
                self.out_of_range(key, node, "nothing, or all of it");
                None
            }
            datum => Some(datum),
        }
    }
}
