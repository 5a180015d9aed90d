//! Bursts of an application, as section 7.2 of Kalyanaraman et al. 1998 measures them: from the
//! first cells offered while none waited until the last has left the source.

use alloc::vec::Vec;

use backwater_kernel::{Rate, Time};

use super::Counts;
use super::outcome::{AbrOutcome, BurstOutcome};

/// Bursts of one source.
#[derive(Default)]
pub(super) struct Bursts {
    all: Vec<BurstOutcome>,
    open: Option<Open>,
}

/// A burst under way, and the counts at its beginning.
struct Open {
    burst: BurstOutcome,
    sent_data: u64,
    in_rate: u64,
    reductions: u64,
}

impl Open {
    fn now(&self, counts: &Counts) -> BurstOutcome {
        BurstOutcome {
            in_rate_cells: counts.in_rate - self.in_rate,
            reductions: counts.reductions - self.reductions,
            ..self.burst
        }
    }
}

impl Bursts {
    /// The application offers `cells`; `counts` as they are.
    pub(super) fn offer(&mut self, now: Time, cells: u64, counts: &Counts) {
        if cells == 0 || self.all.len() >= AbrOutcome::BURSTS_KEPT {
            return;
        }
        let open = self.open.get_or_insert(Open {
            burst: BurstOutcome {
                arrived: now,
                sent: None,
                data_cells: 0,
                in_rate_cells: 0,
                first_acr: Rate(0),
                reductions: 0,
            },
            sent_data: 0,
            in_rate: counts.in_rate,
            reductions: counts.reductions,
        });
        open.burst.data_cells += cells;
    }

    /// A data cell has left, counted already; `is_last`: none waits.
    #[inline]
    pub(super) fn on_sent(&mut self, now: Time, acr: Rate, is_last: bool, counts: &Counts) {
        let Some(open) = &mut self.open else {
            return;
        };
        open.sent_data += 1;
        if open.sent_data == 1 {
            open.burst.first_acr = acr;
        }
        if is_last {
            let burst = open.now(counts);
            let sent = Some(now);
            self.all.push(BurstOutcome { sent, ..burst });
            self.open = None;
        }
    }

    /// All so far, the one under way last.
    pub(super) fn outcome(&self, counts: &Counts) -> Vec<BurstOutcome> {
        let open = self.open.as_ref().map(|open| open.now(counts));
        self.all.iter().copied().chain(open).collect()
    }
}
