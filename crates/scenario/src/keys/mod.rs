//! The language: every section and key, once.

pub(crate) mod abr;
pub(crate) mod cell_traffic;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod ethernet;
pub(crate) mod ethernet_flows;
pub(crate) mod ethernet_pressure;
pub(crate) mod ethernet_switch;
pub(crate) mod ethernet_tcp;
pub(crate) mod explicit_rate;
pub(crate) mod fabric;
pub(crate) mod fabric_traffic;
pub(crate) mod flows;
pub(crate) mod network;
pub(crate) mod router;
pub(crate) mod service;
pub(crate) mod sweep;
pub(crate) mod traffic;

use crate::kinds as is;
use crate::suggest;
use crate::table::{Choice, Key, Section};
use crate::tree::{Node, Value};

const NO: &[crate::table::Group] = &[];

const TITLE: Key = Key::new("title", &is::Text, "Title of the report.").or("\"\"");
const ABOUT: Key = Key::new(
    "about",
    &is::Text,
    "What the scenario shows, in a sentence or two.",
)
.or("\"\"");
const ENGINE: &str = "Simulator that runs it.";
const SEED: Key = Key::new(
    "seed",
    &is::Whole {
        min: 0,
        max: u64::MAX,
        unit: "",
    },
    "Root of every random stream: the same seed gives the same run, bit for bit.",
)
.or("1");
const SWEEP: Key = Key::new(
    "sweep",
    const { &is::Table(&sweep::SWEEP) },
    "What varies in a sweep.",
)
.otherwise("nothing");

/// The whole file, for the packet engine.
pub(crate) static PACKET: Section = Section {
    name: "scenario",
    about: "What stands at the top of the file, before any `[table]`, and the tables it may have.",
    selector: None,
    groups: NO,
    keys: &[
        TITLE,
        ABOUT,
        Key::new("engine", &is::Words(ENGINES), ENGINE).or("\"packet\""),
        Key::new("run", &is::Table(&RUN), "How long to run."),
        Key::new("unit", &is::Table(&UNIT), "What is sent.").or("{}"),
        Key::new("link", &is::Table(&network::LINK), "What every link has."),
        Key::new("network", &is::Table(&network::NETWORK), "Nodes by name.")
            .otherwise("a `[topology]` makes the nodes"),
        Key::new(
            "topology",
            &is::Table(&network::TOPOLOGY),
            "Nodes and links by rule.",
        )
        .otherwise("`[network]` and `[[links]]` name them"),
        Key::new(
            "links",
            &is::Tables(&network::LINKS),
            "Links, one table each.",
        )
        .otherwise("none besides those of `[topology]`"),
        Key::new(
            "flow_control",
            &is::Table(&control::FLOW_CONTROL),
            "What every flow uses.",
        )
        .or("{}"),
        Key::new(
            "scheduler",
            &is::Table(&service::SCHEDULER),
            "Which unit leaves a port next.",
        )
        .otherwise("round robin"),
        Key::new(
            "pool",
            &is::Table(&service::POOL),
            "Memory of every switch.",
        )
        .otherwise("without limit"),
        Key::new(
            "measure",
            &is::Table(&service::MEASURE),
            "What to measure besides flows.",
        )
        .otherwise("ports where a scheduler or a pool is given"),
        Key::new(
            "flows",
            &is::Tables(&flows::FLOWS),
            "Flows, one table each or many by `count`.",
        )
        .otherwise("none besides those of `[[patterns]]`"),
        Key::new("patterns", &is::Tables(&flows::PATTERNS), "Flows by rule.").otherwise("none"),
        Key::new(
            "series",
            &is::Tables(&flows::SERIES),
            "Time series to record.",
        )
        .otherwise("none"),
        SWEEP,
    ],
};

/// The whole file, for the flit engine.
pub(crate) static FLIT: Section = Section {
    name: "scenario",
    about: "What stands at the top of the file with `engine = \"flit\"`, and the tables it may \
            have.",
    selector: None,
    groups: NO,
    keys: &[
        TITLE,
        ABOUT,
        Key::new("engine", &is::Words(FLIT_FIRST), ENGINE),
        Key::new("run", &is::Table(&fabric::RUN), "When to measure."),
        Key::new(
            "topology",
            &is::Table(&fabric::TOPOLOGY),
            "Routers, channels and terminals.",
        ),
        Key::new(
            "routing",
            &is::Table(&fabric::ROUTING),
            "Which way packets take.",
        )
        .or("{}"),
        Key::new(
            "router",
            &is::Table(&router::ROUTER),
            "What every router and channel has.",
        )
        .or("{}"),
        Key::new(
            "traffic",
            &is::Table(&fabric_traffic::TRAFFIC),
            "What is sent.",
        ),
        Key::new(
            "classes",
            &is::Tables(&fabric_traffic::CLASSES),
            "Classes of packets.",
        )
        .otherwise("one class, as `[traffic]` says"),
        SWEEP,
    ],
};

