//! What does the application want to send, in units? One file a kind.
//!
//! Traffic is asked when its timer fires and answers with units offered now and the next time
//! it wants to be asked.

mod bottlenecked;
mod client;
mod exchange;
mod on_off;
mod requests;
mod trains;

pub use crate::outside::Emission;
use bottlenecked::Bottlenecked;
use client::Client;
pub use exchange::Request;
use exchange::{Exchange, Server};
use on_off::OnOff;
use requests::Requests;
use trains::Trains;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};

use super::gaps::{Gaps, Pace};
use super::offering::Offering;
use crate::spec::units::{LimitSpec, TrafficSpec};

/// An endless backlog.
pub const ENDLESS: u64 = u64::MAX;

/// How an application with a limit keeps to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limited {
    /// Source control reads the limit; the application offers all it has at once.
    ByControl,
    /// The application spaces its units, without a limit at the rate of its first link.
    Spaced {
        /// Of a unit on the wire.
        unit_bytes: u32,
        /// Of the first link.
        link: Rate,
    },
}

/// The application of one flow.
pub enum Traffic {
    /// Nothing of its own.
    Silent,
    /// Everything at once.
    Greedy {
        /// First unit.
        start: Time,
        /// Units in all; [`ENDLESS`] is without end.
        total: u64,
    },
    /// Constant rate, Poisson.
    Spaced(Box<Spaced>),
    // The big ones are boxed: a network has many more quiet flows than clients.
    /// Bursts and pauses.
    OnOff(Box<OnOff>),
    /// Packet trains.
    Trains(Box<Trains>),
    /// A client of a file server.
    Client(Box<Client>),
    /// Cycles of requests.
    Requests(Box<Requests>),
    /// Not faster than a limit.
    Bottlenecked(Box<Bottlenecked>),
    /// Answers clients.
    Server(Box<Server>),
    /// Written outside this program.
    Outside(Box<Offering>),
}

impl Traffic {
    /// What the application of flow `id` does. `limited` says how one with a limit keeps to it.
    pub fn new(traffic: &TrafficSpec, limited: Limited, seed: u64, id: u32) -> Traffic {
        let stream = || Stream::new(seed, id as u64, Purpose::Traffic);
        match *traffic {
            TrafficSpec::Silent => Traffic::Silent,
            TrafficSpec::Greedy { start, total } => Traffic::Greedy {
                start,
                total: total.unwrap_or(ENDLESS),
            },
            TrafficSpec::Constant {
                start,
                interval,
                random_phase,
                total,
            } => {
                let phase = match random_phase {
                    true => Duration(stream().below(interval.ps())),
                    false => Duration::ZERO,
                };
                let gaps = Gaps::even(Pace::of_gap(interval));
                Traffic::Spaced(Box::new(Spaced::new(start + phase, gaps, total)))
            }
            TrafficSpec::Poisson {
                start,
                mean_interval,
                min_interval,
                total,
            } => {
                let mut gaps = Gaps::poisson(mean_interval, min_interval, stream());
                let first = start + gaps.next_gap();
                Traffic::Spaced(Box::new(Spaced::new(first, gaps, total)))
            }
            TrafficSpec::Trains {
                start,
                mean_units,
                gap,
                mean_pause,
                total,
            } => {
                let trains = Trains::new(start, mean_units, gap, mean_pause, total, stream());
                Traffic::Trains(Box::new(trains))
            }
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
            TrafficSpec::Client(spec) => Traffic::Client(Box::new(Client::new(spec, seed, id))),
            TrafficSpec::Requests(spec) => {
                Traffic::Requests(Box::new(Requests::new(spec, seed, id)))
            }
            TrafficSpec::Bottlenecked { start, ref limits } => {
                let bottlenecked = match limited {
                    Limited::ByControl => Bottlenecked::offered(start, limits),
                    Limited::Spaced { unit_bytes, link } => {
                        Bottlenecked::spaced(start, limits, unit_bytes, link)
                    }
                };
                Traffic::Bottlenecked(Box::new(bottlenecked))
            }
            TrafficSpec::Server => Traffic::Server(Box::default()),
            TrafficSpec::Outside(ref recipe) => Traffic::Outside(Box::new(Offering::new(recipe))),
            TrafficSpec::Tcp(_) | TrafficSpec::TcpBack => Traffic::Silent,
        }
    }

    /// When to ask first.
    pub fn start(&self) -> Option<Time> {
        match self {
            Traffic::Silent | Traffic::Server(_) => None,
            Traffic::Greedy { start, .. } => Some(*start),
            Traffic::Spaced(spaced) => (spaced.left > 0).then_some(spaced.start),
            Traffic::OnOff(on_off) => Some(on_off.start()),
            Traffic::Trains(trains) => trains.start(),
            Traffic::Client(client) => Some(client.start()),
            Traffic::Requests(requests) => requests.start(),
            Traffic::Bottlenecked(bottlenecked) => Some(bottlenecked.start()),
            Traffic::Outside(offering) => offering.start,
        }
    }

