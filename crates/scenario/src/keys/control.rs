//! Flow control on links.

use crate::table::{Choice, Group, Key, Kind, Section, Selector};

const UNITS: u64 = 1 << 30;
const CREDIT: &[&str] = &["n23", "n123", "n123+", "relative", "cumulative"];

const SCHEME: Key = Key::new(
    "scheme",
    Kind::Choice(SCHEMES),
    "How a link keeps its receiver from overflowing.",
);
const N2: Key = Key::new(
    "n2",
    Kind::Whole {
        min: 1,
        max: UNITS,
        unit: "cells",
    },
    "Cells the receiver frees between two credit cells. Credit takes 1/(N2+1) of the link back.",
)
.only(CREDIT)
.cite("Kung 1993, sections 4.2 and 4.4");
const N3: Key = Key::new(
    "n3",
    Kind::Whole {
        min: 0,
        max: UNITS,
        unit: "cells",
    },
    "Buffer zone that keeps a flow at its target bandwidth over a round trip.",
)
.only(CREDIT)
.otherwise("from `target`")
.cite("Kung 1993, section 4.3, equation 3");
const TARGET: Key = Key::new(
    "target",
    Kind::RateOrShare { word: "full" },
    "Bandwidth the flow shall reach: sets N3 = ceil(D * bandwidth / unit) on each link, D being \
     the control loop of that link. A rate, a share of the link's rate, or `full`.",
)
.only(CREDIT)
.otherwise("`full`, unless `n3` is given")
.cite("Kung 1993, section 4.3, equation 3");
const N1: Key = Key::new(
    "n1",
    Kind::Whole {
        min: 0,
        max: UNITS,
        unit: "cells",
    },
    "Zone that holds what is under way and no credit cell can know of.",
)
.only(&["n123", "n123+"])
.otherwise("n123: ceil(D * link rate / unit); n123+: N2 + ceil(D * target / unit)")
.cite("Kung 1993, section 3");
const WINDOW: Key = Key::new(
    "window",
    Kind::TimeOr {
        word: "exact",
        min_ps: 1,
    },
    "Span over which the sender counts E, the cells it has sent. Must be the control loop of the \
     link: shorter overflows the buffer, longer is slow and may stall.",
)
.only(&["n23", "n123+"])
.cite("Kung 1993, section 4.3, equation 1");
const BIND: Key = Key::new(
    "bind",
    Kind::Choice(BINDS),
    "When a credit cell's value is taken from the buffer.",
)
.only(CREDIT);
const REDUNDANT: Key = Key::new(
    "redundant_every",
    Kind::Whole {
        min: 1,
        max: UNITS,
        unit: "cells",
    },
    "Send a credit cell every time this many cells were freed, if that is sooner than N2; the \
     buffer stays.",
)
.only(CREDIT)
.otherwise("no redundant credit cells")
.cite("Kung 1993, section 4.5");
const REFRESH: Key = Key::new(
    "refresh_every",
    Kind::Time { min_ps: 1 },
    "Also send a credit cell when none was sent for this long.",
)
.only(CREDIT)
.otherwise("never")
.cite("Kung 1993, section 4.5");
const REQUEST: Key = Key::new(
    "request_after",
    Kind::Time { min_ps: 1 },
    "Ask for credit after this long without any while data waits (Sender-Request-Credit).",
)
.only(CREDIT)
.otherwise("never")
.cite("Kung 1993, section 4.5");
const RESYNC: Key = Key::new(
    "resync_every",
    Kind::Whole {
        min: 1,
        max: UNITS,
        unit: "cells",
    },
    "The sender states its counter once in this many data cells, which repairs the credit \
     after losses.",
)
.only(&["cumulative"])
.otherwise("never");
const BUFFER: Key = Key::new(
    "buffer",
    Kind::WholeOr {
        word: "unlimited",
        min: 1,
        max: UNITS,
        unit: "cells",
    },
    "Memory of the receiving node for this flow.",
)
.otherwise("N1 + N2 + N3 with credits, `unlimited` without");
const OVERFLOW: Key = Key::new(
    "overflow",
    Kind::Choice(OVERFLOWS),
    "What happens to a cell that finds it full.",
);

