//! Worst-case fair weighted fair queueing plus: J. C. R. Bennett, H. Zhang, "Hierarchical packet
//! fair queueing algorithms", IEEE/ACM Trans. Networking 5(5), 1997 (WF2Q+, section 3.4).
//!
//! Among the units that the fluid server would have started (*eligible*: S <= V), the one with
//! the least finish leaves. Virtual time is a function of the port alone; no fluid server is
//! followed.
//!
//! | Paper | Here |
//! |---|---|
//! | r_i | [`Pace`]: reserved rate in bps |
//! | S_i, F_i of the first unit of queue i | `Flow::start`, `Flow::finish` |
//! | V(t) | `Wf2qPlus::now_virtual`, at `Wf2qPlus::at` |
//! | eligible: S_i <= V(t) | in `eligible`, by F; the others in `early`, by S |
//!
//! V(t + tau) = max(V(t) + tau, least S_i of busy queues), tau in real time. When a unit becomes
//! first, S_i = F_i if the queue was busy just before, else max(F_i, V); F_i = S_i + l / r_i. A
//! unit that is first, but withdrawn by flow control before it starts, costs nothing: F_i is
//! that of the last unit that started.
//!
//! Not modelled: the hierarchy. Several queues that become busy in one instant see the V of the
//! busy queues before that instant, so their order does not matter.

use alloc::vec::Vec;

use kernel::Time;

use super::pace::Pace;
use super::stamp_tree::StampTree;
use super::{Admitted, Choice, DATAGRAM, Discipline, LAST_STAMP, Packet, Port, Share};

/// Two trees: first units that may leave, and those that come too early.
pub(super) struct Wf2qPlus {
    flows: Vec<Flow>,
    now_virtual: u64,
    at: Time,
    early: StampTree,
    eligible: StampTree,
    /// First units without a reservation, in order of arrival.
    datagrams: StampTree,
}

/// One cache line.
#[repr(align(64))]
struct Flow {
    pace: Pace,
    /// S and F of the first unit.
    start: u64,
    finish: u64,
    /// F of the last unit that started.
    done: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not busy.
    Idle,
    /// The first unit is in `early`.
    Early,
    /// The first unit is in `eligible`.
    Eligible,
    /// The first unit has started, and stands in `eligible` until the next takes its place.
    Started,
}

impl Wf2qPlus {
    pub fn new(shares: &[Share]) -> Wf2qPlus {
        let flow = |share: &Share| Flow {
            pace: Pace::new(share),
            start: 0,
            finish: 0,
            done: 0,
            state: State::Idle,
        };
        let has_datagrams = shares.iter().any(|share| share.rate.0 == 0);
        Wf2qPlus {
            flows: shares.iter().map(flow).collect(),
            now_virtual: 0,
            at: Time::ZERO,
            early: StampTree::new(shares.len()),
            eligible: StampTree::new(shares.len()),
            datagrams: StampTree::new(if has_datagrams { shares.len() } else { 0 }),
        }
    }

    /// V reaches the least start of busy queues. One that is eligible is below V already.
    #[inline]
    fn catch_up(&mut self) {
        if self.eligible.is_empty()
            && let Some(start) = self.early.least()
        {
            self.now_virtual = self.now_virtual.max(start);
        }
    }

    /// Brings V to `now`; queues that become busy now do not move it yet.
    #[inline]
    fn advance(&mut self, now: Time) {
        if now > self.at {
            self.catch_up();
            let tau = now.since(self.at).ps();
            self.now_virtual = self.now_virtual.saturating_add(tau).min(LAST_STAMP);
            self.at = now;
        }
    }

    /// First units whose start V has reached may leave.
    #[inline]
    fn promote(&mut self) {
        while let Some((seat, start)) = self.early.first() {
            if start > self.now_virtual {
                return;
            }
            self.early.remove(seat);
            let flow = &mut self.flows[seat as usize];
            flow.state = State::Eligible;
            self.eligible.insert(seat, flow.finish);
        }
    }
}

impl Discipline for Wf2qPlus {
    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, _bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        // Nothing asks for it; S and F come when the unit is first.
        Admitted::ranked(port.now.ps().min(LAST_STAMP))
    }

    #[inline]
    fn ready(&mut self, port: &Port, seat: u32, head: Packet) {
        if head.rank >= DATAGRAM {
            return self.datagrams.insert(seat, head.rank);
        }
        self.advance(port.now);
        let now_virtual = self.now_virtual;
        let flow = &mut self.flows[seat as usize];
        let was = flow.state;
        match was {
            State::Idle => flow.start = flow.done.max(now_virtual),
            State::Started => flow.start = flow.done,
            // Another unit, or the same, in the place of one that has not started.
            State::Early | State::Eligible => {}
        }
        flow.finish = flow.pace.finish(flow.start, head.bytes);
        if flow.start <= now_virtual {
            flow.state = State::Eligible;
            self.eligible.insert(seat, flow.finish);
            if was == State::Early {
                self.early.remove(seat);
            }
        } else {
            flow.state = State::Early;
            self.early.insert(seat, flow.start);
            if was == State::Started {
                self.eligible.remove(seat);
            }
        }
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        match flow.state {
            State::Idle if flow.pace.is_datagram() => self.datagrams.remove(seat),
            State::Idle => {}
            State::Early => self.early.remove(seat),
            State::Eligible | State::Started => self.eligible.remove(seat),
        }
        flow.state = State::Idle;
    }

    #[inline]
    fn choose(&mut self, port: &Port) -> Choice {
        self.advance(port.now);
        self.catch_up();
        self.promote();
        let first = self.eligible.first().or_else(|| self.datagrams.first());
        first.map_or(Choice::Nothing, |(seat, _)| Choice::Leg(seat))
    }

    #[inline]
    fn on_start(&mut self, _port: &Port, seat: u32, _unit: Packet) {
        let flow = &mut self.flows[seat as usize];
        if !flow.pace.is_datagram() {
            flow.done = flow.finish;
            flow.state = State::Started;
        }
    }

    #[inline]
    fn has_ready(&self) -> bool {
        !(self.eligible.is_empty() && self.early.is_empty() && self.datagrams.is_empty())
    }
}
