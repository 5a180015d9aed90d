//! Bursts as segmentation offload makes them: a host hands several segments down at once.
//!
//! Linux's ip-sysctl names the rules: a burst is what the connection sends in about a millisecond
//! (at the rate it is paced at, else 6/5 of the window in a round trip), and on short paths more
//! (`tcp_tso_rtt_log`: the most that the host hands down, halved for each 512 us of the least round
//! trip); at least two segments (`tcp_min_tso_segs`).
//!
//! New data that has room for less than a burst waits for more acknowledgements, unless the room is
//! a third of the window (`tcp_tso_win_divisor`), or nothing went for a millisecond. What waits has
//! two thirds of the window in flight, so acknowledgements come.
//!
//! | [`Queued`] | Then |
//! |---|---|
//! | `Frames` | the segments go one after the other, each in a frame of its own |
//! | `Whole` | they stay together: one drop loses all, one acknowledgement answers all |
//!
//! On the wire each segment of a whole burst still has its headers.

use backwater_kernel::{Duration, Rate, Time};

use crate::spec::{BurstSpec, Queued};

const MS: Duration = Duration(1_000_000_000);
/// `tcp_tso_rtt_log`: 2^9 us halve.
const HALVES: Duration = Duration(512_000_000);
/// `tcp_tso_win_divisor`.
const WINDOW_PARTS: u64 = 3;
/// `tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;

/// The burst that is being handed down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Burst {
    /// It goes at this instant,
    at: Time,
    /// and has room for so many bytes more.
    left: u64,
    /// The window has less room than there is to send, as far as was looked.
    is_limited: bool,
}

/// What may be sent at the moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Of full segments.
    pub(crate) mss: u64,
    /// New data that the windows have room for, and there is.
    pub(crate) bytes: u64,
    /// There is more than that to send.
    pub(crate) has_more: bool,
    /// The smaller of the windows.
    pub(crate) window: u64,
}

impl Burst {
    /// The room that is left in the one that goes now, if that is so many bytes.
    #[inline]
    pub(crate) fn left(&self, now: Time, bytes: u64) -> Option<u64> {
        (self.at == now && self.left >= bytes).then_some(self.left)
    }

    /// One of so many bytes begins.
    pub(crate) fn begin(&mut self, now: Time, bytes: u64) {
        self.at = now;
        self.left = bytes;
    }

    /// There is more to send than the windows have room for, or not.
    pub(crate) fn limits(&mut self, room: Room) {
        self.is_limited = room.has_more;
    }

    /// The window is what limits: it counts as used, though a burst waits for more room.
    pub(crate) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// So many bytes of it go.
    pub(crate) fn take(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }
}

/// How many bytes to hand down at once.
pub(crate) fn size(spec: &BurstSpec, mss: u64, rate: Option<Rate>, least_rtt: Duration) -> u64 {
    let most = u64::from(spec.most_bytes);
    let halvings = least_rtt.ps() / HALVES.ps();
    let short = most.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX));
    let ms = rate.map_or(most, |rate| rate.0 / 8_000);
    let bytes = ms.saturating_add(short.unwrap_or(0)).min(most);
    (bytes / mss).max(LEAST_SEGMENTS) * mss
}

/// Does new data wait for more room? So long ago something was sent.
pub(crate) fn defers(room: Room, size: u64, since_last: Duration) -> bool {
    let is_enough = room.bytes >= size || room.bytes >= room.window / WINDOW_PARTS;
    room.has_more && !is_enough && since_last <= MS
}

/// Payload of one segment that goes as `Whole`, in whole segments unless it is the last.
pub(crate) fn whole(spec: &BurstSpec, left: u64, room: Room) -> Option<u64> {
    let bytes = room.bytes.min(left);
    let cut = if room.has_more || bytes < room.bytes {
        bytes / room.mss * room.mss
    } else {
        bytes
    };
    (spec.queued == Queued::Whole && cut > room.mss).then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1_448;
    const SPEC: BurstSpec = BurstSpec {
        most_bytes: 64_000,
        queued: Queued::Frames,
    };

    fn segments(rate: u64, rtt_us: u64) -> u64 {
        size(&SPEC, MSS, Some(Rate(rate)), Duration(rtt_us * 1_000_000)) / MSS
    }

    #[test]
    fn a_burst_is_a_millisecond_and_more_on_short_paths() {
        assert_eq!(segments(100_000_000, 100_000), 8);
        // 12,500 B and a quarter of the most.
        assert_eq!(segments(100_000_000, 1_100), 19);
        assert_eq!(segments(100_000_000, 500), 44);
        assert_eq!(segments(1_000_000, 100_000), 2);
        assert_eq!(segments(10_000_000_000, 100_000), 44);
    }

    #[test]
    fn less_than_a_burst_waits() {
        let room = |bytes| Room {
            mss: MSS,
            bytes,
            has_more: true,
            window: 30_000,
        };
        assert!(defers(room(9_999), 12_000, MS));
        assert!(!defers(room(9_999), 12_000, Duration(MS.0 + 1)));
        assert!(!defers(room(10_000), 12_000, MS));
        let last = Room {
            has_more: false,
            ..room(10)
        };
        assert!(!defers(last, 12_000, MS));
    }

    #[test]
    fn what_stays_whole_is_cut_at_segments() {
        let whole_spec = BurstSpec {
            queued: Queued::Whole,
            ..SPEC
        };
        let room = |bytes, has_more| Room {
            mss: MSS,
            bytes,
            has_more,
            window: 30_000,
        };
        let left = 10 * MSS;
        assert_eq!(whole(&SPEC, left, room(9_999, true)), None);
        assert_eq!(whole(&whole_spec, left, room(9_999, true)), Some(6 * MSS));
        assert_eq!(whole(&whole_spec, left, room(9_999, false)), Some(9_999));
        assert_eq!(whole(&whole_spec, left, room(50_000, false)), Some(left));
        assert_eq!(whole(&whole_spec, left, room(MSS, true)), None);
    }
}
