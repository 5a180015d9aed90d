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

/// Sends what is next, which must be something.
fn send(abr: &mut Abr, now: Time, has_data: bool) -> (Cell, Option<Made>) {
    let next = abr.next(now, has_data);
    let made = match next {
        Next::Now(Item::Control) => abr.take_control(now),
        Next::Now(Item::Data) => {
            abr.on_sent(now, false);
            None
        }
        _ => panic!("{next:?} at {now:?}"),
    };
    (abr.chosen, made)
}

fn come(abr: &mut Abr, now: Time, cell: RmCell) -> Option<Rate> {
    abr.on_control(now, &Signal::Backward(cell))
}

fn turn_around(abr: &mut Abr, cell: RmCell, is_marked: bool) {
    let heard = abr.on_control(Time::ZERO, &Signal::Forward { cell, is_marked });
    assert_eq!(heard, None, "it says nothing to this source");
}

/// ACR as each forward RM cell goes.
fn forward_rate(abr: &mut Abr, now: Time) -> Rate {
    abr.chosen = Cell::Forward;
    let made = abr.take_control(now).and_then(|made| made.forward);
    made.map_or(Rate(0), |forward| forward.acr)
}

/// Rule 4 and the format of RM cells: CCR is ACR as the cell goes, ER is PCR, MCR is MCR.
#[test]
fn a_forward_cell_states_the_rates_of_its_source() {
    let mut abr = Abr::new(&spec(), 53);
    abr.chosen = Cell::Forward;
    let made = abr.take_control(Time::ZERO).map(|made| made.cell);
    let states = RmCell {
        ccr: Rate(10 * MBPS),
        er: Rate(150 * MBPS),
        mcr: Rate(MBPS),
        ..RmCell::default()
    };
    assert_eq!(made, Some(states), "ACR is ICR at first");
}

#[test]
fn rule_3_orders_cells() {
    let mut abr = Abr::new(&spec(), 53);
    let at = |abr: &mut Abr, ms: u64, has_data| send(abr, Time(ms * MS), has_data).0;
    assert_eq!(at(&mut abr, 0, true), Cell::Forward);
    assert_eq!(at(&mut abr, 1, true), Cell::Data);
    turn_around(&mut abr, RmCell::default(), false);
    turn_around(&mut abr, RmCell::default(), false);
    assert_eq!(at(&mut abr, 2, true), Cell::Backward, "before data, once");
    assert_eq!(at(&mut abr, 3, true), Cell::Data);
    assert_eq!(at(&mut abr, 4, true), Cell::Forward, "Nrm - 1 cells since");
    assert_eq!(at(&mut abr, 5, false), Cell::Backward);
    assert_eq!(at(&mut abr, 6, true), Cell::Data);
    // Two cells since, and Trm has passed.
    assert_eq!(at(&mut abr, 104, true), Cell::Forward);
}

#[test]
fn a_source_names_its_next_slot_or_waits() {
    let mut abr = Abr::new(&spec(), 53);
    assert_eq!(abr.next(Time(5), false), Next::Wait, "nothing to send");
    assert_eq!(abr.next(Time(5), true), Next::Now(Item::Control));
    assert_eq!(
        abr.next(Time(5), true),
        Next::Now(Item::Control),
        "not taken"
    );
    send(&mut abr, Time(5), true);
    assert_eq!(abr.next(Time(5), true), Next::At(Time(42_400_005)));
    assert_eq!(abr.next(Time(42_400_005), true), Next::Now(Item::Data));
}

#[test]
fn an_offer_sets_the_limit_and_opens_a_burst() {
    let mut abr = Abr::new(&spec(), 53);
    let limit = Some(Rate(MBPS));
    abr.on_offered(Time(7), Offered { units: 2, limit });
    send(&mut abr, Time(7), true);
    assert_eq!(abr.next(Time(7), true), Next::At(Time(424_000_007)));
    abr.next(Time(424_000_007), true);
    abr.on_sent(Time(424_000_007), false);
    abr.on_sent(Time(900_000_000), true);
    let bursts = abr.outcome(Time(900_000_000)).map(|found| found.bursts);
    let burst = bursts.and_then(|bursts| bursts.first().copied());
    let span = burst.map(|burst| (burst.arrived, burst.sent, burst.in_rate_cells));
    assert_eq!(span, Some((Time(7), Some(Time(900_000_000)), 3)));
}

#[test]
fn a_notice_lowers_the_rate_and_is_counted() {
    let mut abr = Abr::new(&spec(), 53);
    let (ci, ni) = (true, false);
    let stated = abr.on_control(Time(0), &Signal::Notice { ci, ni });
    assert_eq!(stated, Some(Rate(150 * MBPS)), "no rate: PCR");
    assert_eq!(abr.pacing(), Some(Rate(5 * MBPS)), "RDF of 10 Mbps");
    let found = abr.outcome(Time(0)).map(|found| found.notices_total);
    assert_eq!(found, Some(1));
}

#[test]
fn statistics_start_after_the_warm_up() {
    let mut abr = Abr::new(&spec(), 53);
    let er = Rate(20 * MBPS);
    let cell = RmCell {
        er,
        ..RmCell::default()
    };
    come(&mut abr, Time(0), cell);
    abr.end_warm_up(Time(10));
    let found = abr.outcome(Time(20)).map(|found| found.acr_min);
    assert_eq!(found, Some(er), "not ICR");
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
    assert_eq!(come(&mut abr, Time(10), cell), Some(Rate(20 * MBPS)));
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
        come(&mut abr, Time(0), cell);
    }
    assert_eq!(abr.acr, Rate(150 * MBPS));
    come(&mut abr, Time(0), RmCell { ni: true, ..cell });
    assert_eq!(abr.acr, Rate(150 * MBPS), "NI keeps it");
    come(&mut abr, Time(0), RmCell { ci: true, ..cell });
    assert_eq!(abr.acr, Rate(75 * MBPS), "CI takes RDF");
    come(
        &mut abr,
        Time(0),
        RmCell {
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
        rates.push(forward_rate(&mut abr, Time(ms * MS)).0 / 100_000);
    }
    assert_eq!(rates, [100, 100, 50, 25], "after CRM = 2 without answer");
    let notice = RmCell {
        er: Rate(1 << 40),
        bn: true,
        ni: true,
        ..RmCell::default()
    };
    come(&mut abr, Time(5 * MS), notice);
    let rate = forward_rate(&mut abr, Time(6 * MS));
    assert_eq!(rate, Rate(1_250_000), "a switch's cell is no answer");
    come(
        &mut abr,
        Time(7 * MS),
        RmCell {
            bn: false,
            ..notice
        },
    );
    assert_eq!(forward_rate(&mut abr, Time(8 * MS)), Rate(1_250_000));
}

#[test]
fn destination_states_efci_once_and_may_replace() {
    let mut abr = Abr::new(&spec(), 53);
    turn_around(&mut abr, RmCell::default(), true);
    turn_around(&mut abr, RmCell::default(), false);
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
        turn_around(&mut abr, cell, false);
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
    assert_eq!(abr.next(Time(5 * MS), true), Next::At(Time(105 * MS)));
    let (_, made) = send(&mut abr, Time(105 * MS), true);
    let cell = made.map(|made| (made.cell.is_out_of_rate, made.cell.is_backward));
    assert_eq!(cell, Some((true, false)));
    assert_eq!(
        abr.out_of_rate_slot(Time(105 * MS), true),
        Some(Time(205 * MS))
    );
}
