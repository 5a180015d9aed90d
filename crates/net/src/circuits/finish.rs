//! The end of a run: totals are balanced, statistics are summed up.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::control::Control;
use backwater_kernel::{Collected, DelayOutcome, Delays, Duration, EventQueue, Place, Stop, Time};

use crate::hop::unit::NONE;
use crate::memory::pool::Pool;
use crate::network::Network;
use crate::outcome::{
    AbrOutcome, ChannelOutcome, ClassesOutcome, FlowOutcome, LegOutcome, NodeOutcome, Outcome,
};
use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What the run has found so far. Checks conservation on the way.
    pub fn outcome(&mut self) -> Outcome {
        match self.network.classes.count {
            0 => self.circuit_outcome(),
            _ => self.class_outcome(),
        }
    }

    /// The same of a run that does not go on: what only that takes goes first, since a large
    /// network has no room for both.
    pub fn last_outcome(&mut self) -> Outcome {
        match self.network.classes.count {
            0 => self.circuit_outcome(),
            _ => self.last_class_outcome(),
        }
    }

    fn circuit_outcome(&mut self) -> Outcome {
        let next = self
            .events
            .next_time()
            .filter(|_| !self.has_only_leftovers());
        let stop = self.stop(next, next.is_none() && self.is_at_rest());
        let mut outcome = self.circuits_found(self.now, stop);
        balance_circuits(&mut outcome, &self.network, self.now);
        let seen = self.see(stop);
        outcome.standstill = seen.and_then(|seen| self.network.standstill(&seen, self.now));
        outcome
    }

    /// What was found in a run, or in a part of one, where something happened last at `now`.
    pub(crate) fn circuits_found(&mut self, now: Time, stop: Stop) -> Outcome {
        self.now = now;
        if !self.is_warm {
            // Nothing has been measured yet; should the run go on, its warm-up ends again.
            self.end_warm_up();
            self.is_warm = false;
        }
        self.check_branches();
        // A stuck network stands still until the end, and its averages say so.
        let ended_at = match matches!(stop, Stop::TimeReached | Stop::Standstill) {
            true => self.stop_at,
            false => now,
        };
        let data_hops: u64 = self.network.legs.iter().map(|leg| leg.sender.sent).sum();
        Outcome {
            control_hops: self.unit_hops - data_hops,
            flows: self.flow_outcomes(ended_at),
            legs: self.leg_outcomes(ended_at),
            channels: self.channel_outcomes(ended_at),
            nodes: self.node_outcomes(ended_at),
            ..self.head(ended_at, stop)
        }
    }

    /// Why a run of circuits ended in which something happens next at `next`.
    pub(crate) fn stop(&self, next: Option<Time>, is_at_rest: bool) -> Stop {
        match next {
            Some(next) if next > self.stop_at => Stop::TimeReached,
            Some(_) => Stop::Interrupted,
            None if is_at_rest => Stop::Drained,
            None => Stop::Standstill,
        }
    }

    /// Nothing is inside, and no source waits for an acknowledgement.
    pub(crate) fn is_at_rest(&self) -> bool {
        let mut inside = (0..).zip(self.count_inside());
        let is_empty = |(flow, inside)| match inside {
            0 => true,
            _ => self
                .abr_outcome(flow)
                .is_some_and(|abr| rm_inside(&abr) == inside),
        };
        inside.all(is_empty) && !self.network.has_closed_window()
    }

    /// Deliveries still to come, by flow: units queued, on the wire, in sinks.
    fn count_inside(&self) -> Vec<u64> {
        let network = &self.network;
        let mut inside = vec![0; network.flows.len()];
        for (id, leg) in network.legs.iter().enumerate() {
            let flow = leg.sender.flow as usize;
            inside[flow] += leg.sender.queue.len as u64 * network.leaves_below[id] as u64;
            if leg.receiver.is_leaf() && leg.receiver.first_child != NONE {
                let sink = &network.sinks[leg.receiver.first_child as usize];
                inside[flow] += sink.waiting.len as u64;
            }
        }
        for channel in &network.channels {
            for unit in channel
                .wire
                .iter(&network.units)
                .filter(|unit| unit.kind.is_queued())
            {
                let flow = network.legs[unit.leg as usize].sender.flow;
                inside[flow as usize] += network.leaves_below[unit.leg as usize] as u64;
            }
        }
        inside
    }

    /// Of an ABR flow; its RM cells are counted on their own.
    fn abr_outcome(&self, flow_id: u32) -> Option<Box<AbrOutcome>> {
        let control = &self.network.flows[flow_id as usize].control;
        let mut outcome = control.outcome(self.now)?;
        [outcome.forward.inside, outcome.backward.inside] = self.rm_inside(flow_id);
        self.end_bursts(flow_id, &mut outcome);
        Some(outcome)
    }

    /// Source control hands a burst's last cell over in its slot; the cell has left when it is on
    /// the first link as a whole. (What other flows of its host let it wait there is not known.)
    fn end_bursts(&self, flow_id: u32, outcome: &mut AbrOutcome) {
        let Some(root) = self.network.roots(flow_id).first() else {
            return;
        };
        let channel = self.network.legs[*root as usize].sender.channel;
        let bytes = self.network.flows[flow_id as usize].unit_bytes;
        let cell = self.network.channels[channel as usize].span(bytes.into());
        for burst in &mut outcome.bursts {
            let end = burst.sent.and_then(|slot| slot.checked_add(cell));
            burst.sent = end.filter(|end| *end <= self.now);
        }
    }

    /// What a node has let in over one leg, each branch has sent, dropped or still holds.
    fn check_branches(&mut self) {
        let (legs, counts) = (&self.network.legs, &self.network.counts);
        let mut wrong = Vec::new();
        for (id, leg) in legs
            .iter()
            .enumerate()
            .filter(|(_, leg)| !leg.sender.is_root())
        {
            let parent = leg.sender.parent as usize;
            let let_in = legs[parent].receiver.arrived - counts[parent].dropped;
            let sender = &leg.sender;
            let accounted = sender.sent + counts[id].dropped_waiting + sender.queue.len as u64;
            if let_in != accounted {
                wrong.push((id as u32, let_in, accounted));
            }
        }
        for (leg, let_in, accounted) in wrong {
            self.violate(leg, || {
                format!("{let_in} units came to its port, but {accounted} left or wait there")
            });
        }
    }

    /// Requests that are not answered by `ended_at` are those of the flow that would answer.
    fn add_unanswered(&self, ended_at: Time, outcomes: &mut [FlowOutcome]) {
        let mut add = |server: u32, asked: Time| {
            let own = &mut outcomes[server as usize].responses;
            *own = core::mem::take(own).with_open(ended_at.since(asked).ps() as f64, 1);
        };
        for flow in &self.network.flows {
            let partner = flow.partner;
            flow.traffic
                .unanswered()
                .for_each(|asked| add(partner, asked));
        }
        let connections = self.network.tcp.iter().flat_map(|tcp| tcp.unanswered());
        connections.for_each(|(server, asked)| add(server, asked));
    }

    fn flow_outcomes(&self, ended_at: Time) -> Vec<FlowOutcome> {
        let inside = self.count_inside();
        let flows = self.network.flows.iter().zip(inside).enumerate();
        let mut outcomes: Vec<FlowOutcome> = flows
            .map(|(id, (flow, inside))| {
                let abr = self.abr_outcome(id as u32);
                let rm_cells = abr.as_deref().map_or(0, rm_inside);
                let counts = &flow.counts;
                let delivered = counts.delivered - counts.delivered_before_warm_up;
                FlowOutcome {
                    abr,
                    tcp: self.tcp_outcome(id as u32).map(Box::new),
                    offered_total: counts.offered,
                    delivered_total: counts.delivered,
                    lost_total: counts.lost,
                    drops: counts.drops,
                    // RM cells are counted on their own.
                    inside_total: inside - rm_cells,
                    delivered,
                    delivered_bytes: counts.delivered_bytes - counts.delivered_bytes_before_warm_up,
                    lost: counts.lost - counts.lost_before_warm_up,
                    accepted: counts.accepted - counts.accepted_before_warm_up,
                    retransmitted_total: counts.retransmitted,
                    delay: delays(counts.delay.as_deref()),
                    source_backlog_max: counts.backlog_max,
                    responses: counts
                        .responses
                        .as_deref()
                        .map(Collected::distribution)
                        .unwrap_or_default(),
                    shaping: delays(flow.shaping.as_ref().and_then(|one| one.waits.as_deref())),
                    alarms_total: counts.alarms,
                    session: self.network.session_outcome(id as u32),
                    ..FlowOutcome::default()
                }
            })
            .collect();
        self.add_unanswered(ended_at, &mut outcomes);
        outcomes
    }

    fn leg_outcomes(&self, ended_at: Time) -> Vec<LegOutcome> {
        let network = &self.network;
        let measured_ps = ended_at.since(self.warm_up).ps() as f64;
        let legs = network.legs.iter().zip(&network.counts);
        legs.map(|(leg, counts)| {
            let (sender, receiver) = (&leg.sender, &leg.receiver);
            let link = network.credits.get(sender.control as usize);
            let fill = &receiver.fill;
            let fill_mean = fill.mean(self.warm_up, ended_at);
            let arrived = receiver.arrived - counts.arrived_before_warm_up;
            LegOutcome {
                flow: sender.flow,
                channel: sender.channel,
                parent: (sender.parent != NONE).then_some(sender.parent),
                sent_total: sender.sent,
                lost_total: counts.lost,
                dropped_total: counts.dropped,
                alarms_total: counts.alarms,
                dropped_waiting_total: counts.dropped_waiting,
                overfill_max: fill.max_total().saturating_sub(receiver.limit),
                credits_received_total: link.map_or(0, |link| link.credits_received),
                credits_lost_total: link.map_or(0, |link| link.credits_lost as u64),
                requests_total: link.map_or(0, |link| link.requests as u64),
                fill: fill.value(),
                credit: link.map(|_| sender.credit as i64),
                fill_max_total: fill.max_total(),
                fill_min: fill.min(),
                fill_max: fill.max(),
                fill_mean,
                sent: sender.sent - counts.sent_before_warm_up,
                arrived,
                blocked: link.map_or(Duration::ZERO, |link| link.blocked.measured(ended_at)),
                wait_mean_ps: fill_mean * measured_ps / arrived.max(1) as f64,
            }
        })
        .collect()
    }

    fn channel_outcomes(&self, ended_at: Time) -> Vec<ChannelOutcome> {
        let span = ended_at.since(self.warm_up).ps().max(1) as f64;
        let channels = self.network.channels.iter().enumerate();
        channels
            .map(|(id, channel)| {
                let (data_rest, control_rest) = channel.unfinished(ended_at);
                let data = channel.data_busy.ps().saturating_sub(data_rest.ps());
                let control = channel.control_busy.ps().saturating_sub(control_rest.ps());
                ChannelOutcome {
                    rate: self.rate_port_outcome(id as u32).map(Box::new),
                    data_share: data as f64 / span,
                    control_share: control as f64 / span,
                    data_units: channel.data_units,
                    control_units: channel.control_units,
                    by_class: ClassesOutcome::default(),
                }
            })
            .collect()
    }

    fn node_outcomes(&self, ended_at: Time) -> Vec<NodeOutcome> {
        let nodes = self.network.nodes.iter();
        nodes
            .map(|node| NodeOutcome {
                stored_max_total: node.stored.max_total(),
                stored_max: node.stored.max(),
                stored_mean: node.stored.mean(ended_at),
                pool_max_total: self
                    .network
                    .pools
                    .get(node.pool as usize)
                    .map_or(0, Pool::max),
                ..NodeOutcome::default()
            })
            .collect()
    }
}

/// Whatever was offered is delivered, lost or still inside, counted separately; RM cells on their
/// own.
pub(crate) fn balance_circuits(outcome: &mut Outcome, network: &Network, now: Time) {
    for (id, flow) in (0..).zip(&outcome.flows) {
        let rm_cells = flow.abr.iter().flat_map(|abr| {
            let kinds = [abr.forward.balance(), abr.backward.balance()];
            kinds
                .into_iter()
                .zip(["forward RM cells", "backward RM cells"])
        });
        for (balance, units) in rm_cells.chain([(flow.balance(), "units")]) {
            if let Some(wrong) = balance.complaint(units) {
                let place = Place::Leg(network.roots(id)[0]);
                outcome.violations.note(now, place, || wrong);
            }
        }
    }
}

fn rm_inside(abr: &AbrOutcome) -> u64 {
    abr.forward.inside + abr.backward.inside
}

fn delays(delays: Option<&Delays>) -> DelayOutcome {
    delays.map(Delays::outcome).unwrap_or_default()
}
