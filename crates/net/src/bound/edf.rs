//! Earliest deadline first: deadlines as bounds.
//!
//! Flow i may bring sigma_i + rho_i t in any time t and has deadline d_i. All deadlines of a port
//! are kept, without preemption, if for each d_j (Liebeherr, Wrege, Ferrari 1996)
//!
//! ```text
//! sum over i with d_i <= d_j of (sigma_i + rho_i (d_j - d_i)) + L  <=  C d_j
//! ```
//!
//! where L is the largest unit with a later deadline or none, and the rates fit. At the next port
//! the flow is burstier, by rho_i times what its time at this port can vary. If the deadlines of
//! every port can be kept with the bursts that result, they are kept: none can be the first to be
//! missed. The bound is their sum.

use alloc::vec::Vec;

use backwater_kernel::Duration;

use super::path::{self, Ports};
use super::{NoBound, Part, burst, largest};
use crate::spec::{FlowSpec, ReserveSpec};

/// Bits times picoseconds a second: rates times times, without rounding.
type Work = u128;

/// What each link of `way` adds, the burst within the deadlines.
pub(super) fn parts(
    ports: &Ports<'_>,
    flow_id: u32,
    reserve: &ReserveSpec,
    first_burst: Duration,
    way: &[u32],
) -> Result<Vec<Part>, NoBound> {
    let flow = ports.flow(flow_id);
    let mut parts = Vec::with_capacity(way.len());
    let mut burst = first_burst;
    for &channel in way {
        if ports.flows[channel as usize].len() == 1 {
            let rate = ports.channel(channel).rate.0 as Work;
            let queue = (reserve.rate.0 as Work * burst.ps() as Work).div_ceil(rate);
            parts.push(ports.part(channel, Duration(queue as u64), Duration::ZERO));
            burst = burst + ports.spread(flow_id, channel);
            continue;
        }
        keeps_deadlines(ports, flow_id, channel)?;
        let deadline = deadline(flow, reserve);
        parts.push(ports.part(channel, deadline, Duration::ZERO));
        burst = burst + deadline;
    }
    Ok(parts)
}

fn deadline(flow: &FlowSpec, reserve: &ReserveSpec) -> Duration {
    let unit = reserve.rate.tick(largest(flow));
    reserve.deadline.unwrap_or(unit)
}

/// One flow at a port.
struct Demand {
    rate: Work,
    burst: Duration,
    deadline: Duration,
    /// Time of its largest unit.
    unit: Duration,
}

/// Can the deadlines of `channel` be kept, and those of all ports before on its flows' ways?
fn keeps_deadlines(ports: &Ports<'_>, flow_id: u32, channel: u32) -> Result<(), NoBound> {
    // The same for all flows of a priority.
    let key = (channel, ports.flow(flow_id).priority);
    let known = ports.deadlines.borrow().get(&key).copied();
    known.unwrap_or_else(|| {
        let holds = follow_deadlines(ports, flow_id, channel);
        ports.deadlines.borrow_mut().insert(key, holds);
        holds
    })
}

fn follow_deadlines(ports: &Ports<'_>, flow_id: u32, channel: u32) -> Result<(), NoBound> {
    let mut seen = Vec::new();
    let mut open = alloc::vec![channel];
    while let Some(channel) = open.pop() {
        if seen.contains(&channel) {
            continue;
        }
        seen.push(channel);
        let mut demands = Vec::new();
        for rival in ports.rival_ids(flow_id, channel) {
            let demand = demand(ports, rival, channel, &mut open);
            demands.push(demand.ok_or(NoBound::Deadlines { channel })?);
        }
        let background = ports.background(flow_id, channel);
        let rate = ports.channel(channel).rate.0;
        if !fits(&demands, background, rate as Work) {
            return Err(NoBound::Deadlines { channel });
        }
    }
    Ok(())
}

/// The condition above, at each deadline.
fn fits(demands: &[Demand], background: Duration, capacity: Work) -> bool {
    demands.iter().all(|at| {
        let due = |other: &&Demand| other.deadline <= at.deadline;
        let work = demands.iter().filter(due).fold(0, |sum: Work, other| {
            let since = at.deadline.ps() - other.deadline.ps();
            sum + other.rate * (other.burst.ps() as Work + since as Work)
        });
        let later = demands.iter().filter(|other| other.deadline > at.deadline);
        let longest = later
            .map(|other| other.unit)
            .max()
            .unwrap_or(Duration::ZERO);
        let blocking = longest.max(background).ps() as Work * capacity;
        work + blocking <= capacity * at.deadline.ps() as Work
    })
}

/// What flow `rival` may bring to `channel` if the ports before, which are added to `open`, keep
/// their deadlines; `None` if nothing limits it.
fn demand(ports: &Ports<'_>, rival: u32, channel: u32, open: &mut Vec<u32>) -> Option<Demand> {
    let flow = ports.flow(rival);
    let reserve = flow.reserve?;
    let mut burst = burst(flow, &reserve).ok()?;
    let deadline = deadline(flow, &reserve);
    let way = path::ways(flow)
        .into_iter()
        .find(|way| way.contains(&channel))?;
    for &earlier in way.iter().take_while(|&&other| other != channel) {
        ports.check(rival, earlier).ok()?;
        if ports.flows[earlier as usize].len() == 1 {
            burst = burst + ports.spread(rival, earlier);
            continue;
        }
        if !ports.channel(earlier).scheduler.goes_by_deadline() {
            return None;
        }
        open.push(earlier);
        burst = burst + deadline;
    }
    Some(Demand {
        rate: reserve.rate.0 as Work,
        burst,
        deadline,
        unit: ports.channel(channel).rate.serialization(largest(flow)),
    })
}
