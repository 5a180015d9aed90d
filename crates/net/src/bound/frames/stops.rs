//! What may hold frames, and what may drop them.
//!
//! Of a queue there is never more than comes in the longest time that one of its frames spends
//! there, last bit included. Where that stays within every threshold of a switch it stops nobody.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use backwater_kernel::Channels;

use super::NoBound;
use super::curve::wire_ps;
use super::settle::Analysis;
use super::ways::Member;
use crate::spec::frames::{
    CLASSES_MAX, MemorySpec, NodeKind, Notify, Ratio, SharedSpec, SwitchSpec, in_cells,
};

const CLASSES: core::ops::Range<u8> = 0..CLASSES_MAX as u8;

impl Analysis<'_> {
    /// Storms, slow stations and credit hold frames whatever comes.
    pub fn hold(&mut self) {
        let spec = self.ways.spec;
        for drain in &spec.rules.drains {
            for channel in self.inward(drain.node) {
                for class in CLASSES {
                    self.fail(channel, class, NoBound::Slow { channel });
                }
            }
        }
        for (node, own) in (0..).zip(&spec.nodes) {
            let NodeKind::Station { storm: Some(storm) } = own.kind else {
                continue;
            };
            let (into, out) = (self.inward(node), self.outward(node));
            for class in CLASSES {
                for &channel in &into {
                    let by = spec.links.channel(channel).stopped.by;
                    if by.in_storm(storm.classes, class) {
                        self.fail(channel, class, NoBound::Storm { channel });
                    }
                }
                for &channel in &out {
                    self.fail(channel, class, NoBound::Control { channel });
                }
            }
        }
        for channel in spec.links.channels() {
            for (class, credit) in CLASSES.zip(&spec.links.channel(channel).credits) {
                if credit.is_some() {
                    self.fail(channel, class, NoBound::Credit { channel });
                    self.control_goes_first(channel ^ 1);
                }
            }
        }
    }

    fn control_goes_first(&mut self, channel: u32) -> bool {
        let mut is_new = false;
        for class in CLASSES {
            is_new |= self.fail(channel, class, NoBound::Control { channel });
        }
        is_new
    }

    fn inward(&self, node: u32) -> Vec<u32> {
        let links = &self.ways.spec.links;
        let ends = |channel: &u32| links.ends(*channel).1 == node;
        links.channels().filter(ends).collect()
    }

    fn outward(&self, node: u32) -> Vec<u32> {
        let links = &self.ways.spec.links;
        let begins = |channel: &u32| links.ends(*channel).0 == node;
        links.channels().filter(begins).collect()
    }

    /// Holds whatever a switch may stop as things stand. Is there more than before?
    pub fn stop(&mut self) -> bool {
        let mut is_new = false;
        for (node, own) in (0..).zip(&self.ways.spec.nodes) {
            let NodeKind::Switch(switch) = &own.kind else {
                continue;
            };
            for class in CLASSES {
                for (channel, whole) in self.stopped_by(node, switch, class) {
                    for class in CLASSES.filter(|own| whole || *own == class) {
                        is_new |= self.fail(channel, class, NoBound::Stop { channel });
                    }
                    is_new |= self.control_goes_first(channel ^ 1);
                }
            }
        }
        is_new
    }

    /// Channels into a switch that it may stop because of a class, and whether as a whole.
    fn stopped_by(&self, node: u32, switch: &SwitchSpec, class: u8) -> Vec<(u32, bool)> {
        let links = &self.ways.spec.links;
        let into = self.inward(node).into_iter();
        let Some(rules) = switch.stops.at_outputs() else {
            let memory = match &switch.memory {
                MemorySpec::Shared(shared) => Some(self.least_free(node, shared)),
                MemorySpec::Queues => None,
            };
            let may_be = |channel: &u32| {
                let (held, high_bytes) = match &memory {
                    Some(memory) => (
                        self.input_cells(*channel, class, memory.spec.cell_bytes),
                        memory.input_bytes(*channel, class),
                    ),
                    None => {
                        let input = links.channel(*channel).inputs.get(class as usize);
                        let high_bytes = input.map_or(u64::MAX, |input| input.high_bytes);
                        (self.input_bytes(*channel, class), high_bytes)
                    }
                };
                held.is_none_or(|held| held > high_bytes)
            };
            let stopped = into.filter_map(|channel| {
                let rules = switch.stops.at_input(channel)?;
                Some((channel, rules)).filter(|_| rules.watches(class) && may_be(&channel))
            });
            return stopped
                .map(|(id, rules)| (id, rules.is_of_port()))
                .collect();
        };
        if !rules.watches(class) {
            return Vec::new();
        }
        let is_congested = |channel: &u32| {
            let high_bytes = links.channel(*channel).queues[class as usize].high_bytes;
            let held = self.queue_bytes(*channel, class);
            held.is_none_or(|held| held > high_bytes)
        };
        let has_class = |channel: &u32| (class as usize) < links.channel(*channel).queues.len();
        let congested = self.outward(node).into_iter().filter(has_class);
        let congested: Vec<u32> = congested.filter(is_congested).collect();
        let told = |input: &u32| {
            congested.iter().any(|&queue| match rules.notify {
                Notify::All => true,
                Notify::Others => *input != queue ^ 1,
                Notify::Contributing => {
                    let mut members = self.ways.of_class(*input, class);
                    members.any(|member| {
                        let mut ways = self.ways.sharing(member);
                        ways.any(|way| self.ways.all[way as usize].hops.contains(&queue))
                    })
                }
            })
        };
        into.filter(told)
            .map(|id| (id, rules.is_of_port()))
            .collect()
    }

    /// Where frames may find no room, by channel and class, as things stand.
    pub fn drops(&self) -> BTreeMap<(u32, u8), NoBound> {
        let mut drops = BTreeMap::new();
        for channel in self.ways.spec.links.channels() {
            let node = self.ways.spec.links.ends(channel).0;
            let NodeKind::Switch(switch) = &self.ways.spec.nodes[node as usize].kind else {
                continue;
            };
            let queues = &self.ways.spec.links.channel(channel).queues;
            for (class, queue) in CLASSES.zip(queues) {
                let Some(needed) = self.queue_bytes(channel, class).filter(|held| *held > 0) else {
                    continue;
                };
                if let Some(limit) = queue.limit_bytes.filter(|limit| *limit < needed) {
                    let reason = NoBound::Drops {
                        channel,
                        needed,
                        limit,
                    };
                    drops.insert((channel, class), reason);
                } else if self.memory_may_lack(node, switch, (channel, class), needed) {
                    drops.insert((channel, class), NoBound::Memory { channel });
                }
            }
        }
        drops
    }

    /// May a shared memory turn frames of a queue away?
    fn memory_may_lack(
        &self,
        node: u32,
        switch: &SwitchSpec,
        (channel, class): (u32, u8),
        held: u64,
    ) -> bool {
        let MemorySpec::Shared(shared) = &switch.memory else {
            return false;
        };
        let memory = self.least_free(node, shared);
        let is_lossless = switch.stops.all().any(|rules| rules.watches(class));
        self.ways.of_class(channel, class).any(|member| {
            let Some(input) = self.ways.input(member) else {
                return false;
            };
            let from_input = self.input_cells(input, class, shared.cell_bytes);
            let fits = from_input.is_some_and(|held| held <= memory.input_bytes(input, class))
                && (is_lossless || held <= memory.queue_bytes((input, channel ^ 1), class));
            let reserve_bytes = shared.share(input, class).reserve_bytes;
            let fits_reserve = from_input.is_some_and(|held| held <= reserve_bytes);
            !fits && !fits_reserve
        })
    }

    /// The worst state of a shared memory.
    fn least_free<'s>(&self, node: u32, spec: &'s SharedSpec) -> LeastFree<'s> {
        let into = self.inward(node);
        let classes = self.ways.spec.links.channel(into[0]).queues.len() as u8;
        let all = spec.pools.iter();
        let all = all.map(|pool| Some(pool.bytes.saturating_sub(pool.headroom_bytes)));
        let mut free: Vec<Option<u64>> = all.collect();
        for (channel, class) in into.iter().flat_map(|id| (0..classes).map(|c| (*id, c))) {
            let share = spec.share(channel, class);
            let free = &mut free[usize::from(share.pool)];
            let held = self.input_cells(channel, class, spec.cell_bytes);
            // The reserve is taken, and what is held beyond it.
            let apart = held.map(|held| held.max(share.reserve_bytes));
            *free = free.and_then(|free| Some(free.saturating_sub(apart?)));
        }
        LeastFree {
            spec,
            free_bytes: free.into_iter().map(Option::unwrap_or_default).collect(),
        }
    }

    /// Most bytes of a class in the queue in front of a channel; `None` without a limit.
    fn queue_bytes(&self, channel: u32, class: u8) -> Option<u64> {
        let rate = self.ways.spec.links.channel(channel).rate;
        let members = || self.ways.of_class(channel, class);
        let stay = |member: Member| {
            let way = &self.ways.all[member.way as usize];
            let wait_ps = way.waits_ps[member.hop as usize];
            wait_ps.saturating_add(wire_ps(rate, way.most_bytes))
        };
        let longest_ps = members().map(stay).max().unwrap_or(0);
        members().try_fold(0, |sum: u64, member| {
            sum.checked_add(self.member_bytes(member, longest_ps)?)
        })
    }

    /// Most bytes of a class that came into a switch over a channel and have not left it.
    fn input_bytes(&self, channel: u32, class: u8) -> Option<u64> {
        self.input_cells(channel, class, 1)
    }

    /// The same in a memory of such cells.
    fn input_cells(&self, channel: u32, class: u8, cell_bytes: u32) -> Option<u64> {
        self.ways
            .of_class(channel, class)
            .try_fold(0, |sum: u64, member| {
                self.ways.all[member.way as usize].pace.ok()?;
                let hop = member.hop + 1;
                // Copies count once, until the last of them has left.
                let mut most = 0;
                for way in self.ways.sharing(member) {
                    let own = &self.ways.all[way as usize];
                    let Some(&next) = own.hops.get(hop as usize) else {
                        continue;
                    };
                    let rate = self.ways.spec.links.channel(next).rate;
                    let wire_ps = wire_ps(rate, own.most_bytes);
                    let stay_ps = own.waits_ps[hop as usize].saturating_add(wire_ps);
                    let member = Member { way, hop };
                    most = self.member_cells(member, stay_ps, cell_bytes)?.max(most);
                }
                sum.checked_add(most)
            })
    }

    /// Most bytes of a way that come to a hop in `stay_ps`, which is the longest they stay there.
    fn member_bytes(&self, member: Member, stay_ps: u64) -> Option<u64> {
        self.member_cells(member, stay_ps, 1)
    }

    /// The same in a memory of such cells.
    fn member_cells(&self, member: Member, stay_ps: u64, cell_bytes: u32) -> Option<u64> {
        let way = &self.ways.all[member.way as usize];
        let channel = way.hops[member.hop as usize];
        if self.is_unknown(member) || self.failed.contains_key(&(channel, way.class)) {
            return None;
        }
        let span_ps = stay_ps.saturating_sub(1);
        let sent_in_ps = span_ps.saturating_add(self.ways.jitter_ps(member));
        let frames = way.pace.ok()?.frames(sent_in_ps);
        let each = in_cells(cell_bytes, way.most_bytes);
        u64::try_from(frames.checked_mul(each.into())?).ok()
    }
}

/// What is free of the shared part of each pool of a memory, at least.
struct LeastFree<'s> {
    spec: &'s SharedSpec,
    free_bytes: Vec<u64>,
}

impl LeastFree<'_> {
    fn part(&self, pool: u8, alpha: Ratio) -> u64 {
        let wide = u128::from(self.free_bytes[usize::from(pool)]) * u128::from(alpha.numerator);
        let part = wide / u128::from(alpha.denominator.max(1));
        u64::try_from(part).unwrap_or(u64::MAX)
    }

    /// What an input may hold, its reserve included.
    fn input_bytes(&self, channel: u32, class: u8) -> u64 {
        let share = self.spec.share(channel, class);
        self.part(share.pool, share.alpha)
            .saturating_add(share.reserve_bytes)
    }

    /// What a queue without flow control may hold, of frames that came over `from`, if its port is
    /// the other end of `port`.
    fn queue_bytes(&self, (from, port): (u32, u32), class: u8) -> u64 {
        let pool = self.spec.share(from, class).pool;
        self.part(pool, self.spec.share(port, class).output_alpha)
    }
}
