//! Flows, whatever the file they came from.

/// Flows one by one.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Flows {
    /// In the order of the file.
    pub entries: Vec<ListedFlow>,
    /// How many hosts the file says there are.
    pub hosts: Option<u32>,
    /// What the file says and this does not, in words.
    pub left_out: Vec<String>,
    /// What looks wrong and was read all the same: the line, what is there, what was done.
    pub doubts: Vec<(u32, String, String)>,
}

/// A flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFlow {
    /// Where it stands.
    pub line: u32,
    /// Number of the host that sends.
    pub source: u32,
    /// Number of the host that receives.
    pub destination: u32,
    /// Its priority group, if it has one.
    pub class: Option<u32>,
    /// Payload.
    pub bytes: u64,
    /// When it begins; where it waits for others, not before.
    pub start_ps: u64,
    /// What the file calls it, if it does.
    pub id: Option<u64>,
    /// It begins when all of these have happened.
    pub after: Vec<Wait>,
}

/// What a flow waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Another, by its place.
    pub flow: u32,
    /// What is to happen to it.
    pub what: Happened,
}

/// What may happen to a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happened {
    /// Its source has sent it.
    Sent,
    /// Its destination has all of it.
    Received,
}

/// What starts are counted in, where a form leaves that open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartUnit {
    /// Picoseconds.
    Ps,
    /// Microseconds.
    Us,
}

impl StartUnit {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ps => "ps",
            Self::Us => "us",
        }
    }

    /// Picoseconds in one.
    pub(crate) const fn ps(self) -> u128 {
        match self {
            Self::Ps => 1,
            Self::Us => 1_000_000,
        }
    }
}
