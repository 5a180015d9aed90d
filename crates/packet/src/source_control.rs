//! When may the source send what the application wants? One file a scheme.

mod abr;
mod aimd;
mod window;

pub(crate) use abr::{Abr, Next};
pub(crate) use aimd::Aimd;
pub(crate) use window::Window;

use alloc::boxed::Box;

use backwater_kernel::Time;

use crate::spec::SourceControlSpec;

/// End-to-end control of one flow.
pub(crate) enum SourceControl {
    /// Send at once.
    None,
    Window(Window),
    Aimd(Box<Aimd>),
    /// Paced by `rm_cells.rs`, not by the questions below.
    Abr(Box<Abr>),
}

impl SourceControl {
    /// For units of `bytes`.
    pub fn new(spec: &SourceControlSpec, bytes: u32) -> SourceControl {
        match *spec {
            SourceControlSpec::None => SourceControl::None,
            SourceControlSpec::Abr(ref spec) => SourceControl::Abr(Abr::new(spec, bytes)),
            SourceControlSpec::Window { units } => SourceControl::Window(Window::new(units)),
            SourceControlSpec::Aimd {
                initial_units,
                maximum_units,
                increase_units,
                decrease,
                timeout,
            } => SourceControl::Aimd(Box::new(Aimd::new(
                initial_units,
                maximum_units,
                increase_units,
                decrease,
                timeout,
            ))),
        }
    }

    /// The ABR end system, if it is one.
    #[inline]
    pub fn abr(&mut self) -> Option<&mut Abr> {
        match self {
            SourceControl::Abr(abr) => Some(abr),
            _ => None,
        }
    }

    /// May the next unit go?
    #[inline]
    pub fn may_send(&self) -> bool {
        match self {
            SourceControl::None => true,
            SourceControl::Window(window) => window.may_send(),
            SourceControl::Aimd(aimd) => aimd.may_send(),
            SourceControl::Abr(_) => false,
        }
    }

    /// A unit goes now; when to call `on_timer`, if a timer has to be set.
    #[inline]
    pub fn on_sent(&mut self, now: Time) -> Option<Time> {
        match self {
            SourceControl::None | SourceControl::Abr(_) => None,
            SourceControl::Window(window) => {
                window.on_sent();
                None
            }
            SourceControl::Aimd(aimd) => aimd.on_sent(now),
        }
    }

    /// The destination acknowledges: it expects unit `expected` next.
    pub fn on_acknowledgement(&mut self, now: Time, expected: u32) {
        match self {
            SourceControl::None | SourceControl::Abr(_) => {}
            SourceControl::Window(window) => window.on_acknowledgement(expected),
            SourceControl::Aimd(aimd) => aimd.on_acknowledgement(now, expected),
        }
    }
}
