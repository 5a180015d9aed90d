//! Counters that two ports keep of each other: from all that was sent, came and went, counted anew.

use backwater_kernel::Time;
use backwater_net::frames::probe::Content;
use backwater_net::frames::spec::{CountersSpec, LaneSpec, Says, Shares};

use super::network::{CONTROL_BYTES, Control, Network, channel_spec};

fn modulo(bits: u8) -> u64 {
    1 << bits
}

/// The least count from `known` on that ends in the same bits as `value`.
fn extend(value: u64, known: u64, bits: u8) -> u64 {
    (known..)
        .find(|count| count % modulo(bits) == value)
        .unwrap_or(known)
}

impl Network {
    fn counted_lanes(&self, channel: usize) -> Vec<usize> {
        let all = self.loops.iter().filter(|(at, _)| at.0 == channel);
        all.filter(|(_, own)| own.lane().is_some())
            .map(|(at, _)| at.1)
            .collect()
    }

    /// Classes of which there is something to say.
    fn with_news(&self, channel: usize) -> Vec<usize> {
        let Some(counted) = &self.counted[channel] else {
            return Vec::new();
        };
        let has_news = |class: &usize| {
            let lane = &self.loops[&(channel, *class)];
            match counted.spec.update.says {
                Says::Freed { .. } | Says::Limit { .. } => {
                    lane.freed + lane.known_lost != lane.told
                }
                Says::Grains { units } => lane.untold >= units.into(),
            }
        };
        self.counted_lanes(channel)
            .into_iter()
            .filter(has_news)
            .collect()
    }

    fn update_at(&self, channel: usize) -> Option<Time> {
        let counted = self.counted[channel].as_ref().filter(|own| !own.waits)?;
        let update = &counted.spec.update;
        if !self.with_news(channel).is_empty() {
            let from = counted.updated.map(|at| at + update.spacing);
            return Some(from.unwrap_or_default());
        }
        Some(counted.updated.unwrap_or_default() + update.at_least_every?)
    }

    /// When a message that waits for an idle link does so no longer.
    fn waits_until(&self, channel: usize, is_update: bool) -> Option<Time> {
        let counted = self.counted[channel].as_ref()?;
        match is_update {
            true => {
                let update = counted.spec.update;
                let every = update.at_least_every.filter(|_| update.waits_for_idle)?;
                Some(counted.updated.unwrap_or_default() + every)
            }
            false => {
                let statement = counted.spec.statement?;
                Some(counted.stated? + statement.every).filter(|_| statement.waits_for_idle)
            }
        }
    }

    /// Is a control frame that waits on a port one that waits for an idle link?
    pub fn waits_for_idle(&self, port: usize, content: &Content) -> bool {
        let Content::Counters { is_update, .. } = content else {
            return false;
        };
        let channel = if *is_update { port ^ 1 } else { port };
        let until = self.waits_until(channel, *is_update);
        until.is_some_and(|until| self.now.unwrap_or_default() < until)
    }

    /// When something is to be said, if not now.
    pub fn counter_times(&self) -> Vec<Time> {
        let mut times = Vec::new();
        for channel in 0..self.counted.len() {
            times.extend(self.update_at(channel));
            let waits = self.counted[channel].as_ref().is_some_and(|own| own.waits);
            let until = self.waits_until(channel, true).filter(|_| waits);
            times.extend(until.filter(|until| self.now.is_none_or(|now| *until > now)));
            times.extend(self.counted[channel].as_ref().and_then(|own| own.state_at));
        }
        times
    }

    /// What is due of a channel is said.
    pub fn counter_timers(&mut self, now: Time, channel: usize) {
        self.update_if_due(now, channel);
        let Some(own) = &mut self.counted[channel] else {
            return;
        };
        let Some(statement) = own.spec.statement.filter(|_| own.state_at == Some(now)) else {
            return;
        };
        own.state_at = Some(now + statement.every);
        let mut controls = self.channels[channel].control.iter();
        let is_statement = |control: &Control| match control.content {
            Content::Counters { is_update, .. } => !is_update,
            _ => false,
        };
        if controls.any(is_statement) {
            return;
        }
        own.stated = Some(now);
        let lanes = self.counted_lanes(channel);
        for group in lanes.chunk_by(|one, other| one / 32 == other / 32) {
            for part in group.chunks(statement.classes.into()) {
                self.say_counters(channel, false, part);
            }
        }
    }

