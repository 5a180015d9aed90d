//! What collective operations took: as a whole, step by step, and along their critical path.

pub mod gantt;
pub mod idle;
pub mod path;
pub mod rounds;
pub mod stuck;
pub mod times;

use backwater_kernel::{Collected, Distribution, Rate, Time};
use backwater_net::frames::spec::{CollectiveSpec, Happened};

use super::Frames;
use crate::distribution::cell;
use crate::events::ranks::{Steps, Stretch};
use crate::events::transfers::MS;
use crate::model::{Cell, Plot, Table};
use crate::number::{percent, rate, significant, span};
use crate::table_of::TableOf;
use path::Link;
use rounds::Rounds;
use times::Times;

/// Collectives that are drawn, and that have a line in a terminal.
const DRAWN: usize = 4;
/// Times of an operation that are kept one by one for percentiles.
const KEPT: usize = 1 << 16;
/// Rows of the table of steps, and of that of critical paths.
const ROWS: usize = 1 << 20;

/// An operation with what was found of it.
struct Found<'a> {
    told: &'a CollectiveSpec,
    steps: &'a Steps,
    each: Vec<Stretch>,
    took: Distribution,
}

impl<'a> Found<'a> {
    fn all(run: &'a Frames<'_>) -> Vec<Found<'a>> {
        let operations = run.network.rules.collectives.iter();
        let steps = run.ranks.steps.get_or_init(|| {
            let all = operations.clone();
            all.map(|told| times::steps(Times::of(run), told)).collect()
        });
        operations
            .zip(steps)
            .map(|(told, steps)| {
                let each = times::operations(told, steps);
                let mut took = Collected::new(KEPT);
                each.iter()
                    .filter_map(Stretch::took)
                    .for_each(|time| took.record(time.ps()));
                let took = took.distribution();
                Found {
                    told,
                    steps,
                    each,
                    took,
                }
            })
            .collect()
    }

    /// What is moved for each rank in a time, bps: over its size, and as a bus would have to.
    fn bandwidths(&self, ps: f64) -> (f64, f64) {
        let algorithm = self.told.operation.bytes as f64 * 8.0 / ps * 1e12;
        let (above, below) = self.told.operation.kind.bus_factor(self.told.ranks);
        (algorithm, algorithm * f64::from(above) / f64::from(below))
    }

    /// The slowest of the ports of its ranks, bps.
    fn line(&self, run: &Frames<'_>) -> f64 {
        line(run, &self.told.hosts)
    }

    /// From the first message of all times to the last one, if all came.
    fn whole(&self) -> Option<f64> {
        let begun = self.each.iter().filter_map(|own| own.begun).min()?;
        let ended = self.each.iter().filter_map(|own| own.ended).max()?;
        let is_complete = self.each.iter().all(|own| own.took().is_some());
        is_complete.then(|| ended.since(begun).ps() as f64)
    }

    /// The one of them that took longest.
    fn longest(&self) -> Option<(usize, &Stretch)> {
        let complete = self
            .each
            .iter()
            .enumerate()
            .filter(|(_, own)| own.took().is_some());
        complete.max_by_key(|(at, own)| (own.took(), std::cmp::Reverse(*at)))
    }
}

/// The slowest of some hosts, bps: what its links carry together.
pub fn line(run: &Frames<'_>, hosts: &[u32]) -> f64 {
    let links = run.network.links.iter();
    let ports = links.flat_map(|link| link.ends.iter().zip(&link.channels));
    let mut together: Vec<(u32, Rate)> = hosts.iter().map(|host| (*host, Rate(0))).collect();
    together.sort_unstable();
    for (node, channel) in ports {
        if let Ok(at) = together.binary_search_by_key(node, |own| own.0) {
            let sum = together[at].1.0.saturating_add(channel.rate.0);
            together[at].1 = Rate(sum);
        }
    }
    let slowest = together.iter().map(|own| own.1).min();
    slowest.map_or(0.0, |rate| rate.0 as f64)
}

/// What operations took on average.
pub struct Mean {
    /// ps.
    pub took: f64,
    /// bps.
    pub algorithm: f64,
    pub bus: f64,
}

/// Of each collective; nothing of one that is not complete.
pub fn means(run: &Frames<'_>) -> Vec<Option<Mean>> {
    let all = Found::all(run);
    let mean = |own: &Found<'_>| {
        own.whole()?;
        let took = own.took.mean()?;
        let (algorithm, bus) = own.bandwidths(took);
        Some(Mean {
            took,
            algorithm,
            bus,
        })
    };
    all.iter().map(mean).collect()
}

