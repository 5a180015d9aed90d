//! Back-pressure: a congested queue has its neighbours stopped (Nouredine and Tobagi 1999,
//! section 2; IEEE 802.3x PAUSE; IEEE 802.1Qbb PFC).
//!
//! Three steps, as in the paper: detection (here and in `inputs`), notification (a count of those
//! who ask, for each neighbour and gate; the first sends a stop, the last a resume, in `notify`)
//! and action (`gates`).

use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::{Duration, EventQueue, Place};

use crate::classes::lanes::Lane;
use crate::classes::requests::Request;
use crate::hop::timer::Timer;
use crate::hop::unit::{NONE, Unit};
use crate::network::Network;
use crate::probe::{Gate, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{BackPressureSpec, Choose, Notify, QUANTUM_BITS, Select};

#[cfg(test)]
mod tests;
mod time_out;

/// Puts `what` into its place; false if it is there.
fn insert<T: Ord>(list: &mut Vec<T>, what: T) -> bool {
    match list.binary_search(&what) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, what);
            true
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The rules under which a node stops neighbours for what its output queues hold.
    pub(crate) fn stops_at_outputs(&self, node: u32) -> Option<BackPressureSpec> {
        let node = &self.network.classes.nodes[node as usize];
        node.stops.at_outputs().copied()
    }

    /// A frame that came over `input` has joined the queue in front of `channel`, which is
    /// under back-pressure.
    #[inline]
    pub(crate) fn detect_at_queue(&mut self, input: u32, channel: u32, class: u8, id: u32) {
        let queue = &self.network.classes.queues[self.network.queue(channel, class)];
        if queue.bytes <= queue.high_bytes {
            return;
        }
        if queue.is_congested {
            self.grow(channel, class, input, id);
        } else {
            self.become_congested(channel, class);
        }
    }

    /// A queue has passed its high threshold.
    fn become_congested(&mut self, channel: u32, class: u8) {
        let node = self.network.channels[channel as usize].from;
        let Some(rules) = self.stops_at_outputs(node) else {
            return;
        };
        let at = self.network.queue(channel, class);
        self.network.classes.queues[at].is_congested = true;
        self.network.classes.counts[at].congestions += 1;
        let gates = match rules.select {
            Select::Port => Vec::from([Gate::Port]),
            Select::Class => Vec::from([Gate::Class(class)]),
            Select::Destination(Choose::AllFound) => self.network.found(channel, class),
            Select::Destination(Choose::Random { frames }) => self.draw(channel, class, frames),
        };
        let neighbours = self.network.neighbours(rules.notify, channel, class);
        for neighbour in &neighbours {
            gates.iter().for_each(|gate| self.ask(*neighbour, *gate));
        }
        self.network.classes.requests[at].congestion = Request {
            asked_at: vec![self.now; neighbours.len()],
            added_at: vec![self.now; gates.len()],
            neighbours,
            gates,
            since: self.now,
            has_drawn_twice: false,
            is_given_up: false,
        };
        if let Some(time_out) = rules.time_out {
            self.set_timer(self.later(time_out.after), channel, Timer::TimeOut, class);
        }
    }

    /// A frame has come to a queue above its high threshold: who or what is new there?
    fn grow(&mut self, channel: u32, class: u8, input: u32, id: u32) {
        let node = self.network.channels[channel as usize].from;
        let Some(rules) = self.stops_at_outputs(node) else {
            return;
        };
        let at = self.network.queue(channel, class);
        if self.network.classes.requests[at].congestion.is_given_up {
            return;
        }
        if rules.notify == Notify::Contributing {
            self.add_neighbour(channel, class, input ^ 1);
        }
        match rules.select {
            Select::Destination(Choose::AllFound) => {
                let station = self.network.destination(self.network.units.get(id));
                self.add_gates(channel, class, &[Gate::Destination(class, station)]);
            }
            Select::Destination(Choose::Random { frames }) => {
                let queue = &self.network.classes.queues[at];
                let room = queue.limit_bytes.saturating_sub(queue.high_bytes);
                let second = queue.high_bytes.saturating_add(room / 4);
                let request = &mut self.network.classes.requests[at].congestion;
                if queue.bytes > second && !request.has_drawn_twice {
                    request.has_drawn_twice = true;
                    let gates = self.draw(channel, class, frames);
                    self.add_gates(channel, class, &gates);
                }
            }
            Select::Port | Select::Class => {}
        }
    }

    fn add_neighbour(&mut self, channel: u32, class: u8, neighbour: u32) {
        let at = self.network.queue(channel, class);
        let request = &mut self.network.classes.requests[at].congestion;
        if let Err(place) = request.neighbours.binary_search(&neighbour) {
            request.neighbours.insert(place, neighbour);
            request.asked_at.insert(place, self.now);
            let gates = request.gates.clone();
            gates.iter().for_each(|gate| self.ask(neighbour, *gate));
        }
    }

    fn add_gates(&mut self, channel: u32, class: u8, gates: &[Gate]) {
        let at = self.network.queue(channel, class);
        for gate in gates {
            let request = &mut self.network.classes.requests[at].congestion;
            if let Err(place) = request.gates.binary_search(gate) {
                request.gates.insert(place, *gate);
                request.added_at.insert(place, self.now);
                let neighbours = request.neighbours.clone();
                neighbours.iter().for_each(|n| self.ask(*n, *gate));
            }
        }
    }

    /// The stations of frames drawn at random from those that wait, in the order of joining.
    fn draw(&mut self, channel: u32, class: u8, draws: u32) -> Vec<Gate> {
        let at = self.network.queue(channel, class);
        let waiting = self.network.waiting(channel, class);
        let mut gates = Vec::new();
        let stream = self.by_class.selection.get_mut(at);
        if let (Some(Some(stream)), false) = (stream, waiting.is_empty()) {
            for _ in 0..draws {
                let (_, station) = waiting[stream.below(waiting.len() as u64) as usize];
                insert(&mut gates, Gate::Destination(class, station));
            }
        }
        gates
    }

    /// A queue has fallen below its low threshold: what it asked for is given back.
    pub(crate) fn end_congestion(&mut self, channel: u32, class: u8) {
        let at = self.network.queue(channel, class);
        self.network.classes.queues[at].is_congested = false;
        let request = core::mem::take(&mut self.network.classes.requests[at].congestion);
        self.withdraw(&request);
    }

    fn withdraw(&mut self, request: &Request) {
        for neighbour in &request.neighbours {
            request
                .gates
                .iter()
                .for_each(|gate| self.give_back(*neighbour, *gate));
        }
    }

    /// What is blocked in a queue has changed, by a frame that came over `input` if there is one:
    /// too much of it is stopped upstream as well.
    pub(crate) fn check_blocked(&mut self, channel: u32, class: u8, input: Option<u32>) {
        let node = self.network.channels[channel as usize].from;
        let Some(rules) = self.stops_at_outputs(node) else {
            return;
        };
        let Some(limit) = rules.blocked else { return };
        let at = self.network.queue(channel, class);
        let lanes = self.network.classes.sorted(at);
        let blocked_bytes = lanes.map_or(0, |lanes| lanes.blocked_bytes);
        if blocked_bytes < limit.low_bytes {
            let requests = &mut self.network.classes.requests;
            if requests[at].blocked.is_some()
                && let Some(request) = requests[at].blocked.take()
            {
                self.withdraw(&request);
            }
        } else if blocked_bytes > limit.high_bytes {
            let mut request = self.network.classes.requests[at]
                .blocked
                .take()
                .unwrap_or_default();
            if request.neighbours.is_empty() {
                request.neighbours = self.network.neighbours(rules.notify, channel, class);
                request.since = self.now;
            } else if let (Notify::Contributing, Some(input)) = (rules.notify, input)
                && input != NONE
                && insert(&mut request.neighbours, input ^ 1)
            {
                request.gates.iter().for_each(|g| self.ask(input ^ 1, *g));
            }
            for gate in self.network.found_blocked(channel, class) {
                if insert(&mut request.gates, gate) {
                    request.neighbours.iter().for_each(|n| self.ask(*n, gate));
                }
            }
            self.network.classes.requests[at].blocked = Some(request);
        }
    }

    /// A class of which the node promises to lose nothing has lost a frame.
    pub(crate) fn note_drop(&mut self, channel: u32, frame: Unit) {
        let node = self.network.channels[channel as usize].from;
        if self.network.classes.nodes[node as usize].promised & 1 << frame.class != 0 {
            let class = frame.class;
            let place = Place::FlowOnChannel(frame.flow(), channel);
            self.violations.note(self.now, place, || {
                format!("a frame was dropped in class {class}, which is lossless")
            });
        }
    }
}