    /// An update is wanted if it may go, and there is something to say or it is time.
    pub fn update_if_due(&mut self, now: Time, channel: usize) {
        if self.update_at(channel).is_none_or(|at| at > now) {
            return;
        }
        if let Some(own) = &mut self.counted[channel] {
            own.waits = true;
        }
        self.say_counters(channel ^ 1, true, &[]);
    }

    fn say_counters(&mut self, port: usize, is_update: bool, lanes: &[usize]) {
        let channel = if is_update { port ^ 1 } else { port };
        let (first, classes) = self.named(channel, lanes);
        self.channels[port].control.push_back(Control {
            content: Content::Counters {
                is_update,
                first,
                classes,
                words: [0; 6],
            },
            is_endless: false,
            is_open: false,
        });
    }

    /// Bytes of a control frame on `port`.
    pub fn control_bytes(&self, port: usize, content: &Content) -> u64 {
        let kept = |channel: usize| self.counted[channel].as_ref().map(|own| own.spec);
        let bytes = match content {
            Content::Counters {
                is_update: true, ..
            } => kept(port ^ 1).map(|own| own.update.bytes),
            Content::Counters { .. } => kept(port).and_then(|own| Some(own.statement?.bytes)),
            _ => None,
        };
        bytes.map_or(CONTROL_BYTES, u64::from)
    }

    /// Is something to be said, or does credit lack that messages will bring back?
    pub fn has_unsettled_credit(&self) -> bool {
        (0..self.counted.len()).any(|channel| {
            let spec = self.counted[channel].as_ref().map(|own| own.spec);
            let mends = |own: CountersSpec| own.statement.and(own.update.at_least_every).is_some();
            let is_used = |class: &usize| self.credits_in_use(channel, *class) > 0;
            !self.with_news(channel).is_empty()
                || spec.is_some_and(mends) && self.counted_lanes(channel).iter().any(is_used)
        })
    }

    /// A message starts on `port`: what it says now.
    pub fn bind_counters(&mut self, now: Time, port: usize, content: &mut Content) {
        let Content::Counters {
            is_update,
            first,
            classes,
            words,
        } = content
        else {
            return;
        };
        let channel = if *is_update { port ^ 1 } else { port };
        if *is_update {
            let chosen = self.choose_lanes(channel);
            (*first, *classes) = self.named(channel, &chosen);
            if let Some(own) = &mut self.counted[channel] {
                (own.updated, own.waits) = (Some(now), false);
            }
        }
        let from = first.unwrap_or(0) as usize;
        let stated = (0..32).filter(|bit| *classes >> bit & 1 == 1);
        for (place, class) in stated.map(|bit| from + bit).enumerate() {
            let value = match is_update {
                true => self.say_freed(channel, class),
                false => self.say_sent(channel, class),
            };
            words[place / 3] += value << (place % 3 * 20);
        }
        if *is_update {
            self.update_if_due(now, channel);
        }
    }

    /// Lanes as a message names them.
    fn named(&self, channel: usize, lanes: &[usize]) -> (Option<u32>, u32) {
        let classes = channel_spec(&self.spec, channel).queues.len();
        let is_sorted = (0..classes).any(|class| self.is_sorted(channel, class));
        let group = lanes.first().map_or(0, |lane| lane / 32);
        let bits = lanes.iter().fold(0, |bits, lane| bits | 1 << (lane % 32));
        (is_sorted.then_some(32 * group as u32), bits)
    }

    /// Those with news, or all, in turn: the first, and others of its 32.
    fn choose_lanes(&mut self, channel: usize) -> Vec<usize> {
        let mut wanted = self.with_news(channel);
        if wanted.is_empty() {
            wanted = self.counted_lanes(channel);
        }
        let Some(own) = &mut self.counted[channel] else {
            return Vec::new();
        };
        let count = self.lanes[channel].len();
        let next = own.next_place % count.max(1);
        wanted.sort_by_key(|lane| (*lane < next, *lane));
        let group = wanted.first().map_or(0, |first| first / 32);
        wanted.retain(|lane| lane / 32 == group);
        wanted.truncate(own.spec.update.classes.into());
        if let Some(last) = wanted.iter().next_back() {
            own.next_place = last + 1;
        }
        wanted.sort_unstable();
        wanted
    }

