//! What jobs took: completion times against a roofline and against an idle network, and how much
//! of their communication is not hidden behind computing.

use backwater_kernel::{Collected, Distribution, Duration, Time};
use backwater_net::frames::spec::{Happened, JobSpec, PhaseSpec};

use super::Frames;
use super::collectives::rounds::Rounds;
use super::collectives::times::Times;
use super::collectives::{Critical, gantt, idle, line, path};
use crate::distribution::cell;
use crate::events::ranks::Ends;
use crate::events::transfers::MS;
use crate::lines::{rest, shortened};
use crate::model::{Cell, Plot, Table};
use crate::number::{percent, significant, span};
use crate::table_of::TableOf;

/// Jobs that are drawn, and that have a line in a terminal.
const DRAWN: usize = 4;
/// Times of iterations that are kept one by one for percentiles.
const KEPT: usize = 1 << 16;

/// A job with what was found of it.
struct Found<'a> {
    told: &'a JobSpec,
    ends: &'a Ends,
    /// Between one end and the next.
    took: Distribution,
}

/// What ended in an iteration so far.
#[derive(Clone, Copy, Default)]
struct End {
    last: Option<(Time, Happened)>,
    is_open: bool,
}

impl End {
    fn add(&mut self, at: Option<Time>, what: Happened) {
        self.is_open |= at.is_none();
        let end = at.map(|at| (at, what));
        if end.map(|end| end.0) > self.last.map(|last| last.0) {
            self.last = end;
        }
    }
}

impl<'a> Found<'a> {
    fn all(run: &'a Frames<'_>) -> Vec<Found<'a>> {
        let jobs = run.network.rules.jobs.iter();
        let ends = run.ranks.ends.get_or_init(|| {
            let all = jobs.clone();
            all.map(|told| ends(run, told)).collect()
        });
        let all = jobs.zip(ends);
        all.map(|(told, ends)| Found::of(told, ends)).collect()
    }

    fn of(told: &'a JobSpec, ends: &'a Ends) -> Found<'a> {
        let (mut took, mut before) = (Collected::new(KEPT), told.start);
        for (end, _) in ends.iter().map_while(|end| *end) {
            took.record(end.since(before).ps());
            before = end;
        }
        Found {
            told,
            ends,
            took: took.distribution(),
        }
    }

    /// From its start to the end of its last iteration.
    fn completion(&self) -> Option<Duration> {
        let last = self.ends.last().copied().flatten()?;
        Some(last.0.since(self.told.start))
    }

    /// What a rank computes in an iteration, ps.
    fn computes(&self) -> f64 {
        let each = self.told.phases.iter().map(|phase| {
            let times = times_of(phase);
            phase.computes().ps() as f64 * times
        });
        each.sum()
    }

    /// The share of an iteration in which a rank does not compute, mean of all.
    fn bubble(&self) -> Option<f64> {
        let each = self.told.phases.iter();
        let ps = each.map(|phase| phase.computes().ps() as f64 * f64::from(phase.times));
        Some((1.0 - ps.sum::<f64>() / self.took.mean()?).max(0.0))
    }

    /// Computing, and bytes at line rate, without headers and delays: no job takes less, unless the
    /// network computes. ps.
    fn roofline(&self, run: &Frames<'_>) -> f64 {
        let rate = line(run, &self.told.hosts);
        let each = self.told.phases.iter().map(|phase| roofline(phase, rate));
        each.sum::<f64>() * f64::from(self.told.iterations)
    }

    fn idle(&self, run: &Frames<'_>) -> Option<f64> {
        let jobs = &run.network.rules.jobs;
        let of = |told: &JobSpec| {
            let time = idle::time(Times::of(run), told.flows.clone(), told.start)?;
            Some(time.ps() as f64)
        };
        let all = run.ranks.idle.get_or_init(|| jobs.iter().map(of).collect());
        let at = jobs.iter().position(|own| own.flows == self.told.flows)?;
        all.get(at).copied().flatten()
    }

    /// Of an iteration, the time in which ranks do not compute, and its share; mean of those
    /// complete.
    fn exposed(&self) -> Option<(f64, f64)> {
        let mean = self.took.mean()?;
        let exposed = (mean - self.computes()).max(0.0);
        Some((exposed, exposed / mean))
    }

    /// The longest iteration: its number from 0, its beginning, and its end.
    fn longest(&self) -> Option<(usize, Time, (Time, Happened))> {
        let mut before = self.told.start;
        let complete = self.ends.iter().map_while(|end| *end).enumerate();
        let all = complete.map(|(at, end)| {
            let since = std::mem::replace(&mut before, end.0);
            (at, since, end)
        });
        all.max_by_key(|(at, since, end)| (end.0.since(*since), std::cmp::Reverse(*at)))
    }

    fn sentence(&self, run: &Frames<'_>) -> String {
        let mut text = format!("{}: ", shortened(&self.told.name));
        let Some(took) = self.completion() else {
            let done = self.took.count();
            return text + &format!("{done} of {} iterations", self.told.iterations);
        };
        let ps = took.ps() as f64;
        text += &format!(
            "JCT {}, {} times roofline",
            span(ps),
            significant(ps / self.roofline(run), 4)
        );
        if let Some(idle) = self.idle(run) {
            text += &format!(", {} times idle", significant(ps / idle, 4));
        }
        if let Some((exposed, share)) = self.exposed() {
            text += &format!(
                "; exposed communication {} an iteration ({})",
                span(exposed),
                percent(share)
            );
        }
        text
    }
}

