//! What one run of the Ethernet engine found, as tables, a page, a summary for the terminal, a
//! trace and a capture.

mod capture;
mod names;

pub use capture::{Capture, SNAP_BYTES, mac};
