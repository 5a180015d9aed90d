//! Which unit leaves a port next, memory that flows share, what to measure.

use kernel::{Duration, Time};
use packet::spec::{
    FlowSpec, Hold, LinkSpec, NodeKind, NodeSpec, PoolSpec, Resync, SchedulerSpec, Stamp,
    VirtualClockSpec, WhenFull,
};

use crate::MeasureSpec;
use crate::flows::expand;
use crate::given::packet::service::{self as given, Scheduler};
use crate::record::Record;
use crate::source::At;
use crate::topology::Graph;

/// The discipline of a port; round robin where none is given.
pub(crate) fn scheduler(given: Option<&Scheduler>) -> SchedulerSpec {
    match given {
        None | Some(Scheduler::RoundRobin) => SchedulerSpec::RoundRobin,
        Some(Scheduler::Fifo) => SchedulerSpec::Fifo,
        Some(Scheduler::StrictPriority) => SchedulerSpec::StrictPriority,
        Some(Scheduler::VirtualClock {
            stamp,
            resync,
            threshold,
            alarm,
        }) => SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp: match stamp {
                given::Stamp::Auxvc => Stamp::AuxVc,
                given::Stamp::VirtualClock => Stamp::VirtualClock,
            },
            resync: match resync {
                given::Resync::IdleLink => Resync::IdleLink,
                given::Resync::Literal => Resync::Literal,
                given::Resync::None => Resync::None,
            },
            threshold: *threshold,
            alarm_bytes: *alarm,
        }),
        Some(Scheduler::Wfq) => SchedulerSpec::Wfq,
        Some(Scheduler::Wf2qPlus) => SchedulerSpec::Wf2qPlus,
        Some(Scheduler::Scfq) => SchedulerSpec::Scfq,
        Some(Scheduler::Sfq) => SchedulerSpec::Sfq,
        Some(Scheduler::Drr { quantum }) => SchedulerSpec::Drr {
            quantum_bytes: quantum.unwrap_or(LARGEST_UNIT),
        },
        Some(Scheduler::Edf) => SchedulerSpec::Edf,
        Some(Scheduler::Ats { max_residence }) => SchedulerSpec::Ats {
            max_residence: *max_residence,
        },
    }
}

/// Stands for the largest unit of any flow until the flows are known. No quantum is 0.
const LARGEST_UNIT: u32 = 0;

/// Gives every quantum that is not given the largest unit of any flow.
pub(crate) fn fill_quantum(links: &mut [LinkSpec], flows: &[FlowSpec]) {
    let largest = flows.iter().map(|flow| flow.unit_bytes).max().unwrap_or(1);
    let channels = links
        .iter_mut()
        .flat_map(|link| [&mut link.forward, &mut link.backward]);
    for channel in channels {
        if let SchedulerSpec::Drr { quantum_bytes } = &mut channel.scheduler
            && *quantum_bytes == LARGEST_UNIT
        {
            *quantum_bytes = largest;
        }
    }
}

/// Does it serve flows by what they reserve?
pub(crate) fn serves_by_reservation(scheduler: SchedulerSpec) -> bool {
    use SchedulerSpec as S;
    matches!(
        scheduler,
        S::VirtualClock(_) | S::Wfq | S::Wf2qPlus | S::Scfq | S::Sfq | S::Drr { .. } | S::Edf
    )
}

/// Gives every switch the memory of `[pool]`.
pub(crate) fn add_pools(root: &Record, nodes: &mut [NodeSpec]) {
    let pool = root.record("pool").map(pool);
    let switches = nodes.iter_mut().filter(|n| n.kind == NodeKind::Switch);
    switches.for_each(|node| node.pool = pool);
}

fn pool(record: &Record) -> PoolSpec {
    PoolSpec {
        limit_units: record.count("units"),
        limit_bytes: record.whole("bytes"),
        when_full: match record.word("when_full") {
            "push-out" => WhenFull::PushOut,
            _ => WhenFull::TailDrop,
        },
        hold: match record.word("hold") {
            "start" => Hold::Start,
            _ => Hold::End,
        },
    }
}

/// What to measure of ports.
pub(crate) fn measure(root: &Record, stop_at: Time) -> MeasureSpec {
    let record = root.record("measure");
    let ports = record.and_then(|record| record.truth("ports"));
    let window = record.and_then(|record| record.duration("window"));
    MeasureSpec {
        ports: ports.unwrap_or_else(|| root.given("pool") || !schedulers(root).is_empty()),
        window: window.unwrap_or(Duration((stop_at.0 / 1000).max(1))),
    }
}

/// Every `scheduler` table of the file.
pub(crate) fn schedulers(root: &Record) -> Vec<&Record> {
    let own = |record: &'_ Record| record.given("scheduler");
    let links = root.records("links").iter();
    let sides = links
        .clone()
        .flat_map(|link| [link.record("forward"), link.record("backward")]);
    let trunk = root.record("topology").and_then(|t| t.record("trunk"));
    let tables = [Some(root), root.record("link"), trunk].into_iter();
    let tables = tables.chain(links.map(Some)).chain(sides);
    let tables = tables.flatten().filter(|table| own(table));
    tables
        .filter_map(|table| table.record("scheduler"))
        .collect()
}

/// Where the discipline of a channel's port stands: its table, or the file. Slow: for messages.
pub(crate) fn scheduler_at(root: &Record, graph: &Graph, channel: u32) -> At {
    let (from, to) = graph.ends(channel);
    let ends = (graph.name(from), graph.name(to));
    let of_link = root.records("links").iter().rev().find_map(|link| {
        let side = ["forward", "backward"];
        let [forward, backward] = side.map(|side| link.record(side).unwrap_or(link));
        match joins(link, ends) {
            Some(true) => Some([forward, link]),
            Some(false) => Some([backward, link]),
            None => None,
        }
    });
    let switches = !graph.is_host(from) && !graph.is_host(to);
    let trunk = root
        .record("topology")
        .filter(|_| switches && of_link.is_none());
    let tables = of_link.into_iter().flatten();
    let tables = tables
        .chain(trunk.and_then(|topology| topology.record("trunk")))
        .chain(root.record("link"))
        .chain([root]);
    let mut found = tables.filter(|table| table.given("scheduler"));
    found
        .next()
        .map_or_else(|| root.at.clone(), |table| table.at("scheduler"))
}

/// Does the link join these two, in this order (`true`) or the other?
fn joins(link: &Record, (from, to): (&str, &str)) -> Option<bool> {
    let [(a, _), (b, _)] = link.list("between") else {
        return None;
    };
    let count = link.whole("count");
    (1..=count.unwrap_or(1)).find_map(|number| {
        let number = count.map(|_| number);
        let names = (expand(a, number), expand(b, number));
        match (names.0.as_str(), names.1.as_str()) {
            (a, b) if (a, b) == (from, to) => Some(true),
            (a, b) if (b, a) == (from, to) => Some(false),
            _ => None,
        }
    })
}
