//! Credit over channels, by class: zones for each class alone (Kung), or counters that the two
//! ports of a link keep of each other for all their classes (Ultra Ethernet, InfiniBand).

use alloc::format;
use alloc::string::String;

use backwater_kernel::Duration;

use super::{CreditRule, CreditSpec};
use crate::spec::CREDIT_MAX;

/// Most classes of which a message speaks.
pub const MESSAGE_CLASSES_MAX: u8 = 18;

/// Most bits of a counter in a message.
pub const COUNTER_BITS_MAX: u8 = 20;

/// Most lanes of a class that flows may be hashed to.
pub const HASH_LANES_MAX: u32 = 1 << 20;

/// Who has a lane of its own within a class, with credit of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Owner {
    /// The class: all of its frames are one lane.
    #[default]
    Class,
    /// Each station: frames to it.
    Destination,
    /// Each flow, one way. Lanes of flows go in turns.
    Flow,
    /// Flows, one way, that a hash gives one number of so many below. Their lanes go in turns, by
    /// the first flow of each.
    Hash(u32),
}

impl Owner {
    /// Do its lanes go in turns? Others go in the order in which frames came.
    #[inline]
    pub fn goes_in_turns(self) -> bool {
        match self {
            Owner::Class | Owner::Destination => false,
            Owner::Flow | Owner::Hash(_) => true,
        }
    }

    /// Over how many lanes flows are spread, if several may share one.
    #[inline]
    pub fn hash_lanes(self) -> Option<u32> {
        match self {
            Owner::Class | Owner::Destination | Owner::Flow => None,
            Owner::Hash(lanes) => Some(lanes),
        }
    }
}

/// Credit over a channel for all frames of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassCreditSpec {
    /// Who has all of this for itself.
    pub owner: Owner,
    /// What one unit of credit is good for.
    pub unit_bytes: u32,
    /// Counted with each frame before it is divided into units; -4 leaves the FCS out.
    pub overhead_bytes: i32,
    /// The scheme.
    pub rule: ClassCreditRule,
}

/// Whose credit is whose, and how it comes back.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ClassCreditRule {
    /// Each class has a loop of its own. Credit units, requests and statements are control frames
    /// of 64 bytes.
    Zones(CreditSpec),
    /// The class is one of those whose counters the port states: [`CountersSpec`].
    Counters(LaneSpec),
}

/// A class (virtual channel, lane) under counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneSpec {
    /// Most units that are sent and not known to be freed. With a limit for the port: that.
    pub limit_units: u32,
    /// With a limit for the port: units that no other class may use,
    pub reserve_units: u32,
    /// and how much of what is shared the class may use beside them.
    pub shares: Shares,
}

/// How much of what classes share one of them may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shares {
    /// Nothing.
    Nothing,
    /// So many units; `None` is without limit.
    Units(Option<u32>),
    /// 2^n times what is then still free of it.
    OfFree(i8),
}

/// How the ports at the two ends of a channel keep each other's counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountersSpec {
    /// From the receiver back to the sender.
    pub update: UpdateSpec,
    /// From the sender to the receiver: the units that each class has sent. What has not arrived by
    /// then is lost, and freed.
    pub statement: Option<StatementSpec>,
    /// A frame starts only while so much credit is free, if that is more than its cost.
    pub floor_units: u32,
    /// One limit for all classes of the port together.
    pub port_units: Option<u32>,
}

/// Messages that give credit back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UpdateSpec {
    /// What they say of a class.
    pub says: Says,
    /// Their size; below that of the least frame they are ordered sets, without preamble and gap.
    pub bytes: u32,
    /// Most classes of which one message speaks.
    pub classes: u8,
    /// Least time from the start of one to the start of the next.
    pub spacing: Duration,
    /// One is sent after this long, whether there is news or not.
    pub at_least_every: Option<Duration>,
    /// One with news waits until its port has nothing else to send, but not for longer than
    /// `at_least_every` from the start of the one before.
    pub waits_for_idle: bool,
}

/// What an update says of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Says {
    /// Units freed since the start, as a counter of so many bits.
    Freed {
        /// Its width.
        bits: u8,
    },
    /// Up to which count of units sent the sender may go, likewise.
    Limit {
        /// Its width.
        bits: u8,
    },
    /// Grains of so many units freed since the last message.
    Grains {
        /// Units of a grain.
        units: u32,
    },
}

/// Messages that state what was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatementSpec {
    /// From one to the next.
    pub every: Duration,
    /// Width of a counter.
    pub bits: u8,
    /// Size, as [`UpdateSpec::bytes`].
    pub bytes: u32,
    /// Most classes of which one message speaks.
    pub classes: u8,
    /// They wait until the port has nothing else to send, but not for longer than until the next
    /// are due.
    pub waits_for_idle: bool,
}

impl ClassCreditSpec {
    /// What a frame of so many bytes (FCS included, preamble and gap not) costs.
    #[inline]
    pub fn cost(&self, bytes: u64) -> u32 {
        self.price().of(bytes)
    }

    /// What frames cost.
    pub(crate) fn price(&self) -> Price {
        Price::new(self.unit_bytes, self.overhead_bytes)
    }

    /// Units that the receiver must be able to hold.
    pub fn units(&self) -> u32 {
        match &self.rule {
            ClassCreditRule::Zones(rule) => rule.n1 + rule.n2 + rule.n3,
            ClassCreditRule::Counters(lane) => lane.limit_units,
        }
    }

