//! Which tables a run has.

use backwater_net::outcome::FlowOutcome;

use super::Findings;
use crate::model::Table;

/// The tables of a run: those of both kinds of networks, and those that only one of them has.
pub trait Tables: Sized {
    /// Where a flow goes, in words.
    fn path(run: &Findings<'_, Self>, flow: u32, found: &FlowOutcome) -> String;
    /// Every table of a run, those without a row among them.
    fn tables(run: &Findings<'_, Self>) -> Vec<Table>;
    /// The tables of a flow or of a group, each with a row at most; nothing if there is none of
    /// the name.
    fn flow_tables(run: &Findings<'_, Self>, name: &str) -> Option<Vec<Table>>;
}
