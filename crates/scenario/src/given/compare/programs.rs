//! Collective operations and jobs of a comparison: the keys that Ethernet has for them, but for
//! those that a scheme decides.

use backwater_derive::table;

use crate::given::frames::{collectives, jobs};
use crate::language::typed::Placed;

/// A collective operation of some hosts, the ranks, under schemes of frames.
#[table("[[collectives]]")]
pub(crate) struct Collectives {
    /// Its name in the tables.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    #[allow(
        dead_code,
        reason = "held against its keys here, and read in each scenario"
    )]
    pub work: collectives::Work,
}

/// A job of some hosts, the ranks, under schemes of frames: in each iteration they compute and
/// communicate, phase after phase.
#[table("[[jobs]]")]
pub(crate) struct Jobs {
    /// Its name in the tables.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    #[allow(
        dead_code,
        reason = "held against its keys here, and read in each scenario"
    )]
    pub work: jobs::Work,
}