    /// Everything happens so much later. Before the first timer only.
    pub fn postpone(&mut self, by: Duration) {
        match self {
            Traffic::Silent | Traffic::Server(_) => {}
            Traffic::Greedy { start, .. } => *start += by,
            Traffic::Spaced(spaced) => spaced.start += by,
            Traffic::OnOff(on_off) => on_off.postpone(by),
            Traffic::Trains(trains) => trains.postpone(by),
            Traffic::Client(client) => client.postpone(by),
            Traffic::Requests(requests) => requests.postpone(by),
            Traffic::Bottlenecked(bottlenecked) => bottlenecked.postpone(by),
            Traffic::Outside(offering) => offering.postpone(by),
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
            Traffic::Trains(trains) => trains.on_timer(now),
            Traffic::Client(client) => client.on_timer(now),
            Traffic::Requests(requests) => requests.on_timer(now),
            Traffic::Bottlenecked(bottlenecked) => bottlenecked.on_timer(now),
            Traffic::Server(server) => server.on_timer(),
            Traffic::Outside(offering) => offering.on_timer(now),
        }
    }

    /// The limit of a bottlenecked source since its last timer; `None` is without limit, as all
    /// other traffic is.
    pub fn limit(&self) -> Option<Rate> {
        match self {
            Traffic::Bottlenecked(bottlenecked) => bottlenecked.limit(),
            _ => None,
        }
    }

    /// A unit of this client's requests reached its server; the request, when it is complete.
    pub fn on_request_unit(&mut self) -> Option<Request> {
        match self {
            Traffic::Client(client) => client.exchange.on_request_unit(),
            Traffic::Requests(requests) => requests.exchange.on_request_unit(),
            _ => None,
        }
    }

    /// When what is not answered yet was asked for; nothing but of clients.
    pub fn unanswered(&self) -> impl Iterator<Item = Time> + '_ {
        let exchange = match self {
            Traffic::Client(client) => Some(&client.exchange),
            Traffic::Requests(requests) => Some(&requests.exchange),
            _ => None,
        };
        exchange.into_iter().flat_map(Exchange::unanswered)
    }

    /// This server of flow `id` takes a request; the instant its response is ready.
    pub fn serve(&mut self, now: Time, request: Request, seed: u64, id: u32) -> Option<Time> {
        match self {
            Traffic::Server(server) => Some(server.take(now, request, seed, id)),
            _ => None,
        }
    }

    /// A unit of a response reached this client. When it completes one: when that was asked for,
    /// and when to wake the client next.
    pub fn on_response_unit(&mut self, now: Time) -> Option<(Time, Option<Time>)> {
        match self {
            Traffic::Client(client) => client.on_response_unit(now),
            Traffic::Requests(requests) => requests.on_response_unit(now),
            _ => None,
        }
    }
}

/// Refuses what would not let time pass or contradicts itself.
///
/// # Errors
///
/// What is wrong, as the end of a sentence about the flow.
pub fn check(traffic: &TrafficSpec) -> Result<(), String> {
    let zero = Duration::ZERO;
    let stands_still = match *traffic {
        TrafficSpec::Constant { interval, .. } => interval == zero,
        TrafficSpec::Poisson { mean_interval, .. } => mean_interval == zero,
        TrafficSpec::Trains { gap, .. } => gap == zero,
        TrafficSpec::OnOff {
            on_interval,
            off_interval,
            ..
        } => on_interval == zero || off_interval == Some(zero),
        TrafficSpec::Client(client) => client.payload_bytes == 0 || client.request_units == 0,
        TrafficSpec::Requests(requests) => [
            requests.requests,
            requests.request_units,
            requests.response_units,
        ]
        .contains(&0),
        TrafficSpec::Tcp(ref tcp) => tcp.payload_bytes == 0,
        TrafficSpec::Silent
        | TrafficSpec::Greedy { .. }
        | TrafficSpec::Bottlenecked { .. }
        | TrafficSpec::TcpBack
        | TrafficSpec::Server
        | TrafficSpec::Outside(_) => false,
    };
    if stands_still {
        return Err("its traffic needs intervals and sizes above zero".into());
    }
    match *traffic {
        TrafficSpec::Bottlenecked { ref limits, .. } => check_limits(limits),
        TrafficSpec::Poisson {
            mean_interval,
            min_interval,
            ..
        } if min_interval >= mean_interval => Err(format!(
            "a least gap of {min_interval:?} leaves nothing of a mean of {mean_interval:?}"
        )),
        TrafficSpec::Trains { mean_units, .. } if !(1.0..f64::INFINITY).contains(&mean_units) => {
            Err(format!("a train has at least one unit, not {mean_units}"))
        }
        _ => Ok(()),
    }
}

fn check_limits(limits: &[LimitSpec]) -> Result<(), String> {
    if limits.windows(2).any(|pair| pair[0].from >= pair[1].from) {
        return Err("the limits of its traffic must be in order of time, one at a time".into());
    }
    Ok(())
}

/// One unit after each gap: constant rate or Poisson.
pub struct Spaced {
    start: Time,
    gaps: Gaps,
    left: u64,
}

impl Spaced {
    fn new(start: Time, gaps: Gaps, total: Option<u64>) -> Spaced {
        Spaced {
            start,
            gaps,
            left: total.unwrap_or(ENDLESS),
        }
    }

    #[inline]
    fn on_timer(&mut self, now: Time) -> Emission {
        if self.left != ENDLESS {
            self.left -= 1;
        }
        let next = (self.left > 0).then(|| now + self.gaps.next_gap());
        Emission { units: 1, next }
    }
}
