//! One instant after another: sent, arrivals, timers, stations, choice.

use backwater_kernel::{Duration, Time};
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::{Forwarding, MarkAt};

use super::network::{
    CONTROL_BYTES, Channel, Control, Flying, Frame, Load, Network, Point, WIRE_BYTES, channel_spec,
};
use super::{CONTROL_FLOW, Delivery, Problem, Start, choose, routes, spread};

/// Frames after which a run is given up.
const MAX_STARTS: usize = 5_000_000;

impl Network {
    /// Runs the next instant at which anything happens; `None` past the end of the run.
    pub fn step(&mut self) -> Result<Option<Time>, Problem> {
        if self.standstill.is_some() {
            return Ok(None);
        }
        if self.is_drained() {
            return Ok(None);
        }
        let Some(now) = self.next_instant().filter(|at| *at <= self.spec.stop_at) else {
            return Ok(None);
        };
        if self.starts.len() > MAX_STARTS {
            return Err(Problem("too many starts".into()));
        }
        self.now = Some(now);
        self.sent(now);
        self.arrivals(now);
        self.timers(now);
        self.act_stations(now);
        self.look_for_standstill(now);
        self.settle(now);
        self.pull(now);
        self.settle(now);
        self.choices(now, |_, _| true);
        self.settle(now);
        self.pull(now);
        self.settle(now);
        self.fill_ports(now);
        self.look_at_watchdogs(now);
        self.look_at_credit(now);
        Ok(Some(now))
    }

    /// Only receivers that repeat their credit would go on.
    fn is_drained(&self) -> bool {
        let is_empty = |channel: &Channel| {
            let mut queues = channel.queues.iter();
            channel.control.is_empty()
                && channel.storm.is_none()
                && queues.all(|queue| queue.frames().next().is_none())
        };
        self.now.is_some()
            && self.flying.is_empty()
            && self.flow_times().is_empty()
            && self.channels.iter().all(is_empty)
            && !self.has_unsettled_credit()
    }

    fn next_instant(&self) -> Option<Time> {
        let wires = self.channels.iter().filter_map(|it| it.busy_until);
        let arrivals = self.flying.iter().map(|it| it.at);
        let all = wires.chain(arrivals).chain(self.flow_times());
        all.chain(self.timer_times()).chain(self.next_look()).min()
    }

    /// Frames whose last bit has left.
    fn sent(&mut self, now: Time) {
        for channel in 0..self.channels.len() {
            if self.channels[channel].busy_until != Some(now) {
                continue;
            }
            self.channels[channel].busy_until = None;
            self.has_gone(now, channel);
            for class in 0..self.channels[channel].queues.len() {
                if let Some(frame) = self.channels[channel].queues[class].sending.take() {
                    self.has_left(now, channel, &frame);
                }
            }
        }
    }

    /// A frame no longer counts in the queue in front of `channel`.
    pub fn has_left(&mut self, now: Time, channel: usize, frame: &Frame) {
        let is_last = !self.has_other_copy(frame);
        if is_last {
            self.leave_memory(channel, frame);
            self.count_gone(frame);
        }
        self.after_departure(now, Point::Output(channel, frame.class));
        if is_last {
            for point in self.inputs_to_look_at(frame) {
                self.after_departure(now, point);
            }
        }
        self.look_at_blocked(now, channel, frame.class, None);
    }

    fn arrivals(&mut self, now: Time) {
        let (mut due, later): (Vec<Flying>, Vec<Flying>) =
            self.flying.drain(..).partition(|it| it.at == now);
        self.flying = later;
        // Node by node: what the two ends of a flow make at one instant is numbered in this order.
        let seed = self.spec.seed;
        due.sort_by_key(|it| {
            let word = it.channel as u64;
            let hash = routes::mix(&[seed, now.ps(), word]);
            (self.head(it.channel), hash, it.channel)
        });
        for flying in due {
            let Flying { channel, load, .. } = flying;
            match load {
                Load::Control(_) if flying.is_lost => {}
                Load::Data(frame) if flying.is_lost => {
                    self.drop_frame(now, channel, &frame, LossCause::Wire);
                }
                Load::Control(control) => self.control_arrives(now, channel, control),
                Load::Data(frame) => self.data_arrives(now, channel, frame),
            }
        }
    }

    fn control_arrives(&mut self, now: Time, channel: usize, control: Control) {
        if self.take_message(now, channel, &control.content) {
            return;
        }
        self.note_ignored(channel, &control.content);
        let response = channel_spec(&self.spec, channel ^ 1).stopped.response;
        if response.ps() == 0 {
            self.obey(now, channel, control);
        } else {
            let entry = (now + response, control);
            self.channels[channel].responses.push(entry);
        }
    }

    fn data_arrives(&mut self, now: Time, channel: usize, mut frame: Frame) {
        let node = self.head(channel);
        let on = match self.trees[frame.flow].is_none() && node != frame.destination {
            true => vec![self.port_now(now, node, &frame)],
            false => self.ways_on(node, &frame),
        };
        if on.is_empty() {
            self.delivered(now, node, &frame);
            return;
        }
        let came = (channel, frame.class, frame.destination);
        self.last_came.insert(came, now);
        frame.came_over = Some(channel);
        self.admit_to(now, &on, frame);
    }

