//! Flows that begin while the run goes on and have no row of their own.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::outside::Recipe;
use backwater_ends::spec::bytes::TrafficSpec;
use backwater_kernel::{BuildError, Time};

use super::check::err;
use super::{BackPressureSpec, EthernetSpec, FlowSpec, NodeKind, Owner};

/// Most flows, with a row and without: a way is twice the number of its flow, and one more.
const FLOWS_MAX: u64 = 1 << 30;

/// A flow that begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// Station that sends.
    pub source: u32,
    /// Station that receives.
    pub destination: u32,
    /// Payload.
    pub bytes: u64,
    /// Which of [`ArrivalSpec::kinds`] it is like.
    pub kind: u32,
}

/// Tells flows one after the other, in the order in which they begin.
pub trait Arrivals {
    /// The next; `None` after the last.
    ///
    /// # Errors
    /// If they can't be told any more: why.
    fn next(&mut self) -> Result<Option<Arrival>, String>;
}

/// How what tells them is made: a fresh one for each run.
pub type ArrivalRecipe = Recipe<dyn Arrivals + Send>;

/// A group of flows that have no row: each has a slot while it is active, and what they did is told
/// of all of them together.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrivalSpec {
    /// As the scenario calls it.
    pub name: String,
    /// How many there are. Their numbers are those behind [`Spec::flows`](super::Spec::flows) and
    /// behind the groups before, in the order in which they begin.
    pub count: u32,
    /// About so many are active at once, at most: what their memory is estimated by.
    pub active: u32,
    /// What they are like; hosts and traffic are those of an arrival, and a round trip of zero that
    /// a handshake measured is that of their path.
    pub kinds: Vec<FlowSpec>,
    /// When, between which hosts and with how many bytes.
    pub arrivals: ArrivalRecipe,
}

impl ArrivalSpec {
    /// The flow that begins, if there are such hosts and such a kind.
    pub(crate) fn flow(&self, nodes: usize, arrival: &Arrival) -> Option<FlowSpec> {
        let Arrival {
            source,
            destination,
            ..
        } = *arrival;
        let are_known = source != destination && (source.max(destination) as usize) < nodes;
        let kind = self
            .kinds
            .get(arrival.kind as usize)
            .filter(|_| are_known)?;
        Some(FlowSpec {
            name: String::new(),
            source,
            destination,
            traffic: TrafficSpec::Infinite {
                start: arrival.at,
                bytes: Some(arrival.bytes),
            },
            ..kind.clone()
        })
    }
}

impl EthernetSpec {
    /// Flows with a row, and those without.
    pub fn flow_count(&self) -> u64 {
        let groups = self.rules.arrivals.iter();
        self.flows.len() as u64 + groups.map(|group| u64::from(group.count)).sum::<u64>()
    }

    /// Flows that have a row, and kinds of those that have none.
    pub fn kinds(&self) -> impl Iterator<Item = &FlowSpec> {
        let groups = self.rules.arrivals.iter();
        self.flows
            .iter()
            .chain(groups.flat_map(|group| &group.kinds))
    }

    /// The group without rows that has the flow of this number, and its number there from 0.
    pub fn member(&self, flow: u32) -> Option<(&ArrivalSpec, u32)> {
        let mut number = flow.checked_sub(self.flows.len() as u32)?;
        for group in &self.rules.arrivals {
            match number.checked_sub(group.count) {
                None => return Some((group, number)),
                Some(behind) => number = behind,
            }
        }
        None
    }
}

/// What flows without a row can't have, since it is made for each before the run.
pub(super) fn check(spec: &EthernetSpec) -> Result<(), BuildError> {
    let groups = &spec.rules.arrivals;
    let counts = groups.iter().map(|group| u64::from(group.count));
    let total = spec.flows.len() as u64 + counts.sum::<u64>();
    if total > FLOWS_MAX {
        return err(alloc::format!("{total} is more than can be numbered"));
    }
    if groups.is_empty() {
        return Ok(());
    }
    let by_station = |kind: &NodeKind| match kind {
        NodeKind::Switch(switch) => switch.stops.all().any(BackPressureSpec::is_by_destination),
        NodeKind::Station { .. } => false,
    };
    if spec.nodes.iter().any(|node| by_station(&node.kind)) {
        return err("where stations are stopped, every flow needs a row".into());
    }
    let mut credits = spec.channels().flat_map(|channel| &channel.credits);
    if credits.any(|credit| credit.is_some_and(|credit| credit.owner != Owner::Class)) {
        return err("flows without a row have no credit of their own".into());
    }
    let kinds = groups.iter().flat_map(|group| &group.kinds);
    for kind in kinds {
        if kind.is_multicast() || kind.hears_rates() || kind.is_outside() {
            return err("a flow without a row goes to one station, as told before".into());
        }
    }
    Ok(())
}
