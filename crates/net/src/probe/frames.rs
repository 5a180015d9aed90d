//! Probes of frames, and what they see.

mod audit;
mod recorder;

pub use crate::probe::{Cause, Content, CreditMessage, FrameView, Gate, Probe};
pub use audit::{Audit, Coverage};
pub use recorder::Recorder;