/// A row for each collective.
pub fn table(run: &Frames<'_>) -> Table {
    rows(run, Found::all(run))
}

/// The row of the collective of this name, or of the only one of a job of this name.
pub fn table_of(run: &Frames<'_>, name: &str) -> Table {
    let jobs = run.network.rules.jobs.iter();
    let job = jobs.clone().find(|job| job.name == name);
    let of_job = job
        .map(|job| job.collectives.clone())
        .filter(|own| own.len() == 1);
    let all = (0..).zip(Found::all(run)).filter(|(number, own)| {
        let is_of_job = of_job.as_ref().is_some_and(|own| own.contains(number));
        is_of_job || own.told.name == name
    });
    rows(run, all.map(|(_, own)| own).collect())
}

fn rows(run: &Frames<'_>, all: Vec<Found<'_>>) -> Table {
    TableOf::of(all)
        .called(
            "collectives: Collective operations, whole run: from the first message begun to the \
             last byte received, each time that one is done. algbw is the size over that time, \
             busbw that times what nccl-tests multiply with: 2 (P - 1) / P for an all-reduce, \
             (P - 1) / P for reduce-scatter, all-gather and all-to-all, 1 for a broadcast.",
        )
        .text("collective: its name, or the job's and what the phase is across")
        .of(|own| own.told.name.clone())
        .text("kind: what is done, and how")
        .of(|own| own.told.operation.kind.name())
        .number("ranks: of each group")
        .of(|own| own.told.ranks)
        .number("size [bytes]: that each rank has; of all blocks together")
        .of(|own| own.told.operation.bytes)
        .number("steps: each time")
        .of(|own| own.told.steps)
        .number("done: complete, of all times that it is to be done")
        .of(|own| own.took.count())
        .number("left: not complete when the run ended")
        .of(|own| own.each.len() as u64 - own.took.count())
        .times("time", ("ms", MS), |own| &own.took)
        .number("algbw [Mbps]: size over the mean time")
        .of(|own| {
            own.took
                .mean()
                .map(|ps| mbps(own.bandwidths(ps).0))
                .unwrap_or_default()
        })
        .number("busbw [Mbps]: algbw times the factor of nccl-tests")
        .of(|own| {
            own.took
                .mean()
                .map(|ps| mbps(own.bandwidths(ps).1))
                .unwrap_or_default()
        })
        .number(
            "of line [%]: busbw over the rate of the slowest of its hosts, all its links together",
        )
        .of(|own| {
            let share = own
                .took
                .mean()
                .map(|ps| own.bandwidths(ps).1 / own.line(run) * 100.0);
            cell(share, 1.0)
        })
        .number("completion [ms]: of all times together; empty before all are complete")
        .of(|own| cell(own.whole(), MS))
        .number(
            "idle [ms]: the least for the same with nobody else in the network; empty where paths \
             differ",
        )
        .of(|own| cell(idle_ps(run, own.told), MS))
        .done()
}

fn mbps(bps: f64) -> Cell {
    Cell::float(bps / 1e6, 3)
}

/// What all times of an operation take with nobody else. Those of a job wait for other phases.
fn idle_ps(run: &Frames<'_>, told: &CollectiveSpec) -> Option<f64> {
    let jobs = run.network.rules.jobs.iter();
    let mut parts = jobs.map(|job| &job.flows);
    if parts.any(|flows| flows.contains(&told.flows.start)) {
        return None;
    }
    let time = idle::time(Times::of(run), told.flows.clone(), Time::ZERO)?;
    Some(time.ps() as f64)
}

/// A row for each time that an operation is done.
pub fn operations_table(run: &Frames<'_>) -> Table {
    let all = Found::all(run);
    let rows = all.iter().flat_map(|own| {
        let each = (1_u64..).zip(&own.each);
        each.map(move |(at, stretch)| (own, at, stretch))
    });
    let took = |found: &Stretch| found.took().map(|time| time.ps() as f64);
    TableOf::of(rows.take(ROWS))
        .called("operations: Each time that a collective operation is done.")
        .text("collective: as in the table of collectives")
        .of(|(own, ..)| own.told.name.clone())
        .number("operation: which time, from 1")
        .of(|(_, operation, _)| *operation)
        .number("sent [bytes]: payload of its messages")
        .of(|(.., found)| found.bytes)
        .number("begins [ms]: the first of its messages")
        .of(|(.., found)| millis(found.begun))
        .number("ends [ms]: the last byte of the last one that came")
        .of(|(.., found)| millis(found.ended))
        .number("time [ms]: between the two; empty before all are in")
        .of(|(.., found)| cell(took(found), MS))
        .number("algbw [Mbps]: size over that")
        .of(|(own, _, found)| {
            took(found)
                .map(|ps| mbps(own.bandwidths(ps).0))
                .unwrap_or_default()
        })
        .number("busbw [Mbps]: algbw times the factor of nccl-tests")
        .of(|(own, _, found)| {
            took(found)
                .map(|ps| mbps(own.bandwidths(ps).1))
                .unwrap_or_default()
        })
        .text("last: the host that got the last byte")
        .of(|(.., found)| {
            found
                .ended
                .map(|_| run.node(Times::of(run).destination(found.last)))
        })
        .done()
}

