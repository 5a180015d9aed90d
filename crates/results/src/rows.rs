//! Tables that grow with the network show so many rows.

use crate::number::grouped;

/// Most rows of a table that grows with the network.
pub const ROWS_MOST: usize = 10_000;

/// Indices of the rows to show: all of them in their order, or the busiest, most first.
pub fn kept(count: usize, load: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    if count > ROWS_MOST {
        let by = |a: &usize, b: &usize| load(*b).total_cmp(&load(*a)).then(a.cmp(b));
        order.select_nth_unstable_by(ROWS_MOST, by);
        order.truncate(ROWS_MOST);
        order.sort_unstable_by(by);
    }
    order
}

/// What is said of a table that doesn't show all.
pub fn limit(count: usize, things: &str) -> String {
    if count <= ROWS_MOST {
        return String::new();
    }
    format!(
        " Only the {} busiest of {} {things} are listed, the busiest first.",
        grouped(ROWS_MOST as u64),
        grouped(count as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_stay_in_their_order_and_many_leave_the_busiest() {
        assert_eq!(kept(3, |index| index as f64), [0, 1, 2]);
        let busiest = kept(ROWS_MOST + 5, |index| (index % 7) as f64);
        assert_eq!(busiest.len(), ROWS_MOST);
        assert_eq!(busiest[..3], [6, 13, 20]);
        let idle = (0..ROWS_MOST + 5).filter(|index| index % 7 == 0);
        assert_eq!(idle.filter(|index| !busiest.contains(index)).count(), 5);
        assert_eq!(kept(ROWS_MOST + 1, |_| f64::NAN).len(), ROWS_MOST);
    }
}
