//! The ends of flows: what applications offer, what sources hand over to their ports.

use super::Kind;
use super::network::{Happening, INJECT, Network};
use super::port::Cell;
use super::source::Outgoing;
use super::traffic::{Loop, Offer};

impl Network {
    /// When the source of a flow has something to do next, if nothing else happens. Entries that
    /// have become void do no harm.
    pub fn plan(&mut self, index: usize, now: u64) {
        let flow = &mut self.flows[index];
        let mut next: Vec<u64> = flow
            .offers
            .get(flow.offered)
            .map(|offer| offer.0)
            .into_iter()
            .collect();
        if let Some(source) = &mut flow.source {
            source.settle(now);
            next.extend(source.next_ps(now));
        }
        next.extend(flow.requests.as_ref().and_then(Loop::next_request));
        let partner = flow.partner.map(|partner| &self.flows[partner]);
        let server = partner.and_then(|partner| partner.requests.as_ref());
        next.extend(server.and_then(Loop::next_response));
        let Some(at) = next.into_iter().min() else {
            return;
        };
        let at = at.max(now);
        let from = (at, INJECT, index, 0);
        let to = (at, INJECT, index, u64::MAX);
        if self.events.range(from..=to).next().is_none() {
            self.enter(at, INJECT, index, Happening::Inject);
        }
    }

    /// A source takes what its application offers, and sends what it may.
    pub fn inject(&mut self, index: usize, now: u64) {
        let units = self.take_offers(index, now);
        let flow = &mut self.flows[index];
        let Some(source) = &mut flow.source else {
            if flow.is_pulled {
                flow.to_make = units;
                self.pull(index, now);
            } else {
                for _ in 0..units {
                    self.hand_over(index, plain(), now);
                }
            }
            return self.plan(index, now);
        };
        source.backlog = source.backlog.saturating_add(units);
        let before = source.acr;
        let cells = source.send(now);
        let acr = source.acr;
        for cell in cells {
            self.hand_over(index, cell, now);
        }
        if acr != before {
            self.note(index, acr, now);
        }
        self.plan(index, now);
    }

    /// Units that come to the source now.
    fn take_offers(&mut self, index: usize, now: u64) -> u64 {
        let mut units = 0_u64;
        let flow = &mut self.flows[index];
        while let Some((at, offer)) = flow.offers.get(flow.offered).copied() {
            if at > now {
                break;
            }
            flow.offered += 1;
            match (offer, &mut flow.source) {
                (Offer::Units(more), _) => units = units.saturating_add(more),
                (Offer::Limit(limit), Some(source)) => source.limit = limit,
                _ => {}
            }
        }
        if let Some(requests) = &mut flow.requests {
            units += requests.take_requests(now);
        }
        if let Some(partner) = self.flows[index].partner
            && let Some(requests) = &mut self.flows[partner].requests
        {
            units += requests.take_responses(now);
        }
        units
    }

    /// A plain endless source has one unit in its first queue.
    pub fn pull(&mut self, index: usize, now: u64) {
        let first = self.flows[index].path[0];
        let port = &self.channels[self.channel_of[first]].port;
        let mut queues = port.queues.iter();
        let is_empty = queues.any(|queue| queue.leg == first && queue.cells.is_empty());
        if is_empty && self.flows[index].to_make > 0 {
            self.flows[index].to_make -= 1;
            self.hand_over(index, plain(), now);
        }
    }

    fn hand_over(&mut self, index: usize, cell: Outgoing, now: u64) {
        let flow = &mut self.flows[index];
        let number = flow.next_number;
        flow.next_number += 1;
        let leg = flow.path[0];
        self.join(
            Cell {
                flow: index,
                number,
                kind: cell.kind,
                rm: cell.rm,
                efci: false,
                leg,
                joined_ps: now,
            },
            now,
        );
    }
}

/// A data unit.
fn plain() -> Outgoing {
    Outgoing {
        kind: Kind::Data,
        rm: None,
    }
}
