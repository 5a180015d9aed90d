//! The rules of RFC 8985, section 6.2, by hand.

use std::vec::Vec;

use super::*;
use crate::tcp::outstanding::Outstanding;

const MS: u64 = 1_000_000_000;

fn ms(count: u64) -> Time {
    Time(count * MS)
}

/// Segments of 100 bytes that went a millisecond apart, from 0 on; these go again at 50 ms.
fn sent(again: &[u64]) -> Vec<Sent> {
    let mut list = Outstanding::default();
    for n in 0..10 {
        list.push(ms(n), n * 100, 100);
    }
    for n in again {
        list.again(ms(50), n * 100, Duration(10 * MS));
    }
    let mut all = Vec::new();
    list.acknowledge(1_000, |sent| all.push(*sent));
    all
}

fn is_lost(rack: &Rack, now: Time, sent: &Sent, is_sure: bool) -> bool {
    let window = rack.window(Duration(10 * MS), is_sure);
    rack.is_overtaken(sent) && rack.due_at(sent, window) <= now
}

/// Segment 3 arrives after 12 ms: what went before it is due then where a loss is sure, else a
/// quarter of the round trip later.
#[test]
fn what_went_before_is_due() {
    let all = sent(&[]);
    let mut rack = Rack::default();
    rack.arrived(ms(15), &all[3], false);
    for earlier in &all[..3] {
        assert!(is_lost(&rack, ms(15), earlier, true));
    }
    assert!(!is_lost(&rack, ms(99), &all[4], true), "it went later");
    // Went at 0: 12 + 3 ms. Went at 1 and 2: later.
    let lost = |at: u64| {
        (0..3)
            .filter(|n| is_lost(&rack, ms(at), &all[*n], false))
            .count()
    };
    assert_eq!([15, 16, 17].map(lost), [1, 2, 3]);
    assert_eq!(rack.last_due(Duration(3 * MS)), ms(3 + 12 + 3));
}

/// Once something that went once came behind what went later, a loss waits even if it is sure.
#[test]
fn reordering_is_seen() {
    let all = sent(&[2]);
    let mut rack = Rack::default();
    rack.arrived(ms(15), &all[3], false);
    assert_eq!(rack.window(Duration(10 * MS), true), Duration::ZERO);
    rack.arrived(ms(62), &all[2], false);
    assert!(!rack.has_reordered(), "it went again: it was lost");
    rack.arrived(ms(63), &all[1], false);
    assert!(rack.has_reordered());
    assert_eq!(rack.window(Duration(10 * MS), true), Duration(3 * MS));
}

/// A copy that comes sooner than any round trip is the first one; and one that may be is left out
/// where echoes tell.
#[test]
fn of_two_copies_the_first_may_have_come() {
    let all = sent(&[2, 4]);
    let mut rack = Rack::default();
    rack.arrived(ms(15), &all[3], false);
    rack.arrived(ms(55), &all[2], false);
    assert!(!rack.is_overtaken(&all[4]), "5 ms after it went again");
    rack.arrived(ms(70), &all[2], true);
    assert!(!rack.is_overtaken(&all[4]), "doubtful");
    rack.arrived(ms(70), &all[4], false);
    assert!(rack.is_overtaken(&all[2]));
    assert_eq!(rack.rtt(), Duration(20 * MS));
}

/// A quarter more a round, up to the smoothed round trip, until 16 recoveries without a DSACK.
#[test]
fn the_window_grows_with_duplicates() {
    let all = sent(&[]);
    let mut rack = Rack::default();
    rack.arrived(ms(15), &all[3], false);
    let window = |rack: &Rack| rack.window(Duration(10 * MS), true).0 / MS;
    rack.saw_twice(100, 1_000);
    assert_eq!(window(&rack), 6);
    rack.saw_twice(900, 2_000);
    assert_eq!(window(&rack), 6, "the same round");
    rack.saw_twice(1_000, 2_000);
    assert_eq!(window(&rack), 9);
    rack.saw_twice(2_000, 3_000);
    assert_eq!(window(&rack), 10, "the smoothed round trip");
    for _ in 0..15 {
        rack.on_recovered();
    }
    assert_eq!(window(&rack), 10);
    rack.on_recovered();
    assert_eq!(window(&rack), 3);
}

/// A segment that went at 2 ms was expected at 12 and came at 25: five quarters of 3 ms.
#[test]
fn the_window_is_as_long_as_a_segment_was_late() {
    let all = sent(&[2]);
    let mut rack = Rack::default();
    rack.arrived(ms(15), &all[3], false);
    rack.was_late(ms(25), &all[2]);
    assert_eq!(rack.window(Duration(100 * MS), true), Duration(15 * MS));
}
