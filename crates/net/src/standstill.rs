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
//! first unit waited all that time and there is no credit now. (A request or a refresh may still
//! wake it up, and a sink may take again after the end.) Nothing is noted while the run goes on,
//! but the number of starts of each leg at the beginning of that time.
//!
//! Not looked for: a closed-loop client whose request or response was lost. It asks no more, but
//! nothing waits. Units that wait because others go first: the port may serve them any time.

pub(crate) mod mark;

use alloc::vec::Vec;

use backwater_ends::control::Control;
use backwater_kernel::{EventQueue, Stop, Time};

use crate::network::Network;
use crate::outcome::{MissingCredit, Reason, Standstill, Wait, WaitPlace};
use crate::probe::Probe;
use crate::simulation::Simulation;
use mark::Mark;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What can't move at the end of a run.
    pub(crate) fn standstill(&self, stop: Stop) -> Option<Standstill> {
        let (mark, since) = match (stop, self.mark.at) {
            (Stop::Standstill, _) => (None, self.last_start),
            (Stop::TimeReached, Some(at)) if self.mark.is_set => (Some(&self.mark), at),
            _ => return None,
        };
        let waits = self.network.waits(mark.map(|mark| (mark, since)));
        if mark.is_some() && waits.is_empty() {
            return None;
        }
        let since = match mark {
            None => since,
            Some(_) => {
                let known: Option<Vec<Time>> = waits.iter().map(|wait| wait.since).collect();
                known
                    .and_then(|known| known.into_iter().max())
                    .unwrap_or(since)
            }
        };
        Some(Standstill {
            since,
            found_at: self.now,
            is_circle: false,
            others_move: mark.is_some_and(|mark| mark.sees_motion(&self.network)),
            waits,
        })
    }
}

impl Network {
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

    /// All that waits; where a mark is given, all that has since then.
    fn waits(&self, mark: Option<(&Mark, Time)>) -> Vec<Wait> {
        let legs = 0..self.legs.len() as u32;
        let dead: Vec<bool> = legs.clone().map(|leg| self.is_dead(leg, mark)).collect();
        let windows = (0..self.flows.len()).filter_map(|flow| {
            let is_still =
                |(mark, _): (&Mark, _)| mark.numbers[flow] == self.flows[flow].next_number;
            let (unacknowledged, units) = self.closed_window(flow)?;
            mark.is_none_or(is_still).then(|| Wait {
                flow: flow as u32,
                place: WaitPlace::Source,
                units,
                since: None,
                reason: self.why_closed(flow, unacknowledged, &dead),
            })
        });
        let legs = legs.filter(|&leg| dead[leg as usize]).map(|leg| Wait {
            flow: self.legs[leg as usize].sender.flow,
            place: WaitPlace::Leg(leg),
            units: self.legs[leg as usize].sender.queue.len.into(),
            since: self.waits_since(leg),
            reason: self.why_blocked(leg, &dead),
        });
        let mut waits: Vec<Wait> = windows.chain(legs).collect();
        // Legs stand in the order of flows already, and a sort keeps it: sources first.
        waits.sort_by_key(|wait| wait.flow);
        waits
    }

    fn is_dead(&self, leg_id: u32, mark: Option<(&Mark, Time)>) -> bool {
        let sender = &self.legs[leg_id as usize].sender;
        sender.is_blocked()
            && mark.is_none_or(|(mark, at)| {
                let first = self.units.get(sender.queue.head);
                mark.sent[leg_id as usize] == sender.sent && first.arrived <= at
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

    fn why_blocked(&self, leg_id: u32, dead: &[bool]) -> Reason {
        let leg = &self.legs[leg_id as usize];
        let (sender, receiver) = (&leg.sender, &leg.receiver);
        let (counts, stored) = (&self.counts[leg_id as usize], receiver.fill.value());
        let branches = || {
            let count = 0..self.branches(sender.flow, leg_id);
            count.map(|index| self.branch(sender.flow, leg_id, index))
        };
        if !receiver.is_leaf() && stored > 0 {
            let waits = |leg: &u32| self.legs[*leg as usize].sender.queue.len > 0;
            let still: Vec<u32> = branches().filter(|&leg| dead[leg as usize]).collect();
            let waiting = || branches().filter(waits).collect();
            let link = self.credits.get(sender.control as usize);
            let was_lost =
                link.is_some_and(|link| link.credits_lost > 0) || counts.lost + counts.dropped > 0;
            if !still.is_empty() || !was_lost {
                let legs = if still.is_empty() { waiting() } else { still };
                return Reason::Buffer { stored, legs };
            }
        } else if stored > 0 {
            return Reason::Sink { stored };
        }
        let link = self.credits.get(sender.control as usize);
        let control_lost = link.map_or(0, |link| link.credits_lost.into());
        Reason::Credit(MissingCredit {
            control_lost,
            last_lost: link.filter(|_| control_lost > 0).map(|link| link.last_lost),
            data_lost: counts.lost + counts.dropped,
            untold: receiver.unreported,
            told_every: receiver.report_every,
        })
    }

    fn why_closed(&self, flow_id: usize, unacknowledged: u32, dead: &[bool]) -> Reason {
        let partner = self.flows[flow_id].partner;
        let on_the_way = |leg: &u32| {
            let flow = self.legs[*leg as usize].sender.flow;
            dead[*leg as usize] && (flow == flow_id as u32 || flow == partner)
        };
        let lost = |flow: u32| {
            self.flows
                .get(flow as usize)
                .map_or(0, |flow| flow.counts.lost)
        };
        Reason::Window {
            unacknowledged,
            legs: (0..self.legs.len() as u32).filter(on_the_way).collect(),
            units_lost: lost(flow_id as u32),
            answers_lost: lost(partner),
        }
    }
}
