//! EFCI, explicit forward congestion indication (ATM Forum TM 4.0): a switch sets a bit in data
//! cells that join a long queue, the destination turns it into CI of the next backward RM cell,
//! and the source falls by RDF of its rate.
//!
//! RM cells are left alone, and no fair share is computed.

use super::marks::Marks;
use super::{BACKGROUND, PortView, RateInterval, Rule};
use crate::spec::MarkSpec;

/// EFCI marking at one port.
pub(crate) struct Efci {
    marks: Marks,
}

impl Efci {
    pub fn new(spec: &MarkSpec) -> Efci {
        Efci {
            marks: Marks::new(spec),
        }
    }
}

impl Rule for Efci {
    #[inline]
    fn on_cell(&mut self, port: &PortView, seat: u32, _bits: u32) -> Option<RateInterval> {
        if seat != BACKGROUND {
            self.marks.look(port.queue_cells);
        }
        None
    }

    #[inline]
    fn marks(&mut self, port: &PortView) -> bool {
        self.marks.look(port.queue_cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marking::testing::port;
    use backwater_ends::control::RmCell;

    #[test]
    fn data_cells_are_marked_while_the_queue_is_long() {
        let mut efci = Efci::new(&MarkSpec {
            high_cells: 3,
            low_cells: 1,
        });
        let found = [3, 4, 2, 1, 2].map(|queue_cells| {
            efci.on_cell(&port(0, queue_cells), 0, 424);
            efci.marks(&port(0, queue_cells))
        });
        assert_eq!(found, [false, true, true, false, false]);
    }

    #[test]
    fn cells_that_are_not_marked_move_the_state_too() {
        let mut efci = Efci::new(&MarkSpec {
            high_cells: 3,
            low_cells: 1,
        });
        // An RM cell finds the queue long; a data cell after it, within the hysteresis, is marked.
        efci.on_cell(&port(0, 4), 0, 424);
        assert!(efci.marks(&port(0, 2)));
    }

    #[test]
    fn background_is_no_occasion_to_look() {
        let mut efci = Efci::new(&MarkSpec {
            high_cells: 3,
            low_cells: 1,
        });
        efci.on_cell(&port(0, 4), 0, 424);
        efci.on_cell(&port(0, 1), BACKGROUND, 424);
        assert!(efci.marks(&port(0, 2)));
    }

    #[test]
    fn rm_cells_pass_unchanged() {
        let mut efci = Efci::new(&MarkSpec {
            high_cells: 0,
            low_cells: 0,
        });
        let mut cell = RmCell::default();
        efci.on_cell(&port(0, 9), 0, 424);
        efci.on_forward(&port(0, 9), 0, &mut cell);
        efci.on_backward(&port(0, 9), 0, &mut cell);
        assert_eq!(cell, RmCell::default());
    }
}
