//! First in, first out: the rank of a unit is the instant at which it came.

use super::stamped::Rule;
use super::{Admitted, Port};

/// No state: time is enough.
pub(super) struct Fifo;

impl Rule for Fifo {
    #[inline]
    fn rank(&mut self, port: &Port, _seat: u32, _bytes: u32) -> Option<Admitted> {
        Admitted::ranked(port.now.ps())
    }
}
