//! What the tests of all rules use.

use backwater_kernel::{Rate, Time};

use super::PortView;

/// A link of 100 Mbps.
pub(super) const LINK: Rate = Rate(100_000_000);

/// The port at a picosecond.
pub(super) fn port(now_ps: u64, queue_cells: u32) -> PortView {
    PortView {
        now: Time(now_ps),
        link: LINK,
        queue_cells,
    }
}
