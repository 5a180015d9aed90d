//! Jobs: what ranks compute and exchange, iteration after iteration.
//!
//! The ranks of a job stand in a block of up to four sizes (tensor, expert, data, pipeline), of
//! which the first counts fastest. Those that differ in one of them alone are a group across it. A
//! phase is computing, then an operation within each group; of the computing a part may go on
//! beside it. A rank is through with a phase when both are over.

use alloc::vec::Vec;
use core::ops::Range;

use super::steps::{Group, Program};
use super::{Collective, Lane};
use crate::spec::messages::Happened;
use alloc::string::String;
use backwater_kernel::{Duration, Time};

/// A job, as results tell of it; the network knows nothing of it.
#[derive(Clone, PartialEq, Debug)]
pub struct JobSpec {
    /// As results call it.
    pub name: String,
    /// Hosts by rank.
    pub hosts: Vec<u32>,
    /// No rank begins before.
    pub start: Time,
    /// How often all phases are done.
    pub iterations: u32,
    /// One after another.
    pub phases: Vec<PhaseSpec>,
    /// Messages and computing are those of these flows.
    pub flows: Range<u32>,
    /// The operations of its phases, of all of the network.
    pub collectives: Range<u32>,
}

/// A phase of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseSpec {
    /// Each rank computes so long before,
    pub compute: Duration,
    /// and so long beside
    pub beside: Duration,
    /// what its group does, on so many bytes; nothing where there is no group of two.
    pub operation: Option<(Collective, u64)>,
    /// Groups of ranks, all of one size.
    pub groups: Vec<Vec<u32>>,
    /// All of this so many times.
    pub times: u32,
}

impl PhaseSpec {
    /// Ranks of each group.
    pub fn ranks(&self) -> u32 {
        self.groups.first().map_or(0, |group| group.len() as u32)
    }

    /// Messages of one iteration, at most.
    pub fn messages(&self) -> u64 {
        let (groups, times) = (self.groups.len() as u64, u64::from(self.times));
        let each = self.operation.map_or(0, |(operation, bytes)| {
            operation.messages(self.ranks(), bytes)
        });
        each.saturating_mul(groups).saturating_mul(times)
    }

    /// What a rank computes each time.
    pub fn computes(&self) -> Duration {
        self.compute + self.beside
    }
}

/// A phase's part of the lanes, and steps of each of its operations.
pub type Part = (Range<u32>, u32);

/// The lanes of a job whose first flow is number `first`, and of each phase its part of them.
/// Computing of a rank that sends nothing is left out: `None` if there is such a rank.
pub fn program(
    (ranks, start, first): (u32, Time, u32),
    phases: &[PhaseSpec],
    iterations: u32,
) -> Option<(Vec<Lane>, Vec<Part>)> {
    let mut made = Program::new(ranks, start, first);
    let mut groups: Vec<Vec<Group>> = (phases.iter())
        .map(|phase| {
            let bytes = phase.operation.map_or(0, |(_, bytes)| bytes);
            let members = phase.groups.iter().cloned();
            members.map(|members| Group::new(members, bytes)).collect()
        })
        .collect();
    let mut parts: Vec<Part> = Vec::new();
    for iteration in 0..iterations {
        for (phase, groups) in phases.iter().zip(&mut groups) {
            let before = made.lanes();
            for _ in 0..phase.times {
                phase_of(&mut made, ranks, phase, groups);
            }
            if iteration == 0 {
                parts.push((first + before..first + made.lanes(), 0));
            }
        }
    }
    for ((part, groups), phase) in parts.iter_mut().zip(&groups).zip(phases) {
        let steps = groups.first().map_or(0, |group| group.steps);
        part.1 = steps / (iterations * phase.times).max(1);
    }
    let lanes = made.finish();
    let mut sends: Vec<u32> = lanes.iter().map(|lane| lane.from).collect();
    sends.sort_unstable();
    sends.dedup();
    (sends.len() == ranks as usize).then_some((lanes, parts))
}

/// A phase, once.
fn phase_of(made: &mut Program, ranks: u32, phase: &PhaseSpec, groups: &mut [Group]) {
    if let Some((Collective::Pipeline, _)) = phase.operation {
        for group in groups {
            made.stages(group, phase.compute);
        }
        return;
    }
    let mut beside: Vec<Option<Happened>> = Vec::new();
    for rank in 0..ranks {
        if phase.compute > Duration::ZERO {
            made.done[rank as usize] = Vec::from([made.compute(rank, phase.compute)]);
        }
        let goes_on = phase.beside > Duration::ZERO;
        beside.push(goes_on.then(|| made.compute(rank, phase.beside)));
    }
    if let Some((operation, _)) = phase.operation {
        for group in groups {
            made.operation(operation, group);
        }
    }
    for (done, beside) in made.done.iter_mut().zip(beside) {
        done.extend(beside);
    }
}
