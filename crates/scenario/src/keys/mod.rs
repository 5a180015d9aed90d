//! The language: every section and key, once.

pub(crate) mod control;
pub(crate) mod flows;
pub(crate) mod network;
pub(crate) mod sweep;
pub(crate) mod traffic;

use crate::table::{Choice, Key, Kind, Section};

const NO: &[crate::table::Group] = &[];

/// The whole file.
pub(crate) static ROOT: Section = Section {
    name: "scenario",
    about: "What stands at the top of the file, before any `[table]`, and the tables it may have.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("title", Kind::Text, "Title of the report.").or("\"\""),
        Key::new(
            "about",
            Kind::Text,
            "What the scenario shows, in a sentence or two.",
        )
        .or("\"\""),
        Key::new("engine", Kind::Choice(ENGINES), "Simulator that runs it.").or("\"packet\""),
        Key::new("run", Kind::Table(&RUN), "How long to run."),
        Key::new("unit", Kind::Table(&UNIT), "What is sent.").or("{}"),
        Key::new("link", Kind::Table(&network::LINK), "What every link has."),
        Key::new("network", Kind::Table(&network::NETWORK), "Nodes by name.")
            .otherwise("a `[topology]` makes the nodes"),
        Key::new(
            "topology",
            Kind::Table(&network::TOPOLOGY),
            "Nodes and links by rule.",
        )
        .otherwise("`[network]` and `[[links]]` name them"),
        Key::new(
            "links",
            Kind::Tables(&network::LINKS),
            "Links, one table each.",
        )
        .otherwise("none besides those of `[topology]`"),
        Key::new(
            "flow_control",
            Kind::Table(&control::FLOW_CONTROL),
            "What every flow uses.",
        )
        .or("{}"),
        Key::new(
            "flows",
            Kind::Tables(&flows::FLOWS),
            "Flows, one table each or many by `count`.",
        )
        .otherwise("none besides those of `[[patterns]]`"),
        Key::new("patterns", Kind::Tables(&flows::PATTERNS), "Flows by rule.").otherwise("none"),
        Key::new(
            "series",
            Kind::Tables(&flows::SERIES),
            "Time series to record.",
        )
        .otherwise("none"),
        Key::new(
            "sweep",
            Kind::Table(&sweep::SWEEP),
            "What varies in a sweep.",
        )
        .otherwise("nothing"),
    ],
};

/// The engines.
pub(crate) const ENGINES: &[Choice] = &[Choice::new(
    "packet",
    "Event-driven, integer picoseconds; cells, frames and packets on links with delay.",
)];

static RUN: Section = Section {
    name: "[run]",
    about: "How long to simulate, and from which seed.",
    selector: None,
    groups: NO,
    keys: &[
        Key::new(
            "duration",
            Kind::Time { min_ps: 1 },
            "The run ends after this long.",
        ),
        Key::new(
            "warm_up",
            Kind::Time { min_ps: 0 },
            "Statistics start after this long.",
        )
        .or("\"0 s\""),
        Key::new(
            "seed",
            Kind::Whole {
                min: 0,
                max: u64::MAX,
                unit: "",
            },
            "Root of every random stream: the same seed gives the same run, bit for bit.",
        )
        .or("1"),
    ],
};

static UNIT: Section = Section {
    name: "[unit]",
    about: "The unit of data. With the rate of `[link]` it also sets the cell time: the unit \
            `cells` of every span of time is `bytes` at that rate, rounded half up to 1 ps.",
    selector: None,
    groups: NO,
    keys: &[Key::new(
        "bytes",
        Kind::Whole {
            min: 1,
            max: 1 << 20,
            unit: "bytes",
        },
        "Size of a data unit and of a control unit on the wire.",
    )
    .or("53")
    .cite("ATM cell: ITU-T I.361")],
};

/// Every section, in the order of the reference.
pub(crate) fn sections() -> Vec<&'static Section> {
    let mut all = vec![&ROOT];
    let mut next = 0;
    while next < all.len() {
        for key in all[next].keys {
            if let Kind::Table(section) | Kind::Tables(section) = key.kind
                && !all.iter().any(|known| std::ptr::eq(*known, section))
            {
                all.push(section);
            }
        }
        next += 1;
    }
    all
}
