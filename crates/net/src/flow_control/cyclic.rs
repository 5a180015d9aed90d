//! Counters that two ports keep of each other: UE CBFC, InfiniBand, and grains as UnifiedBus has.
//!
//! All are Kung's credits: the first two the cumulative, the last the relative scheme. What
//! differs from his: a message speaks of several lanes, and the port decides when it is time.
//!
//! | message | says | the sender's credit | what was lost |
//! |---|---|---|---|
//! | CF_Update | units freed, mod 2^15 | limit - (sent - freed) | CC_Update states the units sent |
//! | flow control packet | freed + limit, mod 2^12 | that - sent | FCTBS, likewise |
//! | grains | those since the last | credit + grains | is lost for ever |
//!
//! Counters are kept in full and are cyclic in messages alone: the end that reads one takes the
//! nearest count from what it knows on. A statement of what was sent is decided as it starts, on a
//! wire that keeps order: all that it counts has arrived before it, or never will.

use alloc::vec::Vec;

use backwater_kernel::{BitSet, Time};

use super::{Receiver, Sender};
use crate::spec::frames::{CountersSpec, LaneSpec, Says, Shares, UpdateSpec};

/// Most grains of one class in one message.
const GRAINS_MAX: u32 = 255;

/// Counted credit of one lane of a channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cyclic {
    pub limit: u32,
    says: Says,
}

impl Cyclic {
    pub fn new(lane: &LaneSpec, counters: &CountersSpec) -> Cyclic {
        Cyclic {
            limit: lane.limit_units,
            says: counters.update.says,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.limit.into()
    }

    /// So many units freed are news.
    pub fn report_every(&self) -> u32 {
        match self.says {
            Says::Freed { .. } | Says::Limit { .. } => 1,
            Says::Grains { units } => units,
        }
    }

    /// What an update says.
    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        match self.says {
            Says::Freed { bits } => cut(receiver.freed, bits),
            Says::Limit { bits } => cut(receiver.freed + u64::from(self.limit), bits),
            Says::Grains { units } => (receiver.unreported / units).min(GRAINS_MAX).into(),
        }
    }

    /// Units that it says nothing of.
    pub fn left(&self, unreported: u32) -> u32 {
        match self.says {
            Says::Freed { .. } | Says::Limit { .. } => 0,
            Says::Grains { units } => unreported - (unreported / units).min(GRAINS_MAX) * units,
        }
    }

    /// The sender's credit after it.
    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        let limit = i64::from(self.limit);
        match self.says {
            Says::Freed { bits } => sender.credit + ahead(value, self.heard(sender), bits) as i64,
            Says::Limit { bits } => {
                let may = ahead(value, sender.sent, bits) as i64;
                // More than half of the circle is behind it.
                match may > 1 << (bits - 1) {
                    true => may - (1 << bits),
                    false => may,
                }
            }
            Says::Grains { units } => {
                let given = value * u64::from(units);
                sender.credit.saturating_add(given as i64).min(limit)
            }
        }
    }

    /// Units freed, as the sender last heard.
    fn heard(&self, sender: Sender) -> u64 {
        let used = i64::from(self.limit) - sender.credit;
        sender.sent.wrapping_add_signed(-used)
    }
}

/// The last bits of a count.
#[inline]
pub(crate) fn cut(count: u64, bits: u8) -> u64 {
    count & ((1 << bits) - 1)
}

/// How far a count that ends in these bits is ahead of what is known.
#[inline]
pub(crate) fn ahead(value: u64, known: u64, bits: u8) -> u64 {
    cut(value.wrapping_sub(known), bits)
}

/// When a message is to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// As soon as the port is free.
    Now,
    /// As soon as the port has nothing else to send.
    Idle,
    /// One that waits for that has waited long enough: as soon as the port is free.
    NoLonger,
    /// It is to be asked again then.
    At(Time),
    /// One waits, or the port is asked again anyway, or there is nothing to say.
    Wait,
}

/// Lanes of a port, of which a message speaks: a bit each, from the place `first` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Places {
    pub first: u32,
    pub bits: u32,
}

impl Places {
    /// They, in order.
    pub fn each(self) -> impl Iterator<Item = u32> {
        let mut bits = self.bits;
        core::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (bit < 32).then_some(self.first + bit)
        })
    }
}

