//! Probes of frames, and what they see.

mod audit;

pub use crate::probe::{
    Checks, Content, Coverage, CreditMessage, FrameView, Gate, LossCause, Probe, Recorder,
};
pub use audit::Audit;
