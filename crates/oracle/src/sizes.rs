//! The sizes of units.

use backwater_kernel::{Purpose, Stream};
use backwater_net::spec::{FlowSpec, SizeShare};

/// The sizes of a flow's units, each drawn in turn.
pub(crate) struct Sizes {
    unit_bytes: u64,
    shares: Vec<SizeShare>,
    stream: Stream,
}

impl Sizes {
    pub fn new(seed: u64, flow: u64, spec: &FlowSpec) -> Sizes {
        Sizes {
            unit_bytes: u64::from(spec.unit_bytes),
            shares: spec.sizes.clone(),
            stream: Stream::new(seed, flow, Purpose::Size),
        }
    }

    /// The size of the next unit. A draw of 63 bits, taken as a fraction, falls into one of the
    /// shares; they are laid out one behind the other.
    pub fn draw(&mut self) -> u64 {
        let Some(last) = self.shares.last() else {
            return self.unit_bytes;
        };
        let draw = self.stream.next_u64() >> 1;
        let sum: f64 = self.shares.iter().map(|size| size.share).sum();
        let mut below = 0.0;
        for size in &self.shares {
            below += size.share / sum;
            if draw < (below * (1_u64 << 63) as f64) as u64 {
                return u64::from(size.bytes);
            }
        }
        u64::from(last.bytes)
    }
}
