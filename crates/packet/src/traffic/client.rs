//! A closed loop: a client walks files on its server, a few look-ups, then reads block by block.
//!
//! Stand-in for the network file system traces of Kung 1993, section 8.1, which are not public:
//! every request waits for think time, a server handles one request at a time, at most
//! `outstanding` reads are under way. Not modelled: retransmission of lost requests.

use alloc::collections::VecDeque;

use kernel::stream::{Purpose, Stream};
use kernel::{Duration, Time};

use super::{Emission, draw};
use crate::spec::{ClientSpec, Span};

/// A request under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Units of the response.
    pub response_units: u32,
    /// Server's time for it.
    pub service: Span,
    /// When the client issued it.
    pub issued: Time,
    /// A look-up, before the file's reads.
    pub is_lookup: bool,
}

/// The client's side.
pub(crate) struct Client {
    spec: ClientSpec,
    lookups_left: u32,
    lookups_unanswered: u32,
    bytes_left: u64,
    under_way: u32,
    thinking: u32,
    /// Issued, not yet complete at the server: units still to come of the first, and all.
    at_server: VecDeque<Request>,
    request_units_left: u32,
    /// Issued, response not yet complete.
    unanswered: VecDeque<Request>,
    response_units_left: u32,
    sizes: Stream,
    think: Stream,
}

impl Client {
    pub fn new(spec: ClientSpec, seed: u64, flow: u32) -> Client {
        let mut client = Client {
            spec,
            lookups_left: 0,
            lookups_unanswered: 0,
            bytes_left: 0,
            under_way: 0,
            thinking: 1,
            at_server: VecDeque::new(),
            request_units_left: 0,
            unanswered: VecDeque::new(),
            response_units_left: 0,
            sizes: Stream::new(seed, flow as u64, Purpose::FileSize),
            think: Stream::new(seed, flow as u64, Purpose::Think),
        };
        client.open_file();
        client
    }

    pub fn start(&self) -> Time {
        self.spec.start
    }

    /// The first request comes so much later.
    pub fn postpone(&mut self, by: Duration) {
        self.spec.start += by;
    }

    fn open_file(&mut self) {
        let median = self.spec.file_median_bytes as f64;
        let bytes = self.sizes.lognormal(median, self.spec.file_sigma);
        self.bytes_left = (bytes as u64).clamp(1, 1 << 40);
        self.lookups_left = self.spec.lookups;
        self.lookups_unanswered = self.spec.lookups;
    }

    /// Thought enough: issue the next request.
    pub fn on_timer(&mut self, now: Time) -> Emission {
        self.thinking -= 1;
        let request = self.next_request(now);
        self.under_way += 1;
        if self.at_server.is_empty() {
            self.request_units_left = self.spec.request_units;
        }
        self.at_server.push_back(request);
        if self.unanswered.is_empty() {
            self.response_units_left = request.response_units;
        }
        self.unanswered.push_back(request);
        Emission {
            units: self.spec.request_units as u64,
            next: self.think_again(now),
        }
    }

    fn next_request(&mut self, issued: Time) -> Request {
        if self.lookups_left > 0 {
            self.lookups_left -= 1;
            let (response_units, service) = (self.spec.lookup_units, self.spec.lookup_service);
            return Request {
                response_units,
                service,
                issued,
                is_lookup: true,
            };
        }
        let bytes = self.bytes_left.min(self.spec.block_bytes as u64);
        self.bytes_left -= bytes;
        let on_wire = bytes + self.spec.header_bytes as u64;
        let response_units = on_wire.div_ceil(self.spec.payload_bytes as u64) as u32;
        Request {
            response_units,
            service: self.spec.read_service,
            issued,
            is_lookup: false,
        }
    }

    /// Starts a think time if another request may be issued after it.
    fn think_again(&mut self, now: Time) -> Option<Time> {
        if self.lookups_left == 0 && self.bytes_left == 0 {
            if self.under_way + self.thinking > 0 {
                return None;
            }
            self.open_file();
        }
        let looking_up = self.lookups_unanswered > 0;
        let allowed = if looking_up { 1 } else { self.spec.outstanding };
        if self.under_way + self.thinking >= allowed {
            return None;
        }
        self.thinking += 1;
        Some(now + draw(self.spec.think, &mut self.think))
    }

    /// A unit of a request reached the server; the request, when it is complete.
    pub fn on_request_unit(&mut self) -> Option<Request> {
        self.request_units_left = self.request_units_left.checked_sub(1)?;
        if self.request_units_left > 0 {
            return None;
        }
        self.request_units_left = self.spec.request_units;
        self.at_server.pop_front()
    }

    /// A unit of a response arrived. When it completes one: when that was issued, and when to
    /// wake the client next.
    pub fn on_response_unit(&mut self, now: Time) -> Option<(Time, Option<Time>)> {
        self.response_units_left = self.response_units_left.checked_sub(1)?;
        if self.response_units_left > 0 {
            return None;
        }
        let answered = self.unanswered.pop_front()?;
        self.response_units_left = self
            .unanswered
            .front()
            .map_or(0, |next| next.response_units);
        self.under_way -= 1;
        self.lookups_unanswered -= answered.is_lookup as u32;
        Some((answered.issued, self.think_again(now)))
    }
}

/// The server's side: one request at a time, in order.
#[derive(Default)]
pub(crate) struct Server {
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
        self.busy_until = begin + draw(request.service, service);
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
