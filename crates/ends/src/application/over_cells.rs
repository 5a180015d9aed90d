//! A TCP connection over cells: segments cut into cells, as AAL 5 does it (ITU-T I.363.5), and put
//! together again at the other end.
//!
//! | File | Holds |
//! |---|---|
//! | `frames` | a direction's frames: which cells are theirs, which came |
//! | `connection` | both ends, both directions, what uses them, the next timer |
//!
//! A frame is a segment's payload with `overhead_bytes` of headers and trailer, in whole cells of
//! `payload_bytes`. All its cells are offered at once and wait for source control: none (UBR) or
//! ABR, whose RM cells take numbers among them. A cell's number in its flow says which frame it is
//! of, as units have no payload; so a cell counts as part of a frame when it gets its number.
//!
//! Not modelled: marks (EFCI does not become ECN); a last cell that is lost costs its own frame
//! only, while AAL 5, which finds the end of a frame by a bit in the last cell, would throw away
//! the next one too; early and partial packet discard; the time hosts take.

mod connection;
mod frames;

pub use super::transfers::End;
pub use connection::Connection;
