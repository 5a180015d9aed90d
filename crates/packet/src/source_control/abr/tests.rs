use alloc::vec::Vec;

use super::*;
use crate::spec::UiliSpec;

const MS: u64 = 1_000_000_000;
const MBPS: u64 = 1_000_000;

fn spec() -> AbrSpec {
    AbrSpec {
        pcr: Rate(150 * MBPS),
        mcr: Rate(MBPS),
        icr: Rate(10 * MBPS),
        nrm: 4,
        mrm: 2,
        trm: Duration(100 * MS),
        rif: 0.1,
        rdf: 0.5,
        crm: 2,
        cdf: 0.5,
        tcr: Rate(4240),
        is_eager: false,
        counts_backward: true,
        turn_around: TurnAround::Queue,
        format: RateFormat::Exact,
        uili: UiliSpec::None,
    }
}

/// Sends what is next, at its slot or now.
fn send(abr: &mut Abr, now: Time, has_data: bool) -> Next {
    let next = abr.choose(now, has_data);
    match next {
        Next::Forward => {
            abr.on_forward(now);
        }
        Next::Backward => {
            abr.take_waiting();
        }
        Next::Data => {}
    }
    abr.on_sent(now, next);
    next
}

#[test]
fn rule_3_orders_cells() {
    let mut abr = Abr::new(&spec(), 53);
    let at = |abr: &mut Abr, ms: u64, has_data| send(abr, Time(ms * MS), has_data);
    assert_eq!(at(&mut abr, 0, true), Next::Forward);
    assert_eq!(at(&mut abr, 1, true), Next::Data);
    abr.turn_around(RmCell::default(), false);
    abr.turn_around(RmCell::default(), false);
    assert_eq!(at(&mut abr, 2, true), Next::Backward, "before data, once");
    assert_eq!(at(&mut abr, 3, true), Next::Data);
    assert_eq!(at(&mut abr, 4, true), Next::Forward, "Nrm - 1 cells since");
    assert_eq!(at(&mut abr, 5, false), Next::Backward);
    assert_eq!(at(&mut abr, 6, true), Next::Data);
    // Two cells since, and Trm has passed.
    assert_eq!(at(&mut abr, 104, true), Next::Forward);
}

#[test]
fn slots_follow_the_rate_and_the_limit() {
    let mut abr = Abr::new(&spec(), 53);
    send(&mut abr, Time(0), true);
    assert_eq!(abr.slot(), Some(Time(42_400_000)));
    abr.set_limit(Some(Rate(MBPS)));
    assert_eq!(abr.slot(), Some(Time(424_000_000)));
    abr.set_limit(Some(Rate(0)));
    assert_eq!(abr.slot(), None);
    abr.set_limit(None);
    let cell = RmCell {
        er: Rate(20 * MBPS),
        ..RmCell::default()
    };
    abr.on_answer(Time(10), &cell);
    assert_eq!(abr.acr, Rate(20 * MBPS), "10 + 0.1 * 150, at most ER");
    assert_eq!(abr.slot(), Some(Time(21_200_000)));
}

#[test]
fn answers_raise_and_lower_within_mcr_and_pcr() {
    let mut abr = Abr::new(&spec(), 53);
    let cell = RmCell {
        er: Rate(1 << 40),
        ..RmCell::default()
    };
    for _ in 0..20 {
        abr.on_answer(Time(0), &cell);
    }
    assert_eq!(abr.acr, Rate(150 * MBPS));
    abr.on_answer(Time(0), &RmCell { ni: true, ..cell });
    assert_eq!(abr.acr, Rate(150 * MBPS), "NI keeps it");
    abr.on_answer(Time(0), &RmCell { ci: true, ..cell });
    assert_eq!(abr.acr, Rate(75 * MBPS), "CI takes RDF");
    abr.on_answer(
        Time(0),
        &RmCell {
            er: Rate(5),
            ..cell
        },
    );
    assert_eq!(abr.acr, Rate(MBPS), "MCR is kept");
}

#[test]
fn rule_6_halves_without_answers() {
    let mut abr = Abr::new(&spec(), 53);
    let mut rates = Vec::new();
    for ms in 0..4 {
        rates.push(abr.on_forward(Time(ms * MS)).1.acr.0 / 100_000);
        abr.on_sent(Time(ms * MS), Next::Forward);
    }
    assert_eq!(rates, [100, 100, 50, 25], "after CRM = 2 without answer");
    let notice = RmCell {
        er: Rate(1 << 40),
        bn: true,
        ni: true,
        ..RmCell::default()
    };
    abr.on_answer(Time(5 * MS), &notice);
    assert_eq!(abr.on_forward(Time(6 * MS)).1.acr, Rate(1_250_000));
    abr.on_answer(
        Time(7 * MS),
        &RmCell {
            bn: false,
            ..notice
        },
    );
    assert_eq!(abr.on_forward(Time(8 * MS)).1.acr, Rate(1_250_000));
}

#[test]
fn destination_states_efci_once_and_may_replace() {
    let mut abr = Abr::new(&spec(), 53);
    abr.turn_around(RmCell::default(), true);
    abr.turn_around(RmCell::default(), false);
    let first = abr.take_waiting().map(|cell| (cell.ci, cell.is_backward));
    assert_eq!(first, Some((true, true)));
    assert_eq!(abr.take_waiting().map(|cell| cell.ci), Some(false));
    let latest = AbrSpec {
        turn_around: TurnAround::Latest,
        ..spec()
    };
    let mut abr = Abr::new(&latest, 53);
    for ccr in 1..=3 {
        let ccr = Rate(ccr);
        let cell = RmCell {
            ccr,
            ..RmCell::default()
        };
        abr.turn_around(cell, false);
    }
    assert_eq!(abr.counts.overwritten, 2);
    assert_eq!(abr.take_waiting().map(|cell| cell.ccr), Some(Rate(3)));
    assert_eq!(abr.take_waiting(), None);
}

#[test]
fn out_of_rate_cells_go_at_tcr_below_it() {
    let slow = AbrSpec {
        mcr: Rate(0),
        icr: Rate(0),
        ..spec()
    };
    let mut abr = Abr::new(&slow, 53);
    assert_eq!(abr.slot(), None, "a rate of 0 sends nothing in rate");
    assert_eq!(abr.out_of_rate_slot(Time(5 * MS), false), None);
    assert_eq!(
        abr.out_of_rate_slot(Time(5 * MS), true),
        Some(Time(105 * MS))
    );
    let cell = abr.take_out_of_rate(Time(105 * MS));
    assert!(cell.is_out_of_rate && !cell.is_backward);
    assert_eq!(
        abr.out_of_rate_slot(Time(105 * MS), true),
        Some(Time(205 * MS))
    );
}
