//! Who waits for whom at the end of a run: circuits that can't move, and why.
//!
//! Units wait in two kinds of places: at the sender's end of a leg that has no credit, and at a
//! source whose window is full. Either waits for something:
//!
//! | who | waits for | when |
//! |---|---|---|
//! | leg | legs behind it, of the same flow | they don't send on what the receiver's buffer holds |
//! | leg | the sink | the destination doesn't take what its buffer holds |
//! | leg | credit | the buffer is empty: a control unit that told so was lost, or data was |
//! | source | legs of its flow or of the one that answers | units or acknowledgements wait there |
//! | source | an acknowledgement | it was lost, or its unit was |
//!
//! **No circles.** Every arrow above leads from a source to a leg, or from a leg to a leg further
//! down the tree of the same flow. None leads from a leg to a source, nor to a leg of another flow,
//! so whoever follows them gets to an end: a sink, or something lost. What could close a circle
//! elsewhere can't here:
//!
//! - buffers are a circuit's own: a full one blocks no other circuit. Pools are shared, but they
//!   refuse and never hold back, and no leg with credit ends at one;
//! - a port serves another leg when one has no credit: nothing waits behind another circuit's unit;
//! - credit units need no buffer, and go before data: they always arrive or are lost;
//! - acknowledgements pass by source control of the flow that carries them: they never wait for a
//!   window, only for credit along their own way.
//!
//! So what a pool refuses shows up at the end of such a chain: as a loss under a window.
//!
//! A run is stuck when no event is left. If others go on, a leg is dead if none of its units has
//! started for the last tenth of the run, or for 10 control loops if that is longer, while its
//! first unit waited all that time and there is no credit now; unless what it has sent before still
//! leaves the receiver's buffer, from where credit will come. (A request or a refresh may still
//! wake it up, and a sink may take again after the end.) Nothing is noted while the run goes on,
//! but the number of starts of each leg at the beginning of that time.
//!
//! Not looked for: a closed-loop client whose request or response was lost. It asks no more, but
//! nothing waits. Units that wait because others go first: the port may serve them any time.

use alloc::vec::Vec;

use backwater_ends::control::Control;
use backwater_kernel::{EventQueue, Stop, Time};

use crate::network::Network;
use crate::outcome::{MissingCredit, Reason, Standstill, Wait, WaitPlace};
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::simulation::mark::Mark;

/// Who waits, as it is seen where they wait. What parts of a run see adds up.
pub(crate) struct Seen {
    /// Nothing has happened since, or what waits has waited since.
    since: Time,
    /// The run goes on: what waits is told from what was marked.
    is_marked: bool,
    others_move: bool,
    legs: Vec<SeenLeg>,
    flows: Vec<SeenFlow>,
}

/// A leg as its two ends see it.
#[derive(Clone, Default)]
struct SeenLeg {
    waiting: u32,
    /// Nothing has started for long, and there is no credit.
    is_still: bool,
    /// Units have left the receiver's buffer since, and more are there.
    is_draining: bool,
    since: Option<Time>,
    credits_lost: u32,
    last_lost: Time,
    stored: u32,
    data_lost: u64,
    untold: u32,
}

/// A flow as its source sees it, and what was lost of it.
#[derive(Clone, Default)]
struct SeenFlow {
    /// Units unacknowledged, and units that wait for it, if a window has been full all the time.
    closed: Option<(u32, u64)>,
    lost: u64,
}

impl SeenLeg {
    fn is_dead(&self) -> bool {
        self.is_still && !self.is_draining
    }
}

