//! What the table that makes flows says of all of them.

use crate::given::frames::flows::FlowSettings;
use crate::given::frames::traffic::Traffic;
use crate::prelude::*;

/// An entry of `[[flows]]`, `[[patterns]]`, `[[workloads]]`, `[[collectives]]` or `[[jobs]]`.
#[derive(Clone, Copy)]
pub(crate) struct Table<'r> {
    pub settings: &'r FlowSettings,
    /// What all its flows send; a workload gives each a size of its own.
    pub traffic: Option<&'r Traffic>,
    /// Where it says where they go.
    pub to: &'r At,
    pub name: &'r Placed<String>,
    pub at: &'r At,
    /// It may make more than one.
    pub is_many: bool,
}

impl<'r> Table<'r> {
    /// What its flows are called.
    pub(super) fn name(&self) -> &'r str {
        self.name.as_str()
    }

    /// Of many flows whose messages wait for others.
    pub(crate) fn of_ranks(
        settings: &'r FlowSettings,
        name: &'r Placed<String>,
        (to, at): (&'r At, &'r At),
    ) -> Table<'r> {
        Table {
            settings,
            traffic: None,
            to,
            name,
            at,
            is_many: true,
        }
    }
}
