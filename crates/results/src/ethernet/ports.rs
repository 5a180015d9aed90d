//! Output queues and channels: tables, and which of them stand out.

use backwater_net::frames::spec::{EthernetSpec, QueueSpec, WIRE_OVERHEAD_BYTES};
use backwater_net::outcome::{ChannelOutcome, Drops, LossCause, Outcome, QueueOutcome};

use super::{groups, names};
use crate::model::{Cell, Column, Table};
use crate::rows::{ROWS_MOST, kept, limit};

/// One output queue: a class in front of a channel.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    /// The channel.
    pub channel: u32,
    /// The class.
    pub class: usize,
    /// How many classes there are.
    pub classes: usize,
    /// What the spec says of it.
    pub spec: Option<&'a QueueSpec>,
    /// What was found.
    pub found: &'a QueueOutcome,
}

/// Every queue that some frame joined or was dropped at, or that was stopped; in order of
/// channels and classes.
pub fn queues<'a>(spec: &'a EthernetSpec, outcome: &'a Outcome) -> Vec<Queue<'a>> {
    let mut queues = Vec::new();
    for (channel, found) in (0..).zip(&outcome.channels) {
        let told = names::channel_spec(spec, channel);
        for (class, queue) in found.by_class.queues.iter().enumerate() {
            queues.push(Queue {
                channel,
                class,
                classes: found.by_class.queues.len(),
                spec: told.and_then(|channel| channel.queues.get(class)),
                found: queue,
            });
        }
    }
    queues.retain(|queue| {
        let found = queue.found;
        found.joined_total > 0 || found.drops.total() > 0 || found.stops.count() > 0
    });
    queues
}

impl Queue<'_> {
    /// Its name: the channel, and the class where there are several.
    pub fn name(&self, channels: &[String]) -> String {
        super::words::queue(channels, self.channel, self.class, self.classes)
    }

    /// Share of the time after the warm-up in which its frames were on the wire, with preamble and
    /// gap.
    fn share(&self, spec: &EthernetSpec, seconds: f64) -> f64 {
        let rate = names::channel_spec(spec, self.channel).map_or(0, |channel| channel.rate.0);
        let overhead = u128::from(self.found.sent) * u128::from(WIRE_OVERHEAD_BYTES);
        let bits = (u128::from(self.found.sent_bytes) + overhead) * 8;
        match rate {
            0 => 0.0,
            rate => groups::per_second(bits as f64, seconds) / rate as f64,
        }
    }
}

/// Drops of all queues together.
pub fn all_drops(outcome: &Outcome) -> Drops {
    let mut all = Drops::default();
    for queue in outcome
        .channels
        .iter()
        .flat_map(|channel| &channel.by_class.queues)
    {
        all.merge(&queue.drops);
    }
    all
}

