//! Traffic of closed loops and of changing limits: what ABR is measured with.

use super::ethernet_tcp::TCP_KEYS;
use crate::kinds as is;
use crate::table::{Choice, Key, Section, only_for};

const UNITS: u64 = 1 << 30;
const REQUESTS: &[&str] = &["requests"];
const TCP: &[&str] = &["tcp"];
const PAPER: &str = "Kalyanaraman et al. 1998, section 7.2.1";
const BYTES: &dyn is::Kind = &is::Size {
    min: 1,
    max: 1 << 60,
};

/// What stands in `flows.traffic` besides.
pub(crate) const MORE_KEYS: [Key; 12] = [
    Key::new(
        "limits",
        const { &is::Tables(&LIMITS) },
        "How fast it goes from when on, in order of time.",
    )
    .only(&["bottlenecked"])
    .cite("Kalyanaraman et al. 1998, section 7.1"),
    Key::new(
        "response_units",
        &is::Whole {
            min: 1,
            max: UNITS,
            unit: "units",
        },
        "A response.",
    )
    .or("256")
    .only(REQUESTS)
    .cite(PAPER),
    Key::new(
        "requests",
        &is::Whole {
            min: 1,
            max: 1 << 20,
            unit: "requests",
        },
        "Requests of a cycle; the next cycle begins after all responses are in.",
    )
    .or("1")
    .only(REQUESTS)
    .cite(PAPER),
    Key::new(
        "inter_request",
        &is::Span { min_ps: 0 },
        "Between requests of a cycle.",
    )
    .or("\"0 s\"")
    .only(REQUESTS)
    .cite(PAPER),
    Key::new(
        "inter_cycle",
        &is::Span { min_ps: 0 },
        "From the last response to the next cycle.",
    )
    .or("\"1 ms\"")
    .only(REQUESTS)
    .cite(PAPER),
    Key::new(
        "cycles",
        &is::Whole {
            min: 1,
            max: 1 << 60,
            unit: "cycles",
        },
        "Cycles in all.",
    )
    .otherwise("without end")
    .only(REQUESTS),
    Key::new(
        "service",
        &is::Span { min_ps: 0 },
        "Server's time for each request, one at a time.",
    )
    .or("\"0 s\"")
    .only(&["requests", "tcp"]),
    Key::new(
        "application",
        &is::Words(APPLICATIONS),
        "What uses the connection.",
    )
    .or("\"bulk\"")
    .only(TCP),
    Key::new("bytes", BYTES, "Bytes in all (`bulk`).")
        .otherwise("without end")
        .only(TCP),
    Key::new("request", BYTES, "A request (`requests`).")
        .otherwise("100 B")
        .only(TCP),
    Key::new("response", BYTES, "A response (`requests`).")
        .otherwise("10 kB")
        .only(TCP),
    Key::new(
        "count",
        &is::Whole {
            min: 1,
            max: 1 << 60,
            unit: "requests",
        },
        "Requests in all (`requests`).",
    )
    .otherwise("without end")
    .only(TCP),
];

/// Headers of a segment and of its cells.
pub(crate) const OVERHEAD: Key = Key::new(
    "overhead",
    &is::Size {
        min: 0,
        max: 1 << 16,
    },
    "Bytes of a frame besides the segment's payload: TCP and IP 40, LLC 8, the trailer of AAL 5 8.",
)
.or("\"56 B\"")
.only(TCP)
.cite("RFC 1483; ITU-T I.363.5");

/// The flavour of TCP, as in `[tcp]` of the Ethernet engine.
pub(crate) const TCP_OF_TRAFFIC: [Key; 18] = only_for(&TCP_KEYS, TCP);

const APPLICATIONS: &[Choice] = &[
    Choice::new("bulk", "Bytes one way."),
    Choice::new(
        "requests",
        "Requests one way, responses back, one after another.",
    ),
];

/// How fast a bottlenecked application goes.
pub(crate) static LIMITS: Section = Section {
    name: "traffic.limits",
    about: "A limit of a bottlenecked application, from some instant on.",
    selector: None,
    groups: &[],
    keys: &[
        Key::new("from", &is::Time { min_ps: 0 }, "From here on.").or("\"0 s\""),
        Key::new(
            "rate",
            &is::CellRate { min: 0 },
            "Bits per second on the wire, RM cells included; 0 stands still.",
        )
        .otherwise("no limit but what the network allows"),
    ],
};

/// The kinds of traffic for which these keys are.
pub(crate) const BOTTLENECKED: Choice = Choice::new(
    "bottlenecked",
    "Always has a unit to send, but not faster than a limit that changes with time.",
)
.cite("Kalyanaraman et al. 1998, section 7.1");
pub(crate) const REQUESTS_WORD: Choice = Choice::new(
    "requests",
    "Closed-loop cycles of requests and responses. A flow back with traffic `server` is made \
     unless `partner` names one.",
)
.cite(PAPER);
pub(crate) const TCP_WORD: Choice = Choice::new(
    "tcp",
    "A TCP connection, its segments cut into cells (AAL 5). A flow back with traffic `tcp-back` is \
     made unless `partner` names one.",
);
pub(crate) const TCP_BACK: Choice =
    Choice::new("tcp-back", "The other side of a partner's TCP connection.");
