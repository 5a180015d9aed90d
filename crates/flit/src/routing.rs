//! Which way packets take: one file for each routing, written as its definition.
//!
//! [`Routing::depart`] draws what a packet decides once; [`Routing::route`] says where a header
//! may go next. Everything a header decides on its way is a function of the router, its [`Way`]
//! and these tables, so asking twice gives the same answer.

mod dateline;
mod destination_tag;
mod dimension_order;
mod grid;
mod known;
mod lane_sets;
mod minimal_adaptive;
mod nearest_common_ancestor;
mod o1turn;
mod table;
mod unrestricted;
mod valiant;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::route::{Choice, Choices, NOWHERE, Way};
use crate::spec::{Graph, RoutingSpec, Shape};
use crate::topology::verify;

use dateline::Dateline;
use destination_tag::DestinationTag;
use dimension_order::DimensionOrder;
use grid::Grid;
use known::Known;
use lane_sets::LaneSets;
use minimal_adaptive::MinimalAdaptive;
use nearest_common_ancestor::NearestCommonAncestor;
use o1turn::O1Turn;
use table::Table;
use unrestricted::Unrestricted;
use valiant::Valiant;

/// Where deterministic routing sends a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hop {
    port: u16,
    /// Class of lanes.
    class: u8,
}

#[derive(Clone, Debug)]
enum Rule {
    DestinationTag(DestinationTag),
    DimensionOrder(DimensionOrder),
    Dateline(Dateline),
    Unrestricted(Unrestricted),
    O1Turn(O1Turn),
    Valiant(Valiant),
    MinimalAdaptive(MinimalAdaptive),
    NearestCommonAncestor(NearestCommonAncestor),
    Table(Table),
    Known(Known),
}

/// A routing made ready for a graph.
#[derive(Clone, Debug)]
pub struct Routing {
    rule: Rule,
    lanes: LaneSets,
    /// By terminal: output port of its ejection channel.
    exits: Vec<u16>,
}

impl Routing {
    /// Prepares `routing` for `graph`, whose channels have `lanes` lanes for `groups` groups of
    /// packets that never share one.
    ///
    /// # Errors
    /// If the graph isn't sound, isn't of a shape that this routing is for, has terminals that
    /// can't reach each other, or if the lanes are too few for its classes.
    pub fn new(
        graph: &Graph,
        routing: RoutingSpec,
        lanes: u8,
        groups: u8,
    ) -> Result<Routing, BuildError> {
        verify(graph)?;
        let exits = exits(graph);
        let rule = Rule::new(graph, &exits, routing)?;
        let lanes = LaneSets::new(routing, lanes, groups, rule.escapes(), rule.classes())?;
        Ok(Routing { rule, lanes, exits })
    }

    /// Classes of lanes of each group.
    pub fn classes(&self) -> u8 {
        self.rule.classes()
    }

    /// May a header that waits get another answer the next time? Otherwise there is one choice.
    pub fn is_adaptive(&self) -> bool {
        match &self.rule {
            Rule::MinimalAdaptive(_) => true,
            Rule::NearestCommonAncestor(rule) => rule.is_adaptive(),
            _ => false,
        }
    }

    /// How many classes of lanes are for escape. If there are any, what a header may take first
    /// isn't free of cycles, only the rest is.
    pub fn escapes(&self) -> u8 {
        self.rule.escapes()
    }

    /// Does a packet go by a router drawn at departure ([`Way::via`])?
    pub fn has_stop(&self) -> bool {
        matches!(self.rule, Rule::Valiant(_))
    }

    /// The lanes of its injection channel that a packet may take.
    pub fn injection_lanes(&self, way: &Way) -> u32 {
        self.lanes.group(way.group)
    }

    /// The class of a set of lanes that [`Routing::route`] gave, within its group; `None` for
    /// all lanes of a group.
    pub fn class_of(&self, group: u8, lanes: u32) -> Option<u8> {
        (0..self.classes()).find(|class| self.lanes.class(group, *class) == lanes)
    }

    /// The lanes of a class of a group.
    pub fn class_lanes(&self, group: u8, class: u8) -> u32 {
        self.lanes.class(group, class)
    }

