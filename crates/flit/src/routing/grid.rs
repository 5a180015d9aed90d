//! Coordinates of a mesh or torus, packed so that a step needs no division and no loop.
//!
//! A router's *place* is one word with a field of bits for each dimension longer than 1. With at
//! most 2^24 routers it has at most 31 bits. Two places differ first in the dimension of their
//! lowest different bit, last in that of their highest.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::route::Way;
use crate::spec::Graph;

/// Most dimensions of even side that a torus may have: a packet draws a direction for each.
pub(super) const TIES_MAX: u32 = 11;

/// A dimension longer than 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dimension {
    pub(super) side: u32,
    shift: u32,
    field: u32,
    /// Bit of a packet's plan that says which way to go half around; only for even sides.
    tie: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Grid {
    dimensions: Vec<Dimension>,
    /// By bit of a place: its dimension.
    of_bit: [u8; 32],
    /// By router.
    places: Vec<u32>,
    /// By terminal: place of the router it receives from.
    homes: Vec<u32>,
    /// By router of a mesh: which of the directions 0 up, 0 down, 1 up, ... it has.
    present: Vec<u32>,
    ties: u32,
    wraps: bool,
}

/// Where a header is and where it has to go, in the dimension to take next.
#[derive(Clone, Copy)]
pub(super) struct Apart {
    pub(super) dimension: u8,
    at: u32,
    to: u32,
}

impl Grid {
    pub(super) fn mesh(graph: &Graph, sides: &[u32]) -> Grid {
        let mut grid = Grid::new(graph, sides, false);
        grid.present = vec![0; graph.routers as usize];
        for channel in &graph.channels {
            let (at, to) = (
                grid.places[channel.from as usize],
                grid.places[channel.to as usize],
            );
            let dimension = grid.of_bit[((at ^ to).trailing_zeros() & 31) as usize];
            grid.present[channel.from as usize] |= 1 << (2 * dimension + u8::from(to < at));
        }
        grid
    }

    pub(super) fn torus(graph: &Graph, sides: &[u32]) -> Result<Grid, BuildError> {
        let grid = Grid::new(graph, sides, true);
        if grid.ties > TIES_MAX {
            return Err(BuildError(format!(
                "{} dimensions of even side: on a torus at most {TIES_MAX} can be routed",
                grid.ties
            )));
        }
        Ok(grid)
    }

    fn new(graph: &Graph, sides: &[u32], wraps: bool) -> Grid {
        let mut grid = Grid {
            dimensions: Vec::new(),
            of_bit: [0; 32],
            places: Vec::new(),
            homes: Vec::new(),
            present: Vec::new(),
            ties: 0,
            wraps,
        };
        let mut shift = 0;
        for side in sides.iter().copied().filter(|side| *side > 1) {
            let bits = (side - 1).ilog2() + 1;
            let mut dimension = Dimension {
                side,
                shift,
                field: ((1 << bits) - 1) << shift,
                tie: 0,
            };
            if side % 2 == 0 {
                dimension.tie = 1 << grid.ties;
                grid.ties += 1;
            }
            let index = grid.dimensions.len() as u8;
            grid.of_bit[shift as usize..(shift + bits) as usize].fill(index);
            grid.dimensions.push(dimension);
            shift += bits;
        }
        grid.places = grid.all_places(graph.routers);
        grid.homes = graph
            .eject
            .iter()
            .map(|router| grid.places[*router as usize])
            .collect();
        grid
    }

    fn all_places(&self, routers: u32) -> Vec<u32> {
        let mut place = 0;
        let next = |_| {
            let here = place;
            for dimension in &self.dimensions {
                if dimension.of(place) + 1 < dimension.side {
                    place += 1 << dimension.shift;
                    break;
                }
                place &= !dimension.field;
            }
            here
        };
        (0..routers).map(next).collect()
    }

    pub(super) fn wraps(&self) -> bool {
        self.wraps
    }

    pub(super) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Ways to draw a direction in each dimension of even side of a torus.
    pub(super) fn ties(&self) -> u32 {
        if self.wraps { self.ties } else { 0 }
    }

    #[inline]
    pub(super) fn place(&self, router: u32) -> u32 {
        self.places[router as usize]
    }

    /// Place of the router a packet leaves the network from.
    #[inline]
    pub(super) fn home(&self, way: &Way) -> u32 {
        self.homes[way.destination as usize]
    }

    /// The lowest dimension in which two places differ.
    #[inline]
    pub(super) fn first_apart(&self, at: u32, to: u32) -> Option<Apart> {
        let differ = at ^ to;
        (differ != 0).then(|| self.apart(differ.trailing_zeros(), at, to))
    }

    /// The highest dimension in which two places differ.
    #[inline]
    pub(super) fn last_apart(&self, at: u32, to: u32) -> Option<Apart> {
        let differ = at ^ to;
        (differ != 0).then(|| self.apart(31 - differ.leading_zeros(), at, to))
    }

    /// All dimensions in which two places differ.
    pub(super) fn all_apart(&self, at: u32, to: u32) -> impl Iterator<Item = Apart> {
        let differ = at ^ to;
        (0u8..)
            .zip(&self.dimensions)
            .filter_map(move |(index, dimension)| {
                let (at, to) = (dimension.of(at), dimension.of(to));
                (differ & dimension.field != 0).then_some(Apart {
                    dimension: index,
                    at,
                    to,
                })
            })
    }

    #[inline]
    fn apart(&self, bit: u32, at: u32, to: u32) -> Apart {
        let index = self.of_bit[(bit & 31) as usize];
        let dimension = &self.dimensions[usize::from(index)];
        Apart {
            dimension: index,
            at: dimension.of(at),
            to: dimension.of(to),
        }
    }

    /// Output port towards a neighbour.
    #[inline]
    pub(super) fn port(&self, router: u32, dimension: u8, up: bool) -> u16 {
        let direction = 2 * dimension + u8::from(!up);
        if self.wraps {
            return direction.into();
        }
        let before = self.present[router as usize] & ((1 << direction) - 1);
        before.count_ones() as u16
    }

    /// On a ring: is the way up the shorter one? Half way around the packet's plan decides.
    #[inline]
    pub(super) fn shorter_is_up(&self, apart: Apart, plan: u16) -> bool {
        let Dimension { side, tie, .. } = self.dimensions[usize::from(apart.dimension)];
        let twice = 2 * apart.ahead(side);
        twice < side || (twice == side && u32::from(plan) & tie == 0)
    }

    /// On a ring: are both ways equally long?
    pub(super) fn is_tie(&self, apart: Apart) -> bool {
        let side = self.dimensions[usize::from(apart.dimension)].side;
        2 * apart.ahead(side) == side
    }
}

impl Dimension {
    #[inline]
    fn of(&self, place: u32) -> u32 {
        (place & self.field) >> self.shift
    }
}

impl Apart {
    /// Is the destination's coordinate the greater one?
    #[inline]
    pub(super) fn is_up(self) -> bool {
        self.at < self.to
    }

    /// Steps up to the destination on a ring.
    #[inline]
    fn ahead(self, side: u32) -> u32 {
        if self.at < self.to {
            self.to - self.at
        } else {
            self.to + side - self.at
        }
    }
}
