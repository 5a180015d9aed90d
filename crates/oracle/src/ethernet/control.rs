//! Congestion seen, neighbours told, and what they do about it.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Time;
use backwater_net::frames::probe::{Content, Gate};
use backwater_net::frames::spec::{BackPressureSpec, Choose, Detect, Message, Notify, Select};

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
            self.send_stop(now, key, false);
        }
    }

    pub fn give_back(&mut self, point: Point, key: (usize, Gate)) {
        if let Some(congestion) = self.congested.get_mut(&point) {
            congestion.asked.remove(&key);
        }
        if self.requests(key) == 0 {
            let (channel, gate) = key;
            self.channels[channel]
                .refreshes
                .retain(|(_, own)| *own != gate);
            self.tell(channel, message(gate, 0), false);
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
                    let again = backwater_kernel::Duration(lasts * u64::from(percent) / 100);
                    self.channels[channel].refreshes.push((now + again, gate));
                }
                (quanta, false)
            }
        };
        self.channels[channel].counts.refreshes_sent += u64::from(is_refresh);
        self.tell(channel, message(gate, quanta), is_endless);
    }

    /// A control frame joins the control queue of a channel.
    pub fn tell(&mut self, channel: usize, content: Content, is_endless: bool) {
        let channel = &mut self.channels[channel];
        match is_stop(&content) {
            true => channel.counts.stops_sent += 1,
            false => channel.counts.resumes_sent += 1,
        }
        channel.control.push_back(Control {
            content,
            is_endless,
        });
    }

    /// Fewer bytes count at a point.
    pub fn after_departure(&mut self, point: Point) {
        if self.congested.contains_key(&point) && self.is_under(point) {
            let asked = self.congested[&point].asked.clone();
            for key in asked.into_keys() {
                self.give_back(point, key);
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
        self.after_departure(point);
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
        let stopped = channel ^ 1;
        let (gates, quanta) = orders(&control.content);
        let gates: Vec<Gate> = gates
            .into_iter()
            .filter(|gate| self.is_obeyed(stopped, *gate))
            .collect();
        let end = (!control.is_endless).then(|| now + self.quanta(stopped, quanta));
        self.channels[stopped].counts.stops_obeyed += u64::from(quanta > 0 && !gates.is_empty());
        for gate in gates {
            self.set_gate(now, stopped, gate, (quanta > 0).then_some(end));
        }
    }

    /// Counts a stop that came over `channel` if some of what it stops is not under flow control.
    pub fn note_ignored(&mut self, channel: usize, content: &Content) {
        let (gates, quanta) = orders(content);
        let is_ignored = gates.iter().any(|gate| !self.is_obeyed(channel ^ 1, *gate));
        let counts = &mut self.channels[channel ^ 1].counts;
        counts.stops_ignored += u64::from(quanta > 0 && is_ignored);
    }

    /// Does the port in front of a channel take stops of this kind?
    fn is_obeyed(&self, channel: usize, gate: Gate) -> bool {
        let by = channel_spec(&self.spec, channel).stopped.by;
        let is_deaf = self.spec.nodes[self.tail(channel)].is_deaf;
        !is_deaf
            && match gate {
                Gate::Port => by.port,
                Gate::Class(class) => by.classes >> class & 1 == 1,
                Gate::Destination(class, _) => by.destinations >> class & 1 == 1,
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
                self.channels[channel].gates.insert(gate, end);
                self.channels[channel].closed.entry(gate).or_insert(now);
            }
            None => {
                self.channels[channel].gates.remove(&gate);
                self.channels[channel].closed.remove(&gate);
            }
        }
        for class in 0..self.channels[channel].queues.len() {
            let is_of_class = gate == Gate::Port || gate == Gate::Class(class as u8);
            if closed.is_some() && is_of_class {
                self.channels[channel].queues[class].last_stop = Some(now);
            }
            self.look_at_blocked(now, channel, class, None);
        }
    }
}

/// What a control frame names, and for how long.
fn orders(content: &Content) -> (Vec<Gate>, u16) {
    match *content {
        Content::Pause { quanta } => (vec![Gate::Port], quanta),
        Content::Pfc { classes, quanta } => {
            let named = (0..8).filter(|class| classes >> class & 1 == 1);
            (named.map(Gate::Class).collect(), quanta)
        }
        Content::StopDestination {
            class,
            destination,
            quanta,
        } => (vec![Gate::Destination(class, destination)], quanta),
        Content::Tcp { .. } | Content::Udp { .. } | Content::Credit { .. } => (Vec::new(), 0),
    }
}

/// Does a control frame stop (or else resume)?
fn is_stop(content: &Content) -> bool {
    match content {
        Content::Pause { quanta }
        | Content::Pfc { quanta, .. }
        | Content::StopDestination { quanta, .. } => *quanta > 0,
        Content::Tcp { .. } | Content::Udp { .. } | Content::Credit { .. } => false,
    }
}
