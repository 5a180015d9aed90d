//! Weighted fair queueing: A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair
//! queueing algorithm", SIGCOMM 1989; with weights and exact tracking of the fluid as PGPS:
//! A. Parekh, R. Gallager, "A generalized processor sharing approach to flow control in
//! integrated services networks: the single-node case", IEEE/ACM Trans. Networking 1(3), 1993.
//!
//! Modelled: the fluid server (GPS) beside the port, served at the channel's rate whatever flow
//! control does; units leave by the virtual time at which the fluid server ends them. Not
//! modelled: Demers' bid with a head start for flows that were silent (delta is 0).
//!
//! | Paper | Here |
//! |---|---|
//! | r, the rate of the server | `Gps::rate_bps` |
//! | phi_i, the weight of a session | [`Pace`]: its reserved rate in bps |
//! | V(t) | `Gps::now_virtual` |
//! | B_j, sessions busy since event j | seats in `Gps::last` |
//! | sum of phi_i over B_j | `Gps::backlogged_bps` |
//! | F_i^k | rank of the unit; that of the last unit of a session is its key in `Gps::last` |
//!
//! Between two events V(t_j + tau) = V(t_j) + tau r / sum of phi_i. Events are arrivals, and
//! sessions that the fluid server has emptied: these happen when V reaches their last F.

use alloc::vec::Vec;

use kernel::{Rate, Time};

use super::pace::Pace;
use super::stamp_tree::StampTree;
use super::stamped::Rule;
use super::{Admitted, Port, Share};

/// Stamps units with their finish in the fluid server.
pub(super) struct Wfq {
    flows: Vec<Pace>,
    gps: Gps,
}

/// The fluid server. It serves only flows with a reservation.
struct Gps {
    rate_bps: u64,
    /// V when the set of busy flows changed last, in ps.
    changed_virtual: u64,
    /// What the server did since, but for flows that it emptied: rate times ps.
    work: u128,
    /// `work` is counted up to here.
    at: Time,
    backlogged_bps: u128,
    /// The last finish of each busy flow.
    last: StampTree,
}

impl Wfq {
    /// A port of this rate.
    pub fn new(rate: Rate, shares: &[Share]) -> Wfq {
        Wfq {
            flows: shares.iter().map(Pace::new).collect(),
            gps: Gps {
                rate_bps: rate.0,
                changed_virtual: 0,
                work: 0,
                at: Time::ZERO,
                backlogged_bps: 0,
                last: StampTree::new(shares.len()),
            },
        }
    }
}

impl Rule for Wfq {
    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].is_datagram() {
            return Admitted::datagram(port.now);
        }
        self.gps.advance(port.now, &self.flows);
        let finish = self.gps.arrive(seat, &self.flows[seat as usize], bytes);
        Admitted::ranked(finish)
    }
}

impl Gps {
    /// Serves the fluid until `now`.
    #[inline]
    fn advance(&mut self, now: Time, flows: &[Pace]) {
        self.work += now.since(self.at).ps() as u128 * self.rate_bps as u128;
        self.at = now;
        while let Some((seat, last)) = self.last.first() {
            let left = (last - self.changed_virtual) as u128 * self.backlogged_bps;
            if left > self.work {
                return;
            }
            self.work -= left;
            self.changed_virtual = last;
            self.backlogged_bps -= flows[seat as usize].rate_bps() as u128;
            self.last.remove(seat);
        }
        // The fluid server is empty: its time starts anew.
        self.work = 0;
        self.changed_virtual = 0;
    }

    /// V, rounded down to the ps.
    #[inline]
    fn now_virtual(&self) -> u64 {
        if self.work == 0 {
            return self.changed_virtual;
        }
        // No flow is busy beyond its last F, so this is below one.
        self.changed_virtual + (self.work / self.backlogged_bps) as u64
    }

    /// A unit comes to a server that was advanced to now; when the server ends it, in virtual
    /// time.
    #[inline]
    fn arrive(&mut self, seat: u32, flow: &Pace, bytes: u32) -> u64 {
        let start = match self.last.get(seat) {
            // V has not reached F of the unit before, or the flow would not be busy.
            Some(before) => before,
            // V has reached it.
            None => self.join(flow),
        };
        let finish = flow.finish(start, bytes);
        self.last.insert(seat, finish);
        finish
    }

    /// Another flow is busy from now on; V.
    #[inline]
    fn join(&mut self, flow: &Pace) -> u64 {
        self.changed_virtual = self.now_virtual();
        self.work = 0;
        self.backlogged_bps += flow.rate_bps() as u128;
        self.changed_virtual
    }
}
