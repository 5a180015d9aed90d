//! What does the application want to send? One file a kind.
//!
//! Traffic is asked when its timer fires and answers with units offered now and the next time
//! it wants to be asked.

mod client;
mod on_off;

pub(crate) use client::{Client, Server};
pub(crate) use on_off::OnOff;

use alloc::boxed::Box;

use kernel::stream::{Purpose, Stream};
use kernel::{Duration, Time};

use crate::spec::{Span, TrafficSpec};

/// What one source does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Emission {
    /// Units offered now.
    pub units: u64,
    /// When to ask again.
    pub next: Option<Time>,
}

/// An endless backlog.
pub(crate) const ENDLESS: u64 = u64::MAX;

/// The application of one flow.
pub(crate) enum Traffic {
    Silent,
    Greedy { start: Time, total: u64 },
    Spaced(Box<Spaced>),
    // The big ones are boxed: a network has many more quiet flows than clients.
    OnOff(Box<OnOff>),
    Client(Box<Client>),
    Server(Box<Server>),
}

impl Traffic {
    pub fn new(spec: &TrafficSpec, seed: u64, flow: u32) -> Traffic {
        let stream = || Stream::new(seed, flow as u64, Purpose::Traffic);
        match *spec {
            TrafficSpec::Silent => Traffic::Silent,
            TrafficSpec::Greedy { start, total } => Traffic::Greedy {
                start,
                total: total.unwrap_or(ENDLESS),
            },
            TrafficSpec::Constant {
                start,
                interval,
                total,
                ..
            } => {
                let spaced = Spaced::new(start, Span::Fixed(interval), total, stream());
                Traffic::Spaced(Box::new(spaced))
            }
            TrafficSpec::Poisson {
                start,
                mean_interval,
                total,
                ..
            } => {
                let gap = Span::Exponential(mean_interval);
                let mut spaced = Spaced::new(start, gap, total, stream());
                spaced.start = start + draw(gap, &mut spaced.stream);
                Traffic::Spaced(Box::new(spaced))
            }
            TrafficSpec::Trains { .. } => Traffic::Silent,
            TrafficSpec::OnOff {
                start,
                on,
                off,
                on_interval,
                off_interval,
            } => {
                let on_off = OnOff::new(start, on, off, on_interval, off_interval, stream());
                Traffic::OnOff(Box::new(on_off))
            }
            TrafficSpec::Client(spec) => Traffic::Client(Box::new(Client::new(spec, seed, flow))),
            TrafficSpec::Server => Traffic::Server(Box::default()),
        }
    }

    /// When to ask first.
    pub fn start(&self) -> Option<Time> {
        match self {
            Traffic::Silent | Traffic::Server(_) => None,
            Traffic::Greedy { start, .. } => Some(*start),
            Traffic::Spaced(spaced) => (spaced.left > 0).then_some(spaced.start),
            Traffic::OnOff(on_off) => Some(on_off.start()),
            Traffic::Client(client) => Some(client.start()),
        }
    }

    /// Everything happens so much later. Before the first timer only.
    pub fn postpone(&mut self, by: Duration) {
        match self {
            Traffic::Silent | Traffic::Server(_) => {}
            Traffic::Greedy { start, .. } => *start += by,
            Traffic::Spaced(spaced) => spaced.start += by,
            Traffic::OnOff(on_off) => on_off.postpone(by),
            Traffic::Client(client) => client.postpone(by),
        }
    }

    /// The timer fired.
    #[inline]
    pub fn on_timer(&mut self, now: Time) -> Emission {
        match self {
            Traffic::Silent => Emission {
                units: 0,
                next: None,
            },
            Traffic::Greedy { total, .. } => Emission {
                units: *total,
                next: None,
            },
            Traffic::Spaced(spaced) => spaced.on_timer(now),
            Traffic::OnOff(on_off) => on_off.on_timer(now),
            Traffic::Client(client) => client.on_timer(now),
            Traffic::Server(server) => server.on_timer(),
        }
    }
}

/// One unit after each gap: constant rate or Poisson.
pub(crate) struct Spaced {
    start: Time,
    gap: Span,
    left: u64,
    stream: Stream,
}

impl Spaced {
    fn new(start: Time, gap: Span, total: Option<u64>, stream: Stream) -> Spaced {
        Spaced {
            start,
            gap,
            left: total.unwrap_or(ENDLESS),
            stream,
        }
    }

    #[inline]
    fn on_timer(&mut self, now: Time) -> Emission {
        if self.left != ENDLESS {
            self.left -= 1;
        }
        let next = (self.left > 0).then(|| now + draw(self.gap, &mut self.stream));
        Emission { units: 1, next }
    }
}

/// A length of time: the same always, or drawn.
#[inline]
pub(crate) fn draw(span: Span, stream: &mut Stream) -> Duration {
    match span {
        Span::Fixed(length) => length,
        Span::Exponential(mean) => stream.exponential(mean),
    }
}