/// The whole file, for the Ethernet engine.
pub(crate) static ETHERNET: Section = Section {
    name: "scenario",
    about: "What stands at the top of the file with `engine = \"ethernet\"`, and the tables it \
            may have.",
    selector: None,
    groups: NO,
    keys: &[
        TITLE,
        ABOUT,
        Key::new("engine", &is::Words(ETHERNET_FIRST), ENGINE),
        Key::new("run", &is::Table(&ethernet::RUN), "How long to run."),
        Key::new("network", &is::Table(&ethernet::NETWORK), "Nodes by name.")
            .otherwise("a `[topology]` makes the nodes"),
        Key::new(
            "topology",
            &is::Table(&ethernet::TOPOLOGY),
            "Nodes and links by rule.",
        )
        .otherwise("`[network]` and `[[links]]` name them"),
        Key::new("link", &is::Table(&ethernet::LINK), "What every link has."),
        Key::new(
            "links",
            &is::Tables(&ethernet::LINKS),
            "Links, one table each.",
        )
        .otherwise("none besides those of `[topology]`"),
        Key::new(
            "switch",
            &is::Table(&ethernet_switch::SWITCH),
            "What every switch does.",
        )
        .or("{}"),
        Key::new(
            "station",
            &is::Table(&ethernet_switch::STATION),
            "What every station does.",
        )
        .or("{}"),
        Key::new(
            "buffer",
            &is::Table(&ethernet_switch::BUFFER),
            "Memory of every switch.",
        )
        .or("{}"),
        Key::new(
            "classes",
            &is::Tables(&ethernet_switch::CLASSES),
            "What differs in single classes.",
        )
        .otherwise("nothing"),
        Key::new(
            "back_pressure",
            &is::Table(&ethernet_pressure::BACK_PRESSURE),
            "When and whom a switch stops.",
        )
        .or("{ kind = \"none\" }"),
        Key::new(
            "watchdog",
            &is::Table(&ethernet_switch::WATCHDOG),
            "What every switch does about a stop that does not end.",
        )
        .otherwise("nothing"),
        Key::new(
            "nodes",
            &is::Tables(&ethernet_switch::NODES),
            "What differs in single nodes.",
        )
        .otherwise("nothing"),
        Key::new(
            "routes",
            &is::Tables(&ethernet_switch::ROUTES),
            "Ways that are not the shortest.",
        )
        .otherwise("the shortest"),
        Key::new(
            "tcp",
            &is::Table(&ethernet_tcp::TCP),
            "The TCP of all flows.",
        )
        .or("{}"),
        Key::new("flows", &is::Tables(&ethernet_flows::FLOWS), "Flows.")
            .otherwise("none besides those of `[[patterns]]`"),
        Key::new(
            "patterns",
            &is::Tables(&ethernet_flows::PATTERNS),
            "Flows by rule.",
        )
        .otherwise("none"),
        Key::new(
            "series",
            &is::Tables(&ethernet_flows::SERIES),
            "Time series to record.",
        )
        .otherwise("none"),
        SWEEP,
    ],
};

const PACKET_WORD: Choice = Choice::new(
    "packet",
    "Event-driven, integer picoseconds; cells, frames and packets on links with delay.",
);
const FLIT_WORD: Choice = Choice::new(
    "flit",
    "Cycle by cycle; wormhole networks with virtual channels (lanes), flit by flit.",
);
const ETHERNET_WORD: Choice = Choice::new(
    "ethernet",
    "Event-driven, integer picoseconds; switched Ethernet with PAUSE, PFC, TCP and UDP.",
);

/// The engines.
pub(crate) const ENGINES: &[Choice] = &[PACKET_WORD, FLIT_WORD, ETHERNET_WORD];
/// The same, with the one to show as an example first.
const FLIT_FIRST: &[Choice] = &[FLIT_WORD, PACKET_WORD, ETHERNET_WORD];
const ETHERNET_FIRST: &[Choice] = &[ETHERNET_WORD, PACKET_WORD, FLIT_WORD];