    /// Units that are free when all that was sent has left the receiver and no message is under
    /// way: those that were freed and not reported are missing.
    pub fn surely_free_units(&self, counters: Option<&CountersSpec>) -> u32 {
        match (&self.rule, counters.map(|own| own.update.says)) {
            (ClassCreditRule::Zones(rule), _) => rule.n3.saturating_add(1),
            (ClassCreditRule::Counters(lane), Some(Says::Grains { units })) => {
                (lane.limit_units + 1).saturating_sub(units)
            }
            (ClassCreditRule::Counters(lane), _) => lane.limit_units,
        }
    }

    /// Refuses what is no credit, or would never do for a frame of this size.
    pub(crate) fn check(
        &self,
        largest_bytes: u32,
        counters: Option<&CountersSpec>,
    ) -> Result<(), String> {
        if self.unit_bytes == 0 {
            return Err("a unit of credit of 0 bytes".into());
        }
        if self
            .owner
            .hash_lanes()
            .is_some_and(|lanes| lanes == 0 || lanes > HASH_LANES_MAX)
        {
            return Err(format!("flows are hashed to 1 to {HASH_LANES_MAX} lanes"));
        }
        let cost = self.cost(largest_bytes.into());
        let is_enough = match (&self.rule, counters) {
            (ClassCreditRule::Zones(rule), _) => {
                rule.check()?;
                let is_capped = rule.rule == CreditRule::N123Plus && rule.n1 < cost;
                self.surely_free_units(None) >= cost && !is_capped
            }
            (ClassCreditRule::Counters(_), None) => return Err("nobody keeps its counters".into()),
            // The rest of a grain may be missing for good, which a run is to show.
            (ClassCreditRule::Counters(lane), Some(counters)) => {
                lane.limit_units >= cost.max(counters.floor_units)
            }
        };
        match is_enough {
            true => Ok(()),
            false => Err(format!(
                "a frame costs {cost} units, more than there is credit for"
            )),
        }
    }

    /// The zones, if it has some.
    pub fn zones(&self) -> Option<&CreditSpec> {
        match &self.rule {
            ClassCreditRule::Zones(rule) => Some(rule),
            ClassCreditRule::Counters(_) => None,
        }
    }
}

/// What frames cost: their bytes with what is counted beside them, in whole units, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Price {
    pub unit_bytes: u32,
    /// Counted with each frame, and what rounds up.
    more_bytes: i64,
}

impl Price {
    pub fn new(unit_bytes: u32, overhead_bytes: i32) -> Price {
        Price {
            unit_bytes,
            more_bytes: i64::from(overhead_bytes) + i64::from(unit_bytes) - 1,
        }
    }

    #[inline]
    pub fn of(self, bytes: u64) -> u32 {
        let counted = (bytes as i64 + self.more_bytes).max(0) as u64;
        (counted / u64::from(self.unit_bytes)).max(1) as u32
    }
}

impl CountersSpec {
    /// Refuses what could never work or would never let time pass.
    pub(crate) fn check(&self, classes: &[Option<ClassCreditSpec>]) -> Result<(), String> {
        let UpdateSpec { says, bytes, .. } = self.update;
        let statement = self.statement;
        let empty = bytes == 0 || statement.is_some_and(|own| own.bytes == 0);
        if empty {
            return Err("a message needs at least one byte".into());
        }
        let timers = [self.update.at_least_every, statement.map(|own| own.every)];
        if timers.contains(&Some(Duration::ZERO)) {
            return Err("a timer of zero would never let time pass".into());
        }
        if self.update.waits_for_idle && self.update.at_least_every.is_none() {
            return Err(
                "an update that waits for an idle link needs a time when it goes all the \
                        same"
                    .into(),
            );
        }
        let none = self.update.classes == 0 || statement.is_some_and(|own| own.classes == 0);
        if none {
            return Err("a message speaks of at least one class".into());
        }
        let most = [Some(self.update.classes), statement.map(|own| own.classes)];
        if most
            .into_iter()
            .flatten()
            .any(|most| most > MESSAGE_CLASSES_MAX)
        {
            return Err(format!(
                "a message speaks of at most {MESSAGE_CLASSES_MAX} classes"
            ));
        }
        let widths = [
            match says {
                Says::Freed { bits } | Says::Limit { bits } => Some(bits),
                Says::Grains { .. } => None,
            },
            statement.map(|own| own.bits),
        ];
        if widths
            .iter()
            .flatten()
            .any(|bits| !(2..=COUNTER_BITS_MAX).contains(bits))
        {
            return Err(format!("a counter has 2 to {COUNTER_BITS_MAX} bits"));
        }
        if says == (Says::Grains { units: 0 }) {
            return Err("a grain of no units".into());
        }
        let lanes = classes.iter().flatten().filter_map(|own| match own.rule {
            ClassCreditRule::Counters(lane) => Some(lane),
            ClassCreditRule::Zones(_) => None,
        });
        let reserved: u64 = lanes
            .clone()
            .map(|lane| u64::from(lane.reserve_units))
            .sum();
        let most = lanes.map(|lane| u64::from(lane.limit_units)).max();
        if most.is_some_and(|most| most > CREDIT_MAX) {
            return Err(format!("a limit is at most {CREDIT_MAX} units"));
        }
        match self.port_units {
            Some(units) if reserved > units.into() => {
                Err(format!("{reserved} units reserved of {units}"))
            }
            _ => Ok(()),
        }
    }
}