    /// Decides what a packet decides once, from 64 random bits: the router it goes by, the
    /// direction around rings where both are equally long, the order of dimensions.
    pub fn depart(&self, way: &mut Way, draw: u64) {
        // departures() < 2^64, so the product's upper word is below it.
        let nth = (u128::from(draw) * u128::from(self.departures())) >> 64;
        self.depart_nth(way, nth as u64);
    }

    /// How many different departures there are; each is equally likely.
    pub fn departures(&self) -> u64 {
        match &self.rule {
            Rule::DestinationTag(_) | Rule::DimensionOrder(_) | Rule::Table(_) | Rule::Known(_) => {
                1
            }
            Rule::Dateline(rule) => rule.departures(),
            Rule::Unrestricted(rule) => rule.departures(),
            Rule::O1Turn(_) => o1turn::ORDERS,
            Rule::Valiant(rule) => rule.departures(),
            Rule::MinimalAdaptive(rule) => rule.departures(),
            Rule::NearestCommonAncestor(rule) => rule.departures(),
        }
    }

    /// The departure with number `nth`, below [`Routing::departures`].
    pub fn depart_nth(&self, way: &mut Way, nth: u64) {
        way.via = NOWHERE;
        way.plan = 0;
        match &self.rule {
            Rule::DestinationTag(_) | Rule::DimensionOrder(_) | Rule::Table(_) | Rule::Known(_) => {
            }
            Rule::Dateline(_) | Rule::Unrestricted(_) | Rule::MinimalAdaptive(_) => {
                way.plan = dateline::fresh_plan(nth);
            }
            Rule::O1Turn(_) => way.plan = nth as u16,
            Rule::Valiant(rule) => rule.depart_nth(way, nth),
            Rule::NearestCommonAncestor(rule) => rule.depart_nth(way, nth),
        }
    }

    /// Where a header at `router` may go. Asked again at the same router, the answer is the same.
    #[inline]
    pub fn route(&self, router: u32, way: &mut Way, choices: &mut Choices) {
        choices.clear();
        let hop = match &self.rule {
            Rule::MinimalAdaptive(rule) => rule.choices(router, way, &self.lanes, choices),
            Rule::NearestCommonAncestor(rule) => rule.choices(router, way, &self.lanes, choices),
            _ => return choices.add_equal(self.only_way(router, way)),
        };
        if hop.is_some() || choices.len == 0 {
            choices.add_equal(self.choice(hop, way));
        }
    }

    /// The one way to go, unless routing is adaptive.
    #[inline(always)]
    pub fn only_way(&self, router: u32, way: &mut Way) -> Choice {
        if let Rule::Known(known) = &self.rule {
            return Choice {
                port: known.port(router, way),
                lanes: self.lanes.group(way.group),
            };
        }
        self.work_out(router, way)
    }

    /// The same where it isn't known beforehand.
    fn work_out(&self, router: u32, way: &mut Way) -> Choice {
        let hop = match &self.rule {
            Rule::DestinationTag(rule) => Some(rule.next(router, way)),
            Rule::DimensionOrder(rule) => rule.next(router, way),
            Rule::Dateline(rule) => rule.next(router, way),
            Rule::Unrestricted(rule) => rule.next(router, way),
            Rule::O1Turn(rule) => rule.next(router, way),
            Rule::Valiant(rule) => rule.next(router, way),
            Rule::Table(rule) => rule.next(router, way),
            Rule::Known(_) | Rule::MinimalAdaptive(_) | Rule::NearestCommonAncestor(_) => {
                let mut choices = Choices::default();
                self.route(router, way, &mut choices);
                return choices.list[0];
            }
        };
        self.choice(hop, way)
    }

    /// Over a channel to another router, or out of the network.
    #[inline]
    fn choice(&self, hop: Option<Hop>, way: &Way) -> Choice {
        match hop {
            Some(Hop { port, class }) => Choice {
                port,
                lanes: self.lanes.class(way.group, class),
            },
            None => Choice {
                port: self.exits[way.destination as usize],
                lanes: self.lanes.group(way.group),
            },
        }
    }
}

