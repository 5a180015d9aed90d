//! What control frames of stops say, and what is done about them.

use std::collections::BTreeSet;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::probe::{Content, Gate};
use backwater_net::frames::spec::{Binding, CountedFrom, Message, NodeKind, StormSpec};

use super::network::{Control, Network, channel_spec};

/// What a control frame for a gate speaks of: all classes of a port, or that gate alone.
pub fn topic(gate: Gate) -> Gate {
    match gate {
        Gate::Class(_) => Gate::Class(0),
        gate => gate,
    }
}

/// What a control frame that waits or starts speaks of; `None` for other control.
fn topic_of(content: &Content) -> Option<Gate> {
    match *content {
        Content::Pause { .. } => Some(Gate::Port),
        Content::Pfc { .. } => Some(Gate::Class(0)),
        Content::StopDestination {
            class, destination, ..
        } => Some(Gate::Destination(class, destination)),
        Content::Tcp { .. }
        | Content::Roce { .. }
        | Content::Udp { .. }
        | Content::Credit { .. }
        | Content::Counters { .. } => None,
    }
}

fn blank(topic: Gate) -> Content {
    match topic {
        // Nobody stops one flow.
        Gate::Port | Gate::Flow(..) | Gate::Lane(..) => Content::Pause { quanta: 0 },
        Gate::Class(_) => Content::Pfc {
            stops: 0,
            resumes: 0,
            quanta: 0,
        },
        Gate::Destination(class, destination) => Content::StopDestination {
            class,
            destination,
            quanta: 0,
        },
    }
}

/// What a host in a storm says.
fn storms(storm: StormSpec) -> Control {
    let quanta = storm.quanta;
    Control {
        content: match storm.classes {
            None => Content::Pause { quanta },
            Some(stops) => Content::Pfc {
                stops,
                resumes: 0,
                quanta,
            },
        },
        is_endless: false,
        is_open: false,
    }
}

/// What is said.
impl Network {
    /// What is to be said to the neighbour behind a channel may have changed.
    pub fn notify(&mut self, now: Time, channel: usize, topic: Gate) {
        let mut waiting = self.channels[channel].control.iter();
        let waits = waiting.any(|own| topic_of(&own.content) == Some(topic));
        if waits || self.channels[channel].on_wire == Some(topic) {
            return;
        }
        let mut control = Control {
            content: blank(topic),
            is_endless: false,
            is_open: true,
        };
        if self.binding(channel) == Binding::Handover {
            if !self.has_news(channel, topic) {
                return;
            }
            control = self.say(now, channel, topic);
        }
        self.channels[channel].control.push_back(control);
    }

    fn binding(&self, channel: usize) -> Binding {
        let rules = self.stops_over(channel ^ 1);
        rules.map_or(Binding::Start, |rules| rules.binding)
    }

    fn storm_of(&self, channel: usize) -> Option<StormSpec> {
        match self.spec.nodes[self.tail(channel)].kind {
            NodeKind::Station { storm } => storm,
            NodeKind::Switch(_) => None,
        }
    }

    /// Everything that is asked of the neighbour now.
    fn stands(&self, channel: usize, of: Gate) -> BTreeSet<Gate> {
        let asked = self.congested.values().flat_map(|it| it.asked.keys());
        let here = asked.filter(|(to, gate)| *to == channel && topic(*gate) == of);
        here.map(|(_, gate)| *gate).collect()
    }

    fn told(&self, channel: usize, of: Gate) -> BTreeSet<Gate> {
        let told = self.channels[channel].told.iter();
        told.filter(|gate| topic(**gate) == of).copied().collect()
    }

    fn has_news(&self, channel: usize, of: Gate) -> bool {
        let stands = self.stands(channel, of);
        let is_due = self.channels[channel].due.contains(&of) && !stands.is_empty();
        self.storm_of(channel).is_some() || is_due || stands != self.told(channel, of)
    }

