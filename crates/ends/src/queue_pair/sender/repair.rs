//! What is missing at the receiver: how the sender hears of it, and what goes again.

use backwater_kernel::{Duration, Time};

use super::{Sender, Started};
use crate::control::hooks::{Control, Loss};
use crate::queue_pair::{PacketKind, RocePacket};
use crate::spec::{PairRecovery, RoceSpec};

impl Sender {
    /// Any order: what has arrived, as an acknowledgement says; bytes of which nobody knew.
    pub(super) fn take_in(&mut self, packet: &RocePacket) -> u64 {
        let before = self.arrived.bytes();
        let end = packet.other + u64::from(packet.bytes);
        if packet.kind == PacketKind::Nack && packet.other >= self.una && end <= self.max {
            self.arrived.insert(packet.other, end);
        }
        let named = self.arrived.bytes() - before;
        let in_order = packet.seq.saturating_sub(self.una);
        named + in_order - self.arrived.bytes_below(packet.seq)
    }

    /// What the very packet took that an acknowledgement is for, and forgets all that is
    /// acknowledged.
    pub fn round_trip(
        &mut self,
        now: Time,
        spec: &RoceSpec,
        packet: &RocePacket,
    ) -> Option<Duration> {
        let end = packet.other + u64::from(packet.bytes);
        let place = self.started.partition_point(|it| it.end < end);
        let its = self.started.get(place).copied();
        let acknowledged = self.started.partition_point(|it| it.end <= packet.seq);
        self.started.drain(..acknowledged);
        let is_its = |it: &Started| {
            // After a time-out it may be the first one that came after all.
            let is_sure = spec.recovery != PairRecovery::AnyOrder || !it.is_again;
            it.end == end && is_sure
        };
        // A header went before others: it says nothing of how long these take.
        let its = its.filter(|it| packet.kind != PacketKind::Trimmed && is_its(it));
        its.map(|it| now.since(it.at))
    }

    /// Something is missing at the receiver, which has said so; whether that is news.
    pub fn on_refusal(&mut self, now: Time, spec: &RoceSpec, packet: &RocePacket) -> bool {
        let flight = self.flight(spec);
        let loss = match packet.kind {
            PacketKind::Trimmed => Loss::Trimmed {
                bytes: packet.bytes,
            },
            _ => Loss::Duplicates,
        };
        let is_news = match (packet.kind, spec.recovery) {
            (PacketKind::Trimmed, PairRecovery::GoBackN) => self.go_back(packet.other),
            (PacketKind::Trimmed, PairRecovery::Selective) => {
                let is_news = self.on_trimmed(packet);
                if is_news {
                    let end = packet.other + u64::from(packet.bytes);
                    self.told.insert(packet.other, end);
                }
                is_news
            }
            (PacketKind::Trimmed, PairRecovery::AnyOrder) => {
                let is_news = self.on_trimmed(packet);
                if is_news {
                    self.forget_start(packet.other + u64::from(packet.bytes));
                }
                is_news
            }
            _ => self.on_nack(spec, packet),
        };
        if is_news {
            self.control.on_loss(now, loss, flight);
            self.rescale();
        }
        is_news
    }

    /// A packet was trimmed: it goes again, before all that is new.
    fn on_trimmed(&mut self, packet: &RocePacket) -> bool {
        let end = packet.other + u64::from(packet.bytes);
        let is_known = packet.other < self.una
            || end > self.max
            || self.arrived.skip(packet.other) > packet.other
            || self.trimmed.contains(&packet.other);
        if !is_known {
            self.trimmed.push_back(packet.other);
        }
        !is_known
    }

    /// Of the packet that ends there nothing is under way: what goes for it is its first.
    fn forget_start(&mut self, end: u64) {
        let place = self.started.partition_point(|it| it.end < end);
        if self.started.get(place).is_some_and(|it| it.end == end) {
            self.started.remove(place);
        }
    }

    /// Sends from here again; whether it was past that.
    fn go_back(&mut self, to: u64) -> bool {
        let is_past = (self.una..self.next).contains(&to);
        if is_past {
            self.next = to;
            self.started.clear();
        }
        is_past
    }

    /// Something else came in place of what is missing.
    fn on_nack(&mut self, spec: &RoceSpec, packet: &RocePacket) -> bool {
        let end = packet.other + u64::from(packet.bytes);
        match spec.recovery {
            // It only names what came.
            PairRecovery::AnyOrder => false,
            PairRecovery::GoBackN => self.go_back(packet.seq),
            PairRecovery::Selective => {
                if packet.other >= self.una && end <= self.max {
                    self.arrived.insert(packet.other, end);
                }
                // All that is missing before it goes again as it is.
                if !self.told.is_empty() && self.next_hole(self.una) >= packet.other {
                    return false;
                }
                let is_news = self.una >= self.repair_to;
                if is_news {
                    self.hole = self.una;
                }
                self.repair_to = self.repair_to.max(packet.other);
                is_news
            }
        }
    }

    /// Any order: where that ends which went a time-out ago, at least one packet.
    fn overdue_to(&self, now: Time, spec: &RoceSpec) -> u64 {
        let is_overdue = |it: &&Started| now.since(it.at) >= spec.timeout;
        let overdue = self.started.iter().take_while(is_overdue).last();
        let first = self.started.front();
        overdue.or(first).map_or(self.max, |it| it.end)
    }

    /// From a position on, the first of which nothing is known: it has neither arrived, nor does
    /// its sender know that it goes again.
    pub(super) fn next_hole(&self, from: u64) -> u64 {
        let mut at = from;
        loop {
            let known = self.told.skip(self.arrived.skip(at));
            if known == at {
                return at;
            }
            at = known;
        }
    }

    /// An instant that [`Sender::timer`] named has come; whether that was a time-out.
    pub fn on_timer(&mut self, now: Time, spec: &RoceSpec) -> bool {
        self.settle(now);
        self.touched = now;
        if now < self.time_out_at {
            return false;
        }
        let flight = self.flight(spec);
        self.time_out_at = now + spec.timeout;
        match spec.recovery {
            PairRecovery::GoBackN => {
                self.next = self.una;
                self.started.clear();
            }
            PairRecovery::Selective => {
                self.hole = self.una;
                self.repair_to = self.max;
                // A header, or what went again for it, may be lost.
                self.trimmed.clear();
                self.told.clear();
            }
            PairRecovery::AnyOrder => {
                self.hole = self.una;
                self.repair_to = self.overdue_to(now, spec);
                self.trimmed.retain(|at| *at >= self.repair_to);
            }
        }
        self.control
            .on_loss(now, Loss::TimeOut { is_repeated: false }, flight);
        self.rescale();
        true
    }
}
