//! What a sweep varies.

use backwater_derive::table;

use crate::given::Named;
use crate::language::tree::Node;
use crate::language::typed::Placed;

/// What `backwater sweep` varies: every combination of the values of all axes, with every seed.
/// `backwater run` leaves it alone.
#[table("[sweep]")]
pub(crate) struct Sweep {
    /// How many seeds each combination runs with, from `run.seed` on; or a list of them.
    #[key(is = Seeds, default = "1")]
    pub seeds: Placed<Node>,
    /// One key an axis: the path of what varies, as `--set` takes it (`*` for all items of a
    /// list), or its last name alone where only one key is meant; and its values. A value may be
    /// a table. `{ name = "short", value = "1 us" }` gives a value a name, and `{ name = "large",
    /// set = { "router.vcs" = 4, "router.depth" = 8 } }` sets several keys together.
    #[key(is = Axes, otherwise = "nothing varies but the seed")]
    pub axes: Option<Node>,
    /// Columns of single flows, or of all flows of a name together, beside those of the whole
    /// network: `["victim.goodput", "incast.fct_p99"]`. The numbers are those of the tables of a
    /// run.
    #[key(is = Names, otherwise = "none")]
    pub columns: Vec<Named>,
}
