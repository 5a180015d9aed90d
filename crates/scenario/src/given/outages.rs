//! When links are cut: the same for cells and frames.

use backwater_derive::{table, word};
use backwater_kernel::Time;

use crate::language::typed::Placed;

/// The link is cut: what is on it or would start is lost.
#[table("links.outages")]
pub(crate) struct Outages {
    /// The link is cut from here on.
    #[key(is = Time { min_ps: 0 })]
    pub from: Placed<Time>,
    /// Here it works again.
    #[key(is = Time { min_ps: 1 })]
    pub until: Placed<Time>,
    /// Which way it is cut.
    #[key(default = "\"both\"")]
    pub direction: Placed<Direction>,
}

/// Words of `direction`: Which way it is cut.
#[word]
pub(crate) enum Direction {
    /// Both ways.
    Both,
    /// From the first node of `between` to the second.
    Forward,
    /// From the second to the first.
    Backward,
}