    fn delivered(&mut self, now: Time, node: usize, frame: &Frame) {
        self.flows[frame.flow].delivered += 1;
        self.flows[frame.flow].delivered_bytes += frame.bytes;
        self.deliveries.push(Delivery {
            at_ps: now.ps(),
            flow: frame.flow as u32,
            number: frame.number,
            station: node as u32,
            is_marked: frame.is_marked,
        });
        self.station_receives(now, node, frame);
    }

    /// A frame of a flow joins the queue of a port of `node`, where it is made.
    pub fn frame_made(&mut self, now: Time, node: usize, frame: Frame) {
        let ports = self.ways_on(node, &frame);
        self.flows[frame.flow].created += 1;
        self.flows[frame.flow].created_bytes += frame.bytes;
        self.admit_to(now, &ports, frame);
    }

    /// The station that sends the frames of one direction of a flow.
    pub fn station_of(&self, flow: usize, is_forward: bool) -> usize {
        let flow = &self.spec.flows[flow];
        match is_forward {
            true => flow.source as usize,
            false => flow.destination as usize,
        }
    }

    /// Every idle channel decides before any starts.
    /// What stations with several ports have handed over starts on those that are free, and they
    /// hand over more.
    fn fill_ports(&mut self, now: Time) {
        let has_several = |network: &Network, channel: usize| {
            let node = network.tail(channel);
            network.switch(node).is_none() && network.leaving(node).nth(1).is_some()
        };
        loop {
            let starts = self.starts.len();
            self.choices(now, has_several);
            if self.starts.len() == starts {
                return;
            }
            self.settle(now);
            self.pull(now);
            self.settle(now);
        }
    }

    fn choices(&mut self, now: Time, among: impl Fn(&Network, usize) -> bool) {
        let mut choices = Vec::new();
        for channel in 0..self.channels.len() {
            if self.channels[channel].busy_until.is_none() && among(self, channel) {
                choices.push((channel, choose::choose(self, channel, now)));
            }
        }
        for (channel, choice) in choices {
            match choice {
                choose::Choice::Nothing => {}
                choose::Choice::Control => self.start_control(now, channel),
                choose::Choice::Data { class, place } => {
                    self.start_data(now, channel, class, place);
                }
            }
        }
    }

    fn start_control(&mut self, now: Time, channel: usize) {
        let Some(mut control) = self.channels[channel].control.pop_front() else {
            return;
        };
        self.bind(now, channel, &mut control);
        self.bind_stop(now, channel, &mut control);
        let bytes = self.control_bytes(channel, &control.content);
        self.starts.push(Start {
            at_ps: now.ps(),
            channel: channel as u32,
            flow: CONTROL_FLOW,
            bytes: bytes as u32,
            number: 0,
            control: Some(control.content),
        });
        let on_wire = if bytes < CONTROL_BYTES {
            bytes
        } else {
            bytes + WIRE_BYTES
        };
        let wire = self.rate_of(channel).serialization(on_wire);
        let at = now + wire + channel_spec(&self.spec, channel).delay;
        let at = self
            .switch(self.head(channel))
            .map_or(at, |switch| at + switch.latency);
        self.channels[channel].busy_until = Some(now + wire);
        let load = Load::Control(control);
        self.fly(now, at, channel, load, wire);
    }

    fn start_data(&mut self, now: Time, channel: usize, class: usize, place: usize) {
        let queue = &mut self.channels[channel].queues[class];
        let mut frame = queue.waiting.remove(place);
        self.mark(channel, &mut frame, MarkAt::Leave);
        self.write_telemetry(now, channel, &mut frame);
        self.channels[channel].queues[class].sending = Some(frame.clone());
        let at = self.effect(now, channel, &frame);
        self.pay(at, channel, &frame);
        self.note_pace(now, channel, &frame);
        self.starts.push(Start {
            at_ps: now.ps(),
            channel: channel as u32,
            flow: frame.flow as u32,
            bytes: frame.bytes as u32,
            number: frame.number,
            control: None,
        });
        let wire = self
            .rate_of(channel)
            .serialization(frame.bytes + WIRE_BYTES);
        self.channels[channel].busy_until = Some(now + wire);
        let load = Load::Data(frame);
        self.fly(now, at, channel, load, wire);
        self.look_at_blocked(now, channel, class, None);
    }

    fn fly(&mut self, now: Time, at: Time, channel: usize, load: Load, wire: Duration) {
        let is_control = matches!(load, Load::Control(_));
        let is_lost = self.losses[channel].hit(&self.spec, channel, (now, wire), is_control);
        self.flying.push(Flying {
            at,
            channel,
            load,
            is_lost,
        });
    }

    /// When a frame that starts now takes effect at the far end.
    fn effect(&self, now: Time, channel: usize, frame: &Frame) -> Time {
        let node = self.head(channel);
        let here = channel_spec(&self.spec, channel);
        let whole = now + here.rate.serialization(frame.bytes + WIRE_BYTES) + here.delay;
        let Some(switch) = self.switch(node) else {
            return whole;
        };
        let on = match self.trees[frame.flow].is_none() && node != frame.destination {
            true if spread::is_chosen_there(&self.spec) => {
                self.hops[&(node, frame.destination)].clone()
            }
            _ => self.ways_on(node, frame),
        };
        let is_slower = on.iter().all(|next| self.rate_of(*next) <= here.rate);
        if switch.forwarding == Forwarding::CutThrough && is_slower {
            let first = here.rate.serialization(CONTROL_BYTES + WIRE_BYTES);
            return now + first + here.delay + switch.latency;
        }
        whole + switch.latency
    }
}
