//! The receiving half: order, acknowledgements, CNPs.

use backwater_kernel::{Survey, Time};

use super::{PacketKind, RocePacket};
use crate::spec::{AckEvery, Notify, PairRecovery, RoceSpec};
use crate::tcp::Scoreboard;

/// State of the receiving half.
#[derive(Default)]
pub(super) struct Receiver {
    /// Next position expected.
    next: u64,
    /// Packets in order that no acknowledgement has told of.
    unacknowledged: u32,
    /// One of those that the next acknowledgement is for was marked.
    is_marked: bool,
    /// What goes next.
    due: Option<RocePacket>,
    /// It has said what is missing, which has not come since.
    has_refused: bool,
    /// Where order is kept: the first packet that the sender was told to go back to as its header
    /// came, which has not come since.
    back_to: Option<u64>,
    /// What came out of order and is kept.
    kept: Scoreboard,
    notifications: Notifications,
}

/// When CNPs are due.
#[derive(Default)]
struct Notifications {
    /// Of the first packet.
    first: Option<Time>,
    last: Option<Time>,
    due_at: Option<Time>,
}

impl Notifications {
    /// A packet came in.
    fn on_packet(&mut self, now: Time, notify: Option<Notify>, is_marked: bool) {
        let first = *self.first.get_or_insert(now);
        if !is_marked || self.due_at.is_some() {
            return;
        }
        match notify {
            None | Some(Notify::Echo) => {}
            Some(Notify::Window(span)) => {
                if self.last.is_none_or(|last| now.since(last) >= span) {
                    self.due_at = Some(now);
                }
            }
            Some(Notify::Tick(span)) => {
                let ticks = now.since(first).ps() / span.ps().max(1) + 1;
                let after = span.checked_mul(ticks);
                self.due_at = after.and_then(|after| first.checked_add(after));
            }
        }
    }
}

impl Receiver {
    /// The position expected.
    #[inline]
    pub fn expected(&self) -> u64 {
        self.next
    }

    /// Bytes that came and wait for what is missing before them.
    #[inline]
    pub fn held_bytes(&self) -> u64 {
        self.kept.bytes()
    }

    /// All that it keeps, for a run that repeats itself.
    pub fn survey_receiver(&mut self, survey: &mut Survey, spec: &RoceSpec) {
        let Receiver {
            next,
            unacknowledged,
            is_marked,
            due,
            has_refused,
            back_to,
            kept,
            notifications,
        } = self;
        survey.position(next);
        survey.fixed(u64::from(*unacknowledged));
        survey.flag(*is_marked);
        if due.is_some() {
            survey.rule_out("an acknowledgement that waits");
        }
        survey.flag(*has_refused);
        survey.flag(back_to.is_some());
        back_to.iter_mut().for_each(|at| survey.position(at));
        kept.survey_scoreboard(survey);
        let Notifications {
            first,
            last,
            due_at,
        } = notifications;
        survey.instant_if(due_at);
        match spec.notify {
            None | Some(Notify::Echo) => {}
            Some(Notify::Window(_)) => survey.instant_if(last),
            Some(Notify::Tick(_)) => {
                survey.instant_if(first);
                survey.rule_out("notifications at ticks");
            }
        }
    }

    /// When a CNP is due.
    #[inline]
    pub fn timer(&self) -> Time {
        self.notifications.due_at.unwrap_or(Time::MAX)
    }

    /// The CNP that is due by now.
    #[inline]
    pub fn take_notification(&mut self, now: Time) -> Option<RocePacket> {
        self.notifications.due_at.filter(|at| *at <= now)?;
        self.notifications.due_at = None;
        self.notifications.last = Some(now);
        Some(RocePacket {
            kind: PacketKind::Notification,
            seq: self.next,
            ..RocePacket::default()
        })
    }

    /// The acknowledgement that is due.
    #[inline]
    pub fn take_ack(&mut self) -> Option<RocePacket> {
        self.due.take()
    }

    /// Data came in; whether any of it is new.
    pub fn on_data(
        &mut self,
        now: Time,
        spec: &RoceSpec,
        packet: &RocePacket,
        is_marked: bool,
    ) -> bool {
        self.notifications.on_packet(now, spec.notify, is_marked);
        self.is_marked |= is_marked;
        let end = packet.seq + u64::from(packet.bytes);
        if end <= self.next {
            self.acknowledge(PacketKind::Ack, packet);
            return false;
        }
        if packet.seq > self.next {
            return self.on_gap(spec, packet, end);
        }
        self.next = self.kept.skip(end);
        let has_filled = self.next > end;
        self.kept.forget_below(self.next);
        self.has_refused = false;
        self.back_to = self.back_to.filter(|at| *at >= self.next);
        self.unacknowledged += 1;
        let is_full = match spec.acks {
            AckEvery::Packets(packets) => self.unacknowledged >= packets,
            AckEvery::Message => false,
        };
        // A mark is told at once where that is the mark of one packet.
        let tells_mark = self.is_marked && spec.recovery == PairRecovery::AnyOrder;
        if is_full || packet.flag || has_filled || tells_mark {
            self.acknowledge(PacketKind::Ack, packet);
        }
        true
    }

    /// Of data only the header came: the sender hears of it at once, each time. Where order is
    /// kept, only of the first such: all behind it goes again with it.
    pub fn on_trimmed(&mut self, now: Time, spec: &RoceSpec, packet: &RocePacket, is_marked: bool) {
        self.notifications.on_packet(now, spec.notify, is_marked);
        self.is_marked |= is_marked;
        let has_it = packet.seq < self.next || self.kept.skip(packet.seq) > packet.seq;
        match spec.recovery {
            _ if has_it => self.acknowledge(PacketKind::Ack, packet),
            PairRecovery::GoBackN if self.back_to.is_some_and(|at| at < packet.seq) => {}
            PairRecovery::GoBackN => {
                self.back_to = Some(packet.seq);
                self.acknowledge(PacketKind::Trimmed, packet);
            }
            PairRecovery::Selective | PairRecovery::AnyOrder => {
                self.acknowledge(PacketKind::Trimmed, packet);
            }
        }
    }

    /// Something before it is missing.
    fn on_gap(&mut self, spec: &RoceSpec, packet: &RocePacket, end: u64) -> bool {
        let is_new = match spec.recovery {
            PairRecovery::GoBackN if self.has_refused || self.back_to == Some(self.next) => {
                return false;
            }
            PairRecovery::GoBackN => false,
            PairRecovery::Selective | PairRecovery::AnyOrder => self.kept.insert(packet.seq, end),
        };
        self.has_refused = true;
        self.acknowledge(PacketKind::Nack, packet);
        is_new
    }

    /// An acknowledgement goes, for this packet at last.
    fn acknowledge(&mut self, kind: PacketKind, packet: &RocePacket) {
        self.due = Some(RocePacket {
            kind,
            seq: self.next,
            other: packet.seq,
            bytes: packet.bytes,
            flag: core::mem::take(&mut self.is_marked),
            is_again: false,
            has_telemetry: packet.has_telemetry,
            is_trimmed: false,
        });
        self.unacknowledged = 0;
    }
}
