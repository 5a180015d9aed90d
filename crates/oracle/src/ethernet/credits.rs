//! Credit over channels, by lane: everything is counted anew each time it is asked for.

use std::collections::BTreeSet;

use backwater_kernel::Time;
use backwater_net::frames::probe::{Content, CreditMessage, Gate};
use backwater_net::frames::spec::{Bind, Owner};

use super::loops::{Way, lane};
use super::network::{Control, Frame, Network, channel_spec};

/// The receiver.
impl Network {
    /// The lane in which a frame crosses a channel, if it has credit.
    pub fn lane(&self, channel: usize, frame: &Frame) -> Option<(usize, usize)> {
        let way = Way {
            flow: frame.flow,
            is_forward: frame.is_forward,
        };
        let class = frame.class as u8;
        self.place(channel, lane(&self.spec, channel, way, class)?)
    }

    fn place(&self, channel: usize, gate: Gate) -> Option<(usize, usize)> {
        let mut lanes = self.lanes[channel].iter();
        let place = lanes.position(|own| *own == Some(gate))?;
        Some((channel, place))
    }

    fn gate(&self, at: (usize, usize)) -> Option<Gate> {
        self.lanes[at.0][at.1]
    }

    fn fill(&self, at: (usize, usize)) -> u64 {
        let class = self.gate(at).and_then(Gate::class).unwrap_or(0);
        let held = self.came_in(at.0, usize::from(class));
        let held = held
            .iter()
            .filter(|frame| self.lane(at.0, frame) == Some(at));
        let kept = &self.loops[&at];
        held.map(|frame| kept.cost(frame.bytes)).sum()
    }

    /// The lane over which a frame came.
    fn came_by(&self, frame: &Frame) -> Option<(usize, usize)> {
        self.lane(frame.came_over?, frame)
    }

    /// Is there no place for what came over a channel?
    pub fn lacks_place(&self, frame: &Frame) -> bool {
        let Some(at) = self.came_by(frame) else {
            return false;
        };
        self.loops
            .get(&at)
            .is_some_and(|own| self.fill(at) + own.cost(frame.bytes) > u64::from(own.spec.units()))
    }

    /// A frame has come, and stays or does not.
    pub fn count_arrival(&mut self, frame: &Frame, is_dropped: bool) {
        let Some(at) = self.came_by(frame) else {
            return;
        };
        let Some(own) = self.loops.get_mut(&at) else {
            return;
        };
        own.arrived += own.cost(frame.bytes);
        if is_dropped {
            self.count_gone(frame);
        }
    }

    /// A frame that came over a channel is gone.
    pub fn count_gone(&mut self, frame: &Frame) {
        let Some(at) = self.came_by(frame) else {
            return;
        };
        let Some(own) = self.loops.get_mut(&at) else {
            return;
        };
        let cost = own.cost(frame.bytes);
        own.freed += cost;
        self.count_untold(at, cost);
    }

    pub fn count_untold(&mut self, at: (usize, usize), units: u64) {
        let Some(own) = self.loops.get_mut(&at) else {
            return;
        };
        own.untold += units;
        let Some(rule) = own.zones() else {
            return self.update_if_due(self.now.unwrap_or_default(), at.0);
        };
        let every = rule.redundant_every.unwrap_or(u32::MAX);
        if own.untold >= u64::from(every.clamp(1, rule.n2)) {
            self.want_credit(at);
        }
    }

    fn want_credit(&mut self, at: (usize, usize)) {
        if self.loops[&at].is_waiting {
            return;
        }
        let value = self.loops[&at].value(self.fill(at));
        if let Some(own) = self.loops.get_mut(&at) {
            own.is_waiting = true;
        }
        self.say_credit(at.0 ^ 1, at, CreditMessage::Credit, value);
    }

    fn say_credit(&mut self, port: usize, at: (usize, usize), message: CreditMessage, value: u64) {
        let Some(lane) = self.gate(at) else { return };
        self.channels[port].control.push_back(Control {
            content: Content::Credit {
                lane,
                message,
                value,
            },
            is_endless: false,
            is_open: false,
        });
    }

