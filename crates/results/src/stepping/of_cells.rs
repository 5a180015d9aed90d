//! Circuits.

use backwater_kernel::words::{counted, grouped};
use backwater_net::inspect::{AtSink, Inspection, Queue as Seen, Source};
use serde_json::{Value, json};

use super::of_events::course;
use super::{Hold, Line, Named, Queue, Scene, credit};

/// What there is in a run of circuits; `dry_since` says since when a leg has had no credit.
pub fn of_cells(named: &Named, seen: &Inspection, dry_since: impl Fn(u32) -> Option<u64>) -> Scene {
    let mut places = vec![None; seen.queues.len()];
    let mut shown = Vec::new();
    for (at, queue) in seen.queues.iter().enumerate() {
        let has_spent = |credit: &backwater_net::inspect::Credit| {
            credit.forward + credit.stored > 0 || credit.has <= 0
        };
        if !queue.units.is_empty() || queue.credit.as_ref().is_some_and(has_spent) {
            places[at] = Some(shown.len());
            shown.push(queue);
        }
    }
    let mut queues: Vec<Queue> = Vec::new();
    for own in &shown {
        let since = own.leg.and_then(&dry_since);
        let waits_for = own.waits_for.iter().filter_map(|at| places[*at]).collect();
        queues.push(Queue {
            waits_for,
            ..of_leg(named, seen, own, since)
        });
    }
    queues.extend(seen.at_sinks.iter().map(|sink| at_sink(named, sink)));
    for queue in 0..queues.len() {
        lead_to_sink(&mut queues, queue);
    }
    named.scene(seen, queues, source)
}

fn of_leg(named: &Named, seen: &Inspection, own: &Seen, since: Option<u64>) -> Queue {
    let flow = own.flow.map_or("a circuit", |flow| named.flow(flow));
    let to = named.to(own.channel);
    let waits = own.units.first().map(|unit| unit.since.ps());
    let since = since.map(|dry| waits.map_or(dry, |waits| waits.max(dry)));
    let hold = own.hold.as_ref().map(|_| {
        let since_when = since.map_or(String::new(), |at| format!(" since {}", named.clock.at(at)));
        Hold {
            kind: "credit",
            text: format!("no credit from {to}{since_when}"),
            by: Some(to.to_owned()),
            since,
        }
    });
    let notes = own
        .credit
        .as_ref()
        .map(|own| credit::words(own, named.clock, named.unit));
    let mut known = named.known(own.channel);
    known.push(flow.to_owned());
    Queue {
        name: format!("{}, `{flow}`", named.port(own.channel)),
        known,
        items: own.units.iter().map(|unit| named.waiting(unit)).collect(),
        holds: named.amount(&own.units),
        hold,
        notes: notes.unwrap_or_default(),
        free: named.turn(seen, own.channel),
        waits_for: Vec::new(),
        more: [
            ("port", Value::from(named.port(own.channel))),
            ("flow", flow.into()),
            ("credit", own.credit.as_ref().map(credit::numbers).into()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect(),
    }
}

fn at_sink(named: &Named, sink: &AtSink) -> Queue {
    let (flow, to) = (named.flow(sink.flow), named.to(sink.channel));
    let mut known = named.known(sink.channel);
    known.push(flow.to_owned());
    Queue {
        name: format!("destination {to}, `{flow}`"),
        known,
        items: sink.units.iter().map(|unit| named.waiting(unit)).collect(),
        holds: named.amount(&sink.units),
        free: format!("{to} takes what it holds at its own pace"),
        more: [
            ("port", json!(named.port(sink.channel))),
            ("flow", json!(flow)),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect(),
        ..Queue::default()
    }
}

/// A queue without credit, of which the buffer at a destination has not sent on.
fn lead_to_sink(queues: &mut [Queue], at: usize) {
    let queue = &queues[at];
    if queue.hold.is_none() || !queue.waits_for.is_empty() {
        return;
    }
    let (port, flow) = (queue.more.get("port"), queue.more.get("flow"));
    let sink = queues.iter().position(|other| {
        other.more.get("credit").is_none()
            && (other.more.get("port"), other.more.get("flow")) == (port, flow)
    });
    queues[at].waits_for.extend(sink);
}

fn source(named: &Named, flow: u32, own: &Source, seen: &Inspection) -> Line {
    let name = named.flow(flow);
    let (from, to) = (named.node(own.node), named.node(own.to));
    let units = |count: u64| counted(count, named.unit);
    let in_port: usize = seen
        .queues
        .iter()
        .filter(|queue| queue.flow == Some(flow) && named.from(queue.channel) == from)
        .map(|queue| queue.units.len())
        .sum();
    let timer = own.timer.map(|at| named.clock.at(at.ps()));
    let waits = match (own.unacknowledged, own.backlog, &timer) {
        (Some(open), backlog, _) => {
            let more = backlog.map_or("more".into(), units);
            format!(
                "its window is full, {} not acknowledged; {more} to send",
                grouped(open.into())
            )
        }
        (None, None, _) if own.is_pulled => {
            "always has more; makes the next when its queue at the port is empty".into()
        }
        (None, Some(backlog), Some(at)) if backlog > 0 => {
            format!("{} wait above its port; goes on at {at}", units(backlog))
        }
        (None, Some(backlog), None) if backlog > 0 => {
            format!(
                "{} wait above its port, until its queue there is empty",
                units(backlog)
            )
        }
        (_, _, Some(at)) => format!("waits for its next instant, {at}"),
        (_, _, None) => "has nothing more to send by itself".into(),
    };
    let is_idle = in_port == 0 && timer.is_none() && own.backlog == Some(0);
    Line {
        at: None,
        text: format!(
            "`{name}` from {from} to {to}: {}; {waits}",
            course(own.made, own.delivered, own.lost)
        ),
        known: vec![name.to_owned(), from.to_owned(), to.to_owned()],
        is_idle: is_idle && own.unacknowledged.is_none(),
    }
}
