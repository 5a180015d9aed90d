//! The small cases of Kung 1993, replayed exactly.

use crate::common;

use backwater_kernel::Time;
use backwater_net::probe::Audit;
use backwater_net::spec::*;
use backwater_net::watched;
use common::*;

/// Lengths of the bursts of back-to-back cells.
fn bursts(starts: &[Time]) -> Vec<usize> {
    let mut bursts = vec![1];
    for pair in starts.windows(2) {
        if pair[1] - pair[0] == cell() {
            *bursts.last_mut().expect("never empty") += 1;
        } else {
            bursts.push(1);
        }
    }
    bursts
}

fn most_in_window(starts: &[Time], window: backwater_kernel::Duration) -> usize {
    let in_window = |first: usize| {
        let end = starts[first] + window;
        starts[first..].partition_point(|&start| start < end)
    };
    (0..starts.len()).map(in_window).max().unwrap_or(0)
}

#[test]
fn figures_9_to_11_credit_is_renewed_just_as_it_runs_out() {
    let net = figure_9(one_in_three(), at(20_000));
    let seen = watch(&net.spec, 1);
    let settled = |list: &[(Time, i64)]| -> Vec<i64> {
        let late = list.iter().filter(|(when, _)| *when >= at(1000));
        late.map(|(_, credit)| *credit).collect()
    };
    let credit = settled(&seen.credit);
    assert_eq!(credit.iter().min(), Some(&0));
    assert_eq!(credit.iter().max(), Some(&10));
    assert!(settled(&seen.renewals).iter().all(|&credit| credit == 10));
    let gaps = seen.credits.windows(2).map(|pair| pair[1].at - pair[0].at);
    assert!(gaps.skip(5).all(|gap| gap == cells(30)));
    // Host B is never full: each credit cell says N2 + N3.
    assert!(seen.credits.iter().all(|credit| credit.value == 61));
    let outcome = run(&net.spec);
    assert_eq!(outcome.legs[0].fill_max_total, 1, "cells in the switch");
    assert_eq!(outcome.legs[0].wait_mean_ps, 0.0, "no additional delay");
    // t = 0, 3, ... as far as the second link has it within 20 000 cells.
    assert_eq!(outcome.legs[1].sent_total, (20_000 - 78) / 3 + 1);
}

#[test]
fn figures_12_and_13_one_burst_a_round_trip() {
    let net = figure_9(greedy(), at(163 * 100));
    for leg in [0, 1] {
        let seen = watch(&net.spec, leg);
        let bursts = bursts(&seen.starts);
        assert_eq!(bursts[0], 61);
        assert!(
            bursts[1..bursts.len() - 1]
                .iter()
                .all(|&length| length == 60)
        );
        let period = seen.starts[61 + 60] - seen.starts[61];
        assert_eq!(period, cells(163));
        assert_eq!(most_in_window(&seen.starts, cells(155)), 61);
    }
}

#[test]
fn figures_14_to_16_queues_are_ordered_by_n3() {
    let mut net = figure_14(at(35_000));
    net.spec.warm_up = at(5000);
    let outcome = run(&net.spec);
    assert_eq!(outcome.violations.total(), 0);
    let expected = [(103, 110, 110), (61, 68, 82), (11, 18, 49)];
    for (circuit, (low, high, peak)) in expected.into_iter().enumerate() {
        let at_switch = &outcome.legs[2 * circuit];
        let found = (at_switch.fill_min, at_switch.fill_max);
        assert_eq!(found, (low, high), "VC{}", circuit + 1);
        assert_eq!(at_switch.fill_max_total, peak, "VC{}", circuit + 1);
        let out = outcome.legs[2 * circuit + 1].sent;
        assert!(out.abs_diff(10_000) <= 1, "VC{}: {out}", circuit + 1);
    }
    // A cell waits three cell times for each cell before it.
    let vc1 = &outcome.legs[0];
    let wait = vc1.wait_mean_ps / cell().ps() as f64;
    assert!((wait / vc1.fill_mean - 3.0).abs() < 0.01, "{wait}");
}

#[test]
fn figure_15_input_comes_in_tens_and_output_every_third_cell() {
    let net = figure_14(at(20_000));
    let late = |leg| -> Vec<Time> {
        let starts = watch(&net.spec, leg).starts;
        starts.into_iter().filter(|&s| s >= at(5000)).collect()
    };
    let input = bursts(&late(0));
    assert!(input[1..input.len() - 1].iter().all(|&length| length == 10));
    let output = late(1);
    assert!(output.windows(2).all(|pair| pair[1] - pair[0] == cells(3)));
}

#[test]
fn figure_17_settles_at_a_third_and_two_thirds() {
    let mut net = figure_17(Timing::StoreAndForward, at(20_000));
    net.spec.warm_up = at(10_000);
    let audit = Audit::new(&net.spec);
    let (probe, outcome) = watched(&net.spec, audit).expect("it is sound");
    let audit = probe;
    assert_eq!(
        audit.checks().violations().total(),
        0,
        "{:?}",
        audit.checks().violations().kept()
    );
    assert!(audit.checks().made() > 100_000);
    let share = |leg: usize| outcome.legs[leg].sent as f64 / 10_000.0;
    assert!((share(1) - 1.0 / 3.0).abs() < 1e-3, "VC1 {}", share(1));
    assert!((share(4) - 2.0 / 3.0).abs() < 1e-3, "VC2 {}", share(4));
    let vc1_at_s2 = &outcome.legs[1];
    assert_eq!((vc1_at_s2.fill_min, vc1_at_s2.fill_max), (103, 107));
}

#[test]
fn figure_18_vc1_falls_from_a_half_to_a_third() {
    for timing in [Timing::StoreAndForward, Timing::CutThrough] {
        let net = figure_17(timing, at(3000));
        let starts = watch(&net.spec, 1).starts;
        let share = |from: u64, cells: u64| {
            let inside = |start: &&Time| (at(from)..at(from + cells)).contains(*start);
            starts.iter().filter(inside).count() as f64 / cells as f64
        };
        assert_eq!(share(100, 300), 0.5);
        let third = 1.0 / 3.0;
        let is_near = |from: u64| (share(from, 30) - third).abs() <= third / 10.0 + 1e-9;
        let late = (400..2500).rev().take_while(|&from| is_near(from));
        let settled = late.last().expect("it settles");
        assert!((680..=706).contains(&settled), "{timing:?}: {settled}");
    }
}
