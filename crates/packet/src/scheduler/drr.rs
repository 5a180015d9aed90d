//! Deficit round robin: M. Shreedhar, G. Varghese, "Efficient fair queueing using deficit round
//! robin", SIGCOMM 1995; IEEE/ACM Trans. Networking 4(3), 1996.
//!
//! | Paper | Here |
//! |---|---|
//! | Quantum_i | `Flow::quantum`, in bytes |
//! | DeficitCounter_i | `Flow::deficit`, in bytes |
//! | ActiveList | `Ring`, and `newcomers` that join it at the next choice |
//!
//! The quantum of a flow is that of the smallest reservation of the group times its own
//! reservation over the smallest, rounded down, at least a byte. A flow looks at its unit; it may
//! send it if its deficit covers the bytes, and stays first while the next unit is covered too.
//! Else it moves to the end. A queue that flow control stops leaves the list as an empty one
//! does, and its deficit is lost.
//!
//! Queues that become busy in one instant join in the order of seats. A unit far larger than the
//! quantum takes many rounds, in which nothing may be sent: these are computed, not played.

use alloc::vec::Vec;

use kernel::Time;

use super::stamp_tree::StampTree;
use super::{Admitted, Choice, DATAGRAM, Discipline, LAST_STAMP, Packet, Port, Share};

/// No seat.
const NOBODY: u32 = u32::MAX;

/// Rounds of the busy queues.
pub(super) struct Drr {
    flows: Vec<Flow>,
    ring: Ring,
    /// Became busy since the last choice; those of earlier instants have joined.
    newcomers: Vec<u32>,
    newcomers_at: Time,
    /// Queues that are busy.
    ready: u32,
    /// First units without a reservation, in order of arrival.
    datagrams: StampTree,
}

struct Flow {
    /// 0 for a flow of datagrams.
    quantum: u64,
    deficit: u64,
    /// Size of the first unit.
    bytes: u32,
    place: Place,
    /// It has got its quantum of this round.
    has_quantum: bool,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Out,
    Newcomer,
    Listed,
}

/// The active list, threaded through the flows.
struct Ring {
    first: u32,
    last: u32,
    len: u32,
}

impl Ring {
    #[inline]
    fn push(&mut self, flows: &mut [Flow], seat: u32) {
        let flow = &mut flows[seat as usize];
        flow.before = self.last;
        flow.after = NOBODY;
        match self.last {
            NOBODY => self.first = seat,
            last => flows[last as usize].after = seat,
        }
        self.last = seat;
        self.len += 1;
    }

    #[inline]
    fn remove(&mut self, flows: &mut [Flow], seat: u32) {
        let Flow { before, after, .. } = flows[seat as usize];
        match before {
            NOBODY => self.first = after,
            before => flows[before as usize].after = after,
        }
        match after {
            NOBODY => self.last = before,
            after => flows[after as usize].before = before,
        }
        self.len -= 1;
    }
}

impl Drr {
    /// The flow with the smallest reservation may send `quantum_bytes` a round.
    pub fn new(quantum_bytes: u32, shares: &[Share]) -> Drr {
        let rates = shares.iter().map(|share| share.rate.0);
        let smallest = rates.filter(|&rate| rate > 0).min().unwrap_or(1);
        let flow = |share: &Share| Flow {
            quantum: quantum(quantum_bytes, share.rate.0, smallest),
            deficit: 0,
            bytes: 0,
            place: Place::Out,
            has_quantum: false,
            before: NOBODY,
            after: NOBODY,
        };
        let has_datagrams = shares.iter().any(|share| share.rate.0 == 0);
        Drr {
            flows: shares.iter().map(flow).collect(),
            ring: Ring {
                first: NOBODY,
                last: NOBODY,
                len: 0,
            },
            newcomers: Vec::new(),
            newcomers_at: Time::ZERO,
            ready: 0,
            datagrams: StampTree::new(if has_datagrams { shares.len() } else { 0 }),
        }
    }

    /// Newcomers join the list, in the order of seats.
    #[inline]
    fn join(&mut self) {
        match *self.newcomers.as_slice() {
            [] => return,
            [seat] => self.join_one(seat),
            _ => {
                let mut newcomers = core::mem::take(&mut self.newcomers);
                newcomers.sort_unstable();
                for &seat in &newcomers {
                    self.join_one(seat);
                }
                self.newcomers = newcomers;
            }
        }
        self.newcomers.clear();
    }

