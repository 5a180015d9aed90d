//! Messages of a program that is done again and again, for a run that repeats itself.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Survey, Time};

use super::{Compute, Message, Messages};
use crate::outcome::MessagesOutcome;

/// A flow's part of what is done again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// What it is a part of: all flows of it go on alike.
    pub program: u32,
    /// Messages each time; none of a flow that is no part of anything.
    pub messages: u32,
    /// Computing each time.
    pub computes: u32,
}

/// What waits: for how much that has not happened, and for how much in all; since when it would be
/// ready, and how long it takes from there.
struct Waiting<'a> {
    waits: &'a mut u32,
    after: u32,
    ready_at: &'a mut Time,
    think: Duration,
}

impl Messages {
    /// What is done and what waits. `lead`: in which round the first flow of its program is.
    pub fn survey_messages(&mut self, survey: &mut Survey, round: Round, lead: &mut Option<u64>) {
        let Messages {
            flow: _,
            list,
            computes,
            done,
            got,
            is_elsewhere,
            told: _,
        } = self;
        survey.flag(*is_elsewhere);
        survey.position(got);
        let MessagesOutcome {
            begun,
            sent,
            received,
            computed,
            alone: _,
        } = done;
        let at = match round.messages {
            0 => 0,
            each => begun.len() as u64 / u64::from(each),
        };
        survey.fixed(at.wrapping_sub(*lead.get_or_insert(at)));
        let in_round = |done: usize, each: u32| (done as u64).wrapping_sub(at * u64::from(each));
        survey.fixed(in_round(begun.len(), round.messages));
        survey.fixed(in_round(sent.len(), round.messages));
        survey.fixed(in_round(received.len(), round.messages));
        survey.fixed(in_round(computed.len(), round.computes));
        let further = survey.progress(at) as usize;
        let waiting = list.iter_mut().skip(begun.len());
        let waiting = waiting.map(|own| Waiting {
            waits: &mut own.waits,
            after: own.after,
            ready_at: &mut own.ready_at,
            think: own.think,
        });
        survey_waiting(survey, waiting.collect(), further * round.messages as usize);
        let waiting = computes.iter_mut().skip(computed.len());
        let waiting = waiting.map(|own| Waiting {
            waits: &mut own.waits,
            after: own.after,
            ready_at: &mut own.ready_at,
            think: own.time,
        });
        survey_waiting(survey, waiting.collect(), further * round.computes as usize);
        for times in [begun, sent, received, computed] {
            survey.listed(times);
        }
    }

    /// Rounds that it has begun, whole ones.
    pub fn rounds_behind(&self, round: Round) -> u64 {
        self.done.begun.len() as u64 / u64::from(round.messages.max(1))
    }

    /// So many have come.
    pub fn came(&self) -> u64 {
        self.done.received.len() as u64
    }

    /// Rounds that it has still to begin, whole ones; all that follows now is in its list as often.
    pub fn rounds_to_begin(&self, round: Round) -> u64 {
        let left = |all: usize, done: usize, each: u32| match each {
            0 => u64::MAX,
            each => (all - done) as u64 / u64::from(each),
        };
        let messages = left(self.list.len(), self.done.begun.len(), round.messages);
        let computes = left(
            self.computes.len(),
            self.done.computed.len(),
            round.computes,
        );
        messages.min(computes)
    }

    /// From what is next on, is each message, and all computing, what it was a round before?
    pub fn is_repeating(&self, round: Round) -> bool {
        let alike = |one: &Message, other: &Message| {
            (one.bytes, one.think, one.after) == (other.bytes, other.think, other.after)
        };
        let computes =
            |one: &Compute, other: &Compute| (one.time, one.after) == (other.time, other.after);
        let messages = repeats(&self.list, self.done.begun.len(), round.messages, alike);
        messages
            && repeats(
                &self.computes,
                self.done.computed.len(),
                round.computes,
                computes,
            )
    }
}

/// From one number on, are all what was so many before them?
fn repeats<T>(all: &[T], from: usize, each: u32, alike: fn(&T, &T) -> bool) -> bool {
    let each = each as usize;
    let before = &all[from.saturating_sub(each).min(all.len())..];
    each == 0
        || before
            .iter()
            .zip(before.iter().skip(each))
            .all(|(one, other)| alike(one, other))
}

