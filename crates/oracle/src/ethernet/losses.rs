//! What the wire loses: errors of one frame each, and times at which a channel is cut.

use backwater_kernel::stream::Probability;
use backwater_kernel::{Channels, Duration, Purpose, Stream, Time};
use backwater_net::frames::spec::EthernetSpec;

/// The random numbers of a channel.
pub(super) struct Losses {
    data: Stream,
    control: Stream,
}

impl Losses {
    pub fn new(spec: &EthernetSpec, channel: usize) -> Losses {
        let stream = |purpose| Stream::new(spec.seed, channel as u64, purpose);
        Losses {
            data: stream(Purpose::DataLoss),
            control: stream(Purpose::ControlLoss),
        }
    }

    /// Is a frame lost that starts now and takes `wire` to send? From its start until its last
    /// bit is at the far end the channel must not be cut; then an error may hit it.
    pub fn hit(
        &mut self,
        spec: &EthernetSpec,
        channel: usize,
        (now, wire): (Time, Duration),
        is_control: bool,
    ) -> bool {
        let told = spec.links.channel(channel as u32);
        let there = now + wire + told.delay;
        let mut cuts = spec.outages.iter();
        if cuts.any(|cut| cut.channel as usize == channel && cut.from < there && now < cut.until) {
            return true;
        }
        if now < told.errors.from {
            return false;
        }
        let chance = |p: f64| Probability::new(p).expect("it is between 0 and 1");
        match is_control {
            true => self.control.chance(chance(told.errors.control_loss)),
            false => self.data.chance(chance(told.errors.data_loss)),
        }
    }
}
