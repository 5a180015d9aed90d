//! What units are.

/// What a unit is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitKind {
    /// Data; the value is its number in the flow.
    Data,
    /// A forward RM cell; it stands in the queue of its flow like data. The value is its number
    /// in the flow.
    ForwardRm,
    /// A backward RM cell, likewise.
    BackwardRm,
    /// A control unit: it belongs to a leg, and goes before what stands in queues.
    Control(ControlKind),
}

/// Which control unit. Those that a leg wants at one instant join their ports in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum ControlKind {
    /// Credit, from the receiver to the sender; the value is the credit.
    Credit,
    /// The leg's sender asks its receiver for credit.
    Request,
    /// The leg's sender states how many units it has sent; the value is its counter.
    Sync,
    /// A warning, on its way back to a source, that its flow runs too fast.
    Alarm,
    /// A session's message; the value is 0 for a set-up, 1 for its acceptance, 2 for its
    /// refusal, 3 for a tear-down.
    Session,
    /// An RM cell that a switch made for the source of its flow (BN = 1).
    Notice,
    /// A stop or a resume of a port, a class or a destination.
    Stop,
    /// Credit of several classes, from the port that frees to the port that sends.
    Update,
    /// What each of several classes has sent, from the port that sends.
    Statement,
}

impl UnitKind {
    /// As files call it.
    pub fn name(self) -> &'static str {
        match self {
            UnitKind::Data => "data",
            UnitKind::ForwardRm => "forward-rm",
            UnitKind::BackwardRm => "backward-rm",
            UnitKind::Control(ControlKind::Credit) => "credit",
            UnitKind::Control(ControlKind::Request) => "request",
            UnitKind::Control(ControlKind::Sync) => "sync",
            UnitKind::Control(ControlKind::Alarm) => "alarm",
            UnitKind::Control(ControlKind::Session) => "session",
            UnitKind::Control(ControlKind::Notice) => "notice",
            UnitKind::Control(ControlKind::Stop) => "stop",
            UnitKind::Control(ControlKind::Update) => "credit-update",
            UnitKind::Control(ControlKind::Statement) => "credit-statement",
        }
    }

    /// What it is, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            UnitKind::ForwardRm => "forward RM cell",
            UnitKind::BackwardRm => "backward RM cell",
            UnitKind::Control(ControlKind::Request) => "request for credit",
            UnitKind::Control(ControlKind::Sync) => "statement of a counter",
            UnitKind::Control(ControlKind::Update) => "update of credit",
            UnitKind::Control(ControlKind::Statement) => "statement of counters",
            UnitKind::Data | UnitKind::Control(_) => self.name(),
        }
    }

    /// It takes its turn in the queues of its flow, with a number of its own.
    #[inline]
    pub fn is_queued(self) -> bool {
        !matches!(self, UnitKind::Control(_))
    }

    /// Is it an RM cell in the queue of its flow?
    #[inline]
    pub fn is_rm(self) -> bool {
        matches!(self, UnitKind::ForwardRm | UnitKind::BackwardRm)
    }
}

impl ControlKind {
    /// What its receiver takes it for when its CRC fails: nothing it says is known but the way
    /// it goes.
    pub(crate) fn when_lost(self) -> ControlKind {
        match self {
            ControlKind::Alarm | ControlKind::Notice => ControlKind::Alarm,
            ControlKind::Credit
            | ControlKind::Request
            | ControlKind::Sync
            | ControlKind::Session
            | ControlKind::Stop
            | ControlKind::Update
            | ControlKind::Statement => ControlKind::Credit,
        }
    }

    /// A number that tells a control unit from others of its leg, for the trace hash.
    pub(crate) fn mark(self, value: u64) -> u64 {
        match self {
            ControlKind::Credit => value << 3 | 4,
            ControlKind::Request => value << 3 | 5,
            ControlKind::Sync => value << 3 | 6,
            ControlKind::Alarm => 7,
            ControlKind::Session => (value + 1) << 3 | 7,
            ControlKind::Notice | ControlKind::Stop => (value + 9) << 3 | 7,
            ControlKind::Update => value << 3 | 2,
            ControlKind::Statement => value << 3 | 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_kind_is_one_byte() {
        assert_eq!(size_of::<UnitKind>(), 1);
    }

    /// Hashes tell control units apart.
    #[test]
    fn marks_differ() {
        use ControlKind::*;
        let values = 0..4;
        let kinds = [Credit, Request, Sync, Session, Notice, Update, Statement];
        let mut marks: Vec<u64> = kinds
            .iter()
            .flat_map(|kind| values.clone().map(|value| kind.mark(value)))
            .collect();
        marks.push(Alarm.mark(0));
        let count = marks.len();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), count);
    }
}
