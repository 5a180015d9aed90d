//! Helpers for cases replayed by hand.

use backwater_ends::tcp::{HostClock, flags};
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Time};

pub const MS: u64 = 1_000_000_000;
pub const MSS: u64 = 1024;

pub fn ms(count: u64) -> Time {
    Time(count * MS)
}

/// Slow ticks at 100, 600, 1100 ms and so on; fast ones at 50, 250, 450.
pub fn clock() -> HostClock {
    HostClock {
        slow_phase: Duration(100 * MS),
        fast_phase: Duration(50 * MS),
    }
}

pub fn endpoint(spec: &TcpSpec) -> Endpoint {
    Endpoint::new(spec, clock(), true)
}

/// A pure acknowledgement.
pub fn ack(spec: &TcpSpec, position: u64) -> Segment {
    Segment {
        ack: position,
        window: spec.window_bytes,
        flags: flags::ACK,
        ..Segment::default()
    }
}

/// The same with blocks.
pub fn sack(spec: &TcpSpec, position: u64, blocks: &[(u64, u64)]) -> Segment {
    let mut segment = ack(spec, position);
    segment.sack[..blocks.len()].copy_from_slice(blocks);
    segment.sack_blocks = blocks.len() as u8;
    segment
}

/// Data.
pub fn data(spec: &TcpSpec, seq: u64, bytes: u32) -> Segment {
    let mut segment = ack(spec, 0);
    segment.seq = seq;
    segment.bytes = bytes;
    segment
}

/// Everything that may go now.
pub fn drain(end: &mut Endpoint, now: Time, spec: &TcpSpec) -> Vec<Segment> {
    let mut out = Vec::new();
    while let Some(segment) = end.poll(now, spec) {
        out.push(segment);
        assert!(out.len() < 10_000, "it never ends");
    }
    out
}

/// The same, as positions in segments of `MSS`.
pub fn numbers(end: &mut Endpoint, now: Time, spec: &TcpSpec) -> Vec<u64> {
    let segments = drain(end, now, spec);
    segments.iter().map(|s| s.seq / MSS).collect()
}

/// An acknowledgement of the first `segments` segments arrives; what goes then.
pub fn acked(end: &mut Endpoint, now: Time, spec: &TcpSpec, segments: u64) -> Vec<u64> {
    end.on_segment(now, spec, &ack(spec, segments * MSS), false);
    numbers(end, now, spec)
}

/// The timer runs out at the instant it named.
pub fn fire(end: &mut Endpoint, spec: &TcpSpec) -> Time {
    let at = end.timer().expect("a timer");
    end.on_timer(at, spec);
    at
}
