//! What routing and the engine tell each other about a header.

/// No router: the packet has no stop on its way.
pub const NOWHERE: u32 = u32::MAX;
/// Most output ports a header may choose from.
pub const CHOICES_MAX: usize = 16;

/// What routing knows and remembers of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// Terminal it goes to.
    pub destination: u32,
    /// Router it goes to first, root of a tree it climbs towards, or [`NOWHERE`].
    pub via: u32,
    /// Routing's own notes: which order of dimensions, which half of a ring, which class.
    pub plan: u16,
    /// Group of lanes of its class.
    pub group: u8,
}

/// An output port and the lanes a header may take there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// Output port of the router; ejection ports follow those to other routers.
    pub port: u16,
    /// Allowed lanes, a bit each; never empty.
    pub lanes: u32,
}

/// Where a header may go. Among the first `equal` the one with the most free lanes is taken
/// (among equals the first); if none of them has a free lane the rest are tried in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The choices; only the first `len` count.
    pub list: [Choice; CHOICES_MAX],
    /// How many there are, at least 1 when routing returns.
    pub len: u8,
    /// How many of the first are equally good.
    pub equal: u8,
}

impl Choices {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.len = 0;
        self.equal = 0;
    }

    /// Adds one that is as good as those before it.
    pub fn add_equal(&mut self, choice: Choice) {
        self.add(choice);
        self.equal = self.len;
    }

    /// Adds one to fall back on.
    pub fn add(&mut self, choice: Choice) {
        if let Some(slot) = self.list.get_mut(self.len as usize) {
            *slot = choice;
            self.len += 1;
        }
    }

    /// Those that count.
    pub fn as_slice(&self) -> &[Choice] {
        &self.list[..self.len as usize]
    }
}
