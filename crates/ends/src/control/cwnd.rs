//! The window that the schemes of TCP share: slow start up to a threshold, then something slower.

use super::hooks::Control;
use crate::spec::TcpSpec;

/// cwnd and ssthresh, bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cwnd {
    /// Congestion window.
    pub(crate) bytes: u64,
    /// Slow start up to here.
    pub(crate) threshold: u64,
    /// A full segment.
    pub(crate) mss: u64,
    /// As a connection begins.
    first: u64,
    /// The receiver's window: more is of no use, so cwnd grows no further (BSD: `TCP_MAXWIN`).
    most: u64,
}

/// A scheme that has a [`Cwnd`]: others can be put on top of it.
pub(crate) trait HasCwnd: Control {
    /// It.
    fn cwnd(&mut self) -> &mut Cwnd;
}

impl Cwnd {
    /// As a connection begins: `initial_window_segments`, no threshold.
    pub(crate) fn new(spec: &TcpSpec) -> Cwnd {
        let mss = u64::from(spec.mss_bytes);
        let first = u64::from(spec.initial_window_segments.max(1)) * mss;
        Cwnd {
            bytes: first,
            threshold: u64::MAX,
            mss,
            first,
            most: u64::from(spec.window_bytes),
        }
    }

    /// It grew to `next`.
    #[inline]
    pub(crate) fn grow_to(&mut self, next: u64) {
        self.bytes = next.min(self.most.max(self.bytes));
    }

    /// A loss was found by duplicates: it goes on from the new threshold.
    pub(crate) fn fall_to(&mut self, threshold: u64) {
        self.threshold = threshold;
        self.bytes = threshold;
    }

    /// A mark: not above the new threshold.
    pub(crate) fn cut_to(&mut self, threshold: u64) {
        self.threshold = threshold;
        self.bytes = self.bytes.min(threshold);
    }

    /// A time-out: slow start from one segment.
    pub(crate) fn collapse(&mut self) {
        self.bytes = self.mss;
    }

    /// A silence: back to the first window, the threshold stays.
    pub(crate) fn start_over(&mut self) {
        self.bytes = self.bytes.min(self.first);
    }
}

/// The hooks that say and set what a [`Cwnd`] holds.
macro_rules! window_of_cwnd {
    () => {
        #[inline]
        fn window(&self) -> u64 {
            self.cwnd.bytes
        }

        #[inline]
        fn threshold(&self) -> u64 {
            self.cwnd.threshold
        }

        #[inline]
        fn set_window(&mut self, bytes: u64) {
            self.cwnd.bytes = bytes;
        }

        fn undo(&mut self, window: u64, threshold: u64) {
            self.cwnd.bytes = self.cwnd.bytes.max(window);
            self.cwnd.threshold = self.cwnd.threshold.max(threshold);
        }
    };
}
pub(super) use window_of_cwnd;
