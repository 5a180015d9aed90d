//! What the page and the terminal say of frames alone.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{EthernetSpec, MemorySpec, NodeKind};
use backwater_net::outcome::{LossCause, Outcome};

use super::completion::{self, Completion, times};
use super::groups::{Group, fairness, goodputs, groups, lasting, members_goodput};
use super::ports::{self, Queue, longest_stop_ps};
use super::{Frames, collectives, group_table, jobs, plots, promises, transfers};
use crate::distribution::{tail, without_p99};
use crate::events::control::Control;
use crate::events::names;
use crate::events::page::{Page, Presented, Terminal};
use crate::events::words::causes;
use crate::info::RunInfo;
use crate::lines::{first_of, rest};
use crate::model::Fact;
use crate::number::{bound, fixed, grouped, percent, rate, significant, span};
use crate::picked::picked;

/// Flows listed one by one; where there are more, groups are listed.
const FLOWS: usize = 10;
/// Ports listed under drops and under stops; the rest are counted.
const PORTS: usize = 3;

/// Columns of the table of groups that are shown of flows.
const ALONE: [&str; 3] = ["group", "goodput_mbps", "returned_mbps"];
/// Of groups.
const FOLDED: [&str; 6] = [
    "group",
    "flows",
    "goodput_mbps",
    "goodput_min_mbps",
    "goodput_mean_mbps",
    "goodput_max_mbps",
];
/// The column that is shown where it says something.
const UNFINISHED: &str = "unfinished";
/// After these.
const SHOWN: [&str; 12] = [
    "transfers_per_s",
    "rate_mean_mbps",
    UNFINISHED,
    "fct_mean_ms",
    "fct_p99_ms",
    "slowdown_mean",
    "slowdown_p99",
    "fct_acked_mean_ms",
    "delay_mean_us",
    "delay_p99_us",
    "dropped_frames",
    "late_pct",
];

impl Presented for EthernetSpec {
    /// Goodput, transfers, slowdown and stops; figures of queues and groups; promises.
    fn page(run: &Frames<'_>, info: &RunInfo) -> Page {
        let control = Control::of(&run.outcome).sentence();
        let control = control.map(|control| format!("control frames: {control}"));
        Page {
            facts: facts(run),
            sentences: control.into_iter().collect(),
            figures: vec![("Figures", plots::plots(run))],
            end: promises::blocks(run, info),
        }
    }

    /// Transfers of which too many are unfinished, and messages that never come.
    fn warnings(run: &Frames<'_>) -> Vec<String> {
        let stuck = collectives::stuck::warning(run);
        completion::warning(run).into_iter().chain(stuck).collect()
    }

    /// Flows or groups of them; transfers; drops and stops by port; promises.
    fn terminal(run: &Frames<'_>, info: &RunInfo) -> Terminal {
        let through = transfers::sentence(&run.outcome);
        let through =
            through.map(|(complete, last)| format!("transfers: {} {last}", grouped(complete)));
        let mut through: Vec<String> = through.into_iter().collect();
        through.extend(completion::lines(run, &groups(run)));
        through.extend(jobs::lines(run));
        through.extend(collectives::lines(run));
        let queues = ports::queues(run);
        let mut in_the_way = drop_lines(run, &queues);
        in_the_way.extend(stop_lines(run.ports(), &run.outcome, &queues));
        Terminal {
            flows: flow_lines(run),
            through,
            in_the_way,
            promises: promises::line(run, info),
        }
    }
}

/// The numbers that matter of frames alone.
fn facts(run: &Frames<'_>) -> Vec<Fact> {
    let goodputs = goodputs(run);
    let mut over = format!("over {}", counted(run.outcome.flow_count(), "flow"));
    let lasting: Option<Vec<f64>> = lasting(run).into_iter().collect();
    let lasting = lasting.filter(|_| run.outcome.members.is_empty());
    if let Some(rates) = lasting {
        over += &format!(", Jain's index {} of rates", fixed(fairness(&rates), 3));
    }
    let mut facts = vec![Fact::new(
        "Goodput",
        rate(goodputs.iter().sum::<f64>() + members_goodput(run)),
        over,
    )];
    if let Some((complete, last)) = transfers::sentence(&run.outcome) {
        facts.push(Fact::new("Transfers", grouped(complete), last));
    }
    let slowdown = Completion::of(run.outcome.all_flows()).slowdown;
    if let Some((mean, tail)) = slowdown.mean().zip(tail(&slowdown, times)) {
        let tail = match slowdown.percentile(99.0) {
            Some(_) => format!("p99 {tail}"),
            None => match without_p99(&slowdown) {
                Some(why) => format!("{tail}; {why}"),
                None => tail,
            },
        };
        let mean = bound(slowdown.open() > 0, times(mean));
        facts.push(Fact::new("Slowdown", mean, format!("mean; {tail}")));
    }
    let control = Control::of(&run.outcome);
    if control.stops > 0 {
        facts.push(Fact::new(
            "Stops",
            grouped(control.stops),
            format!("{} resumes", grouped(control.resumes)),
        ));
    }
    facts
}

