//! What one acknowledgement tells of.

use backwater_kernel::Time;

use crate::tcp::outstanding::Sent;

/// What one acknowledgement tells of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// Bytes that have arrived and were not known to.
    pub(super) bytes: u64,
    /// The oldest sending of those, and the latest, of what went once.
    pub(super) oldest: Option<Time>,
    pub(super) latest: Option<Time>,
    /// The first of them, if it went more than once.
    pub(super) again: Option<Sent>,
}

impl News {
    /// One of them.
    pub(super) fn take(&mut self, sent: &Sent) {
        if self.bytes == 0 && sent.is_again {
            self.again = Some(*sent);
        }
        self.bytes += u64::from(sent.bytes);
        if !sent.is_again {
            self.oldest = Some(self.oldest.map_or(sent.at, |at| at.min(sent.at)));
            self.latest = Some(self.latest.map_or(sent.at, |at| at.max(sent.at)));
        }
    }
}