/// What waits from the next one on, as far as anything of it has happened. In a leap that moves so
/// far on in the list.
fn survey_waiting(survey: &mut Survey, mut all: Vec<Waiting<'_>>, further: usize) {
    let touched = all.iter().rposition(|own| *own.waits != own.after);
    let count = touched.map_or(1, |last| last + 1).min(all.len());
    survey.fixed(count as u64);
    let mut moved = Vec::new();
    for own in &mut all[..count] {
        survey.fixed(u64::from(*own.waits));
        if *own.waits == 0
            && let Some(mut due) = own.ready_at.checked_add(own.think)
        {
            survey.ahead(&mut due);
            *own.ready_at = Time(due.ps() - own.think.ps());
        }
        moved.push((*own.waits, *own.ready_at));
    }
    let places = all.get_mut(further..).unwrap_or_default();
    for (own, (waits, ready_at)) in places.iter_mut().zip(moved) {
        (*own.waits, *own.ready_at) = (waits, ready_at);
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::spec::collectives::{
        Collective, Cut, Lane, Operation, Order, PhaseSpec, Schedule, lanes, program,
    };
    use crate::spec::messages::Happened;

    /// What it is in the round after: `each` has messages and computing of a round, by flow.
    fn later(what: Happened, each: &[(u32, u32)]) -> Happened {
        let of = |flow: u32| each[flow as usize];
        match what {
            Happened::Received { flow, message } => Happened::Received {
                flow,
                message: message + of(flow).0,
            },
            Happened::Sent { flow, message } => Happened::Sent {
                flow,
                message: message + of(flow).0,
            },
            Happened::Computed { flow, compute } => Happened::Computed {
                flow,
                compute: compute + of(flow).1,
            },
        }
    }

    /// From its second round on, does each of these wait for what it waited for a round before?
    fn go_round(lanes: &[Lane], times: u32) -> bool {
        let each = lanes.iter().map(|lane| {
            let list = &lane.list;
            (
                list.messages.len() as u32 / times,
                list.computes.len() as u32 / times,
            )
        });
        let each: Vec<(u32, u32)> = each.collect();
        lanes.iter().zip(&each).all(|(lane, (messages, computes))| {
            let all = [
                (
                    lane.list
                        .messages
                        .iter()
                        .map(|own| &own.after)
                        .collect::<Vec<_>>(),
                    *messages,
                ),
                (
                    lane.list.computes.iter().map(|own| &own.after).collect(),
                    *computes,
                ),
            ];
            all.into_iter().all(|(after, count)| {
                let count = count as usize;
                let pairs = after.iter().skip(count).zip(after.iter().skip(2 * count));
                after.len() == count * times as usize
                    && pairs.into_iter().all(|(one, next)| {
                        let mut moved: Vec<_> =
                            one.iter().map(|what| later(*what, &each)).collect();
                        let mut next = (*next).clone();
                        moved.sort_unstable();
                        next.sort_unstable();
                        moved == next
                    })
            })
        })
    }

    const ALL: [Collective; 10] = [
        Collective::RingAllReduce,
        Collective::RingReduceScatter,
        Collective::RingAllGather,
        Collective::HalvingDoublingAllReduce,
        Collective::TreeAllReduce,
        Collective::DoubleTreeAllReduce,
        Collective::TreeBroadcast,
        Collective::PairwiseAllToAll,
        Collective::AllToAll,
        Collective::Pipeline,
    ];

    const SCHEDULES: [Schedule; 3] = [
        Schedule::Forward,
        Schedule::AllForward {
            backward: Duration(90),
        },
        Schedule::InTurn {
            backward: Duration(90),
        },
    ];

    /// Whole, in chunks, and on two channels.
    fn cuts(kind: Collective) -> [Operation; 3] {
        let cut = |channels: u32, order: Order, chunk: Option<u64>| Operation {
            kind,
            bytes: 10_007,
            cut: Cut {
                channels,
                order,
                chunk,
            },
        };
        [
            Operation::whole(kind, 10_007),
            cut(1, Order::Same, Some(300)),
            cut(2, Order::Rotated, Some(500)),
        ]
    }

    /// Every operation, done again and again, waits from its second time on for what it waited for
    /// the time before: what a survey takes for granted of programs.
    #[test]
    fn programs_go_round() {
        let operations = ALL.iter().flat_map(|own| cuts(*own));
        for (operation, ranks) in operations.flat_map(|own| (2..9).map(move |ranks| (own, ranks))) {
            let made = lanes(operation, ranks, (5, Duration(70)), (Time(3), 0));
            let (made, _) = made.expect("it can be done");
            assert!(go_round(&made, 5), "{operation:?} by {ranks}");
            let phase = |beside: u64, times: u32, schedule: Schedule| PhaseSpec {
                compute: Duration(1_000),
                beside: Duration(beside),
                operation: Some(operation),
                groups: Vec::from([(0..ranks).collect::<Vec<u32>>()]),
                times,
                schedule,
            };
            let kinds = if operation.kind == Collective::Pipeline {
                3
            } else {
                1
            };
            for schedule in &SCHEDULES[..kinds] {
                let phases = [phase(0, 1, *schedule), phase(300, 2, *schedule)];
                if let Some((made, _)) = program((ranks, Time(3), 0), &phases, 4) {
                    let what = format!("a job of {operation:?}, {schedule:?}, by {ranks}");
                    assert!(go_round(&made, 4), "{what}");
                }
            }
        }
    }

    /// Negative control: one that waits for something else once is seen.
    #[test]
    fn what_waits_for_something_else_does_not_go_round() {
        let made = lanes(cuts(ALL[0])[0], 4, (5, Duration(70)), (Time(3), 0));
        let (mut made, _) = made.expect("it can be done");
        made[2].list.messages[20].after.pop();
        assert!(!go_round(&made, 5));
    }
}
