//! Every specification gets its rule, and what all rules have in common.

use alloc::vec::Vec;

use backwater_ends::control::Ratio;
use backwater_kernel::{Duration, Purpose, Stream};

use super::testing::{LINK, port};
use super::*;
use crate::spec::{
    CapcSpec, CurrentRate, EprcaSpec, EricaSpec, MarkSpec, QueueControlSpec, RelativeRateSpec,
};

const MARK: MarkSpec = MarkSpec {
    high_cells: 20,
    low_cells: 10,
};

fn specs() -> Vec<ExplicitRateSpec> {
    let queue = QueueControlSpec {
        delay: Duration(1_000_000_000),
        a: 1.15,
        b: 1.05,
        least: 0.5,
    };
    let erica = EricaSpec {
        interval: Duration(1_000_000_000),
        interval_cells: 30,
        target: 0.9,
        delta: 0.1,
        limit_jump: true,
        ccr: CurrentRate::Field,
        one_feedback: true,
        up_to_link: true,
        activity_decay: 0.5,
        queue: Some(queue),
        aging: None,
    };
    alloc::vec![
        ExplicitRateSpec::Erica(erica),
        ExplicitRateSpec::Efci(MARK),
        ExplicitRateSpec::RelativeRate(RelativeRateSpec {
            congestion: MARK,
            no_increase: MARK,
            marks_backward: true,
            backward_notice_every: Some(Duration(1)),
        }),
        ExplicitRateSpec::Eprca(EprcaSpec {
            weight: 0.0625,
            down_pressure: 0.875,
            reduction: 0.9375,
            major_reduction: 0.25,
            congestion: MARK,
            very_cells: 40,
        }),
        ExplicitRateSpec::Capc(CapcSpec {
            interval: Duration(1_000_000_000),
            target: 0.9,
            rise: 0.1,
            rise_most: 1.5,
            fall: 0.8,
            fall_least: 0.5,
            congestion_cells: 20,
        }),
    ]
}

#[test]
fn each_specification_gets_its_rule() {
    let found = specs().into_iter().map(|spec| {
        let mut rule = ExplicitRate::new(&spec, LINK, 4, 424);
        let long = port(5, 50);
        rule.on_cell(&long, 0, 424);
        let mut cell = RmCell {
            er: Rate(u64::MAX),
            ccr: LINK,
            ..RmCell::default()
        };
        rule.on_forward(&long, 0, &mut cell);
        let marks = rule.marks(&long);
        rule.on_backward(&long, 0, &mut cell);
        let has_rate = cell.er < Rate(u64::MAX);
        let notices = rule.notice(&long, 0).is_some();
        (marks, has_rate, cell.ci, notices, rule.timer().is_some())
    });
    let (t, f) = (true, false);
    let expected = [
        (f, t, f, f, t),
        (t, f, f, f, f),
        (f, f, t, t, f),
        (f, t, f, f, f),
        (f, t, t, f, t),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// Random cells through a rule; whether it ever raised a rate or took back a mark.
fn loosens(seed: u64, mut pass: impl FnMut(&PortView, u32, u64, &mut RmCell)) -> bool {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let mut now_ps = 0;
    (0..2_000).any(|_| {
        now_ps += stream.below(100_000_000);
        let at = port(now_ps, stream.below(60) as u32);
        let before = RmCell {
            ccr: Rate(stream.below(LINK.0)),
            er: Rate(stream.below(2 * LINK.0)),
            ci: stream.below(2) == 0,
            ni: stream.below(2) == 0,
            ..RmCell::default()
        };
        let mut cell = before;
        pass(&at, stream.below(4) as u32, stream.below(4), &mut cell);
        cell.er > before.er || (before.ci && !cell.ci) || (before.ni && !cell.ni)
    })
}

#[test]
fn no_rule_loosens_what_another_switch_said() {
    for spec in specs() {
        for seed in 0..20 {
            let mut rule = ExplicitRate::new(&spec, LINK, 4, 424);
            let loosens = loosens(seed, |at, seat, kind, cell| {
                if rule.timer().is_some_and(|timer| timer <= at.now) {
                    assert!(rule.on_timer(at).is_some());
                }
                match kind {
                    0 => assert!(rule.on_cell(at, BACKGROUND, 9_000).is_none()),
                    1 => drop(rule.on_cell(at, seat, 424)),
                    2 => rule.on_forward(at, seat, cell),
                    _ => rule.on_backward(at, seat, cell),
                }
                assert!(rule.fair_share() <= Ratio::new(1.05).times(LINK));
            });
            assert!(!loosens, "{spec:?} {seed}");
        }
    }
}

#[test]
fn a_rule_that_writes_its_rate_over_another_is_seen() {
    assert!(loosens(0, |_, _, _, cell| cell.er = LINK));
    assert!(loosens(0, |_, _, _, cell| cell.ci = false));
}
