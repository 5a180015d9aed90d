//! TCP over cells: a flavour, what differs from it, and how segments become cells.

use backwater_derive::table;

use crate::given::tcp::Tcp;
use crate::language::typed::Placed;

/// The TCP of flows with `transport = "tcp"`: a flavour, what differs from it, and how segments
/// become cells.
#[table("[tcp]", layered)]
pub(crate) struct CellTcp {
    #[key(flatten)]
    pub tcp: Tcp,
    /// Payload of a cell.
    #[key(is = Size { min: 1, max: 1 << 20 }, default = "\"48 B\"", cite = "ITU-T I.363.5")]
    pub payload: Placed<Option<u32>>,
    /// Bytes of a frame besides the segment's payload: TCP and IP 40, LLC 8, the trailer of AAL 5
    /// 8.
    #[key(is = Size { min: 0, max: 65_536 }, default = "\"56 B\"")]
    #[key(cite = "RFC 1483; ITU-T I.363.5")]
    pub overhead: Option<u32>,
}

/// What a flow changes of `[tcp]`; with a `preset` of its own, its flavour starts anew from that.
#[table("flows.tcp")]
pub(crate) struct CellTcpOverride {
    #[key(flatten, as_above)]
    pub tcp: CellTcp,
}
