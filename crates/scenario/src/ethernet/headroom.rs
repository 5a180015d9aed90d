//! Headroom: room above the XOFF threshold for what comes before a stop takes effect.
//!
//! A queue that has just passed its XOFF threshold sends stops to its inputs. From the end of the
//! frame that passed it, or was on the wire then, until the stop takes effect at the other end of
//! input `i`, that end may start more frames, and completes the last of them:
//!
//! ```text
//! H_i = F + M + F      M: most bytes of frames sent, before the last starts, in less than
//!                      T_i = w_i + t_xoff + 2p + r
//!
//! one size:       M = F (ceil(C_i T_i / (8 (F + 20))) - 1)
//! several sizes:  M < C_i T_i / 8 - 20 n      n frames, as few as that takes
//! ```
//!
//! | Symbol | Here |
//! |---|---|
//! | `C_i` | [`Stop::rate`] |
//! | `F` | the largest of [`Stop::sizes`]; 20 bytes of preamble and gap on the wire |
//! | `w_i` | [`Stop::ahead`]: rest of the frame ahead of the stop on the reverse channel |
//! | `t_xoff` | [`Stop::control`]: 84 bytes on the reverse channel |
//! | `2p + r` | [`Stop::away`]: propagation both ways, response, latencies of both nodes |
//!
//! The queue itself goes on sending meanwhile, if nothing can stop it. Second frames of the inputs
//! arrive a whole frame's time after the threshold was passed, and by then a port as fast as its
//! inputs has sent one; [`sent_meanwhile`] counts that. Without it, five inputs at 100 Mbps with
//! frames of 1518 bytes would need 15,180 bytes; with it 14,402 when files end with a frame of
//! 778, and a queue of 50 kB can have its threshold at 70 %. Where all last frames are smaller, the
//! port may not have sent one, and each input has brought so much less.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::WIRE_OVERHEAD_BYTES;

/// One input and the stop that goes to its other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Of the channel frames come over.
    pub rate: Rate,
    /// Of frames that may come.
    pub sizes: Sizes,
    /// Longest time the reverse channel may be busy with a frame when the stop is made.
    pub ahead: Duration,
    /// Time the stop takes on the reverse channel: one frame says all classes.
    pub control: Duration,
    /// From the stop's last bit to its effect, and from the sender's last bit to its arrival.
    pub away: Duration,
}

impl Stop {
    /// Bytes on the wire that pass before the stop takes effect, with a bit to spare; none where it
    /// does at once.
    fn wire_bytes(&self) -> Option<u64> {
        let span = u128::from(self.ahead.0) + u128::from(self.control.0) + u128::from(self.away.0);
        let a_byte = 8 * u128::from(PS_PER_SECOND);
        let bytes = (u128::from(self.rate.0) * span)
            .div_ceil(a_byte)
            .checked_sub(1)?;
        Some(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Most frames that come where all are as large as the largest, the one that passes the
    /// threshold included.
    pub fn frames(&self) -> u64 {
        let wire = u64::from(self.sizes.largest + WIRE_OVERHEAD_BYTES);
        self.wire_bytes()
            .map_or(1, |bytes| (bytes / wire).saturating_add(2))
    }

    /// Most bytes that come.
    pub fn bytes(&self) -> u64 {
        let full = self.frames().saturating_mul(self.sizes.largest.into());
        full.saturating_add(self.left_over())
    }

    /// Bytes that smaller frames bring more than largest ones alone.
    pub fn left_over(&self) -> u64 {
        let overhead = u64::from(WIRE_OVERHEAD_BYTES);
        let [largest, least] = [self.sizes.largest, self.sizes.least].map(u64::from);
        let Some(bytes) = self.wire_bytes().filter(|_| least < largest) else {
            return 0;
        };
        let whole = bytes / (largest + overhead);
        // One frame more than largest ones, if there is room for so many of the least.
        match bytes >= (whole + 1).saturating_mul(least + overhead) {
            true => (bytes % (largest + overhead)).saturating_sub(overhead),
            false => 0,
        }
    }

    /// Time of a frame on the wire.
    pub fn frame_time(&self) -> Duration {
        wire_time(self.rate, self.sizes.largest)
    }
}

/// Time of a frame on the wire, preamble and gap included.
pub fn wire_time(rate: Rate, frame_bytes: u32) -> Duration {
    rate.serialization(u64::from(frame_bytes) + u64::from(WIRE_OVERHEAD_BYTES))
}

/// Sizes of the frames in a queue, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The largest of all.
    pub largest: u32,
    /// The largest below that; 0 if all are of one size.
    pub second: u32,
    /// The least of all.
    pub least: u32,
}

impl Sizes {
    /// Frames from a least to a largest size, and of no size between.
    pub fn two(largest: u32, least: u32) -> Sizes {
        Sizes {
            largest,
            second: if least < largest { least } else { 0 },
            least,
        }
    }

