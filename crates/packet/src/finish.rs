//! The end of a run: totals are balanced, statistics are summed up.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use kernel::{EventQueue, Time};

use crate::channel::Kind;
use crate::flow::Delays;
use crate::outcome::{
    ChannelOutcome, DelayOutcome, FlowOutcome, LegOutcome, NodeOutcome, Outcome, Stop,
};
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::unit::{Fifo, NONE};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// What the run has found so far. Checks conservation on the way: whatever was offered is
    /// delivered, lost or still inside, counted separately.
    pub fn outcome(&mut self) -> Outcome {
        if !self.is_warm {
            // Nothing has been measured yet; should the run go on, its warm-up ends again.
            self.end_warm_up();
            self.is_warm = false;
        }
        let inside = self.count_inside();
        self.check_conservation(&inside);
        let stop = self.stop(inside.iter().sum());
        let ended_at = if stop == Stop::TimeReached {
            self.stop_at
        } else {
            self.now
        };
        Outcome {
            ended_at,
            stop,
            trace_hash: self.hash.value(),
            events: self.events_handled,
            unit_hops: self.unit_hops,
            flows: self.flow_outcomes(&inside),
            legs: self.leg_outcomes(ended_at),
            channels: self.channel_outcomes(ended_at),
            nodes: self.node_outcomes(ended_at),
            violations: self.violations.clone(),
            violations_total: self.violations_total,
        }
    }

    fn stop(&mut self, inside: u64) -> Stop {
        match self.events.next_time() {
            Some(next) if next > self.stop_at => Stop::TimeReached,
            Some(_) => Stop::Interrupted,
            None if inside == 0 => Stop::Drained,
            None => Stop::Stuck(self.last_start),
        }
    }

    /// Deliveries still to come, by flow: units queued, on the wire, in sinks.
    fn count_inside(&self) -> Vec<u64> {
        let network = &self.network;
        let mut inside = vec![0; network.flows.len()];
        for (id, leg) in network.legs.iter().enumerate() {
            inside[leg.flow as usize] += leg.queue.len as u64 * network.leaves_below[id] as u64;
            if leg.is_leaf() && leg.first_child != NONE {
                let waiting: Fifo = network.sinks[leg.first_child as usize].waiting;
                inside[leg.flow as usize] += waiting.len as u64;
            }
        }
        for channel in &network.channels {
            for flight in &channel.flights {
                if matches!(flight.kind, Kind::Data | Kind::LostData) {
                    let leg_id = network.units.get(flight.what).leg as usize;
                    let leg = &network.legs[leg_id];
                    inside[leg.flow as usize] += network.leaves_below[leg_id] as u64;
                }
            }
        }
        inside
    }

    fn check_conservation(&mut self, inside: &[u64]) {
        let mut wrong = Vec::new();
        for (id, flow) in self.network.flows.iter().enumerate() {
            let counts = &flow.counts;
            let accounted = counts.delivered + counts.lost + inside[id];
            if counts.offered != accounted {
                wrong.push((flow.roots[0], counts.offered, accounted));
            }
        }
        for (leg, offered, accounted) in wrong {
            self.violate(leg, || {
                format!("{offered} units offered, but {accounted} delivered, lost or inside")
            });
        }
    }

    fn flow_outcomes(&self, inside: &[u64]) -> Vec<FlowOutcome> {
        let flows = self.network.flows.iter().zip(inside);
        flows
            .map(|(flow, &inside_total)| {
                let counts = &flow.counts;
                let delivered = counts.delivered - counts.delivered_before_warm_up;
                FlowOutcome {
                    offered_total: counts.offered,
                    delivered_total: counts.delivered,
                    lost_total: counts.lost,
                    inside_total,
                    delivered,
                    delivered_bytes: delivered * flow.unit_bytes as u64,
                    accepted: counts.accepted - counts.accepted_before_warm_up,
                    retransmitted_total: counts.retransmitted,
                    delay: delays(&counts.delay),
                    source_backlog_max: counts.backlog_max,
                    responses: delays(&counts.responses),
                }
            })
            .collect()
    }

    fn leg_outcomes(&self, ended_at: Time) -> Vec<LegOutcome> {
        let network = &self.network;
        let legs = network.legs.iter().zip(&network.counts);
        legs.map(|(leg, counts)| {
            let link = network.credits.get(leg.control as usize);
            let fill_max_total = counts.fill.max_total() as u32;
            LegOutcome {
                flow: leg.flow,
                channel: leg.channel,
                parent: (leg.parent != NONE).then_some(leg.parent),
                sent_total: counts.sent,
                lost_total: counts.lost,
                dropped_total: counts.dropped,
                overfill_max: fill_max_total.saturating_sub(leg.limit),
                credits_received_total: link.map_or(0, |link| link.credits_received),
                credits_lost_total: link.map_or(0, |link| link.credits_lost),
                requests_total: link.map_or(0, |link| link.requests),
                fill: leg.fill,
                credit: link.map(|_| leg.credit as i64),
                fill_max_total,
                fill_min: counts.fill.min() as u32,
                fill_max: counts.fill.max() as u32,
                fill_mean: counts.fill.mean(ended_at),
                sent: counts.sent - counts.sent_before_warm_up,
                wait_mean_ps: counts.wait_ps as f64 / (counts.waits.max(1)) as f64,
                waits: counts.waits,
            }
        })
        .collect()
    }

    fn channel_outcomes(&self, ended_at: Time) -> Vec<ChannelOutcome> {
        let span = ended_at.since(self.warm_up).ps().max(1) as f64;
        let channels = self.network.channels.iter();
        channels
            .map(|channel| {
                let (data_rest, control_rest) = channel.unfinished(ended_at);
                let data = channel.data_busy.ps().saturating_sub(data_rest.ps());
                let control = channel.control_busy.ps().saturating_sub(control_rest.ps());
                ChannelOutcome {
                    data_utilization: data as f64 / span,
                    control_utilization: control as f64 / span,
                    data_units: channel.data_units,
                    control_units: channel.control_units,
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
            })
            .collect()
    }
}

fn delays(delays: &Delays) -> DelayOutcome {
    let sampled = &delays.sampled;
    let percentile = |p: f64| delays.histogram.percentile(p);
    DelayOutcome {
        count: sampled.count(),
        mean_ps: sampled.mean(),
        deviation_ps: sampled.deviation(),
        half_width_ps: delays.batches.half_width_95(),
        min_ps: sampled.min(),
        max_ps: sampled.max(),
        percentiles_ps: [
            percentile(50.0),
            percentile(90.0),
            percentile(99.0),
            percentile(99.9),
        ],
    }
}