    /// A control frame starts on `channel`: what it says now.
    pub fn bind(&mut self, now: Time, channel: usize, control: &mut Control) {
        self.bind_counters(now, channel, &mut control.content);
        let Content::Credit {
            lane,
            message,
            value,
        } = &mut control.content
        else {
            return;
        };
        let about = match message {
            CreditMessage::Credit => channel ^ 1,
            CreditMessage::Sync | CreditMessage::Request => channel,
        };
        let Some(at) = self.place(about, *lane) else {
            return;
        };
        match message {
            CreditMessage::Credit => {
                let late = self.loops[&at].value(self.fill(at));
                let Some(own) = self.loops.get_mut(&at) else {
                    return;
                };
                if own.zones().is_some_and(|rule| rule.bind == Bind::Start) {
                    *value = late;
                }
                (own.untold, own.is_waiting, own.last_credit) = (0, false, now);
            }
            CreditMessage::Sync => *value = self.loops[&at].sent(),
            CreditMessage::Request => {}
        }
    }
}

/// The sender.
impl Network {
    /// Is there too little credit over the channel for a frame?
    pub fn lacks_credit(&self, channel: usize, frame: &Frame) -> bool {
        let at = self.lane(channel, frame);
        let own = at.and_then(|at| Some((at, self.loops.get(&at)?)));
        own.is_some_and(|(at, own)| match own.lane() {
            Some(lane) => self.lacks_counted(channel, at.1, lane, own.cost(frame.bytes)),
            None => own.credit < own.cost(frame.bytes) as i64,
        })
    }

    fn is_short(&self, at: (usize, usize)) -> bool {
        let class = self.gate(at).and_then(Gate::class).unwrap_or(0);
        let mut waiting = self.queue(at.0, usize::from(class)).waiting.iter();
        let first = waiting.find(|frame| self.lane(at.0, frame) == Some(at));
        first.is_some_and(|frame| self.lacks_credit(at.0, frame))
    }

    /// The place, among those that wait, of the frame that goes next of a class whose lanes have
    /// credit of their own: the first of the lanes in turn, or else of those that may go.
    pub fn first_of_lanes(&self, channel: usize, class: usize) -> Option<usize> {
        let queue = self.queue(channel, class);
        let mut seen = BTreeSet::new();
        let heads = queue
            .waiting
            .iter()
            .enumerate()
            .filter_map(|(place, frame)| {
                let lane = self.lane(channel, frame)?;
                seen.insert(lane).then_some((lane.1, place, frame))
            });
        let heads: Vec<(usize, usize, &Frame)> = heads.collect();
        let may_go = heads
            .into_iter()
            .filter(|(_, _, frame)| !self.lacks_credit(channel, frame));
        let credits = &channel_spec(&self.spec, channel).credits;
        let owner = credits[class].map(|credit| credit.owner);
        let in_turns = matches!(owner, Some(Owner::Flow | Owner::Hash(_)));
        let next = may_go.min_by_key(|(lane, place, _)| match in_turns {
            true => (*lane < queue.turn, *lane),
            false => (false, *place),
        });
        next.map(|(_, place, _)| place)
    }

    /// Does a class have several lanes, each with credit of its own?
    pub fn is_sorted(&self, channel: usize, class: usize) -> bool {
        let credits = &channel_spec(&self.spec, channel).credits;
        let credit = credits.get(class).copied().flatten();
        credit.is_some_and(|credit| credit.owner != Owner::Class)
    }

    /// For a frame that takes its place at the other end at `arrives`.
    pub fn pay(&mut self, arrives: Time, channel: usize, frame: &Frame) {
        let Some(at) = self.lane(channel, frame) else {
            return;
        };
        self.channels[channel].queues[frame.class].turn = at.1 + 1;
        let Some(own) = self.loops.get_mut(&at) else {
            return;
        };
        let cost = own.cost(frame.bytes);
        let before = own.sent();
        own.sent.push((arrives, cost));
        own.credit -= cost as i64;
        (own.blocked_since, own.short_since) = (None, None);
        let every = own
            .zones()
            .and_then(|rule| rule.resync_every)
            .map(u64::from);
        if every.is_some_and(|every| before / every != (before + cost) / every) {
            self.say_credit(channel, at, CreditMessage::Sync, 0);
        }
    }

