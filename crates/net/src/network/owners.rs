//! Whose is what in a run that is cut into parts: a node belongs to one of them, and with it the
//! ports from which it sends and the buffers of what it receives.

use alloc::vec::Vec;

/// Owners of everything.
pub(crate) struct Owners {
    /// By node.
    pub nodes: Vec<u8>,
    /// By channel, of the nodes that it leaves and enters.
    pub channels: Vec<(u8, u8)>,
    /// By leg of a circuit: its channel.
    pub legs: Vec<u32>,
    /// By flow, of its source and its destination.
    pub flows: Vec<(u8, u8)>,
}

/// What belongs to one part.
#[derive(Clone, Copy)]
pub struct Own<'a> {
    owners: &'a Owners,
    part: u8,
}

impl Owners {
    /// What belongs to this part.
    pub fn of(&self, part: u8) -> Own<'_> {
        Own { owners: self, part }
    }
}

impl Own<'_> {
    /// The node is its own.
    pub fn has_node(&self, node: usize) -> bool {
        self.owners.nodes[node] == self.part
    }

    /// The channel leaves a node of its own.
    pub fn sends_on(&self, channel: usize) -> bool {
        self.owners.channels[channel].0 == self.part
    }

    /// The channel enters a node of its own.
    pub fn hears(&self, channel: usize) -> bool {
        self.owners.channels[channel].1 == self.part
    }

    /// The sender of a leg is its own.
    pub fn has_sender(&self, leg: usize) -> bool {
        self.sends_on(self.owners.legs[leg] as usize)
    }

    /// The receiver of a leg is its own.
    pub fn has_receiver(&self, leg: usize) -> bool {
        self.hears(self.owners.legs[leg] as usize)
    }

    /// The source of a flow is its own.
    pub fn has_source(&self, flow: usize) -> bool {
        self.owners.flows[flow].0 == self.part
    }

    /// The destination of a flow is its own.
    pub fn has_destination(&self, flow: usize) -> bool {
        self.owners.flows[flow].1 == self.part
    }
}

/// What looks at one part of a run.
pub trait Divided: Clone {
    /// Takes over what another saw, at a part of which this is the own.
    fn join(&mut self, other: &Self, own: Own<'_>);
}

impl Divided for () {
    fn join(&mut self, (): &(), _: Own<'_>) {}
}

impl<A: Divided, B: Divided> Divided for (A, B) {
    fn join(&mut self, other: &Self, own: Own<'_>) {
        self.0.join(&other.0, own);
        self.1.join(&other.1, own);
    }
}

impl<P: Divided> Divided for Option<P> {
    fn join(&mut self, other: &Self, own: Own<'_>) {
        if let (Some(probe), Some(other)) = (self, other) {
            probe.join(other, own);
        }
    }
}

/// Takes over those of `others` that belong to a part.
pub(crate) fn take_over<T: Clone>(all: &mut [T], others: &[T], is_own: impl Fn(usize) -> bool) {
    for (id, (one, other)) in all.iter_mut().zip(others).enumerate() {
        if is_own(id) {
            one.clone_from(other);
        }
    }
}
