//! O1TURN: Seo, Ali, Lim, Rafique & Thottethodi, "Near-Optimal Worst-Case Throughput Routing for
//! Two-Dimensional Mesh Networks", 2005.
//!
//! A packet goes x first or y first, each with probability one half, on lanes of its own class.

use super::Hop;
use super::grid::Grid;
use crate::route::Way;

/// Orders of two dimensions.
pub(super) const ORDERS: u64 = 2;

#[derive(Clone, Debug)]
pub(super) struct O1Turn {
    grid: Grid,
}

impl O1Turn {
    pub(super) fn new(grid: Grid) -> O1Turn {
        O1Turn { grid }
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Option<Hop> {
        let (at, to) = (self.grid.place(router), self.grid.home(way));
        let apart = match way.plan {
            0 => self.grid.first_apart(at, to)?,
            _ => self.grid.last_apart(at, to)?,
        };
        let port = self.grid.port(router, apart.dimension, apart.is_up());
        Some(Hop {
            port,
            class: way.plan as u8,
        })
    }
}
