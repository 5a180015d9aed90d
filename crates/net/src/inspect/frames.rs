//! Frames by class.

use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::stations::End;
use backwater_kernel::Time;

use super::{Credit, Hold, Inspection, Queue, Source, Unit, Why, known};
use crate::classes::lanes::{Lane, Lanes};
use crate::classes::stop::Stop;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::load::counter_of;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::outcome::StuckQueue;
use crate::probe::Gate;
use crate::spec::frames::Owner;

/// A stop that is on, and of what.
type On = (Gate, Stop);

impl Network {
    pub(super) fn inspect_classes(&self, found: &mut Inspection) {
        self.inspect_ports(found, |place, channel| self.frame(place, channel));
        for channel in 0..self.channels.len() as u32 {
            for class in 0..self.classes.count as u8 {
                self.inspect_class(channel, class, &mut found.queues);
            }
        }
        self.find_class_credit(found);
        let mut at_nodes: Vec<Vec<usize>> = vec![Vec::new(); self.classes.nodes.len()];
        for (at, queue) in found.queues.iter().enumerate() {
            if !queue.units.is_empty() {
                at_nodes[self.channels[queue.channel as usize].from as usize].push(at);
            }
        }
        for at in 0..found.queues.len() {
            let node = self.channels[found.queues[at].channel as usize].to;
            let here = &at_nodes[node as usize];
            let is_it = |unit: &Unit| self.is_of(&found.queues[at], unit);
            found.queues[at].waits_for = moves_first(&found.queues, at, here, is_it);
        }
        let flows = 0..self.classes.rows.min(self.classes.flows.len() as u32);
        found.sources = flows.map(|flow| self.station(flow)).collect();
    }

    /// Is a frame that came over the channel of a queue one of those that this is for?
    fn is_of(&self, queue: &Queue, unit: &Unit) -> bool {
        let Some(number) = queue.lane else {
            return queue.flow.is_none_or(|flow| unit.flow == Some(flow));
        };
        let lanes = self.classes.sorted(self.queue(queue.channel, queue.class));
        let way = unit.frame.as_ref().map(|view| view.way());
        let place = lanes.zip(way);
        place.and_then(|(lanes, way)| lanes.number_of_way(way)) == Some(number)
    }

    /// A frame in front of a channel, or on it.
    fn frame(&self, place: u32, channel: u32) -> Unit {
        let unit = self.units.get(place);
        let is_data = unit.kind.is_queued();
        let view = self.view(place, channel);
        Unit {
            flow: is_data.then(|| unit.flow()),
            number: view.number,
            bytes: unit.bytes,
            kind: unit.kind,
            value: 0,
            since: unit.arrived,
            born: view.born,
            input: is_data.then(|| self.input_of(unit)).and_then(known),
            frame: Some(view),
        }
    }

    /// The queue of a class in front of a channel; frames to hosts that are stopped stand apart.
    fn inspect_class(&self, channel: u32, class: u8, queues: &mut Vec<Queue>) {
        let waiting = self.waiting(channel, class);
        let gates = &self.classes.gates[channel as usize];
        let is_stopped = |station: u32| gates.is_destination_stopped(class, station);
        let frames = |of: Option<u32>| -> Vec<Unit> {
            let is_it = |to: u32| of.map_or(!is_stopped(to), |own| own == to);
            let own = waiting.iter().filter(|(_, to)| is_it(*to));
            own.map(|(id, _)| self.frame(*id, channel)).collect()
        };
        if let Some(lanes) = self.classes.sorted(self.queue(channel, class))
            && lanes.has_credit()
        {
            return self.inspect_lanes((channel, class), lanes, queues);
        }
        let leg = self.credit_leg(channel, class);
        let credit = leg.and_then(|leg| self.inspect_lane_credit(leg));
        let hold = self.hold_of_class(channel, class);
        let own = Queue {
            channel,
            leg,
            flow: None,
            class,
            destination: None,
            lane: None,
            units: frames(None),
            hold,
            credit,
            waits_for: Vec::new(),
        };
        if own.is_shown() {
            queues.push(own);
        }
        let apart = gates.destinations.iter().filter(|(own, ..)| *own == class);
        for (_, station, stop) in apart {
            let on = (Gate::Destination(class, *station), *stop);
            queues.push(Queue {
                channel,
                leg: None,
                flow: None,
                class,
                destination: Some(*station),
                lane: None,
                units: frames(Some(*station)),
                hold: Some(self.hold_by_stop(channel, class, on)),
                credit: None,
                waits_for: Vec::new(),
            });
        }
    }

