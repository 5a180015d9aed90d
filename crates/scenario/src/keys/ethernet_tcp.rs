//! TCP, of the Ethernet engine and over cells.

use crate::table::{Choice, Default, Key, Kind, Section};

const PRESET: &str = "as the preset says";

/// The TCP of all flows.
pub(crate) static TCP: Section = Section {
    name: "[tcp]",
    about: "The TCP of all flows: a flavour, and what differs from it.",
    selector: None,
    groups: &[],
    keys: &TCP_KEYS,
};

/// The TCP of one flow.
pub(crate) static FLOW_TCP: Section = Section {
    name: "flows.tcp",
    about: "What a flow changes of `[tcp]`; with a `preset` of its own, it starts anew from that.",
    selector: None,
    groups: &[],
    keys: &FLOW_TCP_KEYS,
};

pub(crate) const TCP_KEYS: [Key; 18] = [
    Key::new(
        "preset",
        Kind::Choice(PRESETS),
        "The flavour it starts from.",
    )
    .otherwise("`dctcp` where queues of the flow's class mark, else `modern`"),
    Key::new(
        "mss",
        Kind::Size {
            min: 64,
            max: 9_176,
        },
        "Payload of a full segment.",
    )
    .otherwise("40 B less than `link.mtu` where the file gives that, else as the preset says"),
    Key::new(
        "congestion",
        Kind::Choice(CONGESTIONS),
        "How the window grows.",
    )
    .otherwise(PRESET),
    Key::new(
        "eighth",
        Kind::Truth,
        "Reno: congestion avoidance adds MSS/8 more for each acknowledgement.",
    )
    .otherwise(PRESET)
    .cite("4.3BSD Reno to 4.4BSD"),
    Key::new(
        "recovery",
        Kind::Choice(RECOVERIES),
        "How losses are repaired.",
    )
    .otherwise(PRESET),
    Key::new(
        "initial_window",
        Kind::Whole {
            min: 1,
            max: 1_000,
            unit: "segments",
        },
        "First congestion window.",
    )
    .otherwise(PRESET),
    Key::new(
        "window",
        Kind::Size {
            min: 64,
            max: 1 << 30,
        },
        "The receiver's window, and so the most in flight.",
    )
    .otherwise(PRESET),
    Key::new(
        "tick",
        Kind::ClockOr {
            word: "exact",
            min_ps: 1_000_000,
        },
        "Step of the host's slow timer, in which every time is counted.",
    )
    .otherwise(PRESET),
    Key::new(
        "initial_rto",
        Kind::Clock { min_ps: 1 },
        "Retransmission time-out before the first measurement.",
    )
    .otherwise(PRESET),
    Key::new("min_rto", Kind::Clock { min_ps: 1 }, "Least time-out.").otherwise(PRESET),
    Key::new(
        "max_rto",
        Kind::Clock { min_ps: 1 },
        "Largest time-out after back-off.",
    )
    .otherwise(PRESET),
    Key::new(
        "acks",
        Kind::Choice(ACKS),
        "When the receiver acknowledges.",
    )
    .otherwise(PRESET),
    Key::new(
        "ack_delay",
        Kind::Clock { min_ps: 1 },
        "Step of the fast timer, or time from the first segment that waits.",
    )
    .otherwise("as the preset says; 200 ms for `delayed-tick`, 40 ms for `delayed`"),
    Key::new(
        "duplicate_threshold",
        Kind::Whole {
            min: 0,
            max: 255,
            unit: "acknowledgements",
        },
        "Duplicate acknowledgements that provoke a fast retransmit; 0 never does.",
    )
    .otherwise(PRESET),
    Key::new(
        "idle_restart",
        Kind::Truth,
        "After a silence of one time-out, the window starts anew.",
    )
    .otherwise(PRESET),
    Key::new(
        "reuse",
        Kind::Choice(REUSES),
        "What a file or response takes over from the one before.",
    )
    .otherwise(PRESET),
    Key::new("ecn", Kind::Choice(ECNS), "What marks of congestion do.").otherwise(PRESET),
    Key::new(
        "gain_shift",
        Kind::Whole {
            min: 1,
            max: 16,
            unit: "bits",
        },
        "DCTCP: the share of marks is averaged with gain 1/2^shift.",
    )
    .otherwise("4")
    .cite("RFC 8257"),
];

const FLOW_TCP_KEYS: [Key; 18] = {
    let mut keys = TCP_KEYS;
    let mut index = 0;
    while index < keys.len() {
        keys[index].default = Default::Derived(crate::table::AS_ABOVE);
        index += 1;
    }
    keys
};

/// The flavours.
pub(crate) const PRESETS: &[Choice] = &[
    Choice::new(
        "bsd",
        "Reno as 4.4BSD had it: MSS 1024, MSS/8, 500 ms ticks, 64 KB, every segment acknowledged, \
         a fresh window per file.",
    )
    .cite("Nouredine, Tobagi 1999"),
    Choice::new(
        "bsd-full",
        "The same with a handshake per file, delayed acknowledgements, a first window of 2.",
    ),
    Choice::new(
        "modern",
        "CUBIC, SACK, MSS 1460, first window 10, least time-out 200 ms, 4 MiB.",
    )
    .cite("RFC 9438, RFC 6675, RFC 6928"),
    Choice::new(
        "dctcp",
        "The same with Reno growth and DCTCP's answer to marks.",
    )
    .cite("RFC 8257"),
];

const CONGESTIONS: &[Choice] = &[
    Choice::new("reno", "Slow start and congestion avoidance.").cite("RFC 5681"),
    Choice::new("cubic", "CUBIC.").cite("RFC 9438"),
];

const RECOVERIES: &[Choice] = &[
    Choice::new("tahoe", "The window collapses to one segment."),
    Choice::new(
        "reno",
        "Fast recovery, until the first new acknowledgement.",
    )
    .cite("RFC 2581"),
    Choice::new(
        "new-reno",
        "A partial acknowledgement provokes the next retransmission.",
    )
    .cite("RFC 6582"),
    Choice::new("sack", "Selective acknowledgements.").cite("RFC 6675"),
];

const ACKS: &[Choice] = &[
    Choice::new("every", "Each data segment at once."),
    Choice::new(
        "delayed-tick",
        "Every second full segment, else at the next tick of the fast timer.",
    )
    .cite("4.4BSD"),
    Choice::new(
        "delayed",
        "Every second full segment, and each that ends a transfer (PSH), else a time after the \
         first that waits.",
    )
    .cite("RFC 1122"),
];

const REUSES: &[Choice] = &[
    Choice::new("persistent", "Everything: one long connection."),
    Choice::new(
        "fresh-window",
        "Round-trip times; the congestion window starts anew, without a handshake.",
    ),
    Choice::new("handshake", "Nothing: a new connection with SYN and FIN."),
];

const ECNS: &[Choice] = &[
    Choice::new("off", "Its segments are not marked."),
    Choice::new(
        "classic",
        "The window shrinks as for a loss, once a round trip.",
    )
    .cite("RFC 3168"),
    Choice::new(
        "dctcp",
        "The window shrinks in proportion to the share of marks.",
    )
    .cite("RFC 8257"),
];
