//! Dimension order on a torus without classes of lanes, as a warning: packets that go around a
//! ring can wait for each other in a cycle (Dally & Seitz 1987, figure 1).

use super::Hop;
use super::dateline::ring_port;
use super::grid::Grid;
use crate::route::Way;

#[derive(Clone, Debug)]
pub(super) struct Unrestricted {
    grid: Grid,
}

impl Unrestricted {
    pub(super) fn new(grid: Grid) -> Unrestricted {
        Unrestricted { grid }
    }

    pub(super) fn departures(&self) -> u64 {
        1 << self.grid.ties()
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &Way) -> Option<Hop> {
        let apart = self
            .grid
            .first_apart(self.grid.place(router), self.grid.home(way))?;
        Some(Hop {
            port: ring_port(&self.grid, router, apart, way.plan),
            class: 0,
        })
    }
}