impl Network {
    /// So many quanta of a channel.
    pub(crate) fn quanta(&self, channel: u32, quanta: u16) -> Duration {
        let bytes = u64::from(quanta) * QUANTUM_BITS / 8;
        self.span(channel, bytes)
    }

    /// Channels to the neighbours that are told of a congested queue.
    fn neighbours(&self, notify: Notify, channel: u32, class: u8) -> Vec<u32> {
        let node = &self.classes.nodes[self.channels[channel as usize].from as usize];
        match notify {
            Notify::All => node.leaving.clone(),
            Notify::Others => {
                let others = node.leaving.iter().filter(|c| **c != channel);
                others.copied().collect()
            }
            Notify::Contributing => {
                let mut inputs = Vec::new();
                for (id, _) in self.waiting(channel, class) {
                    let input = self.input_of(self.units.get(id));
                    // What the switch made itself is nobody's.
                    if input != NONE {
                        insert(&mut inputs, input ^ 1);
                    }
                }
                inputs
            }
        }
    }

    /// Frames that wait in a queue and their stations, in the order of joining.
    pub(crate) fn waiting(&self, channel: u32, class: u8) -> Vec<(u32, u32)> {
        let at = self.queue(channel, class);
        let to = |id: u32| (id, self.destination(self.units.get(id)));
        let Some(lanes) = self.classes.sorted(at) else {
            return self.classes.queues[at]
                .chain
                .places(&self.units)
                .map(to)
                .collect();
        };
        let lanes = lanes.lanes.iter();
        let ids = lanes.flat_map(|lane| lane.chain.places(&self.units));
        let mut all: Vec<_> = ids.map(to).collect();
        let behind = |id: u32| {
            self.classes.queues[at]
                .order
                .wrapping_sub(self.units.order(id))
        };
        all.sort_unstable_by_key(|(id, _)| core::cmp::Reverse(behind(*id)));
        all
    }

    /// Gates for all stations with frames that wait.
    fn found(&self, channel: u32, class: u8) -> Vec<Gate> {
        self.destinations(channel, class, |_| true)
    }

    /// Gates for those of them that are stopped.
    fn found_blocked(&self, channel: u32, class: u8) -> Vec<Gate> {
        self.destinations(channel, class, |lane| lane.is(Lane::STOPPED))
    }

    /// Gates for the stations of some lanes with frames.
    fn destinations(&self, channel: u32, class: u8, which: impl Fn(&Lane) -> bool) -> Vec<Gate> {
        let Some(sorted) = self.classes.sorted(self.queue(channel, class)) else {
            return Vec::new();
        };
        let lanes = sorted.lanes.iter();
        let chosen = lanes.filter(|lane| lane.chain.len > 0 && which(lane));
        let gate = |station| Gate::Destination(class, station);
        let mut gates: Vec<Gate> = match sorted.is_shared() {
            false => chosen.map(|lane| gate(lane.destination)).collect(),
            true => {
                let ids = chosen.flat_map(|lane| lane.chain.places(&self.units));
                ids.map(|id| gate(self.destination(self.units.get(id))))
                    .collect()
            }
        };
        gates.sort_unstable();
        gates.dedup();
        gates
    }
}
