//! Timers: response times, ends of stops, refreshes, storms, time-outs, watchdogs.

use std::collections::BTreeSet;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::probe::{Gate, LossCause};
use backwater_net::frames::spec::{TimeOutSpec, WatchdogAction};

use super::network::{Congestion, Network, Point};
use super::rates;

impl Network {
    /// Every time at which [`Network::timers`] would do something.
    pub fn timer_times(&self) -> Vec<Time> {
        let mut times = Vec::new();
        for (id, channel) in self.channels.iter().enumerate() {
            times.extend(channel.responses.iter().map(|(at, _)| *at));
            times.extend(channel.gates.values().flatten());
            times.extend(channel.refreshes.iter().map(|(at, _)| *at));
            times.extend(channel.storm);
            for class in 0..channel.queues.len() {
                times.extend(self.trips_at(id, class));
                times.extend(self.restores_at(id, class));
            }
        }
        let congested = self.congested.iter();
        times.extend(self.stating.values().map(|own| own.next));
        times.extend(self.credit_times());
        times.extend(self.pace_times());
        times.extend(self.hold_times(self.now));
        times.extend(congested.filter_map(|(point, it)| Some(self.time_out_of(*point, it)?.0)));
        times
    }

    pub fn timers(&mut self, now: Time) {
        self.credit_timers(now);
        for channel in 0..self.channels.len() {
            self.responses_end(now, channel);
        }
        for channel in 0..self.channels.len() {
            self.stops_end(now, channel);
        }
        for channel in 0..self.channels.len() {
            self.refresh(now, channel);
        }
        for channel in 0..self.channels.len() {
            self.storm(now, channel);
        }
        let congested: Vec<Point> = self.congested.keys().copied().collect();
        for point in congested {
            self.time_out(now, point);
        }
        for channel in 0..self.channels.len() {
            for class in 0..self.channels[channel].queues.len() {
                self.watchdog(now, channel, class);
            }
        }
        self.state_rates(now);
    }

    /// Queues whose interval is over state their rates.
    fn state_rates(&mut self, now: Time) {
        let due = self.stating.iter().filter(|(_, own)| own.next == now);
        let due: Vec<(usize, usize)> = due.map(|(queue, _)| *queue).collect();
        for (channel, class) in due {
            let queue = self.queue(channel, class);
            let (bytes, waiting) = (queue.bytes(), &queue.waiting);
            let listeners = rates::listeners(waiting, &self.spec.flows);
            let Some(stating) = self.stating.get_mut(&(channel, class)) else {
                continue;
            };
            let rate = stating.state(bytes);
            for (flow, is_forward) in listeners {
                let data = (flow, is_forward, self.flows[flow].created);
                let spec = &self.spec.flows[flow];
                let frame = rates::message(now, spec, data, (channel, class, rate));
                self.frame_made(now, self.tail(channel), frame);
            }
        }
    }

    fn responses_end(&mut self, now: Time, channel: usize) {
        let responses = std::mem::take(&mut self.channels[channel].responses);
        for (at, control) in responses {
            if at == now {
                self.obey(now, channel, control);
            } else {
                self.channels[channel].responses.push((at, control));
            }
        }
    }

    fn stops_end(&mut self, now: Time, channel: usize) {
        let gates = self.channels[channel].gates.iter();
        let over: Vec<Gate> = gates
            .filter(|(_, end)| **end == Some(now))
            .map(|(gate, _)| *gate)
            .collect();
        for gate in over {
            self.set_gate(now, channel, gate, None);
        }
    }

    /// When a congested point looks at its neighbours' silence.
    fn time_out_of(&self, point: Point, congestion: &Congestion) -> Option<(Time, TimeOutSpec)> {
        if congestion.timed_out || !matches!(point, Point::Output(..)) {
            return None;
        }
        let spec = self.looks_at(point)?.time_out?;
        Some((congestion.since + spec.after, spec))
    }

