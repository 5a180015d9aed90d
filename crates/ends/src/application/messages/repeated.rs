//! Messages of a program that is done again and again, for a run that repeats itself.

use backwater_kernel::Survey;

use super::Messages;
use super::line::Line;
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
            each => begun.len() / u64::from(each),
        };
        survey.fixed(at.wrapping_sub(*lead.get_or_insert(at)));
        let in_round = |done: u64, each: u32| done.wrapping_sub(at * u64::from(each));
        survey.fixed(in_round(begun.len(), round.messages));
        survey.fixed(in_round(sent.len(), round.messages));
        survey.fixed(in_round(received.len(), round.messages));
        survey.fixed(in_round(computed.len(), round.computes));
        let further = survey.progress(at);
        list.survey_line(survey, further * u64::from(round.messages));
        computes.survey_line(survey, further * u64::from(round.computes));
        for times in [begun, sent, received, computed] {
            survey.listed(times);
        }
    }

    /// Rounds that it has begun, whole ones.
    pub fn rounds_behind(&self, round: Round) -> u64 {
        self.done.begun.len() / u64::from(round.messages.max(1))
    }

    /// So many have come.
    pub fn came(&self) -> u64 {
        self.done.received.len()
    }

    /// Rounds that it has still to begin, whole ones; all that follows now is in its list as often.
    pub fn rounds_to_begin(&self, round: Round) -> u64 {
        let left = |line: &Line, each: u32| match each {
            0 => u64::MAX,
            each => line.left() / u64::from(each),
        };
        left(&self.list, round.messages).min(left(&self.computes, round.computes))
    }

    /// From what is next on, is each message, and all computing, what it was so many rounds before?
    pub fn is_repeating(&self, round: Round, rounds: u64) -> bool {
        let repeats = |line: &Line, each: u32| each == 0 || line.repeats(rounds * u64::from(each));
        repeats(&self.list, round.messages) && repeats(&self.computes, round.computes)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;

    use backwater_kernel::{Duration, Time};

    use crate::spec::collectives::{
        Collective, Cut, Lane, Operation, Order, PhaseSpec, Schedule, lanes, lanes_listed, program,
        program_listed,
    };
    use crate::spec::messages::{Happened, MessagesSpec, Waiter, Waiters, written_out};

    /// Written out, what each waits for in the order of what can be.
    fn in_order(lanes: &[Lane]) -> Vec<MessagesSpec> {
        let lists: Vec<&MessagesSpec> = lanes.iter().map(|lane| &lane.list).collect();
        let mut all = written_out(&lists);
        for list in &mut all {
            let messages = list.messages.iter_mut().map(|own| &mut own.after);
            let computes = list.computes.iter_mut().map(|own| &mut own.after);
            messages
                .chain(computes)
                .for_each(|after| after.sort_unstable());
        }
        all
    }

    /// All that waits for each thing, in order.
    fn waiters(lists: &[MessagesSpec]) -> Vec<Vec<(u32, Waiter)>> {
        let of_all = |lists: &[MessagesSpec]| {
            let lists: Vec<(u32, &MessagesSpec)> = (0..).zip(lists).collect();
            Waiters::among(&lists)
        };
        let all = of_all(lists);
        let things = (0..).zip(lists).flat_map(|(flow, list)| {
            let messages = (0..list.message_count() as u32).flat_map(move |message| {
                [
                    Happened::Received { flow, message },
                    Happened::Sent { flow, message },
                ]
            });
            let computes = 0..list.compute_count() as u32;
            messages.chain(computes.map(move |compute| Happened::Computed { flow, compute }))
        });
        things.map(|what| all.waiting_for(what).collect()).collect()
    }

    /// Is a list that goes on in rounds the one that is written out, and are so its waiters?
    fn go_round(short: &[Lane], long: &[Lane]) -> bool {
        let of = |lanes: &[Lane]| {
            lanes
                .iter()
                .map(|lane| lane.list.clone())
                .collect::<Vec<_>>()
        };
        in_order(short) == in_order(long) && waiters(&of(short)) == waiters(&of(long))
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

    /// Every operation, done again and again, is listed as if each time were written out: what a
    /// survey takes for granted of programs.
    #[test]
    fn programs_go_round() {
        let operations = ALL.iter().flat_map(|own| cuts(*own));
        for (operation, ranks) in operations.flat_map(|own| (2..9).map(move |ranks| (own, ranks))) {
            for times in [2, 4] {
                let (work, at) = ((times, Duration(70)), (Time(3), 0));
                let short = lanes(operation, ranks, work, at).expect("it can be done");
                let long = lanes_listed(operation, ranks, work, at, times).expect("likewise");
                assert_eq!(short.1, long.1);
                assert!(go_round(&short.0, &long.0), "{operation:?} by {ranks}");
            }
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
                let at = (ranks, Time(3), 0);
                let long = program_listed(at, &phases, 4, 4);
                if let Some((short, long)) = program(at, &phases, 4).zip(long) {
                    let what = format!("a job of {operation:?}, {schedule:?}, by {ranks}");
                    assert!(go_round(&short.0, &long.0), "{what}");
                    assert_eq!(short.1, long.1, "{what}");
                }
            }
        }
    }

    /// Negative control: one that waits for something else once, or goes on once more, is seen.
    #[test]
    fn what_waits_for_something_else_does_not_go_round() {
        let (work, at) = ((5, Duration(70)), (Time(3), 0));
        let (short, _) = lanes(cuts(ALL[0])[0], 4, work, at).expect("it can be done");
        let (long, _) = lanes_listed(cuts(ALL[0])[0], 4, work, at, 5).expect("it can be done");
        assert!(go_round(&short, &long));
        let mut other = long.clone();
        other[2].list.messages[20].after.pop();
        assert!(!go_round(&short, &other));
        let mut other = short;
        other[2].list.again.times += 1;
        assert!(!go_round(&other, &long));
    }
}