    /// Lanes with credit of their own: each is a queue.
    fn inspect_lanes(&self, (channel, class): (u32, u8), lanes: &Lanes, queues: &mut Vec<Queue>) {
        for (number, lane) in (lanes.first..).zip(&lanes.lanes) {
            let leg = self.classes.credits.leg(number as usize);
            let shut = leg.filter(|_| lane.is(Lane::SHUT));
            let since = shut.map(|leg| self.classes.credits.lanes[leg as usize].shut_since);
            let frames = lane.chain.places(&self.units);
            let is_of_flow = lanes.by == Owner::Flow;
            let is_of_station = !is_of_flow && !lanes.is_shared();
            let own = Queue {
                channel,
                leg,
                flow: is_of_flow.then_some(lane.owner / 2),
                class,
                destination: is_of_station.then_some(lane.owner),
                lane: lanes.is_shared().then_some(lane.owner),
                units: frames.map(|id| self.frame(id, channel)).collect(),
                hold: since.map(|since| Hold::NoCredit { since: Some(since) }),
                credit: leg.and_then(|leg| self.inspect_lane_credit(leg)),
                waits_for: Vec::new(),
            };
            if own.is_shown() {
                queues.push(own);
            }
        }
    }

    /// Credit of a lane, and what its first frame costs.
    fn inspect_lane_credit(&self, leg: u32) -> Option<Credit> {
        let own = &self.classes.credits.lanes[leg as usize];
        let needs = match self.first_of_lane(own) {
            NONE => 0,
            first => self.units.get(first).bytes,
        };
        let mut credit = self.inspect_credit(leg)?;
        credit.unit_bytes = own.price.unit_bytes;
        credit.needs = own.price.of(needs.into());
        Some(credit)
    }

    fn hold_of_class(&self, channel: u32, class: u8) -> Option<Hold> {
        let (port, bit) = (&self.channels[channel as usize], 1 << class);
        let gates = &self.classes.gates[channel as usize];
        if port.stopped() & bit != 0 {
            let own = (Gate::Class(class), gates.class_gate(class).stop);
            let all = [(Gate::Port, gates.port), own];
            let on = all.into_iter().filter(|(_, stop)| stop.is_on);
            if let Some(first) = on.min_by_key(|(_, stop)| stop.since) {
                return Some(self.hold_by_stop(channel, class, first));
            }
        }
        if port.shut() & bit == 0 {
            return None;
        }
        let Some(leg) = self.credit_leg(channel, class) else {
            return Some(Hold::SlowHost);
        };
        let since = self.classes.credits.lanes[leg as usize].shut_since;
        Some(Hold::NoCredit { since: Some(since) })
    }

    fn hold_by_stop(&self, channel: u32, class: u8, (gate, stop): On) -> Hold {
        Hold::Stopped {
            gate,
            since: stop.since,
            until: (stop.until != Time::MAX).then_some(stop.until),
            why: self.why_stopped(channel, class, gate),
        }
    }

    /// Why the node behind a channel wants it stopped.
    fn why_stopped(&self, channel: u32, class: u8, gate: Gate) -> Why {
        let node_id = self.channels[channel as usize].to;
        let node = &self.classes.nodes[node_id as usize];
        if node.storm.is_some() {
            return Why::Storm;
        }
        if node.stops.at_input(channel).is_some() {
            let classes = 0..self.classes.count as u8;
            let covered = classes.filter(|own| Network::covers(gate, *own));
            let inputs = covered.map(|own| self.account(channel, own));
            let Some(input) = inputs
                .filter(|input| input.is_congested)
                .max_by_key(|i| i.bytes)
            else {
                return Why::NoMore;
            };
            let fixed = (input.high_bytes, input.low_bytes);
            return Why::Input {
                bytes: input.bytes,
                high_low: node.shared.is_none().then_some(fixed),
            };
        }
        let destination = match gate {
            Gate::Destination(_, station) => Some(station),
            Gate::Port | Gate::Class(_) | Gate::Flow(..) | Gate::Lane(..) => None,
        };
        let wait = StuckQueue {
            channel,
            class,
            destination,
            lane: None,
            bytes: 0,
        };
        let mut queues = Vec::new();
        for leaving in &node.leaving {
            for own in 0..self.classes.count as u8 {
                let at = self.queue(*leaving, own);
                if self.classes.requests[at].ask(&wait) {
                    let queue = &self.classes.queues[at];
                    queues.push((*leaving, own, queue.bytes, queue.low_bytes));
                }
            }
        }
        match queues.is_empty() {
            true => Why::NoMore,
            false => Why::Queues(queues),
        }
    }

