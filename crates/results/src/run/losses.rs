//! What was lost, by cause.

use backwater_net::spec::NetworkSpec;

use super::Circuits;
use crate::events::flows::found;
use crate::events::percent_of;
use crate::model::Table;
use crate::table_of::TableOf;

/// Losses of each flow that has any.
pub fn table(run: &Circuits<'_>) -> Table {
    TableOf::of(found(&run.outcome).filter(|(_, found)| found.drops.total() > 0))
        .called(
            "drops: Losses of each flow by cause; whole run. A multicast unit counts once for each \
             destination it would have reached.",
        )
        .flow(run, |(flow, _)| *flow)
        .dropped::<NetworkSpec>(
            |(_, found)| &found.drops,
            "of what was offered",
            |(_, found)| percent_of(found.drops.total(), found.offered_total),
        )
        .done()
}