/// The counters of one channel: what its receiver has to say, and what its sender shares.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub spec: CountersSpec,
    /// Places are those of lanes of flows or stations; else they are classes.
    pub is_sorted: bool,
    /// The lanes of the port, with their legs; none where nothing is counted.
    lanes: Vec<Option<(LaneSpec, u32)>>,
    /// Those with news, by place.
    news: BitSet,
    /// From which place on the next message looks for them.
    next: usize,
    /// A message waits for its port.
    is_wanted: bool,
    /// It does so for a port with nothing else to send.
    is_patient: bool,
    /// When the last started,
    last: Time,
    /// and from when on the next may.
    earliest: Time,
    /// When the port is asked next because there is news; `Time::MAX` if it isn't,
    asked_at: Time,
    /// News comes faster than messages may follow each other.
    is_hurried: bool,
    /// and when because it may have been silent for long. It stays while messages start, and is
    /// asked for again as it comes too soon.
    alarm_at: Time,
    /// Of what lanes share, units in use.
    shared: u32,
    /// Units that they reserve.
    reserved: u32,
}

impl Counters {
    /// `None` if lanes reserve more than the port has.
    pub fn new(
        spec: CountersSpec,
        is_sorted: bool,
        lanes: Vec<Option<(LaneSpec, u32)>>,
    ) -> Option<Counters> {
        let mut reserves = lanes.iter().flatten().map(|(own, _)| own.reserve_units);
        let reserved = reserves.try_fold(0_u32, |all, own| all.checked_add(own))?;
        if spec.port_units.is_some_and(|port| reserved > port) {
            return None;
        }
        Some(Counters {
            spec,
            is_sorted,
            reserved,
            news: BitSet::new(lanes.len()),
            lanes,
            next: 0,
            is_wanted: false,
            is_patient: false,
            last: Time::ZERO,
            earliest: Time::ZERO,
            asked_at: Time::MAX,
            is_hurried: false,
            alarm_at: Time::MAX,
            shared: 0,
        })
    }

