//! Randomised routing: Valiant & Brebner, "Universal Schemes for Parallel Communication", 1981.
//!
//! A packet goes to a router drawn uniformly, then to its destination, each time in dimension
//! order; the second half has lanes of its own. On a torus both halves have the two classes of
//! the dateline.

use super::Hop;
use super::dateline::{fresh_plan, leave_dimension, ring_hop};
use super::dimension_order::mesh_port;
use super::grid::Grid;
use crate::route::{NOWHERE, Way};

#[derive(Clone, Debug)]
pub(super) struct Valiant {
    grid: Grid,
    routers: u32,
}

impl Valiant {
    pub(super) fn new(routers: u32, grid: Grid) -> Valiant {
        Valiant { grid, routers }
    }

    pub(super) fn classes(&self) -> u8 {
        if self.grid.wraps() { 4 } else { 2 }
    }

    pub(super) fn departures(&self) -> u64 {
        u64::from(self.routers) << self.grid.ties()
    }

    pub(super) fn depart_nth(&self, way: &mut Way, nth: u64) {
        let ties = self.grid.ties();
        way.via = (nth >> ties) as u32;
        way.plan = fresh_plan(nth & ((1 << ties) - 1));
    }

    #[inline]
    pub(super) fn next(&self, router: u32, way: &mut Way) -> Option<Hop> {
        if way.via == router {
            way.via = NOWHERE;
            leave_dimension(&mut way.plan);
        }
        let (half, to) = match way.via {
            NOWHERE => (1, self.grid.home(way)),
            via => (0, self.grid.place(via)),
        };
        if self.grid.wraps() {
            let Hop { port, class } = ring_hop(&self.grid, router, to, &mut way.plan)?;
            Some(Hop {
                port,
                class: 2 * half + class,
            })
        } else {
            let port = mesh_port(&self.grid, router, to)?;
            Some(Hop { port, class: half })
        }
    }
}
