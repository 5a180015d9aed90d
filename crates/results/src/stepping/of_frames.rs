//! Frames by class.

use backwater_kernel::Time;
use backwater_kernel::words::{counted, grouped};
use backwater_net::frames::probe::Gate;
use backwater_net::inspect::{Hold as Held, Inspection, Queue as Seen, Source, Why};
use serde_json::Value;

use super::of_events::course;
use super::{Hold, Line, Named, Queue, Scene, credit};

/// What there is in a run of frames.
pub fn of_frames(named: &Named, seen: &Inspection) -> Scene {
    let queues = seen.queues.iter();
    let queues = queues.map(|own| of_class(named, seen, own)).collect();
    named.scene(seen, queues, source)
}

fn of_class(named: &Named, seen: &Inspection, own: &Seen) -> Queue {
    let port = named.port(own.channel);
    let to = own.destination.map(|host| named.node(host));
    let of_flow = own.flow.map(|flow| named.flow(flow));
    let only = match (of_flow, to, own.lane) {
        (Some(flow), ..) => format!(" of {flow}"),
        (None, Some(host), _) => format!(" to {host}"),
        (None, None, Some(number)) => format!(", lane {number}"),
        (None, None, None) => String::new(),
    };
    let mut notes = Vec::new();
    let hold = own
        .hold
        .as_ref()
        .map(|held| hold(named, own, held, &mut notes));
    if let Some(own) = &own.credit {
        notes.extend(credit::words(own, named.clock, named.unit));
    }
    let mut more = vec![
        ("port", Value::from(port)),
        ("class", own.class.into()),
        ("to", to.into()),
        ("bytes", own.bytes().into()),
    ];
    if let Some(number) = own.lane {
        more.push(("lane", number.into()));
    }
    if let Some(own) = &own.credit {
        more.push(("credit", credit::numbers(own)));
    }
    let more = more.into_iter().map(|(key, value)| (key.to_owned(), value));
    Queue {
        name: format!("{port}, class {}{only}", own.class),
        known: named.known(own.channel),
        items: own.units.iter().map(|unit| named.waiting(unit)).collect(),
        holds: named.amount(&own.units),
        hold,
        notes,
        free: named.turn(seen, own.channel),
        waits_for: own.waits_for.clone(),
        more: more.collect(),
    }
}

/// What holds a class up; why is said in a line of its own.
fn hold(named: &Named, own: &Seen, held: &Held, notes: &mut Vec<String>) -> Hold {
    let by = named.to(own.channel);
    let at = |time: Time| named.clock.at(time.ps());
    match held {
        Held::NoCredit { since } => {
            let since_when = since.map_or(String::new(), |since| format!(" since {}", at(since)));
            Hold {
                kind: "credit",
                text: format!("too little credit from {by}{since_when}"),
                by: Some(by.to_owned()),
                since: since.map(Time::ps),
            }
        }
        Held::SlowHost => Hold {
            kind: "slow-host",
            text: format!("{by} takes frames at its own pace"),
            by: Some(by.to_owned()),
            since: None,
        },
        Held::Stopped {
            gate,
            since,
            until,
            why,
        } => {
            let what = match gate {
                Gate::Port => "the port is stopped",
                Gate::Class(_) => "stopped",
                Gate::Destination(..) => "stopped for this host",
                Gate::Flow(..) => "stopped for this flow",
                Gate::Lane(..) => "stopped for this lane",
            };
            let until = until.map_or(String::new(), |until| {
                format!(", until {} unless renewed", at(until))
            });
            notes.push(reason(named, own, why));
            Hold {
                kind: "stop",
                text: format!("{what} by {by} since {}{until}", at(*since)),
                by: Some(by.to_owned()),
                since: Some(since.ps()),
            }
        }
    }
}

/// Why a node has its neighbour stopped.
fn reason(named: &Named, own: &Seen, why: &Why) -> String {
    let (by, port) = (named.to(own.channel), named.port(own.channel));
    match why {
        Why::Input { bytes, high_low } => {
            let held = counted(*bytes, "byte");
            let limits = match high_low {
                Some((high, low)) => format!(
                    "it stops above {} and resumes below {}",
                    grouped(*high),
                    grouped(*low)
                ),
                None => "more than its share of what is free of the memory".into(),
            };
            format!("{by} holds {held} that came over {port}: {limits}")
        }
        Why::Queues(asked) => {
            let one = |(channel, class, bytes, low): &(u32, u8, u64, u64)| {
                format!(
                    "{}, class {class} ({}; resumes below {})",
                    named.port(*channel),
                    counted(*bytes, "byte"),
                    grouped(*low)
                )
            };
            let all: Vec<String> = asked.iter().map(one).collect();
            format!(
                "{by} asks for it because of its queue {}",
                all.join(" and ")
            )
        }
        Why::Storm => format!("{by} is in a storm of stops: it does not let go"),
        Why::NoMore => format!("{by} wants it no more: a resume is on its way, or was lost"),
    }
}

fn source(named: &Named, flow: u32, own: &Source, seen: &Inspection) -> Line {
    let name = named.flow(flow);
    let (from, to) = (named.node(own.node), named.node(own.to));
    let timer = own.timer.map(|at| named.clock.at(at.ps()));
    let is_here = |queue: &&Seen| named.from(queue.channel) == from;
    let units = seen
        .queues
        .iter()
        .filter(is_here)
        .flat_map(|queue| &queue.units);
    let in_port = units.filter(|unit| unit.flow == Some(flow)).count();
    let open = own
        .positions
        .map(|(acknowledged, next)| next.saturating_sub(acknowledged));
    let mut waits = Vec::new();
    if in_port > 0 {
        waits.push(format!("{} at its port", counted(in_port, "frame")));
    }
    match open {
        Some(open) if open > 0 => waits.push(format!(
            "{} not acknowledged, of a window of {}",
            counted(open, "byte"),
            grouped(own.window_bytes)
        )),
        _ => {}
    }
    match timer {
        Some(at) => waits.push(format!("next timer at {at}")),
        None if own.is_pulled => {
            waits.push("makes the next when its queue at the port is empty".into());
        }
        None => waits.push("has nothing more to send by itself".into()),
    }
    Line {
        at: None,
        text: format!(
            "`{name}` from {from} to {to}: {}; {}",
            course(own.made, own.delivered, own.lost),
            waits.join("; ")
        ),
        known: vec![name.to_owned(), from.to_owned(), to.to_owned()],
        is_idle: in_port == 0 && own.timer.is_none() && open.unwrap_or(0) == 0 && !own.is_pulled,
    }
}
