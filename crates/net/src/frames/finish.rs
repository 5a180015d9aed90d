//! What the run found, and whether the books balance.

use alloc::boxed::Box;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::{Balance, Duration, EventQueue, Place, Stop, Time};

use crate::classes::{FrameFlow, Underway};
use crate::hop::unit::{Unit, Units};
use crate::network::Network;
use crate::outcome::{
    ChannelOutcome, ClassesOutcome, CreditOutcome, DestinationOutcome, FlowOutcome, LaneOutcome,
    MembersOutcome, NodeOutcome, Outcome, QueueOutcome,
};
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::{Owner, WIRE_OVERHEAD_BYTES, wire_bytes};

/// What was found of flows with a row, and of those without.
type FlowsFound = (Vec<FlowOutcome>, Vec<MembersOutcome>);
/// Data that has not arrived, by flow and by receiver.
type Inside = (Vec<(u64, u64)>, Vec<Vec<u64>>);

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What has been found so far.
    pub(crate) fn class_outcome(&self) -> Outcome {
        let (ended_at, stop) = self.class_ending();
        let flows = self.flows_found(ended_at, &self.inside());
        self.class_outcome_of(flows, ended_at, stop)
    }

    /// The same of a run that does not go on: frames, flows and events make room for what is told
    /// of channels.
    pub(crate) fn last_class_outcome(&mut self) -> Outcome {
        let (ended_at, stop) = self.class_ending();
        let inside = self.inside();
        self.events = Q::default();
        self.network.units = Units::new();
        let flows = self.flows_found(ended_at, &inside);
        self.network.classes.forget_flows();
        self.class_outcome_of(flows, ended_at, stop)
    }

    /// How far it came, and why no further.
    fn class_ending(&self) -> (Time, Stop) {
        let is_drained = self.by_class.is_drained || self.events.is_empty();
        let is_stuck = self.by_class.standstill.is_some();
        let ended_at = if is_drained || is_stuck {
            self.now
        } else {
            self.by_class.reached
        };
        (ended_at, stop(ended_at, self.stop_at, is_drained, is_stuck))
    }

    fn class_outcome_of(&self, flows: FlowsFound, ended_at: Time, stop: Stop) -> Outcome {
        let mut outcome = self.found_beside(flows, ended_at, stop);
        outcome.standstill = self.by_class.standstill.clone();
        end(&mut outcome);
        outcome
    }

    /// What was found in a run that came to `ended_at`, or in a part of it.
    pub(crate) fn found_by(&self, ended_at: Time, stop: Stop) -> Outcome {
        let flows = self.flows_found(ended_at, &self.inside());
        self.found_beside(flows, ended_at, stop)
    }

    /// Of flows with a row, and of those without.
    fn flows_found(&self, ended_at: Time, inside: &Inside) -> FlowsFound {
        (
            self.frame_flow_outcomes(ended_at, inside),
            self.member_outcomes(ended_at, &inside.0),
        )
    }

    fn inside(&self) -> Inside {
        (self.network.inside(), self.network.inside_by_receiver())
    }

    /// The rest.
    fn found_beside(&self, (flows, members): FlowsFound, ended_at: Time, stop: Stop) -> Outcome {
        // What ended in its warm-up is told of as a whole.
        let since = match self.is_warm {
            true => self.warm_up.min(ended_at),
            false => Time::ZERO,
        };
        Outcome {
            control_hops: self.by_class.control_hops,
            flows,
            members,
            channels: self.class_channel_outcomes(since, ended_at),
            nodes: self.class_node_outcomes(),
            ..self.head(ended_at, stop)
        }
    }

    fn frame_flow_outcomes(&self, now: Time, inside: &Inside) -> Vec<FlowOutcome> {
        let flows = self
            .network
            .classes
            .flows
            .iter()
            .zip(&self.network.classes.losses);
        let rows = self.network.classes.rows;
        let mut outcomes = Vec::with_capacity(flows.len().min(rows as usize));
        for (id, ((flow, losses), (frames, bytes))) in (0..rows).zip(flows.zip(&inside.0)) {
            let (stations, routes) = (&self.network.classes.stations, &self.network.classes.routes);
            let (delivered, delay) = stations.delivered(id);
            let destinations = self.destination_outcomes(id, &inside.1);
            let copies = destinations.len().max(1) as u64;
            let mut ends = stations.outcome(now, id);
            if let Some(messages) = &mut ends.messages {
                messages.alone = self.network.classes.alone_of(id);
            }
            let alone = self.network.classes.alone[id as usize];
            outcomes.push(FlowOutcome {
                offered_total: flow.created * copies,
                delivered_total: flow.delivered,
                lost_total: losses.dropped,
                inside_total: *frames,
                bytes: Some(Balance {
                    offered: flow.created_bytes * copies,
                    delivered: flow.delivered_bytes,
                    dropped: losses.dropped_bytes,
                    queued: 0,
                    inside: *bytes,
                }),
                delivered,
                lost: losses.dropped - losses.dropped_before,
                delay,
                marked: losses.marked,
                trimmed: losses.trimmed,
                alone,
                path: routes.path(2 * id).unwrap_or_default().to_vec(),
                ends,
                destinations,
                ..FlowOutcome::default()
            });
        }
        outcomes
    }

    /// What became of the frames for each of several stations.
    fn destination_outcomes(&self, flow: u32, inside: &[Vec<u64>]) -> Vec<DestinationOutcome> {
        let classes = &self.network.classes;
        let Some(received) = classes.received.get(flow as usize) else {
            return Vec::new();
        };
        let seen = classes.stations.received(flow);
        let mut outcomes = Vec::new();
        for ((own, seen), inside_total) in received.iter().zip(seen).zip(&inside[flow as usize]) {
            let (delivered, delay) = seen;
            outcomes.push(DestinationOutcome {
                offered_total: classes.flows[flow as usize].created,
                delivered_total: own.delivered,
                lost_total: own.dropped,
                inside_total: *inside_total,
                delivered,
                delay,
            });
        }
        outcomes
    }

    fn class_channel_outcomes(&self, since: Time, now: Time) -> Vec<ChannelOutcome> {
        let network = &self.network;
        let all = 0..network.channels.len() as u32;
        all.map(|id| self.channel_outcome(id, since, now)).collect()
    }

    fn channel_outcome(&self, id: u32, since: Time, now: Time) -> ChannelOutcome {
        let network = &self.network;
        let (asked, gates) = (
            &network.classes.asked[id as usize],
            &network.classes.gates[id as usize],
        );
        let span = now.since(since).0.max(1) as f64;
        let of_classes = 0..network.classes.count as u8;
        let inputs = of_classes.clone().map(|class| network.queue(id, class));
        let of_inputs = |most: fn(&Network, usize) -> u64| -> u64 {
            inputs.clone().map(|at| most(network, at)).sum()
        };
        let queues: Vec<QueueOutcome> = of_classes
            .clone()
            .map(|class| self.queue_outcome(id, class, since, now))
            .collect();
        let sent: u64 = queues.iter().map(|queue| queue.sent).sum();
        let sent_bytes: u64 = queues.iter().map(|queue| queue.sent_bytes).sum();
        let before = self.by_class.control_before[id as usize];
        let controls = network.classes.control_sent[id as usize] - before.0;
        let control_bytes = network.classes.control_bytes[id as usize] - before.1;
        let (before, now_part) = (
            self.by_class.underway_before[id as usize],
            network.underway(id, now),
        );
        let busy = |sent: Duration, part: fn(&Underway) -> u64| {
            (sent.0 + part(&now_part) - part(&before)) as f64 / span
        };
        let by_class = ClassesOutcome {
            stops_sent: asked.stops,
            resumes_sent: asked.resumes,
            refreshes_sent: asked.refreshed,
            credits_sent: network
                .classes
                .credits
                .sent
                .get(id as usize)
                .copied()
                .unwrap_or(0),
            control_lost_total: network.classes.control_lost[id as usize],
            stops_obeyed: gates.stops_obeyed,
            stops_ignored: gates.stops_ignored,
            input_most_bytes: of_inputs(Network::input_most_bytes),
            headroom_most_bytes: of_inputs(Network::headroom_most_bytes),
            queues,
        };
        ChannelOutcome {
            data_share: busy(network.sent_time(id, sent_bytes, sent), |part| part.data_ps),
            control_share: busy(network.span(id, control_bytes), |part| part.control_ps),
            data_units: sent,
            control_units: controls,
            rate: None,
            by_class,
        }
    }

    fn queue_outcome(&self, id: u32, class: u8, since: Time, now: Time) -> QueueOutcome {
        let network = &self.network;
        let at = network.queue(id, class);
        let (queue, counts) = (&network.classes.queues[at], &network.classes.counts[at]);
        let watch = &network.classes.gates[id as usize].class_gate(class).watch;
        let stopped = watch
            .total(now)
            .0
            .saturating_sub(self.by_class.stopped_before[at].0);
        let span = now.since(since).0.max(1) as f64;
        let parts = [
            network.underway(id, now),
            self.by_class.underway_before[id as usize],
        ];
        // The frame on the wire may be of another class.
        let [now_ps, before_ps] = parts.map(|part| match part.class == class {
            true => part.data_ps,
            false => 0,
        });
        let sent = network.sent_time(id, queue.sent_bytes, queue.sent);
        QueueOutcome {
            data_share: (sent.0 + now_ps - before_ps) as f64 / span,
            joined_total: queue.joined,
            sent: queue.sent,
            sent_bytes: queue.sent_bytes,
            drops: counts.drops,
            most_bytes: queue.most_bytes,
            mean_bytes: queue.mean_bytes(since, now),
            stopped_share: stopped as f64 / span,
            stops: watch.lengths(now),
            congestions: counts.congestions,
            marked: counts.marked,
            trimmed: counts.trimmed,
            watchdog_trips: counts.watchdog_trips,
            credit: network
                .credit_leg(id, class)
                .map(|leg| Box::new(network.credit_outcome(leg))),
            lanes: network.lane_outcomes(id, class),
        }
    }

    fn class_node_outcomes(&self) -> Vec<NodeOutcome> {
        let nodes = self.network.classes.nodes.iter();
        nodes
            .map(|node| NodeOutcome {
                most_bytes: node.most_bytes,
                time_outs: node.time_outs,
                ..NodeOutcome::default()
            })
            .collect()
    }

    /// Stops of the time before `at` do not count.
    pub(crate) fn note_stops_before(&mut self, at: Time) {
        let network = &self.network;
        for channel in 0..network.channels.len() as u32 {
            for class in 0..network.classes.count as u8 {
                let watch = &network.classes.gates[channel as usize]
                    .class_gate(class)
                    .watch;
                let at_queue = network.queue(channel, class);
                self.by_class.stopped_before[at_queue] = watch.total(at);
            }
        }
        let (sent, bytes) = (
            &network.classes.control_sent,
            &network.classes.control_bytes,
        );
        let sent = sent.iter().copied().zip(bytes.iter().copied());
        self.by_class.control_before = sent.collect();
        let all = 0..network.channels.len() as u32;
        self.by_class.underway_before = all.map(|channel| network.underway(channel, at)).collect();
    }
}

