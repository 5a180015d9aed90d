//! Promises checked while a run goes on, against books of its own.
//!
//! `books` follows every flit by what the probe is told alone, and checks what flits may do, of
//! every flit in every cycle:
//! - packets stay whole and in order, and follow their headers, on lanes their class may use;
//! - a lane never mixes two packets, and none gets it before it is free;
//! - a channel carries one flit a cycle, no flit moves twice in a cycle or before it has arrived;
//! - no flit goes without a credit, no small buffer overflows;
//! - packets end at their terminals when their tails are due, in order where order is promised.
//!
//! `state` compares the engine's own state with the books. At the end of every cycle:
//! - totals of flits born, sent and delivered, and of packets;
//! - of each lane that a flit has left, the flits it stores;
//! - of each lane that a flit has gone into, the credits left for it.
//!
//! Now and then, and when the run stops, of all lanes and seats: credits, credits and flits under
//! way, and flits stored are those of the books and fill each lane exactly; the packet at its
//! front, how much of it is left and where it goes on; who sends into it and whether it is free;
//! what its seat says; seats held are as many as counted; flits inside are those sent and not
//! delivered. How often follows from the work:
//! once for every [`MOVES_A_LANE`] moves a lane of the network, where a cycle counts as one move
//! more. So what is wrong with a lane that nothing moves in is seen within that many cycles, and
//! within one where all lanes are busy. Queues at sources are walked along the same way, once for
//! as many moves and births as packets are alive, or more. [`Coverage`] says how often it was.

mod books;
mod ledger;
mod plan;
mod state;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Place, Violations};

use self::books::Books;
use self::state::{Ends, Scan};
use super::{Crossing, Network, Probe, Tag};
use crate::spec::FabricSpec;

/// Moves for each lane, between two comparisons of all lanes.
const MOVES_A_LANE: u64 = 4;
/// Moves and births for each packet alive and each source lane, between two walks along all
/// queues at sources.
const MOVES_A_PACKET: u64 = 2;

/// Checks promises; owns what it needs to know.
#[derive(Debug)]
pub struct Audit {
    books: Books,
    notes: Notes,
    scan: Scan,
    /// By place of a lane: its numbers in the engine.
    ends: Vec<Ends>,
    /// Moves that make a comparison of all lanes due.
    compare_after: u64,
    compared: Turns,
    walked: Turns,
    cycles: u64,
}

/// How much of a run an audit has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    /// Cycles in which something could happen. Every flit's moves were checked in each.
    pub cycles: u64,
    /// Of these, those at whose end all lanes were compared with the books.
    pub compared: u64,
    /// The most cycles from one such comparison to the next.
    pub compared_within: u64,
    /// Those at whose end all queues at sources were walked along.
    pub walked: u64,
    /// The most cycles from one walk to the next.
    pub walked_within: u64,
}

/// Something that is done now and then.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// Moves since the last time.
    moves: u64,
    /// Cycles up to the last time.
    last: u64,
    times: u64,
    /// The most cycles from one time to the next.
    within: u64,
}

impl Turns {
    /// Has so much happened that it is due in this cycle? The first cycle counts as due.
    #[inline]
    fn is_due(&mut self, moves: u64, after: u64) -> bool {
        self.moves += moves;
        self.moves >= after || self.times == 0
    }

    /// It is done at the end of this cycle.
    fn note(&mut self, cycles: u64) {
        self.within = self.within.max(cycles - self.last);
        self.last = cycles;
        self.times += 1;
        self.moves = 0;
    }
}

impl Audit {
    /// An audit of a network that can run.
    ///
    /// # Errors
    /// If the spec's routing does not fit its graph.
    pub fn new(spec: &FabricSpec) -> Result<Audit, BuildError> {
        let books = Books::new(spec)?;
        Ok(Audit {
            compare_after: MOVES_A_LANE * books.lanes.len() as u64,
            books,
            notes: Notes::default(),
            scan: Scan::default(),
            ends: Vec::new(),
            compared: Turns::default(),
            walked: Turns::default(),
            cycles: 0,
        })
    }

    /// An audit that compares all lanes at the end of every cycle: slow, for small networks.
    ///
    /// # Errors
    /// If the spec's routing does not fit its graph.
    pub fn of_every_cycle(spec: &FabricSpec) -> Result<Audit, BuildError> {
        Ok(Audit {
            compare_after: 0,
            ..Audit::new(spec)?
        })
    }

    /// Checks made.
    pub fn checks(&self) -> u64 {
        self.notes.checks
    }

    /// Promises broken.
    pub fn violations(&self) -> &Violations<u64> {
        &self.notes.violations
    }

    /// What was looked at.
    pub fn coverage(&self) -> Coverage {
        let (cycles, compared, walked) = (self.cycles, self.compared, self.walked);
        let within = |turns: Turns| turns.within.max(cycles - turns.last);
        Coverage {
            cycles,
            compared: compared.times,
            compared_within: within(compared),
            walked: walked.times,
            walked_within: within(walked),
        }
    }

    /// Compares all lanes.
    fn compare(&mut self, network: &Network<'_>) {
        self.compared.note(self.cycles);
        self.books.settle(network.cycle() + 1);
        self.scan.take(network.fabric);
        state::check(&self.books, network, &self.scan, &mut self.notes);
    }

    /// Walks along all queues at sources.
    fn walk(&mut self, network: &Network<'_>) {
        self.walked.note(self.cycles);
        state::check_queues(&self.books, network, &mut self.notes);
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
        self.cycles += 1;
        let moves = 1 + self.books.moves.len() as u64;
        if self.ends.is_empty() {
            self.ends = state::ends(&self.books, network);
        }
        state::check_moves(&mut self.books, &self.ends, network, &mut self.notes);
        if self.compared.is_due(moves, self.compare_after) {
            self.compare(network);
        }
        let steps = self.books.source_lanes() + self.books.totals.packets;
        let births = core::mem::take(&mut self.books.births);
        if self.walked.is_due(moves + births, MOVES_A_PACKET * steps) {
            self.walk(network);
        }
    }

    fn on_end(&mut self, network: &Network<'_>) {
        self.notes.cycle = network.cycle();
        if self.compared.last < self.cycles {
            self.compare(network);
        }
        if self.walked.last < self.cycles {
            self.walk(network);
        }
    }
}

/// Checks made and promises broken.
#[derive(Debug, Default)]
struct Notes {
    cycle: u64,
    checks: u64,
    violations: Violations<u64>,
}

impl Notes {
    /// Counts a check; says whether the promise holds.
    #[inline(always)]
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) -> bool {
        self.checks += 1;
        if !holds {
            self.violations.note(self.cycle, Place::Network, what);
        }
        holds
    }
}
