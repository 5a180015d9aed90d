//! Jobs: the flows of their ranks.

use backwater_ends::spec::collectives::{
    self, Collective, CollectiveSpec, JobSpec, LISTED, Operation, PhaseSpec, Schedule,
};
use backwater_kernel::Duration;
use backwater_kernel::words::counted;
use backwater_net::frames::spec::TrafficSpec;

use super::collectives::{Sent, are_too_long, operation, room_of_messages};
use super::net::Net;
use crate::given::frames::jobs::{self as given, Across, Jobs, Phases};
use crate::language::typed::Word;
use crate::network::patterns::{self, Room};
use crate::prelude::*;

/// What is told of a job: itself, and the operations of its phases.
pub(crate) type Told = (JobSpec, Vec<CollectiveSpec>);

/// The flows of a job, the first of which is to be number `first`, and what they are together;
/// `None` if something is wrong, which is then told.
pub(crate) fn flows(
    given: &Placed<Jobs>,
    (net, room): (&Net<'_>, Room),
    first: usize,
    mistakes: &mut Diagnostics,
) -> Option<(Vec<Sent>, Told)> {
    let hosts = patterns::hosts(&given.work.ranks, net, mistakes)?;
    let (iterations, ranks) = (*given.work.iterations.sure()?, hosts.len() as u32);
    let sides = sides(given, ranks, mistakes)?;
    let mut phases = Vec::new();
    for own in given.work.phases.iter() {
        phases.push(phase(own, (ranks, sides), mistakes)?);
    }
    if phases.iter().all(|phase| phase.operation.is_none()) {
        Diagnostic::error("bad-job", "a job that communicates nothing")
            .at(&given.work.phases.at, "no phase with a `kind`")
            .help("add one: `{ kind = \"ring-all-reduce\", size = \"1 MB\" }`")
            .tell(mistakes);
        return None;
    }
    let each = phases
        .iter()
        .map(PhaseSpec::messages)
        .fold(0, u64::saturating_add);
    let messages = each.saturating_mul(iterations.min(LISTED).into());
    if room_of_messages(room).refuses(&given.work.iterations.at, messages, mistakes) {
        return None;
    }
    let first = first as u32;
    let Some(made) = collectives::program((ranks, *given.work.start, first), &phases, iterations)
    else {
        Diagnostic::error("bad-job", "a rank of the job sends nothing")
            .at(&given.work.phases.at, "in no phase each rank sends")
            .note("what such a rank computes would be waited for by nobody")
            .help("add a phase in which all send, such as an all-reduce")
            .tell(mistakes);
        return None;
    };
    let (lanes, parts) = made;
    let steps = phases.iter().zip(&parts).map(|(phase, (_, steps))| {
        let times = iterations.saturating_mul(phase.times);
        steps.saturating_mul(times)
    });
    let (steps, at) = (steps.max().unwrap_or(0), &given.work.iterations.at);
    if are_too_long(&lanes, steps, at, mistakes) {
        return None;
    }
    let sent = lanes.into_iter().map(|lane| {
        let (from, to) = (hosts[lane.from as usize], hosts[lane.to as usize]);
        ((from, vec![to]), TrafficSpec::Messages(lane.list))
    });
    let sent: Vec<Sent> = sent.collect();
    let operations = operations((given, &phases), parts, (&hosts, iterations));
    let job = JobSpec {
        name: given.name.to_string(),
        start: *given.work.start,
        iterations,
        flows: first..first + sent.len() as u32,
        // Known when all before it are.
        collectives: 0..0,
        phases,
        hosts,
    };
    Some((sent, (job, operations)))
}

/// What each phase has its groups do.
fn operations(
    (given, phases): (&Jobs, &[PhaseSpec]),
    parts: Vec<collectives::Part>,
    (hosts, iterations): (&[u32], u32),
) -> Vec<CollectiveSpec> {
    let all = given.work.phases.iter().zip(phases).zip(parts);
    let operations = all.filter_map(|((own, phase), (flows, steps))| {
        let operation = phase.operation?;
        let across = own.across.word();
        let members = phase.groups.iter().flatten();
        Some(CollectiveSpec {
            name: format!("{} {across}", given.name.as_str()),
            operation,
            hosts: members.map(|rank| hosts[*rank as usize]).collect(),
            ranks: phase.ranks(),
            times: iterations.saturating_mul(phase.times),
            steps,
            flows,
        })
    });
    operations.collect()
}

/// Ranks in each direction of the block, the one that counts fastest first.
type Sides = [u32; 4];

fn sides(given: &Placed<Jobs>, ranks: u32, mistakes: &mut Diagnostics) -> Option<Sides> {
    let (tensor, expert) = (*given.work.tensor.sure()?, *given.work.expert.sure()?);
    let pipeline = *given.work.pipeline.sure()?;
    let others = u64::from(tensor) * u64::from(expert) * u64::from(pipeline);
    let rest = u64::from(ranks) / others.max(1);
    let data = given.work.data.map_or(rest, u64::from);
    if ranks > 0 && others.saturating_mul(data) == u64::from(ranks) {
        return Some([tensor, expert, data as u32, pipeline]);
    }
    let at = given.work.ranks.place().unwrap_or(&given.at);
    let others = match *given.work.data {
        Some(data) => format!("`tensor` {tensor}, `expert` {expert}, `data` {data}"),
        None => format!("`tensor` {tensor}, `expert` {expert}"),
    };
    Diagnostic::error("bad-job", "the sizes of the job do not make its ranks")
        .at(at, counted(ranks, "rank"))
        .note(format!("they are {others} and `pipeline` {pipeline}"))
        .help("choose sizes whose product is the number of ranks, or leave `data` out")
        .tell(mistakes);
    None
}

fn phase(
    own: &Placed<Phases>,
    (ranks, sides): (u32, Sides),
    mistakes: &mut Diagnostics,
) -> Option<PhaseSpec> {
    let across = *own.across.sure()?;
    let groups = groups(across, ranks, sides);
    let members = groups.first().map_or(0, |group| group.len() as u32);
    let operation = phase_operation(own, members, mistakes)?;
    let whole = *own.compute.sure()?;
    if let Some(found) = idle_keys(own, operation.is_some()) {
        found.tell(mistakes);
        return None;
    }
    let beside = match operation {
        None => Duration::ZERO,
        Some(operation) if operation.kind == Collective::Pipeline && *own.overlap > 0.0 => {
            Diagnostic::no_meaning("overlap", "of a pipeline")
                .at(&own.overlap.at, "each rank computes before it sends on")
                .help("leave it out")
                .tell(mistakes);
            return None;
        }
        Some(_) => part(whole, *own.overlap.sure()?),
    };
    Some(PhaseSpec {
        compute: Duration(whole.ps() - beside.ps()),
        beside,
        operation,
        groups,
        times: *own.times.sure()?,
        schedule: schedule(own, operation, mistakes)?,
    })
}

/// What the ranks of a phase exchange; inside, `None` where they only compute.
fn phase_operation(
    own: &Placed<Phases>,
    members: u32,
    mistakes: &mut Diagnostics,
) -> Option<Option<Operation>> {
    let operation = match (own.kind.sure()?, own.size.sure()?) {
        (Some(kind), Some(bytes)) if members > 1 => {
            let cutting = (&own.cutting, &own.at);
            Some(operation((*kind, *bytes), cutting, mistakes)?)
        }
        (Some(_), Some(_)) => {
            Diagnostic::error("bad-job", "an operation of one rank")
                .at(
                    &own.across.at,
                    format!("{} there", counted(members, "rank")),
                )
                .note("a rank alone has nobody to exchange anything with")
                .help("choose another `across`, or a larger size of it in `[[jobs]]`")
                .tell(mistakes);
            return None;
        }
        (None, None) => None,
        (kind, _) => {
            let (has, needs) = match kind.is_some() {
                true => ("kind", "size"),
                false => ("size", "kind"),
            };
            Diagnostic::error(
                "missing-key",
                format!("`{needs}` is missing beside `{has}`"),
            )
            .at(&own.at, "a phase that communicates has both")
            .help(format!("add `{needs}`, or leave out `{has}`"))
            .tell(mistakes);
            return None;
        }
    };
    if let Some(Err(what)) = operation.map(|operation| operation.check(members)) {
        Diagnostic::error("bad-collective", what)
            .at(&own.size.at, "`size`, which is cut into blocks")
            .help("give each block a byte or more, and groups whole nodes")
            .tell(mistakes);
        return None;
    }
    Some(operation)
}

/// Whether microbatches come back, and when.
fn schedule(
    own: &Placed<Phases>,
    operation: Option<Operation>,
    mistakes: &mut Diagnostics,
) -> Option<Schedule> {
    let is_pipeline = operation.is_some_and(|operation| operation.kind == Collective::Pipeline);
    if let Some(at) = own.schedule.place().filter(|_| !is_pipeline) {
        Diagnostic::no_meaning("schedule", "without a pipeline")
            .at(at, "only stages of a pipeline have one")
            .help("leave it out, or use `kind = \"pipeline\"`")
            .tell(mistakes);
        return None;
    }
    let schedule = own.schedule.sure()?.unwrap_or(given::Schedule::Forward);
    if let Some(at) = (own.backward.place()).filter(|_| schedule == given::Schedule::Forward) {
        Diagnostic::no_meaning("backward", "where microbatches go forward alone")
            .at(at, "nothing comes back")
            .help("leave it out, or use `schedule = \"1f1b\"`")
            .tell(mistakes);
        return None;
    }
    let twice = Duration(own.compute.sure()?.ps().saturating_mul(2));
    let backward = own.backward.sure()?.unwrap_or(twice);
    Some(match schedule {
        given::Schedule::Forward => Schedule::Forward,
        given::Schedule::Gpipe => Schedule::AllForward { backward },
        given::Schedule::OneForwardOneBackward => Schedule::InTurn { backward },
    })
}

/// Keys that say nothing in a phase that communicates nothing, or computes nothing.
fn idle_keys(own: &Phases, communicates: bool) -> Option<Diagnostic> {
    let overlap = (*own.overlap > 0.0).then_some(&own.overlap.at);
    match (communicates, overlap) {
        (false, Some(at)) => {
            let wrong = Diagnostic::no_meaning("overlap", "without `kind`");
            Some(
                wrong
                    .at(at, "beside nothing")
                    .help("leave it out, or give `kind` and `size`"),
            )
        }
        (false, None) => own.across.is_given.then(|| {
            Diagnostic::no_meaning("across", "without `kind`")
                .at(&own.across.at, "each rank computes for itself")
                .help("leave it out, or give `kind` and `size`")
        }),
        (true, Some(at)) if own.compute.ps() == 0 => {
            let wrong = Diagnostic::no_meaning("overlap", "without `compute`");
            Some(
                wrong
                    .at(at, "a part of nothing")
                    .help("leave it out, or give `compute`"),
            )
        }
        (true, _) => None,
    }
}

/// A share of a time, to a part in a thousand million.
fn part(whole: Duration, share: f64) -> Duration {
    const PARTS: u64 = 1_000_000_000;
    let parts = ((share * PARTS as f64).round() as u64).min(PARTS);
    let ps = u128::from(whole.ps()) * u128::from(parts) / u128::from(PARTS);
    Duration(ps as u64)
}

/// Ranks that differ in one direction of the block alone, in order.
fn groups(across: Across, ranks: u32, sides: Sides) -> Vec<Vec<u32>> {
    let direction = match across {
        Across::Tensor => 0,
        Across::Expert => 1,
        Across::Data => 2,
        Across::Pipeline => 3,
        Across::All => return vec![(0..ranks).collect()],
    };
    let stride: u32 = sides[..direction].iter().product();
    let side = sides[direction];
    let firsts = (0..ranks).filter(|rank| (rank / stride).is_multiple_of(side));
    firsts
        .map(|first| (0..side).map(|at| first + at * stride).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each rank is in one group across each direction.
    #[test]
    fn groups_differ_in_one_direction() {
        let sides = [2, 1, 2, 3];
        assert_eq!(groups(Across::Tensor, 12, sides)[1], [2, 3]);
        assert_eq!(groups(Across::Data, 12, sides)[1], [1, 3]);
        assert_eq!(groups(Across::Pipeline, 12, sides)[3], [3, 7, 11]);
        assert_eq!(groups(Across::Expert, 12, sides).len(), 12);
        for across in [
            Across::Tensor,
            Across::Expert,
            Across::Data,
            Across::Pipeline,
            Across::All,
        ] {
            let mut all: Vec<u32> = groups(across, 12, sides).into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..12).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn shares_of_times_are_exact() {
        assert_eq!(part(Duration(1_000_000_000), 0.3), Duration(300_000_000));
        assert_eq!(part(Duration(7), 1.0), Duration(7));
    }
}
