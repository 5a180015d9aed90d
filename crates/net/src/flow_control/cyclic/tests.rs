use alloc::vec;

use super::*;
use crate::spec::frames::{StatementSpec, UpdateSpec};
use backwater_kernel::Duration;

fn spec(says: Says, classes: u8) -> CountersSpec {
    CountersSpec {
        update: UpdateSpec {
            says,
            bytes: 8,
            classes,
            spacing: Duration(100),
            at_least_every: Some(Duration(1_000)),
            waits_for_idle: false,
        },
        statement: None::<StatementSpec>,
        floor_units: 0,
        port_units: None,
    }
}

fn lane(limit_units: u32) -> LaneSpec {
    LaneSpec {
        limit_units,
        reserve_units: 0,
        shares: Shares::Nothing,
    }
}

fn port(spec: CountersSpec, lanes: &[LaneSpec]) -> Counters {
    let lanes = (0..).zip(lanes).map(|(leg, lane)| Some((*lane, leg)));
    Counters::new(spec, false, lanes.collect()).expect("the reserves fit")
}

fn receiver(fill: u32, freed: u64, unreported: u32) -> Receiver {
    Receiver {
        fill,
        unreported,
        freed,
    }
}

/// FCCL - FCTBS = W - (sent - freed): with the same buffer InfiniBand's sender has what CBFC's has,
/// wherever on their circles the counters are.
#[test]
fn infiniband_is_counted_credit_with_the_limit_folded_in() {
    let cbfc = Cyclic::new(&lane(900), &spec(Says::Freed { bits: 15 }, 2));
    let infiniband = Cyclic::new(&lane(900), &spec(Says::Limit { bits: 12 }, 1));
    for freed in [0, 1, 4_095, 4_096, 32_767, 32_768, 1_000_000] {
        for used in [0, 1, 899, 900] {
            let sent = freed + used;
            let sender = Sender {
                // It last heard when half of that was in use.
                credit: 900 - (used as i64 + 7),
                sent,
                in_window: 0,
            };
            let news = receiver(0, freed, 0);
            let credits = [cbfc, infiniband].map(|rule| rule.credit(rule.value(news), sender));
            assert_eq!(
                credits,
                [900 - used as i64; 2],
                "freed {freed}, used {used}"
            );
        }
    }
}

#[test]
fn grains_leave_a_rest() {
    let rule = Cyclic::new(&lane(100), &spec(Says::Grains { units: 16 }, 8));
    assert_eq!(rule.report_every(), 16);
    assert_eq!((rule.value(receiver(0, 0, 47)), rule.left(47)), (2, 15));
    // A count of eight bits: the rest is told later.
    assert_eq!(
        (rule.value(receiver(0, 0, 16 * 300)), rule.left(16 * 300)),
        (255, 16 * 45)
    );
}

#[test]
fn classes_with_news_go_in_turn() {
    let mut port = port(spec(Says::Freed { bits: 15 }, 2), &[lane(10); 5]);
    assert_eq!(port.on_news(3, Time(0)), When::Now);
    assert_eq!(port.on_news(1, Time(0)), When::Wait, "one waits already");
    assert_eq!(port.on_news(4, Time(10)), When::Wait);
    assert_eq!(
        port.start(Time(20)).bits,
        0b0_1010,
        "two of three, from class 0 on"
    );
    assert_eq!(port.when(Time(20)), When::At(Time(120)));
    assert_eq!(
        port.on_news(1, Time(30)),
        When::Wait,
        "it is asked again anyway"
    );
    assert_eq!(port.on_timer(Time(120)), When::Now);
    assert_eq!(port.start(Time(125)).bits, 0b1_0010, "4, then 1 again");
    // Without news it is silent until it must speak, and then of the next two.
    assert_eq!(port.when(Time(125)), When::At(Time(1_125)));
    assert_eq!(port.on_timer(Time(1_125)), When::Now);
    assert_eq!(port.start(Time(1_130)).bits, 0b0_1100);
}

