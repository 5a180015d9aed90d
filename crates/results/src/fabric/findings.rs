//! A run as tables, pages and summaries read it.

use std::cell::OnceCell;

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;

use super::starved::{self, Starved};
use super::{FabricNames, fair, tables};
use crate::fairness::FairShares;
use crate::model::Table;

/// A network of flits, what a run of it found, and what follows from both. The latter is worked out
/// once, when it is first asked for.
#[derive(Debug)]
pub struct FabricFindings<'a> {
    /// What ran.
    pub spec: &'a FabricSpec,
    /// What was found. It stays as it is from when anything is asked that follows from it.
    pub outcome: FabricOutcome,
    shares: OnceCell<Result<FairShares, &'static str>>,
    starved: OnceCell<Starved>,
    tables: OnceCell<Vec<Table>>,
}

impl<'a> FabricFindings<'a> {
    /// What `outcome` says of a run of `spec`.
    pub fn new(spec: &'a FabricSpec, outcome: FabricOutcome) -> FabricFindings<'a> {
        FabricFindings {
            spec,
            outcome,
            shares: OnceCell::new(),
            starved: OnceCell::new(),
            tables: OnceCell::new(),
        }
    }

    /// Names of its parts.
    pub(crate) fn names(&self) -> FabricNames<'a> {
        FabricNames::new(&self.spec.graph)
    }

    /// The share of every terminal beside what it got in, or why there are none.
    pub(super) fn shares(&self) -> Result<&FairShares, &'static str> {
        let shares = self.shares.get_or_init(|| fair::shares(self));
        shares.as_ref().map_err(|why| *why)
    }

    /// Who got next to nothing through.
    pub(super) fn starved(&self) -> &Starved {
        self.starved.get_or_init(|| starved::starved(self))
    }

    /// Every table that has a row.
    pub fn tables(&self) -> &[Table] {
        self.tables.get_or_init(|| {
            let mut tables = tables::tables(self);
            tables.retain(|table| !table.rows.is_empty());
            tables
        })
    }
}