/// `n3` and `target` set the same number.
const ZONES: &[Group] = &[Group {
    keys: &["n3", "target"],
    required: false,
    only: &[],
}];

/// What every flow uses.
pub(crate) static FLOW_CONTROL: Section = Section {
    name: "[flow_control]",
    about: "Flow control of every flow on every link. A flow's own `flow_control` is merged over \
            it, and an entry of its `on_links` over both.",
    selector: Some(Selector {
        key: "scheme",
        default: Some("none"),
    }),
    groups: ZONES,
    keys: &[
        SCHEME.or("\"none\""),
        N2.or("10"),
        N3,
        TARGET,
        N1,
        WINDOW.or("\"exact\""),
        BIND.or("\"start\""),
        REDUNDANT,
        REFRESH,
        REQUEST,
        RESYNC,
        BUFFER,
        OVERFLOW.or("\"drop\""),
    ],
};

/// What one flow changes.
pub(crate) static FLOW_OVERRIDE: Section = Section {
    name: "flows.flow_control",
    about: "What one flow changes of `[flow_control]`, on all its links.",
    selector: Some(Selector {
        key: "scheme",
        default: None,
    }),
    groups: ZONES,
    keys: &[
        SCHEME.as_above(),
        N2.as_above(),
        N3.as_above(),
        TARGET.as_above(),
        N1.as_above(),
        WINDOW.as_above(),
        BIND.as_above(),
        REDUNDANT.as_above(),
        REFRESH.as_above(),
        REQUEST.as_above(),
        RESYNC.as_above(),
        BUFFER.as_above(),
        OVERFLOW.as_above(),
    ],
};

/// What one flow changes on one link.
pub(crate) static LINK_OVERRIDE: Section = Section {
    name: "flows.on_links",
    about: "What one flow changes of its flow control on one link.",
    selector: Some(Selector {
        key: "scheme",
        default: None,
    }),
    groups: ZONES,
    keys: &[
        Key::new(
            "link",
            Kind::Reference("channel"),
            "The channel, as `from->to`.",
        ),
        SCHEME.as_above(),
        N2.as_above(),
        N3.as_above(),
        TARGET.as_above(),
        N1.as_above(),
        WINDOW.as_above(),
        BIND.as_above(),
        REDUNDANT.as_above(),
        REFRESH.as_above(),
        REQUEST.as_above(),
        RESYNC.as_above(),
        BUFFER.as_above(),
        OVERFLOW.as_above(),
    ],
};

/// The schemes; `crate::control` turns each into what the simulator runs.
pub(crate) const SCHEMES: &[Choice] = &[
    Choice::new("none", "No flow control: a cell may always cross."),
    Choice::new(
        "n23",
        "Absolute credit: the credit cell carries N2 + N3 - fill, the sender subtracts E, what it \
         sent during the last control loop. Buffer N2 + N3.",
    )
    .cite("Kung 1993, section 4.3"),
    Choice::new(
        "n123",
        "Absolute credit without E: a zone N1 holds what is under way at the link's rate. Buffer \
         N1 + N2 + N3.",
    )
    .cite("Kung 1993, section 3"),
    Choice::new(
        "n123+",
        "As n123, with N1 bounded by the bandwidth of the circuit instead of the link's. Buffer \
         N1 + N2 + N3.",
    )
    .cite("Kung 1993, section 3"),
    Choice::new(
        "relative",
        "Additive credit: the credit cell carries the cells freed, the sender adds them. A lost \
         credit cell is lost for ever. Buffer N2 + N3.",
    ),
    Choice::new(
        "cumulative",
        "Cumulative credit: the credit cell carries all cells freed since the start; the sender's \
         credit is N2 + N3 - (sent - freed). Buffer N2 + N3.",
    )
    .cite("Kung, Blackwell and Chapman 1994 (SIGCOMM)"),
];

const BINDS: &[Choice] = &[
    Choice::new("start", "When the credit cell starts on the wire (safe)."),
    Choice::new(
        "trigger",
        "When it is triggered; it may wait and be out of date (unsafe).",
    ),
];

const OVERFLOWS: &[Choice] = &[
    Choice::new(
        "drop",
        "It is dropped; on a link with credits that is a violation.",
    ),
    Choice::new(
        "keep",
        "It is kept and counted, to measure by how much the buffer is too small.",
    ),
];