/// A row for each step of each operation.
pub fn steps_table(run: &Frames<'_>) -> Table {
    let times = Times::of(run);
    let all = Found::all(run);
    let rows = all.iter().flat_map(|own| {
        let each = (own.told.steps as usize).max(1);
        let steps = own.steps.iter().enumerate();
        steps.map(move |(at, step)| (own, at / each + 1, at % each + 1, step))
    });
    TableOf::of(rows.take(ROWS))
        .called(
            "steps: Each step of each collective operation, over all its groups: from the first \
             message begun to the last byte received. Steps of ranks that wait for nobody overlap.",
        )
        .text("collective: as in the table of collectives")
        .of(|(own, ..)| own.told.name.clone())
        .number("operation: which time it is done, from 1")
        .of(|(_, operation, ..)| *operation as u64)
        .number("step: from 1")
        .of(|(_, _, step, _)| *step as u64)
        .number("messages: in it")
        .of(|(.., found)| found.messages)
        .number("came: of them, to their last byte")
        .of(|(.., found)| found.complete)
        .number("sent [bytes]: payload of its messages")
        .of(|(.., found)| found.bytes)
        .number("begins [ms]: the first of its messages")
        .of(|(.., found)| millis(found.begun))
        .number("ends [ms]: the last byte of the last one that came")
        .of(|(.., found)| millis(found.ended))
        .number("time [ms]: between the two; empty before all are in")
        .of(|(.., found)| cell(found.took().map(|time| time.ps() as f64), MS))
        .text("last from: the host whose message came last")
        .of(|(.., found)| found.ended.map(|_| run.node(times.source(found.last))))
        .text("last to: the host that it came to")
        .of(|(.., found)| found.ended.map(|_| run.node(times.destination(found.last))))
        .done()
}

fn millis(time: Option<Time>) -> Cell {
    cell(time.map(|time| time.ps() as f64), MS)
}

/// A critical path of something: its name, which time it was done, and the path.
pub type Critical = (String, usize, Vec<Link>);

/// The critical path of the longest operation of each collective that is not a part of a job.
fn paths(run: &Frames<'_>) -> Vec<Critical> {
    let times = Times::of(run);
    let jobs = &run.network.rules.jobs;
    let is_of_job = |own: &Found<'_>| {
        let mut parts = jobs.iter().map(|job| &job.flows);
        parts.any(|flows| flows.contains(&own.told.flows.start))
    };
    let all = Found::all(run).into_iter().filter(|own| !is_of_job(own));
    let paths = all.filter_map(|own| {
        let (at, stretch) = own.longest()?;
        let steps = at as u32 * own.told.steps..(at as u32 + 1) * own.told.steps;
        let rounds = Rounds::of(times, own.told.flows.clone());
        let round = at as u32 / (own.told.times / rounds.count).max(1);
        let mut messages = times.messages(own.told.flows.clone(), (&rounds, round));
        let last = messages
            .find(|message| steps.contains(&message.step) && message.received == stretch.ended)?;
        let what = Happened::Received {
            flow: last.flow,
            message: last.number,
        };
        let path = path::to(times, what, stretch.begun?);
        Some((own.told.name.clone(), at + 1, path))
    });
    paths.collect()
}

