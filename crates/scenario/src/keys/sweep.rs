//! One scenario, many points.

use crate::table::{Key, Kind, Section};

/// Most seeds of a sweep.
pub(crate) const MOST_SEEDS: u64 = 10_000;

/// What varies in a sweep.
pub(crate) static SWEEP: Section = Section {
    name: "[sweep]",
    about: "What `backwater sweep` varies: every combination of the values of all axes, with every \
            seed. `backwater run` leaves it alone.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new(
            "seeds",
            Kind::Seeds,
            "How many seeds each combination runs with, from `run.seed` on; or a list of them.",
        )
        .or("1"),
        Key::new(
            "axes",
            Kind::Axes,
            "One key an axis: the path of what varies, as `--set` takes it (`*` for all items of a \
             list), or its last name alone where only one key is meant; and its values. A value \
             may be a table. `{ name = \"short\", value = \"1 us\" }` gives a value a name, and \
             `{ name = \"large\", set = { \"router.lanes\" = 4, \"router.depth\" = 8 } }` sets \
             several keys together.",
        )
        .otherwise("nothing varies but the seed"),
        Key::new(
            "columns",
            Kind::Names,
            "Columns of single flows, or of all flows of a name together, beside those of the \
             whole network: `[\"victim.goodput\", \"incast.fct_p99\"]`. The numbers are those of \
             the tables of a run.",
        )
        .otherwise("none"),
    ],
};
