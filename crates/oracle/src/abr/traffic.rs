//! What applications want to send: lists of instants, and closed loops of requests.

use std::collections::VecDeque;

use backwater_net::spec::{NetworkSpec, RequestsSpec, Span, TrafficSpec};

use crate::check::Problem;
use crate::source;

/// What comes to a source at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offer {
    /// So many units; `u64::MAX` is without end.
    Units(u64),
    /// It may send at this rate from here on.
    Limit(u64),
}

/// All that comes to a source whatever the network does, up to the end of the run.
pub(super) fn offers(
    spec: &NetworkSpec,
    flow: usize,
    traffic: &TrafficSpec,
) -> Result<Vec<(u64, Offer)>, Problem> {
    let stop = spec.stop_at.ps();
    let unsupported = |what: &str| Err(Problem::Unsupported(format!("flow {flow}: {what}")));
    let mut list = Vec::new();
    match traffic {
        TrafficSpec::Silent | TrafficSpec::Server | TrafficSpec::Requests(_) => {}
        TrafficSpec::Greedy { start, total } => {
            list.push((start.ps(), Offer::Units(total.unwrap_or(u64::MAX))));
        }
        TrafficSpec::Bottlenecked { start, limits } => {
            list.push((start.ps(), Offer::Units(u64::MAX)));
            for limit in limits {
                let rate = limit.rate.map_or(u64::MAX, |rate| rate.0);
                let from = limit.from.max(*start);
                list.push((from.ps(), Offer::Limit(rate)));
            }
        }
        TrafficSpec::Constant {
            start,
            interval,
            random_phase: false,
            total,
        } => {
            let mut at = start.ps();
            while at <= stop && total.is_none_or(|total| (list.len() as u64) < total) {
                list.push((at, Offer::Units(1)));
                at += interval.ps();
            }
        }
        TrafficSpec::Poisson { .. } => {
            let drawn = source::draw(spec, flow as u64, traffic).into_iter();
            list.extend(drawn.map(|at| (at.ps(), Offer::Units(1))));
        }
        TrafficSpec::OnOff {
            start,
            on: Span::Fixed(on),
            off: Span::Fixed(off),
            on_interval,
            off_interval: None,
        } => {
            let mut burst = start.ps();
            while burst <= stop {
                let mut at = burst;
                while at < burst + on.ps() && at <= stop {
                    list.push((at, Offer::Units(1)));
                    at += on_interval.ps();
                }
                burst += on.ps() + off.ps();
            }
        }
        _ => return unsupported("this kind of traffic"),
    }
    list.sort_by_key(|(at, _)| *at);
    Ok(list)
}

/// A client that sends cycles of requests, and its server.
pub(super) struct Loop {
    spec: RequestsSpec,
    /// When the client offers requests, the earliest first.
    requests: VecDeque<u64>,
    /// When the server has responses ready, the earliest first.
    responses: VecDeque<u64>,
    server_free_ps: u64,
    request_units: u64,
    response_units: u64,
    cycles_begun: u64,
    pub cycles: u64,
}

impl Loop {
    pub fn new(spec: RequestsSpec) -> Loop {
        let mut new = Loop {
            spec,
            requests: VecDeque::new(),
            responses: VecDeque::new(),
            server_free_ps: 0,
            request_units: 0,
            response_units: 0,
            cycles_begun: 0,
            cycles: 0,
        };
        new.begin(spec.start.ps());
        new
    }

    fn begin(&mut self, at_ps: u64) {
        if self.spec.cycles.is_some_and(|all| self.cycles_begun >= all) {
            return;
        }
        self.cycles_begun += 1;
        for request in 0..u64::from(self.spec.requests) {
            let later = request * fixed(self.spec.inter_request);
            self.requests.push_back(at_ps + later);
        }
    }

    /// When the client offers next.
    pub fn next_request(&self) -> Option<u64> {
        self.requests.front().copied()
    }

    /// When the server offers next.
    pub fn next_response(&self) -> Option<u64> {
        self.responses.front().copied()
    }

    /// Units the client offers now.
    pub fn take_requests(&mut self, now_ps: u64) -> u64 {
        taken(&mut self.requests, now_ps) * u64::from(self.spec.request_units)
    }

    /// Units the server offers now.
    pub fn take_responses(&mut self, now_ps: u64) -> u64 {
        taken(&mut self.responses, now_ps) * u64::from(self.spec.response_units)
    }

    /// A unit reached the server.
    pub fn on_request_unit(&mut self, now_ps: u64) {
        self.request_units += 1;
        if self
            .request_units
            .is_multiple_of(u64::from(self.spec.request_units))
        {
            self.server_free_ps = self.server_free_ps.max(now_ps) + fixed(self.spec.service);
            self.responses.push_back(self.server_free_ps);
        }
    }

    /// A unit reached the client.
    pub fn on_response_unit(&mut self, now_ps: u64) {
        self.response_units += 1;
        let cycle = u64::from(self.spec.requests) * u64::from(self.spec.response_units);
        if self.response_units.is_multiple_of(cycle) {
            self.cycles += 1;
            self.begin(now_ps + fixed(self.spec.inter_cycle));
        }
    }
}

/// How many of a list are due; they leave it.
fn taken(list: &mut VecDeque<u64>, now_ps: u64) -> u64 {
    let due = list.iter().take_while(|at| **at <= now_ps).count();
    list.drain(..due);
    due as u64
}

/// A span that is not random.
fn fixed(span: Span) -> u64 {
    match span {
        Span::Fixed(span) => span.ps(),
        Span::Uniform(_) | Span::Exponential(_) => 0,
    }
}

/// Are all its times fixed?
pub(super) fn is_fixed(spec: &RequestsSpec) -> bool {
    let spans = [spec.inter_request, spec.inter_cycle, spec.service];
    spans.iter().all(|span| matches!(span, Span::Fixed(_)))
}
