//! What circuits carry, and what fits: as much as a full frame, or cells.

use crate::given::compare as given;

/// Bytes of a cell on the wire.
const CELL_BYTES: u64 = 53;
/// Bytes of payload in a cell.
const CELL_PAYLOAD_BYTES: u64 = 48;
/// Largest frame, as memory counts it.
pub(super) const FRAME_BYTES: u64 = 1518;
/// Preamble and gap around a frame on the wire.
const FRAME_GAP_BYTES: u64 = 20;
/// Ethernet, IP and UDP headers and FCS.
const FRAME_HEADER_BYTES: u64 = 46;
/// A control frame on the wire, preamble and gap included.
pub(super) const CONTROL_BYTES: u64 = 84;

/// Least frame, as memory counts it.
pub(super) const FRAME_LEAST_BYTES: u64 = 64;

/// Bytes on the wire of a frame with so much payload.
pub(super) fn frame_wire_bytes(payload: u64) -> u64 {
    FRAME_LEAST_BYTES.max(payload + FRAME_HEADER_BYTES) + FRAME_GAP_BYTES
}

/// What the circuits of a scheme carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// As much as a full frame with a datagram.
    Frame,
    /// A cell.
    Cell,
}

impl Unit {
    /// What the file says.
    pub(super) fn given(word: given::Unit) -> Unit {
        match word {
            given::Unit::Frame => Unit::Frame,
            given::Unit::Cell => Unit::Cell,
        }
    }

    /// The unit of so many bytes on the wire.
    pub fn of_wire(bytes: u32) -> Unit {
        match u64::from(bytes) == CELL_BYTES {
            true => Unit::Cell,
            false => Unit::Frame,
        }
    }

    /// Bytes on the wire.
    pub const fn wire_bytes(self) -> u64 {
        match self {
            Unit::Frame => FRAME_BYTES + FRAME_GAP_BYTES,
            Unit::Cell => CELL_BYTES,
        }
    }

    /// Bytes in memory.
    pub const fn memory_bytes(self) -> u64 {
        match self {
            Unit::Frame => FRAME_BYTES,
            Unit::Cell => CELL_BYTES,
        }
    }

    /// Bytes of payload.
    pub const fn payload_bytes(self) -> u64 {
        match self {
            Unit::Frame => FRAME_BYTES - FRAME_HEADER_BYTES,
            Unit::Cell => CELL_PAYLOAD_BYTES,
        }
    }

    /// Bytes of a credit unit on the wire.
    pub const fn message_bytes(self) -> u64 {
        match self {
            Unit::Frame => CONTROL_BYTES,
            Unit::Cell => CELL_BYTES,
        }
    }

    /// Units that hold so much payload.
    pub fn count(self, payload_bytes: u64) -> u64 {
        payload_bytes.div_ceil(self.payload_bytes()).max(1)
    }
}
