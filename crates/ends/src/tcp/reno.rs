//! The window of 4.3BSD Reno to 4.4BSD.
//!
//! Jacobson (1988), *Congestion avoidance and control*; Wright and Stevens (1995), *TCP/IP
//! Illustrated, Volume 2*, sections 25.11 and 29.4; RFC 5681.
//!
//! | Symbol | Here |
//! |---|---|
//! | cwnd, ssthresh | `cwnd`, `ssthresh`, bytes |
//! | snd_wnd | the peer's window, part of `limit` |
//!
//! Each acknowledgement of new data adds one MSS while `cwnd <= ssthresh` (slow start), whatever
//! it acknowledges, else `MSS * MSS / cwnd` and, with the term that BSD added by mistake, `MSS /
//! 8` (congestion avoidance). Quotients round down; at least one byte is added.

/// What an acknowledgement of new data adds to the window, bytes.
pub(crate) fn growth(mss: u64, cwnd: u64, ssthresh: u64, eighth: bool) -> u64 {
    if cwnd <= ssthresh {
        return mss;
    }
    let extra = if eighth { mss / 8 } else { 0 };
    (mss * mss / cwnd.max(1) + extra).max(1)
}

/// The threshold after a loss: half of `limit = min(wnd, cwnd)` in whole segments, at least two.
pub(crate) fn half(mss: u64, limit: u64) -> u64 {
    (limit / 2 / mss).max(2) * mss
}
