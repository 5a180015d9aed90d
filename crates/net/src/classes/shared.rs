//! A shared memory with dynamic thresholds (Choudhury and Hahne 1998), reserves and headroom, as
//! in the switches of today's lossless fabrics.
//!
//! Not modelled: cells of the memory (bytes count as they are), memory split between pipelines.

use crate::classes::input::Input;
use crate::outcome::LossCause;
use crate::spec::frames::{Ratio, SharedSpec};

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
    ) -> Result<(), LossCause> {
        let held = input.bytes - input.headroom_bytes;
        let after = (held + bytes).saturating_sub(self.spec.reserve_bytes);
        if after == 0 {
            return Ok(());
        }
        let more = after - input.shared_bytes;
        let may_share =
            after <= self.threshold(self.spec.alpha) && self.used_bytes + more <= self.shared_bytes;
        let fits_queue = is_lossless || self.fits_output(queue_bytes + bytes);
        if may_share && fits_queue {
            input.shared_bytes = after;
            self.used_bytes += more;
            Ok(())
        } else if is_lossless {
            self.admit_to_headroom(input, bytes)
        } else {
            Err(self.refusal(input, bytes))
        }
    }

    /// What a frame of a class without back-pressure is refused by that does not fit.
    pub fn refusal(&self, input: &Input, bytes: u64) -> LossCause {
        let held = input.bytes - input.headroom_bytes;
        let after = (held + bytes).saturating_sub(self.spec.reserve_bytes);
        let more = after - input.shared_bytes;
        match self.used_bytes + more <= self.shared_bytes {
            true => LossCause::Threshold,
            false => LossCause::Pool,
        }
    }

    /// May a queue that holds `queue_bytes` take a frame of a class without back-pressure? It may
    /// where the frame fits into the reserve of its input.
    pub fn fits_queue(&self, input: &Input, queue_bytes: u64, bytes: u64) -> bool {
        let held = input.bytes - input.headroom_bytes;
        held + bytes <= self.spec.reserve_bytes || self.fits_output(queue_bytes + bytes)
    }

    fn fits_output(&self, queue_bytes: u64) -> bool {
        queue_bytes <= self.threshold(self.spec.output_alpha)
    }

    fn admit_to_headroom(&mut self, input: &mut Input, bytes: u64) -> Result<(), LossCause> {
        let fits = input.headroom_bytes + bytes <= self.spec.headroom_bytes
            && self.used_headroom_bytes + bytes <= self.spec.pool_bytes;
        if !fits {
            return Err(LossCause::Buffer);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 10,000 bytes to share besides reserves of 1,000 for each of two inputs and a pool of 600.
    fn memory(alpha: (u32, u32), output_alpha: (u32, u32)) -> Shared {
        let ratio = |(numerator, denominator)| Ratio {
            numerator,
            denominator,
        };
        let spec = SharedSpec {
            bytes: 12_600,
            reserve_bytes: 1_000,
            headroom_bytes: 400,
            pool_bytes: 600,
            alpha: ratio(alpha),
            output_alpha: ratio(output_alpha),
            resume_offset_bytes: 1_000,
        };
        Shared::new(spec, 2).expect("reserves fit")
    }

    fn input() -> Input {
        Input {
            bytes: 0,
            high_bytes: u64::MAX,
            low_bytes: 0,
            limit_bytes: u64::MAX,
            most_bytes: 0,
            shared_bytes: 0,
            headroom_bytes: 0,
            is_congested: false,
        }
    }

    /// Takes a frame in, and counts it at the input.
    fn take(memory: &mut Shared, input: &mut Input, is_lossless: bool, bytes: u64) -> bool {
        let is_in = memory.admit(input, is_lossless, 0, bytes).is_ok();
        input.bytes += if is_in { bytes } else { 0 };
        is_in
    }

    #[test]
    fn an_input_may_hold_its_threshold_and_no_byte_more() {
        for (bytes, fits) in [(1_000 + 5_000, true), (1_000 + 5_001, false)] {
            let mut memory = memory((1, 2), (8, 1));
            assert_eq!(take(&mut memory, &mut input(), false, bytes), fits);
            let used = if fits { 5_000 } else { 0 };
            assert_eq!(memory.used_bytes, used);
        }
    }

    #[test]
    fn what_is_free_can_be_used_up() {
        for (bytes, fits) in [(11_000, true), (11_001, false)] {
            let mut memory = memory((8, 1), (8, 1));
            assert_eq!(take(&mut memory, &mut input(), false, bytes), fits);
        }
    }

    #[test]
    fn a_queue_may_hold_its_threshold_but_for_what_is_in_the_reserve() {
        // A quarter of 10,000 bytes.
        for (queue_bytes, fits) in [(500, true), (501, false)] {
            let mut memory = memory((8, 1), (1, 4));
            let found = memory.admit(&mut input(), false, queue_bytes, 2_000);
            assert_eq!(found.is_ok(), fits);
        }
        let mut memory = memory((8, 1), (1, 4));
        assert!(memory.admit(&mut input(), false, 9_000, 1_000).is_ok());
        assert!(memory.admit(&mut input(), false, 9_000, 1_001).is_err());
    }

    #[test]
    fn headroom_ends_at_that_of_the_input_and_at_the_pool() {
        let mut memory = memory((0, 1), (8, 1));
        let (mut one, mut other) = (input(), input());
        assert!(take(&mut memory, &mut one, true, 1_000), "the reserve");
        assert!(!take(&mut memory, &mut one, true, 401));
        assert!(take(&mut memory, &mut one, true, 400));
        assert!(take(&mut memory, &mut other, true, 1_000), "the reserve");
        assert!(!take(&mut memory, &mut other, true, 201));
        assert!(take(&mut memory, &mut other, true, 200));
        assert!(memory.is_above(&one) && memory.is_above(&other));
        // Headroom is freed first, then the shared part, then the reserve.
        memory.leave(&mut one, 300);
        assert_eq!((one.headroom_bytes, memory.used_headroom_bytes), (100, 300));
        memory.leave(&mut one, 300);
        assert_eq!((one.headroom_bytes, memory.used_headroom_bytes), (0, 200));
    }

    #[test]
    fn it_is_stopped_above_and_resumed_an_offset_below_its_threshold() {
        // Alpha 1: as much as is free. Used, is it above, is it an offset below?
        let cases = [(5_001, true, false), (5_000, false, false)];
        let more = [(4_501, false, false), (4_500, false, true)];
        for (used, is_above, is_below) in cases.into_iter().chain(more) {
            let mut memory = memory((1, 1), (8, 1));
            let mut input = input();
            assert!(take(&mut memory, &mut input, true, 1_000 + used));
            let found = (memory.is_above(&input), memory.is_below(&input));
            assert_eq!(found, (is_above, is_below), "{used} bytes");
        }
    }

    #[test]
    fn an_input_that_holds_nothing_shared_is_resumed_whatever_the_threshold() {
        let mut memory = memory((0, 1), (8, 1));
        let mut input = input();
        assert!(take(&mut memory, &mut input, true, 1_000));
        assert!(memory.is_below(&input));
        assert!(take(&mut memory, &mut input, true, 1));
        assert!(!memory.is_below(&input), "it is in the headroom");
    }
}
