//! Dimension-order routing on a mesh: Sullivan & Bashkow, "A Large Scale, Homogeneous, Fully
//! Distributed Parallel Machine", 1977; Dally & Seitz, "Deadlock-Free Message Routing in
//! Multiprocessor Interconnection Networks", 1987.
//!
//! A packet corrects its coordinates one after another, dimension 0 first.

use super::Hop;
use super::grid::Grid;
use crate::route::Way;

#[derive(Clone, Debug)]
pub(super) struct DimensionOrder {
    grid: Grid,
}

impl DimensionOrder {
    pub(super) fn new(grid: Grid) -> DimensionOrder {
        DimensionOrder { grid }
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Option<Hop> {
        let port = mesh_port(&self.grid, router, self.grid.home(way))?;
        Some(Hop { port, class: 0 })
    }
}

/// The next port on a mesh towards a place; `None` there.
#[inline]
pub(super) fn mesh_port(grid: &Grid, router: u32, to: u32) -> Option<u16> {
    let apart = grid.first_apart(grid.place(router), to)?;
    Some(grid.port(router, apart.dimension, apart.is_up()))
}
