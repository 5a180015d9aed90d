//! Probes of frames, and what they see.

mod audit;

pub use crate::probe::{
    Checks, Content, Coverage, CreditMessage, EndedFlow, Frame, FrameView, Gate, LossCause, Probe,
    Recorder, counters,
};
pub use audit::Audit;