impl Rule {
    fn new(graph: &Graph, exits: &[u16], routing: RoutingSpec) -> Result<Rule, BuildError> {
        Ok(match (routing, &graph.shape) {
            (RoutingSpec::DestinationTag, Shape::Fly { k, n }) => {
                Rule::DestinationTag(DestinationTag::new(graph, *k, *n))
            }
            (RoutingSpec::DimensionOrder, Shape::Mesh { sides, .. }) => {
                let rule = DimensionOrder::new(Grid::mesh(graph, sides));
                match Known::new(graph, exits, |router, way| rule.next(router, way)) {
                    Some(known) => Rule::Known(known),
                    None => Rule::DimensionOrder(rule),
                }
            }
            (RoutingSpec::Dateline, Shape::Torus { sides, .. }) => {
                Rule::Dateline(Dateline::new(Grid::torus(graph, sides)?))
            }
            (RoutingSpec::Unrestricted, Shape::Torus { sides, .. }) => {
                Rule::Unrestricted(Unrestricted::new(Grid::torus(graph, sides)?))
            }
            (RoutingSpec::O1Turn, Shape::Mesh { sides, .. }) if sides.len() == 2 => {
                Rule::O1Turn(O1Turn::new(Grid::mesh(graph, sides)))
            }
            (RoutingSpec::Valiant, Shape::Mesh { sides, .. }) => {
                Rule::Valiant(Valiant::new(graph.routers, Grid::mesh(graph, sides)))
            }
            (RoutingSpec::Valiant, Shape::Torus { sides, .. }) => {
                Rule::Valiant(Valiant::new(graph.routers, Grid::torus(graph, sides)?))
            }
            (RoutingSpec::MinimalAdaptive, Shape::Mesh { sides, .. }) => {
                Rule::MinimalAdaptive(MinimalAdaptive::new(Grid::mesh(graph, sides))?)
            }
            (RoutingSpec::MinimalAdaptive, Shape::Torus { sides, .. }) => {
                Rule::MinimalAdaptive(MinimalAdaptive::new(Grid::torus(graph, sides)?)?)
            }
            (RoutingSpec::NearestCommonAncestor, Shape::FatTree { k, n }) => {
                Rule::NearestCommonAncestor(NearestCommonAncestor::new(graph, *k, *n, true)?)
            }
            (RoutingSpec::NearestCommonAncestorRandom, Shape::FatTree { k, n }) => {
                Rule::NearestCommonAncestor(NearestCommonAncestor::new(graph, *k, *n, false)?)
            }
            (RoutingSpec::Table, _) => Rule::Table(Table::new(graph)?),
            (_, shape) => {
                let (what, for_what) = describe(routing);
                return Err(BuildError(format!(
                    "{what} is for {for_what}, not for {shape:?}"
                )));
            }
        })
    }

    fn classes(&self) -> u8 {
        match self {
            Rule::Dateline(_) | Rule::O1Turn(_) => 2,
            Rule::Valiant(rule) => rule.classes(),
            Rule::MinimalAdaptive(rule) => rule.escapes() + 1,
            _ => 1,
        }
    }

    fn escapes(&self) -> u8 {
        match self {
            Rule::MinimalAdaptive(rule) => rule.escapes(),
            _ => 0,
        }
    }
}

/// What a routing is called and which shapes it is for.
fn describe(routing: RoutingSpec) -> (&'static str, &'static str) {
    match routing {
        RoutingSpec::DestinationTag => ("destination-tag routing", "a fly"),
        RoutingSpec::DimensionOrder => ("dimension-order routing", "a mesh"),
        RoutingSpec::Dateline => ("dateline routing", "a torus"),
        RoutingSpec::Unrestricted => ("unrestricted dimension order", "a torus"),
        RoutingSpec::O1Turn => ("O1TURN routing", "a mesh of two dimensions"),
        RoutingSpec::Valiant => ("Valiant routing", "a mesh or torus"),
        RoutingSpec::MinimalAdaptive => ("minimal adaptive routing", "a mesh or torus"),
        RoutingSpec::NearestCommonAncestor | RoutingSpec::NearestCommonAncestorRandom => {
            ("nearest-common-ancestor routing", "a fat tree")
        }
        RoutingSpec::Table => ("table routing", "any graph"),
    }
}

/// By terminal: output port of its ejection channel.
fn exits(graph: &Graph) -> Vec<u16> {
    let mut ports = vec![0u16; graph.routers as usize];
    for channel in &graph.channels {
        ports[channel.from as usize] += 1;
    }
    let next = |router: &u32| {
        let port = ports[*router as usize];
        ports[*router as usize] += 1;
        port
    };
    graph.eject.iter().map(next).collect()
}

#[cfg(test)]
mod tests;
