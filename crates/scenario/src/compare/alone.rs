//! How long a burst, or a request with its response, takes on an idle network: what slowdowns are
//! held against, the same for all schemes.

use backwater_kernel::Duration;

use super::unit::{self, Unit};
use super::{ComparedFlow, ComparedTraffic, Comparison};

impl Comparison {
    /// The least time of a message of this flow; nothing where it has none. In full frames and a
    /// last one, back to back, store and forward, from the first bit at the source to the last bit
    /// at the other end.
    pub fn alone(&self, flow: &ComparedFlow) -> Option<Duration> {
        let back = || flow.path.iter().rev().map(|channel| channel ^ 1);
        match flow.traffic {
            ComparedTraffic::Greedy { .. } | ComparedTraffic::Constant { .. } => None,
            ComparedTraffic::Bursts { bytes, .. } => self.carried(flow.path.iter().copied(), bytes),
            ComparedTraffic::Requests {
                request, response, ..
            } => {
                let there = self.carried(flow.path.iter().copied(), request)?;
                there.checked_add(self.carried(back(), response)?)
            }
        }
    }

    fn carried(&self, path: impl Iterator<Item = u32>, payload: u64) -> Option<Duration> {
        let full = Unit::Frame.count(payload) - 1;
        let last = unit::frame_wire_bytes(payload - full * Unit::Frame.payload_bytes());
        // Starts of the first frame and of the last on a channel; full frames are so far apart.
        let (mut first_ps, mut last_ps, mut apart_ps) = (0u64, 0u64, 0u64);
        for channel in path {
            let rate = *self.rates.get(channel as usize)?;
            let delay = self.network.links.get(channel as usize / 2)?.delay;
            let whole = rate.serialization(Unit::Frame.wire_bytes()).ps();
            apart_ps = apart_ps.max(whole);
            if full > 0 {
                let others = (full - 1).checked_mul(apart_ps)?;
                let free = first_ps.checked_add(others)?.checked_add(whole)?;
                last_ps = last_ps.max(free);
            }
            first_ps = first_ps.checked_add(whole)?.checked_add(delay.ps())?;
            let reach = rate.serialization(last).ps().checked_add(delay.ps())?;
            last_ps = last_ps.checked_add(reach)?;
        }
        Some(Duration(last_ps))
    }
}
