//! From a specification to a network in which nothing has happened.

use backwater_kernel::{Purpose, Time};
use backwater_net::spec::{EnvelopeSpec, FlowControlSpec, FlowSpec, NetworkSpec, Overflow};

use crate::check::{self, Problem};
use crate::credit;
use crate::envelope::Gate;
use crate::errors::Errors;
use crate::network::{Channel, CircuitFlow, Leg, Network};
use crate::service::{Port, Seat, Wire};
use crate::session::{Branch, Session};
use crate::sizes::Sizes;
use crate::source;
use crate::warning::Heed;

impl Network {
    pub fn new(spec: &NetworkSpec) -> Result<Network, Problem> {
        check::check(spec)?;
        let mut network = Network {
            stop_at: spec.stop_at,
            now: None,
            instants: 0,
            has_chosen: false,
            flows: Vec::new(),
            legs: Vec::new(),
            channels: Vec::new(),
            to_nodes: check::channel_ends(spec)
                .into_iter()
                .map(|(_, to)| to)
                .collect(),
            on_the_way: Vec::new(),
            pools: spec.nodes.iter().map(|node| node.pool).collect(),
            leaving: Vec::new(),
            log: Vec::new(),
            ranks: Vec::new(),
            set_ups: Vec::new(),
            too_late: 0,
            relative_fault: 0,
            fault: None,
        };
        for flow in &spec.flows {
            network.add_flow(spec, flow);
        }
        network.add_channels(spec);
        Ok(network)
    }

    fn add_flow(&mut self, network: &NetworkSpec, spec: &FlowSpec) {
        let first = self.legs.len();
        let mut roots = Vec::new();
        for (number, leg) in spec.legs.iter().enumerate() {
            let index = first + number;
            let parent = leg.parent.map(|parent| first + parent as usize);
            match parent {
                Some(parent) => self.legs[parent].children.push(index),
                None => roots.push(index),
            }
            let control = match leg.flow_control {
                FlowControlSpec::None => None,
                FlowControlSpec::Credit(control) => Some(control),
            };
            let drops = leg.buffer.overflow == Overflow::Drop;
            self.legs.push(Leg {
                flow: self.flows.len(),
                index_in_flow: number,
                channel: leg.channel as usize,
                parent,
                children: Vec::new(),
                control,
                credit: control.as_ref().map_or(0, credit::initial),
                queue: Vec::new(),
                starts: Vec::new(),
                stored: Vec::new(),
                drop_limit: leg.buffer.limit_units.filter(|_| drops),
                max_fill: 0,
                arrived: 0,
                freed: 0,
                known_lost: 0,
                gone_at_credit: 0,
                told_at: Time::ZERO,
                blocked_since: None,
                last_taken: None,
                branch: Branch::default(),
            });
        }
        let number = self.flows.len() as u64;
        let gate = |spec: &Option<EnvelopeSpec>, purpose| {
            let spec = spec.as_ref();
            spec.map(|spec| Gate::new(spec, network.seed, number, purpose))
        };
        self.flows.push(CircuitFlow {
            priority: spec.priority,
            unit_bytes: u64::from(spec.unit_bytes),
            traffic: spec.traffic.clone(),
            sizes: Vec::new(),
            next_size: Sizes::new(network.seed, self.flows.len() as u64, spec),
            drawn: source::draw(network, self.flows.len() as u64, &spec.traffic),
            sink: spec.sink,
            roots,
            offered: 0,
            envelope: gate(&spec.envelope, Purpose::Envelope),
            policer: gate(&spec.policer, Purpose::Policer),
            heed: Heed::new(spec),
            session: spec
                .session
                .map(|session| Session::new(session, spec.reserve)),
            is_open: spec.session.is_none(),
            stood_still_ps: 0,
            not_before: Time::ZERO,
        });
    }

    fn add_channels(&mut self, spec: &NetworkSpec) {
        for (index, channel) in check::channels(spec).into_iter().enumerate() {
            let here = (0..self.legs.len()).filter(|leg| self.legs[*leg].channel == index);
            let legs: Vec<usize> = here.collect();
            let seat = |leg: usize| {
                let flow = self.legs[leg].flow;
                Seat {
                    leg,
                    group: self.flows[flow].priority,
                    reserve: spec.flows[flow].reserve,
                    unit_bytes: self.flows[flow].unit_bytes,
                }
            };
            let seats = legs.iter().copied().map(seat).collect();
            self.channels.push(Channel {
                rate: channel.rate,
                timing: channel.timing,
                delay: channel.delay,
                handling: channel.handling,
                free_at: Time::ZERO,
                legs,
                tickets: Vec::new(),
                errors: Errors::new(spec.seed, index, channel.errors),
                wire: Wire::Free,
                port: Port::new(&channel.scheduler, channel.rate, seats),
            });
        }
    }
}