/// Why a run ended at `ended_at`.
pub(crate) fn stop(ended_at: Time, stop_at: Time, is_drained: bool, is_stuck: bool) -> Stop {
    match is_stuck {
        true => Stop::Standstill,
        false if ended_at >= stop_at => Stop::TimeReached,
        false if is_drained => Stop::Drained,
        false => Stop::Interrupted,
    }
}

/// What needs all parts of a run: transfers under way, slowdowns, and whether the books balance.
pub(crate) fn end(outcome: &mut Outcome) {
    for flow in &mut outcome.flows {
        flow.ends.end(outcome.ended_at);
        let alone_ps = flow.alone.map(|time| time.ps() as f64);
        if let Some(ps) = alone_ps.filter(|ps| *ps > 0.0) {
            let times = &mut flow.ends.transfer_time;
            *times = core::mem::take(times).none_below(ps);
            flow.slowdown = times.over(ps);
        }
    }
    balance(outcome);
}

/// Created = delivered + dropped + inside, each counted on its own.
fn balance(outcome: &mut Outcome) {
    for members in &outcome.members {
        let flow = &members.found;
        let balances = [Some(flow.balance()), flow.bytes].into_iter().flatten();
        for (balance, units) in balances.zip(["frames", "bytes"]) {
            if let Some(wrong) = balance.complaint(units) {
                let at = outcome.ended_at;
                outcome.violations.note(at, Place::Network, || wrong);
            }
        }
    }
    for (id, flow) in (0..).zip(&outcome.flows) {
        let balances = [Some(flow.balance()), flow.bytes].into_iter().flatten();
        for (balance, units) in balances.zip(["frames", "bytes"]) {
            if let Some(wrong) = balance.complaint(units) {
                let (at, place) = (outcome.ended_at, Place::Flow(id));
                outcome.violations.note(at, place, || wrong);
            }
            let at = outcome.ended_at;
            for (number, own) in flow.destinations.iter().enumerate() {
                if let Some(wrong) = own.balance().complaint("frames") {
                    let wrong = || format!("destination {}: {wrong}", number + 1);
                    outcome.violations.note(at, Place::Flow(id), wrong);
                }
            }
        }
    }
}