    /// Unless it left again, or stands twice among newcomers because it came back.
    #[inline]
    fn join_one(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        if flow.place == Place::Newcomer {
            flow.place = Place::Listed;
            flow.deficit = 0;
            flow.has_quantum = false;
            self.ring.push(&mut self.flows, seat);
        }
    }

    /// Passes over as many whole rounds as no queue has enough for. Every queue has been passed
    /// in this round.
    #[cold]
    fn skip_rounds(&mut self) {
        let rounds_of = |flow: &Flow| (flow.bytes as u64 - flow.deficit).div_ceil(flow.quantum);
        let mut rounds = u64::MAX;
        let mut seat = self.ring.first;
        while seat != NOBODY {
            let flow = &self.flows[seat as usize];
            rounds = rounds.min(rounds_of(flow));
            seat = flow.after;
        }
        let mut seat = self.ring.first;
        while seat != NOBODY {
            let flow = &mut self.flows[seat as usize];
            flow.deficit += (rounds - 1) * flow.quantum;
            seat = flow.after;
        }
    }
}

/// `base` times `rate` over `smallest`, rounded down, at least 1; 0 for datagrams. The upper end
/// is out of reach of any queue, and keeps sums within 64 bits.
fn quantum(base: u32, rate: u64, smallest: u64) -> u64 {
    if rate == 0 {
        return 0;
    }
    let bytes = base as u128 * rate as u128 / smallest as u128;
    bytes.clamp(1, 1 << 62) as u64
}

impl Discipline for Drr {
    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, _bytes: u32) -> Option<Admitted> {
        if self.flows[seat as usize].quantum == 0 {
            return Admitted::datagram(port.now);
        }
        // Nothing asks for it.
        Admitted::ranked(port.now.ps().min(LAST_STAMP))
    }

    #[inline]
    fn ready(&mut self, port: &Port, seat: u32, head: Packet) {
        if head.rank >= DATAGRAM {
            return self.datagrams.insert(seat, head.rank);
        }
        let flow = &mut self.flows[seat as usize];
        flow.bytes = head.bytes;
        if flow.place != Place::Out {
            return;
        }
        if self.newcomers_at != port.now {
            self.join();
            self.newcomers_at = port.now;
        }
        self.flows[seat as usize].place = Place::Newcomer;
        self.newcomers.push(seat);
        self.ready += 1;
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        let flow = &mut self.flows[seat as usize];
        match flow.place {
            Place::Out if flow.quantum == 0 => return self.datagrams.remove(seat),
            Place::Out => return,
            Place::Newcomer => {}
            Place::Listed => self.ring.remove(&mut self.flows, seat),
        }
        self.flows[seat as usize].place = Place::Out;
        self.ready -= 1;
    }

    #[inline]
    fn choose(&mut self, _port: &Port) -> Choice {
        self.join();
        let mut passed = 0;
        while self.ring.first != NOBODY {
            let seat = self.ring.first;
            let flow = &mut self.flows[seat as usize];
            if !flow.has_quantum {
                flow.has_quantum = true;
                flow.deficit += flow.quantum;
            }
            if flow.deficit >= flow.bytes as u64 {
                return Choice::Leg(seat);
            }
            flow.has_quantum = false;
            self.ring.remove(&mut self.flows, seat);
            self.ring.push(&mut self.flows, seat);
            passed += 1;
            if passed == self.ring.len {
                passed = 0;
                self.skip_rounds();
            }
        }
        let first = self.datagrams.first();
        first.map_or(Choice::Nothing, |(seat, _)| Choice::Leg(seat))
    }

    #[inline]
    fn on_start(&mut self, _port: &Port, seat: u32, unit: Packet) {
        let flow = &mut self.flows[seat as usize];
        // Datagrams have no deficit.
        flow.deficit = flow.deficit.saturating_sub(unit.bytes as u64);
    }

    #[inline]
    fn has_ready(&self) -> bool {
        self.ready > 0 || !self.datagrams.is_empty()
    }
}
