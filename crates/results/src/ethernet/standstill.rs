//! Queues that can't move, node by node.

use backwater_kernel::Time;
use backwater_net::frames::outcome::{EthernetOutcome, Standstill, Wait};
use backwater_net::frames::spec::EthernetSpec;
use serde_json::{Value, json};

use super::names;
use crate::model::{Cell, Column, Table};
use crate::number::span;
use crate::rows::ROWS_MOST;
use backwater_kernel::words::{capital, counted};

fn at(time: Time) -> String {
    span(time.ps() as f64)
}

/// What stands still, and since when.
pub fn sentence(found: &Standstill) -> String {
    let what = match found.is_circle {
        true => "deadlock: queues wait for each other in a cycle",
        false => "standstill: queues wait for one that is stopped and never resumed",
    };
    let others = match found.others_move {
        true => ", while others move",
        false => "",
    };
    format!(
        "{what}, {}, since {} (found at {}){others}",
        counted(found.waits.len(), "queue"),
        at(found.since),
        at(found.found_at)
    )
}

/// The queues that wait, in order: a line each, at most so many.
pub fn lines(spec: &EthernetSpec, outcome: &EthernetOutcome, most: usize) -> Vec<String> {
    let Some(found) = &outcome.standstill else {
        return Vec::new();
    };
    let channels = names::channels(spec);
    let mut lines: Vec<String> = (0..found.waits.len().min(most))
        .map(|index| format!("  {}", wait(spec, &channels, found, index)))
        .collect();
    if found.waits.len() > most {
        let more = counted(found.waits.len() - most, "more queue");
        lines.push(format!("  ... and {more}"));
    }
    lines
}

/// `S1 -> A, class 0: 12 frames, first of flow x, stopped since 210 ms, wait for A -> B, class 0`.
fn wait(spec: &EthernetSpec, channels: &[String], found: &Standstill, index: usize) -> String {
    let own = &found.waits[index];
    format!(
        "{}: {} ({}), first of flow {}, stopped since {}, wait for {}",
        place(spec, channels, own),
        counted(own.frames, "frame"),
        counted(own.bytes, "byte"),
        names::flow(spec, own.first_flow),
        at(own.since),
        waits_for(spec, channels, found, index)
    )
}

/// A queue: channel, class, and the host where only its frames are stopped.
fn place(spec: &EthernetSpec, channels: &[String], wait: &Wait) -> String {
    let name = names::channel(channels, wait.channel);
    let host = match wait.destination {
        Some(host) => format!(", to {}", names::node(spec, host)),
        None => String::new(),
    };
    format!("{name}, class {}{host}", wait.class)
}

/// The next queue, or the node that never resumes it.
fn waits_for(spec: &EthernetSpec, channels: &[String], found: &Standstill, index: usize) -> String {
    let next = match found.is_circle {
        true => found.waits.get((index + 1) % found.waits.len()),
        false => found.waits.get(index + 1),
    };
    let Some(next) = next else {
        let own = &found.waits[index];
        let node = names::channel_ends(spec, own.channel).map(|(_, to)| names::node(spec, to));
        let node = node.unwrap_or_else(|| "the next node".into());
        return format!("{node}, which does not resume it");
    };
    place(spec, channels, next)
}

/// The queues that wait, in order.
pub fn table(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Table {
    let mut table = Table::new("standstill", "", columns());
    let Some(found) = &outcome.standstill else {
        return table;
    };
    table.caption = format!(
        "{}. Each queue waits for the next.",
        capital(&sentence(found))
    );
    let channels = names::channels(spec);
    for (index, own) in found.waits.iter().take(ROWS_MOST).enumerate() {
        let host = own.destination.map(|host| names::node(spec, host));
        let ends = names::channel_ends(spec, own.channel);
        table.rows.push(vec![
            (index as u64 + 1).into(),
            ends.map(|(from, _)| names::node(spec, from)).into(),
            names::channel(&channels, own.channel).into(),
            u32::from(own.class).into(),
            host.into(),
            own.frames.into(),
            own.bytes.into(),
            names::flow(spec, own.first_flow).into(),
            Cell::float(own.since.ps() as f64 / 1e6, 6),
            waits_for(spec, &channels, found, index).into(),
        ]);
    }
    table
}

fn columns() -> Vec<Column> {
    vec![
        Column::number("place", "", "position of the queue in the chain"),
        Column::text("node", "the node it is in"),
        Column::text("port", "the port it waits at"),
        Column::number("class", "", "its class"),
        Column::text("to", "only frames to this host are stopped; empty: all"),
        Column::number("frames", "frames", "that wait under the stop"),
        Column::number("bytes", "bytes", "of those frames"),
        Column::text("first flow", "flow of the first of them"),
        Column::number("since", "us", "when it was stopped"),
        Column::text("waits for", "the queue whose congestion stops it"),
    ]
}

/// The standstill as data; null where there is none.
pub fn summary(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Value {
    let Some(found) = &outcome.standstill else {
        return Value::Null;
    };
    let channels = names::channels(spec);
    let one = |wait: &Wait| {
        json!({
            "port": names::channel(&channels, wait.channel),
            "class": wait.class,
            "destination": wait.destination.map(|host| names::node(spec, host)),
            "frames": wait.frames,
            "bytes": wait.bytes,
            "first_flow": names::flow(spec, wait.first_flow),
            "since_ps": wait.since.ps(),
        })
    };
    let waits: Vec<Value> = found.waits.iter().take(ROWS_MOST).map(one).collect();
    json!({
        "since_ps": found.since.ps(),
        "found_at_ps": found.found_at.ps(),
        "is_circle": found.is_circle,
        "others_move": found.others_move,
        "waiting": waits,
    })
}
