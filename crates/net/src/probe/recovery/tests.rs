//! One flow around one outage, deliveries made up.

use super::*;

const MS: u64 = 1_000_000_000;

/// Cut from 100 to 150 ms: measured from 50 to 100 ms, then over 5 ms that end at 152 ms or later.
fn watch() -> Watch {
    Watch {
        outage: 0,
        flow: 0,
        before: (Time(50 * MS), Time(100 * MS)),
        before_bytes: 0,
        from: Time(152 * MS),
        window: Duration(5 * MS),
        recent: VecDeque::new(),
        recent_bytes: 0,
        has_looked: false,
        back_at: None,
    }
}

/// 100 bytes each ms from 40 to 100 ms, then at these; when it was back, ms.
fn back_at(then: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut watch = watch();
    for at in (40..=100).chain(then) {
        watch.on_delivered(Time(at * MS), 100);
    }
    assert_eq!(watch.before_bytes, 5_000, "from 50 to 99 ms");
    assert_eq!(watch.before_bps(), 800_000.0);
    watch.back_at.map(|at| at.ps() / MS)
}

/// 500 bytes in 5 ms are the rate before, so 450 do: five deliveries within a window.
#[test]
fn it_is_back_when_a_window_holds_nine_tenths() {
    assert_eq!(back_at(152..200), Some(156));
    assert_eq!(back_at(170..200), Some(174));
    // What comes before the first bit sent after the repair counts within the first windows.
    assert_eq!(back_at(150..200), Some(154));
    // Four in 5 ms are 80 %, and a window is open at its beginning.
    assert_eq!(back_at((152..300).filter(|at| at % 5 != 0)), None);
    assert_eq!(back_at([160, 161, 162, 163, 165]), None);
    assert_eq!(back_at([160, 161, 162, 163, 164]), Some(164));
    assert_eq!(back_at([]), None);
}

/// What is still on its way when the link is repaired tells nothing.
#[test]
fn nothing_is_said_before_the_repair_can_be_seen() {
    assert_eq!(back_at(140..151), None);
    // A flow that is never interrupted is back as soon as it is looked at.
    assert_eq!(back_at(101..200), Some(152));
    // Five within the first window, seen when something comes after it.
    assert_eq!(back_at([148, 149, 150, 151, 151, 160]), Some(152));
    assert_eq!(back_at([147, 149, 150, 151, 151, 160]), None);
}

#[test]
fn who_delivered_nothing_before_does_not_come_back() {
    let mut watch = watch();
    for at in 152..300 {
        watch.on_delivered(Time(at * MS), 100);
    }
    assert_eq!(watch.back_at, None);
    assert_eq!(watch.before_bps(), 0.0);
}
