//! Every flit on every channel.

use alloc::vec::Vec;

use super::{Crossing, Probe};

/// Collects crossings; the caller takes them between slices of the run.
#[derive(Clone, Debug, Default)]
pub struct TraceProbe {
    crossings: Vec<Crossing>,
}

impl TraceProbe {
    /// What has crossed a channel since the last call, by cycle, then channel.
    pub fn take(&mut self) -> Vec<Crossing> {
        let mut taken = core::mem::take(&mut self.crossings);
        taken.sort_by_key(|crossing| (crossing.cycle, crossing.channel));
        taken
    }
}

impl Probe for TraceProbe {
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.crossings.push(*crossing);
    }
}
