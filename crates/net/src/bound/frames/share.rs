//! What a class gets of a port that serves classes by what they reserve.
//!
//! Let a class reserve r of a port of rate C, all together reserve no more than C, and let S be
//! what comes of it, preamble and gap included, from an instant on at which its frames begin to
//! follow each other by their stamps. The last of them, of size l, starts no later after that than
//!
//! ```text
//! VirtualClock, WFQ         S/r + Lmax/C - l/C     Figueira, Pasquale 1995; Parekh, Gallager 1993
//! self-clocked              S/r + sum L/C - l/C    Golestani 1994
//! start-time fair queueing  (S - l)/r + sum L/C    Goyal, Vin, Cheng 1996
//! ```
//!
//! Lmax is the largest frame of another class and `sum L` one of each other class that reserves,
//! with the largest of those that do not. P of VirtualClock lets others be early by P_j r_j / C.
//! Nothing of this depends on how much others send.
//!
//! Times are whole picoseconds. The time of a frame at r, and on the wire, is rounded, each by
//! less than one; WFQ's virtual time is rounded down whenever a class joins the fluid server,
//! which thus stands still for less than one, since the weights of those it serves are no more
//! than C. In the time S/r there are at most S/84 frames of the class and C S/r / 84 of all, each
//! with at most one join, and one more of each class: that many picoseconds are added twice.

use alloc::vec::Vec;

use backwater_kernel::{Channels, Rate};

use super::NoBound;
use super::curve::{Curve, wire_ps};
use super::port::Rivals;
use super::settle::{Analysis, is_one_group};
use crate::spec::frames::{ChannelSpec, SchedulerSpec, Stamp, WIRE_OVERHEAD_BYTES};

const PS_PER_SECOND: u128 = 1_000_000_000_000;
/// The smallest frame with preamble and gap.
const LEAST_BYTES: u128 = 84;

/// What a class is sure of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// Of the port,
    pub rate: Rate,
    /// and of the class.
    pub reserved: Rate,
    /// Classes of the port.
    pub classes: u64,
    /// Frames go by when they would start, not end.
    pub by_start: bool,
    /// What others may be ahead, ps.
    pub late_ps: u64,
    /// What comes of the class, in bytes on the wire.
    pub bytes: Curve,
}

impl Share {
    /// When the last of all that has come by `at` starts at most; it takes `own_ps` on the wire.
    pub fn start(&self, own_ps: u128, at: u64) -> u128 {
        let (port, own) = (u128::from(self.rate.0), u128::from(self.reserved.0));
        let bytes = self.bytes.at(at);
        let frames = bytes / LEAST_BYTES + 1;
        let served = (bytes * 8 * PS_PER_SECOND).div_ceil(own) + frames;
        let of_all = served * port / (LEAST_BYTES * 8 * PS_PER_SECOND) + u128::from(self.classes);
        let rounded = 2 * (of_all + frames);
        let itself = match self.by_start {
            true => own_ps.saturating_sub(1) * port / own,
            false => own_ps,
        };
        (served + rounded + u128::from(self.late_ps)).saturating_sub(itself)
    }
}