/// Queues by a value, the highest first; those without it are left out. Ties go in the order of
/// channels.
pub fn top<'a>(queues: &[Queue<'a>], value: impl Fn(&Queue<'_>) -> f64) -> Vec<Queue<'a>> {
    let mut top: Vec<Queue<'a>> = queues.iter().filter(|q| value(q) > 0.0).copied().collect();
    top.sort_by(|one, other| value(other).total_cmp(&value(one)));
    top
}

fn port_columns() -> Vec<Column> {
    let bytes = |name: &str, meaning: &str| Column::number(name, "bytes", meaning);
    let frames = |name: &str, meaning: &str| Column::number(name, "frames", meaning);
    vec![
        Column::text("port", "from which node to which"),
        Column::number("class", "", "of its frames"),
        frames("sent", "after the warm-up"),
        Column::number(
            "utilization",
            "%",
            "share of the time after the warm-up that its frames, with preamble and gap, took",
        ),
        bytes("held mean", "over the time after the warm-up"),
        bytes("held max", "whole run"),
        bytes("limit", "that it may hold; empty: no limit"),
        bytes(
            "xoff",
            "neighbours are stopped above this (detection at outputs)",
        ),
        Column::number("stopped", "%", "share of the time after the warm-up"),
        Column::number("stop max", "ms", "longest; whole run"),
        Column::number("congestions", "", "times it became congested; whole run"),
        frames("dropped queue full", "the queue was full; whole run"),
        frames(
            "dropped input full",
            "the input's limit or headroom was used up; whole run",
        ),
        frames(
            "dropped memory full",
            "the shared memory or its share was used up; whole run",
        ),
        frames("dropped watchdog", "by a tripped watchdog; whole run"),
        frames("lost on wire", "an error, or the link was cut; whole run"),
        frames("ECN-marked", "after the warm-up"),
        Column::number("watchdog trips", "", "whole run"),
    ]
}

/// The longest stop of a queue, ps; 0 without any.
pub fn longest_stop_ps(queue: &QueueOutcome) -> f64 {
    queue.stops.max().unwrap_or(0.0)
}

/// Every queue that had something to do.
pub fn table(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let all = queues(spec, outcome);
    let mut table = Table::new(
        "queues",
        format!(
            "Output queues, by port and class; unused ones are left out.{}",
            limit(all.len(), "queues")
        ),
        port_columns(),
    );
    let channels = names::channels(spec);
    let seconds = groups::seconds(spec, outcome);
    for index in kept(all.len(), |index| all[index].found.sent_bytes as f64) {
        let queue = &all[index];
        let found = queue.found;
        let drops = &found.drops;
        table.rows.push(vec![
            names::channel(&channels, queue.channel).into(),
            (queue.class as u64).into(),
            found.sent.into(),
            Cell::float(queue.share(spec, seconds) * 100.0, 3),
            Cell::float(found.mean_bytes, 0),
            found.most_bytes.into(),
            queue.spec.and_then(|told| told.limit_bytes).into(),
            xoff_bytes(queue).into(),
            Cell::float(found.stopped_share * 100.0, 3),
            Cell::float(longest_stop_ps(found) / 1e9, 6),
            found.congestions.into(),
            drops.by(LossCause::QueueFull).into(),
            drops.by(LossCause::Buffer).into(),
            drops.by(LossCause::Pool).into(),
            drops.by(LossCause::Watchdog).into(),
            drops.by(LossCause::Wire).into(),
            found.marked.into(),
            found.watchdog_trips.into(),
        ]);
    }
    table
}

/// The threshold, where it says something: below a limit.
pub fn xoff_bytes(queue: &Queue<'_>) -> Option<u64> {
    let told = queue.spec?;
    told.limit_bytes
        .is_some_and(|limit| told.high_bytes < limit)
        .then_some(told.high_bytes)
}

/// Queues that dropped, most drops first.
pub fn drops(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let frames = |name: &str, meaning: &str| Column::number(name, "frames", meaning);
    let mut table = Table::new(
        "drops",
        "Dropped frames by port and cause; whole run.",
        vec![
            Column::text("port", "that they would have left by"),
            Column::number("class", "", "of the queue"),
            frames("dropped", "whatever the cause"),
            frames("dropped queue full", "the queue was full"),
            frames(
                "dropped input full",
                "the input's limit or headroom was used up",
            ),
            frames(
                "dropped memory full",
                "the shared memory or its share was used up",
            ),
            frames("dropped watchdog", "by a tripped watchdog"),
            frames("lost on wire", "an error, or the link was cut"),
            Column::number(
                "dropped",
                "%",
                "of the frames that joined or were dropped here",
            ),
        ],
    );
    let channels = names::channels(spec);
    let all = queues(spec, outcome);
    let dropping = top(&all, |queue| queue.found.drops.total() as f64);
    for queue in dropping.iter().take(ROWS_MOST) {
        let drops = &queue.found.drops;
        // What the wire loses has joined before.
        let came = queue.found.joined_total + drops.total() - drops.by(LossCause::Wire);
        table.rows.push(vec![
            names::channel(&channels, queue.channel).into(),
            (queue.class as u64).into(),
            drops.total().into(),
            drops.by(LossCause::QueueFull).into(),
            drops.by(LossCause::Buffer).into(),
            drops.by(LossCause::Pool).into(),
            drops.by(LossCause::Watchdog).into(),
            drops.by(LossCause::Wire).into(),
            Cell::float(drops.total() as f64 / came as f64 * 100.0, 3),
        ]);
    }
    table
}

/// Each direction of each link.
pub fn channels(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let control = |name: &str, meaning: &str| Column::number(name, "frames", meaning);
    let all = &outcome.channels;
    let mut table = Table::new(
        "ports",
        format!("Each direction of each link.{}", limit(all.len(), "ports")),
        vec![
            Column::number("number", "", "as in a trace"),
            Column::text("port", "from which node to which"),
            Column::number("rate", "Mbps", "line rate"),
            Column::number("propagation", "us", "delay of the link"),
            Column::number(
                "data",
                "%",
                "share of the time after the warm-up with data frames",
            ),
            Column::number("control", "%", "the same with control frames"),
            control("stops sent", "by this port, refreshes included; whole run"),
            control("refreshes sent", "among them"),
            control("resumes sent", "whole run"),
            control("stops obeyed", "by this port; whole run"),
            control("credits sent", "credit frames by this port; whole run"),
            Column::number(
                "input held max",
                "bytes",
                "received over the link and not yet forwarded by the node at its end; whole run",
            ),
            Column::number(
                "headroom held max",
                "bytes",
                "of that in headroom, or above the XOFF threshold; whole run",
            ),
        ],
    );
    let known = names::channels(spec);
    let load = |found: &ChannelOutcome| found.data_share + found.control_share;
    for index in kept(all.len(), |index| load(&all[index])) {
        let found = &all[index];
        let told = names::channel_spec(spec, index as u32);
        table.rows.push(vec![
            (index as u64).into(),
            names::channel(&known, index as u32).into(),
            told.map_or(Cell::Empty, |told| Cell::float(told.rate.0 as f64 / 1e6, 3)),
            told.map_or(Cell::Empty, |told| {
                Cell::float(told.delay.ps() as f64 / 1e6, 6)
            }),
            Cell::float(found.data_share * 100.0, 3),
            Cell::float(found.control_share * 100.0, 3),
            found.by_class.stops_sent.into(),
            found.by_class.refreshes_sent.into(),
            found.by_class.resumes_sent.into(),
            found.by_class.stops_obeyed.into(),
            found.by_class.credits_sent.into(),
            found.by_class.input_most_bytes.into(),
            found.by_class.headroom_most_bytes.into(),
        ]);
    }
    table
}