/// What a file may hold for each of the engines.
pub(crate) static ROOTS: [(&str, &Section); 3] = [
    ("packet", &PACKET),
    ("flit", &FLIT),
    ("ethernet", &ETHERNET),
];

static RUN: Section = Section {
    name: "[run]",
    about: "How long to simulate, and from which seed.",
    selector: None,
    groups: NO,
    keys: &[
        Key::new(
            "duration",
            &is::Time { min_ps: 1 },
            "The run ends after this long.",
        ),
        Key::new(
            "warm_up",
            &is::Time { min_ps: 0 },
            "Statistics start after this long.",
        )
        .or("\"0 s\""),
        SEED,
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
        &is::Whole {
            min: 1,
            max: 1 << 20,
            unit: "bytes",
        },
        "Size of a data unit and of a control unit on the wire.",
    )
    .or("53")
    .cite("ATM cell: ITU-T I.361")],
};

/// What this file may hold: the engine says, or the tables that only files for one engine have.
pub(crate) fn root_of(file: &Node) -> &'static Section {
    let word = match file.get("engine").map(|node| &node.value) {
        Some(Value::Text(word)) => suggest::nearest(word, ROOTS.iter().map(|(word, _)| *word)),
        _ => None,
    };
    if let Some((_, root)) = ROOTS.iter().find(|(engine, _)| Some(*engine) == word) {
        return root;
    }
    let unknown = |root: &Section| {
        let entries = file.table().iter();
        entries
            .filter(|entry| root.key(&entry.key).is_none())
            .count()
    };
    let fewest = ROOTS.iter().min_by_key(|(_, root)| unknown(root));
    fewest.map_or(&PACKET, |(_, root)| *root)
}

/// Every section, in the order of the reference.
pub(crate) fn sections() -> Vec<&'static Section> {
    let mut all = Vec::new();
    for (_, root) in ROOTS {
        add_sections(root, &mut all);
    }
    all
}

/// The sections of a comparison.
pub(crate) fn sections_of_comparisons() -> Vec<&'static Section> {
    sections_below(&compare::COMPARE)
}

/// Is it in comparisons, and in no scenario?
pub(crate) fn is_of_comparisons(section: &Section) -> bool {
    let mut all = sections_of_comparisons().into_iter();
    all.any(|known| std::ptr::eq(known, section))
}

/// The sections a file for one engine may have.
pub(crate) fn sections_below(root: &'static Section) -> Vec<&'static Section> {
    let mut all = Vec::new();
    add_sections(root, &mut all);
    all
}

fn add_sections(root: &'static Section, all: &mut Vec<&'static Section>) {
    let mut next = all.len();
    all.push(root);
    while next < all.len() {
        for key in all[next].keys {
            if let Some(section) = key.kind.section()
                && !all.iter().any(|known| std::ptr::eq(*known, section))
            {
                all.push(section);
            }
        }
        next += 1;
    }
}

/// The engine whose files have this section; `None` if those of all.
pub(crate) fn engine_of(section: &Section) -> Option<&'static str> {
    let has = |root: &'static Section| {
        let mut below = sections_below(root).into_iter();
        below.any(|known| std::ptr::eq(known, section))
    };
    let mut engines = ROOTS.iter().filter(|(_, root)| has(root));
    match (engines.next(), engines.next()) {
        (Some((engine, _)), None) => Some(engine),
        _ => None,
    }
}

/// Is it the file itself, not a table in it?
pub(crate) fn is_root(section: &Section) -> bool {
    let mut roots = ROOTS.iter().map(|(_, root)| *root);
    std::ptr::eq(section, &compare::COMPARE) || roots.any(|root| std::ptr::eq(root, section))
}

/// Its name, with the engine where another engine has a different section of that name.
pub(crate) fn title(section: &Section) -> String {
    if is_of_comparisons(section) {
        return format!("{} (comparison)", section.name);
    }
    let mut named = sections().into_iter().filter(|s| s.name == section.name);
    match engine_of(section) {
        Some(engine) if named.nth(1).is_some() => format!("{} ({engine} engine)", section.name),
        _ => section.name.into(),
    }
}

/// Does a section of this name, of an engine before, have the same key?
pub(crate) fn is_told(section: &Section, key: &Key) -> bool {
    let before = sections();
    let mut before = before
        .iter()
        .take_while(|known| !std::ptr::eq(**known, section))
        .filter(|known| known.name == section.name);
    before.any(|known| {
        let same = known.key(key.name);
        same.is_some_and(|same| same.is_same(key))
    })
}
