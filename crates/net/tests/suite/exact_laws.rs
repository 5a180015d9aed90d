//! Closed forms, reproduced to the cell.

use crate::common;

use backwater_kernel::Time;
use backwater_net::spec::*;
use common::*;

fn one_link(n2: u32, n3: u32, one_way: u64, timing: Timing, stop_at: Time) -> Net {
    let mut net = Net::new(timing, halves(one_way), stop_at);
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    let control = net.n23(n2, n3);
    net.flow(a, &[link], control);
    net
}

/// Units and cell times of one period of a lone greedy circuit:
/// `N2 * floor(W / N2)` in `D + N2 - 1 - (W mod N2)`, at most the link's rate.
fn law(n2: u64, n3: u64, loop_cells: u64) -> (u64, u64) {
    let window = n2 + n3;
    let period = loop_cells + n2 - 1 - window % n2;
    ((n2 * (window / n2)).min(period), period)
}

/// Starts in seven whole periods after twenty.
fn seven_periods(n2: u64, n3: u64, loop_cells: u64, timing: Timing) -> u64 {
    let (_, period) = law(n2, n3, loop_cells);
    let wire = if timing == Timing::StoreAndForward {
        2
    } else {
        0
    };
    let (from, until) = (at(20 * period), at(27 * period));
    let one_way = loop_cells - wire; // in half cells
    let net = one_link(n2 as u32, n3 as u32, one_way, timing, until);
    let starts = watch(&net.spec, 0).starts;
    let inside = |start: &&Time| (from..until).contains(*start);
    starts.iter().filter(inside).count() as u64
}

#[test]
fn throughput_follows_the_law_exactly() {
    let mut full = 0;
    for n2 in [1, 2, 3, 5, 7, 10, 20] {
        for n3 in [0, 1, 4, 9, 13, 20, 40, 51, 100, 155, 170] {
            for loop_cells in [4, 21, 60, 155] {
                for timing in [Timing::CutThrough, Timing::StoreAndForward] {
                    let (units, period) = law(n2, n3, loop_cells);
                    let counted = seven_periods(n2, n3, loop_cells, timing);
                    let case = format!("N2 {n2}, N3 {n3}, loop {loop_cells}, {timing:?}");
                    assert_eq!(counted, 7 * units, "{case}");
                    // Full rate from N2 + N3 >= D + N2 - 1 on, and not before.
                    let is_full = n2 + n3 >= loop_cells + n2 - 1;
                    assert_eq!(counted == 7 * period, is_full, "{case}");
                    full += is_full as u32;
                }
            }
        }
    }
    assert!(
        full > 200 && full < 500,
        "{full} cases run at the full rate"
    );
}

#[test]
fn the_paper_s_example_sends_60_cells_in_163() {
    assert_eq!(law(10, 51, 155), (60, 163));
    assert_eq!(seven_periods(10, 51, 155, Timing::CutThrough), 420);
}

/// Figure 20: one circuit each way over one link; a credit cell for every N2 data cells.
#[test]
fn opposite_circuits_pay_one_cell_in_n2_plus_one_for_credit() {
    for (n2, n3) in [
        (10, 155),
        (10, 165),
        (10, 300),
        (4, 160),
        (2, 170),
        (20, 200),
    ] {
        let period = n2 as u64 + 1;
        let mut net = figure_20(n2, n3, at(400 * period));
        net.spec.warm_up = at(300 * period);
        for channel in run(&net.spec).channels {
            let units = (channel.data_units, channel.control_units);
            // The unit that starts at the last instant counts as well.
            let ok = units.0.abs_diff(100 * n2 as u64) <= 1 && units.1.abs_diff(100) <= 1;
            assert!(ok, "N2 {n2}, N3 {n3}: {units:?}");
            let share = n2 as f64 / period as f64;
            assert!((channel.data_share - share).abs() < 1e-9, "N2 {n2}");
            let rest = 1.0 - share;
            assert!((channel.control_share - rest).abs() < 1e-9, "N2 {n2}");
        }
    }
}

/// Figures 17 and 19: at every renewal of VC1 between the switches, N2 + N3 - fill - E = N2.
#[test]
fn effective_credit_is_10_at_every_renewal() {
    let net = figure_17(Timing::StoreAndForward, at(20_000));
    let renewals = watch(&net.spec, 1).renewals;
    let settled: Vec<i64> = renewals
        .iter()
        .filter(|(when, _)| *when >= at(5000))
        .map(|(_, credit)| *credit)
        .collect();
    assert!(settled.len() >= 490, "{}", settled.len());
    assert!(settled.iter().all(|&credit| credit == 10), "{settled:?}");
    // Before it settles, other values occur.
    assert!(renewals.iter().any(|(_, credit)| *credit != 10));
}

/// Cut the stream of credit: A = floor((B + G) / N2) further credit cells follow the first lost
/// one, B the cells stored, G what the last good credit allowed and had not arrived yet.
#[test]
fn as_many_credit_cells_follow_a_lost_one_as_section_4_5_says() {
    let mut counts = Vec::new();
    for n2 in [1, 3, 5, 10] {
        for n3 in [40, 155] {
            for from in [2000, 2013, 2047, 2100] {
                let mut net = Net::new(Timing::CutThrough, halves(155), at(6000));
                let a = net.node("A", NodeKind::Host);
                let s = net.node("S", NodeKind::Switch);
                let b = net.node("B", NodeKind::Host);
                let (first, second) = (net.link(a, s), net.link(s, b));
                let control = net.n23(n2, n3);
                net.flow(a, &[first, second], control);
                net.spec.links[0].channels[1].errors = ErrorSpec {
                    control_loss: 1.0,
                    from: at(from),
                    ..ErrorSpec::default()
                };
                let credits = watch(&net.spec, 0).credits;
                let cut = credits.partition_point(|credit| credit.at < at(from));
                let (good, lost) = (credits[cut - 1], credits[cut]);
                let to_come = good.value - (lost.arrived - good.arrived);
                let expected = (lost.stored + to_come) / n2 as u64;
                let followed = (credits.len() - cut - 1) as u64;
                assert_eq!(followed, expected, "N2 {n2}, N3 {n3}, from {from}");
                counts.push(followed);
            }
        }
    }
    counts.sort_unstable();
    counts.dedup();
    assert!(counts.len() > 6, "too few different counts: {counts:?}");
}

/// N123 and N123+ cost memory, not throughput: the law's full rate with N1 a loop of cells.
#[test]
fn the_three_zone_rules_reach_the_full_rate() {
    for (rule, n1) in [(CreditRule::N123, 155), (CreditRule::N123Plus, 164)] {
        let mut net = one_link(10, 155, 155, Timing::CutThrough, at(3000));
        net.spec.warm_up = at(1000);
        let credit = net.credit(rule, n1, 10, 155);
        let leg = &mut net.spec.flows[0].legs[0];
        leg.flow_control = FlowControlSpec::Credit(credit);
        leg.buffer.limit_units = Some(n1 + 165);
        let outcome = run(&net.spec);
        assert_eq!(outcome.violations.total(), 0);
        assert_eq!(outcome.channels[0].data_share, 1.0, "{rule:?}");
    }
}
