//! What happens from one instant to the next, as sentences.

mod cells;
mod flits;
mod frames;

pub use cells::CellLog;
pub use flits::FlitLog;
pub use frames::FrameLog;

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happening {
    /// When: an instant in ps, or a cycle.
    pub at: u64,
    /// What, in a sentence without its end.
    pub text: String,
}

/// A log that someone reads now and then.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    happenings: Vec<Happening>,
    /// Nobody reads it: nothing is kept.
    pub is_off: bool,
}

impl Kept {
    fn note(&mut self, at: u64, text: impl FnOnce() -> String) {
        if !self.is_off {
            self.happenings.push(Happening { at, text: text() });
        }
    }

    /// What was kept since it was asked last.
    pub fn take(&mut self) -> Vec<Happening> {
        core::mem::take(&mut self.happenings)
    }
}

/// A probe that keeps a log.
pub trait Log {
    /// It.
    fn kept(&mut self) -> &mut Kept;
}

impl Log for CellLog {
    fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }
}

impl Log for FrameLog {
    fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }
}
