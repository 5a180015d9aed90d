//! Small cases computed by hand. A cell takes 10 ps.

use backwater_net::spec::{Bind, CreditRule, Overflow, SinkSpec, Span, Timing, TrafficSpec};

use super::*;
use crate::{Problem, first_difference};

fn times(list: &[(u64, u32, u64)]) -> Vec<u64> {
    list.iter().map(|entry| entry.0).collect()
}

fn single(n2: u32, n3: u32, stop_at_ps: u64) -> NetworkSpec {
    let mut spec = network(2, vec![link(0, 1, 10)], stop_at_ps);
    add_flow(&mut spec, 0, &[(0, None)], n2, n3);
    spec
}

#[test]
fn one_credit_sends_one_cell_per_loop() {
    let report = run(&single(1, 0, 60));
    assert_eq!(
        data(&report.starts, 0),
        [(0, 0, 0), (20, 0, 1), (40, 0, 2), (60, 0, 3)]
    );
    assert_eq!(
        credits(&report.starts, 1),
        [(10, 0, 1), (30, 0, 1), (50, 0, 1)]
    );
    assert_eq!(report.deliveries[0].arrived_units, 3);
    assert_eq!(report.legs[0].max_fill_units, 1);
}

#[test]
fn two_credits_wait_for_the_second_cell() {
    let report = run(&single(2, 0, 70));
    assert_eq!(times(&data(&report.starts, 0)), [0, 10, 30, 40, 60, 70]);
    assert_eq!(credits(&report.starts, 1), [(20, 0, 2), (50, 0, 2)]);
}

#[test]
fn three_credits_and_the_n3_that_fills_the_link() {
    let report = run(&single(3, 0, 100));
    assert_eq!(
        times(&data(&report.starts, 0)),
        [0, 10, 20, 40, 50, 60, 80, 90, 100]
    );
    assert_eq!(credits(&report.starts, 1), [(30, 0, 3), (70, 0, 3)]);
    let full = run(&single(3, 1, 100));
    assert_eq!(
        times(&data(&full.starts, 0)),
        (0..=10).map(|cell| cell * 10).collect::<Vec<_>>()
    );
    assert_eq!(
        credits(&full.starts, 1),
        [(30, 0, 4), (60, 0, 4), (90, 0, 4)]
    );
}

#[test]
fn the_last_bit_counts_with_store_and_forward() {
    let mut spec = single(1, 0, 120);
    let link = &mut spec.links[0];
    for channel in &mut link.channels {
        channel.timing = Timing::StoreAndForward;
        channel.handling = backwater_kernel::Duration(5);
    }
    let window = exact_window(&spec.links, 0, 1);
    assert_eq!(window.ps(), 50);
    each_credit(&mut spec.flows[0], |credit| credit.window = window);
    let report = run(&spec);
    assert_eq!(times(&data(&report.starts, 0)), [0, 50, 100]);
    assert_eq!(credits(&report.starts, 1), [(25, 0, 1), (75, 0, 1)]);
}