impl Analysis<'_> {
    /// What else wants a port that serves by reservations.
    pub fn share(&self, channel: u32, class: u8) -> Result<Rivals, NoBound> {
        let link = self.ways.spec.links.channel(channel);
        let unknown = NoBound::Scheduler { channel };
        // Shaping holds frames that nothing else is in the way of.
        let is_sure = is_one_group(link) && !link.scheduler.shapes();
        let rates = reserved(link).filter(|_| is_sure);
        let rates = rates.ok_or(unknown)?;
        let largest = |other: u8| {
            let members = self.ways.of_class(channel, other);
            let ways = members.map(|member| &self.ways.all[member.way as usize]);
            ways.map(|way| wire_ps(link.rate, way.most_bytes)).max()
        };
        let others = (0..link.queues.len() as u8).filter(|other| *other != class);
        let others: Vec<(u8, u64)> = others
            .filter_map(|other| Some((other, largest(other)?)))
            .collect();
        if others.is_empty() {
            return match self.fills(channel, class) {
                true => Err(NoBound::Overload { channel }),
                false => Ok(Rivals::Priority {
                    higher: Curve::default(),
                    lower_ps: 0,
                }),
            };
        }
        let own = rates[usize::from(class)];
        // Without a reservation, where others have one, a class gets what they leave.
        if own.0 == 0 {
            return Err(unknown);
        }
        if self.comes_bps(channel, class) >= u128::from(own.0) {
            return Err(NoBound::Overload { channel });
        }
        let most = others.iter().map(|(_, wire)| *wire).max().unwrap_or(0);
        let reserves = |other: &u8| rates[usize::from(*other)].0 > 0;
        let (sharing, rest): (Vec<_>, Vec<_>) = others.iter().partition(|(id, _)| reserves(id));
        let one_each = sharing.iter().map(|(_, wire)| *wire).sum::<u64>();
        let one_each = one_each + rest.iter().map(|(_, wire)| *wire).max().unwrap_or(0);
        let late_ps = match link.scheduler {
            SchedulerSpec::VirtualClock(clock) if clock.stamp == Stamp::AuxVc => {
                most.saturating_add(early_ps(link))
            }
            SchedulerSpec::Wfq => most,
            SchedulerSpec::Scfq | SchedulerSpec::Sfq => one_each,
            _ => return Err(unknown),
        };
        let on_wire = |bytes: u64| bytes + u64::from(WIRE_OVERHEAD_BYTES);
        Ok(Rivals::Share(Share {
            rate: link.rate,
            reserved: own,
            classes: link.queues.len() as u64,
            by_start: link.scheduler.goes_by_start(),
            late_ps,
            bytes: self.curve(
                channel,
                |other| other == class,
                |way| on_wire(way.most_bytes),
            ),
        }))
    }

    /// What comes of a class in the long run, bits on the wire per second.
    fn comes_bps(&self, channel: u32, class: u8) -> u128 {
        let ways = self.ways.of_class(channel, class);
        let bps = ways.filter_map(|member| {
            let way = &self.ways.all[member.way as usize];
            let pace = way.pace.ok()?;
            let bytes = u128::from(way.most_bytes) + u128::from(WIRE_OVERHEAD_BYTES);
            let bits = bytes * 8 * u128::from(pace.sources);
            let each = bits.checked_mul(PS_PER_SECOND)?.checked_mul(pace.divisor);
            Some(each.map_or(u128::MAX, |each| each.div_ceil(pace.numerator)))
        });
        bps.fold(0, u128::saturating_add)
    }
}

/// What each class has of a port; 0 if nothing, and `None` if it is more than there is.
fn reserved(link: &ChannelSpec) -> Option<Vec<Rate>> {
    let classes = link.queues.len() as u64;
    let reserves = link.queues.iter().any(|queue| queue.reserve.is_some());
    let equal = Rate(link.rate.0 / classes.max(1));
    let queues = link.queues.iter();
    let rates: Vec<Rate> = match reserves {
        true => queues
            .map(|queue| queue.reserve.map_or(Rate(0), |own| own.rate))
            .collect(),
        false => queues.map(|_| equal).collect(),
    };
    let sum: u128 = rates.iter().map(|rate| u128::from(rate.0)).sum();
    (sum <= u128::from(link.rate.0)).then_some(rates)
}

/// Real time counts as earlier for some classes.
fn early_ps(link: &ChannelSpec) -> u64 {
    let reserves = link.queues.iter().filter_map(|queue| queue.reserve);
    let early = reserves.map(|own| u128::from(own.rate.0) * u128::from(own.offset.ps()));
    let early = early.sum::<u128>().div_ceil(u128::from(link.rate.0.max(1)));
    u64::try_from(early).unwrap_or(u64::MAX)
}
