//! What was lost, by cause.

use backwater_net::outcome::{Drops, LossCause, Outcome};
use backwater_net::spec::NetworkSpec;

use crate::events::drops::fate;
use crate::events::flows::found;
use crate::events::{Network, percent_of};
use crate::model::Table;
use crate::number::grouped;
use crate::table_of::TableOf;

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
    let lost: Vec<LossCause> = NetworkSpec::CAUSES
        .iter()
        .copied()
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
                |cause: &LossCause| format!("{} {}", grouped(total.by(*cause)), fate(*cause));
            lost.iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Losses of each flow that has any.
pub fn table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    TableOf::new(
        "drops",
        "Losses of each flow by cause; whole run. A multicast unit counts once for each \
         destination it would have reached.",
        found(outcome).filter(|(_, found)| found.drops.total() > 0),
    )
    .flow(spec, |(flow, _)| *flow)
    .number("dropped", "cells", "whatever the cause", |(_, found)| {
        found.drops.total()
    })
    .drops::<NetworkSpec>(|(_, found)| &found.drops)
    .number("dropped", "%", "of what was offered", |(_, found)| {
        percent_of(found.drops.total(), found.offered_total)
    })
    .done()
}
