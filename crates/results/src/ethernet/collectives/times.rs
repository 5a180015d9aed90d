//! When messages that wait for others began and came, and when hosts had computed.

use std::ops::Range;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{
    CollectiveSpec, ComputeSpec, EthernetSpec, Happened, MessageSpec, MessagesSpec,
};
use backwater_net::outcome::{MessagesOutcome, Outcome};

use crate::ethernet::Frames;

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

/// From the first to the last of something, and how much of it there is.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    pub begun: Option<Time>,
    pub ended: Option<Time>,
    pub bytes: u64,
    /// Messages, and those of them that came.
    pub messages: u64,
    pub complete: u64,
    /// The flow of the message that came last.
    pub last: u32,
}

impl Stretch {
    fn add(&mut self, message: &Message<'_>) {
        self.begun = [self.begun, message.begun].into_iter().flatten().min();
        self.messages += 1;
        self.bytes += message.spec.bytes;
        if let Some(received) = message.received {
            self.complete += 1;
            if self.ended.is_none_or(|ended| received > ended) {
                (self.ended, self.last) = (Some(received), message.flow);
            }
        }
    }

    /// How long it took, if it is complete.
    pub fn took(&self) -> Option<Duration> {
        let is_complete = self.messages > 0 && self.complete == self.messages;
        let (begun, ended) = self.begun.zip(self.ended).filter(|_| is_complete)?;
        Some(ended.since(begun))
    }
}

/// Of an operation each time that it is done, by its steps.
pub fn steps(times: Times<'_>, told: &CollectiveSpec) -> Vec<Stretch> {
    let mut all = vec![Stretch::default(); (told.steps * told.times) as usize];
    for message in times.messages(told.flows.clone()) {
        if let Some(step) = all.get_mut(message.spec.step as usize) {
            step.add(&message);
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
