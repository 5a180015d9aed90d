//! Congestion seen, and who is asked to stop.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Time;
use backwater_net::frames::probe::Gate;
use backwater_net::frames::spec::{BackPressureSpec, Choose, Notify, Select};

use super::network::{Congestion, Frame, Network, Point, channel_spec};
use super::orders::topic;

/// What a congested point can say.
impl Network {
    /// The back-pressure that looks at this point, if any does.
    pub fn looks_at(&self, point: Point) -> Option<BackPressureSpec> {
        let spec = match point {
            Point::Input(channel, _) => self.stops_of_input(channel),
            Point::Output(..) => self.stops_of_outputs(self.node_of(point)),
            Point::Blocked(..) => {
                let spec = self.stops_of_outputs(self.node_of(point));
                spec.filter(|spec| spec.blocked.is_some())
            }
        };
        spec.filter(|spec| spec.classes >> point.class() & 1 == 1)
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
            Point::Input(channel, class) => self.came_in(channel, class),
            Point::Blocked(channel, class) => {
                let waiting = self.queue(channel, class).waiting.iter();
                waiting
                    .filter(|frame| self.is_destination_stopped(channel, frame))
                    .collect()
            }
        }
    }

    /// The same without those being sent.
    fn waiting_at(&self, point: Point) -> Vec<Frame> {
        let frames = self.frames_at(point).into_iter();
        let waits = |frame: &&Frame| {
            let mut sending = self.channels.iter().flat_map(|it| &it.queues);
            !sending.any(|queue| {
                queue
                    .sending
                    .as_ref()
                    .is_some_and(|it| it.joined == frame.joined)
            })
        };
        frames.filter(waits).cloned().collect()
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
        let is_new = !self.congested.contains_key(&point);
        if is_new {
            self.becomes_congested(now, point);
        }
        let found = match is_new {
            true => self.waiting_at(point),
            false => vec![frame.clone()],
        };
        let mut stopped = match spec.select {
            Select::Destination(Choose::Random { .. }) if is_new => self.draw(&spec, point),
            Select::Destination(Choose::Random { .. }) => Vec::new(),
            _ => found.clone(),
        };
        if !is_new && self.passes_second_mark(&spec, point) {
            stopped.extend(self.draw(&spec, point));
            if let Some(congestion) = self.congested.get_mut(&point) {
                congestion.drew_again = true;
            }
        }
        self.ask_for(now, &spec, point, &found, &stopped);
    }

    fn becomes_congested(&mut self, now: Time, point: Point) {
        let congestion = Congestion {
            since: now,
            neighbours: BTreeSet::new(),
            gates: BTreeSet::new(),
            asked: BTreeMap::new(),
            drew_again: false,
            timed_out: false,
        };
        let counts = &mut self.channels[point.channel()].counts;
        match point {
            Point::Output(_, class) => counts.congestions[class] += 1,
            Point::Blocked(_, class) => counts.blocked[class] += 1,
            Point::Input(..) => {}
        }
        self.congested.insert(point, congestion);
    }

    /// Channels towards the neighbours that are told because of these frames at a point.
    fn neighbours(
        &self,
        spec: &BackPressureSpec,
        point: Point,
        frames: &[Frame],
    ) -> BTreeSet<usize> {
        let channel = point.channel();
        let all = self.leaving(self.node_of(point));
        match (point, spec.notify) {
            (Point::Input(..), _) => BTreeSet::from([channel ^ 1]),
            (_, Notify::All) => all.collect(),
            (_, Notify::Others) => all.filter(|other| *other != channel).collect(),
            (_, Notify::Contributing) => {
                let came_over = frames.iter().filter_map(|frame| frame.came_over);
                came_over.map(|input| input ^ 1).collect()
            }
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

    /// Frames drawn from the queue.
    fn draw(&mut self, spec: &BackPressureSpec, point: Point) -> Vec<Frame> {
        let Select::Destination(Choose::Random { frames: draws }) = spec.select else {
            return Vec::new();
        };
        let found = self.waiting_at(point);
        let key = (point.channel(), point.class());
        let Some(stream) = self.selection.get_mut(&key) else {
            return Vec::new();
        };
        let place = |_| stream.below(found.len() as u64) as usize;
        let places = (0..draws).map(place);
        places.map(|place| found[place].clone()).collect()
    }

    /// Asks the neighbours that sent `found` too, and for the destinations of `stopped` too.
    fn ask_for(
        &mut self,
        now: Time,
        spec: &BackPressureSpec,
        point: Point,
        found: &[Frame],
        stopped: &[Frame],
    ) {
        let neighbours = self.neighbours(spec, point, found);
        let class = point.class() as u8;
        let gate = |frame: &Frame| match spec.select {
            Select::Port => Gate::Port,
            Select::Class => Gate::Class(class),
            Select::Destination(_) => Gate::Destination(class, frame.destination as u32),
        };
        let Some(congestion) = self.congested.get_mut(&point) else {
            return;
        };
        congestion.neighbours.extend(neighbours);
        let neighbours = congestion.neighbours.clone();
        let old_gates = congestion.gates.clone();
        let new_gates: BTreeSet<Gate> = stopped.iter().map(gate).collect();
        congestion.gates.extend(new_gates.clone());
        for gates in [old_gates, new_gates] {
            for neighbour in &neighbours {
                for gate in &gates {
                    self.ask(now, point, (*neighbour, *gate));
                }
            }
        }
    }
}

/// The counter of each (neighbour, gate).
impl Network {
    /// Points that ask for a gate at the neighbour that a channel leads to.
    pub fn requests(&self, key: (usize, Gate)) -> usize {
        let all = self.congested.values();
        all.filter(|it| it.asked.contains_key(&key)).count()
    }

    fn ask(&mut self, now: Time, point: Point, key: (usize, Gate)) {
        let is_first = self.requests(key) == 0;
        let Some(congestion) = self.congested.get_mut(&point) else {
            return;
        };
        let has_asked = congestion.asked.contains_key(&key);
        if has_asked || congestion.timed_out {
            return;
        }
        congestion.asked.insert(key, now);
        if is_first {
            self.notify(now, key.0, topic(key.1));
        }
    }

    pub fn give_back(&mut self, now: Time, point: Point, key: (usize, Gate)) {
        if let Some(congestion) = self.congested.get_mut(&point) {
            congestion.asked.remove(&key);
        }
        if self.requests(key) == 0 {
            self.notify(now, key.0, topic(key.1));
        }
    }

    /// Fewer bytes count at a point.
    pub fn after_departure(&mut self, now: Time, point: Point) {
        if self.congested.contains_key(&point) && self.is_under(point) {
            let asked = self.congested[&point].asked.clone();
            for key in asked.into_keys() {
                self.give_back(now, point, key);
            }
            self.congested.remove(&point);
            if let Point::Blocked(channel, class) = point {
                self.channels[channel].counts.unblocked[class] += 1;
            }
        }
    }

    /// Stopped frames in a queue are congestion too.
    pub fn look_at_blocked(
        &mut self,
        now: Time,
        channel: usize,
        class: usize,
        joined: Option<&Frame>,
    ) {
        let point = Point::Blocked(channel, class);
        let Some(spec) = self.looks_at(point) else {
            return;
        };
        if self.is_over(point) {
            let is_new = !self.congested.contains_key(&point);
            if is_new {
                self.becomes_congested(now, point);
            }
            let stopped = |frame: &&Frame| self.is_destination_stopped(channel, frame);
            let found = match is_new {
                true => self.queue(channel, class).waiting.clone(),
                false => joined.filter(stopped).into_iter().cloned().collect(),
            };
            let stopped = self.waiting_at(point);
            self.ask_for(now, &spec, point, &found, &stopped);
        }
        self.after_departure(now, point);
    }
}
