//! From the application to the first port.

use backwater_kernel::Time;
use backwater_net::spec::{Excess, TrafficSpec};

use crate::envelope::{Fate, Gate};
use crate::network::{CircuitFlow, Network};
use crate::source;

impl CircuitFlow {
    /// When its application next has something to say, from `from` on.
    pub fn next_offer(&self, from: Time) -> Option<Time> {
        if !self.is_open {
            return None;
        }
        let clock = Time(from.ps().saturating_sub(self.stood_still_ps));
        let at = source::next_at_or_after(self, clock.max(self.not_before))?;
        Some(Time(at.ps() + self.stood_still_ps))
    }

    fn gates(&self) -> impl Iterator<Item = &Gate> {
        self.envelope.iter().chain(&self.policer)
    }

    /// The first instant from `now` on at which a greedy application may make a unit.
    pub fn may_make(&self, now: Time) -> Time {
        let conforms = self.gates().map(|gate| gate.conforms_at(now));
        let spaced = self.heed.conforms_at(now);
        conforms.max().unwrap_or(now).max(spaced)
    }

    /// When units that wait at gates conform.
    pub fn releases(&self, from: Time) -> Option<Time> {
        let gates = self.gates().filter_map(|gate| gate.next(from));
        gates.chain(self.heed.next(from)).min()
    }
}

impl Network {
    /// What sources do in an instant, flow after flow.
    pub fn inject(&mut self, now: Time) {
        for flow in 0..self.flows.len() {
            if let TrafficSpec::Greedy { start, .. } = self.flows[flow].traffic {
                if start <= now && self.flows[flow].is_open {
                    self.pull(flow, now);
                }
                continue;
            }
            if self.flows[flow].next_offer(now) == Some(now) {
                self.offer(flow, now);
            }
            self.release_units(flow, now);
        }
    }

    /// The application offers a unit, or stands still.
    fn offer(&mut self, index: usize, now: Time) {
        let flow = &mut self.flows[index];
        let clock = now.ps() - flow.stood_still_ps;
        if let Some(envelope) = &flow.envelope
            && envelope.excess == Excess::Freeze
        {
            let at = envelope.conforms_at(now);
            if at > now {
                flow.not_before = Time(clock);
                flow.stood_still_ps += at.ps() - now.ps();
                return;
            }
        }
        flow.not_before = Time(clock + 1);
        let bytes = flow.next_size.draw();
        let envelope = flow.envelope.as_mut();
        match envelope.map_or(Fate::Passes, |gate| gate.judge(now, bytes, None)) {
            Fate::Passes => self.hand_over(index, bytes, now),
            Fate::Waits | Fate::Lost => {}
        }
    }

    /// What waits at gates goes on.
    fn release_units(&mut self, flow: usize, now: Time) {
        while let Some(envelope) = &mut self.flows[flow].envelope {
            match envelope.release(now) {
                Some((bytes, _)) => self.hand_over(flow, bytes, now),
                None => break,
            }
        }
        while let Some(number) = self.flows[flow].release_spaced(now) {
            self.reach_policer(flow, number, now);
        }
        while let Some(policer) = &mut self.flows[flow].policer {
            match policer.release(now) {
                Some((_, Some(number))) => self.enter(flow, number, now),
                _ => break,
            }
        }
    }

    /// A unit has passed the envelope: it is numbered, and comes to the spacing.
    fn hand_over(&mut self, index: usize, bytes: u64, now: Time) {
        let flow = &mut self.flows[index];
        let number = flow.offered;
        flow.offered += 1;
        flow.sizes.push(bytes);
        if flow.pass_spacing(number, now) {
            self.reach_policer(index, number, now);
        }
    }

    /// A unit has passed the spacing, and comes to the policer.
    fn reach_policer(&mut self, index: usize, number: u64, now: Time) {
        let flow = &mut self.flows[index];
        let bytes = flow.sizes[number as usize];
        let policer = flow.policer.as_mut();
        let fate = policer.map_or(Fate::Passes, |gate| gate.judge(now, bytes, Some(number)));
        if fate == Fate::Passes {
            self.enter(index, number, now);
        }
    }

    /// A unit joins the queues of all first legs.
    fn enter(&mut self, flow: usize, number: u64, now: Time) {
        for root in self.flows[flow].roots.clone() {
            self.queue_up(root, number, now);
        }
    }

    /// An endless source hands over a unit as often as one of its first queues is empty and a unit
    /// conforms.
    pub fn pull(&mut self, flow: usize, now: Time) {
        let TrafficSpec::Greedy { total, .. } = self.flows[flow].traffic else {
            return;
        };
        while self.flows[flow].is_open
            && self.has_empty_root(flow)
            && self.flows[flow].may_make(now) == now
        {
            if total.is_some_and(|total| self.flows[flow].offered >= total) {
                return;
            }
            let bytes = self.flows[flow].next_size.draw();
            if let Some(envelope) = &mut self.flows[flow].envelope {
                envelope.pass(now, bytes);
            }
            self.hand_over(flow, bytes, now);
        }
    }

    /// When an endless source that is held makes its next unit.
    pub fn held_until(&self, index: usize, from: Time) -> Option<Time> {
        let flow = &self.flows[index];
        let TrafficSpec::Greedy { start, total } = flow.traffic else {
            return None;
        };
        let ended = total.is_some_and(|total| flow.offered >= total);
        let waits = start <= from && flow.is_open && self.has_empty_root(index) && !ended;
        waits.then(|| flow.may_make(from))
    }

    fn has_empty_root(&self, flow: usize) -> bool {
        let mut roots = self.flows[flow].roots.iter();
        roots.any(|root| self.legs[*root].queue.is_empty())
    }
}