    /// Decides what a frame says.
    fn say(&mut self, now: Time, channel: usize, of: Gate) -> Control {
        if let Some(storm) = self.storm_of(channel) {
            self.channels[channel].counts.stops_sent += 1;
            return storms(storm);
        }
        let (stands, told) = (self.stands(channel, of), self.told(channel, of));
        let rules = self.stops_over(channel ^ 1);
        let message = rules.map_or(Message::UntilCancelled, |rules| rules.message);
        let lasting = match message {
            Message::UntilCancelled => u16::MAX,
            Message::Quanta { quanta, .. } => quanta,
        };
        let span = self.quanta(channel ^ 1, lasting).ps();
        let own = &mut self.channels[channel];
        own.due.remove(&of);
        own.refreshes.retain(|(_, topic)| *topic != of);
        own.told.retain(|gate| topic(*gate) != of);
        own.told.extend(&stands);
        let quanta = match stands.is_empty() {
            true => {
                own.counts.resumes_sent += 1;
                0
            }
            false => {
                own.counts.stops_sent += 1;
                own.counts.refreshes_sent += u64::from(stands == told);
                if let Message::Quanta {
                    refresh_percent: Some(percent),
                    ..
                } = message
                {
                    let after = Duration(span * u64::from(percent) / 100);
                    own.refreshes.push((now + after, of));
                }
                lasting
            }
        };
        let bits = |gates: &mut dyn Iterator<Item = &Gate>| {
            gates.fold(0, |bits, gate| match gate {
                Gate::Class(class) => bits | 1 << class,
                _ => bits,
            })
        };
        Control {
            content: match of {
                Gate::Port | Gate::Flow(..) | Gate::Lane(..) => Content::Pause { quanta },
                Gate::Class(_) => Content::Pfc {
                    stops: bits(&mut stands.iter()),
                    resumes: bits(&mut told.difference(&stands)),
                    quanta,
                },
                Gate::Destination(class, destination) => Content::StopDestination {
                    class,
                    destination,
                    quanta,
                },
            },
            is_endless: quanta > 0 && message == Message::UntilCancelled,
            is_open: false,
        }
    }

    /// An idle channel drops control frames that have nothing to say any more. Does one go next?
    pub fn control_goes(&mut self, channel: usize, has_data: bool) -> bool {
        if self.channels[channel].control.is_empty() {
            return false;
        }
        if std::mem::take(&mut self.channels[channel].yields) && has_data {
            return false;
        }
        while let Some(place) = self.control_in_turn(channel, has_data) {
            let Some(first) = self.channels[channel].control.remove(place) else {
                return false;
            };
            let (is_open, of) = (first.is_open, topic_of(&first.content));
            match of.filter(|_| is_open) {
                Some(of) if !self.has_news(channel, of) => {
                    self.channels[channel].due.remove(&of);
                }
                _ => {
                    self.channels[channel].control.push_front(first);
                    return true;
                }
            }
        }
        false
    }

    /// The first that waits for nothing; if there is no data to send either, the first of all.
    fn control_in_turn(&self, channel: usize, has_data: bool) -> Option<usize> {
        let control = &self.channels[channel].control;
        let is_patient = |own: &Control| self.waits_for_idle(channel, &own.content);
        let other = control.iter().position(|own| !is_patient(own));
        other.or((!has_data && !control.is_empty()).then_some(0))
    }

    /// A control frame starts: what it says, if that is decided now.
    pub fn bind_stop(&mut self, now: Time, channel: usize, control: &mut Control) {
        let Some(of) = topic_of(&control.content) else {
            return;
        };
        match control.is_open {
            true => *control = self.say(now, channel, of),
            false => self.channels[channel].on_wire = Some(of),
        }
    }

    /// The last bit of a control frame has left.
    pub fn has_gone(&mut self, now: Time, channel: usize) {
        let Some(of) = self.channels[channel].on_wire.take() else {
            return;
        };
        if self.has_news(channel, of) {
            self.channels[channel].yields = true;
            self.notify(now, channel, of);
        }
    }

