//! Flows, and the balance of all of them.

use backwater_kernel::Balance;
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::{Findings, Network};
use crate::groups::of_name;
use crate::merge::as_one;
use crate::model::Table;
use crate::table_of::TableOf;

/// A flow and what was found of it.
pub type FlowFound<'a> = (u32, &'a FlowOutcome);

/// The column of goodput.
pub const GOODPUT: &str = "goodput [Mbps]: payload that the application at the destination \
                           received in order after the warm-up, by the time of that; empty of a \
                           flow whose transfers end: see `transfers`";

/// Flows with what was found of them.
pub fn found(outcome: &Outcome) -> impl Iterator<Item = FlowFound<'_>> {
    (0..).zip(&outcome.flows)
}

/// A row for each flow: where it goes, its `rates`, and what became of its units.
pub fn table<'a, N: Network>(
    run: &'a Findings<'_, N>,
    rates: impl FnOnce(TableOf<FlowFound<'a>>) -> TableOf<FlowFound<'a>>,
) -> TableOf<FlowFound<'a>> {
    let table = TableOf::of(found(&run.outcome))
        .called("flows: What each flow offered, how much was delivered or dropped, and its rate.")
        .flow(run, |(flow, _)| *flow)
        .text(
            "path: nodes that its frames pass; only its ends where they take several paths, and of \
             circuits",
        )
        .of(|(flow, found)| N::path(run, *flow, found));
    rates(table).balance(N::UNITS, |(_, found)| found.balance())
}

/// What became of everything that was offered.
pub fn balance<N: Network>(run: &Findings<'_, N>) -> Table {
    let bytes: Balance = run.outcome.all_flows().filter_map(|flow| flow.bytes).sum();
    let has_bytes = run.outcome.all_flows().any(|flow| flow.bytes.is_some());
    let bytes = has_bytes.then_some(("bytes", bytes));
    let rows = std::iter::once((N::UNITS, run.outcome.balance())).chain(bytes);
    TableOf::of(rows)
        .called("balance: Balance of all flows; whole run.")
        .text("of: what is counted")
        .of(|(what, _)| *what)
        .balance("", |(_, balance)| *balance)
        .done()
}

/// The network and the outcome with the flows of this name as one flow; nothing if there is none.
pub fn only<N: Network>(run: &Findings<'_, N>, name: &str) -> Option<(N, Outcome)> {
    let network = run.network;
    let flows = of_name(
        (0..).map_while(|flow| Some((flow, network.flow(flow)?))),
        |(_, own)| own,
        name,
    );
    let flows: Vec<u32> = flows.into_iter().map(|(flow, _)| flow).collect();
    let first = flows.first()?;
    Some((network.only(*first, name), as_one(&run.outcome, &flows)?))
}