/// The ends of all iterations of a job: looks through all messages and computing, of those that
/// are like others not again.
fn ends(run: &Frames<'_>, told: &JobSpec) -> Ends {
    let times = Times::of(run);
    let rounds = Rounds::of(times, told.flows.clone());
    let each = rounds.each(|round| ends_of(run, told, (&rounds, round)));
    let iterations = each.iter().flat_map(|(ends, rounds, later)| {
        ends.iter().map(move |end| {
            let (at, what) = end.last.filter(|_| !end.is_open)?;
            let list = times.list(what.flow())?;
            Some((at + later, what.later(rounds, list.again)))
        })
    });
    iterations.collect()
}

/// Those of a round.
fn ends_of(run: &Frames<'_>, told: &JobSpec, of: (&Rounds, u32)) -> Vec<End> {
    let times = Times::of(run);
    let (rounds, round) = of;
    let count = told.iterations / rounds.count;
    let mut ends = vec![End::default(); count as usize];
    let place = |iteration: u32| iteration.wrapping_sub(round * count) as usize;
    let range = told.collectives.start as usize..told.collectives.end as usize;
    let phases = run.network.rules.collectives.get(range).unwrap_or_default();
    for phase in phases {
        let steps = phase.steps * (phase.times / told.iterations.max(1));
        for message in times.messages(phase.flows.clone(), of) {
            let iteration = message.step / steps.max(1);
            if let Some(end) = ends.get_mut(place(iteration)) {
                let (flow, number) = (message.flow, message.number);
                let what = Happened::Received {
                    flow,
                    message: number,
                };
                end.add(message.received, what);
            }
        }
    }
    for flow in told.flows.clone() {
        let count = times.list(flow).map_or(0, |list| list.compute_count());
        let each = (count / u64::from(told.iterations.max(1))) as u32;
        for compute in times.computes(flow..flow + 1, of) {
            if let Some(end) = ends.get_mut(place(compute.number / each.max(1))) {
                let what = Happened::Computed {
                    flow,
                    compute: compute.number,
                };
                end.add(compute.ended, what);
            }
        }
    }
    ends
}

/// How often a rank computes in a phase: in a pipeline the last one waits for all before it.
fn times_of(phase: &PhaseSpec) -> f64 {
    let times = f64::from(phase.times);
    match phase.is_pipeline() {
        true => times + f64::from(phase.ranks().saturating_sub(1)),
        false => times,
    }
}

/// The least time of a phase, ps.
fn roofline(phase: &PhaseSpec, rate: f64) -> f64 {
    let (compute, beside) = (phase.compute.ps() as f64, phase.beside.ps() as f64);
    let Some(operation) = phase.operation else {
        return (compute + beside) * times_of(phase);
    };
    let (above, below) = operation.kind.bus_factor(phase.ranks());
    let factor = f64::from(above) / f64::from(below);
    let bytes_ps = operation.bytes as f64 * factor * 8.0 / rate * 1e12;
    let hops = f64::from(phase.ranks().saturating_sub(1));
    match (phase.schedule.backward(), phase.is_pipeline()) {
        // The first microbatch goes through all stages, and the last one comes back.
        (Some(_), _) => phase.computes().ps() as f64 * times_of(phase) + 2.0 * hops * bytes_ps,
        // The last one sends nothing.
        (None, true) => (compute + bytes_ps) * times_of(phase) - bytes_ps,
        (None, false) => (compute + beside.max(bytes_ps)) * times_of(phase),
    }
}

/// What a job took; times in ps.
pub struct Mean {
    pub completion: f64,
    /// Over the roofline.
    pub ratio: f64,
    pub iteration: f64,
    pub exposed: f64,
    pub exposed_share: f64,
}