/// With news, a message waits for an idle port from when it may go until it must; without any, it
/// goes when it must.
#[test]
fn a_message_waits_for_an_idle_port_until_it_must_go() {
    let mut own = spec(Says::Freed { bits: 15 }, 2);
    own.update.waits_for_idle = true;
    let mut port = port(own, &[lane(10); 2]);
    assert_eq!(port.on_news(0, Time(10)), When::Idle);
    assert_eq!(port.when(Time(10)), When::At(Time(1_000)));
    assert_eq!(
        port.on_news(1, Time(20)),
        When::Wait,
        "it is asked again anyway"
    );
    assert_eq!(port.start(Time(30)).bits, 0b11);
    assert_eq!(port.on_news(0, Time(40)), When::At(Time(130)));
    assert_eq!(port.on_timer(Time(130)), When::Idle);
    assert_eq!(
        port.when(Time(130)),
        When::Wait,
        "at 1,000 it asks in any case"
    );
    assert_eq!(port.on_timer(Time(1_000)), When::At(Time(1_030)));
    assert_eq!(port.on_timer(Time(1_030)), When::NoLonger);
    assert_eq!(
        port.when(Time(1_031)),
        When::Wait,
        "it waits for the port alone"
    );
    port.start(Time(1_040));
    assert_eq!(port.when(Time(1_040)), When::At(Time(2_040)));
    assert_eq!(port.on_timer(Time(2_040)), When::Now, "without news");
}

/// A message speaks of lanes of the same 32; a statement of all takes as many as that needs.
#[test]
fn a_thousand_lanes_are_spoken_of_in_turn() {
    let mut port = port(spec(Says::Freed { bits: 15 }, 2), &[lane(10); 1_000]);
    for place in [999, 31, 32, 33, 30] {
        port.on_news(place, Time(0));
    }
    let mut said = Vec::new();
    while port.owes_news() {
        said.push(port.start(Time(0)).each().collect::<Vec<_>>());
    }
    assert_eq!(said, [vec![30, 31], vec![32, 33], vec![999]]);
    let parts: Vec<Places> = port.parts(16).collect();
    assert_eq!(parts.len(), 63, "31 times 32 lanes and 8 more");
    let all: Vec<u32> = parts.iter().flat_map(|part| part.each()).collect();
    assert!(all.into_iter().eq(0..1_000));
}

#[test]
fn an_old_timer_asks_nobody() {
    let mut port = port(spec(Says::Freed { bits: 15 }, 2), &[lane(10)]);
    assert_eq!(port.when(Time(0)), When::At(Time(1_000)));
    assert_eq!(port.on_news(0, Time(10)), When::Now);
    port.start(Time(10));
    assert_eq!(
        port.when(Time(10)),
        When::Wait,
        "asked at 1,000 anyway, before 1,010"
    );
    assert_eq!(port.on_timer(Time(500)), When::Wait);
    assert_eq!(port.on_timer(Time(1_000)), When::At(Time(1_010)));
}

/// A stopped class with 2^n takes 2^n / (1 + 2^n) of what is shared, and no more.
#[test]
fn a_dynamic_threshold_leaves_its_part_free() {
    for (power, most) in [(0, 45), (1, 60), (-1, 30), (3, 80)] {
        let mut counters = spec(Says::Freed { bits: 15 }, 2);
        counters.port_units = Some(100);
        let shares = |shares| LaneSpec {
            limit_units: 100,
            reserve_units: 5,
            shares,
        };
        let lanes = [Shares::OfFree(power), Shares::Units(None)].map(shares);
        let mut port = port(counters, &lanes);
        let mut used = 0;
        while port.may_start(0, used, 1) {
            port.note_use(0, used, used + 1);
            used += 1;
        }
        assert_eq!(used, 5 + most, "2^{power}");
        // The other takes the rest.
        let mut other = 0;
        while port.may_start(1, other, 1) {
            port.note_use(1, other, other + 1);
            other += 1;
        }
        assert_eq!(used + other, 100);
    }
}

#[test]
fn a_class_without_a_share_keeps_to_its_reserve() {
    let mut counters = spec(Says::Freed { bits: 15 }, 2);
    counters.port_units = Some(100);
    let own = |shares| LaneSpec {
        limit_units: 100,
        reserve_units: 20,
        shares,
    };
    let port = port(
        counters,
        &[Shares::Nothing, Shares::Units(Some(7))].map(own),
    );
    assert!(port.may_start(0, 15, 5) && !port.may_start(0, 16, 5));
    assert!(port.may_start(1, 20, 7) && !port.may_start(1, 20, 8));
}
