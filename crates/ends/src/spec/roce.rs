//! How queue pairs carry messages.

use backwater_kernel::{Duration, Rate};

use super::{Notify, RateControlSpec};

/// A reliable connection of RoCE v2 between two hosts.
#[derive(Clone, PartialEq, Debug)]
pub struct RoceSpec {
    /// Payload of a full packet.
    pub mtu_bytes: u32,
    /// What is handed over is cut into messages of at most so many bytes; [`u64::MAX`] is not.
    pub message_bytes: u64,
    /// When the receiver acknowledges.
    pub acks: AckEvery,
    /// What follows a packet that is missing.
    pub recovery: PairRecovery,
    /// Nothing acknowledged for so long: it goes back to what was not.
    pub timeout: Duration,
    /// Bytes that may be sent and not acknowledged, whatever the control says; [`u64::MAX`] is no
    /// limit.
    pub window_bytes: u64,
    /// How the sender learns of marks.
    pub notify: Option<Notify>,
    /// Class of acknowledgements; else that of the flow.
    pub ack_class: Option<u8>,
    /// Class of CNPs; else that of the flow.
    pub cnp_class: Option<u8>,
    /// Data can be marked.
    pub is_ect: bool,
    /// Switches write into its packets what they see: each has room for it.
    pub has_telemetry: bool,
    /// Who computes the rate.
    pub control: RateControlSpec,
    /// Rate of the source's port.
    pub line: Rate,
}

/// When the receiver acknowledges data that came in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckEvery {
    /// So many packets, and the end of a message.
    Packets(u32),
    /// The end of a message.
    Message,
}

/// What follows a packet that is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairRecovery {
    /// The receiver refuses what is out of order and says so once; the sender goes back
    /// (InfiniBand, ConnectX-4 to -6).
    GoBackN,
    /// The receiver keeps what is out of order and names it; only what is missing goes again (IRN).
    Selective,
    /// The receiver takes packets in any order and names each; a gap says nothing, as of packets
    /// that took several ways. What is missing goes again after a time-out (Ultra Ethernet's RUD).
    AnyOrder,
}

impl RoceSpec {
    /// As no control needs it: packets of 1,024 bytes, each acknowledged, go-back-N.
    pub fn plain(line: Rate) -> RoceSpec {
        RoceSpec {
            mtu_bytes: 1_024,
            message_bytes: u64::MAX,
            acks: AckEvery::Packets(1),
            recovery: PairRecovery::GoBackN,
            timeout: Duration(67_108_864_000),
            window_bytes: u64::MAX,
            notify: None,
            ack_class: None,
            cnp_class: None,
            is_ect: false,
            has_telemetry: false,
            control: RateControlSpec::None,
            line,
        }
    }
}
