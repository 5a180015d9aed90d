//! What the spec says of channels and lanes.

use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::route::{NOWHERE, Way};
use crate::routing::Routing;
use crate::spec::{FabricSpec, Release, Sources, Switch};

/// A node at an end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Router(u32),
    Terminal(u32),
}

/// A channel.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    pub from: Node,
    pub to: Node,
    /// Cycles from leaving a buffer to being able to leave the next.
    pub flight: u64,
}

/// What a class is promised.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Lanes its packets may take anywhere, a bit each.
    pub lanes: u32,
    /// Its packets from one terminal to another arrive in the order they entered.
    pub is_ordered: bool,
}

/// What never changes in a run.
#[derive(Debug)]
pub struct Plan {
    /// Channels by number in the spec.
    pub channels: Vec<Course>,
    /// The longest flight.
    pub flight_most: u64,
    pub lanes: usize,
    pub depth: u16,
    pub release: Release,
    pub credit_delay: u64,
    /// Places of the small buffer of a channel that a switch sends into; 0 without.
    pub buffer: usize,
    /// Flits that may leave the lanes of a channel in a cycle.
    pub input_most: u32,
    pub classes: Vec<Class>,
    /// A terminal sends its packets in the order of their births.
    pub in_turn: bool,
}

impl Plan {
    pub fn new(spec: &FabricSpec) -> Result<Plan, BuildError> {
        let router = &spec.router;
        let (buffer, input_most) = match router.switch {
            Switch::Crossbar => (0, u32::MAX),
            Switch::Multiplexed {
                output_buffer,
                speedup,
                ..
            } => (usize::from(output_buffer), u32::from(speedup.max(1))),
        };
        let channels = channels(spec);
        let flights = channels.iter().map(|course| course.flight);
        Ok(Plan {
            flight_most: flights.max().unwrap_or(0),
            channels,
            lanes: usize::from(router.lanes),
            depth: router.depth,
            release: router.release,
            credit_delay: u64::from(router.credit_delay),
            buffer,
            input_most,
            classes: classes(spec)?,
            in_turn: spec.sources == Sources::One,
        })
    }

    /// Has it small buffers between switch and channel, and is this one of those channels?
    pub fn is_buffered(&self, channel: usize) -> bool {
        self.buffer > 0 && matches!(self.channels[channel].from, Node::Router(_))
    }

    /// Does it lead to a terminal?
    pub fn ejects(&self, channel: usize) -> bool {
        matches!(self.channels[channel].to, Node::Terminal(_))
    }
}

fn channels(spec: &FabricSpec) -> Vec<Course> {
    let graph = &spec.graph;
    let routed = |latency: u16| u64::from(latency) + u64::from(spec.router.pipeline_delay);
    let between = graph.channels.iter().map(|channel| Course {
        from: Node::Router(channel.from),
        to: Node::Router(channel.to),
        flight: routed(channel.latency),
    });
    let inject = graph
        .inject
        .iter()
        .zip(0..)
        .map(|(router, terminal)| Course {
            from: Node::Terminal(terminal),
            to: Node::Router(*router),
            flight: u64::from(graph.injection(terminal as usize)),
        });
    let eject = graph
        .eject
        .iter()
        .zip(0..)
        .map(|(router, terminal)| Course {
            from: Node::Router(*router),
            to: Node::Terminal(terminal),
            flight: routed(graph.ejection(terminal as usize)),
        });
    between.chain(inject).chain(eject).collect()
}

/// Where packets have one way to go, and one lane all along, none overtakes another.
fn classes(spec: &FabricSpec) -> Result<Vec<Class>, BuildError> {
    let groups = spec.classes.iter().map(|class| class.lane_group).max();
    let groups = groups.unwrap_or(0).saturating_add(1);
    let routing = Routing::new(&spec.graph, spec.routing, spec.router.lanes, groups)?;
    let one_way = routing.departures() == 1 && !routing.is_adaptive();
    let class = |group: u8| {
        let lanes = routing.injection_lanes(&Way {
            destination: 0,
            via: NOWHERE,
            plan: 0,
            group,
        });
        Class {
            lanes,
            is_ordered: one_way && lanes.count_ones() == 1,
        }
    };
    let classes = spec.classes.iter();
    Ok(classes.map(|spec| class(spec.lane_group)).collect())
}
