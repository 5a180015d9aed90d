//! Sizes of units, drawn by their shares.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;

use backwater_kernel::stream::{Purpose, Stream};

use crate::spec::shape::SizeShare;

/// All of it, as an integer threshold.
const WHOLE: u64 = 1 << 63;

/// The sizes of one flow's units.
pub struct Sizes {
    /// A draw below the threshold, and not below the one before, gives the size.
    thresholds: Box<[(u64, u32)]>,
    stream: Stream,
    /// Sizes drawn and still needed: of units that may be sent again, then of units that wait
    /// for source control. The first is that of unit `first` of the flow.
    known: VecDeque<u32>,
    first: u32,
}

impl Sizes {
    /// `None` if all units are of one size.
    pub fn new(shares: &[SizeShare], seed: u64, flow: u32) -> Option<Sizes> {
        if shares.is_empty() {
            return None;
        }
        Some(Sizes {
            thresholds: thresholds(shares),
            stream: Stream::new(seed, flow as u64, Purpose::Size),
            known: VecDeque::new(),
            first: 0,
        })
    }

    /// The size of a new unit.
    pub fn draw(&mut self) -> u32 {
        let draw = self.stream.next_u64() >> 1;
        let index = self.thresholds.partition_point(|size| size.0 <= draw);
        self.thresholds[index].1
    }

    /// A unit of this size goes to source control.
    pub fn keep(&mut self, bytes: u32) {
        self.known.push_back(bytes);
    }

    /// The size of the next unit that source control hands over, each once.
    pub fn take_next(&mut self) -> u32 {
        let kept = self.known.pop_front();
        kept.unwrap_or_else(|| self.draw())
    }

    /// The size of unit `number`, which may be asked for again.
    pub fn of(&mut self, number: u32) -> u32 {
        let index = number.wrapping_sub(self.first) as usize;
        while self.known.len() <= index {
            let bytes = self.draw();
            self.known.push_back(bytes);
        }
        self.known[index]
    }

    /// Units before `number` will not be sent again.
    pub fn forget_before(&mut self, number: u32) {
        let count = number.wrapping_sub(self.first) as usize;
        self.known.drain(..count.min(self.known.len()));
        self.first = number;
    }
}

/// What never comes has no threshold; the last one is the whole, however shares were rounded.
fn thresholds(shares: &[SizeShare]) -> Box<[(u64, u32)]> {
    let sum: f64 = shares.iter().map(|size| size.share).sum();
    let possible = shares.iter().filter(|size| size.share > 0.0);
    let mut share = 0.0;
    let mut thresholds: Box<[(u64, u32)]> = possible
        .map(|size| {
            share += size.share / sum;
            ((share * WHOLE as f64) as u64, size.bytes)
        })
        .collect();
    if let Some(last) = thresholds.last_mut() {
        last.0 = WHOLE;
    }
    thresholds
}

/// Refuses sizes that cannot be drawn, or of which the largest is not `unit_bytes`.
///
/// # Errors
///
/// What is wrong, as the end of a sentence about the flow.
pub fn check(sizes: &[SizeShare], unit_bytes: u32) -> Result<(), String> {
    let Some(largest) = sizes.iter().map(|size| size.bytes).max() else {
        return Ok(());
    };
    if sizes.iter().any(|size| size.bytes == 0) {
        return Err("a unit needs at least one byte".into());
    }
    let sum: f64 = sizes.iter().map(|size| size.share).sum();
    let sound = sizes.iter().all(|size| size.share >= 0.0);
    if !sound || !sum.is_finite() || sum <= 0.0 {
        return Err("shares of sizes must not be negative, and one must be above zero".into());
    }
    if largest != unit_bytes {
        return Err(format!(
            "its largest size of {largest} bytes is not its unit of {unit_bytes} bytes"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn sizes(shares: &[(u32, f64)]) -> Sizes {
        let shares: Vec<SizeShare> = shares
            .iter()
            .map(|&(bytes, share)| SizeShare { bytes, share })
            .collect();
        Sizes::new(&shares, 1, 1).expect("there are sizes")
    }

    #[test]
    fn sizes_come_by_their_shares() {
        const DRAWS: usize = 100_000;
        // Against the sum of the shares; 0.3 + 0.1 + 0.2 is not 0.6 in binary.
        let shares = [(64, 0.3), (576, 0.1), (9000, 0.0), (1500, 0.2)];
        let mut sizes = sizes(&shares);
        let drawn: Vec<u32> = (0..DRAWS).map(|_| sizes.draw()).collect();
        for (bytes, share) in shares {
            let p = share / 0.6;
            let found = drawn.iter().filter(|&&one| one == bytes).count() as f64;
            let deviation = (p * (1.0 - p) / DRAWS as f64).sqrt();
            let distance = (found / DRAWS as f64 - p).abs();
            assert!(distance <= 4.0 * deviation, "{bytes}: {distance}");
        }
    }

    #[test]
    fn thresholds_are_shares_of_the_whole() {
        let shares = [(1, 1.0), (2, 2.0), (3, 0.0), (4, 1.0)];
        let found = sizes(&shares).thresholds;
        assert_eq!(*found, [(WHOLE / 4, 1), (WHOLE / 4 * 3, 2), (WHOLE, 4)]);
    }

    #[test]
    fn a_unit_sent_again_has_its_size() {
        let mut sizes = sizes(&[(64, 0.5), (1500, 0.5)]);
        sizes.keep(700);
        let first: Vec<u32> = (0..20).map(|number| sizes.of(number)).collect();
        assert_eq!(first[0], 700);
        let again: Vec<u32> = (0..20).map(|number| sizes.of(number)).collect();
        assert_eq!(first, again);
        sizes.forget_before(15);
        assert_eq!(sizes.of(17), first[17]);
        assert_eq!(sizes.known.len(), 5);
        sizes.forget_before(40);
        assert!(sizes.known.is_empty());
        assert!([64, 1500].contains(&sizes.of(41)));
    }
}
