//! What was lost, by cause.

use backwater_net::outcome::{Drops, LossCause, Outcome};
use backwater_net::spec::NetworkSpec;
use serde_json::{Map, Value};

use super::names;
use crate::model::Table;
use crate::number::grouped;
use crate::table_of::TableOf;

/// What units of circuits are lost by, in the order of columns.
pub const CAUSES: [LossCause; 7] = [
    LossCause::Wire,
    LossCause::Buffer,
    LossCause::Pool,
    LossCause::PushOut,
    LossCause::Envelope,
    LossCause::Policer,
    LossCause::Residence,
];

/// Heading, what it means, and how a sentence goes on after a count.
fn words(cause: LossCause) -> (&'static str, &'static str, &'static str) {
    match cause {
        LossCause::Wire => ("wire", "an error on the wire", "lost on the wire"),
        LossCause::QueueFull => ("queue", "the queue was full", "dropped by full queues"),
        LossCause::Watchdog => ("watchdog", "a watchdog had tripped", "dropped by watchdogs"),
        LossCause::Buffer => (
            "buffer",
            "the buffer of the flow was full",
            "dropped by full buffers",
        ),
        LossCause::Pool => (
            "pool",
            "the shared memory was full when the unit arrived",
            "refused by full pools",
        ),
        LossCause::PushOut => (
            "push-out",
            "pushed out of a full shared memory",
            "pushed out of full pools",
        ),
        LossCause::Envelope => (
            "envelope",
            "exceeded the envelope of the source",
            "dropped by envelopes",
        ),
        LossCause::Policer => (
            "policer",
            "exceeded the policer at the edge of the network",
            "dropped by policers",
        ),
        LossCause::Residence => (
            "residence",
            "traffic shaping would have held the unit for too long",
            "dropped by shapers",
        ),
    }
}

/// How a sentence goes on after a count of units lost to a cause.
pub fn fate(cause: LossCause) -> &'static str {
    words(cause).2
}

/// Losses of all flows.
fn total(outcome: &Outcome) -> Drops {
    let mut total = Drops::default();
    for flow in &outcome.flows {
        total.merge(&flow.drops);
    }
    total
}

/// What was lost, and why, as the rest of a sentence.
pub fn sentence(outcome: &Outcome) -> String {
    let total = total(outcome);
    let lost: Vec<LossCause> = CAUSES
        .into_iter()
        .filter(|cause| total.by(*cause) > 0)
        .collect();
    match lost[..] {
        [] if outcome.balance().dropped == 0 => "nothing was lost".into(),
        [] => "units were lost".into(),
        [LossCause::Wire] => format!(
            "{} lost on the wire, no buffer overflowed",
            grouped(total.by(LossCause::Wire))
        ),
        _ => {
            let part =
                |cause: &LossCause| format!("{} {}", grouped(total.by(*cause)), words(*cause).2);
            lost.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Losses of each flow that has any.
pub fn table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let flows = (0..).zip(outcome.flows.iter().map(|found| &found.drops));
    let mut table = TableOf::new(
        "drops",
        "Losses of each flow by cause; whole run. A multicast unit counts once for each \
         destination it would have reached.",
        flows.filter(|(_, drops)| drops.total() > 0),
    )
    .text("flow", "name in the scenario", |(flow, _)| {
        names::flow(spec, *flow)
    });
    for cause in CAUSES {
        let (name, meaning, _) = words(cause);
        table = table.number(name, "units", meaning, |(_, drops)| drops.by(cause));
    }
    table
        .number("lost", "units", "whatever the cause", |(_, drops)| {
            drops.total()
        })
        .done()
}

/// Losses by cause, for `summary.json`; causes that did not occur are left out.
pub fn json(outcome: &Outcome) -> Value {
    let total = total(outcome);
    let lost = CAUSES.into_iter().filter(|cause| total.by(*cause) > 0);
    let pairs = lost.map(|cause| (words(cause).0.to_owned(), total.by(cause).into()));
    Value::Object(pairs.collect::<Map<_, _>>())
}
