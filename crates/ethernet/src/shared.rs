//! A shared memory with dynamic thresholds (Choudhury and Hahne 1998), reserves and headroom, as
//! in the switches of today's lossless fabrics.
//!
//! Not modelled: cells of the memory (bytes count as they are), memory split between pipelines.

use crate::network::Input;
use crate::probe::Cause;
use crate::spec::{Ratio, SharedSpec};

/// The memory of a switch.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    spec: SharedSpec,
    /// What is neither reserve nor headroom.
    shared_bytes: u64,
    used_bytes: u64,
    used_headroom_bytes: u64,
}

impl Shared {
    /// `inputs` is the number of ports times classes. `None` if reserves and headroom are more
    /// than there is.
    pub fn new(spec: SharedSpec, inputs: u64) -> Option<Shared> {
        let apart = inputs
            .checked_mul(spec.reserve_bytes)?
            .checked_add(spec.pool_bytes)?;
        Some(Shared {
            spec,
            shared_bytes: spec.bytes.checked_sub(apart)?,
            used_bytes: 0,
            used_headroom_bytes: 0,
        })
    }

    /// What an input, or a queue, may hold of the shared part now.
    fn threshold(&self, alpha: Ratio) -> u64 {
        let free = self.shared_bytes - self.used_bytes;
        let wide = u128::from(free) * u128::from(alpha.numerator) / u128::from(alpha.denominator);
        wide.min(u128::from(u64::MAX)) as u64
    }

    /// Takes a frame of `bytes` in: in the reserve and the shared part, or (if `is_lossless`) as
    /// a whole in the headroom. `queue_bytes` is what its output queue holds.
    pub fn admit(
        &mut self,
        input: &mut Input,
        is_lossless: bool,
        queue_bytes: u64,
        bytes: u64,
    ) -> Result<(), Cause> {
        let held = input.bytes - input.headroom_bytes;
        let after = (held + bytes).saturating_sub(self.spec.reserve_bytes);
        if after == 0 {
            return Ok(());
        }
        let more = after - input.shared_bytes;
        let may_share =
            after <= self.threshold(self.spec.alpha) && self.used_bytes + more <= self.shared_bytes;
        let fits_queue =
            is_lossless || queue_bytes + bytes <= self.threshold(self.spec.output_alpha);
        if may_share && fits_queue {
            input.shared_bytes = after;
            self.used_bytes += more;
            Ok(())
        } else if is_lossless {
            self.admit_to_headroom(input, bytes)
        } else {
            Err(Cause::MemoryFull)
        }
    }

    fn admit_to_headroom(&mut self, input: &mut Input, bytes: u64) -> Result<(), Cause> {
        let fits = input.headroom_bytes + bytes <= self.spec.headroom_bytes
            && self.used_headroom_bytes + bytes <= self.spec.pool_bytes;
        if !fits {
            return Err(Cause::InputFull);
        }
        input.headroom_bytes += bytes;
        self.used_headroom_bytes += bytes;
        Ok(())
    }

    /// A frame of the input has left: headroom is freed first, the reserve last.
    pub fn leave(&mut self, input: &mut Input, bytes: u64) {
        let headroom = bytes.min(input.headroom_bytes);
        let shared = (bytes - headroom).min(input.shared_bytes);
        input.headroom_bytes -= headroom;
        input.shared_bytes -= shared;
        self.used_headroom_bytes -= headroom;
        self.used_bytes -= shared;
    }

    /// Must the neighbour at this input stop?
    pub fn is_above(&self, input: &Input) -> bool {
        input.headroom_bytes > 0 || input.shared_bytes > self.threshold(self.spec.alpha)
    }

    /// May it go on?
    pub fn is_below(&self, input: &Input) -> bool {
        let held = input.shared_bytes + self.spec.resume_offset_bytes;
        input.headroom_bytes == 0
            && (input.shared_bytes == 0 || held <= self.threshold(self.spec.alpha))
    }
}
