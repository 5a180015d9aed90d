//! A second, slow and obvious implementation of link-by-link credit flow control (N23 and its
//! relatives), to check the fast engine against. For tests only.
//!
//! One object per cell, vectors, linear scans; every quantity is recomputed from its definition.
//! [`run`] gives every start of transmission of a [`backwater_net::spec::NetworkSpec`],
//! [`random_spec`] makes networks to compare on, [`first_difference`] says where two runs part.
//! The same for the cycle engine is in [`fabric`], for the Ethernet engine in
//! [`ethernet`](mod@ethernet), for ABR sources and the ports that tell them rates in [`abr`]. What
//! ports serve by is in `service`, with choices of its own.
//!
//! # Choices
//!
//! Where the rules leave something open, this crate decides:
//!
//! 1. **Arbitrate works on one snapshot.** All idle channels choose on the state after Inject.
//!    The value bound by a credit unit that starts in this step is taken from that snapshot too:
//!    a cell freed by a data start of the same step isn't in it, and counts as freed *after* that
//!    credit unit's start, whatever the channel indices. (So with N2 = 1 it asks for another
//!    credit unit at once.) In Transmit the value includes the frees of Arbitrate.
//! 2. **Control queues** are in order of the instant of the trigger; of one instant, what was
//!    wanted before ports chose precedes what their choices made wanted; then in order of the
//!    global leg index, then credit, requests, statements.
//! 3. **Fill peaks** count a cell from its Deliver on, so a leaf with an infinite sink peaks at 1.
//! 4. **Greedy sources of several root legs** send every unit on every root leg, `total` units
//!    on each. A unit joins the queues of all of them when one of the queues is empty.
//! 5. **No value is negative.** N23 binds `N2 + N3 - fill`, or 0 where a buffer overfills, as a
//!    credit cell has no room for a sign.
//! 6. **Window** ends are open: E counts starts `s` with `t - window < s < t`.
//! 7. **Bind at the trigger, relative rule**: the value is the count freed when the request was
//!    made; what is freed until the credit unit starts is lost, as the counter restarts there.
//! 8. **Buffer limits**: `Keep` and `None` store whatever comes. A unit past a `Drop` limit ends
//!    the run with [`Problem::Overflow`]; the oracle knows no drops.
//! 9. **Limited sinks** wait `interval` between the *starts of consumption*; the first cell is
//!    freed on arrival. An interval of zero frees whatever is there.
//! 10. **The last instant** `stop_at` itself is run.
//! 11. **Silent** traffic is accepted and sends nothing. Node kinds and `partner` have no effect.
//!     Source control is refused.
//! 12. **Errors** are drawn as a unit starts, from the engine's keyed streams. A lost unit takes
//!     its time on the wire.
//! 13. **Requests.** A sender waits from the instant in which units wait without credit, anew
//!     when a credit unit leaves it so, and when it asks; it asks however many of its requests
//!     wait. **Refresh** counts from the start of a credit unit, and from when it last wanted
//!     one.
//! 14. **Statements** of a counter follow every n-th start and are bound as they start. Losses
//!     once known stay known; they count as freed.
//! 15. **Pools** hold what waits for a destination too, but not what it takes at once. A unit that
//!     is pushed out changes no clock, tag or deficit; a queue that it leaves empty is as one that
//!     has sent all.
//! 16. **Envelopes.** A unit's size is drawn when the application offers it, lost or not. An
//!     application that freezes asks as it has a unit to offer.
//! 17. **Sessions.** What is reserved on a channel is counted anew for each set-up. At the close
//!     all that has not come to the first port is forgotten. Messages and warnings join control
//!     queues like credit, behind what the same leg wants of it.
//! 18. **Warnings** say nothing, so corruption does not change them. A source measures in whole
//!     bits per second, factors are multiples of 2^-32. What it sends in the instant of a warning
//!     counts for the next.
//! 19. A unit that a port refuses for its **residence** leaves no trace there, and its memory is
//!     free before ports choose.
//! 20. Units arriving at one instant on different channels of one flow are independent; a flow
//!     may use one channel in several legs.

pub mod abr;
mod build;
mod check;
mod clock;
mod compare;
mod credit;
mod envelope;
mod errors;
pub mod ethernet;
pub mod fabric;
mod fault;
mod finish;
mod network;
mod offer;
mod pool;
mod random;
mod report;
mod service;
mod session;
mod sizes;
mod source;
mod step;
#[cfg(test)]
mod tests;
mod tickets;
mod unit;
mod warning;

pub use check::Problem;
pub use compare::first_difference;
pub use fault::Fault;
pub use random::{
    Rates, ServiceMix, exact_loop, exact_window, random_residence_spec, random_service_spec,
    random_session_spec, random_spec, random_warning_spec, with_rule,
};
pub use report::{Delivery, LegReport, Rank, Report, Start};
pub use service::Check;

use backwater_net::spec::NetworkSpec;

/// Runs `spec` over all instants up to and including `stop_at`.
pub fn run(spec: &NetworkSpec) -> Result<Report, Problem> {
    run_with(spec, None)
}

/// The same with a rule broken, for negative controls.
pub fn run_with(spec: &NetworkSpec, fault: Option<Fault>) -> Result<Report, Problem> {
    let mut network = network::Network::new(spec)?;
    network.fault = fault;
    while network.step()?.is_some() {}
    Ok(finish::report(network))
}

/// The guide's code, which is compiled and run as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
pub struct Guide;
