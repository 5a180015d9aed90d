//! The waits at all ports, each of which depends on those before it.
//!
//! All begin at zero, and each port is looked at again while what comes to it varies more than it
//! did. Where that ends, the waits hold: before a frame could be the first to wait longer, all
//! before it waited no longer, and so what came to its port was within its curve. It ends at once
//! where ports depend on each other in one direction only; in a circle it may or may not.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Channels;

use super::NoBound;
use super::curve::{Curve, Group, Line, Stairs, wire_ps};
use super::port::{Other, Rivals, others_send, waits};
use super::ways::{Member, Way, Ways};
use crate::spec::frames::{CLASSES_MAX, ChannelSpec, SchedulerSpec};

/// Times that all ports are looked at.
const ROUNDS: usize = 256;
/// Turns over which the load of a class is set against what turns give it.
const MANY_TURNS: u128 = 1_000_000;

/// Waits, and where there is none that holds.
pub(super) struct Analysis<'a> {
    pub ways: Ways<'a>,
    /// By channel and class.
    pub failed: BTreeMap<(u32, u8), NoBound>,
}

impl Analysis<'_> {
    /// Of a class at a channel nothing is known.
    pub fn fail(&mut self, channel: u32, class: u8, reason: NoBound) -> bool {
        let is_new = !self.failed.contains_key(&(channel, class));
        self.failed.entry((channel, class)).or_insert(reason);
        is_new
    }

    /// Finds the waits of all ports.
    pub fn settle(&mut self) {
        let channels = self.ways.members.len();
        let mut is_due = vec![true; channels];
        let mut unsettled = Vec::new();
        for _ in 0..ROUNDS {
            unsettled.clear();
            for channel in 0..channels as u32 {
                if !core::mem::take(&mut is_due[channel as usize]) {
                    continue;
                }
                for class in 0..CLASSES_MAX as u8 {
                    if self.look_at(channel, class, &mut is_due) {
                        unsettled.push((channel, class));
                    }
                }
            }
            if unsettled.is_empty() {
                return self.spread_failures();
            }
        }
        for (channel, class) in &unsettled {
            self.fail_circle(*channel, *class);
        }
        self.spread_failures();
        for (channel, class) in unsettled {
            self.fail(channel, class, NoBound::Circle { channel });
        }
        self.spread_failures();
    }

    /// Of nothing in the circle that a class at a channel is part of anything is known. Is there
    /// one?
    fn fail_circle(&mut self, channel: u32, class: u8) -> bool {
        let around = self.circle(channel, class);
        for (channel, class) in &around {
            self.fail(*channel, *class, NoBound::Circle { channel: *channel });
        }
        !around.is_empty()
    }

    /// Whoever may wait for what nothing is known of has no wait that holds.
    pub fn spread_failures(&mut self) {
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for channel in 0..self.ways.members.len() as u32 {
                for class in 0..CLASSES_MAX as u8 {
                    let is_open = !self.failed.contains_key(&(channel, class))
                        && self.ways.of_class(channel, class).next().is_some();
                    if let Some(flow) = self.rival(channel, class).filter(|_| is_open) {
                        goes_on |= self.fail(channel, class, NoBound::Rival { channel, flow });
                    }
                }
            }
        }
    }

    /// Is it unknown how the frames of a way come to a hop?
    pub fn is_unknown(&self, member: Member) -> bool {
        let way = &self.ways.all[member.way as usize];
        let mut before = way.hops[..member.hop as usize].iter();
        way.pace.is_err() || before.any(|hop| self.failed.contains_key(&(*hop, way.class)))
    }

    /// A flow for which a class may wait at a port, and of which it is unknown how it comes.
    fn rival(&self, channel: u32, class: u8) -> Option<u32> {
        let mut members = self.ways.members[channel as usize].iter();
        let found = members.find(|member| {
            let own = self.ways.all[member.way as usize].class;
            self.goes_before(channel, own, class) && self.is_unknown(**member)
        })?;
        Some(self.ways.all[found.way as usize].flow)
    }

    /// Can frames of class `other` make those of `class` wait however many they are?
    fn goes_before(&self, channel: u32, other: u8, class: u8) -> bool {
        match self.ways.spec.links.channel(channel).scheduler {
            SchedulerSpec::StrictPriority => other >= class,
            SchedulerSpec::Fifo => true,
            _ => other == class,
        }
    }

    /// Computes the waits of a class at a port anew. Have they changed? Then all ports behind
    /// it are due.
    fn look_at(&mut self, channel: u32, class: u8, is_due: &mut [bool]) -> bool {
        let members: Vec<Member> = self.ways.of_class(channel, class).collect();
        if members.is_empty() || self.failed.contains_key(&(channel, class)) {
            return false;
        }
        // What the port itself rules out goes before what others do.
        let rivals = self.rivals(channel, class);
        let found = rivals.and_then(|rivals| match self.rival(channel, class) {
            Some(flow) => Err(NoBound::Rival { channel, flow }),
            None => self.waits((channel, class), &members, &rivals),
        });
        let mut has_changed = found.is_err();
        if let Err(reason) = found {
            let is_long = matches!(reason, NoBound::TooLong { .. });
            if !(is_long && self.fail_circle(channel, class)) {
                self.fail(channel, class, reason);
            }
        }
        for (member, wait_ps) in members.iter().zip(found.into_iter().flatten()) {
            let sharing: Vec<u32> = self.ways.sharing(*member).collect();
            for way in sharing {
                let known = &mut self.ways.all[way as usize].waits_ps[member.hop as usize];
                has_changed |= wait_ps > *known;
                *known = wait_ps.max(*known);
            }
        }
        if has_changed {
            for member in members {
                for way in self.ways.sharing(member) {
                    let hops = &self.ways.all[way as usize].hops;
                    for after in &hops[member.hop as usize + 1..] {
                        is_due[*after as usize] = true;
                    }
                }
            }
        }
        has_changed
    }

    /// All channels and classes whose waits depend on those of a class at a channel, and those on
    /// them; nothing if it does not depend on itself.
    fn circle(&self, channel: u32, class: u8) -> BTreeSet<(u32, u8)> {
        let start = (channel, class);
        let mut before: BTreeMap<(u32, u8), Vec<(u32, u8)>> = BTreeMap::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for next in self.behind(at) {
                let known = before.entry(next).or_default();
                if known.is_empty() && next != start {
                    open.push(next);
                }
                known.push(at);
            }
        }
        let mut around = BTreeSet::new();
        open.push(start);
        while let Some(at) = open.pop() {
            for earlier in before.get(&at).into_iter().flatten() {
                if around.insert(*earlier) {
                    open.push(*earlier);
                }
            }
        }
        around
    }

    /// Channels and classes that wait longer if a class at a channel does.
    fn behind(&self, (channel, class): (u32, u8)) -> BTreeSet<(u32, u8)> {
        let members = self.ways.of_class(channel, class);
        let next = members.flat_map(|member| {
            let ways = self.ways.sharing(member);
            ways.filter_map(move |way| {
                let hops = &self.ways.all[way as usize].hops;
                hops.get(member.hop as usize + 1).copied()
            })
        });
        let next: BTreeSet<u32> = next.collect();
        let classes = next.into_iter().flat_map(|next| {
            let members = self.ways.members[next as usize].iter();
            let classes = members.map(|member| self.ways.all[member.way as usize].class);
            let later = classes.filter(move |other| self.goes_before(next, class, *other));
            later.map(move |other| (next, other))
        });
        classes.collect()
    }

    /// Longest waits of the members of a class at a port.
    fn waits(
        &self,
        (channel, class): (u32, u8),
        members: &[Member],
        rivals: &Rivals,
    ) -> Result<Vec<u64>, NoBound> {
        let link = self.ways.spec.links.channel(channel);
        let wire = |way: &Way| wire_ps(link.rate, way.most_bytes);
        // In order of arrival all classes are as one.
        let is_mixed = link.scheduler.ignores_priority();
        let curve = self.curve(channel, |other| is_mixed || other == class, wire);
        let own = |member: &Member| wire(&self.ways.all[member.way as usize]);
        let mut sizes: Vec<u64> = members.iter().map(own).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let found = waits(channel, &curve, rivals, &sizes)?;
        let of = |member: &Member| {
            let at = sizes.binary_search(&own(member));
            found[at.unwrap_or_else(|near| near)]
        };
        Ok(members.iter().map(of).collect())
    }

    /// What else wants the port.
    fn rivals(&self, channel: u32, class: u8) -> Result<Rivals, NoBound> {
        let link = self.ways.spec.links.channel(channel);
        let wire = |way: &Way| wire_ps(link.rate, way.most_bytes);
        match link.scheduler {
            SchedulerSpec::StrictPriority => {
                if self.fills(channel, class) {
                    return Err(NoBound::Overload { channel });
                }
                let lower = self.ways.members[channel as usize]
                    .iter()
                    .map(|member| &self.ways.all[member.way as usize])
                    .filter(|way| way.class < class);
                Ok(Rivals::Priority {
                    higher: self.curve(channel, |other| other > class, wire),
                    lower_ps: lower.map(wire).max().unwrap_or(0),
                })
            }
            SchedulerSpec::Fifo => match self.fills(channel, class) {
                true => Err(NoBound::Overload { channel }),
                false => Ok(Rivals::Priority {
                    higher: Curve::default(),
                    lower_ps: 0,
                }),
            },
            SchedulerSpec::Drr { .. } if is_one_group(link) => {
                let others: Vec<Other> = (0..link.queues.len() as u8)
                    .filter(|other| *other != class)
                    .filter_map(|other| self.other(channel, other))
                    .collect();
                if others.is_empty() {
                    if self.fills(channel, class) {
                        return Err(NoBound::Overload { channel });
                    }
                    return Ok(Rivals::Priority {
                        higher: Curve::default(),
                        lower_ps: 0,
                    });
                }
                let own = self.ways.of_class(channel, class);
                let own = own.map(|member| wire(&self.ways.all[member.way as usize]));
                let rivals = Rivals::Turns {
                    rate: link.rate,
                    quantum_bytes: link.queues[class as usize].quantum_bytes.max(1).into(),
                    bytes: self.curve(channel, |other| other == class, |way| way.most_bytes),
                    others,
                    own_ps: own.max().unwrap_or(0),
                };
                match self.needs_more_turns(channel, class, &rivals) {
                    true => Err(NoBound::Overload { channel }),
                    false => Ok(rivals),
                }
            }
            _ => self.share(channel, class),
        }
    }

    /// Another class of a port that serves in turns; `None` if nothing of it comes.
    fn other(&self, channel: u32, class: u8) -> Option<Other> {
        let ways = || {
            let members = self.ways.of_class(channel, class);
            members.map(|member| &self.ways.all[member.way as usize])
        };
        let queue = &self.ways.spec.links.channel(channel).queues[class as usize];
        Some(Other {
            quantum_bytes: queue.quantum_bytes.into(),
            least_bytes: ways().map(|way| way.least_bytes).min()?,
            most_bytes: ways().map(|way| way.most_bytes).max()?,
        })
    }

    /// What comes to a port of some classes; the links before it limit it.
    pub fn curve(
        &self,
        channel: u32,
        is_of: impl Fn(u8) -> bool,
        work: impl Fn(&Way) -> u64 + Copy,
    ) -> Curve {
        let group = |(input, members): (Option<u32>, Vec<Member>)| {
            let way = |member: &Member| &self.ways.all[member.way as usize];
            let stairs = members.iter().filter_map(|member| {
                Some(Stairs {
                    pace: way(member).pace.ok()?,
                    jitter_ps: self.ways.jitter_ps(*member),
                    work: work(way(member)),
                })
            });
            let sizes = |rate| {
                let of = move |way: &Way| (work(way), wire_ps(rate, way.most_bytes));
                members.iter().map(move |member| of(way(member)))
            };
            let rate = input.map(|input| self.ways.spec.links.channel(input).rate);
            let mut cuts = members.iter().map(|member| self.ways.is_cut(*member));
            let first = cuts.next();
            let is_mixed = cuts.any(|own| Some(own) != first);
            Group {
                stairs: stairs.collect(),
                line: rate.and_then(|rate| Line::new(sizes(rate), is_mixed)),
            }
        };
        let inputs = self.ways.by_input(channel, is_of).into_iter();
        Curve {
            groups: inputs.map(group).collect(),
        }
    }

    /// May the class and those above it fill the port?
    pub fn fills(&self, channel: u32, class: u8) -> bool {
        const WHOLE: u128 = 1 << 32;
        let rate = self.ways.spec.links.channel(channel).rate;
        let ways = self.ways.members[channel as usize]
            .iter()
            .map(|member| &self.ways.all[member.way as usize])
            .filter(|way| self.goes_before(channel, way.class, class));
        let parts = ways.filter_map(|way| {
            let pace = way.pace.ok()?;
            let work = u128::from(wire_ps(rate, way.most_bytes)) * u128::from(pace.sources);
            let share = work.checked_mul(pace.divisor)?.checked_mul(WHOLE);
            Some(share.map_or(WHOLE, |share| share.div_ceil(pace.numerator)))
        });
        parts.sum::<u128>() >= WHOLE
    }

    /// Does more of a class come, in the time of many turns, than turns let through?
    fn needs_more_turns(&self, channel: u32, class: u8, rivals: &Rivals) -> bool {
        let Rivals::Turns {
            rate,
            quantum_bytes,
            others,
            ..
        } = rivals
        else {
            return false;
        };
        let bytes = MANY_TURNS * u128::from(*quantum_bytes);
        let others_ps = others_send(others, MANY_TURNS, *rate, false);
        let own_ps = bytes * 8_000_000_000_000 / u128::from(rate.0);
        let Ok(span_ps) = u64::try_from(others_ps + own_ps) else {
            return true;
        };
        let ways = self.ways.of_class(channel, class);
        let come = ways.filter_map(|member| {
            let way = &self.ways.all[member.way as usize];
            Some(way.pace.ok()?.frames(span_ps) * u128::from(way.most_bytes))
        });
        come.sum::<u128>() > bytes
    }
}

/// None of its classes goes before others.
pub(super) fn is_one_group(link: &ChannelSpec) -> bool {
    let mut queues = link.queues.iter();
    queues.all(|queue| queue.priority == link.queues[0].priority)
}
