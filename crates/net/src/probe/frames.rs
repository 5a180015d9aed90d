//! Probes of frames, and what they see.

mod audit;
mod recorder;

pub use crate::probe::{Content, CreditMessage, FrameView, Gate, LossCause, Probe};
pub use audit::{Audit, Coverage};
pub use recorder::Recorder;