#[test]
fn two_circuits_alternate_from_the_lowest() {
    let mut spec = network(2, vec![link(0, 1, 10)], 70);
    for _ in 0..2 {
        add_flow(&mut spec, 0, &[(0, None)], 2, 8);
    }
    let flows: Vec<u32> = data(&run(&spec).starts, 0)
        .iter()
        .map(|entry| entry.1)
        .collect();
    assert_eq!(flows, [0, 1, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn larger_priorities_go_first_and_keep_their_own_turn() {
    let mut spec = network(2, vec![link(0, 1, 10)], 80);
    for priority in [0, 1, 0, 1] {
        let total = if priority == 1 { Some(2) } else { None };
        let flow = add_flow(&mut spec, 0, &[(0, None)], 2, 8);
        flow.priority = priority;
        flow.traffic = TrafficSpec::Greedy {
            start: Time::ZERO,
            total,
        };
    }
    let flows: Vec<u32> = data(&run(&spec).starts, 0)
        .iter()
        .map(|entry| entry.1)
        .collect();
    assert_eq!(flows, [1, 3, 1, 3, 0, 2, 0, 2, 0]);
}

#[test]
fn credit_units_go_before_data() {
    // Data of flow 1 keeps channel 1 busy; the credit unit triggered at 15 waits until 20.
    let mut spec = network(2, vec![link(0, 1, 15)], 40);
    add_flow(&mut spec, 0, &[(0, None)], 1, 0);
    add_flow(&mut spec, 1, &[(1, None)], 10, 10);
    let report = run(&spec);
    assert_eq!(credits(&report.starts, 1), [(20, 0, 1)]);
    assert_eq!(times(&data(&report.starts, 1)), [0, 10, 30, 40]);
    assert_eq!(times(&data(&report.starts, 0)), [0, 35]);
}

#[test]
fn a_unit_is_stored_once_and_freed_at_the_start_on_the_last_branch() {
    // 0 -> switch 1 -> {2, 3}; the branch to 3 is five times slower.
    let links = vec![link(0, 1, 10), link(1, 2, 10), link(1, 3, 10)];
    let mut spec = network(4, links, 140);
    spec.links[2].channels[0].rate = Rate(160_000_000_000);
    add_flow(&mut spec, 0, &[(0, None), (2, Some(0)), (4, Some(0))], 1, 1);
    let report = run(&spec);
    // Units reach the switch at 10 and 20. Unit 0 starts on both branches at 10 and is free.
    // Unit 1 starts to 2 at 20, to 3 when that channel is free at 60; it occupies one place.
    assert_eq!(
        data(&report.starts, 4),
        [(10, 0, 0), (60, 0, 1), (110, 0, 2)]
    );
    assert_eq!(
        data(&report.starts, 0)[..4],
        [(0, 0, 0), (10, 0, 1), (20, 0, 2), (70, 0, 3)]
    );
    assert_eq!(
        data(&report.starts, 2)[..4],
        [(10, 0, 0), (20, 0, 1), (30, 0, 2), (80, 0, 3)]
    );
    assert_eq!(credits(&report.starts, 1)[..2], [(10, 0, 2), (60, 0, 1)]);
    assert_eq!(report.legs[0].max_fill_units, 2);
}

#[test]
fn several_root_legs_send_the_same_units() {
    let mut spec = network(3, vec![link(0, 1, 10), link(0, 2, 30)], 60);
    let tree = [(0, None), (2, None)];
    add_flow(&mut spec, 0, &tree, 1, 0).traffic = TrafficSpec::Constant {
        start: Time(5),
        interval: backwater_kernel::Duration(10),
        random_phase: false,
        total: Some(2),
    };
    let report = run(&spec);
    assert_eq!(data(&report.starts, 0), [(5, 0, 0), (25, 0, 1)]);
    assert_eq!(data(&report.starts, 2), [(5, 0, 0)]);
    spec.flows[0].traffic = TrafficSpec::Greedy {
        start: Time(5),
        total: Some(2),
    };
    spec.stop_at = Time(200);
    let report = run(&spec);
    assert_eq!(data(&report.starts, 0), [(5, 0, 0), (25, 0, 1)]);
    assert_eq!(data(&report.starts, 2), [(5, 0, 0), (65, 0, 1)]);
}

#[test]
fn a_limited_sink_takes_the_first_at_once_and_then_keeps_its_pace() {
    let mut spec = single(1, 4, 200);
    spec.flows[0].sink = SinkSpec::Limited {
        interval: backwater_kernel::Duration(35),
    };
    let report = run(&spec);
    // Taken at 10, 45, 80, 115, 150, 185: the credit units leave at those instants. At 45 four
    // have arrived and two are gone; from 80 on a cell comes for each one taken.
    let expected = [
        (10, 0, 5),
        (45, 0, 3),
        (80, 0, 1),
        (115, 0, 1),
        (150, 0, 1),
        (185, 0, 1),
    ];
    assert_eq!(credits(&report.starts, 1), expected);
    assert_eq!(report.deliveries[0].consumed_units, 6);
    assert_eq!(report.legs[0].max_fill_units, 5);
}

#[test]
fn bursts_and_pauses_keep_their_own_spacing() {
    let mut spec = network(2, vec![link(0, 1, 10)], 310);
    add_flow(&mut spec, 0, &[(0, None)], 5, 50).traffic = TrafficSpec::OnOff {
        start: Time(7),
        on: Span::Fixed(backwater_kernel::Duration(60)),
        off: Span::Fixed(backwater_kernel::Duration(90)),
        on_interval: backwater_kernel::Duration(20),
        off_interval: Some(backwater_kernel::Duration(50)),
    };
    let expected = [7, 27, 47, 67, 117, 157, 177, 197, 217, 267, 307];
    assert_eq!(times(&data(&run(&spec).starts, 0)), expected);
    if let TrafficSpec::OnOff { off_interval, .. } = &mut spec.flows[0].traffic {
        *off_interval = None;
    }
    // The end of a burst (67, 217) is outside it.
    assert_eq!(
        times(&data(&run(&spec).starts, 0)),
        [7, 27, 47, 157, 177, 197, 307]
    );
}

#[test]
fn credit_units_leave_in_the_order_they_were_asked_for() {
    // Flow 2 holds channel 1 until 100. Flow 1 asks at 25, flow 0 with its second cell at 35.
    let mut spec = network(2, vec![link(0, 1, 15)], 250);
    spec.links[0].channels[1].rate = Rate(80_000_000_000);
    add_flow(&mut spec, 0, &[(0, None)], 2, 0);
    add_flow(&mut spec, 0, &[(0, None)], 1, 0);
    add_flow(&mut spec, 1, &[(1, None)], 1, 0);
    assert_eq!(
        credits(&run(&spec).starts, 1)[..2],
        [(100, 1, 1), (200, 0, 2)]
    );
}

#[test]
fn no_value_is_below_zero() {
    // The sink takes one cell at 30 and the next at 1030. Credit that ignores the cells in flight
    // lets 8 cells come for 4 places; after the second is taken 6 are stored.
    let values = |rule| {
        let mut spec = network(2, vec![link(0, 1, 30)], 1100);
        let flow = add_flow(&mut spec, 0, &[(0, None)], 1, 3);
        flow.sink = SinkSpec::Limited {
            interval: backwater_kernel::Duration(1000),
        };
        each_credit(flow, |credit| {
            credit.rule = rule;
            credit.n1 = 4;
            credit.window = backwater_kernel::Duration(1);
        });
        credits(&run(&spec).starts, 1)
    };
    assert_eq!(values(CreditRule::N23), [(30, 0, 4), (1030, 0, 0)]);
    assert_eq!(values(CreditRule::N123), [(30, 0, 4), (1030, 0, 0)]);
    assert_eq!(values(CreditRule::N123Plus), [(30, 0, 4), (1030, 0, 0)]);
}

#[test]
fn a_value_bound_at_the_trigger_is_stale_when_it_leaves() {
    // The first cell is taken at 15 and asks for a credit unit at once; the second is stored at
    // 25. A data unit of flow 1 that started at 14 holds channel 1 until 24 or, at half the rate,
    // until 34.
    let mut spec = network(2, vec![link(0, 1, 15)], 40);
    add_flow(&mut spec, 0, &[(0, None)], 1, 3).sink = SinkSpec::Limited {
        interval: backwater_kernel::Duration(1000),
    };
    add_flow(&mut spec, 1, &[(1, None)], 10, 10).traffic = TrafficSpec::Greedy {
        start: Time(14),
        total: None,
    };
    assert_eq!(credits(&run(&spec).starts, 1), [(24, 0, 4)]);
    spec.flows[1].traffic = TrafficSpec::Greedy {
        start: Time(15),
        total: None,
    };
    assert_eq!(credits(&run(&spec).starts, 1), [(15, 0, 4)]);
    spec.flows[1].traffic = TrafficSpec::Greedy {
        start: Time(14),
        total: None,
    };
    spec.links[0].channels[1].rate = Rate(400_000_000_000);
    assert_eq!(credits(&run(&spec).starts, 1), [(34, 0, 3)]);
    each_credit(&mut spec.flows[0], |credit| credit.bind = Bind::Trigger);
    assert_eq!(credits(&run(&spec).starts, 1), [(34, 0, 4)]);
}

#[test]
fn a_free_of_the_same_arbitration_is_not_in_the_value() {
    // N2 = 1 at node 1: the free at 10 provokes a credit unit in Transmit (value after the free);
    // channel 3 is then busy until 30, so the one of the free at 20 starts there at 30, while the
    // free at 30 itself is left for the next, though its channel 0 comes before channel 3.
    let mut spec = network(3, vec![link(1, 2, 10), link(0, 1, 10)], 60);
    spec.links[1].channels[1].rate = Rate(400_000_000_000);
    add_flow(&mut spec, 0, &[(2, None), (0, Some(0))], 1, 8);
    let report = run(&spec);
    assert_eq!(
        credits(&report.starts, 3),
        [(10, 0, 9), (30, 0, 8), (50, 0, 8)]
    );
}

#[test]
fn redundant_credit_units_are_extra() {
    let mut spec = single(4, 8, 80);
    each_credit(&mut spec.flows[0], |credit| {
        credit.redundant_every = Some(2)
    });
    let report = run(&spec);
    assert_eq!(
        credits(&report.starts, 1),
        [(20, 0, 12), (40, 0, 12), (60, 0, 12), (80, 0, 12)]
    );
}

#[test]
fn every_rule_reads_its_own_number() {
    let values = |rule| {
        let mut spec = single(2, 1, 50);
        each_credit(&mut spec.flows[0], |credit| {
            credit.rule = rule;
            credit.n1 = 2;
        });
        let report = run(&spec);
        let values = credits(&report.starts, 1)
            .iter()
            .map(|entry| entry.2)
            .collect::<Vec<_>>();
        (values, times(&data(&report.starts, 0)))
    };
    let full = vec![0, 10, 20, 30, 40, 50];
    assert_eq!(values(CreditRule::N23), (vec![3, 3], full.clone()));
    assert_eq!(values(CreditRule::Relative), (vec![2, 2], full.clone()));
    assert_eq!(values(CreditRule::Cumulative), (vec![2, 4], full.clone()));
    assert_eq!(values(CreditRule::N123), (vec![3, 3], full));
    // N1 = 2 from the beginning; at 30 no start is recent: min(3, 2 - 0) = 2 cells, at 30 and 40;
    // the credit unit of 50 is still under way.
    assert_eq!(
        values(CreditRule::N123Plus),
        (vec![3, 3], vec![0, 10, 30, 40])
    );
}

#[test]
fn a_full_dropping_buffer_ends_the_run() {
    let mut spec = single(1, 4, 200);
    spec.flows[0].sink = SinkSpec::Limited {
        interval: backwater_kernel::Duration(35),
    };
    spec.flows[0].legs[0].buffer.overflow = Overflow::Drop;
    spec.flows[0].legs[0].buffer.limit_units = Some(5);
    assert!(crate::run(&spec).is_ok());
    spec.flows[0].legs[0].buffer.limit_units = Some(4);
    assert!(matches!(
        crate::run(&spec),
        Err(Problem::Overflow {
            flow: 0,
            leg: 0,
            ..
        })
    ));
}

#[test]
fn what_is_not_supported_is_refused() {
    let sound = single(2, 2, 100);
    let refused = |change: fn(&mut NetworkSpec)| {
        let mut spec = sound.clone();
        change(&mut spec);
        assert!(matches!(crate::run(&spec), Err(Problem::Unsupported(_))));
    };
    refused(|spec| spec.links[0].channels[0].errors.data_loss = 1.1);
    refused(|spec| each_credit(&mut spec.flows[0], |credit| credit.resync_every = Some(0)));
    refused(|spec| spec.links[0].channels[0].delay = backwater_kernel::Duration::ZERO);
    refused(|spec| spec.links[0].ends[1] = 7);
    refused(|spec| spec.flows[0].source = 1);
    refused(|spec| spec.flows[0].legs[0].channel = 2);
    refused(|spec| spec.flows[0].legs[0].parent = Some(0));
    refused(|spec| each_credit(&mut spec.flows[0], |credit| credit.n2 = 0));
    refused(|spec| spec.flows[0].traffic = TrafficSpec::Server);
    refused(|spec| {
        spec.flows[0].traffic = TrafficSpec::Constant {
            start: Time::ZERO,
            interval: backwater_kernel::Duration::ZERO,
            random_phase: false,
            total: None,
        };
    });
    refused(|spec| spec.stop_at = Time::MAX);
    assert!(crate::run(&sound).is_ok());
}

#[test]
fn a_difference_is_shown_with_its_surroundings() {
    let starts = run(&single(2, 0, 70)).starts;
    assert_eq!(first_difference(&starts, &starts), None);
    let mut other = starts.clone();
    other[2].number += 1;
    let text = first_difference(&starts, &other).expect("they differ");
    assert!(text.contains("first difference at entry 2"), "{text}");
    assert!(
        text.contains("20 ps, channel 1, flow 0, credit 3"),
        "{text}"
    );
    let text = first_difference(&starts, &starts[..3]).expect("one is shorter");
    assert!(text.contains("engine    ends"), "{text}");
}
