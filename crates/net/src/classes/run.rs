//! What a run of routed units keeps beside the network.

use alloc::vec::Vec;

use backwater_ends::application::Outgoing;
use backwater_ends::control::Telemetry;
use backwater_kernel::{Duration, Stream, Time};

use crate::classes::Underway;
use crate::classes::shape::Form;
use crate::outcome::Standstill;

/// What a run of routed units keeps beside the network.
#[derive(Default)]
pub(crate) struct ByClass {
    /// For what networks the code is compiled that runs it.
    pub form: Form,
    /// Everything up to here has happened.
    pub reached: Time,
    /// Frames that stations make, on their way to their ports.
    pub outgoing: Vec<Outgoing>,
    /// What switches wrote into the packet that has just come to its station.
    pub path: Vec<Telemetry>,
    /// Flows without a row that have just got a slot: number and place.
    pub opened: Vec<(u32, u32)>,
    /// Ways whose port asks for their next frame.
    pub pulled: Vec<u32>,
    /// Arrivals of one instant at one switch, by hash.
    pub crowd: Vec<(u64, u32)>,
    /// Channels on which frames arrive at one instant, in the order of their turns.
    pub arrivals: Vec<u32>,
    /// Random choices of what to stop, by queue; empty where none makes any.
    pub selection: Vec<Option<Stream>>,
    pub stall_after: Duration,
    /// Data hops when a standstill was last looked for.
    pub data_hops_before: u64,
    pub standstill: Option<Standstill>,
    /// Nothing is left that could cause anything; the timers still set are left over.
    pub is_drained: bool,
    /// The flow that kept the run alive when that was last asked.
    pub lively: u32,
    pub control_hops: u64,
    /// Control frames made so far.
    pub controls_made: u64,
    /// How long each class of each channel was stopped before the warm-up ended.
    pub stopped_before: Vec<Duration>,
    /// Control frames each channel had sent by then.
    pub control_before: Vec<(u64, u64)>,
    /// What each channel was sending then.
    pub underway_before: Vec<Underway>,
}

impl ByClass {
    /// It found a standstill, or nothing is left to do.
    pub fn is_over(&self) -> bool {
        self.is_drained || self.standstill.is_some()
    }
}
