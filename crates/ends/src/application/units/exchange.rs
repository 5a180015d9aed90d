//! Requests under way, and the server that answers them one at a time.
//!
//! Units carry no payload: what a unit belongs to follows from its place, as requests and
//! responses stay in order. So a unit that is lost shifts all that follow; not modelled is anybody
//! who asks again.

use alloc::collections::VecDeque;

use backwater_kernel::Time;
use backwater_kernel::stream::{Purpose, Stream};

use super::Emission;
use crate::spec::Span;

/// A request under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Units of the response.
    pub response_units: u32,
    /// Server's time for it.
    pub service: Span,
    /// When the client issued it.
    pub issued: Time,
}

/// What one client has asked for and not yet got.
pub struct Exchange {
    request_units: u32,
    /// Issued, not yet complete at the server: units still to come of the first, and all.
    at_server: VecDeque<Request>,
    request_units_left: u32,
    /// Issued, response not yet complete.
    unanswered: VecDeque<Request>,
    response_units_left: u32,
}

impl Exchange {
    /// Nothing is under way; each request has so many units.
    pub fn new(request_units: u32) -> Exchange {
        Exchange {
            request_units,
            at_server: VecDeque::new(),
            request_units_left: 0,
            unanswered: VecDeque::new(),
            response_units_left: 0,
        }
    }

    /// The client issues a request.
    pub fn issue(&mut self, request: Request) {
        if self.at_server.is_empty() {
            self.request_units_left = self.request_units;
        }
        self.at_server.push_back(request);
        if self.unanswered.is_empty() {
            self.response_units_left = request.response_units;
        }
        self.unanswered.push_back(request);
    }

    /// A unit of a request reached the server; the request, when it is complete.
    pub fn on_request_unit(&mut self) -> Option<Request> {
        self.request_units_left = self.request_units_left.checked_sub(1)?;
        if self.request_units_left > 0 {
            return None;
        }
        self.request_units_left = self.request_units;
        self.at_server.pop_front()
    }

    /// A unit of a response reached the client; the request it answers, when it is complete.
    pub fn on_response_unit(&mut self) -> Option<Request> {
        self.response_units_left = self.response_units_left.checked_sub(1)?;
        if self.response_units_left > 0 {
            return None;
        }
        let answered = self.unanswered.pop_front()?;
        let next = self.unanswered.front();
        self.response_units_left = next.map_or(0, |next| next.response_units);
        Some(answered)
    }

    /// When what is not there yet was asked for.
    pub fn unanswered(&self) -> impl Iterator<Item = Time> + '_ {
        self.unanswered.iter().map(|request| request.issued)
    }

    /// Everything asked for is there.
    pub fn is_answered(&self) -> bool {
        self.unanswered.is_empty()
    }
}

/// The server's side: one request at a time, in order.
#[derive(Default)]
pub struct Server {
    busy_until: Time,
    ready_units: VecDeque<u32>,
    service: Option<Stream>,
}

impl Server {
    /// Takes a request; the instant its response is ready.
    pub fn take(&mut self, now: Time, request: Request, seed: u64, flow: u32) -> Time {
        let service = self
            .service
            .get_or_insert_with(|| Stream::new(seed, flow as u64, Purpose::Service));
        let begin = self.busy_until.max(now);
        self.busy_until = begin + request.service.draw(service);
        self.ready_units.push_back(request.response_units);
        self.busy_until
    }

    /// The oldest response is ready.
    pub fn on_timer(&mut self) -> Emission {
        let units = self.ready_units.pop_front().unwrap_or(0);
        Emission {
            units: units as u64,
            next: None,
        }
    }
}