impl Network {
    /// Lanes with credit of their own over a channel.
    fn lane_outcomes(&self, channel: u32, class: u8) -> Vec<LaneOutcome> {
        let lanes = self.classes.sorted(self.queue(channel, class));
        let Some(lanes) = lanes.filter(|lanes| lanes.has_credit()) else {
            return Vec::new();
        };
        let all = lanes
            .numbers()
            .zip(&lanes.lanes)
            .filter_map(|(number, lane)| {
                let leg = self.classes.credits.leg(number as usize)?;
                Some(LaneOutcome {
                    way: (lanes.by == Owner::Flow).then_some(lane.owner),
                    number: lanes.is_shared().then_some(lane.owner),
                    destination: lane.destination,
                    credit: self.credit_outcome(leg),
                })
            });
        all.collect()
    }

    /// The credit of a leg.
    fn credit_outcome(&self, leg: u32) -> CreditOutcome {
        let (ends, lane) = (
            &self.legs[leg as usize],
            &self.classes.credits.lanes[leg as usize],
        );
        let link = &self.credits[ends.sender.control as usize];
        let limit = self.settings[link.settings as usize].rule.initial_credit();
        let missing = |credit: i32| (limit - i64::from(credit)).max(0) as u64;
        let stored = u64::from(ends.receiver.fill.value());
        CreditOutcome {
            limit: limit as u64,
            consumed: ends.sender.sent,
            freed: ends.receiver.arrived - stored + link.known_lost,
            lost: link.known_lost,
            used: missing(ends.sender.credit),
            most_used: missing(lane.least.min(ends.sender.credit)),
            messages: link.credits_received,
        }
    }

