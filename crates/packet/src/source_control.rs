//! Source control: when may a source send what its application wants? One file a scheme.
//!
//! A scheme is a [`Control`]: it is told what happens and says what may go. It has no queue and no
//! clock: time is a parameter, and what it wants sent is its answer. Whoever has the source asks
//! [`Control::next`] until it says no more:
//!
//! | `next` says | Then |
//! |---|---|
//! | `Now(Item::Data)` | a unit of the application goes, and `on_sent` is told |
//! | `Now(Item::Control)` | a unit of the scheme's own goes: `take_control` makes it |
//! | `At(t)` | ask again at `t`, or when something has changed |
//! | `Wait` | ask again when something has changed |
//!
//! To add a scheme: a file with its state and `impl Control`, a line in `members!` below, and a
//! variant of its specification with an arm in `SourceControl::new`.

mod abr;
mod aimd;
mod hooks;
mod window;

use abr::Abr;
use aimd::Aimd;
pub(crate) use hooks::{Control, Counted, Item, Made, Next, Offered, Position, Signal};
use window::Window;

use alloc::boxed::Box;

use backwater_kernel::{Rate, Time};

use crate::outcome::AbrOutcome;
use crate::spec::SourceControlSpec;
use hooks::members;

/// Sends at once.
pub(crate) struct AtOnce;

impl Control for AtOnce {}

members! {
    /// End-to-end control of one flow.
    pub(crate) enum SourceControl {
        None(AtOnce),
        Window(Window),
        Aimd(Box<Aimd>),
        Abr(Box<Abr>),
    }
}

impl SourceControl {
    /// For units of `bytes`.
    pub fn new(spec: &SourceControlSpec, bytes: u32) -> SourceControl {
        match *spec {
            SourceControlSpec::None => SourceControl::None(AtOnce),
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
}
