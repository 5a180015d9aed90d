//! Congestion seen, neighbours told, and what they do about it.

use std::collections::{BTreeMap, BTreeSet};

use ethernet::probe::{Content, Gate};
use ethernet::spec::{BackPressureSpec, Choose, Detect, Message, Notify, Select};
use kernel::Time;

use super::network::{Congestion, Control, Frame, Network, Point, channel_spec};

/// What a congested point can say.
impl Network {
    /// The back-pressure that looks at this point, if any does.
    fn looks_at(&self, point: Point) -> Option<BackPressureSpec> {
        let spec = self.back_pressure(self.node_of(point), point.class())?;
        let looks = match point {
            Point::Output(..) => spec.detect == Detect::Outputs,
            Point::Input(..) => spec.detect == Detect::Inputs,
            Point::Blocked(..) => spec.blocked.is_some(),
        };
        looks.then_some(spec)
    }

    pub fn node_of(&self, point: Point) -> usize {
        match point {
            Point::Input(channel, _) => self.head(channel),
            Point::Output(channel, _) | Point::Blocked(channel, _) => self.tail(channel),
        }
    }

    /// Frames that count at a point, in order of joining.
    fn frames_at(&self, point: Point) -> Vec<&Frame> {
        match point {
            Point::Output(channel, class) => self.queue(channel, class).frames().collect(),
            Point::Input(channel, class) => self.from_input(channel, class),
            Point::Blocked(channel, class) => {
                let waiting = self.queue(channel, class).waiting.iter();
                waiting
                    .filter(|frame| self.is_destination_stopped(channel, frame))
                    .collect()
            }
        }
    }

    fn bytes_at(&self, point: Point) -> u64 {
        let frames = self.frames_at(point);
        frames.iter().map(|frame| frame.bytes).sum()
    }

    /// High and low threshold.
    fn thresholds(&self, point: Point) -> Option<(u64, u64)> {
        match point {
            Point::Output(channel, class) => {
                let queue = self.queue_spec(channel, class);
                Some((queue.high_bytes, queue.low_bytes))
            }
            Point::Input(channel, class) => {
                let input = channel_spec(&self.spec, channel).inputs.get(class)?;
                Some((input.high_bytes, input.low_bytes))
            }
            Point::Blocked(..) => {
                let blocked = self.looks_at(point)?.blocked?;
                Some((blocked.high_bytes, blocked.low_bytes))
            }
        }
    }

    fn is_over(&self, point: Point) -> bool {
        if let (Point::Input(channel, class), Some(shared)) =
            (point, self.shared(self.node_of(point)))
        {
            return self.is_share_over(self.node_of(point), &shared, (channel, class));
        }
        let thresholds = self.thresholds(point);
        thresholds.is_some_and(|(high, _)| self.bytes_at(point) > high)
    }

    fn is_under(&self, point: Point) -> bool {
        if let (Point::Input(channel, class), Some(shared)) =
            (point, self.shared(self.node_of(point)))
        {
            return self.is_share_under(self.node_of(point), &shared, (channel, class));
        }
        let thresholds = self.thresholds(point);
        thresholds.is_some_and(|(_, low)| self.bytes_at(point) < low)
    }

    /// A frame has joined: congestion may begin, or concern more.
    pub fn after_join(&mut self, now: Time, point: Point, frame: &Frame) {
        let Some(spec) = self.looks_at(point) else {
            return;
        };
        if !self.is_over(point) {
            return;
        }
        if self.congested.contains_key(&point) {
            self.concerns_more(&spec, point, frame);
        } else {
            self.becomes_congested(now, &spec, point);
        }
        if self.passes_second_mark(&spec, point) {
            let drawn = self.draw(&spec, point);
            if let Some(congestion) = self.congested.get_mut(&point) {
                congestion.drew_again = true;
                congestion.destinations.extend(drawn);
            }
        }
        self.ask_for_all(now, &spec, point);
    }

    fn becomes_congested(&mut self, now: Time, spec: &BackPressureSpec, point: Point) {
        let destinations = match spec.select {
            Select::Destination(Choose::Random { .. }) if !matches!(point, Point::Blocked(..)) => {
                self.draw(spec, point)
            }
            Select::Destination(_) => {
                let frames = self.frames_at(point).into_iter();
                frames.map(|frame| frame.destination).collect()
            }
            Select::Port | Select::Class => BTreeSet::new(),
        };
        let congestion = Congestion {
            since: now,
            neighbours: self.neighbours(spec, point),
            destinations,
            asked: BTreeMap::new(),
            drew_again: false,
            timed_out: false,
            released: BTreeSet::new(),
        };
        if let Point::Output(channel, class) = point {
            self.channels[channel].counts.congestions[class] += 1;
        }
        self.congested.insert(point, congestion);
    }

