//! Pipelines there and back: each stage computes microbatches as they come, sends what comes of
//! them on, and computes their gradients as those come back.
//!
//! | Here | Literature |
//! |---|---|
//! | [`Schedule::AllForward`] | Y. Huang et al., *GPipe*, NeurIPS 2019 |
//! | [`Schedule::InTurn`] | 1F1B: D. Narayanan et al., *PipeDream*, 2019; Megatron-LM, 2021 |
//!
//! With p stages and m microbatches, whose messages take no time, both need (m + p - 1) times what
//! one microbatch takes a stage there and back, so that stages compute but for the share
//! (p - 1) / (m + p - 1). They differ in what a stage has to keep: m microbatches, or no more than
//! the stages from it to the last.

use alloc::vec::Vec;

use super::channels::Team;
use super::steps::Program;
use crate::spec::messages::{ComputeSpec, Happened, MessageSpec};
use backwater_kernel::Duration;

/// What a pipeline does with its microbatches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// They go forward and nothing comes back.
    #[default]
    Forward,
    /// All go forward, then all come back, in the same order.
    AllForward {
        /// A stage computes so long on the way back.
        backward: Duration,
    },
    /// When the first has come back a stage computes one forward and one back in turn.
    InTurn {
        /// Likewise.
        backward: Duration,
    },
}

/// A microbatch on its way forward or back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Turn {
    is_back: bool,
    batch: u32,
}

impl Schedule {
    /// What a stage computes for a microbatch that comes back, if they do.
    pub fn backward(self) -> Option<Duration> {
        match self {
            Schedule::Forward => None,
            Schedule::AllForward { backward } | Schedule::InTurn { backward } => Some(backward),
        }
    }

    /// What a stage computes, in order.
    fn turns(self, stage: u32, (stages, batches): (u32, u32)) -> Vec<Turn> {
        let ahead = match self {
            Schedule::Forward | Schedule::AllForward { .. } => batches,
            Schedule::InTurn { .. } => batches.min(stages - 1 - stage),
        };
        let there = |batch| Turn {
            is_back: false,
            batch,
        };
        let back = |batch| Turn {
            is_back: true,
            batch,
        };
        let mut turns: Vec<Turn> = (0..ahead).map(there).collect();
        for batch in ahead..batches {
            turns.extend([there(batch), back(batch - ahead)]);
        }
        turns.extend((batches - ahead..batches).map(back));
        turns
    }
}

/// A pipeline under construction.
struct Pipeline {
    /// Ranks of the program, stage by stage.
    members: Vec<u32>,
    channels: Vec<Channel>,
}

/// One of its channels.
struct Channel {
    bytes: u64,
    /// Steps before.
    steps: u32,
    /// Of each stage but the last the flow to the next, with the messages it had before, and the
    /// flow back.
    hops: Vec<[(u32, u32); 2]>,
}

impl Pipeline {
    /// What of a microbatch a stage waits for.
    fn comes(&self, stage: u32, turn: Turn) -> impl Iterator<Item = Happened> {
        // From the one before, or from the one behind.
        let hop = match turn.is_back {
            false => stage.checked_sub(1),
            true => Some(stage),
        };
        let channels = self.channels.iter();
        let flows = channels.filter_map(move |channel| {
            let both = channel.hops.get(hop? as usize)?;
            Some(both[usize::from(turn.is_back)])
        });
        flows.map(move |(flow, before)| Happened::Received {
            flow,
            message: before + turn.batch,
        })
    }
}

impl Program {
    /// So many microbatches through the stages and back, each of which takes `there` a stage.
    pub(super) fn there_and_back(
        &mut self,
        team: &mut Team,
        schedule: Schedule,
        (batches, there): (u32, Duration),
    ) {
        let back = schedule.backward().unwrap_or_default();
        let pipeline = self.pipeline(team);
        let stages = pipeline.members.len() as u32;
        for stage in 0..stages {
            let rank = pipeline.members[stage as usize];
            let mut after = core::mem::take(&mut self.done[rank as usize]);
            let mut done = Vec::new();
            for turn in schedule.turns(stage, (stages, batches)) {
                after.extend(pipeline.comes(stage, turn));
                let time = if turn.is_back { back } else { there };
                let compute = self.computes[rank as usize].len() as u32;
                let after = core::mem::take(&mut after);
                self.computes[rank as usize].push(ComputeSpec { after, time });
                let computed = Happened::Computed {
                    flow: rank,
                    compute,
                };
                let sent = self.send_on(&pipeline, stage, (turn, computed));
                done = Vec::from([computed]);
                done.extend(sent);
            }
            self.done[rank as usize] = done;
        }
        for group in &mut team.channels {
            group.steps += 2 * (stages - 1) * batches;
        }
    }

    fn pipeline(&mut self, team: &mut Team) -> Pipeline {
        let members = team.channels[0].members.clone();
        let mut channels = Vec::new();
        for group in &mut team.channels {
            let places: Vec<u32> = members.iter().map(|rank| group.place(*rank)).collect();
            let mut hops = Vec::new();
            for two in places.windows(2) {
                let mut flow = |from: u32, to: u32| {
                    let lane = self.lane(group, (from, to, 0));
                    let before = self.lanes[lane].list.messages.len() as u32;
                    (self.first + lane as u32, before)
                };
                hops.push([flow(two[0], two[1]), flow(two[1], two[0])]);
            }
            channels.push(Channel {
                bytes: group.bytes,
                steps: group.steps,
                hops,
            });
        }
        Pipeline { members, channels }
    }

    /// What a stage has computed goes to the next one, on all channels; that it was sent.
    fn send_on(
        &mut self,
        pipeline: &Pipeline,
        stage: u32,
        (turn, computed): (Turn, Happened),
    ) -> Vec<Happened> {
        let last = pipeline.members.len() as u32 - 1;
        let hop = match turn.is_back {
            false => (stage < last).then_some(stage),
            true => stage.checked_sub(1),
        };
        let Some(hop) = hop else {
            return Vec::new();
        };
        let place = match turn.is_back {
            false => hop,
            true => 2 * last - 1 - hop,
        };
        let send = |channel: &Channel| {
            let (flow, _) = channel.hops[hop as usize][usize::from(turn.is_back)];
            let list = &mut self.lanes[(flow - self.first) as usize].list.messages;
            list.push(MessageSpec {
                bytes: channel.bytes,
                after: Vec::from([computed]),
                think: Duration::ZERO,
                step: channel.steps + turn.batch * 2 * last + place,
            });
            Happened::Sent {
                flow,
                message: list.len() as u32 - 1,
            }
        };
        pipeline.channels.iter().map(send).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stage computes each microbatch once there and once back, in this order, and of those it
    /// has to keep there are no more than its place allows.
    #[test]
    fn stages_keep_what_they_have_to() {
        let backward = Duration(1);
        for stages in 2..7 {
            for batches in 1..12 {
                for stage in 0..stages {
                    let kept = |schedule: Schedule| {
                        let (mut there, mut back, mut most) = (0, 0, 0);
                        for turn in schedule.turns(stage, (stages, batches)) {
                            let next = if turn.is_back { &mut back } else { &mut there };
                            assert_eq!(turn.batch, *next);
                            *next += 1;
                            most = most.max(there - back);
                            assert!(back <= there);
                        }
                        assert_eq!((there, back), (batches, batches));
                        most
                    };
                    let all = kept(Schedule::AllForward { backward });
                    assert_eq!(all, batches);
                    let in_turn = kept(Schedule::InTurn { backward });
                    assert_eq!(in_turn, batches.min(stages - stage));
                }
            }
        }
    }
}
