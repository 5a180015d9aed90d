//! What each rank sends and computes over time, and which of that is on the critical path.

use backwater_kernel::Time;
use backwater_net::frames::spec::Happened;

use super::path::Link;
use super::times::Times;
use crate::events::transfers::MS;
use crate::lines::left_out;
use crate::model::{Axis, Curve, Plot};

/// Ranks that get a row each.
const RANKS: usize = 128;

/// What is drawn: of these hosts what begins within some time, by these flows.
pub struct Drawn<'a> {
    pub id: String,
    pub title: String,
    pub hosts: &'a [u32],
    pub flows: std::ops::Range<u32>,
    pub from: Time,
    pub until: Time,
    pub path: &'a [Link],
}

/// A span of a row: from, until, rank.
type Span = (f64, f64, f64);

/// The chart.
pub fn plot(times: Times<'_>, drawn: &Drawn<'_>) -> Plot {
    let shown = &drawn.hosts[..drawn.hosts.len().min(RANKS)];
    let mut rows: Vec<(u32, f64)> = (0_u32..)
        .zip(shown)
        .map(|(at, host)| (*host, f64::from(at)))
        .collect();
    rows.sort_by_key(|row| row.0);
    let row = |flow: u32| {
        let host = times.source(flow);
        let at = rows.binary_search_by_key(&host, |row| row.0).ok()?;
        Some(rows[at].1)
    };
    let mut on_path: Vec<(u32, bool, u32)> = drawn.path.iter().map(|link| key(link.what)).collect();
    on_path.sort_unstable();
    let is_within = |begun: Time| begun >= drawn.from && begun < drawn.until;
    let ms = |time: Time| time.ps() as f64 / MS;
    // Steps that are even and odd, computing, the critical path.
    let mut spans: [Vec<Span>; 4] = Default::default();
    let mut add = |what: (u32, bool, u32), usual: usize, (begun, ended): (Time, Time)| {
        if let Some(row) = row(what.0).filter(|_| is_within(begun)) {
            let is_on_path = on_path.binary_search(&what).is_ok();
            let ended = ended.min(drawn.until.max(begun));
            spans[if is_on_path { 3 } else { usual }].push((ms(begun), ms(ended), row));
        }
    };
    let within = (drawn.from, drawn.until);
    let flows = || drawn.flows.clone();
    for message in flows().flat_map(|flow| times.begun_within(flow, within)) {
        if let Some(begun) = message.begun {
            let ended = message.received.unwrap_or(drawn.until);
            let what = (message.flow, false, message.number);
            add(what, (message.step % 2) as usize, (begun, ended));
        }
    }
    for compute in flows().flat_map(|flow| times.computed_within(flow, within)) {
        if let Some((begun, ended)) = compute.begun().zip(compute.ended) {
            add((compute.flow, true, compute.number), 2, (begun, ended));
        }
    }
    let names = ["even steps", "odd steps", "computing", "critical path"];
    let curves = names
        .into_iter()
        .zip(spans)
        .filter(|(_, spans)| !spans.is_empty());
    let curves = curves
        .map(|(name, spans)| Curve::spans(name, spans))
        .collect();
    let ranks = Axis {
        min: Some(-0.5),
        ..Axis::new("Rank", "")
    };
    let left = left_out(drawn.hosts.len(), RANKS, "ranks", "the first");
    Plot::new(drawn.id.clone(), drawn.title.clone(), curves)
        .x(Axis::new("Time", "ms").or("us", 1e3))
        .y(ranks.up_to(shown.len() as f64 - 0.5))
        .note(format!(
            "Each message at the rank that sends it, from its beginning to its last byte at the \
             receiver; the critical path is what the end waited for, back to the beginning.{left}"
        ))
}

/// A thing by flow, whether it is computing, and number.
fn key(what: Happened) -> (u32, bool, u32) {
    match what {
        Happened::Received { flow, message } | Happened::Sent { flow, message } => {
            (flow, false, message)
        }
        Happened::Computed { flow, compute } => (flow, true, compute),
    }
}
