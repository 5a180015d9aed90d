//! The least time in which some flows' messages can be done: with nobody else in the network.
//!
//! Each message takes what it takes alone on its path, those of one host go through its port one
//! after another, and what waits begins when it may. Nothing else is in the way, neither on the
//! links behind nor by what acknowledges, so a run can't be faster.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{Happened, Waiter};

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
}

struct Idle<'a> {
    times: Times<'a>,
    flows: BTreeMap<u32, Waiting>,
    /// Sorted: what waits for what.
    waiters: Vec<(Happened, u32, Waiter)>,
    ports: BTreeMap<u32, Time>,
    due: BinaryHeap<Reverse<(Time, u32, Waiter)>>,
    first: Option<Time>,
    last: Time,
}

impl<'a> Idle<'a> {
    fn of(times: Times<'a>, flows: Range<u32>, start: Time) -> Idle<'a> {
        let mut idle = Idle {
            times,
            flows: BTreeMap::new(),
            waiters: Vec::new(),
            ports: BTreeMap::new(),
            due: BinaryHeap::new(),
            first: None,
            last: Time::ZERO,
        };
        for flow in flows {
            let Some(list) = times.list(flow) else {
                continue;
            };
            for (waiter, after) in list.waiters() {
                idle.waiters
                    .extend(after.iter().map(|what| (*what, flow, waiter)));
            }
            let messages = list
                .messages
                .iter()
                .map(|own| (own.after.len() as u32, start));
            let computes = list
                .computes
                .iter()
                .map(|own| (own.after.len() as u32, start));
            let waiting = Waiting {
                messages: messages.collect(),
                computes: computes.collect(),
                next: [(0, start); 2],
            };
            idle.flows.insert(flow, waiting);
        }
        idle.waiters.sort_unstable();
        let all: Vec<u32> = idle.flows.keys().copied().collect();
        for flow in all {
            idle.ask(flow, Waiter::Message(0));
            idle.ask(flow, Waiter::Compute(0));
        }
        idle
    }

    /// Whether it can begin, and when.
    fn ask(&mut self, flow: u32, what: Waiter) {
        let (Some(own), Some(list)) = (self.flows.get(&flow), self.times.list(flow)) else {
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
        let port = self.ports.entry(self.times.source(flow)).or_default();
        let begins = at.max(*port);
        *port = begins + alone.on_port;
        let received = begins + alone.time;
        self.last = self.last.max(received);
        self.flows.get_mut(&flow)?.next[0] = (message + 1, at);
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
        self.flows.get_mut(&flow)?.next[1] = (compute + 1, ended);
        self.ask(flow, Waiter::Compute(compute + 1));
        self.tell(Happened::Computed { flow, compute }, ended);
        Some(())
    }

    fn tell(&mut self, what: Happened, at: Time) {
        let from = self.waiters.partition_point(|own| own.0 < what);
        let behind = self.waiters.partition_point(|own| own.0 <= what);
        for place in from..behind {
            let (_, flow, waiter) = self.waiters[place];
            let Some(own) = self.flows.get_mut(&flow) else {
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
