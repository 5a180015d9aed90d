//! Spurious repairs are undone: when every segment that went again came twice, nothing was lost.
//!
//! RFC 2883 (blocks that say what came twice), RFC 3708; the counting is that of Linux, which
//! forgets which segment it was. `sender/by_time` also undoes at once where the echo of a timestamp
//! says that a segment came as it first went (Eifel, RFC 3522 and 4015). Not modelled: a time-out
//! sooner known to be spurious (F-RTO, RFC 5682).

/// What the window was before a repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Before {
    /// cwnd, bytes.
    pub(crate) window: u64,
    /// ssthresh, bytes.
    pub(crate) threshold: u64,
}

/// A repair that may turn out to be spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    before: Before,
    /// It began here.
    from: u64,
    /// Segments that went again and are not known to have come twice.
    again: u32,
    has_sent: bool,
}

impl Undo {
    /// A repair begins at `from`.
    pub(crate) fn new(before: Before, from: u64) -> Undo {
        Undo {
            before,
            from,
            again: 0,
            has_sent: false,
        }
    }

    /// The window as it was before.
    pub(crate) fn before(&self) -> Before {
        self.before
    }

    /// A segment goes again.
    pub(crate) fn sent_again(&mut self) {
        self.again = self.again.saturating_add(1);
        self.has_sent = true;
    }

    /// What ends at `end` came twice; whether all that went again has by now.
    pub(crate) fn on_twice(&mut self, end: u64) -> bool {
        if end > self.from {
            self.again = self.again.saturating_sub(1);
        }
        self.has_sent && self.again == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_went_again_must_have_come_twice() {
        let before = Before {
            window: 10,
            threshold: u64::MAX,
        };
        let mut undo = Undo::new(before, 1_000);
        assert!(!undo.on_twice(1_100), "nothing went again");
        undo.sent_again();
        undo.sent_again();
        assert!(!undo.on_twice(900), "an older one");
        assert!(!undo.on_twice(1_100));
        assert!(undo.on_twice(1_200));
    }
}
