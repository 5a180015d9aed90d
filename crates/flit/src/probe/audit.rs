//! Promises checked while a run goes on, against books of its own.
//!
//! `books` follows every flit by what the probe is told alone, and checks what flits may do:
//! packets stay whole and in order, a lane never mixes two packets, a channel carries one flit a
//! cycle, no flit moves twice in a cycle, no buffer overflows. `state` compares the engine's own
//! counters with the books after every cycle.

mod books;
mod ledger;
mod plan;
mod state;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use self::books::Books;
use self::state::Scan;
use super::{Crossing, Network, Probe, Tag};
use crate::error::BuildError;
use crate::outcome::Violation;
use crate::spec::FabricSpec;

/// Violations kept word for word.
const KEPT: usize = 100;
/// Cycles between two walks along all queues at sources.
const WALK_EVERY: u64 = 64;

/// Checks promises; owns what it needs to know.
#[derive(Debug)]
pub struct Audit {
    books: Books,
    notes: Notes,
    scan: Scan,
    cycles: u64,
}

impl Audit {
    /// An audit of a network that can run.
    ///
    /// # Errors
    /// If the spec's routing does not fit its graph.
    pub fn new(spec: &FabricSpec) -> Result<Audit, BuildError> {
        Ok(Audit {
            books: Books::new(spec)?,
            notes: Notes::default(),
            scan: Scan::default(),
            cycles: 0,
        })
    }

    /// Checks made.
    pub fn checks(&self) -> u64 {
        self.notes.checks
    }

    /// Promises broken: the first 100, and how many in all.
    pub fn violations(&self) -> (&[Violation], u64) {
        (&self.notes.violations, self.notes.total)
    }
}

impl Probe for Audit {
    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {
        self.notes.cycle = cycle;
        self.books.delivered(cycle, packet, &mut self.notes);
    }

    fn on_birth(&mut self, packet: &Tag) {
        self.notes.cycle = packet.birth;
        self.books.born(packet, &mut self.notes);
    }

    fn on_switch(&mut self, crossing: &Crossing) {
        self.notes.cycle = crossing.cycle;
        self.books.switched(crossing, &mut self.notes);
    }

    fn on_crossing(&mut self, crossing: &Crossing) {
        self.notes.cycle = crossing.cycle;
        self.books.crossed(crossing, &mut self.notes);
    }

    fn after_cycle(&mut self, network: &Network<'_>) {
        self.notes.cycle = network.cycle();
        let walks = self.cycles.is_multiple_of(WALK_EVERY);
        self.cycles += 1;
        self.scan.take(network.fabric);
        state::check(&self.books, network, &self.scan, &mut self.notes);
        if walks {
            state::check_queues(&self.books, network, &mut self.notes);
        }
    }
}

/// Checks made and promises broken.
#[derive(Debug, Default)]
struct Notes {
    cycle: u64,
    checks: u64,
    violations: Vec<Violation>,
    total: u64,
}

impl Notes {
    /// Counts a check; says whether the promise holds.
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) -> bool {
        self.checks += 1;
        if !holds {
            self.total += 1;
            if self.violations.len() < KEPT {
                self.violations.push(Violation {
                    cycle: self.cycle,
                    what: what(),
                });
            }
        }
        holds
    }
}
