//! The messages of a session.

/// A message of a session; as a number it is the value of the control unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Message {
    /// Forward: reserve at the next port.
    SetUp,
    /// Back: everything behind this leg has reserved.
    Acceptance,
    /// Back: something behind this leg could not, and all of it has given back what it had.
    Refusal,
    /// Forward: nothing follows.
    TearDown,
}

impl Message {
    /// The message of this value.
    pub fn of(value: u64) -> Message {
        match value {
            0 => Message::SetUp,
            1 => Message::Acceptance,
            2 => Message::Refusal,
            _ => Message::TearDown,
        }
    }

    /// It travels against the flow.
    pub fn goes_back(self) -> bool {
        matches!(self, Message::Acceptance | Message::Refusal)
    }
}
