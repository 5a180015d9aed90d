//! A second, slow and obvious implementation of ABR flow control: sources and destinations of
//! ATM Forum TM 4.0, use-it-or-lose-it policies, ports that tell rates.
//!
//! An object for each cell, one sorted list of events, one loop. [`run`] gives every start of
//! transmission and every change of a source's rate, [`random_spec`] makes networks to compare
//! on. Factors are whole multiples of 2^-32, rates whole bits per second, rounded down.
//!
//! # Scope
//!
//! Circuits on a path, in order of arrival, round robin or strict priority at ports; constant,
//! Poisson, on-off and endless background; greedy, bottlenecked and silent ABR sources, closed
//! loops of requests with fixed times; ERICA with queue control and aging, EFCI, relative rates,
//! EPRCA, CAPC; outages. Credit, errors and TCP are refused.
//!
//! # Choices
//!
//! Where the rules leave something open, both engines take this reading:
//!
//! 1. Cells of all kinds of a flow are numbered together, in the order in which they are sent.
//! 2. In one instant a source does, in this order: take new units of its application and its new
//!    limit, send in rate if its slot has come, send out of rate if that has come.
//! 3. A port that marks looks at its queue when an ABR cell joins, not when background does; for
//!    relative rates also when an answer passes.
//! 4. T of February 1995 counts from the start of the run before the first backward RM cell.
//! 5. A policy reduces when its condition holds, even if MCR leaves nothing to take: that sets
//!    the flag of rule 5b and counts as a decrease for February 1995.
//! 6. ERICA+: Q0 is in whole cells; without a queue the share is b. A circuit whose weight has
//!    fallen below 1/64 is no longer active at all.
//! 7. An out-of-rate cell comes a gap of TCR after the last RM cell, and after the source began
//!    to want to send while ACR is below TCR; whenever it stops wanting, that begins anew.
//! 8. 16-bit rates state whole cells per second, below 512 too.
//! 9. Limits of a bottlenecked application hold from its start, the last of those before it.
//! 10. Steps of EPRCA's mean are rounded towards no step; of CAPC, rise and fall are rounded down
//!     before they are added to 1 or taken from it. CAPC's share is at most the link's rate and
//!     at least a cell a second.
//! 11. Aging goes by the intervals that have ended and by the last CCR, for each answer anew, and
//!     takes from what ERICA answers; of that ERICA itself knows nothing.
//! 12. A notice of a switch goes hop by hop before all that waits at ports, of one instant in the
//!     order of legs; other switches do not mark it. Its ER is PCR. Policies see it as an answer,
//!     rule 6 does not. A circuit may get the next one just when its time is over.
//! 13. Traffic that is not ABR is background unless ports serve by priority and its own is below
//!     that of every circuit of the port.
//! 14. A unit that is lost is noticed by nobody: the next units count for those of a request.

mod aging;
mod build;
mod early;
mod ends;
mod math;
mod network;
mod notices;
mod policy;
mod port;
mod random;
mod rates;
mod refuse;
mod source;
#[cfg(test)]
mod tests;
mod traffic;

use std::fmt::{self, Display};

use backwater_net::spec::NetworkSpec;

use crate::check::Problem;

pub use build::Builder;
pub use random::{Rules, random_spec, random_spec_with};

/// What a unit is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Data, of an ABR circuit or not.
    Data,
    /// A forward RM cell.
    Forward,
    /// A backward RM cell.
    Backward,
    /// An RM cell that a switch made. Its number is 1 with CI, and 2 more with NI.
    Notice,
}

/// The start of transmission of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Start {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Leg, counted over all flows.
    pub leg: u32,
    /// Number of the unit in its flow, from 0.
    pub number: u64,
    /// What it is.
    pub kind: Kind,
}

impl Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Start {
            at_ps,
            leg,
            number,
            kind,
        } = self;
        write!(f, "{at_ps} ps, leg {leg}, {kind:?} {number}")
    }
}

/// ACR of a flow from some instant on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RateChange {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Flow.
    pub flow: u32,
    /// ACR, in bits per second.
    pub acr_bps: u64,
}

impl Display for RateChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RateChange {
            at_ps,
            flow,
            acr_bps,
        } = self;
        write!(f, "{at_ps} ps, flow {flow}, ACR {acr_bps} bit/s")
    }
}

/// What a run found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Every start, ordered by (instant, leg).
    pub starts: Vec<Start>,
    /// Every change of a rate, ordered by (instant, flow): what it is at the end of the instant,
    /// if that is not what it was before.
    pub rates: Vec<RateChange>,
    /// By channel: most ABR cells that waited, where a port tells rates.
    pub queue_max: Vec<u64>,
    /// By flow: data units that arrived.
    pub delivered: Vec<u64>,
    /// Starts of RM cells that switches made.
    pub notices: u64,
    /// Units lost in outages, notices apart.
    pub lost: u64,
    /// Completed cycles of requests.
    pub cycles: u64,
}

/// Keeps of several changes of one instant the last one, and drops it if it changes nothing.
pub fn settled(mut changes: Vec<RateChange>, initial_bps: &[u64]) -> Vec<RateChange> {
    changes.sort_by_key(|change| (change.at_ps, change.flow));
    let mut now = initial_bps.to_vec();
    let mut kept: Vec<RateChange> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let next = changes.get(index + 1);
        if next.is_some_and(|next| (next.at_ps, next.flow) == (change.at_ps, change.flow)) {
            continue;
        }
        let flow = change.flow as usize;
        if now[flow] != change.acr_bps {
            now[flow] = change.acr_bps;
            kept.push(*change);
        }
    }
    kept
}

/// Runs `spec` over all instants up to and including `stop_at`.
pub fn run(spec: &NetworkSpec) -> Result<Report, Problem> {
    run_with(spec, None)
}

/// A rule that the slow engine breaks, for negative controls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Notices of switches count as answers (rule 6).
    NoticesAnswer,
    /// Notices wait behind data.
    NoticesLast,
    /// Notices go to the source from the first node on their way.
    NoticesSkipNodes,
}

/// The same with a rule broken.
pub fn run_with(spec: &NetworkSpec, fault: Option<Fault>) -> Result<Report, Problem> {
    let mut network = network::Network::new(spec)?;
    network.fault = fault;
    network.run();
    Ok(network.report())
}