    /// Channels towards the neighbours that a point tells as it becomes congested.
    fn neighbours(&self, spec: &BackPressureSpec, point: Point) -> BTreeSet<usize> {
        let (channel, class) = match point {
            Point::Input(channel, _) => return BTreeSet::from([channel ^ 1]),
            Point::Output(channel, class) | Point::Blocked(channel, class) => (channel, class),
        };
        let all = self.leaving(self.tail(channel)).into_iter();
        match spec.notify {
            Notify::All => all.collect(),
            Notify::Others => all.filter(|other| *other != channel).collect(),
            Notify::Contributing => {
                let frames = self.queue(channel, class).frames();
                frames
                    .filter_map(|frame| Some(frame.came_over? ^ 1))
                    .collect()
            }
        }
    }

    /// A frame came while the point is above its high threshold.
    fn concerns_more(&mut self, spec: &BackPressureSpec, point: Point, frame: &Frame) {
        let Some(congestion) = self.congested.get_mut(&point) else {
            return;
        };
        if spec.notify == Notify::Contributing && !matches!(point, Point::Input(..)) {
            congestion
                .neighbours
                .extend(frame.came_over.map(|it| it ^ 1));
        }
        if spec.select == Select::Destination(Choose::AllFound) {
            congestion.destinations.insert(frame.destination);
        }
    }

    fn passes_second_mark(&self, spec: &BackPressureSpec, point: Point) -> bool {
        let Select::Destination(Choose::Random { .. }) = spec.select else {
            return false;
        };
        let limit = match point {
            Point::Output(channel, class) => self.queue_spec(channel, class).limit_bytes,
            Point::Input(channel, class) => channel_spec(&self.spec, channel)
                .inputs
                .get(class)
                .and_then(|input| input.limit_bytes),
            Point::Blocked(..) => None,
        };
        let (Some(limit), Some((high, _))) = (limit, self.thresholds(point)) else {
            return false;
        };
        let has_drawn = self.congested.get(&point).is_some_and(|it| it.drew_again);
        !has_drawn && self.bytes_at(point) > high + limit.saturating_sub(high) / 4
    }

    /// Destinations of frames drawn from the queue.
    fn draw(&mut self, spec: &BackPressureSpec, point: Point) -> BTreeSet<usize> {
        let Select::Destination(Choose::Random { frames: draws }) = spec.select else {
            return BTreeSet::new();
        };
        let frames = self.frames_at(point).into_iter();
        let found: Vec<usize> = frames.map(|frame| frame.destination).collect();
        let key = (point.channel(), point.class());
        let Some(stream) = self.selection.get_mut(&key) else {
            return BTreeSet::new();
        };
        let place = |_| stream.below(found.len() as u64) as usize;
        (0..draws).map(place).map(|place| found[place]).collect()
    }

    fn ask_for_all(&mut self, now: Time, spec: &BackPressureSpec, point: Point) {
        let Some(congestion) = self.congested.get(&point) else {
            return;
        };
        let class = point.class() as u8;
        let gates: BTreeSet<Gate> = match spec.select {
            Select::Port => BTreeSet::from([Gate::Port]),
            Select::Class => BTreeSet::from([Gate::Class(class)]),
            Select::Destination(_) => {
                let all = congestion.destinations.iter();
                all.map(|it| Gate::Destination(class, *it as u32)).collect()
            }
        };
        for neighbour in congestion.neighbours.clone() {
            for gate in &gates {
                self.ask(now, point, (neighbour, *gate));
            }
        }
    }
}

/// The counter of each (neighbour, gate).
impl Network {
    /// Points that ask for a gate at the neighbour that a channel leads to.
    pub fn requests(&self, key: (usize, Gate)) -> usize {
        let all = self.congested.values();
        all.filter(|congestion| congestion.asked.contains_key(&key))
            .count()
    }

    fn ask(&mut self, now: Time, point: Point, key: (usize, Gate)) {
        let is_first = self.requests(key) == 0;
        let Some(congestion) = self.congested.get_mut(&point) else {
            return;
        };
        if congestion.released.contains(&key.0) || congestion.asked.contains_key(&key) {
            return;
        }
        congestion.asked.insert(key, now);
        if is_first {
            self.send_stop(now, key, false);
        }
    }

    pub fn give_back(&mut self, point: Point, key: (usize, Gate)) {
        if let Some(congestion) = self.congested.get_mut(&point) {
            congestion.asked.remove(&key);
        }
        if self.requests(key) == 0 {
            let (channel, gate) = key;
            self.channels[channel].refreshes.remove(&gate);
            self.channels[channel].control.push_back(Control {
                content: message(gate, 0),
                is_endless: false,
                is_refresh: false,
            });
        }
    }

