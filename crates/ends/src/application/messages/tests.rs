//! Messages by hand.

use alloc::vec;

use super::*;
use crate::spec::messages::{ComputeSpec, MessageSpec, Waiters};

fn message(bytes: u64, after: Vec<Happened>, think_ps: u64) -> MessageSpec {
    MessageSpec {
        bytes,
        after,
        think: Duration(think_ps),
        step: 0,
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
        computes: vec![],
    }
}

#[test]
fn one_begins_after_all_it_waits_for_and_not_before_the_one_ahead() {
    let mut messages = Messages::new(0, &list(), |bytes| bytes);
    assert_eq!(messages.wakes_at(), Some(Time(110)));
    assert_eq!(messages.begin(Time(110)), Some(50));
    assert_eq!(messages.wakes_at(), None);
    messages.on_happened(Time(200), Waiter::Message(1));
    assert_eq!(messages.wakes_at(), None);
    messages.on_happened(Time(250), Waiter::Message(1));
    assert_eq!(messages.wakes_at(), Some(Time(257)));
    assert_eq!(messages.begin(Time(257)), Some(30));
    // The third waits for nothing, but goes behind the second.
    assert_eq!(messages.wakes_at(), Some(Time(257)));
    assert_eq!(messages.begin(Time(257)), Some(20));
    assert_eq!(messages.wakes_at(), None);
}

#[test]
fn positions_say_what_was_sent_and_received() {
    let mut messages = Messages::new(3, &list(), |bytes| bytes);
    messages.begin(Time(110));
    assert_eq!(messages.on_sent(Time(120), 49), None);
    let sent = Happened::Sent {
        flow: 3,
        message: 0,
    };
    assert_eq!(messages.on_sent(Time(120), 50), Some(sent));
    assert_eq!(messages.on_sent(Time(120), 50), None);
    messages.take(49);
    assert_eq!(messages.on_received(Time(130)), None);
    messages.take(1);
    assert_eq!(
        messages.on_received(Time(130)),
        Some((received(3, 0), Time(110)))
    );
    assert_eq!(messages.on_received(Time(130)), None);
}

#[test]
fn the_other_end_hears_when_they_begin() {
    let [mut here, mut there] = [(); 2].map(|()| Messages::new(0, &list(), |bytes| bytes));
    there.leave_source();
    assert_eq!(there.wakes_at(), None);
    here.begin(Time(110));
    let news = here.take_news();
    assert_eq!((news, here.take_news()), (Some(Time(110)), None));
    there.hear(Time(110));
    assert_eq!(there.take_news(), None);
    there.take(50);
    assert_eq!(
        there.on_received(Time(130)),
        Some((received(0, 0), Time(110)))
    );
}

/// Two that begin at one instant are two pieces of news.
#[test]
fn each_that_begins_is_told() {
    let at_once = MessagesSpec {
        start: Time(100),
        messages: vec![message(10, vec![], 0), message(20, vec![], 0)],
        computes: vec![],
    };
    let mut here = Messages::new(0, &at_once, |bytes| bytes);
    let begun = [here.begin(Time(100)), here.begin(Time(100))];
    assert_eq!(begun, [Some(10), Some(20)]);
    let news = [(); 3].map(|()| here.take_news());
    assert_eq!(news, [Some(Time(100)), Some(Time(100)), None]);
}

#[test]
fn dependences_are_found() {
    let (list, none) = (list(), MessagesSpec::default());
    let bytes = MessagesSpec {
        messages: list
            .messages
            .clone()
            .into_iter()
            .map(|own| MessageSpec {
                after: vec![],
                ..own
            })
            .collect(),
        ..none.clone()
    };
    let all = Waiters::among(&[(1, &bytes), (3, &none), (4, &list), (5, &list)]);
    let of = |what| all.of(what).map(|at| all.waiting(at)).collect::<Vec<_>>();
    assert_eq!(
        of(received(1, 0)),
        [4, 5].map(|flow| (flow, Waiter::Message(1)))
    );
    assert_eq!(of(received(1, 1)), []);
    let sent = Happened::Sent {
        flow: 1,
        message: 0,
    };
    assert_eq!(of(sent), []);
}

/// Computing goes on one after another, beside messages that do not wait for it.
#[test]
fn a_host_computes_one_thing_after_another() {
    let compute = |after: Vec<Happened>, time: u64| ComputeSpec {
        after,
        time: Duration(time),
    };
    let mut spec = list();
    spec.computes = vec![compute(vec![], 5), compute(vec![received(1, 0)], 20)];
    let mut messages = Messages::new(4, &spec, |bytes| bytes);
    assert_eq!(messages.wakes_at(), Some(Time(105)));
    assert_eq!(messages.on_computed(Time(104)), None);
    let computed = |compute: u32| Happened::Computed { flow: 4, compute };
    assert_eq!(messages.on_computed(Time(105)), Some(computed(0)));
    assert_eq!(messages.on_computed(Time(105)), None);
    // What it waits for came while the first was under way.
    messages.on_happened(Time(103), Waiter::Compute(1));
    assert_eq!(messages.wakes_at(), Some(Time(110)));
    messages.begin(Time(110));
    assert_eq!(messages.wakes_at(), Some(Time(125)));
    assert_eq!(messages.on_computed(Time(125)), Some(computed(1)));
    assert_eq!(messages.wakes_at(), None);
    assert_eq!(messages.outcome().computed, [Time(105), Time(125)]);
}