    /// It is time to state what stands again.
    pub fn refresh(&mut self, now: Time, channel: usize) {
        let due = self.channels[channel].refreshes.iter();
        let due: Vec<Gate> = due
            .filter(|(at, _)| *at == now)
            .map(|(_, of)| *of)
            .collect();
        self.channels[channel]
            .refreshes
            .retain(|(at, _)| *at != now);
        for of in due {
            if !self.stands(channel, of).is_empty() {
                self.channels[channel].due.insert(of);
                self.notify(now, channel, of);
            }
        }
    }

    pub fn storm(&mut self, now: Time, channel: usize) {
        if self.channels[channel].storm != Some(now) {
            return;
        }
        let Some(storm) = self.storm_of(channel) else {
            return;
        };
        let of = match storm.classes {
            Some(_) => Gate::Class(0),
            None => Gate::Port,
        };
        self.notify(now, channel, of);
        let half = Duration(self.quanta(channel ^ 1, storm.quanta).ps() / 2);
        let next = now + half;
        self.channels[channel].storm = (next < storm.until).then_some(next);
    }
}

/// What a node does about the control frames it gets.
impl Network {
    /// A control frame that came over `channel` takes effect on what leaves the other way.
    pub fn obey(&mut self, now: Time, channel: usize, control: Control) {
        let stopped = channel ^ 1;
        let all = orders(&control.content).into_iter();
        let obeyed: Vec<(Gate, u16)> = all
            .filter(|(gate, _)| self.is_obeyed(stopped, *gate))
            .collect();
        let stops = obeyed.iter().any(|(_, quanta)| *quanta > 0);
        self.channels[stopped].counts.stops_obeyed += u64::from(stops);
        for (gate, quanta) in obeyed {
            if quanta == 0 {
                self.set_gate(now, stopped, gate, None);
                continue;
            }
            let from = self.counts_from(now, stopped, gate);
            let end = (!control.is_endless).then(|| from + self.quanta(stopped, quanta));
            self.channels[stopped].rests.insert(gate, from);
            self.set_gate(now, stopped, gate, Some(end));
        }
    }

    /// When the port has come to rest under a stop: its time counts from then on.
    fn counts_from(&self, now: Time, channel: usize, gate: Gate) -> Time {
        let rules = channel_spec(&self.spec, channel).stopped;
        if self.channels[channel].gates.contains_key(&gate) {
            return self.channels[channel].rests[&gate].max(now);
        }
        let free = match rules.counted_from {
            CountedFrom::Reception => now,
            CountedFrom::FrameEnd => self.channels[channel].busy_until.unwrap_or(now),
        };
        free.max(now) + rules.pipeline
    }

    /// Counts a stop that came over `channel` if some of what it stops is not under flow control.
    pub fn note_ignored(&mut self, channel: usize, content: &Content) {
        let mut all = orders(content).into_iter();
        let is_ignored = all.any(|(gate, quanta)| quanta > 0 && !self.is_obeyed(channel ^ 1, gate));
        self.channels[channel ^ 1].counts.stops_ignored += u64::from(is_ignored);
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
                Gate::Flow(..) | Gate::Lane(..) => false,
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

/// What a control frame names, and for how long each: 0 resumes.
fn orders(content: &Content) -> Vec<(Gate, u16)> {
    match *content {
        Content::Pause { quanta } => vec![(Gate::Port, quanta)],
        Content::Pfc {
            stops,
            resumes,
            quanta,
        } => {
            let of = |bits: u8| (0..8).filter(move |class| bits >> class & 1 == 1);
            let stops = of(stops).map(|class| (Gate::Class(class), quanta));
            let resumes = of(resumes).map(|class| (Gate::Class(class), 0));
            stops.chain(resumes).collect()
        }
        Content::StopDestination {
            class,
            destination,
            quanta,
        } => vec![(Gate::Destination(class, destination), quanta)],
        Content::Tcp { .. }
        | Content::Roce { .. }
        | Content::Udp { .. }
        | Content::Credit { .. }
        | Content::Counters { .. } => Vec::new(),
    }
}
