//! The least time in which some flows' messages can be done: with nobody else in the network.
//!
//! Each message takes what it takes alone on its path, those of one host go through its port one
//! after another, and what waits begins when it may. Nothing else is in the way, neither on the
//! links behind nor by what acknowledges, so a run can't be faster.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{Happened, MessagesSpec, Waiter, Waiters};

use super::times::Times;

/// From the first thing begun to the last one over; nothing where what a message takes alone is
/// not known.
pub fn time(times: Times<'_>, flows: Range<u32>, start: Time) -> Option<Duration> {
    let mut idle = Idle::of(times, flows, start);
    while let Some(Reverse((at, flow, what))) = idle.due.pop() {
        match what {
            Waiter::Message(number) => idle.message(at, flow, number)?,
            Waiter::Compute(number) => idle.compute(at, flow, number)?,
        }
    }
    let first = idle.first?;
    Some(idle.last.since(first))
}

/// What waits, of one flow.
struct Waiting {
    /// Of each, how many things it waits for, and when the last of those so far happened.
    messages: Vec<(u32, Time)>,
    computes: Vec<(u32, Time)>,
    /// The next of each, and not before.
    next: [(u32, Time); 2],
    /// In which its messages wait for each other and for those of other flows there.
    port: usize,
}

struct Idle<'a> {
    times: Times<'a>,
    /// The first flow, and those from there on; nothing of one without messages.
    base: u32,
    flows: Vec<Option<Waiting>>,
    waiters: Waiters,
    /// When they are free: see [`Times::ports`].
    ports: Vec<Time>,
    due: BinaryHeap<Reverse<(Time, u32, Waiter)>>,
    first: Option<Time>,
    last: Time,
}

impl<'a> Idle<'a> {
    fn of(times: Times<'a>, flows: Range<u32>, start: Time) -> Idle<'a> {
        let (ports, port_count) = times.ports(flows.clone());
        let mut idle = Idle {
            times,
            base: flows.start,
            flows: Vec::new(),
            waiters: Waiters::default(),
            ports: vec![Time::ZERO; port_count],
            due: BinaryHeap::new(),
            first: None,
            last: Time::ZERO,
        };
        let lists = flows.clone();
        let lists = lists.filter_map(|flow| Some((flow, times.list(flow)?)));
        let lists: Vec<(u32, &MessagesSpec)> = lists.collect();
        idle.flows.resize_with(flows.len(), || None);
        for (flow, list) in &lists {
            let messages = list
                .messages
                .iter()
                .map(|own| (own.after.len() as u32, start));
            let computes = list
                .computes
                .iter()
                .map(|own| (own.after.len() as u32, start));
            let at = (flow - flows.start) as usize;
            let waiting = Waiting {
                messages: messages.collect(),
                computes: computes.collect(),
                next: [(0, start); 2],
                port: ports[at],
            };
            idle.flows[at] = Some(waiting);
        }
        idle.waiters = Waiters::among(&lists);
        for (flow, _) in lists {
            idle.ask(flow, Waiter::Message(0));
            idle.ask(flow, Waiter::Compute(0));
        }
        idle
    }

    fn own(&self, flow: u32) -> Option<&Waiting> {
        self.flows
            .get(flow.checked_sub(self.base)? as usize)?
            .as_ref()
    }

    fn own_mut(&mut self, flow: u32) -> Option<&mut Waiting> {
        let at = flow.checked_sub(self.base)? as usize;
        self.flows.get_mut(at)?.as_mut()
    }

    /// Whether it can begin, and when.
    fn ask(&mut self, flow: u32, what: Waiter) {
        let (Some(own), Some(list)) = (self.own(flow), self.times.list(flow)) else {
            return;
        };
        let (number, known, (next, behind), think) = match what {
            Waiter::Message(number) => {
                let think = list.messages.get(number as usize).map(|own| own.think);
                (
                    number,
                    &own.messages,
                    own.next[0],
                    think.unwrap_or(Duration::ZERO),
                )
            }
            Waiter::Compute(number) => (number, &own.computes, own.next[1], Duration::ZERO),
        };
        if let Some((0, ready)) = known.get(number as usize)
            && number == next
        {
            let at = (*ready + think).max(behind);
            self.due.push(Reverse((at, flow, what)));
        }
    }

    fn message(&mut self, at: Time, flow: u32, message: u32) -> Option<()> {
        let bytes = self.times.list(flow)?.messages.get(message as usize)?.bytes;
        let alone = &self.times.found(flow)?.alone;
        let alone = alone.get(alone.binary_search_by_key(&bytes, |own| own.bytes).ok()?)?;
        self.first.get_or_insert(at);
        let port = self.own(flow)?.port;
        let free = self.ports.get_mut(port)?;
        let begins = at.max(*free);
        *free = begins + alone.on_port;
        let received = begins + alone.time;
        self.last = self.last.max(received);
        self.own_mut(flow)?.next[0] = (message + 1, at);
        self.ask(flow, Waiter::Message(message + 1));
        self.tell(Happened::Sent { flow, message }, begins);
        self.tell(Happened::Received { flow, message }, received);
        Some(())
    }

    fn compute(&mut self, at: Time, flow: u32, compute: u32) -> Option<()> {
        let time = self.times.list(flow)?.computes.get(compute as usize)?.time;
        self.first.get_or_insert(at);
        let ended = at + time;
        self.last = self.last.max(ended);
        self.own_mut(flow)?.next[1] = (compute + 1, ended);
        self.ask(flow, Waiter::Compute(compute + 1));
        self.tell(Happened::Computed { flow, compute }, ended);
        Some(())
    }

    fn tell(&mut self, what: Happened, at: Time) {
        for place in self.waiters.of(what) {
            let (flow, waiter) = self.waiters.waiting(place);
            let Some(own) = self.own_mut(flow) else {
                continue;
            };
            let known = match waiter {
                Waiter::Message(number) => own.messages.get_mut(number as usize),
                Waiter::Compute(number) => own.computes.get_mut(number as usize),
            };
            let Some((waits, ready)) = known else {
                continue;
            };
            *waits = waits.saturating_sub(1);
            *ready = at.max(*ready);
            if *waits == 0 {
                self.ask(flow, waiter);
            }
        }
    }
}
