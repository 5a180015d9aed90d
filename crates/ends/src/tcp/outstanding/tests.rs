//! The lists against one that is walked whole, and small cases by hand.

use std::vec::Vec;

use super::*;

const SEGMENT: u32 = 10;

/// Every segment, walked whole for each question.
#[derive(Default)]
struct Walked {
    all: Vec<Sent>,
    losses: Losses,
}

impl Walked {
    fn bytes(&self, place: SentPlace) -> u64 {
        let of = self.all.iter().filter(|sent| sent.place == place);
        of.map(|sent| u64::from(sent.bytes)).sum()
    }

    fn first_lost(&self) -> Option<u64> {
        let lost = self.all.iter().find(|sent| sent.place == SentPlace::Lost);
        lost.map(|sent| sent.start)
    }

    /// Bytes that lie between these and were not known to have arrived.
    fn arrived(&mut self, first: u64, end: u64) -> u64 {
        let within = self
            .all
            .iter_mut()
            .filter(|it| first <= it.start && it.end() <= end);
        let news = within.filter(|it| it.place != SentPlace::Arrived);
        let arrive = |it: &mut Sent| {
            it.place = SentPlace::Arrived;
            u64::from(it.bytes)
        };
        news.map(arrive).sum()
    }

    /// All in flight that went at or before, and the earliest that went later.
    fn lose(&mut self, until: Time) -> (bool, Option<u64>) {
        let mut in_flight = (self.all.iter_mut())
            .filter(|sent| sent.place == SentPlace::InFlight)
            .collect::<Vec<_>>();
        in_flight.sort_by_key(|sent| sent.at);
        let (mut has_lost, mut rest) = (false, None);
        for sent in in_flight {
            match sent.at <= until {
                true => {
                    (sent.place, has_lost) = (SentPlace::Lost, true);
                    self.losses.bytes += u64::from(sent.bytes);
                    self.losses.last = sent.start;
                }
                false => rest = rest.or(Some(sent.start)),
            }
        }
        (has_lost, rest)
    }
}

/// Sends, loses, repairs and acknowledges at random; the step at which the two disagree.
/// `forgets`: the one that is walked does not see that a segment went again.
fn disagree(seed: u64, forgets: bool) -> Option<u64> {
    let (mut sent, mut walked) = (Outstanding::default(), Walked::default());
    let (mut next, mut una) = (0, 0);
    for step in 1..400_u64 {
        let now = Time(step * 100);
        let word = (seed * 400 + step).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let any = una + u64::from(SEGMENT) * ((word >> 40) % 12);
        match (word >> 20) % 6 {
            0 | 1 => {
                sent.push(now, next, SEGMENT);
                walked.all.push(Sent {
                    start: next,
                    at: now,
                    due_at: now,
                    bytes: SEGMENT,
                    is_again: false,
                    place: SentPlace::InFlight,
                });
                next += u64::from(SEGMENT);
            }
            2 => {
                if let Some(start) = sent.next_lost().map(|sent| sent.start) {
                    sent.again(now, start, Duration(5));
                    let it = walked.all.iter_mut().find(|it| it.start == start)?;
                    it.place = SentPlace::InFlight;
                    it.at = if forgets { it.at } else { now };
                }
            }
            3 => {
                let (first, end) = (any, (any + 30).min(next));
                let mut told = 0;
                sent.arrived(first, end, |sent| told += u64::from(sent.bytes));
                if told != walked.arrived(first, end) {
                    return Some(step);
                }
            }
            4 => {
                let until = Time(now.0.saturating_sub((word >> 50) % 4_000));
                let (has_lost, rest) = sent.lose(|sent| sent.at <= until);
                if (has_lost, rest.map(|sent| sent.start)) != walked.lose(until) {
                    return Some(step);
                }
            }
            _ => {
                una = any.min(next).max(una);
                let mut told = 0;
                sent.acknowledge(una, |sent| told += u64::from(sent.bytes));
                let gone = walked.all.extract_if(.., |it| it.end() <= una);
                let news = gone.filter(|it| it.place != SentPlace::Arrived);
                if told != news.map(|it| u64::from(it.bytes)).sum::<u64>() {
                    return Some(step);
                }
            }
        }
        let all = walked.all.iter();
        let beyond = all.filter(|it| it.place == SentPlace::Arrived);
        let is_same = sent.flight_bytes() == walked.bytes(SentPlace::InFlight)
            && sent.lost_bytes() == walked.bytes(SentPlace::Lost)
            && sent.beyond() == beyond.count()
            && sent.count() == walked.all.len()
            && sent.losses() == walked.losses
            && sent.next_lost().map(|sent| sent.start) == walked.first_lost();
        if !is_same {
            return Some(step);
        }
    }
    None
}

#[test]
fn the_lists_are_those_of_a_walk() {
    for seed in 0..300 {
        assert_eq!(disagree(seed, false), None, "seed {seed}");
    }
    let seen = (0..300).filter(|seed| disagree(*seed, true).is_some());
    assert!(seen.count() > 200, "a walk that forgets is caught");
}

fn starts(sent: &Outstanding) -> Vec<u64> {
    sent.order.iter().map(|(number, _)| *number).collect()
}

/// What was taken for lost and has not gone again is in flight as it was, in order of time.
#[test]
fn what_was_not_lost_is_where_it_was() {
    let mut sent = Outstanding::default();
    for n in 0..5 {
        sent.push(Time(n), n * 10, SEGMENT);
    }
    assert!(sent.lose(|sent| sent.at < Time(3)).0);
    sent.again(Time(9), 0, Duration(20));
    assert_eq!((sent.flight_bytes(), sent.lost_bytes()), (30, 20));
    sent.restore();
    assert_eq!((sent.flight_bytes(), sent.lost_bytes()), (50, 0));
    assert_eq!(starts(&sent), [1, 2, 3, 4, 0]);
    let mut due = Time::ZERO;
    sent.acknowledge(10, |sent| due = sent.due_at);
    assert_eq!(
        due,
        Time(20),
        "it was expected a round trip after it first went"
    );
}

/// A receiver that keeps a part of a segment.
#[test]
fn a_part_of_a_segment_may_be_acknowledged() {
    let mut sent = Outstanding::default();
    sent.push(Time(0), 0, SEGMENT);
    sent.acknowledge(4, |_| panic!("not all of it"));
    assert_eq!((sent.flight_bytes(), sent.count()), (6, 1));
    sent.lose_first();
    assert_eq!(
        sent.next_lost().map(|sent| (sent.start, sent.bytes)),
        Some((4, 6))
    );
}
