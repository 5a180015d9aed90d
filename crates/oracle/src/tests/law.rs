//! Closed forms: the throughput of one circuit on one link, and the price of its credit units.

use super::*;

/// Units sent in one period of the steady state, and the period in cells: a lone greedy circuit
/// sends `N2 * floor(W / N2)` units every `D + N2 - 1 - (W mod N2)` cells.
fn law(n2: u64, n3: u64, loop_cells: u64) -> (u64, u64) {
    let promised = n2 + n3;
    (n2 * (promised / n2), loop_cells + n2 - 1 - promised % n2)
}

fn started_between(starts: &[Start], channel: u32, from: u64, until: u64) -> u64 {
    data(starts, channel)
        .iter()
        .filter(|entry| (from..until).contains(&entry.0))
        .count() as u64
}

fn check_law(n2: u64, n3: u64, one_way_cells: u64) {
    let (units, period) = law(n2, n3, 2 * one_way_cells);
    let warm_up = 20 * period * CELL_PS;
    let until = warm_up + 7 * period * CELL_PS;
    let mut spec = network(2, vec![link(0, 1, one_way_cells * CELL_PS)], until);
    add_flow(&mut spec, 0, &[(0, None)], n2 as u32, n3 as u32);
    let sent = started_between(&run(&spec).starts, 0, warm_up, until);
    assert_eq!(
        sent,
        7 * units.min(period),
        "N2 {n2}, N3 {n3}, {one_way_cells} cells one way"
    );
}

#[test]
fn throughput_follows_the_law() {
    for n2 in [1, 2, 3, 4, 7, 10] {
        for n3 in [0, 1, 2, 5, 9, 13, 20, 31, 45] {
            for one_way_cells in [1, 4, 17] {
                check_law(n2, n3, one_way_cells);
            }
        }
    }
}

#[test]
fn the_example_with_n3_of_51_sends_60_in_163() {
    let mut spec = network(2, vec![link(0, 1, 775)], 163 * 30 * CELL_PS);
    add_flow(&mut spec, 0, &[(0, None)], 10, 51);
    let until = 163 * 30 * CELL_PS;
    let sent = started_between(&run(&spec).starts, 0, until - 163 * 9 * CELL_PS, until);
    assert_eq!(sent, 9 * 60);
    assert_eq!(law(10, 51, 155), (60, 163));
}

/// Figure 20: a circuit each way on one link; credit units take one cell of N2 + 1.
#[test]
fn credit_units_cost_one_cell_in_n2_plus_1() {
    for (n2, n3) in [(10, 155), (10, 165), (10, 300), (4, 160)] {
        let period = (n2 + 1) * CELL_PS;
        let (from, until) = (300 * period, 400 * period);
        let mut spec = network(2, vec![link(0, 1, 775)], until);
        add_flow(&mut spec, 0, &[(0, None)], n2 as u32, n3);
        add_flow(&mut spec, 1, &[(1, None)], n2 as u32, n3);
        let report = run(&spec);
        for channel in [0, 1] {
            assert_eq!(
                started_between(&report.starts, channel, from, until),
                100 * n2
            );
            let control = credits(&report.starts, channel);
            let control = control
                .iter()
                .filter(|entry| (from..until).contains(&entry.0))
                .count();
            assert_eq!(control, 100, "N2 {n2}, N3 {n3}, channel {channel}");
        }
    }
}
