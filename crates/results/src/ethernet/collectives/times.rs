//! When messages that wait for others began and came, and when hosts had computed.

use std::ops::Range;

use backwater_kernel::Time;
use backwater_net::frames::spec::{
    CollectiveSpec, ComputeSpec, EthernetSpec, Happened, MessageSpec, MessagesSpec, NicRule,
};
use backwater_net::outcome::{MessagesOutcome, Outcome};

use super::rounds::Rounds;
use crate::ethernet::Frames;
use crate::events::ranks::{Steps, Stretch};

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
    /// As it is listed, so many rounds before.
    pub spec: &'a MessageSpec,
    rounds: u32,
    /// Of its operation, counted on over all times that it is done.
    pub step: u32,
    pub begun: Option<Time>,
    pub received: Option<Time>,
}

/// What a host computed.
#[derive(Clone, Copy)]
pub struct Compute<'a> {
    pub flow: u32,
    pub number: u32,
    /// As it is listed, so many rounds before.
    pub spec: &'a ComputeSpec,
    rounds: u32,
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
        times.get(number.into())
    }

    pub fn message(&self, flow: u32, number: u32) -> Option<Message<'a>> {
        let (list, found) = (self.list(flow)?, self.found(flow)?);
        let (spec, rounds) = list.message(number)?;
        Some(Message {
            flow,
            number,
            spec,
            rounds,
            step: spec.step + rounds * list.again.steps,
            begun: found.begun.get(number.into()),
            received: found.received.get(number.into()),
        })
    }

    pub fn compute(&self, flow: u32, number: u32) -> Option<Compute<'a>> {
        let (spec, rounds) = self.list(flow)?.compute(number)?;
        Some(Compute {
            flow,
            number,
            spec,
            rounds,
            ended: self.found(flow)?.computed.get(number.into()),
        })
    }

    /// What a message waited for.
    pub fn before(self, message: &Message<'a>) -> impl Iterator<Item = Happened> {
        self.later(&message.spec.after, message.rounds)
    }

    /// The same of computing.
    pub fn before_compute(self, compute: &Compute<'a>) -> impl Iterator<Item = Happened> {
        self.later(&compute.spec.after, compute.rounds)
    }

    fn later(self, after: &'a [Happened], rounds: u32) -> impl Iterator<Item = Happened> {
        after.iter().map(move |what| {
            let list = self.list(what.flow());
            list.map_or(*what, |list| what.later(rounds, list.again))
        })
    }

    /// All messages of a round of some flows.
    pub fn messages(
        self,
        flows: Range<u32>,
        (rounds, round): (&Rounds, u32),
    ) -> impl Iterator<Item = Message<'a>> {
        flows.flat_map(move |flow| {
            let numbers = self.list(flow).map(|list| rounds.messages(list, round));
            let numbers = numbers.unwrap_or(0..0);
            numbers.filter_map(move |number| self.message(flow, number))
        })
    }

    /// All computing of their sources in a round.
    pub fn computes(
        self,
        flows: Range<u32>,
        (rounds, round): (&Rounds, u32),
    ) -> impl Iterator<Item = Compute<'a>> {
        flows.flat_map(move |flow| {
            let numbers = self.list(flow).map(|list| rounds.computes(list, round));
            let numbers = numbers.unwrap_or(0..0);
            numbers.filter_map(move |number| self.compute(flow, number))
        })
    }

    /// Messages of a flow that began within some time.
    pub fn begun_within(
        self,
        flow: u32,
        (from, until): (Time, Time),
    ) -> impl Iterator<Item = Message<'a>> {
        let begun = self.found(flow).map(|found| &found.begun);
        let numbers = begun.map_or(0..0, |all| all.count_before(from)..all.count_before(until));
        numbers.filter_map(move |number| self.message(flow, number as u32))
    }

    /// What its source began to compute within some time, and is over.
    pub fn computed_within(
        self,
        flow: u32,
        (from, until): (Time, Time),
    ) -> impl Iterator<Item = Compute<'a>> {
        let over = self.found(flow).map(|found| &found.computed);
        let numbers = over.map_or(0..0, |all| all.count_before(from)..all.len());
        let all = numbers.map_while(move |number| self.compute(flow, number as u32));
        let all = all.take_while(move |own| own.begun().is_some_and(|begun| begun < until));
        all.filter(move |own| own.begun() >= Some(from))
    }
}

/// The steps of an operation.
pub fn steps(times: Times<'_>, told: &CollectiveSpec) -> Steps {
    let rounds = Rounds::of(times, told.flows.clone());
    let all = u64::from(told.steps) * u64::from(told.times);
    let count = (all / u64::from(rounds.count)) as usize;
    let each = rounds.each(|round| {
        let mut all = vec![Stretch::default(); count];
        for message in times.messages(told.flows.clone(), (&rounds, round)) {
            let step = (message.step as usize).checked_sub(round as usize * count);
            if let Some(step) = step.and_then(|step| all.get_mut(step)) {
                let what = (message.flow, message.spec.bytes);
                step.add(what, message.begun, message.received);
            }
        }
        all
    });
    Steps { each, count }
}

/// The same as a whole, each time that it is done.
pub fn operations(told: &CollectiveSpec, steps: &Steps) -> Vec<Stretch> {
    let each = (told.steps as usize).max(1);
    let mut all = vec![Stretch::default(); told.times as usize];
    for (at, step) in steps.iter().enumerate() {
        let Some(own) = all.get_mut(at / each) else {
            break;
        };
        own.begun = [own.begun, step.begun].into_iter().flatten().min();
        own.bytes += step.bytes;
        own.messages += step.messages;
        own.complete += step.complete;
        if step.ended > own.ended {
            (own.ended, own.last) = (step.ended, step.last);
        }
    }
    all
}