/// Of each job; nothing of one that is not complete.
pub fn means(run: &Frames<'_>) -> Vec<Option<Mean>> {
    let all = Found::all(run);
    let mean = |own: &Found<'_>| {
        let completion = own.completion()?.ps() as f64;
        let (exposed, exposed_share) = own.exposed()?;
        Some(Mean {
            completion,
            ratio: completion / own.roofline(run),
            iteration: own.took.mean()?,
            exposed,
            exposed_share,
        })
    };
    all.iter().map(mean).collect()
}

/// A row for each job.
pub fn table(run: &Frames<'_>) -> Table {
    rows(run, Found::all(run))
}

/// The row of the job of this name.
pub fn table_of(run: &Frames<'_>, name: &str) -> Table {
    let all = Found::all(run).into_iter();
    rows(run, all.filter(|own| own.told.name == name).collect())
}

fn rows(run: &Frames<'_>, all: Vec<Found<'_>>) -> Table {
    TableOf::of(all)
        .called(
            "jobs: Jobs of ranks that compute and communicate, whole run. JCT is the job \
             completion time. The roofline is computing, and size times the factor of busbw over \
             all links of the slowest of its ranks, iteration after iteration, without headers \
             and delays. Idle is the least with nobody else in the network. Exposed is \
             communication that is not hidden behind computing.",
        )
        .text("job: its name")
        .of(|own| own.told.name.clone())
        .number("ranks: hosts")
        .of(|own| own.told.hosts.len() as u64)
        .number("iterations: that it has in all")
        .of(|own| own.told.iterations)
        .number("done: complete")
        .of(|own| own.took.count())
        .number("computing [ms]: in each iteration")
        .of(|own| Cell::float(own.computes() / MS, 3))
        .number("JCT [ms]: from its start to the end of its last iteration; empty before that")
        .of(|own| millis(own.completion()))
        .number("roofline [ms]: of all iterations")
        .of(|own| Cell::float(own.roofline(run) / MS, 3))
        .number("JCT ratio: over the roofline")
        .of(|own| ratio(own.completion(), Some(own.roofline(run))))
        .number("idle [ms]: of all iterations; empty where paths differ")
        .of(|own| cell(own.idle(run), MS))
        .number("over idle: JCT over that")
        .of(|own| ratio(own.completion(), own.idle(run)))
        .times("iteration", ("ms", MS), |own| &own.took)
        .number("exposed [ms]: mean of an iteration in which its ranks do not compute")
        .of(|own| cell(own.exposed().map(|exposed| exposed.0), MS))
        .number("exposed [%]: of the mean iteration")
        .of(|own| cell(own.exposed().map(|exposed| exposed.1 * 100.0), 1.0))
        .number(
            "bubble [%]: of the mean iteration that a rank does not compute, mean of all ranks; \
             in a pipeline it waits for microbatches too",
        )
        .of(|own| cell(own.bubble().map(|share| share * 100.0), 1.0))
        .done()
}

fn millis(time: Option<Duration>) -> Cell {
    cell(time.map(|time| time.ps() as f64), MS)
}

fn ratio(took: Option<Duration>, over: Option<f64>) -> Cell {
    let ratio = took.zip(over).filter(|(_, over)| *over > 0.0);
    ratio.map_or(Cell::Empty, |(took, over)| {
        Cell::float(took.ps() as f64 / over, 4)
    })
}

/// A line for each of the first jobs.
pub fn lines(run: &Frames<'_>) -> Vec<String> {
    let all = Found::all(run);
    let mut lines: Vec<String> = all
        .iter()
        .take(DRAWN)
        .map(|own| own.sentence(run))
        .collect();
    lines.extend(rest(all.len(), DRAWN, "job"));
    lines
}

/// The critical path of the longest iteration of each.
pub fn paths(run: &Frames<'_>) -> Vec<Critical> {
    let times = Times::of(run);
    let all = Found::all(run).into_iter();
    let paths = all.filter_map(|own| {
        let (at, since, (_, what)) = own.longest()?;
        Some((own.told.name.clone(), at + 1, path::to(times, what, since)))
    });
    paths.collect()
}

/// The longest iteration of each of the first jobs, by rank.
pub fn plots(run: &Frames<'_>) -> Vec<Plot> {
    let times = Times::of(run);
    let all = Found::all(run).into_iter().take(DRAWN);
    let drawn = all.filter_map(|own| {
        let (at, from, (until, what)) = own.longest()?;
        let path = path::to(times, what, from);
        let drawn = gantt::Drawn {
            id: format!("job-{}", own.told.name),
            title: format!(
                "Iteration {} of {} by rank, the longest",
                at + 1,
                own.told.name
            ),
            hosts: &own.told.hosts,
            flows: own.told.flows.clone(),
            from,
            until,
            path: &path,
        };
        Some(gantt::plot(times, &drawn))
    });
    drawn.collect()
}
