//! The flit engine: what every router has.

use crate::kinds as is;
use crate::table::{Choice, Group, Key, Section, Selector};

const MULTIPLEXED: &[&str] = &["multiplexed"];

/// What every router and channel has.
pub(crate) static ROUTER: Section = Section {
    name: "[router]",
    about: "What every router and channel has. The receiving end of a channel holds `lanes` \
            buffers (virtual channels) of `depth` flits each.",
    selector: Some(Selector {
        key: "switch",
        default: Some("crossbar"),
    }),
    groups: &[Group {
        keys: &["depth", "storage"],
        required: false,
        only: &[],
    }],
    keys: &[
        Key::new(
            "lanes",
            &is::Whole {
                min: 1,
                max: 32,
                unit: "lanes",
            },
            "Lanes (virtual channels) of each channel.",
        )
        .or("1")
        .cite("Dally 1992"),
        Key::new(
            "depth",
            &is::Whole {
                min: 1,
                max: 65_535,
                unit: "flits",
            },
            "Flits that a lane holds.",
        )
        .otherwise("4, or from `storage`"),
        Key::new(
            "storage",
            &is::Whole {
                min: 1,
                max: 65_535 * 32,
                unit: "flits",
            },
            "Flits that all lanes of a channel hold together; each gets an equal part.",
        )
        .otherwise("`lanes` times `depth`"),
        Key::new(
            "switch",
            &is::Words(SWITCHES),
            "How flits get from inputs to outputs.",
        )
        .or("\"crossbar\""),
        Key::new(
            "allocator",
            &is::Words(ALLOCATORS),
            "How inputs and outputs are matched.",
        )
        .or("\"separable-input-first\"")
        .only(MULTIPLEXED),
        Key::new(
            "iterations",
            &is::Whole {
                min: 1,
                max: 255,
                unit: "rounds",
            },
            "Rounds of `islip` among what is left.",
        )
        .otherwise("1")
        .only(MULTIPLEXED),
        Key::new(
            "output_buffer",
            &is::Whole {
                min: 0,
                max: 65_535,
                unit: "flits",
            },
            "Buffer between switch and channel.",
        )
        .or("0")
        .only(MULTIPLEXED),
        Key::new(
            "speedup",
            &is::Whole {
                min: 1,
                max: 64,
                unit: "times",
            },
            "Times the switch works in a cycle; above 1 it needs an `output_buffer`.",
        )
        .or("1")
        .only(MULTIPLEXED),
        Key::new(
            "release",
            &is::Words(RELEASES),
            "When a lane is free for the next packet.",
        )
        .or("\"drained\""),
        Key::new(
            "forwarding",
            &is::Words(FORWARDINGS),
            "What room a header needs in the next lane.",
        )
        .or("\"wormhole\""),
        Key::new(
            "arbiter",
            &is::Words(ARBITERS),
            "Who crosses a channel; with a multiplexed switch, who wins an input and an output.",
        )
        .or("\"round-robin\""),
        Key::new(
            "lane_arbiter",
            &is::Words(ARBITERS),
            "Which of the waiting headers gets a free lane.",
        )
        .or("\"round-robin\""),
        Key::new(
            "lane_choice",
            &is::Words(LANE_CHOICES),
            "Which of the free lanes it gets.",
        )
        .or("\"lowest\""),
        Key::new(
            "header_delay",
            &is::Cycles { min: 0, max: 4_095 },
            "Cycles a header spends in a router before it competes for a lane; 0 lets it move the \
             cycle after it came.",
        )
        .or("\"0 cycles\""),
        Key::new(
            "allocation_delay",
            &is::Cycles { min: 0, max: 4_095 },
            "Cycles from a header's getting a lane in a router to its first chance to move. The \
             lane is taken meanwhile.",
        )
        .or("\"0 cycles\""),
        Key::new(
            "pipeline_delay",
            &is::Cycles { min: 0, max: 4_095 },
            "Cycles every flit spends in a router on top of those of its channel.",
        )
        .or("\"0 cycles\""),
        Key::new(
            "credit_delay",
            &is::Cycles { min: 0, max: 4_096 },
            "Cycles from a flit's leaving a buffer to the leaving of the flit that takes its room; \
             0 needs a network without cycles of channels.",
        )
        .or("\"1 cycles\""),
    ],
};

/// The switches.
pub(crate) const SWITCHES: &[Choice] = &[
    Choice::new(
        "crossbar",
        "Every lane has its own input of the switch: only output channels are contended for.",
    )
    .cite("Dally 1992, figure 6A"),
    Choice::new(
        "multiplexed",
        "The lanes of a channel share one input of the switch.",
    )
    .cite("Dally 1992, figure 6B"),
];

/// The allocators.
pub(crate) const ALLOCATORS: &[Choice] = &[
    Choice::new(
        "separable-input-first",
        "Each input proposes one lane, each output takes one input.",
    ),
    Choice::new(
        "separable-output-first",
        "Each output offers itself to one input that wants it, each input takes one offer.",
    ),
    Choice::new(
        "islip",
        "The latter, in rounds; arbiters move on only when their choice in the first round was \
         taken.",
    )
    .cite("McKeown 1999"),
];

const RELEASES: &[Choice] = &[
    Choice::new(
        "drained",
        "When the tail has left the lane's buffer, known at the sender a credit delay later.",
    ),
    Choice::new(
        "tail-sent",
        "When the tail has been sent into it: packets may queue in one buffer.",
    ),
];

const FORWARDINGS: &[Choice] = &[
    Choice::new("wormhole", "Room for one flit."),
    Choice::new("cut-through", "Room for its whole packet.").cite("Kermani and Kleinrock 1979"),
];

const LANE_CHOICES: &[Choice] = &[
    Choice::new("lowest", "The lowest."),
    Choice::new(
        "round-robin",
        "The next one after the lane that the last packet from the same input lane got, the \
         lowest if that was of another channel. Spreads packets over buffers where `release` is \
         `tail-sent`.",
    ),
];

/// The arbiters.
pub(crate) const ARBITERS: &[Choice] = &[
    Choice::new("random", "All are equally likely."),
    Choice::new("round-robin", "In turn."),
    Choice::new(
        "earliest",
        "The class of highest priority first, then the earliest deadline; the oldest packet where \
         classes have no deadline.",
    ),
];
