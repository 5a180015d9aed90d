//! Once round a link: from the start of a frame until an update that knows that it has left the
//! switch again takes effect.

use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::{EthernetSpec, LaneSpec, Owner, Shares, wire_bytes};

use super::super::way::{away, wire};
use super::Profile;

/// Once round for the largest frames of a class.
pub(super) struct Round {
    /// What the frame costs.
    pub cost: u32,
    /// Its time on the wire.
    frame: Duration,
    /// With nothing in the way.
    least: Duration,
    /// Kept apart from the update before, or waiting for an idle link for as long as it may, behind
    /// one frame, and stored for as long as one takes.
    most: Duration,
}

impl Round {
    pub fn new(
        network: &EthernetSpec,
        id: u32,
        (largest, all): (u32, u32),
        own: &Profile,
    ) -> Round {
        let back = id ^ 1;
        let frame = wire(network, id, largest);
        let rate = network.links.channel(back).rate;
        let update = rate.serialization(wire_bytes(own.update.bytes).into());
        let least = frame + away(network, id) + update + away(network, back);
        let lane = LaneSpec {
            limit_units: 0,
            reserve_units: 0,
            shares: Shares::Nothing,
        };
        let longest = own
            .update
            .at_least_every
            .filter(|_| own.update.waits_for_idle);
        let spacing = longest.unwrap_or(own.update.spacing);
        let kept_apart = match spacing <= frame {
            true => Duration::ZERO,
            false => spacing,
        };
        Round {
            cost: own.credit(Owner::Class, lane).cost(largest.into()),
            frame,
            least,
            most: least + frame + kept_apart + wire(network, back, all),
        }
    }

    /// Credits that keep the link busy.
    pub fn full(&self, profile: &Profile) -> u32 {
        let frames = self.most.0.div_ceil(self.frame.0.max(1));
        let credits =
            u64::from(self.cost).saturating_mul(frames) + u64::from(profile.untold(self.cost));
        u32::try_from(credits).unwrap_or(u32::MAX)
    }

    /// The most of the link that this many credits are good for.
    pub fn share(&self, credits: u32, profile: &Profile) -> f64 {
        let frames = credits.saturating_sub(profile.untold(self.cost)) / self.cost;
        f64::from(frames) * self.frame.0 as f64 / self.least.0.max(1) as f64
    }
}
