//! Counters that two ports keep of each other: UE CBFC, InfiniBand, and grains as UnifiedBus has.
//!
//! All are Kung's credits: the first two the cumulative, the last the relative scheme. What
//! differs from his: a message speaks of several classes, and the port decides when it is time.
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

use backwater_kernel::Time;

use super::{Receiver, Sender};
use crate::spec::frames::{CountersSpec, LaneSpec, Says, Shares};

/// Most grains of one class in one message.
const GRAINS_MAX: u32 = 255;

/// Counted credit of one class of a channel.
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
    /// It is to be asked again then.
    At(Time),
    /// One waits, or the port is asked again anyway, or there is nothing to say.
    Wait,
}

/// The counters of one channel: what its receiver has to say, and what its sender shares.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Counters {
    pub spec: CountersSpec,
    /// Classes under counters, a bit each.
    pub classes: u32,
    /// Those with news.
    news: u32,
    /// From which class on the next message looks for them.
    next: u8,
    /// A message waits for its port.
    is_wanted: bool,
    /// When the last started,
    last: Time,
    /// and from when on the next may.
    earliest: Time,
    /// The next time at which the port is asked; `Time::MAX` if it isn't.
    asked_at: Time,
    /// Of what classes share, units in use.
    shared: u32,
    lanes: [Option<LaneSpec>; crate::spec::frames::CLASSES_MAX],
}

impl Counters {
    pub fn new(spec: CountersSpec) -> Counters {
        Counters {
            spec,
            classes: 0,
            news: 0,
            next: 0,
            is_wanted: false,
            last: Time::ZERO,
            earliest: Time::ZERO,
            asked_at: Time::MAX,
            shared: 0,
            lanes: [None; crate::spec::frames::CLASSES_MAX],
        }
    }

    pub fn add_lane(&mut self, class: u8, lane: LaneSpec) {
        self.classes |= 1 << class;
        self.lanes[class as usize] = Some(lane);
    }

    /// A class has news.
    #[inline]
    pub fn on_news(&mut self, class: u8, now: Time) -> When {
        self.news |= 1 << class;
        self.when(now)
    }

    /// The port is asked at a time that it gave.
    pub fn on_timer(&mut self, now: Time) -> When {
        if self.asked_at != now {
            return When::Wait;
        }
        self.asked_at = Time::MAX;
        self.when(now)
    }

    /// When is there something to say?
    #[inline]
    pub fn when(&mut self, now: Time) -> When {
        if self.is_wanted {
            return When::Wait;
        }
        let due = match (self.news, self.spec.update.at_least_every) {
            (0, None) => return When::Wait,
            (0, Some(every)) => self.last.checked_add(every).unwrap_or(Time::MAX),
            _ => self.earliest,
        };
        if due <= now {
            self.is_wanted = true;
            return When::Now;
        }
        if self.asked_at <= due {
            return When::Wait;
        }
        self.asked_at = due;
        When::At(due)
    }

    /// A message starts: the classes of which it speaks. Those with news go in turn; without any,
    /// all do.
    pub fn start(&mut self, now: Time) -> u32 {
        let wanted = if self.news == 0 {
            self.classes
        } else {
            self.news
        };
        let mut said = 0_u32;
        let mut room = self.spec.update.classes;
        for step in 0..32 {
            let class = (self.next + step) % 32;
            if room > 0 && wanted & 1 << class != 0 {
                (said, room) = (said | 1 << class, room - 1);
            }
        }
        if let Some(last) = (0..32)
            .map(|step| (self.next + 31 - step) % 32)
            .find(|class| said & 1 << class != 0)
        {
            self.next = (last + 1) % 32;
        }
        self.news &= !said;
        self.is_wanted = false;
        self.last = now;
        let spacing = self.spec.update.spacing;
        self.earliest = now.checked_add(spacing).unwrap_or(Time::MAX);
        said
    }

    /// Is there news that nobody has been told of?
    pub fn has_news(&self) -> bool {
        self.news != 0
    }

    /// May a class that has sent `used` units of which it has not heard start one of this cost?
    #[inline]
    pub fn may_start(&self, class: u8, used: u32, cost: u32) -> bool {
        let Some(port) = self.spec.port_units else {
            return true;
        };
        let Some(lane) = self.lanes[class as usize] else {
            return true;
        };
        let (before, after) = (lane.shared(used), lane.shared(used + cost));
        let in_use = self.shared - before + after;
        let reserved: u32 = self
            .lanes
            .iter()
            .flatten()
            .map(|own| own.reserve_units)
            .sum();
        let Some(free) = (port - reserved).checked_sub(in_use) else {
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

    /// What a class uses has changed.
    #[inline]
    pub fn note_use(&mut self, class: u8, before: u32, after: u32) {
        if let Some(lane) = self.lanes[class as usize] {
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