    fn find_class_credit(&self, found: &mut Inspection) {
        if self.classes.credits.lanes.is_empty() {
            return;
        }
        for (id, channel) in (0..).zip(&self.channels) {
            for place in channel.wire.places(&self.units) {
                self.find_credit_of(place, id, &mut found.queues);
            }
        }
    }

    /// What a unit on the wire of a channel means for credit: it has spent some, or brings some.
    fn find_credit_of(&self, place: u32, channel: u32, queues: &mut [Queue]) {
        let unit = self.units.get(place);
        let mut back = |of: u32, leg: Option<u32>, value: u64| {
            if let Some(credit) = credit_of(queues, of, leg).filter(|_| !unit.is_lost) {
                credit.back.push((unit.arrived, value));
            }
        };
        match unit.kind {
            UnitKind::Control(ControlKind::Credit) => {
                let own = &self.classes.credits.lanes[unit.leg as usize];
                back(own.channel, Some(unit.leg), self.units.credit_value(place));
            }
            UnitKind::Control(ControlKind::Update) => {
                let (places, words) = self.units.message(place);
                for (at, place) in places.each().enumerate() {
                    let leg = self.counted_leg(channel ^ 1, place);
                    back(channel ^ 1, leg, counter_of(&words, at));
                }
            }
            UnitKind::Control(_) => {}
            UnitKind::Data | UnitKind::ForwardRm | UnitKind::BackwardRm => {
                let lane = self.classes.lane(channel, unit);
                let Some(leg) = self.classes.credits.leg(lane as usize) else {
                    return;
                };
                let cost = self.classes.credits.cost(leg, unit.bytes.into());
                if let Some(credit) = credit_of(queues, channel, Some(leg)) {
                    credit.forward += u64::from(cost);
                }
            }
        }
    }

    fn station(&self, flow: u32) -> Source {
        let (own, stations) = (&self.classes.flows[flow as usize], &self.classes.stations);
        let timers = [End::Opener, End::Answerer].map(|end| stations.next_timer(flow, end));
        let losses = &self.classes.losses[flow as usize];
        let positions = self.positions(flow).map(|[opener, _]| (opener.0, opener.1));
        Source {
            node: own.source,
            to: own.destination,
            backlog: Some(0),
            made: own.created,
            delivered: own.delivered,
            lost: losses.dropped,
            unacknowledged: None,
            is_pulled: stations.is_pulled(flow),
            timer: timers.into_iter().flatten().min(),
            window_bytes: self.window_bytes(flow),
            positions,
        }
    }
}

/// The credit of a leg over a channel.
fn credit_of(queues: &mut [Queue], channel: u32, leg: Option<u32>) -> Option<&mut Credit> {
    let first = queues.partition_point(|queue| queue.channel < channel);
    let mut of_it = queues[first..]
        .iter_mut()
        .take_while(|queue| queue.channel == channel);
    let own = of_it.find(|queue| leg.is_some() && queue.leg == leg);
    own?.credit.as_mut()
}

impl Queue {
    /// Something waits in it, holds it back or is on its way.
    fn is_shown(&self) -> bool {
        let has_spent = |credit: &Credit| credit.has < i64::from(credit.room);
        let credit = self.credit.as_ref();
        !self.units.is_empty() || self.hold.is_some() || credit.is_some_and(has_spent)
    }
}

/// The queues at the next node, of those that hold something, that have to move before a held one
/// may; `is_it` tells of which frames that came over its channel it is.
fn moves_first(
    queues: &[Queue],
    at: usize,
    here: &[usize],
    is_it: impl Fn(&Unit) -> bool,
) -> Vec<usize> {
    let own = &queues[at];
    let mut is_port = false;
    let asked = match &own.hold {
        None
        | Some(Hold::Stopped {
            why: Why::Storm, ..
        }) => return Vec::new(),
        Some(Hold::Stopped {
            why: Why::Queues(asked),
            ..
        }) => Some(asked),
        Some(Hold::Stopped { gate, .. }) => {
            is_port = *gate == Gate::Port;
            None
        }
        Some(Hold::NoCredit { .. } | Hold::SlowHost) => None,
    };
    let holds = |other: &Queue| match asked {
        Some(asked) => asked
            .iter()
            .any(|(channel, class, ..)| (*channel, *class) == (other.channel, other.class)),
        None => {
            let came = |unit: &Unit| unit.input == Some(own.channel) && is_it(unit);
            (is_port || other.class == own.class) && other.units.iter().any(came)
        }
    };
    let here = here.iter().copied();
    here.filter(|at| holds(&queues[*at])).collect()
}
