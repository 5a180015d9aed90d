//! Messages by hand.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Duration;

use super::*;
use crate::spec::messages::{Again, ComputeSpec, MessageSpec, Waiters};

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
        ..MessagesSpec::default()
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
        ..MessagesSpec::default()
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
    let of = |what| all.waiting_for(what).collect::<Vec<_>>();
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
    let computed = messages.outcome().computed;
    assert!(computed.iter().eq([Time(105), Time(125)]));
}

/// A round that is done again is as if it were written out, also where something of a round far
/// ahead happens early.
#[test]
fn rounds_again_are_as_if_written_out() {
    let one = |bytes: u64, other: u32| message(bytes, vec![received(1, other)], 5);
    let mut short = list();
    short.messages = vec![
        one(40, 0),
        message(7, vec![], 0),
        one(40, 1),
        message(7, vec![], 0),
    ];
    short.again = Again {
        times: 3,
        messages: 2,
        computes: 0,
        steps: 2,
    };
    let mut long = short.clone();
    long.again = Again::default();
    for round in 2..5 {
        long.messages
            .extend([one(40, round), message(7, vec![], 0)]);
    }
    let mut both = [short, long].map(|list| Messages::new(0, &list, |bytes| bytes));
    assert_eq!(both[0].planned(), 10);
    let mut seen = [Vec::new(), Vec::new()];
    for (messages, seen) in both.iter_mut().zip(&mut seen) {
        for (number, at) in [(0, 110), (8, 115), (2, 120), (4, 130), (6, 131)] {
            messages.on_happened(Time(at), Waiter::Message(number));
            while let Some(bytes) = messages.begin(Time(at + 5)) {
                messages.take(bytes);
                let sent = 47 * (u64::from(number) / 2 + 1);
                seen.push((messages.on_sent(Time(at + 6), sent), None));
                seen.push((None, messages.on_received(Time(at + 9))));
            }
        }
        assert_eq!(messages.wakes_at(), None);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].len(), 20);
    assert_eq!(both[0].outcome(), both[1].outcome());
}
