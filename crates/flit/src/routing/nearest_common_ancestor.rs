//! Routing in a fat tree: Leiserson, "Fat-Trees: Universal Networks for Hardware-Efficient
//! Supercomputing", 1985; Petrini & Vanneschi, "k-ary n-trees: High Performance Networks for
//! Massively Parallel Architectures", 1997.
//!
//! A packet goes up until it reaches an ancestor of its destination, by any up port, then down
//! the one way there is. It draws a root at departure: the way towards it is the way up, or with
//! adaptive routing the port that comes first among equals.

use alloc::format;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::destination_tag::{bits_of_digit, packed_numbers};
use super::lane_sets::LaneSets;
use super::{Choice, Choices, Hop};
use crate::route::{CHOICES_MAX, Way};
use crate::spec::Graph;

#[derive(Clone, Debug)]
pub(super) struct NearestCommonAncestor {
    k: u32,
    /// Bits of a digit.
    bits: u32,
    /// By terminal: its digits of base k, a field of bits each.
    terminals: Vec<u32>,
    /// By router within a level: its digits.
    places: Vec<u32>,
    /// By router: its level.
    levels: Vec<u8>,
    /// By router: its number within its level.
    numbers: Vec<u32>,
    adaptive: bool,
}

impl NearestCommonAncestor {
    pub(super) fn new(
        graph: &Graph,
        k: u32,
        n: u32,
        adaptive: bool,
    ) -> Result<NearestCommonAncestor, BuildError> {
        if adaptive && n > 1 && k as usize > CHOICES_MAX {
            return Err(BuildError(format!(
                "adaptive nearest-common-ancestor routing with {k} up ports: allowed are at most \
                 {CHOICES_MAX}; with more, draw the port at random"
            )));
        }
        let level = graph.routers / n;
        let places = packed_numbers(k, level);
        Ok(NearestCommonAncestor {
            k,
            bits: bits_of_digit(k),
            terminals: packed_numbers(k, graph.eject.len() as u32),
            levels: (0..graph.routers)
                .map(|router| (router / level) as u8)
                .collect(),
            numbers: (0..graph.routers).map(|router| router % level).collect(),
            places,
            adaptive,
        })
    }

    pub(super) fn is_adaptive(&self) -> bool {
        self.adaptive
    }

    /// One for each root.
    pub(super) fn departures(&self) -> u64 {
        self.places.len() as u64
    }

    pub(super) fn depart_nth(&self, way: &mut Way, nth: u64) {
        way.via = nth as u32;
    }

    /// The way down, or all choices up; none at the destination.
    pub(super) fn choices(
        &self,
        router: u32,
        way: &Way,
        lanes: &LaneSets,
        choices: &mut Choices,
    ) -> Option<Hop> {
        let level = u32::from(self.levels[router as usize]);
        let digit_at = self.bits * level;
        let field = (1 << self.bits) - 1;
        let digits = self.terminals[way.destination as usize];
        let here = self.places[self.numbers[router as usize] as usize];
        if ((digits >> self.bits) ^ here) >> digit_at == 0 {
            let port = (digits >> digit_at) & field;
            return (level > 0).then_some(Hop {
                port: port as u16,
                class: 0,
            });
        }
        let towards = (self.places[way.via as usize] >> digit_at) & field;
        let first = if level > 0 { self.k } else { 0 };
        if !self.adaptive {
            return Some(Hop {
                port: (first + towards) as u16,
                class: 0,
            });
        }
        for digit in (towards..self.k).chain(0..towards) {
            let port = (first + digit) as u16;
            choices.add_equal(Choice {
                port,
                lanes: lanes.class(way.group, 0),
            });
        }
        None
    }
}
