//! Two probes are a probe, and so is one that may be there or not.

use backwater_kernel::Time;

use super::{Cause, FrameView, Gate, Probe};
use crate::frames::Network;

impl<A: Probe, B: Probe> Probe for (A, B) {
    const WATCHES: bool = A::WATCHES || B::WATCHES;
    #[inline]
    fn on_created(&mut self, at: Time, channel: u32, frame: &FrameView) {
        self.0.on_created(at, channel, frame);
        self.1.on_created(at, channel, frame);
    }
    #[inline]
    fn on_joined(&mut self, at: Time, channel: u32, frame: &FrameView, queue_bytes: u64) {
        self.0.on_joined(at, channel, frame, queue_bytes);
        self.1.on_joined(at, channel, frame, queue_bytes);
    }
    #[inline]
    fn on_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        self.0.on_start(at, channel, frame);
        self.1.on_start(at, channel, frame);
    }
    #[inline]
    fn on_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.0.on_sent(at, channel, class, queue_bytes);
        self.1.on_sent(at, channel, class, queue_bytes);
    }
    #[inline]
    fn on_arrival(&mut self, at: Time, channel: u32, frame: &FrameView) {
        self.0.on_arrival(at, channel, frame);
        self.1.on_arrival(at, channel, frame);
    }
    #[inline]
    fn on_drop(&mut self, at: Time, channel: u32, frame: &FrameView, cause: Cause) {
        self.0.on_drop(at, channel, frame, cause);
        self.1.on_drop(at, channel, frame, cause);
    }
    #[inline]
    fn on_delivered(&mut self, at: Time, frame: &FrameView) {
        self.0.on_delivered(at, frame);
        self.1.on_delivered(at, frame);
    }
    #[inline]
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        self.0.on_payload(at, flow, is_forward, bytes);
        self.1.on_payload(at, flow, is_forward, bytes);
    }
    #[inline]
    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.0.on_gate(at, channel, gate, is_stopped);
        self.1.on_gate(at, channel, gate, is_stopped);
    }
    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {
        self.0.after_instant(at, network);
        self.1.after_instant(at, network);
    }
    #[inline]
    fn on_end(&mut self, at: Time, network: &Network) {
        self.0.on_end(at, network);
        self.1.on_end(at, network);
    }
}

/// A probe that is there or not, as the caller decides while the program runs.
impl<P: Probe> Probe for Option<P> {
    const WATCHES: bool = P::WATCHES;
    #[inline]
    fn on_created(&mut self, at: Time, channel: u32, frame: &FrameView) {
        if let Some(probe) = self {
            probe.on_created(at, channel, frame);
        }
    }
    #[inline]
    fn on_joined(&mut self, at: Time, channel: u32, frame: &FrameView, queue_bytes: u64) {
        if let Some(probe) = self {
            probe.on_joined(at, channel, frame, queue_bytes);
        }
    }
    #[inline]
    fn on_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        if let Some(probe) = self {
            probe.on_start(at, channel, frame);
        }
    }
    #[inline]
    fn on_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        if let Some(probe) = self {
            probe.on_sent(at, channel, class, queue_bytes);
        }
    }
    #[inline]
    fn on_arrival(&mut self, at: Time, channel: u32, frame: &FrameView) {
        if let Some(probe) = self {
            probe.on_arrival(at, channel, frame);
        }
    }
    #[inline]
    fn on_drop(&mut self, at: Time, channel: u32, frame: &FrameView, cause: Cause) {
        if let Some(probe) = self {
            probe.on_drop(at, channel, frame, cause);
        }
    }
    #[inline]
    fn on_delivered(&mut self, at: Time, frame: &FrameView) {
        if let Some(probe) = self {
            probe.on_delivered(at, frame);
        }
    }
    #[inline]
    fn on_payload(&mut self, at: Time, flow: u32, is_forward: bool, bytes: u64) {
        if let Some(probe) = self {
            probe.on_payload(at, flow, is_forward, bytes);
        }
    }
    #[inline]
    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        if let Some(probe) = self {
            probe.on_gate(at, channel, gate, is_stopped);
        }
    }
    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {
        if let Some(probe) = self {
            probe.after_instant(at, network);
        }
    }
    #[inline]
    fn on_end(&mut self, at: Time, network: &Network) {
        if let Some(probe) = self {
            probe.on_end(at, network);
        }
    }
}