    /// A stop joins the control queue of the channel towards the neighbour.
    pub fn send_stop(&mut self, now: Time, (channel, gate): (usize, Gate), is_refresh: bool) {
        let Some(switch) = self.switch(self.tail(channel)) else {
            return;
        };
        let Some(message_spec) = switch.back_pressure.map(|it| it.message) else {
            return;
        };
        let (quanta, is_endless) = match message_spec {
            Message::UntilCancelled => (u16::MAX, true),
            Message::Quanta {
                quanta,
                refresh_percent,
            } => {
                if let Some(percent) = refresh_percent {
                    let lasts = self.quanta(channel ^ 1, quanta).ps();
                    let again = kernel::Duration(lasts * u64::from(percent) / 100);
                    self.channels[channel].refreshes.insert(gate, now + again);
                }
                (quanta, false)
            }
        };
        self.channels[channel].control.push_back(Control {
            content: message(gate, quanta),
            is_endless,
            is_refresh,
        });
    }

    /// Fewer bytes count at a point.
    pub fn after_departure(&mut self, _now: Time, point: Point) {
        if self.congested.contains_key(&point) && self.is_under(point) {
            let asked = self.congested[&point].asked.clone();
            for key in asked.into_keys() {
                self.give_back(point, key);
            }
            self.congested.remove(&point);
        }
    }

    /// Stopped frames in a queue are congestion too.
    pub fn look_at_blocked(&mut self, now: Time, channel: usize, class: usize) {
        let point = Point::Blocked(channel, class);
        let Some(spec) = self.looks_at(point) else {
            return;
        };
        if self.is_over(point) {
            if !self.congested.contains_key(&point) {
                self.becomes_congested(now, &spec, point);
            }
            let frames = self.frames_at(point).into_iter();
            let found: Vec<usize> = frames.map(|frame| frame.destination).collect();
            let neighbours = self.neighbours(&spec, point);
            if let Some(congestion) = self.congested.get_mut(&point) {
                congestion.destinations.extend(found);
                congestion.neighbours.extend(neighbours);
            }
            self.ask_for_all(now, &spec, point);
        }
        self.after_departure(now, point);
    }
}

fn message(gate: Gate, quanta: u16) -> Content {
    match gate {
        Gate::Port => Content::Pause { quanta },
        Gate::Class(class) => Content::Pfc {
            classes: 1 << class,
            quanta,
        },
        Gate::Destination(class, destination) => Content::StopDestination {
            class,
            destination,
            quanta,
        },
    }
}

/// What a node does about the control frames it gets.
impl Network {
    /// A control frame that came over `channel` takes effect on what leaves the other way.
    pub fn obey(&mut self, now: Time, channel: usize, control: Control) {
        if self.spec.nodes[self.head(channel)].is_deaf {
            return;
        }
        let stopped = channel ^ 1;
        let classes = self.channels[stopped].queues.len();
        let (gates, quanta): (Vec<Gate>, u16) = match control.content {
            Content::Pause { quanta } => (vec![Gate::Port], quanta),
            Content::Pfc {
                classes: set,
                quanta,
            } => {
                let named = (0..classes as u8).filter(|class| set >> class & 1 == 1);
                (named.map(Gate::Class).collect(), quanta)
            }
            Content::StopDestination {
                class,
                destination,
                quanta,
            } => (vec![Gate::Destination(class, destination)], quanta),
            Content::Tcp { .. } | Content::Udp { .. } => return,
        };
        let end = (!control.is_endless).then(|| now + self.quanta(stopped, quanta));
        for gate in gates {
            self.set_gate(now, stopped, gate, (quanta > 0).then_some(end));
        }
    }

    /// Closes a gate (with its end, if it has one) or opens it.
    pub fn set_gate(
        &mut self,
        now: Time,
        channel: usize,
        gate: Gate,
        closed: Option<Option<Time>>,
    ) {
        match closed {
            Some(end) => {
                self.channels[channel].counts.stops_obeyed += 1;
                self.channels[channel].gates.insert(gate, end);
            }
            None => {
                self.channels[channel].gates.remove(&gate);
            }
        }
        for class in 0..self.channels[channel].queues.len() {
            let is_of_class = gate == Gate::Port || gate == Gate::Class(class as u8);
            if closed.is_some() && is_of_class {
                self.channels[channel].queues[class].last_stop = Some(now);
            }
            self.look_at_blocked(now, channel, class);
        }
    }
}