    /// A message has come over `channel`.
    pub fn take_message(&mut self, now: Time, channel: usize, content: &Content) -> bool {
        if let Some(lost) = self.take_counters(channel, content) {
            lost.into_iter()
                .for_each(|(at, units)| self.count_untold(at, units));
            return true;
        }
        let Content::Credit {
            lane,
            message,
            value,
        } = *content
        else {
            return false;
        };
        let about = match message {
            CreditMessage::Credit => channel ^ 1,
            CreditMessage::Sync | CreditMessage::Request => channel,
        };
        let Some(at) = self.place(about, lane) else {
            return true;
        };
        match message {
            CreditMessage::Credit => {
                if let Some(own) = self.loops.get_mut(&at) {
                    own.take(now, value);
                }
                let is_short = self.is_short(at);
                if let Some(own) = self.loops.get_mut(&at) {
                    own.blocked_since = is_short.then_some(now);
                    own.short_since = own.short_since.filter(|_| is_short);
                }
            }
            CreditMessage::Request => self.want_credit(at),
            CreditMessage::Sync => {
                let kept = &self.loops[&at];
                let lost = value.saturating_sub(kept.arrived);
                let news = lost.saturating_sub(kept.known_lost);
                if let Some(own) = self.loops.get_mut(&at) {
                    own.known_lost += news;
                }
                self.count_untold(at, news);
            }
        }
        true
    }

    /// Who has lacked credit since when, after everything of an instant.
    pub fn look_at_credit(&mut self, now: Time) {
        for at in self.loops.keys().copied().collect::<Vec<_>>() {
            let is_short = self.is_short(at);
            if let Some(own) = self.loops.get_mut(&at) {
                own.blocked_since = own.blocked_since.or(Some(now)).filter(|_| is_short);
                own.short_since = own.short_since.or(Some(now)).filter(|_| is_short);
            }
        }
    }

    /// Since when a class has had frames and lacked credit for them.
    pub fn short_since(&self, channel: usize, class: usize) -> Option<Time> {
        self.lane_short_since(self.place(channel, Gate::Class(class as u8))?)
    }

    /// The same of a lane.
    pub fn lane_short_since(&self, at: (usize, usize)) -> Option<Time> {
        let own = self.loops.get(&at).filter(|_| self.is_short(at))?;
        own.short_since
    }

    pub fn credit_times(&self) -> Vec<Time> {
        let mut times = Vec::new();
        for own in self.loops.values() {
            times.extend(own.request_at());
            times.extend(own.refresh_at);
        }
        times.extend(self.counter_times());
        times
    }

    /// Senders that have lacked credit for long ask; receivers that have long been silent speak;
    /// ports state their counters. Loops and channels of one number go together.
    pub fn credit_timers(&mut self, now: Time) {
        let loops: Vec<(usize, usize)> = self.loops.keys().copied().collect();
        for number in 0..loops.len().max(self.channels.len()) {
            if let Some(at) = loops.get(number) {
                self.loop_timers(now, *at);
            }
            if number < self.channels.len() {
                self.counter_timers(now, number);
            }
        }
    }

    fn loop_timers(&mut self, now: Time, at: (usize, usize)) {
        if self.loops[&at].request_at() == Some(now) && self.is_short(at) {
            self.say_credit(at.0, at, CreditMessage::Request, 0);
            if let Some(own) = self.loops.get_mut(&at) {
                own.blocked_since = Some(now);
            }
        }
        if self.loops[&at].refresh_at != Some(now) {
            return;
        }
        let kept = &self.loops[&at];
        let every = kept.zones().and_then(|rule| rule.refresh_every);
        let every = every.unwrap_or_default();
        let due = kept.last_credit + every;
        if due <= now {
            self.want_credit(at);
        }
        if let Some(own) = self.loops.get_mut(&at) {
            own.refresh_at = Some(if due <= now { now + every } else { due });
        }
    }
}
