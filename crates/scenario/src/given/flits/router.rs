//! Routers and channels.

use backwater_derive::{table, word};
use backwater_flit::spec;

use crate::given::usual::{Usual, usual};
use crate::language::typed::Placed;

/// Flits of a VC where neither `depth` nor `storage` is given.
pub(crate) const DEPTH: Usual<u16> = usual!(4);
/// Rounds of iSLIP where `iterations` is not given.
pub(crate) const ROUNDS: Usual<u8> = usual!(1);

/// What every router and channel has. The receiving end of a channel holds `vcs` buffers
/// (virtual channels) of `depth` flits each.
#[table("[router]", at_most_one(depth, storage))]
pub(crate) struct Router {
    /// Virtual channels (VCs) of each channel; Dally's paper calls them lanes.
    #[key(is = Whole { min: 1, max: 32, unit: "VCs" }, default = "1", cite = "Dally 1992")]
    pub vcs: Placed<u8>,
    /// Flits that a VC holds.
    #[key(is = Whole { min: 1, max: 65_535, unit: "flits" })]
    #[key(otherwise = "{DEPTH}, or from `storage`")]
    pub depth: Placed<Option<u16>>,
    /// Flits that all VCs of a channel hold together; each gets an equal part.
    #[key(is = Whole { min: 1, max: 2_097_120, unit: "flits" }, otherwise = "`vcs` times `depth`")]
    pub storage: Placed<Option<u32>>,
    #[key(flatten)]
    pub switch: RouterKind,
    /// When a VC is free for the next packet.
    #[key(default = "\"drained\"")]
    pub release: Placed<Release>,
    /// What room a header needs in the next VC.
    #[key(default = "\"wormhole\"")]
    pub forwarding: Placed<Forwarding>,
    /// Who crosses a channel; with a multiplexed switch, who wins an input and an output.
    #[key(default = "\"round-robin\"")]
    pub arbiter: Arbiter,
    /// Which of the waiting headers gets a free VC.
    #[key(default = "\"round-robin\"")]
    pub vc_arbiter: Arbiter,
    /// Which of the free VCs it gets.
    #[key(default = "\"lowest\"")]
    pub vc_choice: VcChoice,
    /// Cycles a header spends in a router before it competes for a VC; 0 lets it move the cycle
    /// after it came.
    #[key(is = Cycles { min: 0, max: 4095 }, default = "\"0 cycles\"")]
    pub header_delay: u16,
    /// Cycles from a header's getting a VC in a router to its first chance to move. The VC is
    /// taken meanwhile.
    #[key(is = Cycles { min: 0, max: 4095 }, default = "\"0 cycles\"")]
    pub allocation_delay: u16,
    /// Cycles every flit spends in a router on top of those of its channel.
    #[key(is = Cycles { min: 0, max: 4095 }, default = "\"0 cycles\"")]
    pub pipeline_delay: Placed<u16>,
    /// Cycles from a flit's leaving a buffer to the leaving of the flit that takes its room; 0
    /// needs a network without cycles of channels.
    #[key(is = Cycles { min: 0, max: 4096 }, default = "\"1 cycle\"")]
    pub credit_delay: Placed<u16>,
}

/// What the switch of [router] sets.
#[table(
    part,
    by(
        switch,
        "How flits get from inputs to outputs.",
        default = "\"crossbar\""
    )
)]
pub(crate) enum RouterKind {
    /// Every VC has its own input of the switch: only output channels are contended for.
    #[word(cite = "Dally 1992, figure 6A")]
    Crossbar,
    /// The VCs of a channel share one input of the switch.
    #[word(cite = "Dally 1992, figure 6B")]
    Multiplexed {
        /// How inputs and outputs are matched.
        #[key(default = "\"separable-input-first\"")]
        allocator: Placed<Allocator>,
        /// Rounds of `islip` among what is left.
        #[key(is = Whole { min: 1, max: 255, unit: "rounds" }, otherwise = "{ROUNDS}")]
        iterations: Placed<Option<u8>>,
        /// Buffer between switch and channel.
        #[key(is = Whole { min: 0, max: 65_535, unit: "flits" }, default = "0")]
        output_buffer: Placed<u16>,
        /// Times the switch works in a cycle; above 1 it needs an `output_buffer`.
        #[key(is = Whole { min: 1, max: 64, unit: "times" }, default = "1")]
        speedup: Placed<u8>,
    },
}

/// Words of `allocator`: How inputs and outputs are matched.
#[word]
pub(crate) enum Allocator {
    /// Each input proposes one VC, each output takes one input.
    SeparableInputFirst,
    /// Each output offers itself to one input that wants it, each input takes one offer.
    SeparableOutputFirst,
    /// As separable-output-first, in rounds; arbiters move on only when their choice in the first
    /// round was taken.
    #[word(cite = "McKeown 1999")]
    Islip,
}

/// Words of `release`: When a VC is free for the next packet.
#[word(of = spec::Release)]
pub(crate) enum Release {
    /// When the tail has left the VC's buffer, known at the sender a credit delay later.
    Drained,
    /// When the tail has been sent into it: packets may queue in one buffer.
    TailSent,
}

/// Words of `forwarding`: What room a header needs in the next VC.
#[word]
pub(crate) enum Forwarding {
    /// Room for one flit.
    Wormhole,
    /// Room for its whole packet.
    #[word(cite = "Kermani and Kleinrock 1979")]
    CutThrough,
}

/// Words of `arbiter`: Who crosses a channel; with a multiplexed switch, who wins an input and an
/// output.
#[word(of = spec::Arbiter)]
pub(crate) enum Arbiter {
    /// All are equally likely.
    Random,
    /// In turn.
    RoundRobin,
    /// The class of highest priority first, then the earliest deadline; the oldest packet where
    /// classes have no deadline.
    Earliest,
}

/// Words of `vc_choice`: Which of the free VCs it gets.
#[word(of = spec::LaneChoice)]
pub(crate) enum VcChoice {
    /// The lowest.
    Lowest,
    /// The next one after the VC that the last packet from the same input VC got, the lowest
    /// if that was of another channel. Spreads packets over buffers where `release` is
    /// `tail-sent`.
    RoundRobin,
}
