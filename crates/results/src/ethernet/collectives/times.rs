//! When messages that wait for others began and came, and when hosts had computed.

use std::ops::Range;

use backwater_kernel::Time;
use backwater_net::frames::spec::{
    CollectiveSpec, ComputeSpec, EthernetSpec, Happened, MessageSpec, MessagesSpec, NicRule,
};
use backwater_net::outcome::{MessagesOutcome, Outcome};

use crate::ethernet::Frames;
use crate::events::ranks::Stretch;

/// What the specification says of a flow's messages, and what was found of them.
#[derive(Clone, Copy)]
pub struct Times<'a> {
    network: &'a EthernetSpec,
    outcome: &'a Outcome,
}

/// A message of a flow.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub flow: u32,
    pub number: u32,
    pub spec: &'a MessageSpec,
    pub begun: Option<Time>,
    pub received: Option<Time>,
}

/// What a host computed.
#[derive(Clone, Copy)]
pub struct Compute<'a> {
    pub flow: u32,
    pub number: u32,
    pub spec: &'a ComputeSpec,
    /// When it was over.
    pub ended: Option<Time>,
}

impl Compute<'_> {
    /// When it began, if it is over.
    pub fn begun(&self) -> Option<Time> {
        let ended = self.ended?;
        Some(Time(ended.ps().saturating_sub(self.spec.time.ps())))
    }
}

impl<'a> Times<'a> {
    pub fn of(run: &'a Frames<'_>) -> Times<'a> {
        Times {
            network: run.network,
            outcome: &run.outcome,
        }
    }

    pub fn list(&self, flow: u32) -> Option<&'a MessagesSpec> {
        self.network.flows.get(flow as usize)?.traffic.messages()
    }

    pub fn found(&self, flow: u32) -> Option<&'a MessagesOutcome> {
        let ends = &self.outcome.flows.get(flow as usize)?.ends;
        ends.messages.as_deref()
    }

    /// In which port messages of each of these flows wait for others, and how many ports there are:
    /// the link of the flow, or all links of its host where it goes round them; a port of its own
    /// where that is not known, since the least time counts no more than is sure.
    pub fn ports(&self, flows: Range<u32>) -> (Vec<usize>, usize) {
        let (network, nodes) = (self.network, self.network.nodes.len());
        let mut links = vec![0_u32; nodes];
        for end in network.links.iter().flat_map(|link| link.ends) {
            links[end as usize] += 1;
        }
        let channels = 2 * network.links.len();
        let port = |flow: u32| {
            let source = self.source(flow) as usize;
            if links.get(source).is_none_or(|links| *links <= 1) {
                return source;
            }
            let outcome = self.outcome.flows.get(flow as usize);
            match outcome.and_then(|flow| flow.path.first()) {
                Some(channel) => nodes + *channel as usize,
                None if network.rules.nic(source as u32) == NicRule::Spread => source,
                None => nodes + channels + (flow - flows.start) as usize,
            }
        };
        let ports = flows.clone().map(port).collect();
        (ports, nodes + channels + flows.len())
    }

    pub fn source(&self, flow: u32) -> u32 {
        self.network
            .flows
            .get(flow as usize)
            .map_or(0, |flow| flow.source)
    }

    pub fn destination(&self, flow: u32) -> u32 {
        self.network
            .flows
            .get(flow as usize)
            .map_or(0, |flow| flow.destination)
    }

    /// When it happened, if it did.
    pub fn when(&self, what: Happened) -> Option<Time> {
        let outcome = self.found(what.flow())?;
        let (times, number) = match what {
            Happened::Received { message, .. } => (&outcome.received, message),
            Happened::Sent { message, .. } => (&outcome.sent, message),
            Happened::Computed { compute, .. } => (&outcome.computed, compute),
        };
        times.get(number as usize).copied()
    }

    pub fn message(&self, flow: u32, number: u32) -> Option<Message<'a>> {
        let (at, found) = (number as usize, self.found(flow)?);
        Some(Message {
            flow,
            number,
            spec: self.list(flow)?.messages.get(at)?,
            begun: found.begun.get(at).copied(),
            received: found.received.get(at).copied(),
        })
    }

    pub fn compute(&self, flow: u32, number: u32) -> Option<Compute<'a>> {
        let (at, found) = (number as usize, self.found(flow)?);
        Some(Compute {
            flow,
            number,
            spec: self.list(flow)?.computes.get(at)?,
            ended: found.computed.get(at).copied(),
        })
    }

    /// All messages of some flows.
    pub fn messages(self, flows: Range<u32>) -> impl Iterator<Item = Message<'a>> {
        flows.flat_map(move |flow| {
            let count = self.list(flow).map_or(0, |list| list.messages.len() as u32);
            (0..count).filter_map(move |number| self.message(flow, number))
        })
    }

    /// All computing of their sources.
    pub fn computes(self, flows: Range<u32>) -> impl Iterator<Item = Compute<'a>> {
        flows.flat_map(move |flow| {
            let count = self.list(flow).map_or(0, |list| list.computes.len() as u32);
            (0..count).filter_map(move |number| self.compute(flow, number))
        })
    }
}

/// Of an operation each time that it is done, by its steps.
pub fn steps(times: Times<'_>, told: &CollectiveSpec) -> Vec<Stretch> {
    let mut all = vec![Stretch::default(); (told.steps * told.times) as usize];
    for message in times.messages(told.flows.clone()) {
        if let Some(step) = all.get_mut(message.spec.step as usize) {
            let what = (message.flow, message.spec.bytes);
            step.add(what, message.begun, message.received);
        }
    }
    all
}

/// The same as a whole.
pub fn operations(told: &CollectiveSpec, steps: &[Stretch]) -> Vec<Stretch> {
    let each = steps.chunks((told.steps as usize).max(1));
    each.map(|steps| {
        let mut all = Stretch::default();
        for step in steps {
            all.begun = [all.begun, step.begun].into_iter().flatten().min();
            all.bytes += step.bytes;
            all.messages += step.messages;
            all.complete += step.complete;
            if step.ended > all.ended {
                (all.ended, all.last) = (step.ended, step.last);
            }
        }
        all
    })
    .collect()
}
