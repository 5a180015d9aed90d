//! Dimension order on a torus with two classes of lanes: Dally & Seitz, "Deadlock-Free Message
//! Routing in Multiprocessor Interconnection Networks", 1987; Dally & Towles 2004, section 14.2.3.
//!
//! In each dimension a packet goes the shorter way around, half way around in a direction drawn
//! at departure. The dateline of a ring lies between its last and its first router. On entering
//! a dimension a packet takes class 1 if its destination there has the smaller coordinate, class
//! 0 otherwise, and keeps it to the end of the dimension. Going up, those of class 1 cross the
//! dateline and those of class 0 don't; going down it is the other way around. Either class
//! leaves out a channel of each ring: one the dateline's, the other, as no packet goes more than
//! half way around, the one opposite. So neither can close a cycle.

use super::Hop;
use super::grid::{Apart, Grid, TIES_MAX};
use crate::route::Way;

/// A plan is the drawn directions, the dimension a packet is in and its class there.
const DIMENSION_SHIFT: u32 = TIES_MAX;
const NO_DIMENSION: u16 = 15;
const DIMENSION: u16 = NO_DIMENSION << DIMENSION_SHIFT;
const CLASS_SHIFT: u32 = 15;
const CLASS: u16 = 1 << CLASS_SHIFT;

#[derive(Clone, Debug)]
pub(super) struct Dateline {
    grid: Grid,
}

impl Dateline {
    pub(super) fn new(grid: Grid) -> Dateline {
        Dateline { grid }
    }

    pub(super) fn departures(&self) -> u64 {
        1 << self.grid.ties()
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &mut Way) -> Option<Hop> {
        ring_hop(&self.grid, router, self.grid.home(way), &mut way.plan)
    }
}

/// The plan of a packet that is in no dimension yet and has drawn these directions.
pub(super) fn fresh_plan(directions: u64) -> u16 {
    DIMENSION | directions as u16
}

/// Leaves the dimension a packet is in, so that it enters the next one anew.
pub(super) fn leave_dimension(plan: &mut u16) {
    *plan |= DIMENSION;
}

/// The next hop on a torus towards a place, in class 0 or 1; `None` there.
#[inline]
pub(super) fn ring_hop(grid: &Grid, router: u32, to: u32, plan: &mut u16) -> Option<Hop> {
    let apart = grid.first_apart(grid.place(router), to)?;
    let dimension = u16::from(apart.dimension) << DIMENSION_SHIFT;
    if *plan & DIMENSION != dimension {
        let class = u16::from(!apart.is_up()) << CLASS_SHIFT;
        *plan = *plan & !(DIMENSION | CLASS) | dimension | class;
    }
    Some(Hop {
        port: ring_port(grid, router, apart, *plan),
        class: (*plan >> CLASS_SHIFT) as u8,
    })
}

/// The port of the shorter way around.
#[inline]
pub(super) fn ring_port(grid: &Grid, router: u32, apart: Apart, plan: u16) -> u16 {
    grid.port(router, apart.dimension, grid.shorter_is_up(apart, plan))
}