    fn time_out(&mut self, now: Time, point: Point) {
        let Some(congestion) = self.congested.get(&point).cloned() else {
            return;
        };
        let Some((at, spec)) = self.time_out_of(point, &congestion) else {
            return;
        };
        if at != now {
            return;
        }
        let told: BTreeSet<usize> = congestion.asked.keys().map(|(it, _)| *it).collect();
        let silent: Vec<usize> = told
            .into_iter()
            .filter(|neighbour| !self.went_on(now, &congestion, *neighbour, spec.grace))
            .collect();
        let node = self.node_of(point);
        self.time_outs[node] += u64::from(!silent.is_empty());
        for key in congestion.asked.into_keys() {
            if silent.contains(&key.0) {
                self.give_back(now, point, key);
            }
        }
        if let Some(congestion) = self.congested.get_mut(&point) {
            congestion.timed_out = true;
        }
    }

    /// Has a neighbour sent what it was told not to send, within the last `grace`?
    fn went_on(
        &self,
        now: Time,
        congestion: &Congestion,
        neighbour: usize,
        grace: Duration,
    ) -> bool {
        let asked = congestion.asked.iter();
        let mut asked = asked.filter(|((channel, _), _)| *channel == neighbour);
        asked.any(|((_, gate), since)| {
            self.last_came.iter().any(|(came, at)| {
                let (channel, class, destination) = *came;
                let is_meant = match *gate {
                    Gate::Port => true,
                    Gate::Class(stopped) => usize::from(stopped) == class,
                    Gate::Destination(stopped, station) => {
                        usize::from(stopped) == class && station as usize == destination
                    }
                    Gate::Flow(..) | Gate::Lane(..) => false,
                };
                channel == neighbour ^ 1 && is_meant && at > since && now.since(*at) < grace
            })
        })
    }
}

/// Watchdogs.
impl Network {
    fn trips_at(&self, channel: usize, class: usize) -> Option<Time> {
        let spec = self.spec.nodes[self.tail(channel)].watchdog?;
        let queue = self.queue(channel, class);
        match queue.tripped {
            Some(_) => None,
            None => Some(queue.held_since? + spec.detect),
        }
    }

    fn restores_at(&self, channel: usize, class: usize) -> Option<Time> {
        let spec = self.spec.nodes[self.tail(channel)].watchdog?;
        let queue = self.queue(channel, class);
        let from = queue.tripped?.max(queue.last_stop.unwrap_or(Time::ZERO));
        Some(from + spec.restore)
    }

    fn is_held(&self, channel: usize, class: usize) -> bool {
        let has_frames = !self.queue(channel, class).waiting.is_empty();
        has_frames && self.is_class_stopped(channel, class)
    }

    fn watchdog(&mut self, now: Time, channel: usize, class: usize) {
        if self.restores_at(channel, class) == Some(now) {
            self.channels[channel].queues[class].tripped = None;
            self.channels[channel].queues[class].held_since = None;
        } else if self.trips_at(channel, class) == Some(now) && self.is_held(channel, class) {
            self.trip(now, channel, class);
        }
    }

    fn trip(&mut self, now: Time, channel: usize, class: usize) {
        let node = self.tail(channel);
        self.channels[channel].queues[class].tripped = Some(now);
        self.channels[channel].queues[class].held_since = None;
        self.channels[channel].counts.watchdog_trips[class] += 1;
        let action = self.spec.nodes[node].watchdog.map(|spec| spec.action);
        if action != Some(WatchdogAction::Drop) {
            return;
        }
        while !self.channels[channel].queues[class].waiting.is_empty() {
            let frame = self.channels[channel].queues[class].waiting.remove(0);
            self.drop_frame(now, channel, &frame, LossCause::Watchdog);
            self.has_left(now, channel, &frame);
        }
        self.note_empty(channel, class);
    }

    /// Notes since when classes are held, after everything of an instant.
    pub fn look_at_watchdogs(&mut self, now: Time) {
        for channel in 0..self.channels.len() {
            for class in 0..self.channels[channel].queues.len() {
                let is_held = self.is_held(channel, class);
                let queue = &mut self.channels[channel].queues[class];
                match is_held && queue.tripped.is_none() {
                    true => queue.held_since = queue.held_since.or(Some(now)),
                    false => queue.held_since = None,
                }
            }
        }
    }
}
