//! Headroom: room above the XOFF threshold for what comes before a stop takes effect.
//!
//! A queue that has just passed its XOFF threshold sends stops to its inputs. From then until the
//! stop takes effect at the other end of input `i`, that end may start more frames, and the one
//! it had begun completes:
//!
//! ```text
//! frames_i <= 1 + ceil(C_i (w_i + t_xoff + 2p + r) / (8 (F + 20)))        H_i = frames_i F
//! ```
//!
//! | Symbol | Here |
//! |---|---|
//! | `C_i` | [`Stop::rate`] |
//! | `F` | [`Stop::frame_bytes`]; 20 bytes of preamble and gap on the wire |
//! | `w_i` | [`Stop::ahead`]: rest of the frame ahead of the stop on the reverse channel |
//! | `t_xoff` | [`Stop::control`]: 84 bytes on the reverse channel, for each stop said at once |
//! | `2p + r` | [`Stop::away`]: propagation both ways, response, latencies of both nodes |
//!
//! The frame that passes the threshold is one of those counted. Frames are taken to have one
//! size; a mixture can come closer to the end of the last by less than one frame.
//!
//! The queue itself goes on sending meanwhile, if nothing can stop it. Second frames of the inputs
//! arrive a whole frame's time after the threshold was passed, and by then a port as fast as its
//! inputs has sent one; [`sent_meanwhile`] counts that. Without it, five inputs at 100 Mbps with
//! frames of 1518 bytes would need 15,180 bytes; with it 14,402 when files end with a frame of
//! 778, and a queue of 50 kB can have its threshold at 70 %.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::WIRE_OVERHEAD_BYTES;

/// One input and the stop that goes to its other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Of the channel frames come over.
    pub rate: Rate,
    /// Largest frame that may come, bytes.
    pub frame_bytes: u32,
    /// Longest time the reverse channel may be busy with a frame when the stop is made.
    pub ahead: Duration,
    /// Time the stop takes on the reverse channel, and those of other classes said just before.
    pub control: Duration,
    /// From the stop's last bit to its effect, and from the sender's last bit to its arrival.
    pub away: Duration,
}

impl Stop {
    /// Most frames that come, the one that passes the threshold included.
    pub fn frames(&self) -> u64 {
        let span = u128::from(self.ahead.0) + u128::from(self.control.0) + u128::from(self.away.0);
        let wire_bits = 8 * u128::from(self.frame_bytes + WIRE_OVERHEAD_BYTES);
        let one = wire_bits * u128::from(PS_PER_SECOND);
        let more = (u128::from(self.rate.0) * span).div_ceil(one);
        u64::try_from(more).unwrap_or(u64::MAX - 1) + 1
    }

    /// Bytes of those frames.
    pub fn bytes(&self) -> u64 {
        self.frames().saturating_mul(u64::from(self.frame_bytes))
    }

    /// Time of a frame on the wire.
    pub fn frame_time(&self) -> Duration {
        wire_time(self.rate, self.frame_bytes)
    }
}

/// Time of a frame on the wire, preamble and gap included.
pub fn wire_time(rate: Rate, frame_bytes: u32) -> Duration {
    rate.serialization(u64::from(frame_bytes) + u64::from(WIRE_OVERHEAD_BYTES))
}

/// Bytes that a port which nothing stops is sure to have sent before second frames of its inputs
/// arrive: one frame, the least of its queue, if it is fast enough.
pub fn sent_meanwhile(rate: Rate, largest_bytes: u32, least_bytes: u32, inputs: &[Stop]) -> u64 {
    let soonest = inputs.iter().map(Stop::frame_time).min();
    match soonest {
        Some(soonest) if wire_time(rate, largest_bytes) <= soonest => u64::from(least_bytes),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A host on a link of 0.5 us that gets acknowledgements only.
    fn host(mbps: u64, frame_bytes: u32) -> Stop {
        let rate = Rate(mbps * 1_000_000);
        Stop {
            rate,
            frame_bytes,
            ahead: wire_time(rate, 64),
            control: wire_time(rate, 64),
            away: Duration(1_000_000),
        }
    }

    fn needed(inputs: u64, stop: Stop, least: u32) -> u64 {
        let all = vec![stop; inputs as usize];
        let sent = sent_meanwhile(stop.rate, stop.frame_bytes, least, &all);
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
            frame_bytes: 1_518,
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
        let fast = [host(100, 1_518)];
        assert_eq!(sent_meanwhile(Rate(10_000_000), 1_518, 1_518, &fast), 0);
        assert_eq!(
            sent_meanwhile(Rate(100_000_000), 1_518, 1_518, &fast),
            1_518
        );
    }
}
