//! Jobs: what ranks compute and exchange, iteration after iteration.
//!
//! The ranks of a job stand in a block of up to four sizes (tensor, expert, data, pipeline), of
//! which the first counts fastest. Those that differ in one of them alone are a group across it. A
//! phase is computing, then an operation within each group; of the computing a part may go on
//! beside it. A rank is through with a phase when both are over.

use alloc::vec::Vec;
use core::ops::Range;

use super::channels::Team;
use super::steps::Program;
use super::there_and_back::Schedule;
use super::{Collective, LISTED, Lane, Operation};
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
    /// what its group does; nothing where there is no group of two.
    pub operation: Option<Operation>,
    /// Groups of ranks, all of one size.
    pub groups: Vec<Vec<u32>>,
    /// All of this so many times; in a pipeline so many microbatches,
    pub times: u32,
    /// in this order.
    pub schedule: Schedule,
}

impl PhaseSpec {
    /// Ranks of each group.
    pub fn ranks(&self) -> u32 {
        self.groups.first().map_or(0, |group| group.len() as u32)
    }

    /// Messages of one iteration, at most.
    pub fn messages(&self) -> u64 {
        let (groups, times) = (self.groups.len() as u64, u64::from(self.times));
        let each = (self.operation).map_or(0, |operation| operation.messages(self.ranks()));
        let ways = if self.schedule.backward().is_some() {
            2
        } else {
            1
        };
        each.saturating_mul(groups).saturating_mul(ways * times)
    }

    /// Each rank computes when it has received, and then sends on.
    pub fn is_pipeline(&self) -> bool {
        let kind = self.operation.map(|operation| operation.kind);
        kind == Some(Collective::Pipeline)
    }

    /// What a rank computes each time, there and back.
    pub fn computes(&self) -> Duration {
        self.compute + self.beside + self.schedule.backward().unwrap_or_default()
    }
}

/// A phase's part of the lanes, and steps of each of its operations.
pub type Part = (Range<u32>, u32);

/// The lanes of a job whose first flow is number `first`, and of each phase its part of them.
/// Computing of a rank that sends nothing is left out: `None` if there is such a rank.
pub fn program(
    at: (u32, Time, u32),
    phases: &[PhaseSpec],
    iterations: u32,
) -> Option<(Vec<Lane>, Vec<Part>)> {
    program_listed(at, phases, iterations, LISTED)
}

/// The same, of which no more than so many iterations are listed.
pub(crate) fn program_listed(
    (ranks, start, first): (u32, Time, u32),
    phases: &[PhaseSpec],
    iterations: u32,
    listed: u32,
) -> Option<(Vec<Lane>, Vec<Part>)> {
    let mut made = Program::new(ranks, start, first);
    let mut teams: Vec<Vec<Team>> = phases.iter().map(teams_of).collect();
    let mut parts: Vec<Part> = Vec::new();
    let listed = iterations.min(listed);
    for iteration in 0..listed {
        for (phase, teams) in phases.iter().zip(&mut teams) {
            let before = made.count();
            phase_of(&mut made, ranks, phase, teams);
            if iteration == 0 {
                parts.push((first + before..first + made.count(), 0));
            }
        }
    }
    for ((part, teams), phase) in parts.iter_mut().zip(&teams).zip(phases) {
        let steps = teams.first().map_or(0, Team::steps);
        part.1 = steps / (listed * phase.times).max(1);
    }
    let lanes = made.finish((listed, iterations));
    let mut sends: Vec<u32> = lanes.iter().map(|lane| lane.from).collect();
    sends.sort_unstable();
    sends.dedup();
    (sends.len() == ranks as usize).then_some((lanes, parts))
}

/// The groups of a phase that does something.
fn teams_of(phase: &PhaseSpec) -> Vec<Team> {
    let of = |operation: &Operation| {
        let groups = phase.groups.iter();
        groups
            .map(|group| Team::new(group.clone(), operation))
            .collect()
    };
    phase.operation.as_ref().map_or_else(Vec::new, of)
}

/// A phase, all the times that it is done.
fn phase_of(made: &mut Program, ranks: u32, phase: &PhaseSpec, teams: &mut [Team]) {
    if phase.schedule.backward().is_some() {
        for team in teams {
            made.there_and_back(team, phase.schedule, (phase.times, phase.compute));
        }
        return;
    }
    for _ in 0..phase.times {
        match phase.is_pipeline() {
            true => (teams.iter_mut()).for_each(|team| made.stages(team, phase.compute)),
            false => once(made, ranks, phase, teams),
        }
    }
}

/// All compute, then groups do their operation, and computing may go on beside it.
fn once(made: &mut Program, ranks: u32, phase: &PhaseSpec, teams: &mut [Team]) {
    let mut beside: Vec<Option<Happened>> = Vec::new();
    for rank in 0..ranks {
        if phase.compute > Duration::ZERO {
            made.done[rank as usize] = Vec::from([made.compute(rank, phase.compute)]);
        }
        let goes_on = phase.beside > Duration::ZERO;
        beside.push(goes_on.then(|| made.compute(rank, phase.beside)));
    }
    if let Some(operation) = &phase.operation {
        for team in teams {
            made.operation(operation, team);
        }
    }
    for (done, beside) in made.done.iter_mut().zip(beside) {
        done.extend(beside);
    }
}
