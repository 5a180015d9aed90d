//! RoCE: how queue pairs carry messages, and who computes their rate.

use backwater_derive::{table, word};
use backwater_kernel::Duration;

use super::rate_control::RateControl;
use crate::given::usual::{Usual, usual};
use crate::language::kinds::OrWord;
use crate::language::typed::{Chosen, Placed};

/// Payload of a full packet, where the file says nothing.
pub(crate) const MTU: Usual<u32> = usual!(1024 B);
/// Time-out: 4.096 us times 2^14, as tools of the field ask for.
pub(crate) const TIMEOUT: Usual<Duration> = usual!(67108864 ns);

/// What queue pairs (flows with `transport = "roce"`) do: reliable connections of RoCE v2. The port
/// of the host pulls: one packet of each queue pair waits there, in turn with those of the others.
#[table("[roce]", layered)]
pub(crate) struct Roce {
    /// Payload of a full packet: what messages are cut into.
    #[key(is = Size { min: 64, max: 9100 }, otherwise = "{MTU} B")]
    pub mtu: Placed<Option<u32>>,
    /// What the application hands over is cut into messages of at most this.
    #[key(is = Size { min: 1, max: 1 << 40 }, otherwise = "it is one message")]
    pub message: Placed<Option<u64>>,
    /// The receiver acknowledges every so many packets, and the end of a message; or that alone.
    #[key(
        is = Or("message", Whole { min: 1, max: 1_000_000, unit: "packets" }),
        otherwise = "1"
    )]
    pub ack_every: Option<OrWord<u32>>,
    /// What follows a packet that is missing.
    #[key(otherwise = "\"go-back-n\"")]
    pub recovery: Option<Recovery>,
    /// Nothing acknowledged for so long: it sends again from there.
    #[key(is = Clock { min_ps: 1 }, otherwise = "67.1 ms (4.096 us times 2^14)")]
    pub timeout: Placed<Option<Duration>>,
    /// Bytes sent and not acknowledged, at most, whatever the control says.
    #[key(is = Size { min: 64, max: 1 << 40 }, otherwise = "no limit")]
    pub window: Placed<Option<u64>>,
    /// Who computes the rate, and from what.
    #[key(short = "kind", otherwise = "nobody: line rate")]
    pub control: Placed<Option<Chosen<RateControl>>>,
    /// Class of acknowledgements.
    #[key(is = Whole { min: 0, max: 31, unit: "" }, otherwise = "that of the flow")]
    pub ack_class: Placed<Option<u8>>,
    /// Class of congestion notification packets (CNPs).
    #[key(is = Whole { min: 0, max: 31, unit: "" }, otherwise = "that of the flow")]
    pub cnp_class: Placed<Option<u8>>,
    /// Data can be marked (`buffer.ecn`, `mark_above`).
    #[key(otherwise = "true if its control goes by marks")]
    pub ecn: Placed<Option<bool>>,
}

/// What a flow changes of `[roce]`.
#[table("flows.roce")]
pub(crate) struct RoceOverride {
    #[key(flatten, as_above)]
    pub roce: Roce,
}

/// Words of `recovery`: What follows a packet that is missing.
#[word]
pub(crate) enum Recovery {
    /// The receiver refuses what is out of order and says so once (NAK); the sender goes back to
    /// what is missing and sends all after it again.
    GoBackN,
    /// The receiver keeps what is out of order and names it; only what is missing goes again.
    #[word(cite = "Mittal and others 2018 (IRN)")]
    Selective,
    /// The receiver takes packets in any order and names each. A gap says nothing of a loss, since
    /// packets may have taken several paths: what is missing goes again when a switch that trims
    /// has said so, or after `timeout`.
    #[word(cite = "Ultra Ethernet 1.0: reliable, unordered")]
    AnyOrder,
}