impl Seen {
    /// Adds what another part saw: of each thing, one has seen more than nothing.
    pub fn join(&mut self, other: Seen) {
        self.since = self.since.max(other.since);
        self.others_move |= other.others_move;
        for (own, leg) in self.legs.iter_mut().zip(other.legs) {
            own.waiting += leg.waiting;
            own.is_still |= leg.is_still;
            own.is_draining |= leg.is_draining;
            own.since = own.since.or(leg.since);
            own.credits_lost += leg.credits_lost;
            own.last_lost = own.last_lost.max(leg.last_lost);
            own.stored += leg.stored;
            own.data_lost += leg.data_lost;
            own.untold += leg.untold;
        }
        for (own, flow) in self.flows.iter_mut().zip(other.flows) {
            own.closed = own.closed.or(flow.closed);
            own.lost += flow.lost;
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What is seen of who waits, at the end of a run that ended so; `None` if nobody asks.
    pub(crate) fn see(&self, stop: Stop) -> Option<Seen> {
        let (mark, since) = match (stop, self.mark.at) {
            (Stop::Standstill, _) => (None, self.last_start),
            (Stop::TimeReached, Some(at)) if self.mark.is_set => (Some(&self.mark), at),
            _ => return None,
        };
        let network = &self.network;
        let legs = 0..network.legs.len() as u32;
        let flows = 0..network.flows.len();
        Some(Seen {
            since,
            is_marked: mark.is_some(),
            others_move: mark.is_some_and(|mark| mark.sees_motion(network)),
            legs: legs.map(|leg| network.see_leg(leg, mark)).collect(),
            flows: flows.map(|flow| network.see_flow(flow, mark)).collect(),
        })
    }
}

impl Network {
    /// What can't move at the end of a run, of what was seen of it.
    pub(crate) fn standstill(&self, seen: &Seen, found_at: Time) -> Option<Standstill> {
        let waits = self.waits(seen);
        if seen.is_marked && waits.is_empty() {
            return None;
        }
        let known = || -> Option<Vec<Time>> { waits.iter().map(|wait| wait.since).collect() };
        let last = match seen.is_marked {
            true => known().and_then(|known| known.into_iter().max()),
            false => None,
        };
        Some(Standstill {
            since: last.unwrap_or(seen.since),
            found_at,
            is_circle: false,
            others_move: seen.others_move,
            waits,
        })
    }

    /// A source has units to send, and its window is full.
    pub(crate) fn has_closed_window(&self) -> bool {
        (0..self.flows.len()).any(|flow| self.closed_window(flow).is_some())
    }

    /// Units unacknowledged, and units that wait for it, if a window of the source is full.
    fn closed_window(&self, flow_id: usize) -> Option<(u32, u64)> {
        let flow = &self.flows[flow_id];
        let unacknowledged = flow.control.awaits_ack()?;
        let held = flow.shaping.as_ref().map_or(0, |shaping| shaping.held());
        let units = flow.backlog.saturating_add(held);
        (units > 0).then_some((unacknowledged, units))
    }

    fn see_flow(&self, flow_id: usize, mark: Option<&Mark>) -> SeenFlow {
        let flow = &self.flows[flow_id];
        let is_still = mark.is_none_or(|mark| mark.numbers[flow_id] == flow.next_number);
        SeenFlow {
            closed: self.closed_window(flow_id).filter(|_| is_still),
            lost: flow.counts.lost,
        }
    }

    fn see_leg(&self, leg_id: u32, mark: Option<&Mark>) -> SeenLeg {
        let leg = &self.legs[leg_id as usize];
        let (sender, receiver) = (&leg.sender, &leg.receiver);
        let counts = &self.counts[leg_id as usize];
        let link = self.credits.get(sender.control as usize);
        let is_still = self.is_still(leg_id, mark);
        SeenLeg {
            waiting: sender.queue.len,
            is_still,
            is_draining: mark.is_some_and(|mark| self.is_draining(leg_id, mark)),
            since: is_still.then(|| self.waits_since(leg_id)).flatten(),
            credits_lost: link.map_or(0, |link| link.credits_lost),
            last_lost: link.map_or(Time::ZERO, |link| link.last_lost),
            stored: receiver.fill.value(),
            data_lost: counts.lost + counts.dropped,
            untold: receiver.unreported,
        }
    }

    /// All that waits.
    fn waits(&self, seen: &Seen) -> Vec<Wait> {
        let windows = seen.flows.iter().enumerate().filter_map(|(flow, own)| {
            let (unacknowledged, units) = own.closed?;
            Some(Wait {
                flow: flow as u32,
                place: WaitPlace::Source,
                units,
                since: None,
                reason: self.why_closed(flow, unacknowledged, seen),
            })
        });
        let legs = (0..).zip(&seen.legs).filter(|(_, own)| own.is_dead());
        let legs = legs.map(|(leg, own)| Wait {
            flow: self.legs[leg as usize].sender.flow,
            place: WaitPlace::Leg(leg),
            units: own.waiting.into(),
            since: own.since,
            reason: self.why_blocked(leg, seen),
        });
        let mut waits: Vec<Wait> = windows.chain(legs).collect();
        // Legs stand in the order of flows already, and a sort keeps it: sources first.
        waits.sort_by_key(|wait| wait.flow);
        waits
    }

    /// Units have left the buffer behind a leg since, and more are there.
    fn is_draining(&self, leg_id: u32, mark: &Mark) -> bool {
        let leg = &self.legs[leg_id as usize];
        let flow = leg.sender.flow;
        let mut branches = 0..self.branches(flow, leg_id);
        leg.receiver.fill.value() > 0
            && branches.any(|index| {
                let next = self.branch(flow, leg_id, index) as usize;
                mark.sent[next] != self.legs[next].sender.sent
            })
    }

    fn is_still(&self, leg_id: u32, mark: Option<&Mark>) -> bool {
        let sender = &self.legs[leg_id as usize].sender;
        sender.is_blocked()
            && mark.is_none_or(|mark| {
                let first = self.units.get(sender.queue.head);
                mark.sent[leg_id as usize] == sender.sent
                    && mark.at.is_some_and(|at| first.arrived <= at)
            })
    }

    /// When the first unit of a blocked leg began to wait, with nothing started since.
    fn waits_since(&self, leg_id: u32) -> Option<Time> {
        let sender = &self.legs[leg_id as usize].sender;
        let came = self.units.get(sender.queue.head).arrived;
        let flow = &self.flows[sender.flow as usize];
        if sender.counts_starts {
            return Some(
                self.starts
                    .last(&sender.starts)
                    .map_or(came, |last| last.max(came)),
            );
        }
        // A pulled unit came when the one before it started.
        let is_pulled = sender.is_root() && flow.is_pulled && flow.roots == 1;
        (is_pulled || sender.sent == 0).then_some(came)
    }

    fn why_blocked(&self, leg_id: u32, seen: &Seen) -> Reason {
        let leg = &self.legs[leg_id as usize];
        let (flow, receiver) = (leg.sender.flow, &leg.receiver);
        let own = &seen.legs[leg_id as usize];
        let stored = own.stored;
        let branches = || {
            let count = 0..self.branches(flow, leg_id);
            count.map(|index| self.branch(flow, leg_id, index))
        };
        if !receiver.is_leaf() && stored > 0 {
            let is_dead = |leg: &u32| seen.legs[*leg as usize].is_dead();
            let waits = |leg: &u32| seen.legs[*leg as usize].waiting > 0;
            let still: Vec<u32> = branches().filter(is_dead).collect();
            let waiting = || branches().filter(waits).collect();
            let was_lost = own.credits_lost > 0 || own.data_lost > 0;
            if !still.is_empty() || !was_lost {
                let legs = if still.is_empty() { waiting() } else { still };
                return Reason::Buffer { stored, legs };
            }
        } else if stored > 0 {
            return Reason::Sink { stored };
        }
        Reason::Credit(MissingCredit {
            control_lost: own.credits_lost.into(),
            last_lost: (own.credits_lost > 0).then_some(own.last_lost),
            data_lost: own.data_lost,
            untold: own.untold,
            told_every: receiver.report_every,
        })
    }

    fn why_closed(&self, flow_id: usize, unacknowledged: u32, seen: &Seen) -> Reason {
        let partner = self.flows[flow_id].partner;
        let on_the_way = |leg: &u32| {
            let flow = self.legs[*leg as usize].sender.flow;
            let is_dead = seen.legs[*leg as usize].is_dead();
            is_dead && (flow == flow_id as u32 || flow == partner)
        };
        let lost = |flow: u32| seen.flows.get(flow as usize).map_or(0, |flow| flow.lost);
        Reason::Window {
            unacknowledged,
            legs: (0..self.legs.len() as u32).filter(on_the_way).collect(),
            units_lost: lost(flow_id as u32),
            answers_lost: lost(partner),
        }
    }
}