/// A line for each flow where they are few, for each group where they are many.
fn flow_lines(run: &Frames<'_>) -> Vec<String> {
    let alone = |flow| Group {
        name: run.flow(flow),
        flows: vec![flow],
        members: Vec::new(),
    };
    let (groups, first) = match run.outcome.flows.len() {
        _ if !run.outcome.members.is_empty() => (groups(run), &FOLDED[..]),
        0 => return vec!["no flows".into()],
        few @ 1..=FLOWS => ((0..few as u32).map(alone).collect(), &ALONE[..]),
        _ => (groups(run), &FOLDED[..]),
    };
    let mut table = group_table::of_groups(run, &groups);
    if let (true, Some(name)) = (first == ALONE, table.columns.first_mut()) {
        name.short = "flow".into();
    }
    let mut keys = [first, &SHOWN].concat();
    let flows = run.outcome.all_flows();
    if flows
        .map(|flow| flow.ends.unfinished())
        .all(|open| open == 0)
    {
        keys.retain(|key| *key != UNFINISHED);
    }
    let mut lines = picked(&[&table], &keys, FLOWS);
    lines.extend(rest(groups.len(), FLOWS, "group"));
    lines
}

/// At which ports most frames were dropped, and why.
fn drop_lines(run: &Frames<'_>, queues: &[Queue<'_>]) -> Vec<String> {
    let channels = run.ports();
    let top = ports::top(queues, |queue| queue.found.drops.total() as f64);
    first_of(&top, PORTS, ("  ", "port"), |queue| {
        let (name, drops) = (queue.name(channels), &queue.found.drops);
        let limit = (drops.by(LossCause::Threshold) > 0).then(|| threshold(run, queue));
        format!(
            "{name}: {}{}",
            causes(drops),
            limit.flatten().unwrap_or_default()
        )
    })
}

/// How much a queue to this channel may have of a memory, and how full that was.
fn threshold(run: &Frames<'_>, queue: &Queue<'_>) -> Option<String> {
    let (node, _) = names::channel_ends(run.network, queue.channel)?;
    let NodeKind::Switch(switch) = &run.network.nodes.get(node as usize)?.kind else {
        return None;
    };
    let MemorySpec::Shared(shared) = &switch.memory else {
        return None;
    };
    let most = run.outcome.nodes.get(node as usize)?.most_bytes;
    let alpha = shared
        .share(queue.channel ^ 1, queue.class as u8)
        .output_alpha;
    Some(format!(
        " (a queue may have {} of what is free; the memory held {} of {} bytes at most)",
        significant(f64::from(alpha.numerator) / f64::from(alpha.denominator), 3),
        grouped(most),
        grouped(shared.bytes())
    ))
}

/// Who was stopped how long, and how many control frames that took.
fn stop_lines(channels: &[String], outcome: &Outcome, queues: &[Queue<'_>]) -> Vec<String> {
    let control = Control::of(outcome).sentence();
    let top = ports::top(queues, |queue| {
        // Stops of the warm-up count too, after all others.
        queue.found.stopped_share + longest_stop_ps(queue.found) * 1e-30
    });
    if top.is_empty() && control.is_none() {
        return Vec::new();
    }
    let mut lines: Vec<String> = vec![format!(
        "control frames: {}",
        control.unwrap_or_else(|| "none".into())
    )];
    lines.extend(first_of(&top, PORTS, ("  ", "port"), |queue| {
        format!(
            "{}: stopped {} of the time, {}, longest {}",
            queue.name(channels),
            percent(queue.found.stopped_share),
            counted(queue.found.stops.count(), "stop"),
            span(longest_stop_ps(queue.found))
        )
    }));
    lines
}
