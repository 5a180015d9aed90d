//! What a part of a run keeps of the other parts: whose nodes are whose, and what is sent there.

use alloc::vec::Vec;

use backwater_ends::stations::News;
use backwater_kernel::Time;

use crate::classes::stuck::Look;
use crate::hop::frame::PackedFrame;
use crate::hop::unit::Unit;

/// What a part of a run keeps beside its network.
pub(crate) struct Border {
    /// By node: its part.
    pub owners: Vec<u8>,
    pub own: u8,
    /// By part.
    pub mails: Vec<Mail>,
    /// What was stuck when that was looked for last.
    pub look: Option<Look>,
    /// The run goes on although nothing is left here.
    pub is_kept_awake: bool,
    /// It can end because nothing is left anywhere.
    pub may_drain: bool,
    /// Nothing is left here since, with so many units started.
    pub drained: Option<(Time, u64)>,
}

impl Border {
    /// Something was sent to another part in this window.
    pub fn has_letters(&self) -> bool {
        self.mails.iter().any(|mail| !mail.letters.is_empty())
    }
}

/// A unit that started on a channel into another part.
pub(crate) struct Letter {
    pub channel: u32,
    pub unit: Unit,
    pub content: PackedFrame,
}

/// Letters to one part, in the order in which they were written, and news of flows.
#[derive(Default)]
pub(crate) struct Mail {
    pub letters: Vec<Letter>,
    pub news: Vec<Told>,
    /// When the first of the letters takes effect.
    pub first: Option<Time>,
}

impl Mail {
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty() && self.news.is_empty()
    }
}

/// News of a flow's end.
pub(crate) type Told = (u32, News);