/// What is on the critical paths, in order of time.
pub fn paths_table(run: &Frames<'_>) -> Table {
    let times = Times::of(run);
    let mut all = paths(run);
    all.extend(super::jobs::paths(run));
    let rows = all.iter().flat_map(|(name, operation, path)| {
        let links = (1_u64..).zip(path);
        links.map(move |(at, link)| (name, *operation as u64, at, link))
    });
    TableOf::of(rows.take(ROWS))
        .called(
            "critical path: What the end of the longest operation of each collective, or of the \
             longest iteration of each job, waited for, back to its beginning. Waits and times \
             add up to the time of the whole: what is on it delays the end by as much as it takes \
             longer.",
        )
        .text("of: the collective or the job")
        .of(|(name, ..)| (*name).clone())
        .number("operation: which time it is done, or which iteration, from 1")
        .of(|(_, operation, ..)| *operation)
        .number("place: on the path, from 1")
        .of(|(.., at, _)| *at)
        .text("what: a message to its last byte, a message to the port, or computing")
        .of(|(.., link)| match link.what {
            Happened::Received { .. } => "message",
            Happened::Sent { .. } => "message sent",
            Happened::Computed { .. } => "computing",
        })
        .number("step: of its operation, counted on over all times; empty of computing")
        .of(|(.., link)| step(times, link.what))
        .text("from: the host that sends or computes")
        .of(|(.., link)| run.node(times.source(link.what.flow())))
        .text("to: the host that receives")
        .of(|(.., link)| match link.what {
            Happened::Received { flow, .. } | Happened::Sent { flow, .. } => {
                Some(run.node(times.destination(flow)))
            }
            Happened::Computed { .. } => None,
        })
        .number("waits [us]: after what is ahead on the path, for think time or its turn")
        .of(|(.., link)| Cell::float(link.before.ps() as f64 / 1e6, 3))
        .number("begins [ms]: in time of the run")
        .of(|(.., link)| millis(Some(link.begun)))
        .number("takes [us]: to its end")
        .of(|(.., link)| Cell::float(link.ended.since(link.begun).ps() as f64 / 1e6, 3))
        .done()
}

/// The step of a message, from 1.
fn step(times: Times<'_>, what: Happened) -> Option<u64> {
    match what {
        Happened::Received { flow, message } | Happened::Sent { flow, message } => {
            Some(u64::from(times.message(flow, message)?.step) + 1)
        }
        Happened::Computed { .. } => None,
    }
}

/// A line for each of the first collectives.
pub fn lines(run: &Frames<'_>) -> Vec<String> {
    let all = Found::all(run);
    let mut lines: Vec<String> = all
        .iter()
        .take(DRAWN)
        .map(|own| own.sentence(run))
        .collect();
    lines.extend(crate::lines::rest(all.len(), DRAWN, "collective"));
    lines
}

impl Found<'_> {
    /// `ring: ring-all-reduce of 64,000,000 bytes by 8 ranks: ..`.
    fn sentence(&self, run: &Frames<'_>) -> String {
        let mut text = format!(
            "{} ({}): ",
            crate::lines::shortened(&self.told.name),
            self.told.operation.kind.name()
        );
        let Some(mean) = self.took.mean() else {
            return text + "not complete";
        };
        let (algorithm, bus) = self.bandwidths(mean);
        text += &match (self.took.count(), self.took.max()) {
            (2.., Some(max)) => format!("mean {}, max {}", span(mean), span(max)),
            _ => span(mean),
        };
        text += &format!(
            ", algbw {}, busbw {} ({} of line rate)",
            rate(algorithm),
            rate(bus),
            percent(bus / self.line(run))
        );
        if let Some((idle, whole)) = idle_ps(run, self.told).zip(self.whole()) {
            text += &format!(", {} times idle", significant(whole / idle, 4));
        }
        let left = self.each.len() as u64 - self.took.count();
        if left > 0 {
            text += &format!(", {left} not complete");
        }
        text
    }
}

/// The longest operation of each of the first collectives, by rank.
pub fn plots(run: &Frames<'_>) -> Vec<Plot> {
    let times = Times::of(run);
    let all = Found::all(run);
    let paths = paths(run);
    let drawn = paths
        .iter()
        .take(DRAWN)
        .filter_map(|(name, operation, path)| {
            let operation_of = all.iter().find(|one| one.told.name == *name)?;
            let stretch = operation_of.each.get(operation - 1)?;
            let drawn = gantt::Drawn {
                id: format!("steps-{name}"),
                title: match operation_of.each.len() {
                    1 => format!("Steps of {name} by rank"),
                    _ => format!("Steps of {name} by rank, the longest time: {operation}"),
                },
                hosts: &operation_of.told.hosts,
                flows: operation_of.told.flows.clone(),
                from: stretch.begun?,
                until: stretch.ended?,
                path,
            };
            Some(gantt::plot(times, &drawn))
        });
    drawn.collect()
}
