//! What crosses channels, and what is to be sent over them.

use backwater_kernel::Time;

/// A unit between the start of its transmission and its effect.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub effective: Time,
    pub channel: usize,
    pub leg: usize,
    pub load: Load,
    pub is_lost: bool,
}

/// What a unit on its way carries.
#[derive(Clone, Copy)]
pub(crate) enum Load {
    Data(u64),
    Credit(i64),
    Ask(u64),
    State(u64),
    /// Of so many bytes; it says nothing, errors apart.
    Warning(u64, u64),
    Tell(Message),
}

/// A control unit of a leg that is to be sent.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    pub triggered: Time,
    /// By what ports chose in that instant.
    pub by_choices: bool,
    pub leg: usize,
    pub wish: Wish,
}

/// What a control unit is to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Credit; the value if it is bound at the trigger.
    Credit(i64),
    /// The sender asks for credit.
    Ask,
    /// The sender states how many units it has sent.
    State,
    /// A warning of so many bytes to the source.
    Warning(u64),
    /// A message of the flow's session.
    Tell(Message),
}

impl Wish {
    /// Its place among those of one leg, and among those of one kind.
    pub fn rank(self) -> (u8, u64) {
        match self {
            Wish::Credit(_) => (0, 0),
            Wish::Ask => (1, 0),
            Wish::State => (2, 0),
            Wish::Warning(bytes) => (3, bytes),
            Wish::Tell(message) => (4, message.number()),
        }
    }
}

/// What a node tells the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Message {
    SetUp,
    Acceptance,
    Refusal,
    TearDown,
}

impl Message {
    pub fn number(self) -> u64 {
        match self {
            Message::SetUp => 0,
            Message::Acceptance => 1,
            Message::Refusal => 2,
            Message::TearDown => 3,
        }
    }

    /// Towards the source?
    pub fn goes_back(self) -> bool {
        self == Message::Acceptance || self == Message::Refusal
    }
}
