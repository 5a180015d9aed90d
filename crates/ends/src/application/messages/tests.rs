//! Messages by hand.

use alloc::vec;

use super::*;
use crate::spec::messages::MessageSpec;

fn message(bytes: u64, after: Vec<Happened>, think_ps: u64) -> MessageSpec {
    MessageSpec {
        bytes,
        after,
        think: Duration(think_ps),
    }
}

fn received(flow: u32, message: u32) -> Happened {
    Happened::Received { flow, message }
}

fn list() -> MessagesSpec {
    MessagesSpec {
        start: Time(100),
        messages: vec![
            message(50, vec![], 10),
            message(30, vec![received(1, 0), received(2, 0)], 7),
            message(20, vec![], 0),
        ],
    }
}

#[test]
fn one_begins_after_all_it_waits_for_and_not_before_the_one_ahead() {
    let mut messages = Messages::new(0, &list());
    assert_eq!(messages.wakes_at(), Some(Time(110)));
    assert_eq!(messages.begin(Time(110)), 50);
    assert_eq!(messages.wakes_at(), None);
    messages.on_happened(Time(200), 1);
    assert_eq!(messages.wakes_at(), None);
    messages.on_happened(Time(250), 1);
    assert_eq!(messages.wakes_at(), Some(Time(257)));
    assert_eq!(messages.begin(Time(257)), 30);
    // The third waits for nothing, but goes behind the second.
    assert_eq!(messages.wakes_at(), Some(Time(257)));
    assert_eq!(messages.begin(Time(257)), 20);
    assert_eq!(messages.wakes_at(), None);
}

#[test]
fn positions_say_what_was_sent_and_received() {
    let mut messages = Messages::new(3, &list());
    messages.begin(Time(110));
    assert_eq!(messages.on_sent(49), None);
    let sent = Happened::Sent {
        flow: 3,
        message: 0,
    };
    assert_eq!(messages.on_sent(50), Some(sent));
    assert_eq!(messages.on_sent(50), None);
    messages.take(49);
    assert_eq!(messages.on_received(), None);
    messages.take(1);
    assert_eq!(messages.on_received(), Some((received(3, 0), Time(110))));
    assert_eq!(messages.on_received(), None);
}

#[test]
fn the_other_end_hears_when_they_begin() {
    let (mut here, mut there) = (Messages::new(0, &list()), Messages::new(0, &list()));
    there.leave_source();
    assert_eq!(there.wakes_at(), None);
    here.begin(Time(110));
    let news = here.take_news();
    assert_eq!((news, here.take_news()), (Some(Time(110)), None));
    there.hear(Time(110));
    there.take(50);
    assert_eq!(there.on_received(), Some((received(0, 0), Time(110))));
}

#[test]
fn dependences_are_found() {
    let mut all = Dependences::default();
    all.add(5, &list());
    all.add(4, &list());
    all.close();
    let of = |what| all.of(what).map(|at| all.waiting(at)).collect::<Vec<_>>();
    assert_eq!(of(received(1, 0)), [(4, 1), (5, 1)]);
    assert_eq!(of(received(1, 1)), []);
    let sent = Happened::Sent {
        flow: 1,
        message: 0,
    };
    assert_eq!(of(sent), []);
}
