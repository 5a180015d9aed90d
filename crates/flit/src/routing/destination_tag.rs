//! Destination-tag routing on a butterfly: Lawrie, "Access and Alignment of Data in an Array
//! Processor", 1975; Dally & Towles 2004, section 8.4.1.
//!
//! A router of stage `s` of a k-ary n-fly sends a packet to the output that digit `n - 1 - s`
//! (base k) of its destination names.

use alloc::vec::Vec;

use super::Hop;
use crate::route::Way;
use crate::spec::Graph;

#[derive(Clone, Debug)]
pub(super) struct DestinationTag {
    /// By terminal: its digits, a field of bits each.
    digits: Vec<u32>,
    /// By router: where the digit of its stage starts.
    shifts: Vec<u8>,
    /// A field at bit 0.
    field: u32,
}

impl DestinationTag {
    pub(super) fn new(graph: &Graph, k: u32, n: u32) -> DestinationTag {
        // Digits of numbers below 2^24 take at most 31 bits.
        let bits = bits_of_digit(k);
        let stage = graph.routers / n;
        DestinationTag {
            digits: packed_numbers(k, graph.eject.len() as u32),
            shifts: (0..graph.routers)
                .map(|r| ((n - 1 - r / stage) * bits) as u8)
                .collect(),
            field: (1 << bits) - 1,
        }
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Hop {
        let digits = self.digits[way.destination as usize];
        let digit = (digits >> (self.shifts[router as usize] & 31)) & self.field;
        Hop {
            port: digit as u16,
            class: 0,
        }
    }
}

/// Bits that hold a digit of base k, at least 2.
pub(super) fn bits_of_digit(k: u32) -> u32 {
    (k - 1).ilog2() + 1
}

/// The numbers below `count` with their digits of base k packed in fields of bits.
pub(super) fn packed_numbers(k: u32, count: u32) -> Vec<u32> {
    let bits = bits_of_digit(k);
    let pack = |mut number: u32| {
        let mut packed = 0;
        let mut shift = 0;
        while number > 0 {
            packed |= (number % k) << shift;
            shift += bits;
            number /= k;
        }
        packed
    };
    (0..count).map(pack).collect()
}