    /// Lanes of the port, those that are not counted included.
    pub fn places(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// The leg of a lane.
    #[inline]
    pub fn leg(&self, place: u32) -> Option<u32> {
        Some(self.lanes.get(place as usize)?.as_ref()?.1)
    }

    /// The legs of all lanes.
    pub fn legs(&self) -> impl Iterator<Item = u32> {
        self.lanes.iter().flatten().map(|(_, leg)| *leg)
    }

    /// Messages that it takes to speak of all lanes, so many at a time.
    pub fn parts(&self, most: u8) -> impl Iterator<Item = Places> {
        let groups = (0_u32..).zip(self.lanes.chunks(32));
        groups.flat_map(move |(group, lanes)| {
            let places: Vec<usize> = (0..lanes.len()).filter(|at| lanes[*at].is_some()).collect();
            let parts = places.chunks(usize::from(most)).map(|part| Places {
                first: 32 * group,
                bits: part.iter().fold(0, |bits, at| bits | 1 << at),
            });
            parts.collect::<Vec<_>>()
        })
    }

    /// A lane has news.
    #[inline]
    pub fn on_news(&mut self, place: u32, now: Time) -> When {
        self.news.insert(place as usize);
        self.when(now)
    }

    /// The port is asked at a time that it gave.
    pub fn on_timer(&mut self, now: Time) -> When {
        let (is_asked, is_alarm) = (self.asked_at == now, self.alarm_at == now);
        if is_asked {
            self.asked_at = Time::MAX;
            self.is_hurried &= self.owes_news();
        }
        if is_alarm {
            self.alarm_at = Time::MAX;
        }
        match is_asked || is_alarm {
            true => self.when(now),
            false => When::Wait,
        }
    }

    /// A message has started. In a hurry the port is asked as soon as the next may: that is always
    /// as long from here, so its timer is one of a row and is not sorted.
    pub fn after_start(&mut self, now: Time) -> When {
        let UpdateSpec {
            spacing,
            at_least_every,
            ..
        } = self.spec.update;
        // Whoever may not be silent for that long is asked before.
        let may_wait = at_least_every.is_none_or(|every| every >= spacing);
        if self.is_hurried && may_wait && now < self.earliest && self.earliest < self.asked_at {
            self.asked_at = self.earliest;
            return When::At(self.earliest);
        }
        self.when(now)
    }

    /// When is there something to say?
    #[inline]
    pub fn when(&mut self, now: Time) -> When {
        if self.is_wanted && !self.is_patient {
            return When::Wait;
        }
        let has_news = self.owes_news() && !self.is_patient;
        let every = self.spec.update.at_least_every;
        let latest = every.map(|every| self.last.checked_add(every).unwrap_or(Time::MAX));
        let (due, asked) = match (has_news, latest) {
            (true, _) => (self.earliest, &mut self.asked_at),
            (false, None) => return When::Wait,
            (false, Some(latest)) => (latest, &mut self.alarm_at),
        };
        if due <= now {
            if self.is_wanted {
                self.is_patient = false;
                return When::NoLonger;
            }
            self.is_wanted = true;
            let may_wait = self.spec.update.waits_for_idle;
            self.is_patient = may_wait && latest.is_some_and(|latest| latest > now);
            return match self.is_patient {
                true => When::Idle,
                false => When::Now,
            };
        }
        if *asked <= due {
            return When::Wait;
        }
        *asked = due;
        self.is_hurried |= has_news;
        When::At(due)
    }

    /// A message starts: the lanes of which it speaks. Those with news go in turn; without any,
    /// all do. One message speaks of lanes of the same 32.
    pub fn start(&mut self, now: Time) -> Places {
        let places = match self.owes_news() {
            true => self.take_news(),
            false => self.turn(),
        };
        (self.is_wanted, self.is_patient) = (false, false);
        self.last = now;
        let spacing = self.spec.update.spacing;
        self.earliest = now.checked_add(spacing).unwrap_or(Time::MAX);
        places
    }

    /// Lanes with news, which is told with that.
    fn take_news(&mut self) -> Places {
        let first = self.news.next_cyclic(self.next).unwrap_or(0);
        let (group, most) = (first / 32 * 32, self.spec.update.classes);
        let known = self.news.word_of(group) >> (group % 64) as u32 & u64::from(u32::MAX);
        // Those before the first come when none is left behind it.
        let behind = known & u64::MAX << (first - group);
        let mut bits = 0_u32;
        let mut left = if behind == 0 { known } else { behind };
        for _ in 0..most {
            if left == 0 {
                left = known & !u64::from(bits);
            }
            let bit = left.trailing_zeros();
            if bit >= 32 {
                break;
            }
            left &= left - 1;
            bits |= 1 << bit;
            self.news.remove(group + bit as usize);
            self.next = group + bit as usize + 1;
        }
        Places {
            first: group as u32,
            bits,
        }
    }

    /// The lanes whose turn it is.
    fn turn(&mut self) -> Places {
        let count = self.lanes.len();
        let from = self.next % count.max(1);
        let is_one = |place: &usize| self.lanes[*place].is_some();
        let first = (from..count).chain(0..from).find(is_one).unwrap_or(0);
        let group = first / 32 * 32;
        let here = (first..count.min(group + 32)).chain(group..first);
        let mut bits = 0_u32;
        for place in here.filter(is_one).take(self.spec.update.classes.into()) {
            bits |= 1 << (place - group);
            self.next = place + 1;
        }
        Places {
            first: group as u32,
            bits,
        }
    }

    /// Is there news that nobody has been told of?
    pub fn owes_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// May a lane that has sent `used` units of which it has not heard start one of this cost?
    #[inline]
    pub fn may_start(&self, place: u32, used: u32, cost: u32) -> bool {
        let Some(port) = self.spec.port_units else {
            return true;
        };
        let Some((lane, _)) = self.lanes[place as usize] else {
            return true;
        };
        let (before, after) = (lane.shared(used), lane.shared(used + cost));
        let in_use = self.shared - before + after;
        let Some(free) = (port - self.reserved).checked_sub(in_use) else {
            return false;
        };
        match lane.shares {
            Shares::Nothing => after == 0,
            Shares::Units(most) => most.is_none_or(|most| after <= most),
            Shares::OfFree(power) => {
                let (after, free) = (u64::from(after), u64::from(free));
                match power {
                    0.. => after <= free << power.min(31),
                    _ => after << power.unsigned_abs().min(31) <= free,
                }
            }
        }
    }

    /// What a lane uses has changed.
    #[inline]
    pub fn note_use(&mut self, place: u32, before: u32, after: u32) {
        if let Some((lane, _)) = self.lanes[place as usize] {
            self.shared = self.shared - lane.shared(before) + lane.shared(after);
        }
    }
}

impl LaneSpec {
    /// What of its use is not reserved for it.
    fn shared(&self, used: u32) -> u32 {
        used.saturating_sub(self.reserve_units)
    }
}

#[cfg(test)]
mod tests;
