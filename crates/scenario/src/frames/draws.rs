//! Flows drawn one after the other: the same whether all are kept or each is forgotten as the next
//! is asked for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use backwater_kernel::{Duration, Stream, Time};

use super::flow_list::Arrival;
use super::flow_sizes::SizeLaw;

/// By what flows are drawn.
#[derive(Clone)]
pub(crate) enum Law {
    /// Each host by itself.
    Hosts(Vec<OfHost>),
    Incasts(Incasts),
}

impl Law {
    /// All of them, in some order.
    pub(crate) fn all(self) -> Vec<Arrival> {
        match self {
            Law::Hosts(hosts) => hosts.into_iter().flatten().collect(),
            Law::Incasts(incasts) => incasts.collect(),
        }
    }

    /// One after the other, as they begin.
    pub(crate) fn in_order(&self) -> Box<dyn Iterator<Item = Arrival> + Send> {
        match self.clone() {
            Law::Hosts(hosts) => Box::new(Merged::new(hosts)),
            // Asked again after the last, it would draw more.
            Law::Incasts(incasts) => Box::new(incasts.fuse()),
        }
    }
}

/// What flows of a law have in common.
pub(crate) struct Shared {
    /// Hosts that receive, and where each stands.
    to: Vec<u32>,
    places: BTreeMap<u32, usize>,
    law: SizeLaw,
    /// No flow begins from here on.
    until: Time,
}

impl Shared {
    pub(crate) fn new(to: Vec<u32>, law: SizeLaw, until: Time) -> Arc<Shared> {
        Arc::new(Shared {
            places: to.iter().copied().zip(0..).collect(),
            to,
            law,
            until,
        })
    }

    /// The instant of the next; nothing from the end on.
    fn next(&self, at: Time, gap: Duration, dice: &mut Stream) -> Option<Time> {
        let next = at.checked_add(dice.exponential(gap));
        next.filter(|next| *next < self.until)
    }
}

/// A host's flows, each to a host drawn at random.
#[derive(Clone)]
pub(crate) struct OfHost {
    pub shared: Arc<Shared>,
    pub from: u32,
    pub gap: Duration,
    /// When the last began.
    pub at: Time,
    pub dice: Stream,
}

impl Iterator for OfHost {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let Shared { to, places, .. } = &*self.shared;
        let own = places.get(&self.from);
        let others = to.len() - usize::from(own.is_some());
        self.at = self.shared.next(self.at, self.gap, &mut self.dice)?;
        let draw = self.dice.below(others as u64) as usize;
        let place = draw + usize::from(own.is_some_and(|own| draw >= *own));
        Some(Arrival {
            at: self.at,
            from: self.from,
            to: to[place],
            bytes: self.shared.law.draw(&mut self.dice),
        })
    }
}

/// Flows to a host drawn at random, from so many others at the same instant.
#[derive(Clone)]
pub(crate) struct Incasts {
    pub shared: Arc<Shared>,
    /// Hosts that send, those that were drawn last first.
    pub pool: Vec<u32>,
    pub count: usize,
    pub gap: Duration,
    pub at: Time,
    pub dice: Stream,
    /// Flows of the last that were drawn and not told.
    pub drawn: Vec<Arrival>,
}

impl Incasts {
    fn draw(&mut self) -> Option<()> {
        let (dice, pool) = (&mut self.dice, &mut self.pool);
        self.at = self.shared.next(self.at, self.gap, dice)?;
        let hosts = &self.shared.to;
        let to = hosts[dice.below(hosts.len() as u64) as usize];
        let mut taken = 0;
        while self.drawn.len() < self.count {
            let left = (pool.len() - taken) as u64;
            pool.swap(taken, taken + dice.below(left) as usize);
            let from = pool[taken];
            taken += 1;
            if from != to {
                self.drawn.push(Arrival {
                    at: self.at,
                    from,
                    to,
                    bytes: self.shared.law.draw(dice),
                });
            }
        }
        // The first is told first.
        self.drawn.reverse();
        Some(())
    }
}

impl Iterator for Incasts {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        if self.drawn.is_empty() {
            self.draw()?;
        }
        self.drawn.pop()
    }
}

/// Flows of several hosts, each host's in order of time, as they begin.
pub(crate) struct Merged {
    hosts: Vec<OfHost>,
    next: BinaryHeap<Reverse<(Arrival, usize)>>,
}

impl Merged {
    pub(crate) fn new(mut hosts: Vec<OfHost>) -> Merged {
        let first = hosts.iter_mut().enumerate();
        let first = first.filter_map(|(at, host)| Some(Reverse((host.next()?, at))));
        Merged {
            next: first.collect(),
            hosts,
        }
    }
}

impl Iterator for Merged {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let Reverse((arrival, at)) = self.next.pop()?;
        let next = self.hosts[at].next();
        self.next.extend(next.map(|next| Reverse((next, at))));
        Some(arrival)
    }
}
