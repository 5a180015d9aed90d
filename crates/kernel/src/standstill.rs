//! What can't move, and what it waits for.

use alloc::vec::Vec;

use crate::time::Time;

/// What can't move any more at the end of a run. `W` says of one place what waits there and for
/// what, in the words of its engine; `T` is an instant on its clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standstill<W, T = Time> {
    /// None of it has moved after this instant.
    pub since: T,
    /// Found then.
    pub found_at: T,
    /// Each waits for the next, and the last for the first.
    pub is_circle: bool,
    /// The rest moves.
    pub others_move: bool,
    /// Who waits. In a circle or a chain each waits for the next.
    pub waits: Vec<W>,
}

impl<W, T: Default> Default for Standstill<W, T> {
    fn default() -> Self {
        Self {
            since: T::default(),
            found_at: T::default(),
            is_circle: false,
            others_move: false,
            waits: Vec::new(),
        }
    }
}
