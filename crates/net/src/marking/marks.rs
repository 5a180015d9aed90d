//! Is the queue long? With hysteresis: from more than `high` cells until `low` or fewer wait.
//! It is looked at as ABR cells join, and where a rule marks backward cells, as those pass.

use crate::spec::MarkSpec;

/// Looks at the queue now and then and remembers what it was.
pub(super) struct Marks {
    high: u32,
    low: u32,
    is_long: bool,
}

impl Marks {
    pub fn new(spec: &MarkSpec) -> Marks {
        Marks {
            high: spec.high_cells,
            low: spec.low_cells,
            is_long: false,
        }
    }

    /// So many cells wait: is the queue long?
    #[inline]
    pub fn look(&mut self, queue_cells: u32) -> bool {
        let bound = if self.is_long { self.low } else { self.high };
        self.is_long = queue_cells > bound;
        self.is_long
    }

    pub fn is_long(&self) -> bool {
        self.is_long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_above_high_until_low() {
        let mut marks = Marks::new(&MarkSpec {
            high_cells: 10,
            low_cells: 5,
        });
        assert!(!marks.is_long());
        let queue = [9, 10, 11, 10, 6, 5, 6, 10, 11, 5, 0];
        let long = queue.map(|cells| marks.look(cells));
        let t = true;
        let f = false;
        assert_eq!(long, [f, f, t, t, t, f, f, f, t, f, f]);
    }

    #[test]
    fn without_hysteresis_one_bound_decides() {
        let mut marks = Marks::new(&MarkSpec {
            high_cells: 2,
            low_cells: 2,
        });
        assert_eq!(
            [2, 3, 2, 3].map(|q| marks.look(q)),
            [false, true, false, true]
        );
    }
}