    /// The part of the frame being sent that lies before `at`.
    fn underway(&self, id: u32, at: Time) -> Underway {
        let channel = &self.channels[id as usize];
        let on_wire = u64::from(wire_bytes(channel.sent_bytes));
        let whole = self.span(id, on_wire).0;
        let started = channel.free_at.0.saturating_sub(whole);
        if !channel.is_busy() {
            return Underway::default();
        }
        // Its last bit may have left at this very instant, and be counted after it.
        let so_far = at.0.min(channel.free_at.0).saturating_sub(started);
        let (data_ps, control_ps) = match channel.sends_control() {
            true => (0, so_far),
            false => (so_far, 0),
        };
        Underway {
            data_ps,
            control_ps,
            class: channel.sent_class,
        }
    }

    /// Time that so many frames with these bytes in all take on the wire.
    fn sent_time(&self, id: u32, bytes: u64, frames: u64) -> Duration {
        match frames {
            0 => Duration::ZERO,
            _ => self.span(id, bytes + frames * u64::from(WIRE_OVERHEAD_BYTES)),
        }
    }

    /// Most bytes that came over an input in a class and had not left.
    fn input_most_bytes(&self, at: usize) -> u64 {
        self.classes.accounts[at].most_bytes
    }

    /// Most of them in headroom, or above the threshold at which the input is congested.
    fn headroom_most_bytes(&self, at: usize) -> u64 {
        let account = &self.classes.accounts[at];
        let above = account.most_bytes.saturating_sub(account.high_bytes);
        above.max(self.classes.account_times[at].headroom_most_bytes)
    }

    /// Frames and bytes of each flow in queues and on wires, times the stations they are for.
    fn inside(&self) -> Vec<(u64, u64)> {
        let mut inside = vec![(0, 0); self.classes.flows.len()];
        self.data_inside(|frame| {
            let place = self.classes.place(frame.flow());
            let is_multicast = self.classes.flows[place].is(FrameFlow::MULTICAST);
            let times = match is_multicast {
                true => self.places_behind(frame).len() as u64,
                false => 1,
            };
            let (frames, bytes) = &mut inside[place];
            *frames += times;
            *bytes += times * u64::from(frame.bytes);
        });
        inside
    }

    /// The same frames by flow and station, where one flow at least has several.
    fn inside_by_receiver(&self) -> Vec<Vec<u64>> {
        let received = self.classes.received.iter();
        let mut inside: Vec<Vec<u64>> = received.map(|own| vec![0; own.len()]).collect();
        if !inside.is_empty() {
            self.data_inside(|frame| {
                let own = inside.get_mut(frame.flow() as usize);
                if let Some(own) = own.filter(|own| !own.is_empty()) {
                    let receivers = self.receivers(frame);
                    receivers.iter().for_each(|at| own[*at as usize] += 1);
                }
            });
        }
        inside
    }

    /// Every data frame in a queue or on a wire.
    fn data_inside(&self, mut each: impl FnMut(&Unit)) {
        let wires = self.channels.iter().map(|channel| &channel.wire);
        let queues = self.classes.queues.iter().map(|queue| &queue.chain);
        let lanes = self.classes.lanes.iter().flat_map(|lanes| &lanes.lanes);
        let chains = wires.chain(queues).chain(lanes.map(|lane| &lane.chain));
        for frame in chains.flat_map(|chain| chain.iter(&self.units)) {
            if !frame.is_control() {
                each(frame);
            }
        }
    }

    /// Span that no statistics cover yet.
    pub(crate) fn no_stops(&self) -> Vec<Duration> {
        vec![Duration::ZERO; self.classes.queues.len()]
    }
}
