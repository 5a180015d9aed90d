//! What flows of about one size did that have no row.

use alloc::vec::Vec;
use core::cmp::Ordering;

use backwater_ends::stations::EndsSum;
use backwater_kernel::{Balance, Collected, Time};

use crate::outcome::{FlowOutcome, MembersOutcome};

/// A slowdown is counted in so many parts of 1.
const SLOWDOWN_PARTS: u128 = 1_000_000;
/// Slowdowns kept one by one.
const KEPT: usize = 4_096;

/// Flows of sizes between two of 1, 2, 5, 10, 20, 50 and so on.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    /// From here on, and below there.
    from: u64,
    below: u64,
    /// The sizes there are.
    least_bytes: u64,
    most_bytes: u64,
    flows: u64,
    pub ends: EndsSum,
    frames: Balance,
    bytes: Balance,
    /// Dropped after the warm-up.
    lost: u64,
    marked: u64,
    trimmed: u64,
    slowdown: Collected,
    /// Transfers that began and are not complete: when, and what each takes alone, ps; 0 if that
    /// is not known.
    open: Vec<(Time, u64)>,
    /// Those over connections, and those of which the last acknowledgement alone is missing: when
    /// they began.
    unacknowledged: Vec<Time>,
    /// How many the latter are.
    almost: u64,
}

/// What a flow did, beside what its stations know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// Payload.
    pub size: u64,
    /// It has ended, or the run has.
    pub frames: Balance,
    pub bytes: Balance,
    /// Dropped after the warm-up.
    pub lost: u64,
    pub marked: u64,
    pub trimmed: u64,
    /// When its transfer began, and what it took.
    pub transfer: (Option<Time>, Option<u64>),
    /// That was after the warm-up.
    pub is_measured: bool,
    /// Its last acknowledgement is missing; of datagrams none comes.
    pub is_unacknowledged: bool,
    /// What it takes alone, ps; 0 if that is not known.
    pub alone_ps: u64,
}

impl Bin {
    /// The one of this size, of those in order.
    pub fn of(bins: &mut Vec<Bin>, bytes: u64) -> &mut Bin {
        let at = match bins.binary_search_by(|bin| bin.against(bytes)) {
            Ok(at) => at,
            Err(at) => {
                bins.insert(at, Bin::around(bytes));
                at
            }
        };
        &mut bins[at]
    }

    /// That of this size, empty.
    fn around(bytes: u64) -> Bin {
        let (from, below) = bounds(bytes);
        Bin {
            from,
            below,
            least_bytes: u64::MAX,
            most_bytes: 0,
            flows: 0,
            ends: EndsSum::default(),
            frames: Balance::default(),
            bytes: Balance::default(),
            lost: 0,
            marked: 0,
            trimmed: 0,
            slowdown: Collected::new(KEPT),
            open: Vec::new(),
            unacknowledged: Vec::new(),
            almost: 0,
        }
    }

    /// Where it is, seen from a size.
    fn against(&self, bytes: u64) -> Ordering {
        match (self.below <= bytes, self.from > bytes) {
            (true, _) => Ordering::Less,
            (_, true) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }

    /// One more flow; its stations are counted in `ends`.
    pub fn add(&mut self, flow: &Ended) {
        self.flows += 1;
        self.least_bytes = self.least_bytes.min(flow.size);
        self.most_bytes = self.most_bytes.max(flow.size);
        self.frames = [self.frames, flow.frames].into_iter().sum();
        self.bytes = [self.bytes, flow.bytes].into_iter().sum();
        self.lost += flow.lost;
        self.marked += flow.marked;
        self.trimmed += flow.trimmed;
        let (began, took) = flow.transfer;
        match (began, took) {
            (Some(began), None) => self.open.push((began, flow.alone_ps)),
            (_, Some(took)) if flow.is_measured && flow.alone_ps > 0 => {
                let alone = u128::from(flow.alone_ps);
                let parts = (u128::from(took) * SLOWDOWN_PARTS + alone / 2) / alone;
                self.slowdown
                    .record(u64::try_from(parts).unwrap_or(u64::MAX));
            }
            _ => {}
        }
        if let Some(began) = began.filter(|_| flow.is_unacknowledged) {
            self.unacknowledged.push(began);
            self.almost += u64::from(took.is_some());
        }
    }

    /// What they did, if the run ended at this instant.
    pub fn sums(&self, group: u32, at: Time) -> MembersOutcome {
        let (delivered, delay) = self.ends.delivered();
        let mut ends = self.ends.outcome();
        let age = |began: Time| at.since(began).ps() as f64;
        let open = || self.open.iter().copied();
        let ages = open().map(|(began, alone)| (age(began), alone as f64));
        ends.transfer_time = ends.transfer_time.with_all_open(ages);
        let ages = self.unacknowledged.iter().map(|began| (age(*began), 0.0));
        ends.acknowledged_time = ends.acknowledged_time.with_all_open(ages);
        ends.unacknowledged_total = self.almost;
        let known = open().filter(|(_, alone)| *alone > 0);
        let ages = known.map(|(began, alone)| (age(began) / alone as f64, 1.0));
        let slowdown = self.slowdown.distribution().over(SLOWDOWN_PARTS as f64);
        MembersOutcome {
            group,
            flows: self.flows,
            least_bytes: self.least_bytes,
            most_bytes: self.most_bytes,
            found: FlowOutcome {
                offered_total: self.frames.offered,
                delivered_total: self.frames.delivered,
                lost_total: self.frames.dropped,
                inside_total: self.frames.inside,
                bytes: Some(self.bytes),
                delivered,
                lost: self.lost,
                delay,
                marked: self.marked,
                trimmed: self.trimmed,
                ends,
                slowdown: slowdown.with_all_open(ages),
                ..FlowOutcome::default()
            },
        }
    }
}

/// The sizes that are told together with this one: from where on, and below what.
fn bounds(bytes: u64) -> (u64, u64) {
    let bytes = bytes.clamp(1, u64::MAX / 2);
    let decade = 10_u64.pow(bytes.ilog10());
    let edges = [1, 2, 5, 10].map(|part: u64| decade.saturating_mul(part));
    let above = edges.iter().position(|edge| bytes < *edge);
    let above = above.unwrap_or(edges.len() - 1).max(1);
    (edges[above - 1], edges[above])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_round_bounds() {
        for (bytes, wanted) in [
            (1, (1, 2)),
            (9_999, (5_000, 10_000)),
            (10_000, (10_000, 20_000)),
            (49_999, (20_000, 50_000)),
            (1_000_000, (1_000_000, 2_000_000)),
        ] {
            assert_eq!(bounds(bytes), wanted, "{bytes}");
            assert_eq!(Bin::around(bytes).against(bytes), Ordering::Equal);
            assert_eq!(Bin::around(bytes).against(wanted.1), Ordering::Less);
            assert_eq!(Bin::around(bytes).against(wanted.0 - 1), Ordering::Greater);
        }
        assert!(bounds(u64::MAX).0 <= u64::MAX / 2);
    }
}
