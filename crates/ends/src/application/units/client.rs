//! A closed loop: a client walks files on its server, a few look-ups, then reads block by block.
//!
//! Stand-in for the network file system traces of Kung 1993, section 8.1, which are not public:
//! every request waits for think time, a server handles one request at a time, at most
//! `outstanding` reads are under way. Not modelled: retransmission of lost requests.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Time};

use super::{Emission, Exchange, Request};
use crate::spec::units::ClientSpec;

/// The client's side.
pub struct Client {
    spec: ClientSpec,
    lookups_left: u32,
    lookups_unanswered: u32,
    bytes_left: u64,
    under_way: u32,
    thinking: u32,
    pub exchange: Exchange,
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
            exchange: Exchange::new(spec.request_units),
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
        self.exchange.issue(request);
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
        Some(now + self.spec.think.draw(&mut self.think))
    }

    /// A unit of a response arrived. When it completes one: when that was issued, and when to
    /// wake the client next.
    pub fn on_response_unit(&mut self, now: Time) -> Option<(Time, Option<Time>)> {
        let answered = self.exchange.on_response_unit()?;
        self.under_way -= 1;
        // A file's look-ups are issued first, and so answered first.
        self.lookups_unanswered = self.lookups_unanswered.saturating_sub(1);
        Some((answered.issued, self.think_again(now)))
    }
}