    fn say_freed(&mut self, channel: usize, class: usize) -> u64 {
        let (Some(counted), Some(own)) = (
            &self.counted[channel],
            self.loops.get_mut(&(channel, class)),
        ) else {
            return 0;
        };
        let freed = own.freed + own.known_lost;
        own.told = freed;
        match counted.spec.update.says {
            Says::Freed { bits } => freed % modulo(bits),
            Says::Limit { bits } => (freed + u64::from(own.spec.units())) % modulo(bits),
            Says::Grains { units } => {
                let grains = (own.untold / u64::from(units)).min(255);
                own.untold -= grains * u64::from(units);
                grains
            }
        }
    }

    fn say_sent(&self, channel: usize, class: usize) -> u64 {
        let statement = self.counted[channel]
            .as_ref()
            .and_then(|own| own.spec.statement);
        let sent = self.loops[&(channel, class)].sent();
        statement.map_or(0, |own| sent % modulo(own.bits))
    }

    /// A message has come over `port`: what it shows to be lost, by channel and class; `None` if it
    /// is of another kind.
    pub fn take_counters(
        &mut self,
        port: usize,
        content: &Content,
    ) -> Option<Vec<((usize, usize), u64)>> {
        let mut lost = Vec::new();
        let Content::Counters {
            is_update,
            first,
            classes,
            words,
        } = *content
        else {
            return None;
        };
        let channel = if is_update { port ^ 1 } else { port };
        let Some(spec) = self.counted[channel].as_ref().map(|own| own.spec) else {
            return Some(lost);
        };
        let from = first.unwrap_or(0) as usize;
        let stated = (0..32).filter(|bit| classes >> bit & 1 == 1);
        for (place, class) in stated.map(|bit| from + bit).enumerate() {
            let value = words[place / 3] >> (place % 3 * 20) & 0xf_ffff;
            let Some(own) = self.loops.get_mut(&(channel, class)) else {
                continue;
            };
            if !is_update {
                let known = own.arrived + own.known_lost;
                let bits = spec.statement.map_or(20, |own| own.bits);
                let news = extend(value, known, bits) - known;
                own.known_lost += news;
                lost.push(((channel, class), news));
                continue;
            }
            let (sent, limit) = (own.sent() as i64, i64::from(own.spec.units()));
            own.heard = match spec.update.says {
                Says::Freed { bits } => extend(value, own.heard as u64, bits) as i64,
                Says::Limit { bits } => {
                    let free = extend(value, sent as u64, bits) as i64 - sent;
                    let half = modulo(bits) as i64 / 2;
                    let free = if free > half { free - 2 * half } else { free };
                    sent - limit + free
                }
                Says::Grains { units } => sent.min(own.heard + value as i64 * i64::from(units)),
            };
        }
        Some(lost)
    }

    fn credits_in_use(&self, channel: usize, class: usize) -> i64 {
        let lane = &self.loops[&(channel, class)];
        lane.sent() as i64 - lane.heard
    }

    /// May a class with counters not send a frame of this cost?
    pub fn lacks_counted(&self, channel: usize, class: usize, lane: &LaneSpec, cost: u64) -> bool {
        let Some(spec) = self.counted[channel].as_ref().map(|own| own.spec) else {
            return true;
        };
        let (used, cost) = (self.credits_in_use(channel, class), cost as i64);
        let free = i64::from(lane.limit_units) - used;
        if free < cost.max(spec.floor_units.into()) {
            return true;
        }
        let Some(port) = spec.port_units else {
            return false;
        };
        let mut reserved = 0;
        let mut shared = 0;
        let mut of_class = 0;
        for other in self.counted_lanes(channel) {
            let Some(lane) = self.loops[&(channel, other)].lane() else {
                continue;
            };
            let mut used = self.credits_in_use(channel, other);
            used += if other == class { cost } else { 0 };
            let beyond = (used - i64::from(lane.reserve_units)).max(0);
            of_class = if other == class { beyond } else { of_class };
            shared += beyond;
            reserved += i64::from(lane.reserve_units);
        }
        let left = i64::from(port) - reserved - shared;
        let is_over = match lane.shares {
            Shares::Nothing => of_class > 0,
            Shares::Units(most) => most.is_some_and(|most| of_class > most.into()),
            Shares::OfFree(power) => of_class as f64 > left as f64 * 2_f64.powi(power.into()),
        };
        left < 0 || is_over
    }
}
