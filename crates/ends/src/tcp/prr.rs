//! Proportional rate reduction: in a recovery the window follows what arrives down to its
//! threshold.
//!
//! RFC 9937 (which takes the place of RFC 6937; Mathis, Cardwell, Cheng, Dukkipati 2025).
//!
//! | RFC 9937 | Here |
//! |---|---|
//! | RecoverFS | `flight`, in flight when the recovery began |
//! | prr_delivered, prr_out | `delivered`, `out` |
//! | DeliveredData, inflight, SafeACK | parameters of `on_ack` |

/// What happened in a recovery so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prr {
    flight: u64,
    delivered: u64,
    out: u64,
}

/// What an acknowledgement in a recovery tells of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivered {
    /// Bytes that arrived, in order or not, that were not known to.
    pub(crate) bytes: u64,
    /// Bytes that are in flight after it.
    pub(crate) in_flight: u64,
    /// It moved the position acknowledged and told of no further loss.
    pub(crate) is_safe: bool,
}

impl Prr {
    /// A recovery begins with so much in flight.
    pub(crate) fn new(flight: u64) -> Prr {
        Prr {
            flight,
            ..Prr::default()
        }
    }

    /// So much went out.
    #[inline]
    pub(crate) fn went(&mut self, bytes: u32) {
        self.out += u64::from(bytes);
    }

    /// The window that this acknowledgement leaves.
    pub(crate) fn on_ack(&mut self, threshold: u64, mss: u64, came: Delivered) -> u64 {
        self.delivered += came.bytes;
        let mut more = if came.in_flight > threshold {
            let share = u128::from(self.delivered) * u128::from(threshold);
            let share = share.div_ceil(u128::from(self.flight.max(1)));
            u64::try_from(share)
                .unwrap_or(u64::MAX)
                .saturating_sub(self.out)
        } else {
            let unsent = self.delivered.saturating_sub(self.out);
            let bound = unsent.max(came.bytes) + if came.is_safe { mss } else { 0 };
            bound.min(threshold - came.in_flight)
        };
        if self.out == 0 {
            // The first segment goes again at once.
            more = more.max(mss);
        }
        came.in_flight + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(bytes: u64, in_flight: u64, is_safe: bool) -> Delivered {
        Delivered {
            bytes,
            in_flight,
            is_safe,
        }
    }

    /// Twenty segments of 100 bytes, the first lost, threshold 14: of each ten that arrive, seven
    /// are replaced; in the end as many are in flight as the threshold says.
    #[test]
    fn seven_of_ten_that_arrive_are_replaced() {
        let mut prr = Prr::new(2_000);
        let (mut flight, mut out) = (1_900, 0);
        for _ in 0..19 {
            flight -= 100;
            let window = prr.on_ack(1_400, 100, came(100, flight, false));
            while flight + 100 <= window {
                prr.went(100);
                (flight, out) = (flight + 100, out + 1);
            }
        }
        assert_eq!((out, flight), (14, 1_400));
        // The repair arrives, and says so.
        let window = prr.on_ack(1_400, 100, came(100, flight - 100, true));
        assert_eq!(window, 1_400);
    }

    /// Below the threshold it is slow start, bound by what arrives, and one more if all is well.
    #[test]
    fn below_the_threshold_it_grows_with_what_arrives() {
        let mut prr = Prr::new(2_000);
        prr.went(100);
        assert_eq!(prr.on_ack(1_400, 100, came(200, 500, false)), 500 + 200);
        assert_eq!(prr.on_ack(1_400, 100, came(100, 500, true)), 500 + 300);
        assert_eq!(prr.on_ack(1_400, 100, came(100, 1_350, true)), 1_400);
    }
}
