//! Errors on the wire: which units are lost, and which control units say something else.

use backwater_kernel::stream::Probability;
use backwater_kernel::{Purpose, Stream, Time};
use backwater_net::spec::ErrorSpec;

use crate::unit::Load;

/// The errors of a channel. A unit's fate is drawn as it starts.
pub(crate) struct Errors {
    spec: ErrorSpec,
    data: Stream,
    control: Stream,
    bits: Stream,
}

fn probability(p: f64) -> Probability {
    Probability::new(p).expect("it is between 0 and 1")
}

impl Errors {
    pub fn new(seed: u64, channel: usize, spec: ErrorSpec) -> Errors {
        let stream = |purpose| Stream::new(seed, channel as u64, purpose);
        Errors {
            spec,
            data: stream(Purpose::DataLoss),
            control: stream(Purpose::ControlLoss),
            bits: stream(Purpose::Corruption),
        }
    }

    /// What a unit that starts now says, and whether it is lost.
    pub fn hit(&mut self, load: Load, now: Time) -> (Load, bool) {
        if now < self.spec.from {
            return (load, false);
        }
        if let Load::Data(_) = load {
            let is_lost = self.data.chance(probability(self.spec.data_loss));
            return (load, is_lost);
        }
        if self.control.chance(probability(self.spec.control_loss)) {
            return (load, true);
        }
        if !self.bits.chance(probability(self.spec.control_corruption)) {
            return (load, false);
        }
        let noise = self.bits.below(256);
        let other = match load {
            Load::Credit(value) => Load::Credit(value ^ noise as i64),
            Load::Ask(value) => Load::Ask(value ^ noise),
            Load::State(value) => Load::State(value ^ noise),
            Load::Warning(bytes, value) => Load::Warning(bytes, value ^ noise),
            Load::Data(_) | Load::Tell(_) => load,
        };
        (other, false)
    }
}
