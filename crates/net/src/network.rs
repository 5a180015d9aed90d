//! The state of a network in motion: what there is, without what happens to it.
//! A line here may touch the state that other rooms declare, and never the run or a probe.
//! The next is a field, of a type that the room of its idea declares.

pub(crate) mod owners;

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Time;
use backwater_kernel::stats::TimeWeighted;

use crate::classes::Classes;
use crate::flow::CircuitFlow;
use crate::flow::cell_tcp::Connections;
use crate::flow::session::Sessions;
use crate::flow::sink::Outlet;
use crate::flow_control::{CreditLink, Settings, StartArena};
use crate::hop::leg::{Leg, LegCounts};
use crate::hop::unit::{NONE, SharedCopies, Units};
use crate::hop::wire::Channel;
use crate::memory::pool::Pool;

/// Everything there is: legs, channels, flows, units. Probes may read it.
pub struct Network {
    pub(crate) legs: Vec<Leg>,
    pub(crate) counts: Vec<LegCounts>,
    pub(crate) credits: Vec<CreditLink>,
    pub(crate) settings: Vec<Settings>,
    pub(crate) starts: StartArena,
    pub(crate) channels: Vec<Channel>,
    pub(crate) flows: Vec<CircuitFlow>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) sinks: Vec<Outlet>,
    pub(crate) units: Units,
    pub(crate) copies: SharedCopies,
    /// Children of legs that branch, and first legs of flows.
    pub(crate) children: Vec<u32>,
    /// Destinations behind each leg.
    pub(crate) leaves_below: Vec<u32>,
    pub(crate) pools: Vec<Pool>,
    /// Where any flow has a session.
    pub(crate) sessions: Option<Box<Sessions>>,
    /// Where there are any.
    pub(crate) tcp: Option<Box<Connections>>,
    /// Queues by class, and what routed units need.
    pub(crate) classes: Classes,
}

impl Network {
    /// Nothing but these classes.
    pub(crate) fn empty(classes: Classes) -> Network {
        Network {
            legs: Vec::new(),
            counts: Vec::new(),
            credits: Vec::new(),
            settings: Vec::new(),
            starts: StartArena::default(),
            channels: Vec::new(),
            flows: Vec::new(),
            nodes: Vec::new(),
            sinks: Vec::new(),
            units: Units::new(),
            copies: SharedCopies::default(),
            children: Vec::new(),
            leaves_below: Vec::new(),
            pools: Vec::new(),
            sessions: None,
            tcp: None,
            classes,
        }
    }

    /// The first legs of a flow.
    pub(crate) fn roots(&self, flow_id: u32) -> &[u32] {
        let flow = &self.flows[flow_id as usize];
        &self.children[flow.first_root as usize..][..flow.roots as usize]
    }

    /// How many legs continue `leg_id`; of `NONE`, the source, how many leave it.
    pub(crate) fn branches(&self, flow_id: u32, leg_id: u32) -> usize {
        match leg_id {
            NONE => self.flows[flow_id as usize].roots as usize,
            leg => self.legs[leg as usize].receiver.children as usize,
        }
    }

    /// One of them.
    pub(crate) fn branch(&self, flow_id: u32, leg_id: u32, index: usize) -> u32 {
        if leg_id == NONE {
            return self.roots(flow_id)[index];
        }
        let receiver = &self.legs[leg_id as usize].receiver;
        match receiver.children {
            1 => receiver.first_child,
            _ => self.children[receiver.first_child as usize + index],
        }
    }

    /// Source of a circuit, and its destination: the first where it has several.
    pub(crate) fn ends(&self, flow: u32) -> (u32, u32) {
        let mut leg = self.roots(flow)[0];
        let source = self.channels[self.legs[leg as usize].sender.channel as usize].from;
        while !self.legs[leg as usize].receiver.is_leaf() {
            leg = self.branch(flow, leg, 0);
        }
        (source, self.legs[leg as usize].receiver.node)
    }

    /// With so many events still to come: does nothing happen in a network of circuits any more?
    pub(crate) fn is_over(&self, events: usize) -> bool {
        events == 0
            || self
                .tcp
                .as_ref()
                .is_some_and(|tcp| tcp.is_left_over(events))
    }

    /// Data units of a leg between its two ends.
    pub(crate) fn on_the_wire(&self, leg_id: u32) -> u64 {
        let leg = &self.legs[leg_id as usize];
        leg.sender.sent - leg.receiver.arrived - self.counts[leg_id as usize].lost
    }
}

/// A host or a switch: its common memory.
pub(crate) struct Node {
    pub stored: TimeWeighted,
    /// Index of the pool that holds it; `NONE` without limit.
    pub pool: u32,
}

/// A unit that leaves the memory of the node at the end of `leg`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub leg: u32,
    pub bytes: u32,
    /// When its last bit has left.
    pub until: Time,
}
