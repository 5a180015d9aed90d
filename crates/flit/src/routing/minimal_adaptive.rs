//! Minimal adaptive routing with an escape: Duato, "A New Theory of Deadlock-Free Adaptive
//! Routing in Wormhole Networks", 1993.
//!
//! A header may take an adaptive lane of any channel that brings it nearer. If none is free it
//! may take the escape lane of the channel that dimension order names, and may go back to
//! adaptive lanes at the next router. The escape depends on the router and the destination only:
//! on a torus it is lane 0 once a packet goes away from the dateline, lane 1 while the dateline
//! is still ahead in this dimension (Dally & Seitz 1987).

use alloc::format;

use backwater_kernel::BuildError;

use super::grid::{Apart, Grid};
use super::lane_sets::LaneSets;
use super::{Choice, Choices, Hop};
use crate::route::{CHOICES_MAX, Way};

#[derive(Clone, Debug)]
pub(super) struct MinimalAdaptive {
    grid: Grid,
}

impl MinimalAdaptive {
    pub(super) fn new(grid: Grid) -> Result<MinimalAdaptive, BuildError> {
        let choices = grid.dimensions().len() + grid.ties() as usize + 1;
        if choices > CHOICES_MAX {
            return Err(BuildError(format!(
                "minimal adaptive routing has up to {choices} choices here: one for each \
                 dimension, another where a torus has an even side, and the escape; at most \
                 {CHOICES_MAX} are allowed"
            )));
        }
        Ok(MinimalAdaptive { grid })
    }

    pub(super) fn escapes(&self) -> u8 {
        if self.grid.wraps() { 2 } else { 1 }
    }

    pub(super) fn departures(&self) -> u64 {
        1 << self.grid.ties()
    }

    /// Adds all choices; none at the destination.
    pub(super) fn choices(
        &self,
        router: u32,
        way: &Way,
        lanes: &LaneSets,
        choices: &mut Choices,
    ) -> Option<Hop> {
        let (at, to) = (self.grid.place(router), self.grid.home(way));
        let escape = self.grid.first_apart(at, to)?;
        let free = lanes.class(way.group, self.escapes());
        for apart in self.grid.all_apart(at, to) {
            let up = self.is_up(apart, way.plan);
            let port = self.grid.port(router, apart.dimension, up);
            choices.add_equal(Choice { port, lanes: free });
            if self.grid.wraps() && self.grid.is_tie(apart) {
                let port = self.grid.port(router, apart.dimension, !up);
                choices.add_equal(Choice { port, lanes: free });
            }
        }
        let up = self.is_up(escape, way.plan);
        // The dateline is ahead if the way is up and the destination below, or the reverse.
        let class = u8::from(self.grid.wraps() && up != escape.is_up());
        let port = self.grid.port(router, escape.dimension, up);
        choices.add(Choice {
            port,
            lanes: lanes.class(way.group, class),
        });
        None
    }

    fn is_up(&self, apart: Apart, plan: u16) -> bool {
        if self.grid.wraps() {
            self.grid.shorter_is_up(apart, plan)
        } else {
            apart.is_up()
        }
    }
}