    /// Frames of any size from a least to a largest one.
    pub fn any(largest: u32, least: u32) -> Sizes {
        Sizes {
            second: if least < largest { largest - 1 } else { 0 },
            ..Sizes::two(largest, least)
        }
    }

    /// Those of others, too.
    pub fn add(&mut self, other: Sizes) {
        let all = [self.largest, self.second, other.largest, other.second];
        let largest = self.largest.max(other.largest);
        let smaller = all.into_iter().filter(|bytes| *bytes < largest);
        *self = Sizes {
            largest,
            second: smaller.max().unwrap_or(0),
            least: self.least.min(other.least),
        };
    }
}

/// Bytes that a port which nothing stops is sure to have sent before second frames of its inputs
/// have arrived, or that those are less than assumed: one frame, the least of its queue, if it is
/// fast enough, or what all second frames miss if none is a largest one.
pub fn sent_meanwhile(rate: Rate, sizes: Sizes, inputs: &[Stop]) -> u64 {
    let soonest = inputs.iter().map(Stop::frame_time).min();
    let missed = match sizes.second {
        0 => u64::MAX,
        second => u64::from(sizes.largest - second).saturating_mul(inputs.len() as u64),
    };
    match soonest {
        Some(soonest) if wire_time(rate, sizes.largest) <= soonest => {
            missed.min(sizes.least.into())
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A host on a link of 0.5 us that gets acknowledgements only.
    fn host(mbps: u64, frame_bytes: u32) -> Stop {
        let rate = Rate(mbps * 1_000_000);
        Stop {
            rate,
            sizes: Sizes::two(frame_bytes, frame_bytes),
            ahead: wire_time(rate, 64),
            control: wire_time(rate, 64),
            away: Duration(1_000_000),
        }
    }

    fn needed(inputs: u64, stop: Stop, least: u32) -> u64 {
        let sizes = Sizes::two(stop.sizes.largest, least);
        let stop = Stop { sizes, ..stop };
        let all = vec![stop; inputs as usize];
        let sent = sent_meanwhile(stop.rate, sizes, &all);
        inputs * stop.bytes() - sent
    }

    #[test]
    fn an_idle_reverse_channel_needs_two_frames() {
        for (mbps, bytes) in [(10, 1_082), (100, 1_518), (1_000, 1_518)] {
            let stop = Stop {
                ahead: Duration::ZERO,
                ..host(mbps, bytes)
            };
            assert_eq!(stop.frames(), 2, "{mbps} Mbps");
        }
    }

    #[test]
    fn a_frame_ahead_of_the_stop_lets_one_more_come() {
        let rate = Rate(100_000_000);
        let busy = Stop {
            ahead: wire_time(rate, 1_518),
            ..host(100, 1_518)
        };
        // 1538 + 84 bytes and 1 us on the wire: into the second frame after the first.
        assert_eq!((host(100, 1_518).frames(), busy.frames()), (2, 3));
        let exact = Stop {
            control: Duration::ZERO,
            away: Duration::ZERO,
            ..busy
        };
        assert_eq!(
            exact.frames(),
            2,
            "the next would start just as the stop takes effect"
        );
        let slow = Stop {
            away: Duration(busy.away.0 + 2 * wire_time(rate, 1_518).0),
            ..busy
        };
        assert_eq!(
            slow.frames(),
            5,
            "a response of two frames lets two more come"
        );
    }

    #[test]
    fn long_cables_need_what_fits_on_them() {
        // 10 km at 100 Gbps: 100 us both ways are 1.25 MB, 813 frames of 1538 bytes on the wire.
        let stop = Stop {
            rate: Rate(100_000_000_000),
            sizes: Sizes::two(1_518, 1_518),
            ahead: Duration::ZERO,
            control: Duration::ZERO,
            away: Duration(100_000_000),
        };
        assert_eq!(stop.frames(), 814);
        assert_eq!(stop.bytes(), 814 * 1_518);
    }

    #[test]
    fn the_papers_buffers_hold_five_merging_hosts() {
        let margin = 70_000 - 56_000;
        let stop = host(10, 1_082);
        assert!(needed(5, stop, 1_082) <= margin);
        assert!(needed(8, stop, 1_082) > margin, "eight lose on purpose");
    }

    #[test]
    fn fifty_kilobytes_need_a_threshold_of_seventy_per_cent() {
        let stop = host(100, 1_518);
        // Files of 100 kB end with a frame of 778 bytes.
        for least in [1_518, 778] {
            assert!(needed(5, stop, least) <= 50_000 - 35_000, "70 %");
            assert!(needed(5, stop, least) > 50_000 - 40_000, "80 %");
        }
    }

    #[test]
    fn a_port_slower_than_its_inputs_sends_nothing_in_time() {
        let fast = [host(100, 1_518); 2];
        let one_size = Sizes::two(1_518, 1_518);
        assert_eq!(sent_meanwhile(Rate(10_000_000), one_size, &fast), 0);
        assert_eq!(sent_meanwhile(Rate(100_000_000), one_size, &fast), 1_518);
        let two_sizes = Sizes::two(1_518, 1_500);
        assert_eq!(sent_meanwhile(Rate(100_000_000), two_sizes, &fast), 36);
    }

    /// Every sequence of frames, held against the formula: the most that frames started before the
    /// stop takes effect can bring, after a first one.
    #[test]
    fn no_mixture_of_frames_brings_more() {
        fn most(sizes: &[u32], rate: Rate, left: u64, known: &mut BTreeMap<u64, u64>) -> u64 {
            if left == 0 {
                return 0;
            }
            if let Some(bytes) = known.get(&left) {
                return *bytes;
            }
            let each = sizes.iter().map(|bytes| {
                let after = left.saturating_sub(wire_time(rate, *bytes).0);
                u64::from(*bytes) + most(sizes, rate, after, known)
            });
            let bytes = each.max().unwrap_or(0);
            known.insert(left, bytes);
            bytes
        }
        let sets: [&[u32]; 5] = [
            &[1_518],
            &[1_518, 1_000, 118],
            &[1_200, 1_518],
            &[64, 90],
            &[600],
        ];
        for sizes in sets {
            let (largest, least) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
            for nanoseconds in (0..400).step_by(3) {
                let stop = Stop {
                    rate: Rate(100_000_000_000),
                    sizes: Sizes::two(*largest, *least),
                    ahead: Duration(nanoseconds * 1_000),
                    control: Duration::ZERO,
                    away: Duration::ZERO,
                };
                let seen = u64::from(*largest)
                    + most(sizes, stop.rate, stop.ahead.0, &mut BTreeMap::new());
                assert!(seen <= stop.bytes(), "{sizes:?}, {nanoseconds} ns");
                assert!(
                    sizes.len() > 1 || seen == stop.bytes(),
                    "{sizes:?}, {nanoseconds} ns"
                );
            }
        }
    }

    /// 10 ns to and fro at 100 Gbps, and a full frame ahead of the stop: 97.6 ns of a frame of 1200
    /// bytes fit before a last one starts.
    #[test]
    fn a_smaller_frame_between_lets_a_full_one_follow() {
        let rate = Rate(100_000_000_000);
        let stop = Stop {
            rate,
            sizes: Sizes::two(1_518, 1_518),
            ahead: Duration::ZERO,
            control: wire_time(rate, 64),
            away: Duration(100_000),
        };
        let mixed = Stop {
            sizes: Sizes::two(1_518, 1_200),
            ..stop
        };
        assert_eq!((stop.bytes(), stop.left_over()), (2 * 1_518, 0));
        assert!(mixed.bytes() >= 1_518 + 1_200 + 1_518);
        assert_eq!(mixed.bytes(), 2 * 1_518 + mixed.left_over());
    }
}
