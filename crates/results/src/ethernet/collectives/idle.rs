//! The least time in which some flows' messages can be done: with nobody else in the network.
//!
//! Each message takes what it takes alone on its path, those of one host go through its port one
//! after another, and what waits begins when it may. Nothing else is in the way, neither on the
//! links behind nor by what acknowledges, so a run can't be faster.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{Happened, MessagesSpec, Waiter, Waiters};

use super::times::Times;

mod ahead;
use ahead::Ahead;

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
    Some(idle.last.since(first) + idle.ahead.leapt)
}

/// For how many things something waits, and when the last of those so far happened.
type Known = (u32, Time);

/// What is done one after another: messages of a flow, or what its source computes.
struct Line {
    /// So many in all.
    count: u32,
    /// Of the next and those behind it, as far as anything has happened.
    waiting: VecDeque<Known>,
    /// The next, and not before.
    next: (u32, Time),
}

impl Line {
    fn new(count: u64, start: Time) -> Line {
        Line {
            count: count as u32,
            waiting: VecDeque::new(),
            next: (0, start),
        }
    }

    /// The next begins.
    fn pass(&mut self, behind: Time) {
        self.next = (self.next.0 + 1, behind);
        self.waiting.pop_front();
    }
}

/// What waits, of one flow.
struct Waiting {
    /// Messages and computing.
    lines: [Line; 2],
    /// In which its messages wait for each other and for those of other flows there.
    port: usize,
}

struct Idle<'a> {
    times: Times<'a>,
    start: Time,
    /// The first flow, and those from there on; nothing of one without messages.
    base: u32,
    flows: Vec<Option<Waiting>>,
    waiters: Waiters,
    /// When they are free: see [`Times::ports`].
    ports: Vec<Time>,
    due: BinaryHeap<Reverse<(Time, u32, Waiter)>>,
    first: Option<Time>,
    last: Time,
    ahead: Ahead,
}

impl<'a> Idle<'a> {
    fn of(times: Times<'a>, flows: Range<u32>, start: Time) -> Idle<'a> {
        let (ports, port_count) = times.ports(flows.clone());
        let lists = flows.clone();
        let lists = lists.filter_map(|flow| Some((flow, times.list(flow)?)));
        let lists: Vec<(u32, &MessagesSpec)> = lists.collect();
        let mut all: Vec<Option<Waiting>> = flows.clone().map(|_| None).collect();
        for (flow, list) in &lists {
            let at = (flow - flows.start) as usize;
            all[at] = Some(Waiting {
                lines: [list.message_count(), list.compute_count()]
                    .map(|count| Line::new(count, start)),
                port: ports[at],
            });
        }
        let mut idle = Idle {
            times,
            start,
            base: flows.start,
            flows: all,
            waiters: Waiters::among(&lists),
            ports: vec![Time::ZERO; port_count],
            due: BinaryHeap::new(),
            first: None,
            last: Time::ZERO,
            ahead: Ahead::of(&lists),
        };
        for (flow, _) in lists {
            idle.ask(flow, Waiter::Message(0));
            idle.ask(flow, Waiter::Compute(0));
        }
        idle
    }

    fn own_mut(&mut self, flow: u32) -> Option<&mut Waiting> {
        let at = flow.checked_sub(self.base)? as usize;
        self.flows.get_mut(at)?.as_mut()
    }

    /// What is known of something that waits, if it has still to begin; and the next of its line,
    /// and from when on.
    fn known(&mut self, flow: u32, what: Waiter) -> Option<(&mut Known, (u32, Time))> {
        let (list, start) = (self.times.list(flow)?, self.start);
        let (number, line) = parts(what);
        let line = &mut self.own_mut(flow)?.lines[line];
        let ahead = number.checked_sub(line.next.0)? as usize;
        if number >= line.count {
            return None;
        }
        while line.waiting.len() <= ahead {
            let next = line.next.0 + line.waiting.len() as u32;
            let after = match what {
                Waiter::Message(_) => &list.message(next)?.0.after,
                Waiter::Compute(_) => &list.compute(next)?.0.after,
            };
            line.waiting.push_back((after.len() as u32, start));
        }
        Some((&mut line.waiting[ahead], line.next))
    }

    /// Whether it can begin, and when.
    fn ask(&mut self, flow: u32, what: Waiter) {
        let Some(((0, ready), (next, behind))) = self.known(flow, what) else {
            return;
        };
        let ready = *ready;
        let (number, _) = parts(what);
        let list = self.times.list(flow);
        let think = match what {
            Waiter::Message(number) => list.and_then(|list| Some(list.message(number)?.0.think)),
            Waiter::Compute(_) => None,
        };
        if number == next {
            let at = (ready + think.unwrap_or(Duration::ZERO)).max(behind);
            self.due.push(Reverse((at, flow, what)));
        }
    }

    fn message(&mut self, at: Time, flow: u32, message: u32) -> Option<()> {
        let bytes = self.times.list(flow)?.message(message)?.0.bytes;
        let alone = &self.times.found(flow)?.alone;
        let alone = alone.get(alone.binary_search_by_key(&bytes, |own| own.bytes).ok()?)?;
        self.first.get_or_insert(at);
        let port = self.own_mut(flow)?.port;
        let free = self.ports.get_mut(port)?;
        let begins = at.max(*free);
        *free = begins + alone.on_port;
        let received = begins + alone.time;
        self.last = self.last.max(received);
        self.own_mut(flow)?.lines[0].pass(at);
        self.ask(flow, Waiter::Message(message + 1));
        self.tell(Happened::Sent { flow, message }, begins);
        self.tell(Happened::Received { flow, message }, received);
        if self.ahead.is_round(flow, message) {
            self.go_ahead(at);
        }
        Some(())
    }

    fn compute(&mut self, at: Time, flow: u32, compute: u32) -> Option<()> {
        let time = self.times.list(flow)?.compute(compute)?.0.time;
        self.first.get_or_insert(at);
        let ended = at + time;
        self.last = self.last.max(ended);
        self.own_mut(flow)?.lines[1].pass(ended);
        self.ask(flow, Waiter::Compute(compute + 1));
        self.tell(Happened::Computed { flow, compute }, ended);
        Some(())
    }

    fn tell(&mut self, what: Happened, at: Time) {
        let (places, later) = self.waiters.of(what);
        for place in places {
            let Some((flow, waiter)) = self.waiters.waiting(place, later) else {
                continue;
            };
            let Some(((waits, ready), _)) = self.known(flow, waiter) else {
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

/// Its number, and whether it computes.
fn parts(what: Waiter) -> (u32, usize) {
    match what {
        Waiter::Message(number) => (number, 0),
        Waiter::Compute(number) => (number, 1),
    }
}
