//! Asynchronous traffic shaping (IEEE 802.1Qcr-2020, clause 8.6.11; from the urgency-based
//! scheduler of Specht and Samii, 2016): a unit gets an *eligibility time*, the instant from which
//! it conforms to its flow's rate and burst, and does not start before. What is eligible goes in
//! the order of these times; of equal ones in the order of arrival, so that units of one group do
//! not pass each other.
//!
//! | Standard | Here |
//! |---|---|
//! | CommittedInformationRate | `Bucket::pace` |
//! | CommittedBurstSize | `Bucket::burst_ps`, as time at that rate |
//! | bucket empty time | TAT - burst, where TAT is `Bucket::full_ps` |
//! | bucket full time | TAT, the theoretical arrival time of the GCRA: `Bucket::full_ps` |
//! | group eligibility time | `Ats::groups_ps`: one for all flows of an ingress channel |
//! | MaximumResidenceTime | `Ats::max_residence` |
//!
//! A group keeps the order in which units came over one channel: no unit becomes eligible before
//! one that came before it. The bucket gives its tokens when the unit is eligible, so what waits
//! for its group does not save credit. Flows that start at this node are a group each. Groups,
//! like all of a discipline, are within one priority group of the port.
//!
//! Units of flows that reserve nothing are not held. They are sent when no reserved unit is
//! eligible, also while some are held.
//!
//! Not modelled: one bucket for several flows, clocks of ingress and egress that differ, delays
//! inside the switch.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Time};

use super::pace::Pace;
use super::stamp_tree::StampTree;
use super::{Admitted, Choice, Discipline, LAST_STAMP, Packet, Port, Share, Turn, rank_of};

/// Units wait until they conform.
pub(super) struct Ats {
    buckets: Vec<Bucket>,
    /// Eligibility time of the last unit of each group.
    groups_ps: Vec<u64>,
    max_residence: Option<Duration>,
    /// Queues with a reservation, by the eligibility time of their first unit.
    reserved: StampTree<Turn>,
    /// Queues of datagrams, by arrival.
    datagrams: StampTree,
}

/// The token bucket of a flow.
struct Bucket {
    pace: Pace,
    /// What may come at once, as time at the rate.
    burst_ps: u64,
    /// When the bucket is full again.
    full_ps: u64,
    /// Index of its group.
    group: u32,
}

impl Ats {
    pub fn new(max_residence: Option<Duration>, shares: &[Share]) -> Ats {
        let (groups, count) = groups(shares);
        let bucket = |(share, group): (&Share, u32)| Bucket {
            pace: Pace::new(share),
            burst_ps: (share.rate.tick(share.unit_bytes as u64) + share.tolerance).ps(),
            full_ps: 0,
            group,
        };
        Ats {
            buckets: shares.iter().zip(groups).map(bucket).collect(),
            groups_ps: alloc::vec![0; count],
            max_residence,
            reserved: StampTree::new(shares.len()),
            datagrams: StampTree::new(shares.len()),
        }
    }
}

/// The group of each flow, and how many there are.
fn groups(shares: &[Share]) -> (Vec<u32>, usize) {
    let mut known: Vec<(u32, u32)> = Vec::new();
    let mut count = 0;
    let mut group = |share: &Share| {
        let found = known.binary_search_by_key(&share.ingress, |&(ingress, _)| ingress);
        match found {
            Ok(place) if share.ingress != u32::MAX => return known[place].1,
            Ok(_) => {}
            Err(place) => known.insert(place, (share.ingress, count)),
        }
        count += 1;
        count - 1
    };
    let groups = shares.iter().map(&mut group).collect();
    (groups, count as usize)
}

impl Bucket {
    /// When a unit that comes at `now_ps` conforms: its tokens are there.
    #[inline]
    fn conforms_ps(&self, now_ps: u64, bytes: u32) -> u64 {
        let unit_ps = self.pace.finish(0, bytes);
        let missing_ps = unit_ps.saturating_sub(self.burst_ps);
        let spare_ps = self.burst_ps.saturating_sub(unit_ps);
        now_ps.max(
            self.full_ps
                .saturating_add(missing_ps)
                .saturating_sub(spare_ps),
        )
    }

    /// The tokens of a unit that is eligible at `from_ps` are taken.
    #[inline]
    fn take(&mut self, from_ps: u64, bytes: u32) {
        self.full_ps = self.pace.finish(self.full_ps.max(from_ps), bytes);
    }
}

impl Discipline for Ats {
    #[inline]
    fn on_arrival(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        let bucket = &mut self.buckets[seat as usize];
        if bucket.pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        let now_ps = port.now.ps();
        let group_ps = &mut self.groups_ps[bucket.group as usize];
        let conforms_ps = bucket.conforms_ps(now_ps, bytes).min(LAST_STAMP);
        let eligible_ps = conforms_ps.max(*group_ps);
        let residence_ps = eligible_ps - now_ps;
        if self
            .max_residence
            .is_some_and(|longest| residence_ps > longest.ps())
        {
            return None;
        }
        bucket.take(eligible_ps, bytes);
        *group_ps = eligible_ps;
        Admitted::ranked(eligible_ps)
    }

    #[inline]
    fn ready(&mut self, _now: Time, seat: u32, head: Packet) {
        if head.rank > LAST_STAMP {
            self.datagrams.insert(seat, head.rank);
        } else {
            self.reserved.insert(seat, head.turn());
        }
    }

    #[inline]
    fn not_ready(&mut self, seat: u32) {
        self.reserved.remove(seat);
        self.datagrams.remove(seat);
    }

    #[inline]
    fn choose(&mut self, now: Time) -> Choice {
        let held = match self.reserved.first() {
            Some((seat, turn)) if rank_of(turn) <= now.ps() => return Choice::Leg(seat),
            Some((_, turn)) => Choice::Wait(Time(rank_of(turn))),
            None => Choice::Nothing,
        };
        let datagram = self.datagrams.first();
        datagram.map_or(held, |(seat, _)| Choice::Leg(seat))
    }

    #[inline]
    fn on_start(&mut self, _seat: u32, _unit: Packet) {}

    #[inline]
    fn has_ready(&self) -> bool {
        !self.reserved.is_empty() || !self.datagrams.is_empty()
    }

    fn may_start(&self, now: Time) -> bool {
        let first = self.reserved.least();
        !self.datagrams.is_empty() || first.is_some_and(|turn| rank_of(turn) <= now.ps())
    }
}

#[cfg(test)]
mod tests;
